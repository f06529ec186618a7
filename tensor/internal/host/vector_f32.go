package host

import (
	"math"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/vector"
)

// The loops of package simd by the names of the op table, for a result of n elements. A loop is nil where the
// processor or the op has none; the loop in Go is used then.

// streamed is the number of elements from which results are written past the caches (non-temporal stores): they would
// not fit there for the next operation.
const streamed = 2 << 20

// warmBytes is how many bytes of a result and its operands are assumed to stay in the caches until the next
// operation.
const warmBytes = 33 << 20

// streamable returns the number of elements of a result, of so many bytes each, or 0 if it should not be written past
// the caches although it is large: everything fits there, and the result goes to a block that was just freed.
func streamable(size int, ins ...backend.Operand) int {
	n := ins[0].Layout.ElemCount()
	if n < streamed {
		return n
	}
	bytes := n * size
	for _, in := range ins {
		if !in.Layout.MayOverlap() {
			bytes += n * in.DType.Size()
		}
	}
	if bytes <= warmBytes && heapBlocks.isWarm(n*size) {
		return 0
	}
	return n
}

// staysWarm is streamable for a result that has its memory already. bytes is all that is read and written.
func staysWarm(to backend.Storage, n, bytes int) int {
	if to.(*Storage).warm && bytes <= warmBytes {
		return 0
	}
	return n
}

// fence orders stores of a part of n elements that may have been written past the caches.
func fence(n int) {
	if n >= streamed && simd.Stream.Fence != nil {
		simd.Stream.Fence()
	}
}

func aligned[T any](out []T) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(out)))%simd.StreamAlign == 0
}

// streaming returns plain. For a result of n elements that is too large for the caches it returns a loop that uses
// stream for aligned parts.
func streaming[R, T any](n int, plain, stream func(out []R, x []T)) func(out []R, x []T) {
	if n < streamed || plain == nil || stream == nil {
		return plain
	}
	return func(out []R, x []T) {
		if aligned(out) {
			stream(out, x)
		} else {
			plain(out, x)
		}
	}
}

// streaming2 is streaming for functions of two operands.
func streaming2[T any](n int, plain, stream func(out, x, y []T)) func(out, x, y []T) {
	if n < streamed || plain == nil || stream == nil {
		return plain
	}
	return func(out, x, y []T) {
		if aligned(out) {
			stream(out, x, y)
		} else {
			plain(out, x, y)
		}
	}
}

// copyRow returns the function that copies parts of n elements.
func copyRow[B any](n int) func(dst, src []B) {
	plain := func(dst, src []B) { copy(dst, src) }
	if simd.Stream.Copy == nil || sizeOf[B]() < 4 {
		return plain
	}
	return streaming(n, plain, func(dst, src []B) { simd.Stream.Copy(asFloats(dst), asFloats(src)) })
}

func vectorUnary(name string, n int) func(out, x []float32) {
	switch name {
	case "sin":
		return inRange(simd.Fast.Sin, sin32)
	case "cos":
		return inRange(simd.Fast.Cos, cos32)
	case "tan":
		return inRange(simd.Fast.Tan, tan32)
	}
	if f := streaming(n, unaryOf(&simd.Fast, name), unaryOf(&simd.Stream, name)); f != nil {
		return f
	}
	if f := vector.Function(name); f != nil {
		return inDoubles(f)
	}
	return formulaLoops()[name]
}

// inDoubles computes in float64, and rounds.
func inDoubles(f func(out, x []float64)) func(out, x []float32) {
	return func(out, x []float32) {
		const part = 256
		wide, y := new([part]float64), new([part]float64)
		for len(out) > 0 {
			n := min(part, len(out))
			for i, v := range x[:n] {
				wide[i] = float64(v)
			}
			f(y[:n], wide[:n])
			for i, v := range y[:n] {
				out[i] = float32(v)
			}
			out, x = out[n:], x[n:]
		}
	}
}

// formulaLoops has the loops of the rows that have a formula and no assembly, by the rows' names.
var formulaLoops = sync.OnceValue(func() map[string]func(out, x []float32) {
	loops := map[string]func(out, x []float32){}
	for _, op := range kernels.Unary {
		if op.Formula != "" && simd.Fast.Formulas[op.Name] == nil {
			loops[op.Name] = simd.Formula(expr.Must(op.Formula, "x"))
		}
	}
	return loops
})

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
	case "sign":
		return f.Sign
	case "floor":
		return f.Floor
	case "ceil":
		return f.Ceil
	case "round":
		return f.Round
	case "log":
		return f.Log
	case "erf":
		return f.Erf
	case "gelu_erf":
		return f.GeluErf
	case "expm1":
		return f.Expm1
	case "log1p":
		return f.Log1p
	}
	return f.Formulas[name]
}

func vectorBinary(name string, n int) func(out, x, y []float32) {
	if f := simd.Fast.Powers; name == "pow" && f != nil {
		pow := backend.BinaryOps["pow"].Ref
		return func(out, x, y []float32) {
			if !f(out, x, y) {
				return
			}
			for i, r := range out {
				if !powerHolds(x[i], r) {
					out[i] = pow32(x[i], float64(y[i]), pow)
				}
			}
		}
	}
	return streaming2(n, binaryOf(&simd.Fast, name), binaryOf(&simd.Stream, name))
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

// vectorCompare returns a comparison for a multiple of simd.Whole elements, or nil.
func vectorCompare(name string) func(out []uint8, x, y []float32) {
	turn := func(f func(out []uint8, x, y []float32)) func(out []uint8, x, y []float32) {
		if f == nil {
			return nil
		}
		return func(out []uint8, x, y []float32) { f(out, y, x) }
	}
	f := &simd.Fast
	switch name {
	case "eq":
		return f.Equal
	case "ne":
		return f.Unequal
	case "lt":
		return f.Less
	case "le":
		return f.AtMost
	case "gt":
		return turn(f.Less)
	case "ge":
		return turn(f.AtMost)
	}
	return nil
}

// vectorParam is vectorUnary for an op with a parameter.
func vectorParam(op *kernels.ParamOp, p float64) func(out, x []float32) {
	f := simd.Fast
	switch {
	case f.Elu == nil:
		return nil
	case op.Name == "elu":
		return func(out, x []float32) { f.Elu(out, x, float32(p)) }
	case op.Name == "powf" && p == 2:
		return func(out, x []float32) { f.Mul(out, x, x) }
	case op.Name == "powf" && p-p == 0: // finite
		below := math.NaN()
		if math.Trunc(p) == p {
			below = 1 - 2*math.Abs(math.Mod(p, 2))
		}
		return func(out, x []float32) {
			if !f.Power(out, x, float32(p), float32(below)) {
				return
			}
			for i, v := range x[:len(out)] {
				if !powerHolds(v, out[i]) {
					out[i] = pow32(v, p, op.Ref)
				}
			}
		}
	}
	return nil
}

// powerHolds reports whether r, a power of x, is in the range of the loops of package simd.
func powerHolds(x, r float32) bool {
	return x >= 0x1p-126 && x <= math.MaxFloat32 && r > 0x1p-125 && r < math.MaxFloat32/2
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

// vectorPosition returns a function that finds the position of the element that extreme returns: the first of equal
// ones, or the first NaN.
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
		top := f.Max(x)
		sum := f.ExpSum(y, x, top)
		if log {
			logDistances(y, x, float64(top), math.Log(sum))
			return
		}
		f.Scale(y, y, float32(1/sum))
	}
}
