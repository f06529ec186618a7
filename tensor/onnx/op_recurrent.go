package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

const recurrentAttrs = "activation_alpha activation_beta activations clip direction hidden_size layout "

var recurrentOps = []operator{
	{name: "GRU", attrs: recurrentAttrs + "linear_before_reset", in: [2]int{3, 6}, unfolded: true, run: recurrent(gru)},
	{name: "LSTM", attrs: recurrentAttrs + "input_forget", in: [2]int{3, 8}, unfolded: true, run: recurrent(lstm)},
	{name: "RNN", attrs: recurrentAttrs, in: [2]int{3, 6}, unfolded: true, run: recurrent(rnn)},
}

// cell is a layer in one direction.
type cell struct {
	c           *call
	w, r, b     *tensor.Tensor // [gates·hidden inputs], [gates·hidden hidden], [2·gates·hidden] or nil
	peephole    *tensor.Tensor // [3·hidden] or nil
	activations []func(x *tensor.Tensor) *tensor.Tensor
	hidden      int
	clip        float64
}

// kind is one of the three layers: how many gates it has, its activations, and what a step does to its state. xw is
// what the gates take from the input, [batch gates·hidden].
type kind struct {
	gates    int
	defaults []string
	step     func(l *cell, xw, h, state *tensor.Tensor) (newH, newState *tensor.Tensor)
}

var (
	rnn  = kind{1, []string{"Tanh"}, (*cell).rnnStep}
	gru  = kind{3, []string{"Sigmoid", "Tanh"}, (*cell).gruStep}
	lstm = kind{4, []string{"Sigmoid", "Tanh", "Tanh"}, (*cell).lstmStep}
)

// recurrent runs a layer over all steps, forward, in reverse or both. Its outputs are those of all steps [steps
// directions batch hidden], and the last state, of each batch at its own length.
func recurrent(k kind) func(c *call) tensors {
	return func(c *call) tensors {
		x := c.x(0)
		if x.Rank() != 3 {
			c.fail("the input has %d dims, and [steps batch inputs] are needed", x.Rank())
		}
		batchFirst := c.int("layout", 0) != 0
		if batchFirst {
			x = x.Transpose(0, 1)
		}
		direction := c.text("direction", "forward")
		directions := 1
		if direction == "bidirectional" {
			directions = 2
		} else if direction != "forward" && direction != "reverse" {
			c.fail("there is no direction %q", direction)
		}
		var ys, hs, states tensors
		for d := range directions {
			l := c.cell(k, d, directions)
			y, h, state := l.run(k, x, d, direction == "reverse" || d == 1, batchFirst)
			ys, hs, states = append(ys, y), append(hs, h), append(states, state)
		}
		y, h := tensor.Stack(ys, 1), tensor.Stack(hs, 0)
		out := tensors{y, h}
		if k.gates == 4 {
			out = append(out, tensor.Stack(states, 0))
		}
		if batchFirst { // [batch steps directions hidden], [batch directions hidden]
			out[0] = y.Permute(2, 0, 1, 3)
			for i := range out[1:] {
				out[1+i] = out[1+i].Transpose(0, 1)
			}
		}
		return out
	}
}

// cell reads the parameters of one direction.
func (c *call) cell(k kind, d, directions int) *cell {
	w, r := c.x(1), c.x(2)
	if w.Rank() != 3 || r.Rank() != 3 || w.Dim(0) != directions || r.Dim(0) != directions ||
		r.Dim(1) != k.gates*r.Dim(2) || w.Dim(1) != r.Dim(1) {
		c.fail("the weights have the shapes %s and %s, which are not those of %d gates in %d directions", shapeText(w.Dims()),
			shapeText(r.Dims()), k.gates, directions)
	}
	l := &cell{c: c, w: w.Get(d), r: r.Get(d), hidden: r.Dim(2), clip: c.float("clip", 0)}
	if size := c.int("hidden_size", l.hidden); size != l.hidden {
		c.fail("hidden_size is %d, and the weights have %d", size, l.hidden)
	}
	if b := c.opt(3); b != nil {
		l.b = b.Get(d)
	}
	if k.gates == 4 && c.has(7) {
		l.peephole = c.x(7).Get(d)
	}
	names := slices.Concat(k.defaults, k.defaults)
	if a := c.attrs["activations"]; a != nil {
		names = a.strings
	}
	n := len(k.defaults)
	if len(names) < n*directions {
		c.fail("there are %d activations for %d directions", len(names), directions)
	}
	// numbers are for the activations that take some, in their order
	alphas, betas := c.numbers("activation_alpha"), c.numbers("activation_beta")
	for i, name := range names[:n*directions] {
		f := c.activation(name, &alphas, &betas)
		if i/n == d {
			l.activations = append(l.activations, f)
		}
	}
	return l
}

func (c *call) numbers(attr string) (list []float64) {
	if a := c.attrs[attr]; a != nil {
		for _, v := range a.floats {
			list = append(list, float64(v))
		}
	}
	return list
}

// activation returns a function by its name. It takes the numbers that it needs from the lists.
func (c *call) activation(name string, alphas, betas *[]float64) func(x *tensor.Tensor) *tensor.Tensor {
	take := func(list *[]float64, other float64) float64 {
		if len(*list) == 0 {
			return other
		}
		v := (*list)[0]
		*list = (*list)[1:]
		return v
	}
	switch name {
	case "Sigmoid":
		return (*tensor.Tensor).Sigmoid
	case "Tanh":
		return (*tensor.Tensor).Tanh
	case "Relu":
		return (*tensor.Tensor).Relu
	case "Softsign":
		return softsign
	case "Softplus":
		return (*tensor.Tensor).Softplus
	case "Elu":
		a := take(alphas, 1)
		return func(x *tensor.Tensor) *tensor.Tensor { return x.Elu(a) }
	case "LeakyRelu":
		a := take(alphas, 0.01)
		return func(x *tensor.Tensor) *tensor.Tensor { return nn.LeakyRelu(x, a) }
	case "ThresholdedRelu":
		a := take(alphas, 1)
		return func(x *tensor.Tensor) *tensor.Tensor { return x.Gt(a).WhereCond(x, 0) }
	case "Affine":
		a, b := take(alphas, 1), take(betas, 0)
		return func(x *tensor.Tensor) *tensor.Tensor { return x.Affine(a, b) }
	case "HardSigmoid":
		a, b := take(alphas, 0.2), take(betas, 0.5)
		return func(x *tensor.Tensor) *tensor.Tensor { return x.Affine(a, b).Clamp(0, 1) }
	case "ScaledTanh":
		a, b := take(alphas, 1), take(betas, 1)
		return func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(b).Tanh().Mul(a) }
	}
	c.fail("there is no activation %q", name)
	return nil
}

// run takes the steps of one direction. Beyond the length of a batch its state stays and its outputs are 0.
func (l *cell) run(k kind, x *tensor.Tensor, d int, reverse, batchFirst bool) (y, h, state *tensor.Tensor) {
	c := l.c
	steps, batch := x.Dim(0), x.Dim(1)
	h, state = l.initial(5, d, x, batchFirst), l.initial(6, d, x, batchFirst)
	lengths := c.opt(4)
	if lengths != nil {
		if lengths.Rank() != 1 || lengths.Dim(0) != batch {
			c.fail("sequence_lens has the shape %s for %d batches", shapeText(lengths.Dims()), batch)
		}
		lengths = lengths.ToDType(tensor.I64)
	}
	if reverse {
		x = reverseTime(x, lengths)
	}
	xw := x.Reshape(steps*batch, x.Dim(2)).MatMul(l.w.T())
	n := k.gates * l.hidden
	if l.b != nil {
		xw = xw.Add(l.b.Narrow(0, 0, n))
	}
	xw = xw.Reshape(steps, batch, n)
	outs := make(tensors, steps)
	for t := range steps {
		newH, newState := k.step(l, xw.Get(t), h, state)
		outs[t] = newH
		if lengths != nil {
			active := lengths.Gt(t).Unsqueeze(1)
			outs[t] = active.WhereCond(newH, 0)
			newH, newState = active.WhereCond(newH, h), active.WhereCond(newState, state)
		}
		h, state = newH, newState
	}
	if steps == 0 {
		return c.dev.Zeros(x.DType(), 0, batch, l.hidden), h, state
	}
	if y = tensor.Stack(outs, 0); reverse {
		y = reverseTime(y, lengths)
	}
	return y, h, state
}

// reverseTime reverses the steps of a tensor [steps batch …], of each batch its own.
func reverseTime(x, lengths *tensor.Tensor) *tensor.Tensor {
	if lengths == nil {
		return x.Flip(0)
	}
	return reversed(x, lengths, 1, 0)
}

// initial is the state before the first step, 0 if it is left out.
func (l *cell) initial(i, d int, x *tensor.Tensor, batchFirst bool) *tensor.Tensor {
	t := l.c.opt(i)
	if t == nil {
		return l.c.dev.Zeros(x.DType(), x.Dim(1), l.hidden)
	}
	if batchFirst {
		t = t.Transpose(0, 1)
	}
	return t.Get(d)
}

// gate is a part of the sums of all gates.
func (l *cell) gate(x *tensor.Tensor, i int) *tensor.Tensor {
	return x.Narrow(-1, i*l.hidden, l.hidden)
}

// bounded is what enters activation i, which clip bounds.
func (l *cell) activate(i int, x *tensor.Tensor) *tensor.Tensor {
	if l.clip > 0 {
		x = x.Clamp(-l.clip, l.clip)
	}
	return l.activations[i](x)
}

// recurrentSums is h·Rᵀ plus the bias of R.
func (l *cell) recurrentSums(h *tensor.Tensor) *tensor.Tensor {
	y := h.MatMul(l.r.T())
	if l.b != nil {
		n := l.r.Dim(0)
		y = y.Add(l.b.Narrow(0, n, n))
	}
	return y
}

func (l *cell) rnnStep(xw, h, state *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
	return l.activate(0, xw.Add(l.recurrentSums(h))), state
}

// gruStep has the gates z (update), r (reset) and h (new).
func (l *cell) gruStep(xw, h, state *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
	var z, r, fresh *tensor.Tensor
	if l.c.int("linear_before_reset", 0) != 0 {
		sums := l.recurrentSums(h)
		z = l.activate(0, l.gate(xw, 0).Add(l.gate(sums, 0)))
		r = l.activate(0, l.gate(xw, 1).Add(l.gate(sums, 1)))
		fresh = l.activate(1, l.gate(xw, 2).Add(r.Mul(l.gate(sums, 2))))
	} else {
		part := func(h *tensor.Tensor, i int) *tensor.Tensor {
			y := h.MatMul(l.r.Narrow(0, i*l.hidden, l.hidden).T())
			if l.b != nil {
				y = y.Add(l.b.Narrow(0, (3+i)*l.hidden, l.hidden))
			}
			return y.Add(l.gate(xw, i))
		}
		z, r = l.activate(0, part(h, 0)), l.activate(0, part(h, 1))
		fresh = l.activate(1, part(r.Mul(h), 2))
	}
	return fresh.Add(z.Mul(h.Sub(fresh))), state
}

// lstmStep has the gates i (input), o (output), f (forget) and c (cell), and peepholes of i, o and f.
func (l *cell) lstmStep(xw, h, state *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
	sums := xw.Add(l.recurrentSums(h))
	peep := func(x *tensor.Tensor, i int, state *tensor.Tensor) *tensor.Tensor {
		if l.peephole == nil {
			return x
		}
		return x.Add(state.Mul(l.peephole.Narrow(0, i*l.hidden, l.hidden)))
	}
	i := l.activate(0, peep(l.gate(sums, 0), 0, state))
	var f *tensor.Tensor
	if l.c.int("input_forget", 0) != 0 {
		f = i.Affine(-1, 1)
	} else {
		f = l.activate(0, peep(l.gate(sums, 2), 2, state))
	}
	next := f.Mul(state).Add(i.Mul(l.activate(1, l.gate(sums, 3))))
	o := l.activate(0, peep(l.gate(sums, 1), 1, next))
	return o.Mul(l.activations[2](next)), next
}
