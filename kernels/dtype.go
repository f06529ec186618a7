package kernels

import (
	"fmt"
	"slices"
)

// DType is the element type of a tensor and of a kernel argument.
type DType uint8

// The element types. Bool is one byte, 0 or 1, and the kernels of U8 compute with it. F16 is IEEE binary16, BF16 is the
// upper half of an F32, and F8E4M3 has four bits of exponent, three of mantissa, no infinities and one NaN (the OCP
// format, float8_e4m3fn in PyTorch); all three are storage types, computed in F32. What is beyond 448 becomes 448 as an
// F8E4M3, infinities too. C64 is a complex number of two F32, the real part first, and C128 one of two F64.
const (
	Bool DType = iota
	U8
	I8
	U16
	I16
	U32
	I32
	U64
	I64
	F8E4M3
	BF16
	F16
	F32
	F64
	C64
	C128
	numDTypes
)

// Kind is the category of an element type. Where operands differ in kind, the later one wins (see tensor.Promote).
type Kind uint8

// The kinds of element types.
const (
	KindBool Kind = iota
	KindInt
	KindFloat
	KindComplex
)

type dtypeRow struct {
	name        string
	long        string
	size        int
	kind        Kind
	safetensors string
}

// dtypes is the one table of element types: name (also the C type in prelude.h and the suffix of kernel names), the
// name that PyTorch and NumPy have for it, size in bytes, kind, name in safetensors files.
var dtypes = [numDTypes]dtypeRow{
	Bool:   {"bool", "bool_", 1, KindBool, "BOOL"},
	U8:     {"u8", "uint8", 1, KindInt, "U8"},
	I8:     {"i8", "int8", 1, KindInt, "I8"},
	U16:    {"u16", "uint16", 2, KindInt, "U16"},
	I16:    {"i16", "int16", 2, KindInt, "I16"},
	U32:    {"u32", "uint32", 4, KindInt, "U32"},
	I32:    {"i32", "int32", 4, KindInt, "I32"},
	U64:    {"u64", "uint64", 8, KindInt, "U64"},
	I64:    {"i64", "int64", 8, KindInt, "I64"},
	F8E4M3: {"f8e4m3", "float8_e4m3fn", 1, KindFloat, "F8_E4M3"},
	BF16:   {"bf16", "bfloat16", 2, KindFloat, "BF16"},
	F16:    {"f16", "float16", 2, KindFloat, "F16"},
	F32:    {"f32", "float32", 4, KindFloat, "F32"},
	F64:    {"f64", "float64", 8, KindFloat, "F64"},
	C64:    {"c64", "complex64", 8, KindComplex, "C64"},
	C128:   {"c128", "complex128", 16, KindComplex, ""}, // the format of safetensors lacks it
}

// Sets of element types that op rows refer to. Numbers have kernels of their own; Bool is stored as U8. Complex types
// are in none of the other sets: their operations are those of ComplexOps, and what the operations of their parts give.
var (
	Ints    = []DType{U8, I8, U16, I16, U32, I32, U64, I64}
	Floats  = []DType{F8E4M3, BF16, F16, F32, F64}
	Numbers = slices.Concat(Ints, Floats)
	All     = slices.Concat([]DType{Bool}, Numbers)
	Complex = []DType{C64, C128}
)

// String returns the short name: bool, u8, i8, u16, i16, u32, i32, u64, i64, f8e4m3, bf16, f16, f32, f64, c64 or c128.
func (d DType) String() string {
	if d >= numDTypes {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the size of one element in bytes.
func (d DType) Size() int { return dtypes[d].size }

// Kind returns the category of d.
func (d DType) Kind() Kind { return dtypes[d].kind }

// IsFloat reports whether d is a floating-point type.
func (d DType) IsFloat() bool { return dtypes[d].kind == KindFloat }

// IsComplex reports whether d is a complex type.
func (d DType) IsComplex() bool { return dtypes[d].kind == KindComplex }

// Real returns the type of the parts of a complex type: F32 for C64, F64 for C128. It is d itself for other types.
func (d DType) Real() DType {
	switch d {
	case C64:
		return F32
	case C128:
		return F64
	}
	return d
}

// IsInt reports whether d is an integer type. Bool is not.
func (d DType) IsInt() bool { return dtypes[d].kind == KindInt }

// IsSmallFloat reports whether d is a float type that is stored in fewer bits than the F32 it is computed in.
func (d DType) IsSmallFloat() bool { return d.IsFloat() && d.Size() < 4 }

// Stored returns the type whose kernels compute with the elements of d: U8 for Bool, d itself for numbers.
func (d DType) Stored() DType {
	if d == Bool {
		return U8
	}
	return d
}

// Safetensors returns the name of d in the header of a safetensors file, such as F32 or F8_E4M3. It is
// empty for C128, which they cannot hold.
func (d DType) Safetensors() string { return dtypes[d].safetensors }

// ParseDType returns the element type of that name, as String spells it or as PyTorch does, without torch: bf16 and
// bfloat16, i64 and int64. The error lists the short names.
func ParseDType(name string) (DType, error) {
	for d, row := range dtypes {
		if name == row.name || name == row.long {
			return DType(d), nil
		}
	}
	return 0, fmt.Errorf("unknown dtype %q: want one of %v", name, slices.Concat(All, Complex))
}
