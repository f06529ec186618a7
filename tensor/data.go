package tensor

import "github.com/gorocm/gorocm/tensor/internal/host"

// Data returns the elements of a contiguous tensor on the CPU without copying them, as a slice of their Go type:
// []float32 for F32, []int64 for I64, and so on. F16, BF16 and F8E4M3 give their bits, as []uint16 and []uint8. Writing
// to the slice changes the tensor and its views. It panics with ErrDevice when t is not on the CPU, and with ErrShape
// when it is not contiguous.
func (t *Tensor) Data() any {
	h, ok := t.memory().(*host.Storage)
	if !ok {
		check(fault("data", ErrDevice, []*Tensor{t}, "the tensor is on %v", t.dev).
			note("x.To(\"cpu\") is a copy on the host"))
	}
	if !t.IsContiguous() {
		check(fault("data", ErrShape, []*Tensor{t}, "the tensor is not contiguous").note("x.Contiguous() is"))
	}
	check(h.PrepareWrite(true))
	raw := h.Data[:0]
	if n := t.Bytes(); n > 0 {
		raw = h.Data[t.layout.Offset*t.dtype.Size():][:n]
	}
	switch t.dtype {
	case Bool:
		return host.View[bool](raw)
	case U32:
		return host.View[uint32](raw)
	case I16:
		return host.View[int16](raw)
	case I8:
		return host.View[int8](raw)
	case U16:
		return host.View[uint16](raw)
	case U64:
		return host.View[uint64](raw)
	case I32:
		return host.View[int32](raw)
	case I64:
		return host.View[int64](raw)
	case F16, BF16:
		return host.View[uint16](raw)
	case F32:
		return host.View[float32](raw)
	case F64:
		return host.View[float64](raw)
	case C64:
		return host.View[complex64](raw)
	case C128:
		return host.View[complex128](raw)
	}
	return host.View[uint8](raw)
}
