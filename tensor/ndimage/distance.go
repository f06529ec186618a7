package ndimage

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// DistanceTransform returns the distance of each element of x from the nearest one that is 0, in F64, and the position
// of that one, as [rank …] of I64: scipy.ndimage.distance_transform_edt. Distances are Euclid's, with the distance of
// neighbours along each dim in spacing, one for all dims or one for each; none is 1. Without a 0 in x distances are
// infinite and positions -1. It takes the lower envelope of parabolas along one dim after another (Felzenszwalb,
// Huttenlocher, Distance transforms of sampled functions, 2012). It panics with ErrValue for a spacing that is not
// positive.
func DistanceTransform(x *tensor.Tensor, spacing []float64) (distances, nearest *tensor.Tensor) {
	const op = "distance transform"
	Border{}.check(op, x)
	if len(spacing) == 0 {
		spacing = []float64{1}
	}
	dims, rank := x.Dims(), x.Rank()
	if len(spacing) != 1 && len(spacing) != rank {
		extend.Shape(op, []*tensor.Tensor{x}, "want a spacing for each of %d dims, or one for all, not %v", rank, spacing)
	}
	for _, s := range spacing {
		if !(s > 0) || math.IsInf(s, 1) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want positive spacings, not %v", spacing)
		}
	}
	inside := x.Detach().Ne(0).ToDType(tensor.U8).To(tensor.CPU()).Contiguous().Data().([]uint8)
	square, from := make([]float64, len(inside)), make([]int, len(inside))
	for i, in := range inside {
		from[i] = i
		if in != 0 {
			square[i], from[i] = math.Inf(1), -1
		}
	}
	strides := stridesOf(dims)
	for d, n := range dims {
		if len(inside) == 0 {
			break
		}
		by, stride := spacing[d%len(spacing)], strides[d]
		team.Run(len(inside)/n, 20*n, func(lo, hi int) {
			e := newEnvelope(n, by)
			for line := lo; line < hi; line++ {
				e.line(square, from, line/stride*stride*n+line%stride, stride)
			}
		})
	}
	positions := make([]int64, rank*len(inside))
	for i, v := range square {
		square[i] = math.Sqrt(v)
		for d, n := range dims {
			positions[d*len(inside)+i] = -1
			if from[i] >= 0 {
				positions[d*len(inside)+i] = int64(from[i] / strides[d] % n)
			}
		}
	}
	return x.Device().FromSlice(square, dims...), x.Device().FromSlice(positions, append([]int{rank}, dims...)...)
}

// envelope is the lower envelope of parabolas of a line: those at positions at, each the least from a border on.
type envelope struct {
	n       int
	by      float64 // the square of the distance of neighbours
	f       []float64
	ids, at []int
	borders []float64
}

func newEnvelope(n int, spacing float64) *envelope {
	return &envelope{n, spacing * spacing, make([]float64, n), make([]int, n), make([]int, n), make([]float64, n)}
}

// line replaces the squares of a line by those of the envelope, and the elements that they are distances from.
func (e *envelope) line(square []float64, from []int, start, stride int) {
	count := 0
	for q := range e.n {
		e.f[q], e.ids[q] = square[start+q*stride], from[start+q*stride]
		if math.IsInf(e.f[q], 1) {
			continue
		}
		border := math.Inf(-1)
		for count > 0 {
			p := e.at[count-1]
			border = ((e.f[q]-e.f[p])/e.by/float64(q-p) + float64(q+p)) / 2
			if border > e.borders[count-1] {
				break
			}
			count--
			border = math.Inf(-1)
		}
		e.at[count], e.borders[count] = q, border
		count++
	}
	for q, k := 0, 0; q < e.n && count > 0; q++ {
		for k+1 < count && e.borders[k+1] < float64(q) {
			k++
		}
		p := e.at[k]
		square[start+q*stride] = e.f[p] + e.by*float64((q-p)*(q-p))
		from[start+q*stride] = e.ids[p]
	}
}
