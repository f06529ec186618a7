package spatial

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// blockElements is how many differences of coordinates CDist computes at a time.
const blockElements = 1 << 22

// CDist returns the distances of each row of a [n d] from each row of b [m d], as [n m], on their device, as
// scipy.spatial.distance.cdist. The gradient of a distance of 0 is 0, as in PyTorch. It panics with ErrShape for other
// shapes, with ErrDType for complex numbers, and with ErrValue for a metric that was not made by this package.
//
//	spatial.CDist(tensor.Of(0, 0).Reshape(1, 2), tensor.Of(3, 4).Reshape(1, 2), spatial.Euclidean) // [[5]]
func CDist(a, b *tensor.Tensor, metric Metric) *tensor.Tensor {
	return rowDistances("cdist", a, b, metric, false)
}

// rowDistances returns the distances of each row of a from each row of b, or, of half, from those of a after it.
func rowDistances(op string, a, b *tensor.Tensor, metric Metric, half bool) *tensor.Tensor {
	extend.SameDevice(op, a, b)
	both := []*tensor.Tensor{a, b}
	if a.Rank() != 2 || b.Rank() != 2 || a.Dim(1) != b.Dim(1) || a.Dim(1) == 0 {
		extend.ShapeNoting(op, both, "x.Unsqueeze(1) has a vector's numbers as rows of one",
			"want points [n d] and [m d], not %v and %v", a.Dims(), b.Dims())
	}
	metric.check(op, both, a.Dim(1))
	a, x := extend.Precise(onlyReal(op, a))
	b, y := extend.Precise(onlyReal(op, b))
	dt, wide := dtypes.Common(x, y), dtypes.Common(a.DType(), b.DType())
	a, b = a.ToDType(wide), b.ToDType(wide)
	rows := max(1, blockElements/max(1, b.ElemCount()))
	n := a.Dim(0)
	if n == 0 || b.Dim(0) == 0 {
		if half {
			return a.Device().Zeros(dt, 0)
		}
		return a.Device().Zeros(dt, n, b.Dim(0))
	}
	a, b = metric.prepare(a, b)
	if metric.direct(a, b) {
		return metric.onHost(op, a, b, half).ToDType(dt)
	}
	parts := []*tensor.Tensor{}
	for i := 0; i < n; i += rows {
		block := a.Narrow(0, i, min(rows, n-i))
		parts = append(parts, metric.of(block.Unsqueeze(1), b.Unsqueeze(0)))
	}
	all := tensor.Cat(parts, 0).ToDType(dt)
	if half {
		return upperHalf(all)
	}
	return all
}

// PDist returns the distances of each two rows of a [n d], in the order (0, 1), (0, 2), …, (n-2, n-1), as
// scipy.spatial.distance.pdist: [n·(n-1)/2]. It panics as CDist. SquareForm makes a matrix of them.
func PDist(a *tensor.Tensor, metric Metric) *tensor.Tensor {
	const op = "pdist"
	extend.SameDevice(op, a)
	if a.Rank() != 2 {
		extend.Shape(op, []*tensor.Tensor{a}, "want points [n d], not %v", a.Dims())
	}
	return rowDistances(op, a, a, metric, true)
}

// upperHalf returns what is above the diagonal of a matrix [n n], row by row.
func upperHalf(d *tensor.Tensor) *tensor.Tensor {
	if d.Device().IsCPU() && !extend.Tracked(d) {
		return upperHalfOnHost(d)
	}
	n := d.Dim(0)
	ids := make([]int64, 0, n*(n-1)/2)
	for i := range n {
		for j := i + 1; j < n; j++ {
			ids = append(ids, int64(i*n+j))
		}
	}
	return d.FlattenAll().IndexSelect(d.Device().FromSlice(ids, len(ids)), 0)
}

// SquareForm returns the symmetric matrix [n n] of distances that PDist returns, with zeros on the diagonal, or these
// distances of such a matrix, as scipy.spatial.distance.squareform. It does not look at the lower half of a matrix. It
// panics with ErrShape for other shapes.
func SquareForm(d *tensor.Tensor) *tensor.Tensor {
	const op = "squareform"
	extend.SameDevice(op, d)
	if d.Rank() == 2 && d.Dim(0) == d.Dim(1) {
		return upperHalf(d)
	}
	n := 0
	if d.Rank() == 1 {
		n = int(math.Round((1 + math.Sqrt(float64(1+8*d.Dim(0)))) / 2))
	}
	if d.Rank() != 1 || n*(n-1)/2 != d.Dim(0) {
		extend.Shape(op, []*tensor.Tensor{d}, "want a matrix [n n] or n·(n-1)/2 distances, not %v", d.Dims())
	}
	ids := make([]int64, n*n) // the diagonal takes an appended zero
	for i, next := 0, int64(0); i < n; i++ {
		ids[i*n+i] = int64(d.Dim(0))
		for j := i + 1; j < n; j++ {
			ids[i*n+j], ids[j*n+i] = next, next
			next++
		}
	}
	return d.Pad(0, 0, 1, 0).IndexSelect(d.Device().FromSlice(ids, n*n), 0).Reshape(n, n)
}

// onlyReal returns x, and panics for complex numbers.
func onlyReal(op string, x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x}, "x.ViewAsReal() has the parts as a last dim",
			"want real numbers, not %v", x.DType())
	}
	return x
}
