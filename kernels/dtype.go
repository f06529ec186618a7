package kernels

import "fmt"

// DType is the element type of a tensor and of a kernel argument.
type DType uint8

// The element types. F16 is IEEE binary16, BF16 is the upper half of an F32; both are stored in two bytes and computed in F32.
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
	numDTypes
)

type dtypeRow struct {
	name  string
	size  int
	float bool
}

// dtypes is the one table of element types: name (also the C type in prelude.h and the suffix of kernel names), size in bytes, kind.
var dtypes = [numDTypes]dtypeRow{
	U8: {"u8", 1, false}, U32: {"u32", 4, false}, I16: {"i16", 2, false}, I32: {"i32", 4, false}, I64: {"i64", 8, false},
	BF16: {"bf16", 2, true}, F16: {"f16", 2, true}, F32: {"f32", 4, true}, F64: {"f64", 8, true},
}

// Sets of element types that op rows refer to.
var (
	Floats = []DType{BF16, F16, F32, F64}
	Ints   = []DType{U8, U32, I16, I32, I64}
	All    = []DType{U8, U32, I16, I32, I64, BF16, F16, F32, F64}
)

// String returns the short name: u8, u32, i16, i32, i64, bf16, f16, f32 or f64.
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

// ParseDType returns the element type of that name, as String spells it. The error lists the names.
func ParseDType(name string) (DType, error) {
	for d, row := range dtypes {
		if row.name == name {
			return DType(d), nil
		}
	}
	return 0, fmt.Errorf("unknown dtype %q: want one of %v", name, All)
}
