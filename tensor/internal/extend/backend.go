package extend

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Backend is what computes on a device. Packages ask it for the interfaces of package backend that only some implement.
func Backend(d *tensor.Device) backend.Backend { return access.Backend(d) }

// Operand returns a tensor as backends see it, of any layout. Its elements may be deferred, or freed.
func Operand(t *tensor.Tensor) backend.Operand { return access.Operand(t) }

// InMemory returns a tensor as backends read it, of any layout: its elements are in memory.
func InMemory(op string, t *tensor.Tensor) backend.Operand {
	SameDevice(op, t)
	o := Operand(t)
	Check(op, t.Device(), o.Store.Materialize())
	o.DType = o.DType.Stored()
	return o
}

// Dense is InMemory with the elements one after another, in row-major order.
func Dense(op string, t *tensor.Tensor) backend.Operand {
	return InMemory(op, t.Contiguous())
}

// New returns a tensor whose elements run has computed into new memory, dense in row-major order. It does not call run
// for a tensor without elements. It panics when there is not enough memory, and with the error of run as one of op.
func New(
	op string, d *tensor.Device, dt tensor.DType, shape []int, run func() (backend.Storage, error),
) *tensor.Tensor {
	return access.New(op, d, dt, shape, run).(*tensor.Tensor)
}

// Draw reserves counters of the random numbers of a device, which tensor.Rand uses: see kernels.Philox.
func Draw(d *tensor.Device, counters int) (seed, counter uint64) { return access.Draw(d, counters) }

// Check panics with an error of a backend as one of an operation.
func Check(op string, d *tensor.Device, err error) { access.Check(op, d, err) }
