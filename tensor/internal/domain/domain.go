// Package domain checks parameters of distributions: Go numbers and tensors. It is one file.
package domain

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Domain is the numbers that a parameter may be.
type Domain struct {
	Name      string // of the parameter
	Low, High float64
	Open      bool // without Low
	Whole     bool
}

// Finite, Positive and FromZero are finite numbers: all of them, those above 0, and 0 with those.
func Finite(name string) Domain {
	return Domain{Name: name, Low: -math.MaxFloat64, High: math.MaxFloat64}
}

func Positive(name string) Domain { return Domain{Name: name, High: math.MaxFloat64, Open: true} }

func FromZero(name string) Domain { return Domain{Name: name, High: math.MaxFloat64} }

// Probability is the numbers from 0 to 1.
func Probability(name string) Domain { return Domain{Name: name, High: 1} }

// Has reports whether x is one of the numbers.
func (d Domain) Has(x float64) bool {
	return (x > d.Low || x == d.Low && !d.Open) && x <= d.High && !(d.Whole && x != math.Floor(x))
}

// String says what the numbers are.
func (d Domain) String() string {
	kind := "numbers"
	if d.Whole {
		kind = "whole numbers"
	}
	switch {
	case d.Low == -math.MaxFloat64 && d.High == math.MaxFloat64:
		return "finite " + kind
	case d.Open && d.High < math.MaxFloat64:
		return kind + fmt.Sprintf(" above %v, up to %v", d.Low, d.High)
	case d.Open:
		return kind + fmt.Sprintf(" above %v", d.Low)
	case d.High == math.MaxFloat64:
		return kind + fmt.Sprintf(" from %v on", d.Low)
	}
	return kind + fmt.Sprintf(" from %v to %v", d.Low, d.High)
}

// Number converts a Go number. It panics with ErrDType for other values, and with ErrValue for one outside.
func (d Domain) Number(op string, v any) float64 {
	var number float64
	switch x := reflect.ValueOf(v); {
	case x.IsValid() && x.CanInt():
		number = float64(x.Int())
	case x.IsValid() && x.CanUint():
		number = float64(x.Uint())
	case x.IsValid() && x.CanFloat():
		number = x.Float()
	default:
		extend.Fail(op, tensor.ErrDType, nil, "", "%s is a %T: want a Go number or a tensor", d.Name, v)
	}
	if !d.Has(number) {
		d.outside(op, number)
	}
	return number
}

// Elements waits for the extremes of a tensor. It panics with ErrDType for complex elements, and with ErrValue for one
// outside.
func (d Domain) Elements(op string, t *tensor.Tensor) {
	if t.DType().IsComplex() {
		extend.DType(op, []*tensor.Tensor{t}, "%s is complex", d.Name)
	}
	if t.ElemCount() == 0 {
		return
	}
	p := t.Detach().ToDType(tensor.F64)
	for _, x := range []float64{p.Min().ToScalar(), p.Max().ToScalar()} { // NaN if there is one
		if !d.Has(x) && !(d.Whole && x != math.Floor(x)) {
			d.outside(op, x)
		}
	}
	if d.Whole && p.Ne(p.Floor()).ToDType(tensor.U8).Max().ToScalar() != 0 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{t}, "", "%s has fractions: want %v", d.Name, d)
	}
}

func (d Domain) outside(op string, x float64) {
	extend.Fail(op, tensor.ErrValue, nil, "", "%s is %v: want %v", d.Name, x, d)
}
