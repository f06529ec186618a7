package onnx

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// elem is the element type of a tensor, as TensorProto numbers them.
type elem int32

const (
	elemFloat elem = iota + 1
	elemUint8
	elemInt8
	elemUint16
	elemInt16
	elemInt32
	elemInt64
	elemString
	elemBool
	elemFloat16
	elemDouble
	elemUint32
	elemUint64
	elemComplex64
	elemComplex128
	elemBfloat16
	elemFloat8e4m3fn
	elemFloat8e4m3fnuz
	elemFloat8e5m2
	elemFloat8e5m2fnuz
	elemUint4
	elemInt4
	elemFloat4e2m1
	elemFloat8e8m0
	elemUint2
	elemInt2
)

// elems says for each type its name in ONNX, its bits in raw data, and the dtype of its tensors here. Types that no
// dtype equals are in one that holds all of their values, with the function that gives the value of their bits.
var elems = map[elem]struct {
	name  string
	bits  int
	dtype tensor.DType
	value func(bits uint8) float64 // nil for types that are dtypes
}{
	elemFloat:          {"float32", 32, tensor.F32, nil},
	elemUint8:          {"uint8", 8, tensor.U8, nil},
	elemInt8:           {"int8", 8, tensor.I8, nil},
	elemUint16:         {"uint16", 16, tensor.U16, nil},
	elemInt16:          {"int16", 16, tensor.I16, nil},
	elemInt32:          {"int32", 32, tensor.I32, nil},
	elemInt64:          {"int64", 64, tensor.I64, nil},
	elemBool:           {"bool", 8, tensor.Bool, nil},
	elemFloat16:        {"float16", 16, tensor.F16, nil},
	elemDouble:         {"float64", 64, tensor.F64, nil},
	elemUint32:         {"uint32", 32, tensor.U32, nil},
	elemUint64:         {"uint64", 64, tensor.U64, nil},
	elemComplex64:      {"complex64", 64, tensor.C64, nil},
	elemComplex128:     {"complex128", 128, tensor.C128, nil},
	elemBfloat16:       {"bfloat16", 16, tensor.BF16, nil},
	elemFloat8e4m3fn:   {"float8e4m3fn", 8, tensor.F8E4M3, nil},
	elemFloat8e4m3fnuz: {"float8e4m3fnuz", 8, tensor.F16, func(b uint8) float64 { return fnuz(b, 3) }},
	elemFloat8e5m2:     {"float8e5m2", 8, tensor.F16, e5m2},
	elemFloat8e5m2fnuz: {"float8e5m2fnuz", 8, tensor.F16, func(b uint8) float64 { return fnuz(b, 2) }},
	elemUint4:          {"uint4", 4, tensor.U8, func(b uint8) float64 { return float64(b) }},
	elemInt4:           {"int4", 4, tensor.I8, func(b uint8) float64 { return float64(int8(b<<4) >> 4) }},
	elemFloat4e2m1:     {"float4e2m1", 4, tensor.F16, e2m1},
	elemFloat8e8m0:     {"float8e8m0", 8, tensor.F32, e8m0},
	elemUint2:          {"uint2", 2, tensor.U8, func(b uint8) float64 { return float64(b) }},
	elemInt2:           {"int2", 2, tensor.I8, func(b uint8) float64 { return float64(int8(b<<6) >> 6) }},
}

// String returns the name of the type in ONNX.
func (e elem) String() string {
	if row, ok := elems[e]; ok {
		return row.name
	} else if e == elemString {
		return "string"
	}
	return fmt.Sprintf("element type %d", int32(e))
}

// dtype returns the dtype that equals a type, and an error for types that none equals.
func (e elem) dtype() (tensor.DType, error) {
	row, ok := elems[e]
	if !ok || row.value != nil {
		return 0, fmt.Errorf("tensors of %v are not supported", e)
	}
	return row.dtype, nil
}

// exact reports whether tensors of the type are of a dtype that equals it.
func (e elem) exact() bool { return elems[e].value == nil }

// e5m2 is IEEE-like with 5 bits of exponent and 2 of mantissa: the upper half of an F16.
func e5m2(b uint8) float64 {
	exp, m := int(b>>2&31), float64(b&3)
	switch {
	case exp == 31 && m == 0:
		return signed(b>>7, math.Inf(1))
	case exp == 31:
		return math.NaN()
	case exp == 0:
		return signed(b>>7, math.Ldexp(m, -16))
	}
	return signed(b>>7, math.Ldexp(4+m, exp-17))
}

// fnuz is a float of 8 bits with one zero, one NaN and no infinities, and so many bits of mantissa.
func fnuz(b uint8, mantissa int) float64 {
	if b == 0x80 {
		return math.NaN()
	}
	exp, m := int(b&0x7f)>>mantissa, float64(int(b)&(1<<mantissa-1))
	bias := 1 << (6 - mantissa) // one more than IEEE's
	if exp == 0 {
		return signed(b>>7, math.Ldexp(m, 1-bias-mantissa))
	}
	return signed(b>>7, math.Ldexp(m+float64(int(1)<<mantissa), exp-bias-mantissa))
}

// e2m1 is the FP4 of the OCP's microscaling formats.
func e2m1(b uint8) float64 {
	return signed(b>>3&1, [8]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}[b&7])
}

// e8m0 is the scale of the OCP's microscaling formats: a power of 2.
func e8m0(b uint8) float64 {
	if b == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(b)-127)
}

func signed(sign uint8, v float64) float64 {
	if sign != 0 {
		return math.Copysign(v, -1)
	}
	return v
}
