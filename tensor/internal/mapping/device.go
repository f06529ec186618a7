package mapping

import (
	"fmt"
	"unsafe"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Device is a backend that computes functions over elements by their device code.
type Device interface {
	backend.Backend
	// MapElements returns the results, and for a function that may fail which element it has failed for plus one, 0 for
	// none.
	MapElements(d *element.Device, captured []uint64, out kernels.DType, shape []int, ins []backend.Operand) (
		s backend.Storage, failed int, err error)
}

// onDevice computes the function on a GPU.
func (m *Mapping) onDevice(b Device, shape []int, ins []backend.Operand) (backend.Storage, error) {
	const onHost = `x.To("cpu") computes it on the host`
	c := m.f.Code
	if c == nil {
		return nil, &backend.DeviceError{Message: "a compiled function has no source for a kernel",
			Note: onHost + "; a session makes kernels of the functions in its cells, and rocm.Compile of HIP source"}
	}
	d, why := c.Device()
	if why != nil {
		return nil, &backend.DeviceError{Note: onHost,
			Message: fmt.Sprintf("a GPU cannot run the function: %s (%s)", why.What, why.Place)}
	}
	s, failed, err := b.MapElements(d, m.f.Captured, m.out, shape, ins)
	if err != nil || failed == 0 {
		return s, err
	}
	if err := m.again(b, failed-1, shape, ins); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the function failed on the GPU for element %d, and not on the host: this is a bug in gorocm",
		failed-1)
}

// again computes one element on the host.
func (m *Mapping) again(b backend.Backend, flat int, shape []int, ins []backend.Operand) error {
	var words [element.MaxInputs + 1]uint64
	block := &element.Block{N: 1, Out: unsafe.Pointer(&words[len(ins)])}
	copy(block.Captured[:], m.f.Captured)
	for k, o := range ins {
		at := o.Layout.Offset
		for d, rest := len(shape)-1, flat; d >= 0; d-- {
			at += rest % shape[d] * o.Layout.Strides[d]
			rest /= shape[d]
		}
		block.In[k] = unsafe.Pointer(&words[k])
		size := m.in[k].Size()
		if err := b.Download(unsafe.Slice((*byte)(block.In[k]), size), o.Store, at*size); err != nil {
			return err
		}
	}
	if c := m.f.Code; c.Loop != nil {
		c.Loop(block)
	} else {
		m.reflected()(block)
	}
	return nil
}
