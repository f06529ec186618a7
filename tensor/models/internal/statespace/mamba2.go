package statespace

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// mamba2 is a layer of Mamba 2 (Dao and Gu, "Transformers are SSMs", 2024).
type mamba2 struct {
	*Config
	in, out *nn.Linear
	convolution
	stepBias, decay, skip *tensor.Tensor // F32 [heads]
	norm                  *tensor.Tensor // [inner], or nil
	factors               *tensor.Tensor // of the first product, or nil
}

func newMamba2(c *Config, p *nn.Params, n *names) *mamba2 {
	ofHeads, ofNorm := []int{c.Heads}, []int{c.Inner}
	if n.gguf {
		ofHeads, ofNorm = []int{c.Heads, 1}, []int{c.Groups, c.Inner / c.Groups}
	}
	m := &mamba2{Config: c,
		in:          linear(p, n.in, c.Dim, c.Inner+c.channels()+c.Heads, c.Bias),
		out:         linear(p, n.out, c.Inner, c.Dim, c.Bias),
		convolution: newConvolution(c, p, n),
		stepBias:    wide(p, n.stepBias, c.Heads),
		decay:       n.decays(p, ofHeads...).Reshape(c.Heads),
		skip:        wide(p, n.skip, ofHeads...).Reshape(c.Heads),
	}
	if !c.Plain {
		m.norm = p.Get(n.norm, ofNorm, nn.Const(1)).Detach().Reshape(c.Inner)
	}
	if c.InFactors != nil {
		var all []float32
		for i, n := range []int{c.Inner, c.Inner, c.Groups * c.State, c.Groups * c.State, c.Heads} {
			all = append(all, slices.Repeat([]float32{float32(c.InFactors[i])}, n)...)
		}
		m.factors = p.Device().FromSlice(all, len(all)).ToDType(p.DType())
	}
	return m
}

// Packed implements Layer.
func (m *mamba2) Packed(pack func(*nn.Linear) *nn.Linear) Layer {
	l := *m
	l.in, l.out = pack(m.in), pack(m.out)
	return &l
}

// Of implements Layer.
func (m *mamba2) Of(h *tensor.Tensor, parts []Part) *tensor.Tensor {
	all := m.in.Forward(h)
	if m.factors != nil {
		all = all.Mul(m.factors)
	}
	gate := all.Narrow(1, 0, m.Inner)
	mixed := all.Narrow(1, m.Inner, m.channels())
	steps := all.Narrow(1, m.Inner+m.channels(), m.Heads).ToDType(tensor.F32).Add(m.stepBias).Softplus()
	if m.MaxStep != 0 || m.MinStep != 0 {
		most := m.MaxStep
		if most == 0 {
			most = math.Inf(1)
		}
		steps = steps.Clamp(m.MinStep, most)
	}
	y := ofParts(parts, func(rows func(*tensor.Tensor) *tensor.Tensor, s *State) *tensor.Tensor {
		return m.read(m.convolution.of(rows(mixed), s).ToDType(tensor.F32), rows(steps), s)
	})
	y = y.Mul(gate.ToDType(tensor.F32).Silu())
	if m.norm != nil {
		n := h.Dim(0)
		y = y.Reshape(n, m.Groups, m.Inner/m.Groups)
		y = y.RmsNorm(y.Device().Ones(tensor.F32, m.Inner/m.Groups), m.Eps).Reshape(n, m.Inner)
		y = y.ToDType(h.DType()).Mul(m.norm)
	}
	if y = m.out.Forward(y.ToDType(h.DType())); m.OutFactor != 0 {
		y = y.Mul(m.OutFactor)
	}
	return y
}

// read is what rows of the convolution [n·texts channels] read of states, which they change, [n·texts inner]. Texts
// are beside each other as heads are.
func (m *mamba2) read(mixed, steps *tensor.Tensor, s *State) *tensor.Tensor {
	rows, size := mixed.Dim(0), m.Inner/m.Heads
	n := rows / s.texts
	x := mixed.Narrow(1, 0, m.Inner).Reshape(rows, m.Heads, size)
	skipped := x.Mul(m.skip.Unsqueeze(1)).Reshape(rows, m.Inner)
	of := func(first int) *tensor.Tensor { // [n texts·groups state]
		return mixed.Narrow(1, first, m.Groups*m.State).Reshape(n, s.texts*m.Groups, m.State)
	}
	writes, reads := of(m.Inner), of(m.Inner+m.Groups*m.State)
	byHead := func(t *tensor.Tensor) *tensor.Tensor { return t.Reshape(n, s.texts*m.Heads) }
	decays := byHead(steps.Mul(m.decay))
	x = x.Reshape(n, s.texts*m.Heads, size).Mul(byHead(steps).Unsqueeze(2))
	y := inParts(n, func(first, n int) *tensor.Tensor {
		part := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, first, n) }
		return m.part(part(x), part(decays), part(writes), part(reads), s)
	})
	return y.Reshape(rows, m.Inner).Add(skipped)
}

// part computes some positions at once, of x [n heads size], times its steps, and the logarithms of decays [n heads]:
// what they read of each other, as attention would, and what they read of the state before. Heads of a group are rows
// of one product.
func (m *mamba2) part(x, decays, writes, reads *tensor.Tensor, s *State) *tensor.Tensor {
	n, heads, size, groups, each := x.Dim(0), x.Dim(1), x.Dim(2), writes.Dim(1), m.Heads/m.Groups
	sums := decays.CumSum(0) // [n heads]
	x = x.Transpose(0, 1)
	writes, reads = writes.Transpose(0, 1), reads.Transpose(0, 1) // [groups n state]
	scores := reads.MatMul(writes.Transpose(1, 2)).Unsqueeze(1)
	weights := decaysBetween(sums).Reshape(groups, each, n, n).Mul(scores).Reshape(heads, n, n)
	y := weights.MatMul(x) // [heads n size]

	state := s.states.Reshape(groups, each*size, m.State)
	before := reads.MatMul(state.Transpose(1, 2)).Reshape(groups, n, each, size).Transpose(1, 2)
	byHead := sums.T()
	y = y.Add(before.Reshape(heads, n, size).Mul(byHead.Exp().Unsqueeze(2)))

	last := byHead.Narrow(1, n-1, 1) // [heads 1]
	x = x.Mul(last.Sub(byHead).Exp().Unsqueeze(2)).Transpose(1, 2).Reshape(groups, each*size, n)
	kept := s.states.Reshape(heads, size*m.State).Mul(last.Exp()).Reshape(groups, each*size, m.State)
	s.states.CopySet(kept.Add(x.MatMul(writes)).Reshape(s.states.Dims()...))
	return y.Transpose(0, 1)
}
