package tensor

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// goTypes maps the kinds of Go numbers to the element types of the same name.
var goTypes = map[reflect.Kind]DType{
	reflect.Float64: F64, reflect.Float32: F32,
	reflect.Int: I64, reflect.Int64: I64, reflect.Int32: I32, reflect.Int16: I16, reflect.Int8: I8,
	reflect.Uint: U64, reflect.Uint64: U64, reflect.Uint32: U32, reflect.Uint16: U16, reflect.Uint8: U8,
	reflect.Bool: Bool, reflect.Complex64: C64, reflect.Complex128: C128,
}

// New returns a tensor of a Go number, or of a slice or array of them nested to any depth, as in New([][]float32{{1,
// 2}, {3, 4}}, dev). The element type is that of the numbers: float64 gives F64, int gives I64, uint16 gives U16, bool
// gives Bool, complex128 gives C128. It panics with ErrShape when inner slices have different lengths.
func New(data any, dev *Device) *Tensor { return must(fromGo("new", data, nil, dev)) }

// FromSlice returns a tensor of that shape from a flat slice of numbers in row-major order. One size may be -1 and is
// then worked out. The slice is copied. It panics with ErrShape when the count does not fit.
func FromSlice(data any, shape []int, dev *Device) *Tensor {
	if shape == nil {
		shape = []int{}
	}
	return must(fromGo("from slice", data, shape, dev))
}

// FromIter returns a tensor of rank 1 of the numbers that seq yields, an iter.Seq[float64] such as slices.Values gives.
// It panics with ErrDType when the dtype cannot hold one of them.
func FromIter(seq func(yield func(float64) bool), dtype DType, dev *Device) *Tensor {
	const op = "from iter"
	check(checkNew(op, nil, dtype, dev))
	var values []float64
	for v := range seq {
		_, err := number(op, v, dtype)
		check(err)
		values = append(values, v)
	}
	if values == nil {
		return must(empty(op, []int{0}, dtype, dev))
	}
	t := must(fromGo(op, values, []int{len(values)}, CPU()))
	return must(must(t.toDType(op, dtype)).toDevice(op, dev))
}

// Of returns a tensor of rank 1 of these values, with type DefaultDType on DefaultDevice: F32 on the CPU, unless the
// program has changed them.
func Of(values ...float64) *Tensor {
	return FromSlice(values, []int{len(values)}, CPU()).ToDType(DefaultDType()).ToDevice(DefaultDevice())
}

// fromGo returns a tensor of data. Without a shape, nesting gives the shape; with one, data is a flat slice.
func fromGo(op string, data any, shape []int, dev *Device) (*Tensor, error) {
	if err := checkNew(op, nil, F32, dev); err != nil {
		return nil, err
	}
	v := reflect.ValueOf(data)
	dims, elem, err := nesting(op, v)
	if err != nil {
		return nil, err
	}
	if shape != nil {
		if len(dims) != 1 {
			return nil, (&Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("want a flat slice, not a %T", data)}).
				note("tensor.New takes nested slices")
		}
		if shape, err = inferShape(op, shape, dims[0]); err != nil {
			return nil, err
		}
	} else {
		shape = dims
	}
	dt := goTypes[elem]
	if raw := storedAlike(v, dt); len(raw) > 0 && !dev.IsCPU() {
		s, err := dev.backend.Upload(raw)
		if err != nil {
			return nil, failure(op, dev, err)
		}
		runtime.KeepAlive(data)
		return dense(dev, dt, shape, s), nil
	}
	f := filler{op: op, dims: dims, dtype: dt, raw: host.NewUninitialized(backend.Product(dims) * dt.Size())}
	if err := f.fill(v, 0); err != nil {
		return nil, err
	}
	if dev.IsCPU() || len(f.raw.Data) == 0 {
		t, err := empty(op, []int{0}, dt, dev)
		if err != nil {
			return nil, err
		}
		if dev.IsCPU() {
			t.store = f.raw
		}
		t.layout = backend.Dense(shape)
		return t, nil
	}
	s, err := dev.backend.Upload(f.raw.Data)
	if err != nil {
		return nil, failure(op, dev, err)
	}
	return dense(dev, dt, shape, s), nil
}

// nesting returns the sizes along the first elements, and the kind of the innermost ones.
func nesting(op string, v reflect.Value) ([]int, reflect.Kind, error) {
	dims := []int{}
	if !v.IsValid() {
		return nil, 0, &Error{Op: op, Kind: ErrDType, Message: "nil holds no numbers"}
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
	if _, ok := goTypes[typ.Kind()]; !ok {
		return nil, 0, (&Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("cannot make a tensor of %v", typ)}).
			note("want numbers or nested slices of them, such as [][]float32")
	}
	return dims, typ.Kind(), nil
}

// filler copies nested Go data into row-major elements.
type filler struct {
	op    string
	dims  []int
	dtype DType
	raw   *host.Storage
	at    int
}

func (f *filler) fill(v reflect.Value, depth int) error {
	if depth == len(f.dims) {
		return f.one(v)
	}
	if v.Len() != f.dims[depth] {
		return (&Error{Op: f.op, Kind: ErrShape,
			Message: fmt.Sprintf("ragged data: a slice of length %d where the first one has %d", v.Len(),
				f.dims[depth])}).
			note("every slice at the same depth must have the same length")
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
	raw := storedAlike(v, f.dtype)
	copy(f.raw.Data[f.at*f.dtype.Size():], raw)
	f.at += len(raw) / f.dtype.Size()
	return raw != nil
}

// storedAlike returns the bytes of a slice whose elements have the format of dt, nil for other values.
func storedAlike(v reflect.Value, dt DType) []byte {
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

func (f *filler) one(v reflect.Value) error {
	var s backend.Scalar
	switch {
	case v.CanComplex():
		if f.at++; f.dtype == C64 {
			host.View[complex64](f.raw.Data)[f.at-1] = complex64(v.Complex())
		} else {
			host.View[complex128](f.raw.Data)[f.at-1] = v.Complex()
		}
		return nil
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
	return nil
}
