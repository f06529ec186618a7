package tensor

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/door"
)

// Buffer returns the device memory that holds the elements of t, and where in it the first one is, in bytes: what a kernel
// of one's own takes (see package rocm; rocm.Open(t.Device().Location()) is the device). Views share memory, so a kernel
// that writes should write to a tensor from Empty or Copy. It panics with ErrDevice when t is on the host, and with
// ErrShape when t is not contiguous.
func (t *Tensor) Buffer() (buffer *rocm.Buffer, byteOffset int) { return t.exposed(true) }

func init() {
	door.Buffer = func(t any) (*rocm.Buffer, int) { return t.(*Tensor).exposed(false) }
}

// exposed is where the elements are on a GPU; writable if there may be writes at any time from now on.
func (t *Tensor) exposed(writable bool) (buffer *rocm.Buffer, byteOffset int) {
	check(t.alive("use"))
	s, ok := t.store.(deviceMemory)
	if !ok {
		check(fault("buffer", ErrDevice, []*Tensor{t}, "the tensor is on the host").note("move it first, as in t.To(\"rocm\")"))
	}
	if !t.IsContiguous() {
		check(fault("buffer", ErrShape, []*Tensor{t}, "the tensor is not contiguous").note("t.Contiguous() is"))
	}
	if writable {
		check(s.claim(true))
	} else {
		check(s.ready())
	}
	return s.deviceBuffer(), t.layout.Offset * t.dtype.Size()
}

// Memory returns the same as Buffer, with the type and shape of the elements, as launches of kernels want it. The error says why a
// kernel cannot be given t: it is on the host, or not contiguous.
func (t *Tensor) Memory() (rocm.Memory, error) {
	if err := t.alive("memory"); err != nil {
		return rocm.Memory{}, err
	}
	s, ok := t.store.(deviceMemory)
	switch {
	case !ok:
		return rocm.Memory{}, errors.New(`the tensor is on the host; move it first, as in x.To("rocm")`)
	case !t.IsContiguous():
		return rocm.Memory{}, fmt.Errorf("the tensor of shape %v is not contiguous; x.Contiguous() is", t.layout.Shape)
	}
	if err := s.claim(true); err != nil {
		return rocm.Memory{}, err
	}
	return rocm.Memory{Buffer: s.deviceBuffer(), Offset: t.layout.Offset * t.dtype.Size(), Elem: t.dtype.String(), Shape: t.Dims()}, nil
}
