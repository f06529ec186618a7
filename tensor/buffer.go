package tensor

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Buffer returns the device memory of t, and the offset of its first element in bytes, as arguments for kernels of
// one's own (see package rocm; rocm.Open(t.Device().Location()) is the device). Views share memory, so a kernel that
// writes should write to a tensor from Empty or Copy. It panics with ErrDevice when t is on the host, and with
// ErrShape when t is not contiguous.
func (t *Tensor) Buffer() (buffer *rocm.Buffer, byteOffset int) { return t.exposed(true) }

// exposed returns the memory of a tensor on a GPU. writable says that there may be writes at any time from now on.
func (t *Tensor) exposed(writable bool) (buffer *rocm.Buffer, byteOffset int) {
	check(t.alive("use"))
	s, ok := t.store.(backend.DeviceMemory)
	if !ok {
		check(fault("buffer", ErrDevice, []*Tensor{t},
			"the tensor is on the host").note("move it first, as in t.To(\"rocm\")"))
	}
	if !t.IsContiguous() {
		check(fault("buffer", ErrShape, []*Tensor{t}, "the tensor is not contiguous").note("t.Contiguous() is"))
	}
	if writable {
		check(s.PrepareWrite(true))
	} else {
		check(s.Materialize())
	}
	return s.DeviceBuffer(), t.layout.Offset * t.dtype.Size()
}

// Memory returns the same as Buffer, with the type and shape of the elements, as launches of kernels take it. The
// error says why a kernel cannot use t: it is on the host, or not contiguous.
func (t *Tensor) Memory() (rocm.Memory, error) {
	if err := t.alive("memory"); err != nil {
		return rocm.Memory{}, err
	}
	s, ok := t.store.(backend.DeviceMemory)
	switch {
	case !ok:
		return rocm.Memory{}, errors.New(`the tensor is on the host; move it first, as in x.To("rocm")`)
	case !t.IsContiguous():
		return rocm.Memory{}, fmt.Errorf("the tensor of shape %v is not contiguous; x.Contiguous() is", t.layout.Shape)
	}
	if err := s.PrepareWrite(true); err != nil {
		return rocm.Memory{}, err
	}
	return rocm.Memory{Buffer: s.DeviceBuffer(), Offset: t.layout.Offset * t.dtype.Size(), Elem: t.dtype.String(),
		Shape: t.Dims()}, nil
}
