package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Backend computes on the host. Small floats are converted to F32 first and results back, so that loops are over
// machine types only and a small float is rounded once.
type Backend struct{}

// element are the types that loops are over.
type element interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64
}

// elems returns the elements of an operand's storage, from its offset on.
func elems[T any](o backend.Operand) []T { return View[T](o.Store.(*Storage).Data)[o.Layout.Offset:] }

// newElems returns zeroed storage for n elements, and the elements as a slice.
func newElems[T any](n, size int) (*Storage, []T) {
	h := New(n * size)
	return h, View[T](h.Data)
}

// uninitElems is newElems for elements that are all overwritten: the contents are arbitrary.
func uninitElems[T any](n, size int) (*Storage, []T) {
	h := NewUninitialized(n * size)
	return h, View[T](h.Data)
}

func (Backend) ReadsStrides() bool { return false }

func (Backend) Alloc(bytes int) (backend.Storage, error) { return NewUninitialized(bytes), nil }

func (Backend) Upload(src []byte) (backend.Storage, error) {
	h := NewUninitialized(len(src))
	copy(h.Data, src)
	return h, nil
}

func (Backend) Download(dst []byte, s backend.Storage, byteOffset int) error {
	copy(dst, s.(*Storage).Data[byteOffset:])
	return nil
}

func (Backend) Synchronize() error { return nil }

func (Backend) Fill(out backend.Operand, bits uint64) error {
	defer timed("fill", out.DType, elementBytes(out))()
	switch out.DType.Size() {
	case 1:
		fillElems(out, uint8(bits))
	case 2:
		fillElems(out, uint16(bits))
	case 4:
		fillElems(out, uint32(bits))
	default:
		fillElems(out, bits)
	}
	return nil
}

func fillElems[T any](o backend.Operand, v T) {
	out := elems[T](o)
	m := backend.Coalesce(o.Layout.Shape, o.Layout.Strides)
	step := m.Strides[0][len(m.Dims)-1]
	m.EachRun(0, m.ElemCount(), func(r backend.Run) {
		if step == 1 {
			fillAll(out[r.Offsets[0]:][:r.Len], v)
			return
		}
		for i := range r.Len {
			out[r.Offsets[0]+i*step] = v
		}
	})
}

func fillAll[T any](out []T, v T) {
	for i := range out {
		out[i] = v
	}
}

func (b Backend) Arange(dt kernels.DType, n int, start, step backend.Scalar) (backend.Storage, error) {
	defer timed("arange", dt, n*dt.Size())()
	switch dt {
	case kernels.U8:
		return countInts[uint8](n, start.Int, step.Int), nil
	case kernels.U32:
		return countInts[uint32](n, start.Int, step.Int), nil
	case kernels.I16:
		return countInts[int16](n, start.Int, step.Int), nil
	case kernels.I8:
		return countInts[int8](n, start.Int, step.Int), nil
	case kernels.U16:
		return countInts[uint16](n, start.Int, step.Int), nil
	case kernels.U64:
		return countInts[uint64](n, start.Int, step.Int), nil
	case kernels.I32:
		return countInts[int32](n, start.Int, step.Int), nil
	case kernels.I64:
		return countInts[int64](n, start.Int, step.Int), nil
	}
	h, out := uninitElems[float64](n, 8)
	for i := range out {
		out[i] = start.Float + float64(float64(i)*step.Float) // no fused multiply-add: the same on every machine
	}
	defer h.free()
	return b.Cast(backend.Operand{Store: h, DType: kernels.F64, Layout: backend.Dense([]int{n})}, dt)
}

func countInts[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64](n int, start,
	step int64) backend.Storage {
	h := NewUninitialized(n * sizeOf[T]())
	for i, out := 0, View[T](h.Data); i < n; i++ {
		out[i] = T(start + int64(i)*step)
	}
	return h
}

// Copy moves elements of any type of one size with one loop.
func (Backend) Copy(in, out backend.Operand) error {
	defer timed("copy", in.DType, elementBytes(out), in)()
	switch in.DType.Size() {
	case 1:
		copyElems[uint8](in, out)
	case 2:
		copyElems[uint16](in, out)
	case 4:
		copyElems[uint32](in, out)
	case 16:
		copyElems[complex128](in, out)
	default:
		copyElems[uint64](in, out)
	}
	return nil
}

func copyElems[B any](in, out backend.Operand) {
	src, dst := elems[B](in), elems[B](out)
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides, out.Layout.Strides)
	last := len(m.Dims) - 1
	from, to := m.Strides[0][last], m.Strides[1][last]
	if last == 1 && m.Strides[0][0] == 1 && to == 1 {
		transposeElems(src, dst, m.Dims[0], m.Dims[1], from, m.Strides[1][0])
		return
	}
	n := m.ElemCount()
	size := n
	if m.IsContiguous() {
		size = staysWarm(out.Store, n, 2*n*sizeOf[B]())
	}
	move := copyRow[B](size)
	Parallel(n, 1, func(lo, hi int) {
		m.EachRun(lo, hi, func(r backend.Run) {
			src, dst := src[r.Offsets[0]:], dst[r.Offsets[1]:]
			if from == 1 && to == 1 {
				move(dst[:r.Len], src[:r.Len])
				return
			}
			for i := range r.Len {
				dst[i*to] = src[i*from]
			}
		})
		fence(n)
	})
}

// viaF32 runs a computation of small floats in F32. The result has the operands' type unless keep is set.
func (b Backend) viaF32(
	dt kernels.DType, keep bool, ins []backend.Operand, run func([]backend.Operand) (backend.Storage, error),
) (backend.Storage, error) {
	wide := make([]backend.Operand, len(ins))
	for i, in := range ins {
		s, err := b.Cast(in, kernels.F32)
		if err != nil {
			return nil, err
		}
		wide[i] = backend.Operand{Store: s, DType: kernels.F32, Layout: backend.Dense(in.Layout.Shape)}
	}
	s, err := run(wide)
	for _, w := range wide {
		w.Store.(*Storage).free()
	}
	if err != nil || keep {
		return s, err
	}
	defer s.(*Storage).free()
	return b.Cast(backend.Operand{Store: s, DType: kernels.F32, Layout: backend.Dense([]int{s.Size() / 4})}, dt)
}
