package tensor

import (
	"github.com/gorocm/gorocm/kernels"
)

// hostBackend computes on the host, in Go. F16, BF16 and F8E4M3 operands are converted to F32 first, and results back, so that
// loops are over machine types only and a small float is rounded once.
type hostBackend struct{}

// element are the types that host loops are over.
type element interface {
	uint8 | uint32 | int16 | int32 | int64 | float32 | float64
}

// elems returns the elements of an operand's storage, from its offset on.
func elems[T any](o operand) []T { return hostView[T](o.store.(*hostStorage).data)[o.layout.Offset:] }

// newElems returns storage for n elements, both as such and as a slice.
func newElems[T any](n, size int) (*hostStorage, []T) {
	h := newHost(n * size)
	return h, hostView[T](h.data)
}

// unclearedElems is newElems for what is overwritten altogether: the contents are arbitrary.
func unclearedElems[T any](n, size int) (*hostStorage, []T) {
	h := unclearedHost(n * size)
	return h, hostView[T](h.data)
}

func (hostBackend) readsStrides() bool { return false }

func (hostBackend) alloc(bytes int) (storage, error) { return unclearedHost(bytes), nil }

func (hostBackend) upload(src []byte) (storage, error) {
	h := unclearedHost(len(src))
	copy(h.data, src)
	return h, nil
}

func (hostBackend) download(dst []byte, s storage, byteOffset int) error {
	copy(dst, s.(*hostStorage).data[byteOffset:])
	return nil
}

func (hostBackend) synchronize() error { return nil }

func (hostBackend) fill(out operand, bits uint64) error {
	switch out.dtype.Size() {
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

func fillElems[T any](o operand, v T) {
	out := elems[T](o)
	m := merge(o.layout.Shape, o.layout.Strides)
	step := m.strides[0][len(m.dims)-1]
	m.each(0, m.count(), func(r run) {
		if step == 1 {
			fillAll(out[r.off[0]:][:r.n], v)
			return
		}
		for i := range r.n {
			out[r.off[0]+i*step] = v
		}
	})
}

func fillAll[T any](out []T, v T) {
	for i := range out {
		out[i] = v
	}
}

func (b hostBackend) arange(dt DType, n int, start, step scalar) (storage, error) {
	switch dt {
	case U8:
		return countInts[uint8](n, start.i, step.i), nil
	case U32:
		return countInts[uint32](n, start.i, step.i), nil
	case I16:
		return countInts[int16](n, start.i, step.i), nil
	case I32:
		return countInts[int32](n, start.i, step.i), nil
	case I64:
		return countInts[int64](n, start.i, step.i), nil
	}
	h, out := unclearedElems[float64](n, 8)
	for i := range out {
		out[i] = start.f + float64(float64(i)*step.f) // no fused multiply-add: the same on every machine
	}
	defer h.free()
	return b.cast(operand{h, F64, denseLayout([]int{n})}, dt)
}

func countInts[T uint8 | uint32 | int16 | int32 | int64](n int, start, step int64) storage {
	h := unclearedHost(n * kernelSize[T]())
	for i, out := 0, hostView[T](h.data); i < n; i++ {
		out[i] = T(start + int64(i)*step)
	}
	return h
}

// random uses the definitions of package kernels, so that the numbers are those of every other device.
func (b hostBackend) random(dt DType, n int, normal bool, seed, counter uint64, x, y float64) (storage, error) {
	draw := kernels.Uniform4
	if normal {
		draw = kernels.Normal4
	}
	if dt == F32 {
		h, out := unclearedElems[float32](n, 4)
		parallel((n+3)/4, 64, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				four := draw(dt, seed, counter+uint64(i), x, y)
				for j := range out[4*i : min(4*i+4, n)] {
					out[4*i+j] = float32(four[j])
				}
			}
		})
		return h, nil
	}
	h, out := unclearedElems[float64](n, 8)
	parallel((n+3)/4, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			four := draw(dt, seed, counter+uint64(i), x, y)
			copy(out[4*i:n], four[:])
		}
	})
	defer h.free()
	return b.cast(operand{h, F64, denseLayout([]int{n})}, dt)
}

// copy moves elements without looking at them, so only their size matters.
func (hostBackend) copy(in, out operand) error {
	switch in.dtype.Size() {
	case 1:
		copyElems[uint8](in, out)
	case 2:
		copyElems[uint16](in, out)
	case 4:
		copyElems[uint32](in, out)
	default:
		copyElems[uint64](in, out)
	}
	return nil
}

func copyElems[B any](in, out operand) {
	src, dst := elems[B](in), elems[B](out)
	m := merge(in.layout.Shape, in.layout.Strides, out.layout.Strides)
	last := len(m.dims) - 1
	from, to := m.strides[0][last], m.strides[1][last]
	if last == 1 && m.strides[0][0] == 1 && to == 1 {
		transposeElems(src, dst, m.dims[0], m.dims[1], from, m.strides[1][0])
		return
	}
	n := m.count()
	size := n
	if m.contiguous() {
		size = staysWarm(out.store, n, 2*n*kernelSize[B]())
	}
	move := copyRow[B](size)
	parallel(n, 1, func(lo, hi int) {
		m.each(lo, hi, func(r run) {
			src, dst := src[r.off[0]:], dst[r.off[1]:]
			if from == 1 && to == 1 {
				move(dst[:r.n], src[:r.n])
				return
			}
			for i := range r.n {
				dst[i*to] = src[i*from]
			}
		})
		fence(n)
	})
}

// viaF32 runs a computation of small floats in F32. The result has the operands' type unless keep is set.
func (b hostBackend) viaF32(dt DType, keep bool, ins []operand, run func([]operand) (storage, error)) (storage, error) {
	wide := make([]operand, len(ins))
	for i, in := range ins {
		s, err := b.cast(in, F32)
		if err != nil {
			return nil, err
		}
		wide[i] = operand{s, F32, denseLayout(in.layout.Shape)}
	}
	s, err := run(wide)
	for _, w := range wide {
		w.store.(*hostStorage).free()
	}
	if err != nil || keep {
		return s, err
	}
	defer s.(*hostStorage).free()
	return b.cast(operand{s, F32, denseLayout([]int{s.size() / 4})}, dt)
}
