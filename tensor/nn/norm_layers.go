package nn

import "github.com/gorocm/gorocm/tensor"

// LayerNormLayer is LayerNorm with parameters of its own.
type LayerNormLayer struct {
	Weight *tensor.Tensor // [size]
	Bias   *tensor.Tensor // [size]
	Eps    float64
}

// NewLayerNorm takes weight and bias, vectors of size, from p. They begin with 1 and 0. PyTorch's eps is 1e-5.
func NewLayerNorm(size int, eps float64, p *Params) *LayerNormLayer {
	return &LayerNormLayer{p.Get("weight", []int{size}, Const(1)), p.Get("bias", []int{size}, Const(0)), eps}
}

// Forward normalises the rows of the last dim.
func (l *LayerNormLayer) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.LayerNorm(l.Weight, l.Bias, l.Eps)
}

// RmsNormLayer is RmsNorm with a parameter of its own.
type RmsNormLayer struct {
	Weight *tensor.Tensor // [size]
	Eps    float64
}

// NewRmsNorm takes weight, a vector of size, from p. It begins with 1.
func NewRmsNorm(size int, eps float64, p *Params) *RmsNormLayer {
	return &RmsNormLayer{p.Get("weight", []int{size}, Const(1)), eps}
}

// Forward normalises the rows of the last dim.
func (l *RmsNormLayer) Forward(x *tensor.Tensor) *tensor.Tensor { return x.RmsNorm(l.Weight, l.Eps) }

// GroupNormLayer is GroupNorm with parameters of its own.
type GroupNormLayer struct {
	Groups int
	Weight *tensor.Tensor // [channels]
	Bias   *tensor.Tensor // [channels]
	Eps    float64
}

// NewGroupNorm takes weight and bias, vectors of channels, from p. They begin with 1 and 0.
func NewGroupNorm(groups, channels int, eps float64, p *Params) *GroupNormLayer {
	return &GroupNormLayer{groups, p.Get("weight", []int{channels}, Const(1)), p.Get("bias", []int{channels}, Const(0)),
		eps}
}

// Forward normalises x [batch channels …] over groups of channels.
func (l *GroupNormLayer) Forward(x *tensor.Tensor) *tensor.Tensor {
	return GroupNorm(x, l.Groups, l.Weight, l.Bias, l.Eps)
}

// BatchNormOf takes weight, bias, running_mean and running_var, vectors of channels, from p. Weight and bias are
// trained; the running values are buffers, which learn from what ForwardT sees.
func BatchNormOf(channels int, p *Params) *BatchNorm {
	b := NewBatchNorm(channels, p.DType(), p.Device())
	b.Weight, b.Bias = p.Get("weight", []int{channels}, Const(1)), p.Get("bias", []int{channels}, Const(0))
	b.RunningMean, b.RunningVar = p.Buffer("running_mean", []int{channels}, Const(0)),
		p.Buffer("running_var", []int{channels}, Const(1))
	p.Ignore("num_batches_tracked")
	return b
}
