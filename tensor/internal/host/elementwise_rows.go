package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Loops over dense rows for the most frequent ops. All operands have the length of out. They are checked against the
// references of the op table like every device. n is the size of the whole result.

func unaryRow[T element](op *kernels.UnaryOp, n int) func(out, x []T) {
	for _, fast := range []any{vectorUnary(op.Name, n), float32Row(op.Name), doubleUnary(op.Name, n)} {
		if f, ok := fast.(func(out, x []T)); ok && f != nil {
			return f
		}
	}
	switch op.Name {
	case "neg":
		return negRow[T]
	case "sqr":
		mul := binaryRow[T](backend.BinaryOps["mul"], n)
		return func(out, x []T) { mul(out, x, x) }
	case "relu":
		return reluRow[T]
	}
	f := func(x T) T { return T(op.Ref(float64(x))) }
	if isInteger[T]() {
		ref := op.IntRef(integerType[T]())
		f = func(x T) T { return T(ref(int64(x))) }
	}
	return func(out, x []T) {
		for i, v := range x[:len(out)] {
			out[i] = f(v)
		}
	}
}

// float32Row returns the loop of an op that only float32 has, nil if there is none.
func float32Row(name string) func(out, x []float32) {
	switch name {
	case "abs":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
			}
		}
	case "sqrt":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = float32(math.Sqrt(float64(v)))
			}
		}
	case "recip":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = 1 / v
			}
		}
	case "exp":
		return expRow
	case "log":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = log32(v)
			}
		}
	case "expm1":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = expm132(v)
			}
		}
	case "log1p":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = log1p32(v)
			}
		}
	case "softplus":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = softplus32(v)
			}
		}
	case "sin":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = sin32(v)
			}
		}
	case "cos":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = cos32(v)
			}
		}
	case "tan":
		return eachFloat(tan32)
	case "sinc":
		return eachFloat(sinc32)
	case "tanh":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = tanh32(v)
			}
		}
	case "gelu":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = gelu32(v)
			}
		}
	case "silu":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = silu32(v)
			}
		}
	case "sigmoid":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = sigmoid32(v)
			}
		}
	}
	return nil
}

func eachFloat(f func(x float32) float32) func(out, x []float32) {
	return func(out, x []float32) {
		for i, v := range x[:len(out)] {
			out[i] = f(v)
		}
	}
}

func expRow(out, x []float32) {
	for i, v := range x[:len(out)] {
		if v > -110 && v < 90 {
			out[i] = float32(expCore(float64(v)))
		} else {
			out[i] = float32(math.Exp(float64(v)))
		}
	}
}

func negRow[T element](out, x []T) {
	for i, v := range x[:len(out)] {
		out[i] = -v
	}
}

func reluRow[T element](out, x []T) {
	for i, v := range x[:len(out)] {
		if v < 0 {
			v = 0
		}
		out[i] = v
	}
}

func paramRow[T float32 | float64](op *kernels.ParamOp, p float64) func(out, x []T) {
	for _, fast := range []any{vectorParam(op, p), float32ParamRow(op, p)} {
		if f, ok := fast.(func(out, x []T)); ok && f != nil {
			return f
		}
	}
	return func(out, x []T) {
		for i, v := range x[:len(out)] {
			out[i] = T(op.Ref(float64(v), p))
		}
	}
}

func float32ParamRow(op *kernels.ParamOp, p float64) func(out, x []float32) {
	switch {
	case op.Name == "powf" && p == 2:
		return func(out, x []float32) { mulRow(out, x, x) }
	case op.Name == "powf":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = pow32(v, p, op.Ref)
			}
		}
	case op.Name == "elu":
		return func(out, x []float32) {
			for i, v := range x[:len(out)] {
				out[i] = elu32(v, p)
			}
		}
	}
	return nil
}

func binaryRow[T element](op *kernels.BinaryOp, n int) func(out, x, y []T) {
	for _, fast := range [...]func() any{ // which are made one by one, as each takes memory
		func() any { return vectorBinary(op.Name, n) },
		func() any { return doubleBinary(op.Name, n) },
		func() any { return integerBinary[T](op.Name, n) },
	} {
		if f, ok := fast().(func(out, x, y []T)); ok && f != nil {
			return f
		}
	}
	switch op.Name {
	case "add":
		return addRow[T]
	case "sub":
		return subRow[T]
	case "mul":
		return mulRow[T]
	case "div":
		if !isInteger[T]() { // integers divide by zero without a panic: the reference does so
			return divRow[T]
		}
	case "maximum":
		return maxRow[T]
	case "minimum":
		return minRow[T]
	case "logaddexp":
		if f, ok := any(logAddExpRow).(func(out, x, y []T)); ok {
			return f
		}
	case "fmax":
		return fmaxRow[T]
	case "fmin":
		return fminRow[T]
	case "pow":
		if f, ok := any(func(out, x, y []float32) {
			for i := range out {
				out[i] = pow32(x[i], float64(y[i]), op.Ref)
			}
		}).(func(out, x, y []T)); ok {
			return f
		}
	}
	f := func(x, y T) T { return T(op.Ref(float64(x), float64(y))) }
	if isInteger[T]() {
		ref := op.IntRef(integerType[T]())
		f = func(x, y T) T { return T(ref(int64(x), int64(y))) }
	}
	return func(out, x, y []T) {
		for i := range out {
			out[i] = f(x[i], y[i])
		}
	}
}

func addRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i := range out {
		out[i] = x[i] + y[i]
	}
}

func subRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i := range out {
		out[i] = x[i] - y[i]
	}
}

func mulRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i := range out {
		out[i] = x[i] * y[i]
	}
}

func divRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i := range out {
		out[i] = x[i] / y[i]
	}
}

// The builtins max and min return NaN if either operand is NaN, and order the zeros, as the references do.

func maxRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i := range out {
		out[i] = max(x[i], y[i])
	}
}

func minRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i := range out {
		out[i] = min(x[i], y[i])
	}
}

// fmaxRow and fminRow give the other element where one is NaN.

func fmaxRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i, a := range x {
		if b := y[i]; a != a || b > a {
			a = b
		}
		out[i] = a
	}
}

func fminRow[T element](out, x, y []T) {
	x, y = x[:len(out)], y[:len(out)]
	for i, a := range x {
		if b := y[i]; a != a || b < a {
			a = b
		}
		out[i] = a
	}
}

func compareRow[T element](op *kernels.CompareOp) func(out []uint8, x, y []T) {
	if f, ok := any(vectorCompare(op.Name)).(func(out []uint8, x, y []T)); ok && f != nil {
		return exactly2(f, plainCompareRow[T](op))
	}
	return plainCompareRow[T](op)
}

func plainCompareRow[T element](op *kernels.CompareOp) func(out []uint8, x, y []T) {
	switch op.Name {
	case "eq":
		return func(out []uint8, x, y []T) {
			for i := range out {
				out[i] = truth(x[i] == y[i])
			}
		}
	case "ne":
		return func(out []uint8, x, y []T) {
			for i := range out {
				out[i] = truth(x[i] != y[i])
			}
		}
	case "lt":
		return lessRow[T]
	case "gt":
		return func(out []uint8, x, y []T) { lessRow(out, y, x) }
	case "le":
		return atMostRow[T]
	case "ge":
		return func(out []uint8, x, y []T) { atMostRow(out, y, x) }
	}
	ref := op.IntRef(integerType[T]())
	return func(out []uint8, x, y []T) {
		for i := range out {
			if isInteger[T]() {
				out[i] = truth(ref(int64(x[i]), int64(y[i])))
			} else {
				out[i] = truth(op.Ref(float64(x[i]), float64(y[i])))
			}
		}
	}
}

// integerType is U64 for uint64, I64 for other types: the references of integers distinguish only these.
func integerType[T element]() kernels.DType {
	if sizeOf[T]() == 8 && T(0)-1 > 0 {
		return kernels.U64
	}
	return kernels.I64
}

func lessRow[T element](out []uint8, x, y []T) {
	for i := range out {
		out[i] = truth(x[i] < y[i])
	}
}

func atMostRow[T element](out []uint8, x, y []T) {
	for i := range out {
		out[i] = truth(x[i] <= y[i])
	}
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
