package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// checkNew checks the shape, dtype and device of a new tensor.
func checkNew(op string, shape []int, dt DType, dev *Device) error {
	if dev == nil {
		return (&Error{Op: op, Kind: ErrDevice, Message: "the device is nil"}).note("tensor.CPU() is the host")
	}
	return checkShape(op, shape, dt)
}

func empty(op string, shape []int, dt DType, dev *Device) (*Tensor, error) {
	if err := checkNew(op, shape, dt, dev); err != nil {
		return nil, err
	}
	if err := checkMemory(op, shape, dt, dev); err != nil {
		return nil, err
	}
	s, err := dev.backend.Alloc(backend.Product(shape) * dt.Size())
	if err != nil {
		return nil, failure(op, dev, err)
	}
	return dense(dev, dt, shape, s), nil
}

func full(op string, v any, shape []int, dt DType, dev *Device) (*Tensor, error) {
	s, err := number(op, v, dt)
	if err != nil {
		return nil, err
	}
	t, err := empty(op, shape, dt, dev)
	if err != nil || t.ElemCount() == 0 {
		return t, err
	}
	return t, failure(op, dev, dev.fill(t.operand(), s))
}

// Zeros returns a tensor of that shape filled with 0; without sizes it is a scalar.
//
//	dev.Zeros(tensor.F16, 2, 3)
func (d *Device) Zeros(dtype DType, shape ...int) *Tensor {
	return must(full("zeros", 0, shape, dtype, d))
}

// Ones returns a tensor of that shape filled with 1.
func (d *Device) Ones(dtype DType, shape ...int) *Tensor {
	return must(full("ones", 1, shape, dtype, d))
}

// Full returns a tensor of that shape filled with value, any Go number that the dtype can hold. For a float type the
// number is rounded, and infinite beyond its range. It panics with ErrDType for other numbers.
func (d *Device) Full(dtype DType, value any, shape ...int) *Tensor {
	return must(full("full", value, shape, dtype, d))
}

// Empty returns a tensor of that shape with uninitialised elements, to be used where every element is written later.
func (d *Device) Empty(dtype DType, shape ...int) *Tensor {
	return must(empty("empty", shape, dtype, d))
}

// ZerosLike returns zeros with the shape, dtype and device of t.
func (t *Tensor) ZerosLike() *Tensor { return t.dev.Zeros(t.dtype, t.layout.Shape...) }

// OnesLike returns ones with the shape, dtype and device of t.
func (t *Tensor) OnesLike() *Tensor { return t.dev.Ones(t.dtype, t.layout.Shape...) }

// FullLike returns a tensor filled with value, with the shape, dtype and device of t.
func (t *Tensor) FullLike(value any) *Tensor { return t.dev.Full(t.dtype, value, t.layout.Shape...) }

// EmptyLike returns a tensor of uninitialised elements with the shape, dtype and device of t.
func (t *Tensor) EmptyLike() *Tensor { return t.dev.Empty(t.dtype, t.layout.Shape...) }

// RandLike returns uniform random numbers from 0 up to but without 1, with the shape, dtype and device of t.
func (t *Tensor) RandLike() *Tensor { return t.dev.Rand(t.dtype, t.layout.Shape...) }

// RandnLike returns standard normal random numbers with the shape, dtype and device of t.
func (t *Tensor) RandnLike() *Tensor { return t.dev.Randn(t.dtype, t.layout.Shape...) }

// Arange returns a tensor of rank 1 of the numbers 0, 1, … below end, for one argument; start, start+1, … below end for
// two; and start, start+step, … up to but without end for three, where a negative step counts down. It panics with
// ErrShape for other counts of arguments, and when step is 0.
//
//	dev.Arange(tensor.I64, 2, 5) // [2, 3, 4] i64
func (d *Device) Arange(dtype DType, bounds ...float64) *Tensor {
	start, end, step := 0.0, 0.0, 1.0
	switch len(bounds) {
	case 1:
		end = bounds[0]
	case 2:
		start, end = bounds[0], bounds[1]
	case 3:
		start, end, step = bounds[0], bounds[1], bounds[2]
	default:
		check((&Error{Op: "arange", Kind: ErrShape, Message: fmt.Sprintf("%v are no bounds", bounds)}).
			note("want the end, or the start and the end, or these and the step"))
	}
	return must(arange(start, end, step, dtype, d))
}

func arange(start, end, step float64, dt DType, dev *Device) (*Tensor, error) {
	const op = "arange"
	count := math.Ceil((end - start) / step)
	if step == 0 || math.IsNaN(count) || count > 1<<53 {
		return nil, &Error{Op: op, Kind: ErrShape,
			Message: fmt.Sprintf("no way from %v to %v in steps of %v", start, end, step)}
	}
	n := max(0, int(count))
	if err := checkNew(op, []int{n}, dt, dev); err != nil {
		return nil, err
	}
	if dt.IsComplex() {
		x, err := arange(start, end, step, dt.Real(), dev)
		if err != nil {
			return nil, err
		}
		return x.toDType(op, dt)
	}
	if n == 0 {
		return empty(op, []int{0}, dt, dev)
	}
	first, err := number(op, start, dt)
	if err != nil {
		return nil, err
	}
	if _, err := number(op, start+float64(n-1)*step, dt); err != nil {
		return nil, err
	}
	by := backend.Scalar{Int: int64(step), Float: step}
	if dt.IsInt() && step != math.Trunc(step) {
		return nil, faultBelow(op, govalue.NotOf(step, dt))
	}
	return newFrom(op, dev, dt, []int{n}, func() (backend.Storage, error) {
		return dev.backend.Arange(dt, n, first, by)
	})
}

// Linspace returns n numbers at equal distances from start to end, both included, as a tensor of rank 1.
func (d *Device) Linspace(dtype DType, start, end float64, n int) *Tensor {
	check(checkNew("linspace", []int{n}, dtype, d))
	t := must(empty("linspace", []int{n}, F64, CPU()))
	values := host.View[float64](t.store.(*host.Storage).Data)
	for i := range values {
		values[i] = start + (end-start)*(float64(i)/float64(max(n-1, 1)))
	}
	if n > 1 {
		values[n-1] = end
	}
	return t.ToDType(dtype).ToDevice(d)
}

// Rand returns uniform random numbers from 0 up to but without 1. The dtype is a float type, or a complex one: both
// parts are such numbers. Device.SetSeed makes them repeat. Package random has more distributions.
func (d *Device) Rand(dtype DType, shape ...int) *Tensor {
	return must(random("rand", false, shape, dtype, d))
}

// Randn returns normal random numbers of mean 0 and standard deviation 1. The dtype is a float type, or a complex one:
// the parts have a variance of 1/2. Device.SetSeed makes them repeat.
func (d *Device) Randn(dtype DType, shape ...int) *Tensor {
	return must(random("randn", true, shape, dtype, d))
}

func random(op string, normal bool, shape []int, dt DType, dev *Device) (*Tensor, error) {
	if err := checkNew(op, shape, dt, dev); err != nil {
		return nil, err
	}
	if dt.IsComplex() {
		x, err := random(op, normal, append(slices.Clone(shape), 2), dt.Real(), dev)
		if err == nil && normal {
			x, err = x.binary("mul", math.Sqrt2/2)
		}
		return asComplex(x, err)
	}
	if !dt.IsFloat() {
		return nil, (&Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("random numbers are floats, not %v", dt),
			DTypes: []DType{dt}}).
			note("f32 works; random.Default(dev).Integers(0, 10, shape, tensor.I64, dev) are integers")
	}
	return newFrom(op, dev, dt, shape, func() (backend.Storage, error) {
		n := backend.Product(shape)
		seed, counter := dev.draw(n)
		return dev.backend.Random(dt, n, normal, seed, counter, 0, 1)
	})
}

// newFrom returns a dense tensor of memory that run has filled. Without elements there is nothing to run.
func newFrom(op string, dev *Device, dt DType, shape []int, run func() (backend.Storage, error)) (*Tensor, error) {
	if backend.Product(shape) == 0 {
		return empty(op, shape, dt, dev)
	}
	if err := checkMemory(op, shape, dt, dev); err != nil {
		return nil, err
	}
	s, err := run()
	if err != nil {
		return nil, failure(op, dev, err)
	}
	return dense(dev, dt, shape, s), nil
}

// Eye returns the n×n matrix with ones on the diagonal and zeros elsewhere.
func (d *Device) Eye(dtype DType, n int) *Tensor {
	const op = "eye"
	check(checkNew(op, []int{n, n}, dtype, d))
	ids := must(arange(0, float64(n), 1, I64, d))
	return must(must(ids.Unsqueeze(1).compare("eq", ids)).toDType(op, dtype))
}
