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

// BatchNorm normalises the channels, dim 1, of its input over all other dims.
type BatchNorm struct {
	RunningMean, RunningVar *tensor.Tensor // [channels]; of what Train has seen
	Weight, Bias            *tensor.Tensor // [channels]; nil for none
	Eps                     float64
	Momentum                float64 // how much of the running values Train replaces
}

// NewBatchNorm returns a BatchNorm for so many channels, with weight 1, bias 0, eps 1e-5 and momentum 0.1.
func NewBatchNorm(channels int, dtype tensor.DType, dev *tensor.Device) *BatchNorm {
	zeros := func() *tensor.Tensor { return dev.Zeros(dtype, channels) }
	ones := func() *tensor.Tensor { return dev.Ones(dtype, channels) }
	return &BatchNorm{RunningMean: zeros(), RunningVar: ones(), Weight: ones(), Bias: zeros(), Eps: 1e-5, Momentum: 0.1}
}

// Forward normalises x with the running mean and variance.
func (b *BatchNorm) Forward(x *tensor.Tensor) *tensor.Tensor { return b.ForwardT(x, false) }

// ForwardT normalises x with the running mean and variance, or, to train, with those of x, from which the running ones
// learn: their elements change. It panics with ErrShape when x has other channels, or, to train, fewer than two numbers
// in each, which have no variance.
func (b *BatchNorm) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	if x.Rank() < 2 || x.Dim(1) != b.RunningMean.ElemCount() {
		extend.Shape("batch norm", []*tensor.Tensor{x}, "want [batch %d …], not shape %v", b.RunningMean.ElemCount(),
			x.Dims())
	}
	w := extend.Wide(x)
	dims, line := []int{0}, channelShape(x, x.Dim(1))
	for d := 2; d < x.Rank(); d++ {
		dims = append(dims, d)
	}
	if !train {
		mean, variance := extend.Wide(b.RunningMean).Reshape(line...), extend.Wide(b.RunningVar).Reshape(line...)
		return scaled(w, mean, variance, b.Weight, b.Bias, b.Eps).ToDType(x.DType())
	}
	n := float64(x.Dim(0) * count(x.Dims()[2:]))
	if n < 2 {
		extend.Shape("batch norm", []*tensor.Tensor{x}, "want at least two numbers in each channel to train, not shape %v",
			x.Dims())
	}
	mean, variance := moments(w, dims...)
	b.learn(b.RunningMean, mean)
	b.learn(b.RunningVar, variance.Mul(n/(n-1)))
	return scaled(w, mean, variance, b.Weight, b.Bias, b.Eps).ToDType(x.DType())
}

// learn moves a running value towards that of a batch.
func (b *BatchNorm) learn(running, batch *tensor.Tensor) {
	next := extend.Wide(running).Mul(1 - b.Momentum).Add(batch.Detach().FlattenAll().Mul(b.Momentum))
	running.CopySet(next.ToDType(running.DType()))
}
