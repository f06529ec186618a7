package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// AttentionForm says how queries attend to keys. The zero value is plain attention: all keys, scaled by 1/√size. It is
// nn.Attend, too.
type AttentionForm struct {
	Scale  float64 // the factor of the products of queries and keys; 0 is 1/√size
	Causal bool    // a query sees the keys up to its own position; the last query is at the position of the last key
	Window int     // with Causal, how many keys a query sees at most, its own among them; 0 is all
	// Mask broadcasts to [batch heads queries keys]: Bool, where true hides a key, or floats, which are added.
	Mask *Tensor
	// Last is the position of the last key, U32 of shape [1] on the device: later keys are hidden; not with a Mask.
	Last    *Tensor
	Softcap float64 // bounds the scaled products to ±Softcap, as cap·tanh(x/cap); 0 is not a cap
}

// FusedAttention returns softmax(q·kᵀ·scale)·v for q [batch heads queries size], k [batch groups keys size] and v
// [batch groups keys size'], computed by one kernel that stores no scores, and whether there is such a kernel: on
// GPUs for F32, F16 and BF16, sizes of up to 128 (256 for few queries), and without gradients. The result [batch
// heads queries size'] has the order of dims in memory that q has. Models call nn.Attention, which computes the rest
// in other ways.
func FusedAttention(q, k, v *Tensor, f AttentionForm) (*Tensor, bool) {
	y, ok, err := fusedAttention(q, k, v, f)
	check(err)
	return y, ok
}

func fusedAttention(q, k, v *Tensor, f AttentionForm) (*Tensor, bool, error) {
	const op = "attention"
	if tracked(q, k, v, f.Mask) {
		return nil, false, nil
	}
	operands := []*Tensor{q, k, v}
	for _, t := range []*Tensor{f.Mask, f.Last} {
		if t != nil {
			operands = append(operands, t)
		}
	}
	if err := sameDevice(op, operands...); err != nil {
		return nil, false, err
	}
	b, ok := q.dev.backend.(backend.Attender)
	if !ok || q.Rank() != 4 || k.Rank() != 4 || v.Rank() != 4 || k.dtype != q.dtype || v.dtype != q.dtype {
		return nil, false, nil
	}
	qs, ks, vs := q.layout, k.layout, v.layout
	batch, heads, queries, size := qs.Shape[0], qs.Shape[1], qs.Shape[2], qs.Shape[3]
	groups, keys, valueSize := ks.Shape[1], ks.Shape[2], vs.Shape[3]
	if ks.Shape[0] != batch || vs.Shape[0] != batch || vs.Shape[1] != groups || vs.Shape[2] != keys ||
		ks.Shape[3] != size ||
		min(q.ElemCount(), k.ElemCount(), v.ElemCount()) == 0 || heads%groups != 0 {
		return nil, false, nil
	}
	p := kernels.Attention{
		Batch: int64(batch), Heads: int64(heads), Groups: int64(groups), Queries: int64(queries), Keys: int64(keys),
		Size: int64(size), ValueSize: int64(valueSize),
		Q: fourStrides(qs), K: fourStrides(ks), V: fourStrides(vs),
		Softcap: float32(f.Softcap),
	}
	if f.Scale == 0 {
		f.Scale = 1 / math.Sqrt(float64(size))
	}
	p.Scale = float32(f.Scale)
	if f.Softcap != 0 {
		p.Bend = float32(2 * f.Scale / f.Softcap * math.Log2E)
	}
	if f.Causal {
		p.Causal, p.Window = 1, int64(f.Window)
	}
	if !b.Attends(q.dtype, &p) {
		return nil, false, nil
	}
	mask, ok, err := f.mask(op, q, &p)
	if !ok || err != nil {
		return nil, false, err
	}
	// The heads of a query are adjacent in memory if those of q are: then they are the rows of what comes next.
	shape := []int{batch, heads, queries, valueSize}
	transposed := qs.Strides[1] < qs.Strides[2]
	if transposed {
		shape[1], shape[2] = shape[2], shape[1]
	}
	out, err := empty(op, shape, q.dtype, q.dev)
	if err != nil {
		return nil, false, err
	}
	if transposed {
		out = out.Transpose(1, 2)
	}
	p.Out = fourStrides(out.layout)
	if err := b.Attention(q.operand(), k.operand(), v.operand(), mask, out.operand(), p); err != nil {
		return nil, false, failure(op, q.dev, err)
	}
	return out, true, nil
}

// mask returns the operand that hides keys, nil for none, and describes it in p. It reports false when the mask does
// not broadcast.
func (f AttentionForm) mask(op string, q *Tensor, p *kernels.Attention) (mask *backend.Operand, ok bool, err error) {
	if f.Last != nil {
		if f.Mask != nil || f.Last.dtype != U32 || f.Last.ElemCount() != 1 {
			return nil, false, fault(op, ErrShape, []*Tensor{q, f.Last},
				"want the place of the last key as U32 of one element, and no mask beside it")
		}
		p.Masked = 3
		o := f.Last.operand()
		return &o, true, nil
	}
	if f.Mask == nil {
		return nil, true, nil
	}
	m := f.Mask
	p.Masked = 1
	if m.dtype.Stored() != U8 {
		p.Masked, m = 2, m.ToDType(F32)
	}
	l, fits := m.layout.Broadcast([]int{int(p.Batch), int(p.Heads), int(p.Queries), int(p.Keys)})
	if !fits {
		return nil, false, nil
	}
	p.Mask = fourStrides(l)
	return &backend.Operand{Store: m.memory(), DType: m.dtype.Stored(), Layout: l}, true, nil
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
