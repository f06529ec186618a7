package tensor

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
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

// Zeros returns a tensor of that shape filled with 0.
func Zeros(shape []int, dtype DType, dev *Device) *Tensor {
	return must(full("zeros", 0, shape, dtype, dev))
}

// Ones returns a tensor of that shape filled with 1.
func Ones(shape []int, dtype DType, dev *Device) *Tensor {
	return must(full("ones", 1, shape, dtype, dev))
}

// Full returns a tensor of that shape filled with value, any Go number that the dtype can hold; shape nil is a
// scalar. For a float type the number is rounded, and infinite beyond its range. It panics with ErrDType for other
// numbers.
func Full(value any, shape []int, dtype DType, dev *Device) *Tensor {
	return must(full("full", value, shape, dtype, dev))
}

// Empty returns a tensor of that shape with uninitialised elements, to be used where every element is written later.
func Empty(shape []int, dtype DType, dev *Device) *Tensor {
	return must(empty("empty", shape, dtype, dev))
}

// ZerosLike returns zeros with the shape, dtype and device of t.
func (t *Tensor) ZerosLike() *Tensor { return Zeros(t.layout.Shape, t.dtype, t.dev) }

// OnesLike returns ones with the shape, dtype and device of t.
func (t *Tensor) OnesLike() *Tensor { return Ones(t.layout.Shape, t.dtype, t.dev) }

// FullLike returns a tensor filled with value, with the shape, dtype and device of t.
func (t *Tensor) FullLike(value any) *Tensor { return Full(value, t.layout.Shape, t.dtype, t.dev) }

// EmptyLike returns a tensor of uninitialised elements with the shape, dtype and device of t.
func (t *Tensor) EmptyLike() *Tensor { return Empty(t.layout.Shape, t.dtype, t.dev) }

// RandLike returns uniform random numbers from lo to hi with the shape, dtype and device of t.
func (t *Tensor) RandLike(lo, hi float64) *Tensor {
	return Rand(lo, hi, t.layout.Shape, t.dtype, t.dev)
}

// RandnLike returns normal random numbers with the shape, dtype and device of t.
func (t *Tensor) RandnLike(mean, std float64) *Tensor {
	return Randn(mean, std, t.layout.Shape, t.dtype, t.dev)
}

// Arange returns start, start+1, … below end as a tensor of rank 1.
func Arange(start, end float64, dtype DType, dev *Device) *Tensor {
	return must(arange(start, end, 1, dtype, dev))
}

// ArangeStep returns start, start+step, … up to but without end as a tensor of rank 1. A negative step counts down.
// It panics with ErrShape when step is 0.
func ArangeStep(start, end, step float64, dtype DType, dev *Device) *Tensor {
	return must(arange(start, end, step, dtype, dev))
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
	if err := checkMemory(op, []int{n}, dt, dev); err != nil {
		return nil, err
	}
	by := backend.Scalar{Int: int64(step), Float: step}
	if dt.IsInt() && step != math.Trunc(step) {
		return nil, faultBelow(op, govalue.NotOf(step, dt))
	}
	s, err := dev.backend.Arange(dt, n, first, by)
	if err != nil {
		return nil, failure(op, dev, err)
	}
	return dense(dev, dt, []int{n}, s), nil
}

// Linspace returns n numbers at equal distances from start to end, both included, as a tensor of rank 1.
func Linspace(start, end float64, n int, dtype DType, dev *Device) *Tensor {
	check(checkNew("linspace", []int{n}, dtype, dev))
	values := make([]float64, n)
	for i := range values {
		values[i] = start + (end-start)*(float64(i)/float64(max(n-1, 1)))
	}
	if n > 1 {
		values[n-1] = end
	}
	return FromSlice(values, []int{n}, CPU()).ToDType(dtype).ToDevice(dev)
}

// Rand returns uniform random numbers from lo up to but without hi, which is not below lo. The dtype is a float type.
// Device.SetSeed makes them repeat. Package random has more distributions. It panics with ErrValue if lo is above hi.
func Rand(lo, hi float64, shape []int, dtype DType, dev *Device) *Tensor {
	return must(random("rand", false, lo, hi, shape, dtype, dev))
}

// Randn returns normal random numbers of that mean and standard deviation. The dtype is a float type.
// Device.SetSeed makes them repeat.
func Randn(mean, std float64, shape []int, dtype DType, dev *Device) *Tensor {
	return must(random("randn", true, mean, std, shape, dtype, dev))
}

func random(op string, normal bool, a, b float64, shape []int, dt DType, dev *Device) (*Tensor, error) {
	if err := checkNew(op, shape, dt, dev); err != nil {
		return nil, err
	}
	if !dt.IsFloat() {
		return nil, (&Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("random numbers are floats, not %v", dt),
			DTypes: []DType{dt}}).
			note("f32 works; random.Default(dev).Integers(0, 10, shape, tensor.I64, dev) are integers")
	}
	if !normal && a > b {
		return nil, &Error{Op: op, Kind: ErrValue, Message: fmt.Sprintf("%v is above the upper bound %v", a, b)}
	}
	return newFrom(op, dev, dt, shape, func() (backend.Storage, error) {
		n := backend.Product(shape)
		seed, counter := dev.draw(n)
		return dev.backend.Random(dt, n, normal, seed, counter, a, b)
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
func Eye(n int, dtype DType, dev *Device) *Tensor { return triangle("eye", n, dtype, dev, "eq") }

// Tril2 returns the n×n matrix with ones on and below the diagonal and zeros above.
func Tril2(n int, dtype DType, dev *Device) *Tensor { return triangle("tril2", n, dtype, dev, "ge") }

// Triu2 returns the n×n matrix with ones on and above the diagonal and zeros below.
func Triu2(n int, dtype DType, dev *Device) *Tensor { return triangle("triu2", n, dtype, dev, "le") }

// triangle has ones where the comparison of the row's index with the column's is true.
func triangle(op string, n int, dt DType, dev *Device, compare string) *Tensor {
	check(checkNew(op, []int{n, n}, dt, dev))
	cols := must(arange(0, float64(n), 1, I64, dev))
	return must(must(cols.Unsqueeze(1).compare(compare, cols)).toDType(op, dt))
}
