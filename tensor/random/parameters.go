package random

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// domain is the numbers that a parameter may be.
type domain struct {
	name      string // of the parameter
	low, high float64
	open      bool // without low
	whole     bool
}

func finite(name string) domain {
	return domain{name: name, low: -math.MaxFloat64, high: math.MaxFloat64}
}
func positive(name string) domain { return domain{name: name, high: math.MaxFloat64, open: true} }
func fromZero(name string) domain { return domain{name: name, high: math.MaxFloat64} }
func probability() domain         { return domain{name: "the probability", high: 1} }

func (d domain) has(x float64) bool {
	return (x > d.low || x == d.low && !d.open) && x <= d.high && !(d.whole && x != math.Floor(x))
}

// String says what the numbers are.
func (d domain) String() string {
	kind := "numbers"
	if d.whole {
		kind = "whole numbers"
	}
	switch {
	case d.low == -math.MaxFloat64 && d.high == math.MaxFloat64:
		return "finite " + kind
	case d.open:
		return kind + fmt.Sprintf(" above %v", d.low)
	case d.high == math.MaxFloat64:
		return kind + fmt.Sprintf(" from %v on", d.low)
	}
	return kind + fmt.Sprintf(" from %v to %v", d.low, d.high)
}

// parameter checks a parameter. It returns a float64 or a tensor of the shape of the result.
func (c call) parameter(v any, d domain) any {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		x := c.number(v, d)
		if !d.has(x) {
			c.outside(x, d)
		}
		return x
	}
	if t.Device() != c.Device {
		extend.Fail(c.Op, tensor.ErrDevice, []*tensor.Tensor{t}, "give the device of the tensor, as in x.Device()",
			"%s is on %v, the result on %v", d.name, t.Device(), c.Device)
	}
	if t.DType().IsComplex() {
		extend.DType(c.Op, []*tensor.Tensor{t}, "%s is complex", d.name)
	}
	c.checkElements(t, d)
	if slices.Equal(t.Dims(), c.Shape) {
		return t
	}
	return t.BroadcastAs(c.Shape...)
}

// checkElements waits for the extremes of a tensor.
func (c call) checkElements(t *tensor.Tensor, d domain) {
	if t.ElemCount() == 0 {
		return
	}
	p := t.Detach().ToDType(tensor.F64)
	for _, x := range []float64{p.Min().ToScalar(), p.Max().ToScalar()} { // NaN if there is one
		if !d.has(x) {
			c.outside(x, d)
		}
	}
	if d.whole && p.Ne(p.Floor()).ToDType(tensor.U8).Max().ToScalar() != 0 {
		extend.Fail(c.Op, tensor.ErrValue, []*tensor.Tensor{t}, "", "%s has fractions: want %v", d.name, d)
	}
}

func (c call) outside(x float64, d domain) {
	extend.Fail(c.Op, tensor.ErrValue, nil, "", "%s is %v: want %v", d.name, x, d)
}

// number converts a Go number.
func (c call) number(v any, d domain) float64 {
	switch x := reflect.ValueOf(v); {
	case x.IsValid() && x.CanInt():
		return float64(x.Int())
	case x.IsValid() && x.CanUint():
		return float64(x.Uint())
	case x.IsValid() && x.CanFloat():
		return x.Float()
	}
	extend.Fail(c.Op, tensor.ErrDType, nil, "", "%s is a %T: want a Go number or a tensor", d.name, v)
	return 0
}

// asTensor returns a parameter as kernels take it: F64, of one element or of the shape of the result.
func (c call) asTensor(p any) *tensor.Tensor {
	if t, ok := p.(*tensor.Tensor); ok {
		return t.ToDType(tensor.F64)
	}
	return c.Device.Full(tensor.F64, p)
}
