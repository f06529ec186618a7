package govalue

import (
	"reflect"

	"github.com/gorocm/gorocm/kernels"
)

// Types maps dtypes to the Go type that holds their elements: float32 for the small floats too.
var Types = map[kernels.DType]reflect.Type{
	kernels.Bool: reflect.TypeFor[bool](),
	kernels.U8:   reflect.TypeFor[uint8](), kernels.U16: reflect.TypeFor[uint16](), kernels.U32: reflect.TypeFor[uint32](),
	kernels.U64: reflect.TypeFor[uint64](),
	kernels.I8:  reflect.TypeFor[int8](), kernels.I16: reflect.TypeFor[int16](), kernels.I32: reflect.TypeFor[int32](),
	kernels.I64:  reflect.TypeFor[int64](),
	kernels.BF16: reflect.TypeFor[float32](), kernels.F16: reflect.TypeFor[float32](), kernels.F8E4M3: reflect.TypeFor[float32](),
	kernels.F32: reflect.TypeFor[float32](), kernels.F64: reflect.TypeFor[float64](),
	kernels.C64: reflect.TypeFor[complex64](), kernels.C128: reflect.TypeFor[complex128](),
}
