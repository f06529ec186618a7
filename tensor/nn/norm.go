package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// scaled normalises x with mean and variance, and gives each channel of dim 1 its weight and bias, which may be nil.
func scaled(x, mean, variance, weight, bias *tensor.Tensor, eps float64) *tensor.Tensor {
	y := x.Sub(mean).Div(variance.Add(eps).Sqrt())
	line := channelShape(x, x.Dim(1))
	if weight != nil {
		y = y.Mul(extend.Wide(weight).Reshape(line...))
	}
	if bias != nil {
		y = y.Add(extend.Wide(bias).Reshape(line...))
	}
	return y
}

// moments returns mean and variance (divided by n) over dims, which stay with size 1.
func moments(x *tensor.Tensor, dims ...int) (mean, variance *tensor.Tensor) {
	mean = x.MeanKeepDim(dims...)
	return mean, x.Sub(mean).Sqr().MeanKeepDim(dims...)
}

// count is the number of elements of a shape.
func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// GroupNorm normalises x [batch channels …] over groups of channels and all that follows them: it takes the mean away
// and divides by the root of the variance plus eps. weight and bias, one number for each channel, may be nil. It panics
// with ErrShape when groups do not divide the channels. Small floats are computed in F32.
func GroupNorm(x *tensor.Tensor, groups int, weight, bias *tensor.Tensor, eps float64) *tensor.Tensor {
	if x.Rank() < 2 || groups < 1 || x.Dim(1)%groups != 0 {
		extend.Shape("group norm", []*tensor.Tensor{x}, "want [batch channels …] with channels in %d groups, not shape %v",
			groups, x.Dims())
	}
	x = extend.Cast("group norm", x)
	w := extend.Wide(x)
	mean, variance := moments(w.Reshape(x.Dim(0), groups, x.Dim(1)/groups*count(x.Dims()[2:])), 2)
	perChannel := func(v *tensor.Tensor) *tensor.Tensor { // [batch groups 1] as [batch channels 1 …]
		v = v.BroadcastAs(x.Dim(0), groups, x.Dim(1)/groups)
		shape := []int{x.Dim(0), x.Dim(1)}
		for len(shape) < x.Rank() {
			shape = append(shape, 1)
		}
		return v.Reshape(shape...)
	}
	return scaled(w, perChannel(mean), perChannel(variance), weight, bias, eps).ToDType(x.DType())
}
