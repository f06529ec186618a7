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
	return host.Elements(t.dtype, raw)
}
