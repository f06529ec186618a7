package stats

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// BinCount returns how often each number occurs among the elements of x, integers from 0 on: element i of the result
// counts those that are i. It has at least minLength elements, and as many as the largest number needs. Without weights
// (nil) the counts are I64; otherwise the weights, of the shape of x, are added in place of 1, and the result has their
// type. The call waits for the device. It panics with ErrDType for floats, and with ErrIndex for negative elements.
func BinCount(x, weights *tensor.Tensor, minLength int) *tensor.Tensor {
	const op = "bincount"
	if x.DType().IsFloat() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x}, "x.ToDType(tensor.I64) are integers",
			"want integers, not %v",
			x.DType())
	}
	flat, n := x.FlattenAll().ToDType(tensor.I64), max(minLength, 0)
	if x.ElemCount() > 0 {
		if minimum := tensor.ToScalar[int64](flat.Min()); minimum < 0 {
			extend.Fail(op, tensor.ErrIndex, []*tensor.Tensor{x}, "", "%d is negative", minimum)
		}
		n = max(n, int(tensor.ToScalar[int64](flat.Max()))+1)
	}
	if weights != nil {
		return weights.Device().Zeros(weights.DType(), n).ScatterAdd(flat, weights.FlattenAll(), 0)
	}
	if x.ElemCount() == 0 || n == 0 {
		return x.Device().Zeros(tensor.I64, n)
	}
	sorted, _ := flat.SortLastDim(true)
	upTo := sorted.SearchSorted(x.Device().Arange(tensor.I64, float64(n)), true).ToDType(tensor.I64)
	return upTo.Pad(0, 1, 0, 0).Diff(1, 0)
}

// Edges returns the bins+1 edges of bins of equal width from low to high, or where both are 0 from the minimum to the
// maximum of the elements of x, as torch.histc has them; then the call waits for the device. They are F32 for types of
// at most that precision, and F64 otherwise. It panics with ErrShape when there is no finite range.
func Edges(x *tensor.Tensor, bins int, low, high float64) *tensor.Tensor {
	const op = "edges"
	if bins < 1 {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{x}, "", "%d bins: want at least one", bins)
	}
	if low == 0 && high == 0 && x.ElemCount() > 0 {
		low, high = x.Min().ToScalar(), x.Max().ToScalar()
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	if !(low < high) || math.IsInf(high-low, 0) {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{x}, "give the range, as in stats.Histogram(x, 10, 0, 1)",
			"no bins between %v and %v", low, high)
	}
	t, edges := extend.OnHost[float64](op, tensor.F64, bins+1)
	for i := range edges {
		edges[i] = low + (high-low)*(float64(i)/float64(bins))
	}
	edges[bins] = high
	return t.ToDevice(x.Device()).ToDType(edgeType(x))
}

// edgeType is the type in which elements are compared with edges.
func edgeType(x *tensor.Tensor) tensor.DType {
	if dt := x.DType(); dt.IsFloat() && dt != tensor.F64 {
		return tensor.F32
	}
	return tensor.F64
}

// Histogram counts the elements of x in bins of equal width from low to high; the edges are those of Edges. A bin has
// its left edge, and the last one its right edge, too. Elements outside and NaN are not counted. counts [bins] is I64,
// edges [bins+1] F32 or F64.
func Histogram(x *tensor.Tensor, bins int, low, high float64) (counts, edges *tensor.Tensor) {
	edges = Edges(x, bins, low, high)
	if x.ElemCount() == 0 {
		return x.Device().Zeros(tensor.I64, bins), edges
	}
	sorted, _ := x.FlattenAll().ToDType(edges.DType()).SortLastDim(true)
	before := sorted.SearchSorted(edges.Narrow(0, 0, bins), false)
	upTo := sorted.SearchSorted(edges.Narrow(0, bins, 1), true)
	return tensor.Cat([]*tensor.Tensor{before, upTo}, 0).ToDType(tensor.I64).Diff(1, 0), edges
}

// Histogram2D counts pairs of elements of x and y, which have the same shape, in the rectangles between edges, vectors
// in ascending order such as those of Edges. The counts, I64, are [len(xEdges)-1 len(yEdges)-1]. Bins have their left
// edges, the last ones their right edges, too; pairs outside and NaN are not counted. The call waits for the device. It
// panics with ErrShape when the shapes differ.
func Histogram2D(x, y, xEdges, yEdges *tensor.Tensor) *tensor.Tensor {
	const op = "histogram2d"
	if x.ElemCount() != y.ElemCount() {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{x, y}, "", "pairs of %v and %v elements", x.Dims(), y.Dims())
	}
	i, inX := bins(op, x, xEdges)
	j, inY := bins(op, y, yEdges)
	rows, cols := xEdges.Dim(0)-1, yEdges.Dim(0)-1
	pairs := i.Mul(cols).Add(j).MaskedSelect(inX.And(inY))
	return BinCount(pairs, nil, rows*cols).Reshape(rows, cols)
}

// bins returns the number of the bin of each element, and whether it is in one.
func bins(op string, x, edges *tensor.Tensor) (number, in *tensor.Tensor) {
	if edges.Rank() != 1 || edges.Dim(0) < 2 {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{x, edges}, "stats.Edges(x, 10, 0, 0) are 11 edges of 10 bins",
			"want a vector of at least two edges, not shape %v", edges.Dims())
	}
	last := edges.Dim(0) - 1
	flat := x.FlattenAll().ToDType(edges.DType())
	number = edges.SearchSorted(flat, true).ToDType(tensor.I64).Sub(1).Minimum(last - 1)
	return number, flat.Ge(edges.Get(0)).And(flat.Le(edges.Get(last)))
}
