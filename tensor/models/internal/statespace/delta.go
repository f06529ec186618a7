package statespace

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// delta is a layer of the gated delta rule (Yang et al., "Gated Delta Networks: Improving Mamba2 with Delta Rule",
// 2024). The state of a head decays, and a key changes what the state gives for it towards the value.
type delta struct {
	*Config
	in []*nn.Linear // queries, keys, values and gates, of a group after the other; or in several products
	// of corrections and decays, of a group after the other; or in two products
	rates []*nn.Linear
	out   *nn.Linear
	convolution
	stepBias, decay *tensor.Tensor // F32 [heads]
	norm            *tensor.Tensor // F32 [inner/heads]
}

func newDelta(c *Config, p *nn.Params, n *names) *delta {
	mixed := c.channels()
	m := &delta{Config: c}
	take := func(outputs int, name string) *nn.Linear { return linear(p, name, c.Dim, outputs, false) }
	switch {
	case n.gguf && p.Has("attn_qkv.weight"):
		m.in = []*nn.Linear{take(mixed, "attn_qkv"), take(c.Inner, "attn_gate")}
	case n.gguf:
		m.in = []*nn.Linear{take(mixed+c.Inner, n.in)}
	case p.Has("in_proj_qkv.weight"):
		m.in = []*nn.Linear{take(mixed, "in_proj_qkv"), take(c.Inner, "in_proj_z")}
	default:
		m.in = []*nn.Linear{take(mixed+c.Inner, "in_proj_qkvz")}
	}
	switch {
	case n.gguf && p.Has("ssm_alpha.weight"):
		m.rates = []*nn.Linear{take(c.Heads, "ssm_beta"), take(c.Heads, "ssm_alpha")}
	case n.gguf:
		m.rates = []*nn.Linear{take(2*c.Heads, "ssm_ba")}
	case p.Has("in_proj_b.weight"):
		m.rates = []*nn.Linear{take(c.Heads, "in_proj_b"), take(c.Heads, "in_proj_a")}
	default:
		m.rates = []*nn.Linear{take(2*c.Heads, "in_proj_ba")}
	}
	m.convolution, m.stepBias = newConvolution(c, p, n), wide(p, n.stepBias, c.Heads)
	m.decay, m.norm = n.decays(p, c.Heads), wide(p, n.norm, c.Inner/c.Heads)
	m.out = linear(p, n.out, c.Inner, c.Dim, false)
	return m
}

// Packed implements Layer.
func (m *delta) Packed(pack func(*nn.Linear) *nn.Linear) Layer {
	l := *m
	l.in = nil
	for _, w := range m.in {
		l.in = append(l.in, pack(w))
	}
	l.out = pack(m.out)
	return &l
}

// grouped are the parts of rows [n groups·sizes] that are beside each other in each group, as rows [n groups·size].
func (m *delta) grouped(x *tensor.Tensor, sizes ...int) (parts []*tensor.Tensor) {
	n := x.Dim(0)
	x = x.Reshape(n, m.Groups, x.Dim(1)/m.Groups)
	first := 0
	for _, size := range sizes {
		parts = append(parts, x.Narrow(2, first, size).Reshape(n, m.Groups*size))
		first += size
	}
	return parts
}

// products are what the convolution reads [n channels], the gates [n inner], and the rates of corrections and decays
// [n heads].
func (m *delta) products(h *tensor.Tensor) (mixed, gate, corrections, decays *tensor.Tensor) {
	mixed, corrections = m.in[0].Forward(h), m.rates[0].Forward(h)
	if len(m.in) == 2 {
		gate = m.in[1].Forward(h)
	} else {
		values := m.Inner / m.Groups
		p := m.grouped(mixed, m.State, m.State, values, values)
		mixed, gate = tensor.Cat(p[:3], 1), p[3]
	}
	if len(m.rates) == 2 {
		return mixed, gate, corrections, m.rates[1].Forward(h)
	}
	p := m.grouped(corrections, m.Heads/m.Groups, m.Heads/m.Groups)
	return mixed, gate, p[0], p[1]
}

// Of implements Layer.
func (m *delta) Of(h *tensor.Tensor, parts []Part) *tensor.Tensor {
	n, size := h.Dim(0), m.Inner/m.Heads
	mixed, gate, corrections, decays := m.products(h)
	rates := corrections.ToDType(tensor.F32).Sigmoid()
	steps := decays.ToDType(tensor.F32).Add(m.stepBias).Softplus().Mul(m.decay)
	y := ofParts(parts, func(rows func(*tensor.Tensor) *tensor.Tensor, s *State) *tensor.Tensor {
		return m.read(m.convolution.of(rows(mixed), s).ToDType(tensor.F32), rows(rates), rows(steps), s)
	})
	y = y.RmsNorm(m.norm, m.Eps).Mul(gate.ToDType(tensor.F32).Silu().Reshape(n, m.Heads, size))
	return m.out.Forward(y.Reshape(n, m.Inner).ToDType(h.DType()))
}

// read is what rows of the convolution [n·texts channels] read of states, which they change, [n·texts heads size].
// Texts are beside each other as heads are.
func (m *delta) read(mixed, rates, steps *tensor.Tensor, s *State) *tensor.Tensor {
	rows, size, keys, heads := mixed.Dim(0), m.Inner/m.Heads, m.Groups*m.State, s.texts*m.Heads
	n := rows / s.texts
	byHead := func(t *tensor.Tensor) *tensor.Tensor { // [heads n …]
		return t.Reshape(n, heads, t.ElemCount()/(n*heads)).Transpose(0, 1)
	}
	of := func(first int) *tensor.Tensor { // [heads n state], of length 1
		x := mixed.Narrow(1, first, keys).Reshape(rows, m.Groups, m.State)
		x = x.Div(x.Sqr().SumKeepDim(2).Add(1e-6).Sqrt())
		if m.InTurns {
			return byHead(x.Repeat(1, m.Heads/m.Groups, 1))
		}
		return byHead(x.RepeatInterleave(m.Heads/m.Groups, 1))
	}
	queries, written := of(0).Mul(1/math.Sqrt(float64(m.State))), of(keys)
	values, corrections := byHead(mixed.Narrow(1, 2*keys, m.Inner)), byHead(rates)
	steps = steps.Reshape(n, heads)
	y := inParts(n, func(first, n int) *tensor.Tensor {
		part := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(1, first, n) }
		return m.part(part(queries), part(written), part(values), part(corrections), steps.Narrow(0, first, n), s)
	})
	return y.Reshape(rows, m.Heads, size)
}

// part computes some positions at once, [heads n …] each: each value is first corrected by what the state gave for its
// key before, to which the values of the part between have added.
func (m *delta) part(queries, keys, values, rates, steps *tensor.Tensor, s *State) *tensor.Tensor {
	n := steps.Dim(0)
	sums := steps.CumSum(0) // [n heads]
	byHead, between := sums.T(), decaysBetween(sums)
	since := byHead.Exp().Unsqueeze(2) // [heads n 1]
	state := s.states.Reshape(byHead.Dim(0), m.Inner/m.Heads, m.State)
	given := func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(since).MatMul(state.Transpose(1, 2)) }

	added := values.Sub(given(keys)).Mul(rates)
	if n > 1 {
		added = inverse(keys.MatMul(keys.Transpose(1, 2)).Mul(between).Mul(rates)).MatMul(added)
	}
	y := given(queries).Add(queries.MatMul(keys.Transpose(1, 2)).Mul(between).MatMul(added))

	last := byHead.Narrow(1, n-1, 1) // [heads 1]
	left := keys.Mul(last.Sub(byHead).Exp().Unsqueeze(2))
	kept := state.Mul(last.Exp().Unsqueeze(2)).Add(added.Transpose(1, 2).MatMul(left))
	s.states.CopySet(kept.Reshape(s.states.Dims()...))
	return y.Transpose(0, 1) // [n heads size]
}

// inverse is that of matrices [heads n n] with ones in the place of their diagonals, and nothing above: of blocks of
// one row, then of blocks that two of those make.
func inverse(lower *tensor.Tensor) *tensor.Tensor {
	n, dev := lower.Dim(1), lower.Device()
	y := dev.Eye(tensor.F32, n).Unsqueeze(0).BroadcastAs(lower.Dims()...)
	for size := 1; size < n; size *= 2 {
		below := make([]float32, n*n)
		for i := range n {
			for j := range i {
				if i/size%2 == 1 && j/size == i/size-1 {
					below[i*n+j] = 1
				}
			}
		}
		y = y.Sub(y.MatMul(lower.Mul(dev.FromSlice(below, n, n))).MatMul(y))
	}
	return y
}
