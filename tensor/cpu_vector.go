package tensor

import "github.com/gorocm/gorocm/tensor/internal/simd"

// The loops of package simd by the names of the op table. Each is nil where the processor has none, and for ops that have none;
// the loops in Go are used then.

func vectorUnary(name string) func(out, x []float32) {
	switch f := &simd.Fast; name {
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

func vectorBinary(name string) func(out, x, y []float32) {
	switch f := &simd.Fast; name {
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

func vectorAffine(mul, add float32) func(out, x []float32) {
	f := simd.Fast.Affine
	if f == nil {
		return nil
	}
	return func(out, x []float32) { f(out, x, mul, add) }
}
