package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/internal/govalue"
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

// source is the element of n that stands at position i, which may be below 0 or beyond n.
func (m PadMode) source(i, n int) int {
	switch m {
	case Replicate:
		return max(0, min(i, n-1))
	case Circular:
		return ((i % n) + n) % n
	}
	period := max(2*(n-1), 1)
	i = ((i % period) + period) % period
	return min(i, period-i) % n
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
		return t, nil
	case n == 0:
		return nil, fault(op, ErrShape, []*Tensor{t}, "no elements to repeat in dim %d of shape %v", dim,
			t.layout.Shape)
	}
	ids := make([]int64, left+n+right)
	for i := range ids {
		ids[i] = int64(m.source(i-left, n))
	}
	return Try(func() *Tensor { return t.IndexSelect(New(ids, t.dev), d) })
}

// padConstant is pad with a number.
func (t *Tensor) padConstant(op string, d, left, right int, value any) (*Tensor, error) {
	if !govalue.IsNumber(value) {
		return nil, fault(op, ErrDType, []*Tensor{t}, "a %T is not a number or a mode", value).
			note("modes are tensor.Replicate, tensor.Reflect and tensor.Circular")
	}
	shape := t.Dims()
	side := func(n int) (*Tensor, error) {
		shape[d] = n
		return full(op, value, shape, t.dtype, t.dev)
	}
	before, err := side(left)
	if err != nil {
		return nil, err
	}
	after, err := side(right)
	if err != nil {
		return nil, err
	}
	return cat(op, []*Tensor{before, t, after}, d)
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
	return Try(func() *Tensor { return t.Unsqueeze(d + 1).BroadcastAs(each).Reshape(final) })
}
