package kernels

import "fmt"

// DType is the element type of a tensor and of a kernel argument.
type DType uint8

// The element types. F16 is IEEE binary16, BF16 is the upper half of an F32, and F8E4M3 has four bits of exponent,
// three of mantissa, no infinities and one NaN (the OCP format, float8_e4m3fn in PyTorch); all three are storage types,
// computed in F32. What is beyond 448 becomes 448 as an F8E4M3, infinities too.
const (
	U8 DType = iota
	U32
	I16
	I32
	I64
	BF16
	F16
	F32
	F64
	F8E4M3
	numDTypes
)

type dtypeRow struct {
	name        string
	long        string
	size        int
	float       bool
	safetensors string
}

// dtypes is the one table of element types: name (also the C type in prelude.h and the suffix of kernel names), the
// name that PyTorch and NumPy have for it, size in bytes, kind, name in safetensors files.
var dtypes = [numDTypes]dtypeRow{
	U8: {"u8", "uint8", 1, false, "U8"}, U32: {"u32", "uint32", 4, false, "U32"},
	I16: {"i16", "int16", 2, false, "I16"}, I32: {"i32", "int32", 4, false, "I32"},
	I64:  {"i64", "int64", 8, false, "I64"},
	BF16: {"bf16", "bfloat16", 2, true, "BF16"}, F16: {"f16", "float16", 2, true, "F16"},
	F32: {"f32", "float32", 4, true, "F32"}, F64: {"f64", "float64", 8, true, "F64"},
	F8E4M3: {"f8e4m3", "float8_e4m3fn", 1, true, "F8_E4M3"},
}

// Sets of element types that op rows refer to.
var (
	Floats = []DType{BF16, F16, F32, F64, F8E4M3}
	Ints   = []DType{U8, U32, I16, I32, I64}
	All    = []DType{U8, U32, I16, I32, I64, BF16, F16, F32, F64, F8E4M3}
)

// String returns the short name: u8, u32, i16, i32, i64, bf16, f16, f32, f64 or f8e4m3.
func (d DType) String() string {
	if d >= numDTypes {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the size of one element in bytes.
func (d DType) Size() int { return dtypes[d].size }

// IsFloat reports whether d is a floating-point type.
func (d DType) IsFloat() bool { return dtypes[d].float }

// IsInt reports whether d is an integer type.
func (d DType) IsInt() bool { return !dtypes[d].float }

// IsSmallFloat reports whether d is a float type that is stored in fewer bits than the F32 it is computed in.
func (d DType) IsSmallFloat() bool { return d.IsFloat() && d.Size() < 4 }

// Safetensors returns the name of d in the header of a safetensors file, such as F32 or F8_E4M3.
func (d DType) Safetensors() string { return dtypes[d].safetensors }

// ParseDType returns the element type of that name, as String spells it or as PyTorch does, without torch: bf16 and
// bfloat16, i64 and int64. The error lists the short names.
func ParseDType(name string) (DType, error) {
	for d, row := range dtypes {
		if name == row.name || name == row.long {
			return DType(d), nil
		}
	}
	return 0, fmt.Errorf("unknown dtype %q: want one of %v", name, All)
}
