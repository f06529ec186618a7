package random

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// parameter checks a parameter. It returns a float64 or a tensor of the shape of the result.
func (c call) parameter(v any, d domain.Domain) any {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		return d.Number(c.Op, v)
	}
	if t.Device() != c.Device {
		extend.Fail(c.Op, tensor.ErrDevice, []*tensor.Tensor{t}, "give the device of the tensor, as in x.Device()",
			"%s is on %v, the result on %v", d.Name, t.Device(), c.Device)
	}
	d.Elements(c.Op, t)
	if slices.Equal(t.Dims(), c.Shape) {
		return t
	}
	return t.BroadcastAs(c.Shape...)
}

// asTensor returns a parameter as kernels take it: F64, of one element or of the shape of the result.
func (c call) asTensor(p any) *tensor.Tensor {
	if t, ok := p.(*tensor.Tensor); ok {
		return t.ToDType(tensor.F64)
	}
	return c.Device.Full(tensor.F64, p)
}
