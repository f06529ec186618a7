// Package govalue takes Go numbers, and slices and arrays of them nested to any depth, as elements of tensors.
//
// # Files
//
//	govalue.go  the element types of Go's numbers; Error
//	number.go   one number as an element of any type
//	nested.go   nested slices as row-major elements
//
// # Invariants
//
//   - A number becomes an element exactly, or to the nearest float; otherwise there is an Error.
//   - Functions that return an error return an *Error.
package govalue

import (
	"fmt"
	"reflect"

	"github.com/gorocm/gorocm/kernels"
)

// Error says why a Go value cannot become elements.
type Error struct {
	Ragged  bool   // whether slices have different lengths; otherwise it is the type or the value that does not fit
	Message string // what is wrong, with the facts, on one line
	Note    string // what to do about it, if anything
	DTypes  []kernels.DType
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// NotOf is the error for a number that an element type does not have.
func NotOf(v any, dt kernels.DType) *Error {
	return &Error{Message: fmt.Sprintf("%v is not a value of %v", v, dt), DTypes: []kernels.DType{dt}}
}

// IsNumber reports whether v is a Go number or bool.
func IsNumber(v any) bool {
	rv := reflect.ValueOf(v)
	return rv.CanInt() || rv.CanUint() || rv.CanFloat() || rv.CanComplex() || rv.Kind() == reflect.Bool
}

// types maps the kinds of Go numbers to the element types of the same name.
var types = map[reflect.Kind]kernels.DType{
	reflect.Float64: kernels.F64, reflect.Float32: kernels.F32,
	reflect.Int: kernels.I64, reflect.Int64: kernels.I64, reflect.Int32: kernels.I32, reflect.Int16: kernels.I16,
	reflect.Int8: kernels.I8,
	reflect.Uint: kernels.U64, reflect.Uint64: kernels.U64, reflect.Uint32: kernels.U32, reflect.Uint16: kernels.U16,
	reflect.Uint8: kernels.U8,
	reflect.Bool:  kernels.Bool, reflect.Complex64: kernels.C64, reflect.Complex128: kernels.C128,
}
