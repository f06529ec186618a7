package tensor

import "github.com/gorocm/gorocm/rocm"

// Buffer returns the device memory that holds the elements of t, and where in it the first one is, in bytes: what a kernel
// of one's own takes (see package rocm; rocm.Open(t.Device().Location()) is the device). Views share memory, so a kernel
// that writes should write to a tensor from Empty or Copy. It panics with ErrDevice when t is on the host, and with
// ErrShape when t is not contiguous.
func (t *Tensor) Buffer() (buffer *rocm.Buffer, byteOffset int) {
	s, ok := t.store.(*deviceStorage)
	if !ok {
		check(fault("buffer", ErrDevice, []*Tensor{t}, "the tensor is on the host").note("move it first, as in t.To(\"rocm\")"))
	}
	if !t.IsContiguous() {
		check(fault("buffer", ErrShape, []*Tensor{t}, "the tensor is not contiguous").note("t.Contiguous() is"))
	}
	return s.buffer, t.layout.offset * t.dtype.Size()
}
