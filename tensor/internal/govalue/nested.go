package govalue

import (
	"fmt"
	"reflect"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Nesting returns the sizes along the first elements, and the element type of the innermost ones.
func Nesting(v reflect.Value) ([]int, kernels.DType, error) {
	dims := []int{}
	if !v.IsValid() {
		return nil, 0, &Error{Message: "nil holds no numbers"}
	}
	typ := v.Type()
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array {
		n := 0
		if v.IsValid() {
			n = v.Len()
		}
		dims = append(dims, n)
		typ = typ.Elem()
		if n > 0 {
			v = v.Index(0)
		} else {
			v = reflect.Value{}
		}
	}
	dt, ok := types[typ.Kind()]
	if !ok {
		return nil, 0, &Error{Message: fmt.Sprintf("cannot make a tensor of %v", typ),
			Note: "want numbers or nested slices of them, such as [][]float32"}
	}
	return dims, dt, nil
}

// Fill copies nested Go data to raw as row-major elements. Sizes and element type are those of Nesting. The error is
// for slices of other lengths than the first ones.
func Fill(raw *host.Storage, dt kernels.DType, dims []int, data reflect.Value) error {
	f := filler{dims: dims, dtype: dt, raw: raw}
	return f.fill(data, 0)
}

// filler copies nested Go data into row-major elements.
type filler struct {
	dims  []int
	dtype kernels.DType
	raw   *host.Storage
	at    int
}

func (f *filler) fill(v reflect.Value, depth int) error {
	if depth == len(f.dims) {
		f.one(v)
		return nil
	}
	if v.Len() != f.dims[depth] {
		return &Error{
			Ragged:  true,
			Message: fmt.Sprintf("ragged data: a slice of length %d where the first one has %d", v.Len(), f.dims[depth]),
			Note:    "every slice at the same depth must have the same length",
		}
	}
	if depth == len(f.dims)-1 && v.Kind() == reflect.Slice && f.flat(v) {
		return nil
	}
	for i := range v.Len() {
		if err := f.fill(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// flat copies a slice whose elements have the tensor's format.
func (f *filler) flat(v reflect.Value) bool {
	raw := Bytes(v, f.dtype)
	copy(f.raw.Data[f.at*f.dtype.Size():], raw)
	f.at += len(raw) / f.dtype.Size()
	return raw != nil
}

// Bytes returns the bytes of a slice whose elements have the format of dt, nil for other values.
func Bytes(v reflect.Value, dt kernels.DType) []byte {
	if v.Kind() != reflect.Slice {
		return nil
	}
	elem := v.Type().Elem()
	switch elem.Kind() {
	case reflect.Slice, reflect.Array:
		return nil
	}
	if int(elem.Size()) != dt.Size() || v.IsNil() {
		return nil
	}
	return host.BytesAt(v.UnsafePointer(), v.Len()*dt.Size())
}

// one copies a number.
func (f *filler) one(v reflect.Value) {
	var s backend.Scalar
	switch {
	case v.CanComplex():
		if f.at++; f.dtype == kernels.C64 {
			host.View[complex64](f.raw.Data)[f.at-1] = complex64(v.Complex())
		} else {
			host.View[complex128](f.raw.Data)[f.at-1] = v.Complex()
		}
		return
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			s.Int = 1
		}
	case v.CanInt():
		s.Int = v.Int()
	case v.CanUint():
		s.Int = int64(v.Uint())
	default:
		s.Float = v.Float()
	}
	f.raw.Set(f.dtype, f.at, s.Bits(f.dtype))
	f.at++
}
