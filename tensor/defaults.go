package tensor

import (
	"fmt"
	"sync/atomic"
)

var (
	defaultDType  atomic.Uint32 // F32 at first
	defaultDevice atomic.Pointer[Device]
)

func init() { defaultDType.Store(uint32(F32)) }

// DefaultDType returns the float type of tensors whose type nothing else decides: those of Of, and fractions computed
// from integers, as in x.Sqrt() or x.Mul(0.5) of an I64. It is F32 unless SetDefaultDType has changed it.
func DefaultDType() DType { return DType(defaultDType.Load()) }

// SetDefaultDType sets the type that DefaultDType returns, for the whole program: F16, BF16, F32 or F64. It panics
// with ErrDType for other types.
func SetDefaultDType(dtype DType) {
	if !dtype.IsFloat() || dtype == F8E4M3 {
		check((&Error{Op: "set default dtype", Kind: ErrDType, DTypes: []DType{dtype},
			Message: fmt.Sprintf("%v cannot be the default", dtype)}).note("it is f16, bf16, f32 or f64"))
	}
	defaultDType.Store(uint32(dtype))
}

// DefaultDevice returns the device of tensors that Of and its like make: the CPU, unless SetDefaultDevice was used.
func DefaultDevice() *Device {
	if d := defaultDevice.Load(); d != nil {
		return d
	}
	return CPU()
}

// SetDefaultDevice sets the device that DefaultDevice returns, for the whole program.
func SetDefaultDevice(dev *Device) {
	check(checkNew("set default device", nil, F32, dev))
	defaultDevice.Store(dev)
}

// Zeros returns a tensor of that shape filled with 0, as Device.Zeros with the default dtype and device.
//
//	tensor.Zeros(2, 3)
func Zeros(shape ...int) *Tensor { return DefaultDevice().Zeros(DefaultDType(), shape...) }

// Ones returns a tensor of that shape filled with 1, as Device.Ones with the default dtype and device.
func Ones(shape ...int) *Tensor { return DefaultDevice().Ones(DefaultDType(), shape...) }

// Full returns a tensor of that shape filled with value, as Device.Full with the default dtype and device.
func Full(value any, shape ...int) *Tensor {
	return DefaultDevice().Full(DefaultDType(), value, shape...)
}

// Rand returns uniform random numbers from 0 to 1, as Device.Rand with the default dtype and device.
func Rand(shape ...int) *Tensor { return DefaultDevice().Rand(DefaultDType(), shape...) }

// Randn returns standard normal random numbers, as Device.Randn with the default dtype and device.
func Randn(shape ...int) *Tensor { return DefaultDevice().Randn(DefaultDType(), shape...) }

// Arange returns numbers in steps, as Device.Arange with the default dtype and device.
//
//	tensor.Arange(0, 1, 0.25) // [0, 0.25, 0.5, 0.75] f32
func Arange(bounds ...float64) *Tensor { return DefaultDevice().Arange(DefaultDType(), bounds...) }

// Linspace returns n numbers from start to end, as Device.Linspace with the default dtype and device.
func Linspace(start, end float64, n int) *Tensor {
	return DefaultDevice().Linspace(DefaultDType(), start, end, n)
}

// Eye returns the n×n identity matrix, as Device.Eye with the default dtype and device.
func Eye(n int) *Tensor { return DefaultDevice().Eye(DefaultDType(), n) }

// New returns a tensor of nested slices, as Device.New on the default device.
func New(data any) *Tensor { return DefaultDevice().New(data) }

// FromSlice returns a tensor of a flat slice, as Device.FromSlice on the default device.
func FromSlice(data any, shape ...int) *Tensor { return DefaultDevice().FromSlice(data, shape...) }

// Of returns a tensor of rank 1 of these values, with type DefaultDType on DefaultDevice: F32 on the CPU, unless the
// program has changed them.
func Of(values ...float64) *Tensor {
	return CPU().New(values).ToDType(DefaultDType()).ToDevice(DefaultDevice())
}
