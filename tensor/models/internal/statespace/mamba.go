package statespace

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// mamba is a layer of Mamba (Gu and Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces", 2023).
type mamba struct {
	*Config
	in, selects, out *nn.Linear
	convolution
	step, stepBias *tensor.Tensor // [rank inner], F32 [inner]
	decay, skip    *tensor.Tensor // F32 [inner state], [inner]

	stepNorm, writeNorm, readNorm *tensor.Tensor // F32 [rank], [state], [state] of Jamba, or nil
}

func newMamba(c *Config, p *nn.Params, n *names) *mamba {
	m := &mamba{Config: c,
		in:          linear(p, n.in, c.Dim, 2*c.Inner, c.Bias),
		selects:     linear(p, n.selects, c.Inner, c.Rank+2*c.State, false),
		out:         linear(p, n.out, c.Inner, c.Dim, c.Bias),
		convolution: newConvolution(c, p, n),
		step:        p.Get(n.step, []int{c.Inner, c.Rank}, nn.Normal(0, 0.1)).Detach().T(),
		stepBias:    wide(p, n.stepBias, c.Inner),
		decay:       n.decays(p, c.Inner, c.State),
		skip:        wide(p, n.skip, c.Inner),
	}
	if c.SelectNorms {
		m.stepNorm, m.writeNorm = wide(p, n.stepNorm, c.Rank), wide(p, n.writeNorm, c.State)
		m.readNorm = wide(p, n.readNorm, c.State)
	}
	return m
}

// Packed implements Layer.
func (m *mamba) Packed(pack func(*nn.Linear) *nn.Linear) Layer {
	l := *m
	l.in, l.out = pack(m.in), pack(m.out)
	return &l
}

// normalized are rows of what is selected, as Falcon Mamba has them, and Jamba with weights.
func (m *mamba) normalized(x, weights *tensor.Tensor) *tensor.Tensor {
	if m.SelectEps == 0 {
		return x
	}
	wide := x.ToDType(tensor.F32)
	wide = wide.Div(wide.Sqr().MeanKeepDim(1).Add(m.SelectEps).Sqrt())
	if weights != nil {
		wide = wide.Mul(weights)
	}
	return wide.ToDType(x.DType())
}

// Of implements Layer.
func (m *mamba) Of(h *tensor.Tensor, parts []Part) *tensor.Tensor {
	both := m.in.Forward(h)
	x, gate := both.Narrow(1, 0, m.Inner), both.Narrow(1, m.Inner, m.Inner)
	y := ofParts(parts, func(rows func(*tensor.Tensor) *tensor.Tensor, s *State) *tensor.Tensor {
		return m.selected(m.convolution.of(rows(x), s), s)
	})
	return m.out.Forward(y.Mul(gate.Silu()))
}

// selected is what rows [n·texts inner] read of states, which they change.
func (m *mamba) selected(x *tensor.Tensor, s *State) *tensor.Tensor {
	selected := m.selects.Forward(x)
	steps := m.normalized(selected.Narrow(1, 0, m.Rank), m.stepNorm).MatMul(m.step)
	steps = steps.ToDType(tensor.F32).Add(m.stepBias).Softplus()
	of := func(first int, weights *tensor.Tensor) *tensor.Tensor {
		return m.normalized(selected.Narrow(1, first, m.State), weights).ToDType(tensor.F32)
	}
	writes, reads, wideX := of(m.Rank, m.writeNorm), of(m.Rank+m.State, m.readNorm), x.ToDType(tensor.F32)
	y := inParts(x.Dim(0)/s.texts, func(first, n int) *tensor.Tensor {
		part := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, first*s.texts, n*s.texts) }
		byText := func(t *tensor.Tensor) *tensor.Tensor { return t.Reshape(n, s.texts*m.Inner, m.State) }
		decays := byText(part(steps).Unsqueeze(2).Mul(m.decay).Exp())
		added := byText(part(steps).Mul(part(wideX)).Unsqueeze(2).Mul(part(writes).Unsqueeze(1)))
		states := scan(decays, added, s.states) // [n texts·inner state]
		s.states.CopySet(states.Get(n - 1))
		return states.Reshape(n*s.texts, m.Inner, m.State).MatMul(part(reads).Unsqueeze(2)).Squeeze(2)
	})
	return y.Add(wideX.Mul(m.skip)).ToDType(x.DType())
}
