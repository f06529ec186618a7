package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/attention"
)

// withSinks is Attention with a sink for each head. Kernels compute it without sinks, and with the sums of exponentials
// from which gradients begin; a result is then divided by what the sink adds to its sum. These are the kernels for many
// queries, also of few.
func (a Attend) withSinks(q, k, v *tensor.Tensor) *tensor.Tensor {
	const op = "attention"
	operands := []*tensor.Tensor{q, k, v, a.Sinks}
	for _, t := range []*tensor.Tensor{a.Mask, a.Last} {
		if t != nil {
			operands = append(operands, t)
		}
	}
	extend.SameDevice(op, operands...)
	tracked := false
	for _, t := range operands {
		tracked = tracked || extend.Tracked(t)
	}
	r, ok := attention.On(extend.Backend(q.Device()))
	p := a.described(q, k, v)
	if !ok || tracked || min(q.ElemCount(), k.ElemCount(), v.ElemCount()) == 0 ||
		!attention.Takes(q.DType(), &p, true) {
		return composedAttention(q, k, v, a)
	}
	y, on, ok := a.operands(op, q, k, v, &p)
	if !ok {
		return composedAttention(q, k, v, a)
	}
	state := q.Device().Empty(tensor.F32, attention.StateSize(&p)/4)
	on.State = extend.InMemory(op, state).Store
	extend.Check(op, q.Device(), r.Forward(on, p))
	rows := q.Dim(0) * q.Dim(1) * q.Dim(2)
	of := func(first int) *tensor.Tensor { // by heads of a position, as the result mostly is in memory
		return state.Narrow(0, first, rows).Reshape(q.Dim(0), q.Dim(1), q.Dim(2), 1).Transpose(1, 2)
	}
	greatest, inverse := of(0), of(rows) // the greatest score, as an exponent of two; one over the sum
	sinks := a.Sinks.ToDType(tensor.F32).Reshape(1, 1, q.Dim(1), 1).Mul(math.Log2E)
	part := sinks.Sub(greatest).Mul(math.Ln2).Exp().Mul(inverse).Add(1).Recip()
	y = y.Transpose(1, 2)
	y = y.Mul(part.ToDType(y.DType()))
	if !a.allSee(q.Dim(2), k.Dim(2)) { // others attend to the sink alone, and are NaN so far
		y = inverse.Eq(0).WhereCond(0, y)
	}
	return y.Transpose(1, 2)
}

// allSee reports whether every query sees a key.
func (a Attend) allSee(queries, keys int) bool {
	return a.Mask == nil && a.Last == nil && (!a.Causal || queries <= keys)
}

// weightsWithSinks is softmax(scores) with the sinks as the scores of one more key.
func (a Attend) weightsWithSinks(scores *tensor.Tensor) *tensor.Tensor {
	d := scores.Dims()
	sinks := a.Sinks.ToDType(scores.DType()).Reshape(1, d[1], 1, 1).BroadcastAs(d[0], d[1], d[2], 1)
	return tensor.Cat([]*tensor.Tensor{scores, sinks}, 3).Softmax(3).Narrow(3, 0, d[3])
}
