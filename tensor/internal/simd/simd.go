// Package simd has loops over floats in vector instructions, for processors that have them. It computes; it knows no
// tensors and starts no goroutines.
//
// The code is written by internal/gen/simd. Every function here has a loop in Go beside its caller, which is the
// reference that it is tested against, and which runs where a function is nil: on other processors, and with
// GOROCM_SIMD=go.
package simd

//go:generate go run -C ../../../internal/gen/simd . -out ../../../tensor/internal/simd/gen_amd64.s -stubs ../../../tensor/internal/simd/gen_amd64.go -pkg simd -tables ../../../tensor/internal/simd/gen_formulas_amd64.go
//go:generate go run -C ../../../internal/gen/simd . broadcast ../../../tensor/internal/simd/gen_amd64.s

// Functions are the vector loops for one kind of processor. Slices are as long as out, or longer, and may be empty.
// Out may be one of the operands, but must not overlap them otherwise.
type Functions struct {
	Name string // of the instruction set

	// Fence must come after functions of Stream before another goroutine reads what they wrote.
	Fence func()
	// Copy sets out to x. It is one of Stream only: elsewhere there is the builtin. It moves bits, whatever they mean.
	Copy func(out, x []float32)

	// out = x op y. Maximum and Minimum are NaN if either operand is, and order the zeros.
	Add, Sub, Mul, Div, Maximum, Minimum func(out, x, y []float32)

	// out = f(x): exactly, and for the second group within so many units in the last place as the op table allows.
	Neg, Abs, Sqrt, Recip, Relu, Sign, Floor, Ceil, Round func(out, x []float32)
	Exp, Tanh, Sigmoid, Silu, Gelu, Log, Erf, GeluErf     func(out, x []float32)
	Expm1, Log1p                                          func(out, x []float32)
	Elu                                                   func(out, x []float32, alpha float32)
	// Formulas are the rows of the op table that have a formula, by their names: see Formula.
	Formulas map[string]func(out, x []float32)

	// These report whether there are elements that they are not for, whose results are arbitrary: Sin, Cos and Tan are
	// for |x| ≤ TurnLimit, and Power, which is |x| to the p, times below for negative x, for normal x and results that are
	// normal too.
	Sin, Cos, Tan func(out, x []float32) bool
	Power         func(out, x []float32, p, below float32) bool
	Powers        func(out, x, p []float32) bool // x to the p, also not for negative x

	// out = x*mul + add, with two roundings.
	Affine func(out, x []float32, mul, add float32)
	// Clamp is the lesser of hi and the greater of lo and x, NaN where x is. Of the greater the bits of keep stay, and
	// those of set are set at the end: for zeros as bounds, which may be given for the other zero otherwise.
	Clamp func(out, x []float32, lo, hi float32, keep, set uint32)

	// Sums are made of SumLanes sums side by side, in doubles: element i goes to sum i modulo SumLanes, and the sums
	// are then added in halves. They are the same on every processor.
	Sum     func(x []float32) float64
	SumEach func(sums []float64, x []float32, n int)      // of the rows of n elements of x
	Squares func(x []float32, mean float64) float64       // of x - mean
	ExpSum  func(out, x []float32, top float32) float64   // out = exp(x - top), and the sum of out
	AddRows func(sums []float64, x []float32, stride int) // adds four rows of x, stride apart, to sums: (a+b) + (c+d)

	// Max and Min return NaN if there is one. There is at least one element.
	Max, Min func(x []float32) float32
	Find     func(x []float32, v float32) int // the first element that equals v, or -1
	FindNaN  func(x []float32) int            // the first NaN, or -1

	// out = (x - mean)*factor*scale + shift and x*factor*scale, in doubles.
	Standardize func(out, x, scale, shift []float32, mean, factor float64)
	Normalize   func(out, x, scale []float32, factor float64)
	Scale       func(out, x []float32, factor float32) // out = x*factor

	// Tile sets a tile of C, TileRows × TileColumns with rows stride apart, to A times B, or adds that to it. The
	// elements of A are down apart from row to row and along apart from column to column; row k of B begins at
	// b[at[k]].
	Tile        func(c, a, b []float32, at []int32, stride, down, along int, add bool)
	TileColumns int

	// Transpose copies 8 rows of n elements of x, stride apart, to n rows of 8 elements of out, outStride apart.
	Transpose func(out, x []float32, outStride, stride, n int)
	Dot       func(x, y []float32) float32
	// AddScaled adds four rows of x, stride apart, times factors to sums.
	AddScaled func(sums, x []float32, stride int, factors *[4]float32)

	// SumRows sets out to the sum of the rows that begin at x[at[0]], x[at[1]], …, each times its factor.
	SumRows func(out, x []float32, at []int32, factors []float32)

	Doubles Doubles
	Ints    Ints
	Casts   Casts

	// out = 1 where x is to y what the name says, else 0. Lengths are multiples of Whole.
	Equal, Unequal, Less, AtMost func(out []uint8, x, y []float32)
	// Where is x where c is not 0, and y elsewhere. Lengths are multiples of Whole. It moves bits, whatever they mean.
	Where func(out []float32, c []uint8, x, y []float32)
}

// Doubles are loops over float64. Lengths are multiples of Whole, so that tails are the callers' part.
type Doubles struct {
	Add, Sub, Mul, Div, Maximum, Minimum    func(out, x, y []float64)
	Sqrt, Recip, Abs, Floor, Ceil, Exp, Log func(out, x []float64)
	Tanh                                    func(out, x []float64)
	Sin, Cos                                func(out, x []float64) bool // as those for float32
	// Polynomial sets out to c[0] + c[1]·x + c[2]·x² + …, by Horner's scheme with one rounding a term. There is a c[0].
	Polynomial func(out, x, c []float64)
	// Squares, Absolutes and Greatest set out[j] to the sum of (x[k] - columns[k·stride + j])², to that of absolute
	// values, and to the greatest of these, NaN if there is one.
	Squares, Absolutes, Greatest func(out, x, columns []float64, stride int)
	// Sum adds element i of x to sum i modulo TwofoldLanes, and what rounding takes from that, which Knuth's two-sum
	// tells exactly, to lost. The length of x is a multiple of TwofoldLanes.
	Sum func(sums, lost *[TwofoldLanes]float64, x []float64)
	// AddTwofold adds element i of x to sum i in that way. The length of x is a multiple of TwofoldLanes.
	AddTwofold func(sums, lost, x []float64)
	// Max and Min return NaN if there is one, and any zero of several. There is at least one element.
	Max, Min func(x []float64) float64
	// Tile is that for float32, and half as wide.
	Tile func(c, a, b []float64, at []int32, stride, down, along int, add bool)
}

// Ints are loops over integers, which wrap: signs do not matter. Lengths are multiples of Whole.
type Ints struct {
	Add, Sub, Mul    func(out, x, y []int32)
	AddLong, SubLong func(out, x, y []int64)
	// Lengths are multiples of WholeBytes.
	AddBytes, SubBytes func(out, x, y []uint8)
	SumLong            func(x []int64) int64
}

// Casts convert. Lengths are multiples of Whole. Halves are binary16 numbers, and bfloats the upper halves of floats;
// both are rounded to nearest even.
type Casts struct {
	HalfToFloat, BfloatToFloat func(out []float32, x []uint16)
	FloatToHalf, FloatToBfloat func(out []uint16, x []float32)
	BytesToFloat               func(out []float32, x []uint8)
	IntsToFloat                func(out []float32, x []int32)
	FloatToDouble              func(out []float64, x []float32)
	DoubleToFloat              func(out []float32, x []float64)

	// These drop the fraction, give the nearest integer that there is, and 0 for NaN.
	FloatToInt   func(out []int32, x []float32)
	FloatToLong  func(out []int64, x []float32)
	DoubleToLong func(out []int64, x []float64)

	// These compute with halves, and round once.
	AddHalves, SubHalves, MulHalves, DivHalves func(out, x, y []uint16)

	// SumHalf and SumBfloat are Sum for what they convert.
	SumHalf, SumBfloat func(x []uint16) float64
}

// TwofoldLanes is how many sums of float64 are made side by side.
const TwofoldLanes = 16

// Whole divides the lengths that functions without tails are for.
const Whole = SumLanes

// WholeBytes divides the lengths that functions of bytes are for.
const WholeBytes = 128

// TurnLimit is the largest argument of Sin, Cos and Tan.
const TurnLimit = 1e5

// TileRows is the height of a tile.
const TileRows = 8

// SumLanes is how many sums are made side by side.
const SumLanes = 32

// Fast are the functions to use, and Stream those for results that are too large for the caches: they write past them,
// which saves reading what is overwritten, when out begins at a multiple of StreamAlign bytes. Both are set once, at
// start. Stream has elementwise functions only.
var Fast, Stream = fastest()

// StreamAlign is the alignment that the functions of Stream need, in bytes.
const StreamAlign = 64
