package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/internal/govalue"
	"github.com/gorocm/gorocm/tensor/internal/host"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// PadMode says which elements Pad puts before and after those of a dim.
type PadMode uint8

// The modes of Pad, for the elements a b c d and a padding of 2 on both sides.
const (
	Replicate PadMode = iota // a a | a b c d | d d: the first and the last element (edge in NumPy)
	Reflect                  // c b | a b c d | c b: in a mirror on the first and the last element
	Circular                 // c d | a b c d | a b: as if the dim began again (wrap in NumPy)
)

// String returns the name of the mode in PyTorch: replicate, reflect or circular.
func (m PadMode) String() string {
	if m > Circular {
		return fmt.Sprintf("PadMode(%d)", uint8(m))
	}
	return [...]string{"replicate", "reflect", "circular"}[m]
}

func (t *Tensor) pad(dim, left, right int, mode any) (*Tensor, error) {
	const op = "pad"
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if left < 0 || right < 0 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "negative padding: %d and %d", left, right)
	}
	m, ok := mode.(PadMode)
	if !ok {
		return t.padConstant(op, d, left, right, mode)
	}
	n := t.layout.Shape[d]
	switch {
	case m > Circular:
		return nil, fault(op, ErrShape, []*Tensor{t}, "there is no mode %v", m)
	case left+right == 0:
		return t.copied(op)
	case n == 0:
		return nil, fault(op, ErrShape, []*Tensor{t}, "no elements to repeat in dim %d of shape %v", dim,
			t.layout.Shape)
	}
	side := func(first, count int) *Tensor {
		ids := must(empty(op, []int{count}, I64, CPU()))
		list := host.View[int64](ids.store.(*host.Storage).Data)
		for i := range list {
			list[i] = int64(shapes.Padded(m.String(), first+i, n))
		}
		return t.IndexSelect(ids.ToDevice(t.dev), d)
	}
	return Try(func() *Tensor { return must(cat(op, []*Tensor{side(-left, left), t, side(n, right)}, d)) })
}

// padConstant is pad with a number.
func (t *Tensor) padConstant(op string, d, left, right int, value any) (*Tensor, error) {
	if !govalue.IsNumber(value) {
		return nil, fault(op, ErrDType, []*Tensor{t}, "a %T is not a number or a mode", value).
			note("modes are tensor.Replicate, tensor.Reflect and tensor.Circular")
	}
	shape := t.Dims()
	side := func(n int) *Tensor {
		shape[d] = n
		return must(full(op, value, shape, t.dtype, t.dev))
	}
	return Try(func() *Tensor { return must(cat(op, []*Tensor{side(left), t, side(right)}, d)) })
}

func (t *Tensor) repeatInterleave(n, dim int) (*Tensor, error) {
	const op = "repeat interleave"
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%d times", n)
	}
	each := t.Dims()
	each = append(each[:d+1], append([]int{n}, each[d+1:]...)...)
	final := t.Dims()
	final[d] *= n
	return Try(func() *Tensor { return t.Unsqueeze(d + 1).BroadcastAs(each...).Copy().Reshape(final...) })
}
