package tensor

import (
	"math"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// The loops of package simd by the names of the op table, for a result of n elements. Each is nil where the processor has none,
// and for ops that have none; the loops in Go are used then.

// streamed is the number of elements from which results are written past the caches: the next operation would not find all of
// them there anyway.
const streamed = 2 << 20

// fence follows what may have written a part of n elements past the caches.
func fence(n int) {
	if n >= streamed && simd.Stream.Fence != nil {
		simd.Stream.Fence()
	}
}

func aligned(out []float32) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(out)))%simd.StreamAlign == 0
}

func vectorUnary(name string, n int) func(out, x []float32) {
	plain := unaryOf(&simd.Fast, name)
	if n < streamed || plain == nil {
		return plain
	}
	stream := unaryOf(&simd.Stream, name)
	return func(out, x []float32) {
		if aligned(out) {
			stream(out, x)
		} else {
			plain(out, x)
		}
	}
}

func unaryOf(f *simd.Functions, name string) func(out, x []float32) {
	switch name {
	case "neg":
		return f.Neg
	case "abs":
		return f.Abs
	case "sqrt":
		return f.Sqrt
	case "recip":
		return f.Recip
	case "relu":
		return f.Relu
	case "exp":
		return f.Exp
	case "tanh":
		return f.Tanh
	case "sigmoid":
		return f.Sigmoid
	case "silu":
		return f.Silu
	case "gelu":
		return f.Gelu
	}
	return nil
}

func vectorBinary(name string, n int) func(out, x, y []float32) {
	plain := binaryOf(&simd.Fast, name)
	if n < streamed || plain == nil {
		return plain
	}
	stream := binaryOf(&simd.Stream, name)
	return func(out, x, y []float32) {
		if aligned(out) {
			stream(out, x, y)
		} else {
			plain(out, x, y)
		}
	}
}

func binaryOf(f *simd.Functions, name string) func(out, x, y []float32) {
	switch name {
	case "add":
		return f.Add
	case "sub":
		return f.Sub
	case "mul":
		return f.Mul
	case "div":
		return f.Div
	case "maximum":
		return f.Maximum
	case "minimum":
		return f.Minimum
	}
	return nil
}

func vectorAffine(mul, add float32, n int) func(out, x []float32) {
	plain, stream := simd.Fast.Affine, simd.Stream.Affine
	if plain == nil {
		return nil
	}
	return func(out, x []float32) {
		if n >= streamed && aligned(out) {
			stream(out, x, mul, add)
		} else {
			plain(out, x, mul, add)
		}
	}
}

// vectorPosition returns what finds the element that extreme gives, the first of equal ones or the first NaN.
func vectorPosition(extreme func(row []float32) float32) func(row []float32) uint32 {
	if extreme == nil {
		return nil
	}
	return func(row []float32) uint32 {
		v := extreme(row)
		if v != v {
			return uint32(simd.Fast.FindNaN(row))
		}
		return uint32(simd.Fast.Find(row, v))
	}
}

func vectorSoftmax() func(y, x []float32, log bool) {
	f := simd.Fast
	if f.ExpSum == nil {
		return nil
	}
	return func(y, x []float32, log bool) {
		top := f.Greatest(x)
		sum := f.ExpSum(y, x, top)
		if log {
			logDistances(y, x, float64(top), math.Log(sum))
			return
		}
		f.Scale(y, y, float32(1/sum))
	}
}
