package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// LSTM is a layer of long short-term memory. The weights have the rows of the gates i, f, g and o, in this order, as in
// PyTorch.
type LSTM struct {
	WeightIH, WeightHH *tensor.Tensor // [4·hidden inputs] and [4·hidden hidden]
	BiasIH, BiasHH     *tensor.Tensor // [4·hidden]; nil for none
}

// NewLSTM takes the weights and biases of a layer from p, under PyTorch's names: weight_ih_l0 and so on for layer l0;
// the backward direction is l0_reverse, for which the caller flips the steps. They begin uniform within 1/√hidden.
func NewLSTM(inputs, hidden int, layer string, p *Params) *LSTM {
	l := &LSTM{}
	l.WeightIH, l.WeightHH, l.BiasIH, l.BiasHH = recurrent(4, inputs, hidden, layer, p)
	return l
}

// recurrent takes the parameters of a layer with so many gates from p.
func recurrent(gates, inputs, hidden int, layer string, p *Params) (ih, hh, biasIH, biasHH *tensor.Tensor) {
	begin, rows := within(hidden), gates*hidden
	return p.Get("weight_ih_"+layer, []int{rows, inputs}, begin), p.Get("weight_hh_"+layer, []int{rows, hidden}, begin),
		p.Get("bias_ih_"+layer, []int{rows}, begin), p.Get("bias_hh_"+layer, []int{rows}, begin)
}

// LSTMState is what an LSTM carries from step to step: H is its output and C its memory, both [batch hidden].
type LSTMState struct{ H, C *tensor.Tensor }

// ZeroState returns the state before the first step.
func (l *LSTM) ZeroState(batch int) LSTMState {
	zeros := l.WeightHH.Device().Zeros(l.WeightHH.DType(), batch, l.WeightHH.Dim(1))
	return LSTMState{zeros, zeros}
}

// Step takes one input [batch inputs]. It panics with ErrShape for other shapes.
func (l *LSTM) Step(x *tensor.Tensor, s LSTMState) LSTMState {
	stepping("lstm", x, 2, l.WeightIH, s.H, s.C)
	return l.step(gated(x, l.WeightIH, l.BiasIH), s)
}

// step computes the next state from the gates' inputs, [batch 4·hidden].
func (l *LSTM) step(from *tensor.Tensor, s LSTMState) LSTMState {
	gates := from.Add(gated(s.H, l.WeightHH, l.BiasHH)).Chunk(4, 1)
	c := gates[1].Sigmoid().Mul(s.C).Add(gates[0].Sigmoid().Mul(gates[2].Tanh()))
	return LSTMState{gates[3].Sigmoid().Mul(c.Tanh()), c}
}

// Seq takes the inputs [batch steps inputs] one after the other, from s on, and returns the state after each. It panics
// with ErrShape for other shapes.
func (l *LSTM) Seq(x *tensor.Tensor, s LSTMState) []LSTMState {
	stepping("lstm", x, 3, l.WeightIH, s.H, s.C)
	states := make([]LSTMState, 0, x.Dim(1))
	from := gated(x, l.WeightIH, l.BiasIH) // for all steps in one product
	for i := range x.Dim(1) {
		s = l.step(from.GetOnDim(1, i), s)
		states = append(states, s)
	}
	return states
}

// RNN is a layer of Elman's recurrent units: the next state is tanh(x·WeightIHᵀ + BiasIH + h·WeightHHᵀ + BiasHH).
type RNN struct {
	WeightIH, WeightHH *tensor.Tensor // [hidden inputs] and [hidden hidden]
	BiasIH, BiasHH     *tensor.Tensor // [hidden]; nil for none
	Relu               bool           // the state is not negative: max(0, …) in place of tanh
}

// NewRNN takes the weights and biases of a layer from p, under PyTorch's names, as NewLSTM does.
func NewRNN(inputs, hidden int, layer string, p *Params) *RNN {
	r := &RNN{}
	r.WeightIH, r.WeightHH, r.BiasIH, r.BiasHH = recurrent(1, inputs, hidden, layer, p)
	return r
}

// ZeroState returns the state before the first step, [batch hidden].
func (r *RNN) ZeroState(batch int) *tensor.Tensor {
	return r.WeightHH.Device().Zeros(r.WeightHH.DType(), batch, r.WeightHH.Dim(1))
}

// Step takes one input [batch inputs] and returns the next state. It panics with ErrShape for other shapes.
func (r *RNN) Step(x, h *tensor.Tensor) *tensor.Tensor {
	stepping("rnn", x, 2, r.WeightIH, h)
	return r.step(gated(x, r.WeightIH, r.BiasIH), h)
}

func (r *RNN) step(from, h *tensor.Tensor) *tensor.Tensor {
	y := from.Add(gated(h, r.WeightHH, r.BiasHH))
	if r.Relu {
		return y.Relu()
	}
	return y.Tanh()
}

// Seq takes the inputs [batch steps inputs] one after the other, from h on, and returns the state after each. It panics
// with ErrShape for other shapes.
func (r *RNN) Seq(x, h *tensor.Tensor) []*tensor.Tensor {
	stepping("rnn", x, 3, r.WeightIH, h)
	states := make([]*tensor.Tensor, 0, x.Dim(1))
	from := gated(x, r.WeightIH, r.BiasIH) // for all steps in one product
	for i := range x.Dim(1) {
		h = r.step(from.GetOnDim(1, i), h)
		states = append(states, h)
	}
	return states
}

// GRU is a layer of gated recurrent units. The weights have the rows of the gates r, z and n, in this order, as in
// PyTorch.
type GRU struct {
	WeightIH, WeightHH *tensor.Tensor // [3·hidden inputs] and [3·hidden hidden]
	BiasIH, BiasHH     *tensor.Tensor // [3·hidden]; nil for none
}

// NewGRU takes the weights and biases of a layer from p, under PyTorch's names, as NewLSTM does.
func NewGRU(inputs, hidden int, layer string, p *Params) *GRU {
	g := &GRU{}
	g.WeightIH, g.WeightHH, g.BiasIH, g.BiasHH = recurrent(3, inputs, hidden, layer, p)
	return g
}

// ZeroState returns the state before the first step, [batch hidden].
func (g *GRU) ZeroState(batch int) *tensor.Tensor {
	return g.WeightHH.Device().Zeros(g.WeightHH.DType(), batch, g.WeightHH.Dim(1))
}

// Step takes one input [batch inputs] and returns the next state. It panics with ErrShape for other shapes.
func (g *GRU) Step(x, h *tensor.Tensor) *tensor.Tensor {
	stepping("gru", x, 2, g.WeightIH, h)
	return g.step(gated(x, g.WeightIH, g.BiasIH), h)
}

// step computes the next state from the gates' inputs, [batch 3·hidden].
func (g *GRU) step(x, h *tensor.Tensor) *tensor.Tensor {
	from, back := x.Chunk(3, 1), gated(h, g.WeightHH, g.BiasHH).Chunk(3, 1)
	r, z := from[0].Add(back[0]).Sigmoid(), from[1].Add(back[1]).Sigmoid()
	n := from[2].Add(r.Mul(back[2])).Tanh()
	return n.Add(z.Mul(h.Sub(n)))
}

// Seq takes the inputs [batch steps inputs] one after the other, from h on, and returns the state after each. It panics
// with ErrShape for other shapes.
func (g *GRU) Seq(x, h *tensor.Tensor) []*tensor.Tensor {
	stepping("gru", x, 3, g.WeightIH, h)
	states := make([]*tensor.Tensor, 0, x.Dim(1))
	from := gated(x, g.WeightIH, g.BiasIH) // for all steps in one product
	for i := range x.Dim(1) {
		h = g.step(from.GetOnDim(1, i), h)
		states = append(states, h)
	}
	return states
}

// stepping panics when inputs of a rank, [batch inputs] or [batch steps inputs], do not fit the weights, or a state
// does not fit them.
func stepping(op string, x *tensor.Tensor, rank int, weight *tensor.Tensor, state ...*tensor.Tensor) {
	form := "[batch inputs]"
	if rank == 3 {
		form = "[batch steps inputs]"
	}
	if x.Rank() != rank || x.Dim(-1) != weight.Dim(1) {
		extend.Shape(op, []*tensor.Tensor{x, weight}, "want %s with %d inputs, not shape %v", form, weight.Dim(1),
			x.Dims())
	}
	for _, h := range state {
		if h == nil {
			extend.Shape(op, []*tensor.Tensor{x}, "the state is nil; ZeroState(%d) is the one to begin with", x.Dim(0))
		}
		if h.Rank() != 2 || h.Dim(0) != x.Dim(0) {
			extend.Shape(op, []*tensor.Tensor{x, h}, "want a state for a batch of %d, not one of shape %v", x.Dim(0),
				h.Dims())
		}
	}
}

// gated is x·weightᵀ + bias.
func gated(x, weight, bias *tensor.Tensor) *tensor.Tensor {
	y := x.MatMul(weight.T())
	if bias != nil {
		y = y.Add(bias)
	}
	return y
}
