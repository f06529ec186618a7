package tensor

// Data returns the elements of a contiguous tensor on the CPU without copying them, as a slice of their Go type: []float32 for
// F32, []int64 for I64, and so on. F16, BF16 and F8E4M3 give their bits, as []uint16 and []uint8. Writing to the slice
// changes the tensor and its views. It panics with ErrDevice when t is not on the CPU, and with ErrShape when it is not contiguous.
func (t *Tensor) Data() any {
	h, ok := t.memory().(*hostStorage)
	if !ok {
		check(fault("data", ErrDevice, []*Tensor{t}, "the tensor is on %v", t.dev).note("x.To(\"cpu\") is a copy on the host"))
	}
	if !t.IsContiguous() {
		check(fault("data", ErrShape, []*Tensor{t}, "the tensor is not contiguous").note("x.Contiguous() is"))
	}
	check(h.claim(true))
	raw := h.data[t.layout.Offset*t.dtype.Size():][:t.Bytes()]
	switch t.dtype {
	case U32:
		return hostView[uint32](raw)
	case I16:
		return hostView[int16](raw)
	case I32:
		return hostView[int32](raw)
	case I64:
		return hostView[int64](raw)
	case F16, BF16:
		return hostView[uint16](raw)
	case F32:
		return hostView[float32](raw)
	case F64:
		return hostView[float64](raw)
	}
	return hostView[uint8](raw)
}
