package compile

import (
	"fmt"
	"math"
	"reflect"
)

// TensorType is the element type of the tensors that a pointer to a type of C takes; "" where it takes any, or none.
func TensorType(elem string) string {
	switch elem {
	case "i8", "bool":
		return "u8"
	case "u16":
		return "i16"
	case "u64":
		return "i64"
	case "void":
		return ""
	}
	return elem
}

// Fits reports whether a pointer to the type param takes elements of a type: its own, that of the other sign where
// tensors lack it, or any for void and for unknown types.
func Fits(param, elem string) bool {
	switch {
	case param == "" || param == "void" || param == elem || TensorType(param) == elem:
		return true
	case param == "u16": // the bits of a 16-bit float
		return elem == "f16" || elem == "bf16"
	case param == "u8" || param == "i8":
		return elem == "f8e4m3"
	}
	return false
}

// ScalarBits converts a Go number, or a bool, to a type of C.
func ScalarBits(elem string, v reflect.Value) (bits uint64, size int, err error) {
	size = map[string]int{"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8,
		"f32": 4, "f64": 8}[elem]
	if size == 0 {
		return 0, 0, fmt.Errorf("a number of that type cannot be passed; pass a float and convert it in the kernel")
	}
	if v.Kind() == reflect.Bool {
		if v.Bool() {
			bits = 1
		}
		return bits, size, nil
	}
	switch elem[0] {
	case 'f':
		x, ok := toFloat(v)
		if !ok {
			return 0, 0, fmt.Errorf("that is not a number")
		}
		if elem == "f32" {
			return uint64(math.Float32bits(float32(x))), 4, nil
		}
		return math.Float64bits(x), 8, nil
	case 'b':
		return 0, 0, fmt.Errorf("that is not a bool")
	}
	return integerBits(elem, size, v)
}

func toFloat(v reflect.Value) (float64, bool) {
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}

// integerBits converts to an integer type. It is an error when the value is out of its range.
func integerBits(elem string, size int, v reflect.Value) (uint64, int, error) {
	signed := elem[0] == 'i'
	var x int64
	switch {
	case v.CanUint():
		u := v.Uint()
		if limit := uint64(1)<<(8*size-1)<<1 - 1; u > limit || signed && u > limit>>1 {
			return 0, 0, fmt.Errorf("%d is beyond its range", u)
		}
		return u, size, nil
	case v.CanInt():
		x = v.Int()
	case v.CanFloat():
		f := v.Float()
		if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			return 0, 0, fmt.Errorf("%v is not a whole number", f)
		}
		x = int64(f)
	default:
		return 0, 0, fmt.Errorf("that is not a number")
	}
	low, high := int64(0), int64(math.MaxInt64)
	switch {
	case signed:
		low, high = -1<<(8*size-1), 1<<(8*size-1)-1
	case size < 8:
		high = 1<<(8*size) - 1
	}
	if x < low || x > high {
		return 0, 0, fmt.Errorf("%d is beyond its range", x)
	}
	return uint64(x), size, nil
}
