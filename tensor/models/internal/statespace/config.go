package statespace

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Config are the sizes of the layers.
type Config struct {
	Dim      int  // of rows
	Inner    int  // channels
	State    int  // numbers that each channel keeps
	Kernel   int  // positions of the convolution before
	Bias     bool // of the products at both ends
	ConvBias bool // of the convolution

	Rank int // of the step of time in Mamba 1; 0 for others
	// of Falcon Mamba and Jamba: what a layer selects is normalised; 0 for none
	SelectEps   float64
	SelectNorms bool // with weights, as Jamba's

	Short bool // the convolution alone, between two gates, as LFM2 has it
	// with Delta, heads of values go with those of keys in turns, as in llama.cpp's files; else neighbours with one
	InTurns bool
	Delta   bool // states are corrected by what they give for a key (the gated delta rule), as in Qwen3-Next

	// of Mamba 2: heads decay together, and groups share what they read and write; with Delta heads of values and keys
	Heads, Groups    int
	Eps              float64 // of its norm
	MinStep, MaxStep float64 // of its steps of time; a MaxStep of 0 is none

	Plain     bool      // of Falcon H1: nothing is normalised
	InFactors []float64 // of gates, channels, what is written, what is read, and steps; nil is 1
	OutFactor float64   // of what a layer gives; 0 is 1
}

// Check returns an error when the sizes do not fit.
func (c *Config) Check() error {
	for _, n := range []int{c.Dim, c.Inner, c.State, c.Kernel, c.Rank + 1} {
		if n < 1 || n > 1<<24 {
			return fmt.Errorf("models: state spaces of these sizes are not possible: %+v", *c)
		}
	}
	if c.Rank > 0 || c.Short {
		return nil
	}
	if c.Heads < 1 || c.Groups < 1 || c.Inner%c.Heads != 0 || c.Heads%c.Groups != 0 || c.Inner%c.Groups != 0 {
		return fmt.Errorf("models: %d channels in %d heads and %d groups are not possible", c.Inner, c.Heads, c.Groups)
	}
	return nil
}

// channels is how many the convolution has.
func (c *Config) channels() int {
	if c.Rank > 0 || c.Short {
		return c.Inner
	}
	return c.Inner + 2*c.Groups*c.State
}

// Count is about how many weights a layer has.
func (c *Config) Count() float64 {
	dim, inner := float64(c.Dim), float64(c.Inner)
	n := 3*dim*inner + float64(c.channels())*float64(c.Kernel)
	switch {
	case c.Short:
	case c.Rank > 0:
		n += inner * float64(c.Rank+c.State)
	default:
		n += 2 * dim * float64(c.Groups) * float64(c.State)
	}
	return n
}

// Layer computes rows from rows, and changes the states of the texts that they follow.
type Layer interface {
	Of(h *tensor.Tensor, parts []Part) *tensor.Tensor
	// Packed returns the layer with the products at both ends packed.
	Packed(pack func(*nn.Linear) *nn.Linear) Layer
}

// names are those of the weights of a layer in one kind of file.
type names struct {
	in, selects, out, convolution, step, stepBias, decay, skip, norm string

	stepNorm, writeNorm, readNorm string // of Jamba

	gguf bool // decays are as they are used, and shapes those of llama.cpp
}

// NewLayer takes the weights of a layer, from a file of Hugging Face or of llama.cpp.
func NewLayer(c *Config, p *nn.Params, gguf bool) Layer {
	n := names{"in_proj", "x_proj", "out_proj", "conv1d", "dt_proj.weight", "dt_proj.bias", "A_log", "D", "norm.weight",
		"dt_layernorm.weight", "b_layernorm.weight", "c_layernorm.weight", false}
	if gguf {
		n = names{"ssm_in", "ssm_x", "ssm_out", "ssm_conv1d", "ssm_dt.weight", "ssm_dt.bias", "ssm_a", "ssm_d",
			"ssm_norm.weight", "ssm_dt_norm.weight", "ssm_b_norm.weight", "ssm_c_norm.weight", true}
	}
	switch {
	case c.Rank > 0:
		return newMamba(c, p, &n)
	case c.Short:
		return newShort(c, p, gguf)
	}
	if !gguf {
		n.stepBias = "dt_bias"
	}
	if c.Delta {
		return newDelta(c, p, &n)
	}
	return newMamba2(c, p, &n)
}

// decays takes the factors by which steps are multiplied.
func (n *names) decays(p *nn.Params, shape ...int) *tensor.Tensor {
	w := wide(p, n.decay, shape...)
	if n.gguf {
		return w
	}
	return w.Exp().Neg()
}

// convolution is one of each channel alone, over the last positions.
type convolution struct {
	weights *tensor.Tensor // [kernel channels]
	bias    *tensor.Tensor // [channels], or nil
}

func newConvolution(c *Config, p *nn.Params, names *names) convolution {
	n := c.channels()
	shape := []int{n, 1, c.Kernel}
	if names.gguf {
		shape = []int{n, c.Kernel}
	}
	w := p.Get(names.convolution+".weight", shape, nn.Normal(0, 0.1)).Detach()
	f := convolution{weights: w.Reshape(n, c.Kernel).T().Contiguous()}
	if c.ConvBias {
		f.bias = p.Get(names.convolution+".bias", []int{n}, nn.Const(0)).Detach()
	}
	return f
}

// of convolves rows [n·texts channels], and activates them.
func (f *convolution) of(x *tensor.Tensor, s *State) *tensor.Tensor { return f.sums(x, s).Silu() }

// sums convolves rows [n·texts channels].
func (f *convolution) sums(x *tensor.Tensor, s *State) *tensor.Tensor {
	n, kernel := x.Dim(0)/s.texts, f.weights.Dim(0)
	all := tensor.Cat([]*tensor.Tensor{s.rows, x.Reshape(n, s.texts, x.Dim(1))}, 0)
	var y *tensor.Tensor
	for k := range kernel {
		part := all.Narrow(0, k, n).Mul(f.weights.Get(k))
		if y == nil {
			y = part
		} else {
			y = y.Add(part)
		}
	}
	s.rows.CopySet(all.Narrow(0, n, kernel-1))
	if f.bias != nil {
		y = y.Add(f.bias)
	}
	return y.Reshape(x.Dims()...)
}

// wide takes a vector or matrix that is computed with in F32.
func wide(p *nn.Params, name string, shape ...int) *tensor.Tensor {
	return p.Get(name, shape, nn.Const(0)).Detach().ToDType(tensor.F32)
}

// linear takes a matrix and its bias, if it has one.
func linear(p *nn.Params, name string, inputs, outputs int, bias bool) *nn.Linear {
	if bias {
		return nn.NewLinear(inputs, outputs, p.At(name)).Detach()
	}
	return nn.NewLinearNoBias(inputs, outputs, p.At(name)).Detach()
}
