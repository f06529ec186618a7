package tensor

import "github.com/gorocm/gorocm/kernels"

// DType is the element type of a tensor.
type DType = kernels.DType

// The element types. Bool has the values false and true; comparisons give it. The integers U8 to I64 wrap. F16 is IEEE
// half precision, BF16 the upper half of an F32, F8E4M3 an 8-bit float with four bits of exponent, three of mantissa
// and no infinities, as float8_e4m3fn in PyTorch. These three are stored in two bytes or one, and computed in F32. A
// number beyond ±448 becomes ±448 as an F8E4M3. C64 is a complex number of two F32, C128 one of two F64.
const (
	Bool   = kernels.Bool
	U8     = kernels.U8
	I8     = kernels.I8
	U16    = kernels.U16
	I16    = kernels.I16
	U32    = kernels.U32
	I32    = kernels.I32
	U64    = kernels.U64
	I64    = kernels.I64
	F8E4M3 = kernels.F8E4M3
	BF16   = kernels.BF16
	F16    = kernels.F16
	F32    = kernels.F32
	F64    = kernels.F64
	C64    = kernels.C64
	C128   = kernels.C128
)

// ParseDType returns the element type of that name, such as f32; the names that PyTorch and config files have, such as
// float32 and bfloat16, are understood too. The error lists the short names.
func ParseDType(name string) (DType, error) { return kernels.ParseDType(name) }
