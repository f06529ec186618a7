package ndimage

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Correlate returns, for each element of x, the sum of the weights times the elements around it: weights has the rank
// of x, and its middle, the later one of an even size, is at the element. It is scipy.ndimage.correlate. It panics
// with ErrShape for other ranks, with ErrDType for complex numbers, and with ErrValue for a mode that there is not.
// Weights are constants: there are gradients with respect to x.
func Correlate(x, weights *tensor.Tensor, b Border) *tensor.Tensor {
	return weighted("correlate", x, weights, b, false)
}

// Convolve is Correlate with the weights in reverse order along each dim, as scipy.ndimage.convolve.
//
//	box := tensor.CPU().Ones(tensor.F32, 3, 3).Div(9)
//	ndimage.Convolve(x, box, ndimage.Border{Mode: ndimage.Nearest})
func Convolve(x, weights *tensor.Tensor, b Border) *tensor.Tensor {
	return weighted("convolve", x, weights, b, true)
}

func weighted(op string, x, weights *tensor.Tensor, b Border, flipped bool) *tensor.Tensor {
	b.check(op, x)
	extend.SameDevice(op, weights)
	if weights.Rank() != x.Rank() || weights.ElemCount() == 0 || weights.DType().IsComplex() {
		extend.Shape(op, []*tensor.Tensor{x, weights}, "want real weights of %d dims, not %v of %v", x.Rank(),
			weights.Dims(), weights.DType())
	}
	y, dt := extend.Precise(x)
	list := weights.Detach().Float64s()
	return extend.Own(sum(y, list, window{grid(op, weights.Dims(), flipped), b}).ToDType(dt), x)
}

// sum returns the sum of weights times what is in a window.
func sum(x *tensor.Tensor, weights []float64, w window) *tensor.Tensor {
	kept := window{border: w.border}
	list := []float64{}
	for i, v := range weights {
		if v != 0 {
			kept.offsets, list = append(kept.offsets, w.offsets[i]), append(list, v)
		}
	}
	if len(list) == 0 || x.ElemCount() == 0 {
		return x.ZerosLike()
	}
	var total *tensor.Tensor
	for i, view := range kept.around(x) {
		switch term := view.Mul(list[i]); {
		case total == nil:
			total = term
		default:
			total = total.Add(term)
		}
	}
	return total
}

// along returns the sum of weights times elements along one dim.
func along(x *tensor.Tensor, weights []float64, dim int, b Border) *tensor.Tensor {
	if direct(x) {
		return alongOnHost(x, weights, dim, b)
	}
	sizes := ones(x.Rank())
	sizes[dim] = len(weights)
	return sum(x, weights, window{grid("weights", sizes, false), b})
}

// dimOf returns a dim, counted from the end if it is negative.
func dimOf(op string, x *tensor.Tensor, dim int) int {
	if dim < -x.Rank() || dim >= x.Rank() {
		extend.Shape(op, []*tensor.Tensor{x}, "no dim %d in a tensor of shape %v", dim, x.Dims())
	}
	return (dim + x.Rank()) % x.Rank()
}

// Correlate1D is Correlate with weights along one dim, as scipy.ndimage.correlate1d. It panics as Correlate, with
// ErrShape for a dim that there is not, and with ErrValue without weights.
func Correlate1D(x *tensor.Tensor, weights []float64, dim int, b Border) *tensor.Tensor {
	const op = "correlate1d"
	b.check(op, x)
	dim = dimOf(op, x, dim)
	if len(weights) == 0 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there are no weights")
	}
	y, dt := extend.Precise(x)
	return extend.Own(along(y, weights, dim, b).ToDType(dt), x)
}

// UniformFilter returns the means of boxes around each element, as scipy.ndimage.uniform_filter. Sizes has one for all
// dims, or one for each; the middle of an even one is the later one. It panics as Correlate.
func UniformFilter(x *tensor.Tensor, sizes []int, b Border) *tensor.Tensor {
	const op = "uniform filter"
	b.check(op, x)
	y, dt := extend.Precise(x)
	for d, n := range sizesOf(op, x, sizes) {
		if n > 1 {
			extend.Room(op, tensor.F64, n)
			weights := make([]float64, n)
			for i := range weights {
				weights[i] = 1 / float64(n)
			}
			y = along(y, weights, d, b)
		}
	}
	return extend.Own(y.ToDType(dt), x)
}

// Sobel returns the derivative along a dim by differences of neighbours, smoothed by 1, 2, 1 along the others, as
// scipy.ndimage.sobel. It panics as Correlate1D.
func Sobel(x *tensor.Tensor, dim int, b Border) *tensor.Tensor {
	return slope("sobel", x, dim, b, []float64{1, 2, 1})
}

// Prewitt is Sobel smoothed by 1, 1, 1, as scipy.ndimage.prewitt.
func Prewitt(x *tensor.Tensor, dim int, b Border) *tensor.Tensor {
	return slope("prewitt", x, dim, b, []float64{1, 1, 1})
}

func slope(op string, x *tensor.Tensor, dim int, b Border, smooth []float64) *tensor.Tensor {
	b.check(op, x)
	dim = dimOf(op, x, dim)
	y, dt := extend.Precise(x)
	y = along(y, []float64{-1, 0, 1}, dim, b)
	for d := range x.Rank() {
		if d != dim {
			y = along(y, smooth, d, b)
		}
	}
	return y.ToDType(dt)
}

// Laplace returns the sum of the second differences along all dims, as scipy.ndimage.laplace. It panics as Correlate.
func Laplace(x *tensor.Tensor, b Border) *tensor.Tensor {
	const op = "laplace"
	b.check(op, x)
	y, dt := extend.Precise(x)
	total := along(y, []float64{1, -2, 1}, 0, b)
	for d := 1; d < x.Rank(); d++ {
		total = total.Add(along(y, []float64{1, -2, 1}, d, b))
	}
	return total.ToDType(dt)
}
