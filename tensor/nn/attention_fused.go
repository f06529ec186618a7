package nn

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// fusedAttention is Attention by one kernel that stores no scores, and reports whether there is such a kernel: on GPUs
// for F32, F16 and BF16, sizes of up to 128 (256 for few queries), and without gradients. The result has the order of
// dims in memory that q has.
func fusedAttention(q, k, v *tensor.Tensor, f Attend) (*tensor.Tensor, bool) {
	const op = "attention"
	operands := []*tensor.Tensor{q, k, v}
	for _, t := range []*tensor.Tensor{f.Mask, f.Last} {
		if t != nil {
			operands = append(operands, t)
		}
	}
	for _, t := range operands {
		if extend.Tracked(t) {
			return nil, false
		}
	}
	extend.SameDevice(op, operands...)
	b, ok := extend.Backend(q.Device()).(backend.Attender)
	if !ok || k.DType() != q.DType() || v.DType() != q.DType() ||
		min(q.ElemCount(), k.ElemCount(), v.ElemCount()) == 0 {
		return nil, false
	}
	batch, heads, queries, valueSize := q.Dim(0), q.Dim(1), q.Dim(2), v.Dim(3)
	qs := extend.Operand(q).Layout
	p := kernels.Attention{
		Batch: int64(batch), Heads: int64(heads), Groups: int64(k.Dim(1)), Queries: int64(queries),
		Keys: int64(k.Dim(2)), Size: int64(q.Dim(3)), ValueSize: int64(valueSize),
		Q: fourStrides(qs), K: fourStrides(extend.Operand(k).Layout), V: fourStrides(extend.Operand(v).Layout),
		Softcap: float32(f.Softcap),
	}
	if f.Scale == 0 {
		f.Scale = 1 / math.Sqrt(float64(q.Dim(3)))
	}
	p.Scale = float32(f.Scale)
	if f.Softcap != 0 {
		p.Bend = float32(2 * f.Scale / f.Softcap * math.Log2E)
	}
	if f.Causal {
		p.Causal, p.Window = 1, int64(f.Window)
	}
	if !b.Attends(q.DType(), &p) {
		return nil, false
	}
	mask, ok := f.mask(op, q, &p)
	if !ok {
		return nil, false
	}
	// The heads of a query are adjacent in memory if those of q are: then they are the rows of what comes next.
	shape := []int{batch, heads, queries, valueSize}
	transposed := qs.Strides[1] < qs.Strides[2]
	if transposed {
		shape[1], shape[2] = shape[2], shape[1]
	}
	out := tensor.Empty(shape, q.DType(), q.Device())
	if transposed {
		out = out.Transpose(1, 2)
	}
	p.Out = fourStrides(extend.Operand(out).Layout)
	extend.Check(op, q.Device(), b.Attention(extend.InMemory(op, q), extend.InMemory(op, k), extend.InMemory(op, v),
		mask, extend.InMemory(op, out), p))
	return out, true
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
	p.Mask = fourStrides(l)
	return &backend.Operand{Store: o.Store, DType: o.DType, Layout: l}, true
}

// fourStrides are the strides of a layout of rank 4, 0 for dims of size 1: theirs mean nothing, and may be any number.
func fourStrides(l backend.Layout) (s [4]int64) {
	for i, n := range l.Strides {
		if l.Shape[i] > 1 {
			s[i] = int64(n)
		}
	}
	return s
}
