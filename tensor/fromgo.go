package tensor

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// New returns a tensor of a Go number, or of a slice or array of them nested to any depth. The element type is that of
// the numbers: float64 gives F64, int gives I64, uint16 gives U16, bool gives Bool, complex128 gives C128. It panics
// with ErrShape when inner slices have different lengths.
//
//	dev.New([][]float32{{1, 2}, {3, 4}}) // [[1, 2], [3, 4]] f32
func (d *Device) New(data any) *Tensor { return must(fromGo("new", data, nil, d)) }

// FromSlice returns a tensor of that shape from a flat slice of numbers in row-major order; New takes a slice alone.
// One size may be -1 and is then worked out. The slice is copied. It panics with ErrShape when the count does not fit.
//
//	dev.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, -1) // [[1, 2, 3], [4, 5, 6]] f32
func (d *Device) FromSlice(data any, shape ...int) *Tensor {
	return must(fromGo("from slice", data, append([]int{}, shape...), d))
}

// FromIter returns a tensor of rank 1 of the numbers that seq yields, an iter.Seq[float64] such as slices.Values gives.
// It panics with ErrDType when the dtype cannot hold one of them.
func (d *Device) FromIter(dtype DType, seq func(yield func(float64) bool)) *Tensor {
	const op = "from iter"
	check(checkNew(op, nil, dtype, d))
	var values []float64
	for v := range seq {
		_, err := number(op, v, dtype)
		check(err)
		values = append(values, v)
	}
	t := must(fromGo(op, values, []int{len(values)}, CPU()))
	return must(must(t.toDType(op, dtype)).toDevice(op, d))
}

// fromGo returns a tensor of data. Without a shape, nesting gives the shape; with one, data is a flat slice.
func fromGo(op string, data any, shape []int, dev *Device) (*Tensor, error) {
	if err := checkNew(op, nil, F32, dev); err != nil {
		return nil, err
	}
	v := reflect.ValueOf(data)
	dims, dt, err := govalue.Nesting(v)
	if err != nil {
		return nil, faultBelow(op, err)
	}
	if shape != nil {
		if len(dims) != 1 {
			return nil, (&Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("want a flat slice, not a %T", data)}).
				note("tensor.New takes nested slices")
		}
		scalar := len(shape) == 0
		if shape, err = inferShape(op, shape, dims[0]); err != nil {
			if scalar {
				err = asError(err).note("dev.New(x) makes a vector of a slice")
			}
			return nil, err
		}
	} else {
		shape = dims
	}
	if raw := govalue.Bytes(v, dt); len(raw) > 0 && !dev.IsCPU() {
		defer runtime.KeepAlive(data)
		return dense(CPU(), dt, shape, &host.Storage{Data: raw}).toDevice(op, dev)
	}
	raw := host.NewUninitialized(backend.Product(dims) * dt.Size())
	if err := govalue.Fill(raw, dt, dims, v); err != nil {
		return nil, faultBelow(op, err)
	}
	return dense(CPU(), dt, shape, raw).toDevice(op, dev)
}
