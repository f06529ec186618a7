package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// ConvConfig says how a convolution moves over its input. The zero value is a stride and a dilation of 1, no padding
// and one group.
type ConvConfig struct {
	Padding       int
	OutputPadding int // of transposed convolutions
	Stride        int // 0 is 1
	Dilation      int // 0 is 1
	Groups        int // 0 is 1
	NoBias        bool
}

// full replaces zeros by their defaults. It panics with ErrShape for negative numbers.
func (c ConvConfig) full() ConvConfig {
	if min(c.Padding, c.OutputPadding, c.Stride, c.Dilation, c.Groups) < 0 {
		extend.Shape("convolution", nil, "want numbers of at least 0, not %+v", c)
	}
	c.Stride, c.Dilation, c.Groups = max(c.Stride, 1), max(c.Dilation, 1), max(c.Groups, 1)
	return c
}

// grouped panics with ErrShape when the groups do not divide the channels.
func (c ConvConfig) grouped(inputs, outputs int) ConvConfig {
	if c = c.full(); inputs%c.Groups != 0 || outputs%c.Groups != 0 {
		extend.Shape("convolution", nil, "%d groups do not divide %d inputs and %d outputs", c.Groups, inputs, outputs)
	}
	return c
}

// params takes weight and bias of a convolution from p.
func (c ConvConfig) params(p *Params, shape []int, outputs int) (weight, bias *tensor.Tensor) {
	inputs := fanIn(shape)
	weight = p.Get("weight", shape, within(inputs))
	if !c.NoBias {
		bias = p.Get("bias", []int{outputs}, within(inputs))
	}
	return weight, bias
}

// plusChannels adds a bias, which may be nil, along dim 1.
func plusChannels(y, bias *tensor.Tensor) *tensor.Tensor {
	if bias == nil {
		return y
	}
	return y.Add(bias.Reshape(channelShape(y, bias.ElemCount())...))
}

// Conv1d is a layer that convolves [batch channels length].
type Conv1d struct {
	Weight *tensor.Tensor // [outputs inputs/groups kernel]
	Bias   *tensor.Tensor // [outputs]; nil for none
	Config ConvConfig
}

// NewConv1d takes weight and, unless the config says otherwise, bias from p. It panics with ErrShape when the groups do
// not divide the channels.
func NewConv1d(inputs, outputs, kernel int, config ConvConfig, p *Params) *Conv1d {
	c := config.grouped(inputs, outputs)
	l := &Conv1d{Config: c}
	l.Weight, l.Bias = c.params(p, []int{outputs, inputs / c.Groups, kernel}, outputs)
	return l
}

// Forward takes [batch inputs length] to [batch outputs (length + 2·padding - dilation·(kernel-1) - 1)/stride + 1].
func (l *Conv1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	c := l.Config.full()
	return plusChannels(x.Conv1d(l.Weight, c.Padding, c.Stride, c.Dilation, c.Groups), l.Bias)
}

// Conv2d is a layer that convolves [batch channels height width].
type Conv2d struct {
	Weight *tensor.Tensor // [outputs inputs/groups kernel kernel]
	Bias   *tensor.Tensor // [outputs]; nil for none
	Config ConvConfig
}

// NewConv2d takes weight and, unless the config says otherwise, bias from p. The kernel is square. It panics with
// ErrShape when the groups do not divide the channels.
func NewConv2d(inputs, outputs, kernel int, config ConvConfig, p *Params) *Conv2d {
	c := config.grouped(inputs, outputs)
	l := &Conv2d{Config: c}
	l.Weight, l.Bias = c.params(p, []int{outputs, inputs / c.Groups, kernel, kernel}, outputs)
	return l
}

// Forward takes [batch inputs height width] to [batch outputs height' width'], sizes as for Conv1d.
func (l *Conv2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	c := l.Config.full()
	return plusChannels(x.Conv2d(l.Weight, c.Padding, c.Stride, c.Dilation, c.Groups), l.Bias)
}

// AbsorbBatchNorm returns a layer that is l followed by b with its running values.
func (l *Conv2d) AbsorbBatchNorm(b *BatchNorm) *Conv2d {
	scale := extend.Wide(b.RunningVar).Add(b.Eps).Sqrt().Recip()
	if b.Weight != nil {
		scale = scale.Mul(extend.Wide(b.Weight))
	}
	bias := extend.Wide(b.RunningMean).Neg()
	if l.Bias != nil {
		bias = bias.Add(extend.Wide(l.Bias))
	}
	bias = bias.Mul(scale)
	if b.Bias != nil {
		bias = bias.Add(extend.Wide(b.Bias))
	}
	weight := extend.Wide(l.Weight).Mul(scale.Reshape(scale.ElemCount(), 1, 1, 1))
	return &Conv2d{weight.ToDType(l.Weight.DType()), bias.ToDType(l.Weight.DType()), l.Config}
}

// ConvTranspose1d is a layer of the gradient of Conv1d, which makes signals longer.
type ConvTranspose1d struct {
	Weight *tensor.Tensor // [inputs outputs/groups kernel]
	Bias   *tensor.Tensor // [outputs]; nil for none
	Config ConvConfig
}

// NewConvTranspose1d takes weight and, unless the config says otherwise, bias from p. It panics with ErrShape when the
// groups do not divide the channels.
func NewConvTranspose1d(inputs, outputs, kernel int, config ConvConfig, p *Params) *ConvTranspose1d {
	c := config.grouped(inputs, outputs)
	l := &ConvTranspose1d{Config: c}
	l.Weight, l.Bias = c.params(p, []int{inputs, outputs / c.Groups, kernel}, outputs)
	return l
}

// Forward takes [batch inputs length] to [batch outputs (length-1)·stride - 2·padding + dilation·(kernel-1) + output
// padding + 1].
func (l *ConvTranspose1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	c := l.Config.full()
	return plusChannels(x.ConvTranspose1d(l.Weight, c.Padding, c.OutputPadding, c.Stride, c.Dilation, c.Groups), l.Bias)
}

// ConvTranspose2d is a layer of the gradient of Conv2d, which makes images larger.
type ConvTranspose2d struct {
	Weight *tensor.Tensor // [inputs outputs/groups kernel kernel]
	Bias   *tensor.Tensor // [outputs]; nil for none
	Config ConvConfig
}

// NewConvTranspose2d takes weight and, unless the config says otherwise, bias from p. It panics with ErrShape when the
// groups do not divide the channels.
func NewConvTranspose2d(inputs, outputs, kernel int, config ConvConfig, p *Params) *ConvTranspose2d {
	c := config.grouped(inputs, outputs)
	l := &ConvTranspose2d{Config: c}
	l.Weight, l.Bias = c.params(p, []int{inputs, outputs / c.Groups, kernel, kernel}, outputs)
	return l
}

// Forward takes [batch inputs height width] to [batch outputs height' width'], sizes as for ConvTranspose1d.
func (l *ConvTranspose2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ConvTranspose(x, l.Weight, l.Bias, l.Config.options())
}

// Conv3d is a layer that convolves [batch channels depth height width].
type Conv3d struct {
	Weight *tensor.Tensor // [outputs inputs/groups kernel kernel kernel]
	Bias   *tensor.Tensor // [outputs]; nil for none
	Config ConvConfig
}

// NewConv3d takes weight and, unless the config says otherwise, bias from p. The kernel is a cube. It panics with
// ErrShape when the groups do not divide the channels.
func NewConv3d(inputs, outputs, kernel int, config ConvConfig, p *Params) *Conv3d {
	c := config.grouped(inputs, outputs)
	l := &Conv3d{Config: c}
	l.Weight, l.Bias = c.params(p, []int{outputs, inputs / c.Groups, kernel, kernel, kernel}, outputs)
	return l
}

// Forward takes [batch inputs depth height width] to [batch outputs depth' height' width'], sizes as for Conv1d.
func (l *Conv3d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return Conv(x, l.Weight, l.Bias, l.Config.options())
}

// options returns those of the functions.
func (c ConvConfig) options() ConvOptions {
	c = c.full()
	return ConvOptions{
		Stride: []int{c.Stride}, Padding: []int{c.Padding}, Dilation: []int{c.Dilation}, Groups: c.Groups,
		OutputPadding: []int{c.OutputPadding},
	}
}
