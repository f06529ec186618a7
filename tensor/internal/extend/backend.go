package extend

import (
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
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

// Written returns a tensor as backends write to some of its elements. It counts as a change of a variable, and panics
// with ErrGradient for a tensor that was computed from variables.
func Written(op string, t *tensor.Tensor) backend.Operand {
	SameDevice(op, t)
	return access.Written(op, t)
}

// Own returns y, a result of operands xs: as a copy if it shares memory with one of them, as it does where there was
// nothing to compute. So a write to a result never reaches an operand.
func Own(y *tensor.Tensor, xs ...*tensor.Tensor) *tensor.Tensor {
	for _, x := range xs {
		if x != nil && Operand(x).Store == Operand(y).Store {
			return y.Copy()
		}
	}
	return y
}

// Drop frees the memory of a tensor that nothing else refers to, nor a view of it, nor the gradient of an operation.
// What is deferred and needs it has it until it is computed.
func Drop(t *tensor.Tensor) { scope.Drop(Operand(t).Store) }

// Dense is InMemory with the elements one after another, in row-major order.
func Dense(op string, t *tensor.Tensor) backend.Operand {
	return InMemory(op, t.Contiguous())
}

// Floats is Elements of an F32 tensor.
func Floats(op string, t *tensor.Tensor) []float32 { return Elements[float32](op, t) }

// Elements returns the elements of a dense tensor on the host, of the Go type T of its dtype, without copying them.
// They are to be read only. Unlike those of Tensor.Data they are valid only as long as the caller keeps the tensor,
// whose memory scopes may free.
func Elements[T any](op string, t *tensor.Tensor) []T {
	o := Dense(op, t)
	n := o.Layout.ElemCount()
	if n == 0 {
		return nil
	}
	raw := o.Store.(backend.HostMemory).HostBytes()
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[o.Layout.Offset*o.DType.Size()])), n)
}

// Room panics with ErrMemory when the host has no memory for elements of that shape, which a Go slice is to hold: a
// slice that is too large would end the process. It panics with ErrShape for a shape that no tensor has.
func Room(op string, dt tensor.DType, shape ...int) { access.Room(op, dt, shape) }

// OnHost returns a new tensor on the host and its elements, of the Go type T of the dtype, which the caller sets: their
// memory is uninitialised. It panics as Room, and then allocates nothing.
func OnHost[T any](op string, dt tensor.DType, shape ...int) (t *tensor.Tensor, elements []T) {
	Room(op, dt, shape...)
	t = tensor.CPU().Empty(dt, shape...)
	raw := Operand(t).Store.(backend.HostMemory).HostBytes()
	return t, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), t.ElemCount())
}

// New returns a tensor whose elements run has computed into new memory, dense in row-major order. It does not call run
// for a tensor without elements. It panics when there is not enough memory, and with the error of run as one of op.
func New(
	op string, d *tensor.Device, dt tensor.DType, shape []int, run func() (backend.Storage, error),
) *tensor.Tensor {
	return access.New(op, d, dt, shape, run).(*tensor.Tensor)
}

// IndexSelect is tensor.IndexSelect, whose errors are those of op.
func IndexSelect(op string, t, ids *tensor.Tensor, dim int) *tensor.Tensor {
	return access.IndexSelect(op, t, ids, dim).(*tensor.Tensor)
}

// Pool returns the means or the maxima of windows of images x [… height width], or the indices of the maxima, which
// have no gradient. Each window must have an element of x. Pool sets the Planes of p.
func Pool(op string, x *tensor.Tensor, p kernels.Pool, what backend.Pooled) *tensor.Tensor {
	return access.Pool(op, x, p, what).(*tensor.Tensor)
}

// Draw reserves counters of the random numbers of a device, which tensor.Rand uses: see kernels.Philox.
func Draw(d *tensor.Device, counters int) (seed, counter uint64) { return access.Draw(d, counters) }

// Recording returns the capture that launches of the calling goroutine on a device go to, or nil.
func Recording(d *tensor.Device) *rocm.Recording {
	if gpu, ok := Backend(d).(backend.GPU); ok {
		return rocm.RecordingOn(gpu.Device())
	}
	return nil
}

// NotCaptured panics when launches on a device are being captured: in every replay the operation would do what it did
// in the capture, and it is to do something else each time.
func NotCaptured(op string, d *tensor.Device, note string) {
	if Recording(d) != nil {
		Fail(op, tensor.ErrValue, nil, note, "a capture is under way, and each replay would give the same numbers")
	}
}

// Check panics with an error of a backend as one of an operation.
func Check(op string, d *tensor.Device, err error) { access.Check(op, d, err) }
