package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// read returns the elements in row-major order. On the CPU the bytes may be those of the tensor itself and must not
// be written to.
func (t *Tensor) read(op string) ([]byte, error) {
	if t.ElemCount() == 0 {
		return nil, t.alive(op)
	}
	h, offset, err := t.fetch(op)
	if err != nil {
		return nil, err
	}
	return h.Data[offset:][:t.Bytes()], nil
}

// fetch returns memory of the host with the elements of t in row-major order, from a byte offset on. It is the one
// way back to the host: at most one copy on the device, and one transfer. On the CPU the memory may be that of the
// tensor itself.
func (t *Tensor) fetch(op string) (h *host.Storage, offset int, err error) {
	s, offset, err := t.inOrder(op)
	if err != nil {
		return nil, 0, err
	}
	if h, ok := s.(*host.Storage); ok {
		return h, offset, nil
	}
	h = host.NewUninitialized(t.Bytes())
	return h, 0, failure(op, t.dev, t.dev.download(h.Data, s, offset))
}

// readTo is read to the caller's memory.
func (t *Tensor) readTo(op string, dst []byte) error {
	s, offset, err := t.inOrder(op)
	if err != nil || len(dst) == 0 {
		return err
	}
	return failure(op, t.dev, t.dev.download(dst, s, offset))
}

// inOrder returns storage with the elements of t in row-major order, from a byte offset on.
func (t *Tensor) inOrder(op string) (s backend.Storage, offset int, err error) {
	if err := t.alive(op); err != nil {
		return nil, 0, err
	}
	c, err := t.contiguous(op)
	if err != nil {
		return nil, 0, err
	}
	return c.store, c.layout.Offset * t.dtype.Size(), c.store.Materialize()
}

// float64s returns the elements as float64 in row-major order.
func (t *Tensor) float64s(op string) ([]float64, error) {
	if t.dtype.IsComplex() {
		return nil, fault(op, ErrDType, []*Tensor{t}, "%v numbers are no float64", t.dtype).
			note("%s returns the complex numbers; x.Real(), x.Imag(), x.Abs() and x.Angle() are real",
				integersCall(op, t.dtype))
	}
	raw, err := t.read(op)
	if err == nil {
		err = room(op, t.layout.Shape, F64)
	}
	if err != nil {
		return nil, err
	}
	out := host.ToFloat64(t.dtype, raw)
	switch t.dtype {
	case I64:
		err = inexact(t, op, host.View[int64](raw), out, math.MaxInt64)
	case U64:
		err = inexact(t, op, host.View[uint64](raw), out, math.MaxUint64)
	}
	return out, err
}

// inexact is the error for the first integer that differs from its float64. The largest ones round to a power of two
// that the type lacks.
func inexact[T int64 | uint64](t *Tensor, op string, exact []T, floats []float64, largest T) error {
	for i, x := range exact {
		if floats[i] >= float64(largest) || T(floats[i]) != x {
			return fault(op, ErrDType, []*Tensor{t}, "%d is beyond what a float64 holds exactly", x).
				note("%s returns the integers", integersCall(op, t.dtype))
		}
	}
	return nil
}

// integersCall is the call that returns the elements, of type dt, that op cannot convert to float64.
func integersCall(op string, dt DType) string {
	if slices.Contains(readers, op) {
		return exactCall(op, dt)
	}
	return fmt.Sprintf("tensor.ToVec1[%v](x.FlattenAll())", govalue.Types[dt])
}

// wantRank checks the rank for a conversion to Go values.
func (t *Tensor) wantRank(op string, rank int) error {
	r := t.Rank()
	if r == rank {
		return nil
	}
	shape := "a scalar"
	if rank > 0 {
		shape = fmt.Sprintf("rank %d", rank)
	}
	e := fault(op, ErrShape, []*Tensor{t}, "want %s, not shape %v", shape, t.layout.Shape)
	switch {
	case r == 0:
		e.note("ToScalar is for scalars")
	case r <= 3:
		e.note("ToVec%d is for rank %d", r, r)
	default:
		e.note("Float64s returns all elements in one slice; FlattenAll and Reshape change the rank")
	}
	return e
}

// ToScalar returns the element of a scalar as float64. It panics with ErrShape when the rank is not 0.
// It waits for the device, as all that reads elements does.
func (t *Tensor) ToScalar() float64 {
	check(t.wantRank("ToScalar", 0))
	v, err := t.float64s("ToScalar")
	check(err)
	return v[0]
}

// ToVec1 returns the elements of a tensor of rank 1 as float64, whatever their type. It panics with ErrShape for
// another rank, and with ErrDType when an I64 element is beyond what a float64 holds exactly: the
// function ToVec1 returns those.
func (t *Tensor) ToVec1() []float64 {
	check(t.wantRank("ToVec1", 1))
	v, err := t.float64s("ToVec1")
	check(err)
	return v
}

// ToVec2 returns the elements of a tensor of rank 2 as float64, as ToVec1 does.
func (t *Tensor) ToVec2() [][]float64 {
	check(t.wantRank("ToVec2", 2))
	v, err := t.float64s("ToVec2")
	check(err)
	return cut(v, t.layout.Shape[0], t.layout.Shape[1])
}

// ToVec3 returns the elements of a tensor of rank 3 as float64, as ToVec1 does.
func (t *Tensor) ToVec3() [][][]float64 {
	check(t.wantRank("ToVec3", 3))
	v, err := t.float64s("ToVec3")
	check(err)
	s := t.layout.Shape
	return cut(cut(v, s[0]*s[1], s[2]), s[0], s[1])
}

// Float64s returns all elements as float64 in row-major order, for a tensor of any rank.
func (t *Tensor) Float64s() []float64 {
	v, err := t.float64s("Float64s")
	check(err)
	return v
}

// cut divides a slice into n slices of the given length.
func cut[T any](v []T, n, length int) [][]T {
	out := make([][]T, n)
	for i := range out {
		out[i] = v[i*length : (i+1)*length : (i+1)*length]
	}
	return out
}
