// Package simd has loops over floats in vector instructions, for processors that have them. It computes; it knows no tensors
// and starts no goroutines.
//
// The code is written by internal/gen/simd. Every function here has a loop in Go beside its caller, which is the reference that
// it is tested against, and which runs where a function is nil: on other processors, and with GOROCM_SIMD=go.
package simd

//go:generate go run -C ../../../internal/gen/simd . -out ../../../tensor/internal/simd/gen_amd64.s -stubs ../../../tensor/internal/simd/gen_amd64.go -pkg simd

// Functions are the vector loops for one kind of processor. Slices are as long as out, or longer, and may be empty.
// Out may be one of the operands, but must not overlap them otherwise.
type Functions struct {
	Name string // of the instruction set

	// out = x op y. Maximum and Minimum are NaN if either operand is, and order the zeros.
	Add, Sub, Mul, Div, Maximum, Minimum func(out, x, y []float32)

	// out = f(x): exactly, and for the second group within so many units in the last place as the op table allows.
	Neg, Abs, Sqrt, Recip, Relu    func(out, x []float32)
	Exp, Tanh, Sigmoid, Silu, Gelu func(out, x []float32)

	// out = x*mul + add, with two roundings.
	Affine func(out, x []float32, mul, add float32)
}

// Fast are the functions to use, and Stream those for results that are too large for the caches: they write past them, which
// saves reading what is overwritten, when out begins at a multiple of StreamAlign bytes. Both are set once, at start. Stream has
// elementwise functions only.
var Fast, Stream = fastest()

// StreamAlign is the alignment that the functions of Stream need, in bytes.
const StreamAlign = 64
