package statespace

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// short is a layer of LFM2: a short convolution between two gates.
type short struct {
	*Config
	in, out *nn.Linear
	convolution
}

func newShort(c *Config, p *nn.Params, gguf bool) *short {
	n := names{in: "in_proj", out: "out_proj", convolution: "conv"}
	if gguf {
		n = names{in: "shortconv.in_proj", out: "shortconv.out_proj", convolution: "shortconv.conv", gguf: true}
	}
	return &short{Config: c, in: linear(p, n.in, c.Dim, 3*c.Inner, c.Bias),
		out: linear(p, n.out, c.Inner, c.Dim, c.Bias), convolution: newConvolution(c, p, &n)}
}

// Packed implements Layer.
func (m *short) Packed(pack func(*nn.Linear) *nn.Linear) Layer {
	l := *m
	l.in, l.out = pack(m.in), pack(m.out)
	return &l
}

// Of implements Layer.
func (m *short) Of(h *tensor.Tensor, parts []Part) *tensor.Tensor {
	all := m.in.Forward(h)
	third := func(i int) *tensor.Tensor { return all.Narrow(1, i*m.Inner, m.Inner) }
	x := third(0).Mul(third(2))
	x = ofParts(parts, func(rows func(*tensor.Tensor) *tensor.Tensor, s *State) *tensor.Tensor {
		return m.convolution.sums(rows(x), s)
	})
	return m.out.Forward(third(1).Mul(x))
}
