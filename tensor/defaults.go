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

// DefaultDType returns the float type of what has no other: of Of, and of results of integers that are fractions, as
// in x.Sqrt() or x.Mul(0.5) of an I64. It is F32 unless SetDefaultDType has changed it.
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

// DefaultDevice returns the device of what names no other, as Of. It is the CPU unless SetDefaultDevice has changed it.
func DefaultDevice() *Device {
	if d := defaultDevice.Load(); d != nil {
		return d
	}
	return CPU()
}

// SetDefaultDevice sets the device that DefaultDevice returns, for the whole program.
func SetDefaultDevice(dev *Device) {
	if dev == nil {
		check((&Error{Op: "set default device", Kind: ErrDevice, Message: "the device is nil"}).
			note("tensor.CPU() is the host"))
	}
	defaultDevice.Store(dev)
}
