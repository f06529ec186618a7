package group

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"
)

// ElemSizes are the bytes of the elements of types that groups take.
var ElemSizes = map[string]int{"u8": 1, "i32": 4, "u32": 4, "i64": 8, "f16": 2, "f32": 4, "f64": 8, "bf16": 2}

// Reduction says how the elements of several members become one. See rocm.Reduction.
type Reduction string

// The reductions.
const (
	Sum     Reduction = "sum"
	Product Reduction = "product"
	Max     Reduction = "max"
	Min     Reduction = "min"
)

// Reduce reduces the elements of all members, in the order of the members. f16 and bf16 are reduced in f32, as in
// kernels.
func Reduce(how Reduction, elem string, parts [][]byte) []byte {
	sums := numbersOf(elem, parts[0])
	for _, part := range parts[1:] {
		fold(how, sums, numbersOf(elem, part))
	}
	result := make([]byte, len(parts[0]))
	bytesOf(elem, result, sums)
	return result
}

// fold reduces two slices of one type to the first, element by element.
func fold(how Reduction, a, b any) {
	switch a := a.(type) {
	case []float32:
		foldNumbers(how, a, b.([]float32))
	case []float64:
		foldNumbers(how, a, b.([]float64))
	case []uint8:
		foldNumbers(how, a, b.([]uint8))
	case []int32:
		foldNumbers(how, a, b.([]int32))
	case []uint32:
		foldNumbers(how, a, b.([]uint32))
	case []int64:
		foldNumbers(how, a, b.([]int64))
	}
}

func foldNumbers[T float32 | float64 | uint8 | int32 | uint32 | int64](how Reduction, a, b []T) {
	for i, v := range b {
		switch how {
		case Sum:
			a[i] += v
		case Product:
			a[i] *= v
		case Max:
			a[i] = max(a[i], v)
		case Min:
			a[i] = min(a[i], v)
		}
	}
}

// numbersOf decodes elements. f16 and bf16 become float32.
func numbersOf(elem string, b []byte) any {
	le := binary.LittleEndian
	switch elem {
	case "u8":
		return read(b, 1, func(b []byte) uint8 { return b[0] })
	case "i32":
		return read(b, 4, func(b []byte) int32 { return int32(le.Uint32(b)) })
	case "u32":
		return read(b, 4, le.Uint32)
	case "i64":
		return read(b, 8, func(b []byte) int64 { return int64(le.Uint64(b)) })
	case "f16":
		return read(b, 2, func(b []byte) float32 { return float16.Frombits(le.Uint16(b)).Float32() })
	case "bf16":
		return read(b, 2, func(b []byte) float32 { return math.Float32frombits(uint32(le.Uint16(b)) << 16) })
	case "f32":
		return read(b, 4, func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) })
	}
	return read(b, 8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) })
}

// read makes a copy, since b is used again.
func read[T any](b []byte, size int, one func([]byte) T) []T {
	list := make([]T, len(b)/size)
	for i := range list {
		list[i] = one(b[i*size:])
	}
	return list
}

// bytesOf encodes elements.
func bytesOf(elem string, to []byte, values any) {
	le := binary.LittleEndian
	switch v := values.(type) {
	case []uint8:
		copy(to, v)
	case []int32:
		for i, x := range v {
			le.PutUint32(to[4*i:], uint32(x))
		}
	case []uint32:
		for i, x := range v {
			le.PutUint32(to[4*i:], x)
		}
	case []int64:
		for i, x := range v {
			le.PutUint64(to[8*i:], uint64(x))
		}
	case []float64:
		for i, x := range v {
			le.PutUint64(to[8*i:], math.Float64bits(x))
		}
	case []float32:
		for i, x := range v {
			switch elem {
			case "f16":
				le.PutUint16(to[2*i:], float16.Fromfloat32(x).Bits())
			case "bf16":
				le.PutUint16(to[2*i:], roundBF16(x))
			default:
				le.PutUint32(to[4*i:], math.Float32bits(x))
			}
		}
	}
}

// roundBF16 rounds to the nearest bf16, ties to even; NaN stays NaN.
func roundBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if x != x {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
