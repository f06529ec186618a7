package tensor

import (
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// ToDevice returns the tensor on another device. On the same device it returns t itself. From the host to a GPU, the
// elements have been copied to pinned memory when ToDevice returns, so that they may be changed; the transfer itself
// is asynchronous. To the host it waits for them.
func (t *Tensor) ToDevice(dev *Device) *Tensor { return must(t.toDevice("to device", dev)) }

func (t *Tensor) toDevice(op string, dev *Device) (*Tensor, error) {
	if dev == nil {
		return nil, fault(op, ErrDevice, []*Tensor{t}, "the device is nil")
	}
	if dev == t.dev {
		return t, nil
	}
	out, err := t.copiedTo(op, dev)
	if from := t.dev; err == nil && tracked(t) {
		out.by(op, via{t, func(g *Tensor) *Tensor { return g.ToDevice(from) }})
	}
	return out, err
}

// copiedTo returns a copy on another device.
func (t *Tensor) copiedTo(op string, dev *Device) (*Tensor, error) {
	t = t.plain()
	if t.ElemCount() == 0 {
		return empty(op, t.layout.Shape, t.dtype, dev)
	}
	if to, ok := dev.backend.(backend.Receiver); ok && !t.dev.IsCPU() {
		c, err := t.contiguous(op)
		if err != nil {
			return nil, err
		}
		if c, ok := t.dev.backend.(backend.IndexChecker); ok {
			if err := c.CheckIndices(); err != nil {
				return nil, failure(op, t.dev, err)
			}
		}
		s, err := to.Receive(c.operand())
		if err != nil {
			return nil, failure(op, dev, err)
		}
		return dense(dev, t.dtype, t.layout.Shape, s), nil
	}
	if err := checkMemory(op, t.layout.Shape, t.dtype, dev); err != nil {
		return nil, err
	}
	if dev.IsCPU() { // t is on a GPU
		h, _, err := t.fetch(op)
		if err != nil {
			return nil, err
		}
		return dense(dev, t.dtype, t.layout.Shape, h), nil
	}
	raw, err := t.read(op)
	if err != nil {
		return nil, err
	}
	s, err := t.uploaded(raw, dev.backend)
	if err != nil {
		return nil, failure(op, dev, err)
	}
	return dense(dev, t.dtype, t.layout.Shape, s), nil
}

// uploaded copies raw, the elements of t on the host, to another device. From pinned memory it returns before they
// have left, unless somebody may write to them at any time.
func (t *Tensor) uploaded(raw []byte, to backend.Backend) (backend.Storage, error) {
	h, locked := t.store.(*host.Storage)
	if p, ok := to.(backend.Pinner); ok && locked && t.IsContiguous() {
		if pages := h.Pages(); pages != nil {
			return p.UploadPinned(raw, pages)
		}
	}
	return to.Upload(raw)
}

// ToDType returns the elements converted. Floats become integers by dropping the fraction; numbers out of range become
// the nearest value of the type, NaN becomes 0. Integers wrap. As Bool, 0 becomes false, all else (NaN, too) true; true
// becomes 1. Real numbers become complex ones with the imaginary part 0. For complex numbers use Real: ToDType would
// lose the imaginary parts, and panics with ErrDType. With the same dtype it returns t itself.
func (t *Tensor) ToDType(dtype DType) *Tensor { return must(t.toDType("to dtype", dtype)) }

func (t *Tensor) toDType(op string, dt DType) (*Tensor, error) {
	if dt == t.dtype {
		return t, nil
	}
	if dt != Bool && (dt.IsComplex() || t.dtype.IsComplex()) {
		return t.toComplex(op, dt)
	}
	if t.dtype.IsComplex() {
		return t.compare("ne", 0)
	}
	out, err := t.result(op, dt, func() (backend.Storage, error) {
		if dt == Bool {
			zero, err := t.dev.number(op, t.dtype, backend.Scalar{})
			if err != nil {
				return nil, err
			}
			zero = zero.Expand(t.layout.Shape...)
			return t.dev.backend.Compare(backend.CompareOps["ne"], t.deferrable(), zero.deferrable())
		}
		return t.cast(dt)
	})
	if from := t.dtype; err == nil && tracked(t) {
		out.by(op, via{t, func(g *Tensor) *Tensor { return g.ToDType(from) }})
	}
	return out, err
}

// cast converts to a number type.
func (t *Tensor) cast(dt DType) (backend.Storage, error) {
	if t.dtype.Stored() != dt {
		return t.dev.backend.Cast(t.deferrable(), dt)
	}
	s, err := t.dev.backend.Alloc(t.Bytes())
	if err != nil {
		return nil, err
	}
	out := backend.Operand{Store: s, DType: dt, Layout: backend.Dense(t.layout.Shape)}
	return s, t.dev.backend.Copy(t.operand(), out)
}

// To returns the tensor on a device or with an element type: x is a *Device, a DType, or a device name such as "cpu" or
// "rocm:1". It panics with ErrDevice when there is no such device.
func (t *Tensor) To(x any) *Tensor {
	switch x := x.(type) {
	case *Device:
		return must(t.toDevice("to", x))
	case DType:
		return must(t.toDType("to", x))
	case string:
		if dt, err := ParseDType(x); err == nil {
			return must(t.toDType("to", dt))
		}
		dev, err := NewDevice(x)
		check(err)
		return must(t.toDevice("to", dev))
	}
	check(fault("to", ErrDevice, []*Tensor{t}, "want a device or a dtype, not %T(%v)", x, x))
	return nil
}
