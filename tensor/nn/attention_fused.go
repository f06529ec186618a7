package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/attention"
)

// fusedAttention is Attention by kernels that store no scores, nor anything else of the size of queries times keys, and
// reports whether there are such kernels: on GPUs for F32, F16 and BF16, sizes of up to 256 (see attention.Takes), and
// without a gradient of a mask. The result has the order of dims in memory that q has.
func fusedAttention(q, k, v *tensor.Tensor, f Attend) (*tensor.Tensor, bool) {
	const op = "attention"
	operands := []*tensor.Tensor{q, k, v}
	for _, t := range []*tensor.Tensor{f.Mask, f.Last} {
		if t != nil {
			operands = append(operands, t)
		}
	}
	extend.SameDevice(op, operands...)
	r, ok := attention.On(extend.Backend(q.Device()))
	if !ok || f.Mask != nil && extend.Tracked(f.Mask) || min(q.ElemCount(), k.ElemCount(), v.ElemCount()) == 0 {
		return nil, false
	}
	tracked := extend.Tracked(q) || extend.Tracked(k) || extend.Tracked(v)
	p := f.described(q, k, v)
	if !attention.Takes(q.DType(), &p, tracked) {
		return nil, false
	}
	out, on, ok := f.operands(op, q, k, v, &p)
	if !ok {
		return nil, false
	}
	if !tracked {
		extend.Check(op, q.Device(), r.Forward(on, p))
		return out, true
	}
	state := q.Device().Empty(tensor.F32, attention.StateSize(&p)/4)
	on.State = extend.InMemory(op, state).Store
	extend.Check(op, q.Device(), r.Forward(on, p))
	back := func(g, y *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor {
		if extend.Tracked(g) || slices.ContainsFunc(operands, extend.Tracked) { // they must have gradients themselves
			return composedGradients(g, operands[0], operands[1], operands[2], f)
		}
		return f.fusedGradients(r, g, y, operands, state, p)
	}
	return extend.ByOperations(out, op, operands[:3], back), true
}

// operands are the result and what kernels read; false when the mask does not broadcast.
func (f Attend) operands(op string, q, k, v *tensor.Tensor, p *kernels.Attention) (
	out *tensor.Tensor, on attention.Operands, ok bool,
) {
	mask, ok := f.mask(op, q, p)
	if !ok {
		return nil, on, false
	}
	out = emptyLike(q, v.Dim(3))
	p.Out = attention.FourStrides(extend.Operand(out).Layout)
	return out, attention.Operands{Q: extend.InMemory(op, q), K: extend.InMemory(op, k), V: extend.InMemory(op, v),
		Mask: mask, Out: extend.InMemory(op, out)}, true
}

// fusedGradients are those of q, k and v from g, that of the result y, by kernels.
func (f Attend) fusedGradients(
	r *attention.Runner, g, y *tensor.Tensor, operands []*tensor.Tensor, state *tensor.Tensor, of kernels.Attention,
) []*tensor.Tensor {
	const op = "gradient of attention"
	in := func(t *tensor.Tensor) backend.Operand { return extend.InMemory(op, t) }
	q, k, v := operands[0], operands[1], operands[2]
	mask, _ := f.mask(op, q, &of) // again: it may have been freed
	dq, dk, dv := emptyLike(q, q.Dim(3)), emptyLike(k, k.Dim(3)), emptyLike(v, v.Dim(3))
	on := attention.Operands{Q: in(q), K: in(k), V: in(v), Mask: mask, Out: in(y), State: in(state).Store}
	gs := attention.Gradients{Out: in(g), Q: in(dq), K: in(dk), V: in(dv)}
	p := kernels.AttentionBackward{Of: of, DOut: attention.FourStrides(gs.Out.Layout),
		DQ: attention.FourStrides(gs.Q.Layout), DK: attention.FourStrides(gs.K.Layout),
		DV: attention.FourStrides(gs.V.Layout)}
	extend.Check(op, q.Device(), r.Backward(on, gs, p))
	return []*tensor.Tensor{dq, dk, dv}
}

// described is what kernels are told of the attention, but for the mask and the result.
func (f Attend) described(q, k, v *tensor.Tensor) kernels.Attention {
	p := f.scaled(q.Dim(3))
	p.Batch, p.Heads, p.Groups = int64(q.Dim(0)), int64(q.Dim(1)), int64(k.Dim(1))
	p.Queries, p.Keys, p.Size, p.ValueSize = int64(q.Dim(2)), int64(k.Dim(2)), int64(q.Dim(3)), int64(v.Dim(3))
	p.Q, p.K = attention.FourStrides(extend.Operand(q).Layout), attention.FourStrides(extend.Operand(k).Layout)
	p.V = attention.FourStrides(extend.Operand(v).Layout)
	return p
}

// scaled is what kernels are told of the scores, for queries of so many elements.
func (f Attend) scaled(size int) kernels.Attention {
	scale := f.scale(size)
	p := kernels.Attention{Scale: float32(scale), Softcap: float32(f.Softcap)}
	if f.Softcap != 0 {
		p.Bend = float32(2 * scale / f.Softcap * math.Log2E)
	}
	if f.Causal {
		p.Causal, p.Window = 1, int64(f.Window)
	}
	return p
}

// emptyLike returns memory for rows of so many elements, as many as x has. Heads are adjacent in memory if those of x
// are: then the heads of a position are one row of what comes next.
func emptyLike(x *tensor.Tensor, size int) *tensor.Tensor {
	shape := []int{x.Dim(0), x.Dim(1), x.Dim(2), size}
	strides := extend.Operand(x).Layout.Strides
	transposed := strides[1] < strides[2]
	if transposed {
		shape[1], shape[2] = shape[2], shape[1]
	}
	y := x.Device().Empty(x.DType(), shape...)
	if transposed {
		y = y.Transpose(1, 2)
	}
	return y
}

// mask returns the operand that hides keys, nil for none, and describes it in p. It reports false when the mask does
// not broadcast.
func (f Attend) mask(op string, q *tensor.Tensor, p *kernels.Attention) (mask *backend.Operand, ok bool) {
	if f.Last != nil {
		if f.Mask != nil || f.Last.DType() != tensor.U32 || f.Last.ElemCount() != 1 {
			extend.Shape(op, []*tensor.Tensor{q, f.Last},
				"want the place of the last key as U32 of one element, and no mask beside it")
		}
		p.Masked = 3
		o := extend.InMemory(op, f.Last)
		return &o, true
	}
	if f.Mask == nil {
		return nil, true
	}
	m := f.Mask
	p.Masked = 1
	if m.DType().Stored() != tensor.U8 {
		p.Masked, m = 2, m.ToDType(tensor.F32)
	}
	o := extend.InMemory(op, m)
	l, fits := o.Layout.Broadcast([]int{int(p.Batch), int(p.Heads), int(p.Queries), int(p.Keys)})
	if !fits {
		return nil, false
	}
	p.Mask = attention.FourStrides(l)
	return &backend.Operand{Store: o.Store, DType: o.DType, Layout: l}, true
}
