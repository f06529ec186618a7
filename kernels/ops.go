package kernels

import (
	"math"
	"slices"
)

// Example is an expression over package tensor and the text that its value prints as. A test runs every example.
type Example struct{ Expr, Want string }

// UnaryOp is a row of Unary: an elementwise operation of one operand. The method, the host loop, the device code, the
// conformance tests and the documentation are derived from it.
type UnaryOp struct {
	Name   string  // kernel names are Name_T
	Method string  // the method of tensor.Tensor
	Doc    string  // full sentences that begin with Method
	Ex     Example // shown with Doc
	On     []DType // the element types that it accepts
	// device expression over x of compute type C: T itself, F32 for F16, BF16 and F8E4M3; Stored is T
	C    string
	Ref  func(float64) float64 // the reference for float types
	Int  func(int64) int64     // the reference for integer types, exact modulo 2^bits; nil if floats only
	Uint func(uint64) uint64   // the reference for U64; nil if Int gives the same bits
	ULP  float64               // how far a device may stray from Ref, in units in the last place of T
	// results below this magnitude are judged in units in the last place of it: a difference cancels there
	Unit float64
	// the formula of the operation over x, from which C and Ref are derived if they are not given: see package expr
	Formula string
	// the formula of the gradient of x over x, the result y and the gradient g of y; 0 where the result changes in
	// steps
	Grad string
}

// Unary lists the elementwise operations of one operand.
var Unary = append([]UnaryOp{
	{
		Name: "abs", Method: "Abs", On: Numbers, C: "abs(x)", Ref: math.Abs, Int: absInt, Uint: same[uint64],
		Grad: "g * sign(x)",
		Doc:  "Abs returns the absolute value of every element. The most negative integer of a type is its own absolute value. Of complex numbers the result is F32 or F64.",
		Ex:   Example{"tensor.Of(-1.5, 2).Abs()", "[1.5, 2] f32"},
	},
	{
		Name: "neg", Method: "Neg", On: Numbers, C: "neg(x)", Ref: func(x float64) float64 { return -x },
		Int:  func(x int64) int64 { return -x },
		Grad: "-g",
		Doc:  "Neg returns every element with its sign changed. Of U32 it is I64; other integers wrap: 1 of type U8 becomes 255.",
		Ex:   Example{"tensor.Of(-1.5, 2).Neg()", "[1.5, -2] f32"},
	},
	{
		Name: "sqr", Method: "Sqr", On: Numbers, C: "mul(x, x)", Ref: func(x float64) float64 { return x * x },
		Int:  func(x int64) int64 { return x * x },
		Grad: "g * x * 2",
		Doc:  "Sqr returns the square of every element. Integers wrap.",
		Ex:   Example{"tensor.Of(-1.5, 2).Sqr()", "[2.25, 4] f32"},
	},
	{
		Name: "sqrt", Method: "Sqrt", On: Floats, C: "sqrt(x)", Ref: math.Sqrt,
		Grad: "g * 0.5 / y",
		Doc:  "Sqrt returns the square root of every element, correctly rounded; NaN below zero. Of complex numbers it is the root whose real part is not negative.",
		Ex:   Example{"tensor.Of(4, 9).Sqrt()", "[2, 3] f32"},
	},
	{
		Name: "recip", Method: "Recip", On: Floats, C: "C(1) / x", Ref: func(x float64) float64 { return 1 / x },
		Grad: "-(g * sqr(y))",
		Doc:  "Recip returns one divided by every element, correctly rounded; zero gives an infinity of the same sign.",
		Ex:   Example{"tensor.Of(4, -0.5).Recip()", "[0.25, -2] f32"},
	},
	{
		Name: "exp", Method: "Exp", On: Floats, C: "exp(x)", Ref: exp, ULP: 2,
		Grad: "g * y",
		Doc:  "Exp returns e to the power of every element.",
		Ex:   Example{"tensor.Of(0, math.Inf(-1)).Exp()", "[1, 0] f32"},
	},
	{
		Name: "log", Method: "Log", On: Floats, C: "log(x)", Ref: log, ULP: 2,
		Grad: "g / x",
		Doc:  "Log returns the natural logarithm of every element; zero gives minus infinity, a negative element NaN.",
		Ex:   Example{"tensor.Of(1, 0).Log()", "[0, -Inf] f32"},
	},
	{
		Name: "expm1", Method: "Expm1", On: Floats, C: "expm1(x)", Ref: math.Expm1, ULP: 3,
		Grad: "g * exp(x)",
		Doc:  "Expm1 returns exp(x) - 1 for every element. It keeps full precision near 0, where Exp().Sub(1) does not.",
		Ex:   Example{"tensor.Of(0, 1e-10).Expm1()", "[0, 1e-10] f32"},
	},
	{
		Name: "log1p", Method: "Log1p", On: Floats, C: "log1p(x)", Ref: math.Log1p, ULP: 3,
		Grad: "g / (x + 1)",
		Doc:  "Log1p returns log(1 + x) for every element. It keeps full precision near 0, where Add(1).Log() does not; -1 gives minus infinity, an element below -1 NaN.",
		Ex:   Example{"tensor.Of(0, 1e-10).Log1p()", "[0, 1e-10] f32"},
	},
	{
		Name: "softplus", Method: "Softplus", On: Floats, Ref: softplus, ULP: 5,
		Formula: "maximum(x, 0) + log1p(exp(-abs(x)))",
		Grad:    "g * sigmoid(x)",
		Doc:     "Softplus returns log(1 + exp(x)) for every element, without overflow and with full precision for very negative elements. Neg().Softplus().Neg() is the logarithm of Sigmoid.",
		Ex:      Example{"tensor.Of(100, math.Inf(-1)).Softplus()", "[100, 0] f32"},
	},
	{
		Name: "sin", Method: "Sin", On: Floats, C: "sin(x)", Ref: sin, ULP: 2,
		Grad: "g * cos(x)",
		Doc:  "Sin returns the sine of every element, in radians, with an exact reduction of large arguments.",
		Ex:   Example{"tensor.Of(0, math.Pi/2).Sin()", "[0, 1] f32"},
	},
	{
		Name: "cos", Method: "Cos", On: Floats, C: "cos(x)", Ref: cos, ULP: 2,
		Grad: "-(g * sin(x))",
		Doc:  "Cos returns the cosine of every element, in radians, with an exact reduction of large arguments.",
		Ex:   Example{"tensor.Of(0, math.Pi).Cos()", "[1, -1] f32"},
	},
	{
		Name: "tanh", Method: "Tanh", On: Floats, C: "tanh_as<Stored>(x)", Ref: math.Tanh, ULP: 3,
		Grad: "g * (1 - sqr(y))",
		Doc:  "Tanh returns the hyperbolic tangent of every element.",
		Ex:   Example{"tensor.Of(0, math.Inf(1)).Tanh()", "[0, 1] f32"},
	},
	{
		Name: "erf", Method: "Erf", On: Floats, C: "erf(x)", Ref: math.Erf, ULP: 3,
		Grad: "g * exp(-sqr(x)) * 1.1283791670955126",
		Doc:  "Erf returns the error function of every element.",
		Ex:   Example{"tensor.Of(0, math.Inf(1)).Erf()", "[0, 1] f32"},
	},
	{
		Name: "gelu", Method: "Gelu", On: Floats, C: "gelu<Stored>(x)", Ref: geluTanh, ULP: 4,
		Grad: "q := sqr(x); t := tanh((0.035677408136300125 * q + 0.7978845608028654) * x); " +
			"g * (1 + t + (0.10703222440890038 * q + 0.7978845608028654) * (1 - sqr(t)) * x) * 0.5",
		Doc: "Gelu returns the Gaussian error linear unit of every element in its tanh approximation, x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). GeluErf is the exact form.",
		Ex:  Example{"tensor.Of(0, 100).Gelu()", "[0, 100] f32"},
	},
	{
		Name: "gelu_erf", Method: "GeluErf", On: Floats, C: "gelu_erf(x)", Ref: geluErf, ULP: 5,
		Grad: "g * (exp(sqr(x) * -0.5) * 0.3989422804014327 * x + (erf(x * 0.7071067811865476) * 0.5 + 0.5))",
		Doc:  "GeluErf returns the Gaussian error linear unit of every element, x/2·(1 + erf(x/√2)).",
		Ex:   Example{"tensor.Of(0, 100).GeluErf()", "[0, 100] f32"},
	},
	{
		Name: "silu", Method: "Silu", On: Floats, C: "logistic(x, x, C(0))",
		Ref: func(x float64) float64 { return logistic(x, x) }, ULP: 5,
		Grad: "s := sigmoid(x); g * ((1 - s) * x + 1) * s",
		Doc:  "Silu returns x·sigmoid(x) for every element, also known as swish.",
		Ex:   Example{"tensor.Of(0, 100).Silu()", "[0, 100] f32"},
	},
	{
		Name: "sigmoid", Method: "Sigmoid", On: Floats, C: "logistic(C(1), x, C(0))",
		Ref: func(x float64) float64 { return logistic(1, x) }, ULP: 5,
		Grad: "g * y * (1 - y)",
		Doc:  "Sigmoid returns 1/(1 + exp(-x)) for every element.",
		Ex:   Example{"tensor.Of(0, 100).Sigmoid()", "[0.5, 1] f32"},
	},
	{
		Name: "relu", Method: "Relu", On: Numbers, C: "relu(x)", Ref: relu,
		Int:  func(x int64) int64 { return max(x, 0) },
		Uint: same[uint64],
		Grad: "where(y > 0, g, 0)",
		Doc:  "Relu returns every element, or zero where it is negative. NaN stays NaN, as in PyTorch.",
		Ex:   Example{"tensor.Of(-1.5, 2).Relu()", "[0, 2] f32"},
	},
	{
		Name: "ceil", Method: "Ceil", On: Numbers, C: "ceil(x)", Ref: math.Ceil, Int: same[int64],
		Grad: "0",
		Doc:  "Ceil rounds every element up to an integer.",
		Ex:   Example{"tensor.Of(-1.5, 2.5).Ceil()", "[-1, 3] f32"},
	},
	{
		Name: "floor", Method: "Floor", On: Numbers, C: "floor(x)", Ref: math.Floor, Int: same[int64],
		Grad: "0",
		Doc:  "Floor rounds every element down to an integer.",
		Ex:   Example{"tensor.Of(-1.5, 2.5).Floor()", "[-2, 2] f32"},
	},
	{
		Name: "round", Method: "Round", On: Numbers, C: "round(x)", Ref: math.Round, Int: same[int64],
		Grad: "0",
		Doc:  "Round rounds every element to the nearest integer, halves away from zero as Candle does; PyTorch rounds halves to even.",
		Ex:   Example{"tensor.Of(-1.5, 2.5).Round()", "[-2, 3] f32"},
	},
	{
		Name: "sign", Method: "Sign", On: Numbers, C: "sign(x)", Ref: sign,
		Int:  func(x int64) int64 { return int64(sign(float64(x))) },
		Uint: func(x uint64) uint64 { return min(x, 1) },
		Grad: "0",
		Doc:  "Sign returns -1, 0 or 1 for every element. Both zeros and NaN give 0, as in Candle. Of a complex number z it is z/|z|, and NaN for NaN.",
		Ex:   Example{"tensor.Of(-1.5, 0, 2).Sign()", "[-1, 0, 1] f32"},
	},
}, slices.Concat(mathUnary, specialUnary, integerUnary)...)

// ParamOp is a row of Params: an elementwise operation of one operand and one float64 parameter p.
type ParamOp struct {
	Name   string
	Method string
	Doc    string
	Param  string // the name of the parameter
	Ex     Example
	On     []DType
	C      string // device expression over x and p, both of compute type C
	Ref    func(x, p float64) float64
	ULP    float64
	Grad   string // the formula of the gradient of x over x, p, the result y and the gradient g of y
}

// Params lists the elementwise operations with a parameter.
var Params = []ParamOp{
	{
		Name: "powf", Method: "Powf", Param: "exponent", On: Floats, C: "pow(x, p)", Ref: pow, ULP: 4,
		Grad: "where(p == 0, 0, g * pow(x, p - 1) * p)",
		Doc:  "Powf raises every element to the power of a number; a negative element with a fractional exponent gives NaN.",
		Ex:   Example{"tensor.Of(2, 3).Powf(2)", "[4, 9] f32"},
	},
	{
		Name: "elu", Method: "Elu", Param: "alpha", On: Floats, C: "x > C(0) ? x : p * expm1(x)", Ref: elu, ULP: 4,
		Grad: "where(x > 0, g, g * exp(minimum(x, 0)) * p)",
		Doc:  "Elu returns x where x is above zero and alpha·(exp(x) - 1) elsewhere.",
		Ex:   Example{"tensor.Of(2, math.Inf(-1)).Elu(0.5)", "[2, -0.5] f32"},
	},
}

// BinaryOp is a row of Binary: an elementwise operation of two operands of one element type, which is also the
// result's.
type BinaryOp struct {
	Name   string
	Method string
	Doc    string
	Ex     Example
	On     []DType
	C      string // device expression over a and b of compute type C
	Ref    func(a, b float64) float64
	// instead of Ref, where the result depends on the element type: see For
	Typed func(t DType) func(a, b float64) float64
	Int   func(a, b int64) int64   // exact modulo 2^bits
	Uint  func(a, b uint64) uint64 // the reference for U64; nil if Int gives the same bits
	ULP   float64
	Unit  float64   // as that of UnaryOp
	Grad  [2]string // the formulas of the gradients of a and of b, over a, b, the result y and the gradient g of y
}

// For returns the row with the reference for elements of type t.
func (op *BinaryOp) For(t DType) *BinaryOp {
	if op.Typed == nil {
		return op
	}
	row := *op
	row.Ref = op.Typed(t)
	return &row
}

// Binary lists the elementwise operations of two operands.
var Binary = append([]BinaryOp{
	{
		Name: "add", Method: "Add", On: Numbers, C: "add(a, b)",
		Ref: func(a, b float64) float64 { return a + b }, Int: func(a, b int64) int64 { return a + b },
		Grad: [2]string{"g", "g"},
		Doc:  "Add returns the sums of the elements of two tensors, broadcast to one shape. Integers wrap.",
		Ex:   Example{"tensor.Of(1, 2).Add(tensor.Of(10, 20))", "[11, 22] f32"},
	},
	{
		Name: "sub", Method: "Sub", On: Numbers, C: "sub(a, b)",
		Ref: func(a, b float64) float64 { return a - b }, Int: func(a, b int64) int64 { return a - b },
		Grad: [2]string{"g", "-g"},
		Doc: "Sub returns the differences of the elements of two tensors, broadcast to one shape. Integers wrap, but differences " +
			"of U32, the type of indices, are I64.",
		Ex: Example{"tensor.Of(1, 2).Sub(tensor.Of(10, 20))", "[-9, -18] f32"},
	},
	{
		Name: "mul", Method: "Mul", On: Numbers, C: "mul(a, b)",
		Ref: func(a, b float64) float64 { return a * b }, Int: func(a, b int64) int64 { return a * b },
		Grad: [2]string{"g * b", "g * a"},
		Doc:  "Mul returns the products of the elements of two tensors, broadcast to one shape. Integers wrap.",
		Ex:   Example{"tensor.Of(1, 2).Mul(tensor.Of(10, 20))", "[10, 40] f32"},
	},
	{
		Name: "div", Method: "Div", On: Numbers, C: "div(a, b)",
		Ref: func(a, b float64) float64 { return a / b }, Int: quotient[int64], Uint: quotient[uint64],
		Grad: [2]string{"g / b", "-(g * y / b)"},
		Doc:  "Div returns the quotients of the elements of two tensors, broadcast to one shape. Integer quotients are truncated toward zero, and division of an integer by zero gives 0 on every device.",
		Ex:   Example{"tensor.Of(1, 9).Div(tensor.Of(2, 3))", "[0.5, 3] f32"},
	},
	{
		Name: "maximum", Method: "Maximum", On: Numbers, C: "maximum(a, b)",
		Ref: func(a, b float64) float64 { return max(a, b) }, Int: func(a, b int64) int64 { return max(a, b) },
		Uint: func(a, b uint64) uint64 { return max(a, b) },
		Grad: [2]string{"where(a > b, g, where(a == b, g * 0.5, 0))", "where(b > a, g, where(a == b, g * 0.5, 0))"},
		Doc:  "Maximum returns the elementwise maximum of two tensors, broadcast to one shape; NaN if either is NaN.",
		Ex:   Example{"tensor.Of(1, 2).Maximum(tensor.Of(2, 1))", "[2, 2] f32"},
	},
	{
		Name: "minimum", Method: "Minimum", On: Numbers, C: "minimum(a, b)",
		Ref: func(a, b float64) float64 { return min(a, b) }, Int: func(a, b int64) int64 { return min(a, b) },
		Uint: func(a, b uint64) uint64 { return min(a, b) },
		Grad: [2]string{"where(a < b, g, where(a == b, g * 0.5, 0))", "where(b < a, g, where(a == b, g * 0.5, 0))"},
		Doc:  "Minimum returns the elementwise minimum of two tensors, broadcast to one shape; NaN if either is NaN.",
		Ex:   Example{"tensor.Of(1, 2).Minimum(tensor.Of(2, 1))", "[1, 1] f32"},
	},
	{
		Name: "pow", Method: "Pow", On: Floats, C: "pow(a, b)", Ref: pow, ULP: 4,
		Grad: [2]string{"where(b == 0, 0, g * b * pow(a, b - 1))",
			"where(y == 0, 0, g * y * log(where(a == 0, where(b == 0, 1, a), a)))"}, // 0 of 0⁰, as in PyTorch
		Doc: "Pow raises the elements of a tensor to the powers in another, broadcast to one shape. Negative bases work with integer exponents, as in NumPy; Candle gives NaN. Complex powers are exp(b·log(a)).",
		Ex:  Example{"tensor.Of(2, -3).Pow(tensor.Of(3, 2))", "[8, 9] f32"},
	},
}, slices.Concat(mathBinary, remainders, integerBinary)...)

// CompareOp is a row of Compare: a comparison of two operands of one element type, with a result of type Bool (bytes of
// 0 and 1 in kernels).
type CompareOp struct {
	Name   string
	Method string
	Doc    string
	Ex     Example
	C      string // device expression over a and b of compute type C
	Ref    func(a, b float64) bool
	Int    func(a, b int64) bool
	Uint   func(a, b uint64) bool // the reference for U64; nil if Int serves
}

// Compare lists the comparisons. They accept every element type.
var Compare = []CompareOp{
	{
		Name: "eq", Method: "Eq", C: "a == b", Ref: func(a, b float64) bool { return a == b },
		Int: func(a, b int64) bool { return a == b },
		Doc: "Eq returns true where the elements of two tensors are equal and false elsewhere, as Bool. NaN equals nothing.",
		Ex:  Example{"tensor.Of(1, 2, 3).Eq(tensor.Of(3, 2, 1))", "[false, true, false] bool"},
	},
	{
		Name: "ne", Method: "Ne", C: "a != b", Ref: func(a, b float64) bool { return a != b },
		Int: func(a, b int64) bool { return a != b },
		Doc: "Ne returns true where the elements of two tensors differ and false elsewhere, as Bool. NaN differs from everything.",
		Ex:  Example{"tensor.Of(1, 2, 3).Ne(tensor.Of(3, 2, 1))", "[true, false, true] bool"},
	},
	{
		Name: "lt", Method: "Lt", C: "a < b", Ref: func(a, b float64) bool { return a < b },
		Int: func(a, b int64) bool { return a < b }, Uint: func(a, b uint64) bool { return a < b },
		Doc: "Lt returns true where an element is less than the other tensor's and false elsewhere, as Bool.",
		Ex:  Example{"tensor.Of(1, 2, 3).Lt(tensor.Of(3, 2, 1))", "[true, false, false] bool"},
	},
	{
		Name: "le", Method: "Le", C: "a <= b", Ref: func(a, b float64) bool { return a <= b },
		Int: func(a, b int64) bool { return a <= b }, Uint: func(a, b uint64) bool { return a <= b },
		Doc: "Le returns true where an element is at most the other tensor's and false elsewhere, as Bool.",
		Ex:  Example{"tensor.Of(1, 2, 3).Le(tensor.Of(3, 2, 1))", "[true, true, false] bool"},
	},
	{
		Name: "gt", Method: "Gt", C: "a > b", Ref: func(a, b float64) bool { return a > b },
		Int: func(a, b int64) bool { return a > b }, Uint: func(a, b uint64) bool { return a > b },
		Doc: "Gt returns true where an element is greater than the other tensor's and false elsewhere, as Bool.",
		Ex:  Example{"tensor.Of(1, 2, 3).Gt(tensor.Of(3, 2, 1))", "[false, false, true] bool"},
	},
	{
		Name: "ge", Method: "Ge", C: "a >= b", Ref: func(a, b float64) bool { return a >= b },
		Int: func(a, b int64) bool { return a >= b }, Uint: func(a, b uint64) bool { return a >= b },
		Doc: "Ge returns true where an element is at least the other tensor's and false elsewhere, as Bool.",
		Ex:  Example{"tensor.Of(1, 2, 3).Ge(tensor.Of(3, 2, 1))", "[false, true, true] bool"},
	},
}

// ReduceOp is a row of Reduce: an operation that makes one value of each row. Out is the type of the results.
type ReduceOp struct {
	Name   string
	Method string
	Doc    string
	Ex     Example
	On     []DType
	Arg    bool // the result is the position of an element
	// the row whose kernels compute it, of the truth values of elements; "" for its own
	Via string
	// the type of the results of integers, where that is not their own; the zero value stands for none
	Ints  DType
	Empty bool                    // defined for a row of no elements
	Ref   func([]float64) float64 // the reference for float types
	// the reference for integer types, exact modulo 2^bits; nil if floats only, or if Ref is for integers, too
	Int  func([]int64) int64
	Uint func([]uint64) uint64 // the reference for U64; nil if Int gives the same bits
	ULP  float64
}

// Out returns the element type of the results for elements of type t.
func (op *ReduceOp) Out(t DType) DType {
	switch {
	case op.Arg:
		return U32
	case op.Via != "":
		return Bool
	case (op.Name == "sum" || op.Name == "prod") && t == U64:
		return U64
	case !t.IsFloat() && op.Ints != 0:
		return op.Ints
	}
	return t
}

// Kernels returns the element types that have kernels. A mean of integers is computed from their sum, a product in one
// of the wide types.
func (op *ReduceOp) Kernels() []DType {
	return slices.DeleteFunc(slices.Clone(op.On), func(t DType) bool {
		return t == Bool || op.Via != "" || op.Int == nil && t.IsInt() || op.Name == "prod" && op.To(t) != t
	})
}

// To is the type to which elements of type t are converted before the reduction: t itself, or for products the type of
// integer sums and F32.
func (op *ReduceOp) To(t DType) DType {
	switch {
	case op.Name != "prod":
		return t
	case t.IsSmallFloat():
		return F32
	case t.IsFloat():
		return t
	}
	return I64
}

// Reduce lists the reductions. The device adds F64 with compensated summation, F32 in F64, F16, BF16 and F8E4M3 in F32,
// and integers in I64. The order depends on shape and layout alone, so a sum is the same in every run.
var Reduce = []ReduceOp{
	{
		Name: "sum", Method: "Sum", On: All, Ints: I64, Empty: true, Ref: sumFloat, Int: sumInt, ULP: 1,
		Doc: "Sum returns the sums of the elements along dimensions. Sums of floats have the type of the elements, sums of integers type I64, as in PyTorch, so the sum of a mask counts it. F16, BF16 and F8E4M3 are added in F32, F32 in F64, and F64 with compensated summation. The sum of no elements is 0.",
		Ex:  Example{"tensor.Of(1, 2, 3).Sum(0)", "6 f32"},
	},
	{
		Name: "mean", Method: "Mean", On: All, Ints: F32, Empty: true,
		Ref: func(x []float64) float64 { return sumFloat(x) / float64(len(x)) }, ULP: 1,
		Doc: "Mean returns the arithmetic means of the elements along dimensions. Means of floats have the type of the elements, means of integers type F32, so the mean of a mask is the fraction of ones in it. Sum and quotient are computed before rounding to the type of the result; I64 is converted to F64 first. The mean of no elements is NaN.",
		Ex:  Example{"tensor.Of(1, 2, 6).Mean(0)", "3 f32"},
	},
	{
		Name: "max", Method: "Max", On: All, Ref: maxFloat, Int: slices.Max[[]int64], Uint: slices.Max[[]uint64],
		Doc: "Max returns the maxima along dimensions. NaN propagates.",
		Ex:  Example{"tensor.Of(1, 3, 2).Max(0)", "3 f32"},
	},
	{
		Name: "min", Method: "Min", On: All, Ref: minFloat, Int: slices.Min[[]int64], Uint: slices.Min[[]uint64],
		Doc: "Min returns the minima along dimensions. NaN propagates.",
		Ex:  Example{"tensor.Of(1, 3, 2).Min(0)", "1 f32"},
	},
	{
		Name: "prod", Method: "Prod", On: All, Ints: I64, Empty: true, Ref: prodFloat, Int: prodInt, ULP: 1,
		Doc: "Prod returns the products of the elements along dimensions. Products of floats have the type of the elements, products of integers type I64, as in PyTorch; they wrap. F16, BF16, F8E4M3 and F32 are multiplied in F64. The product of no elements is 1.",
		Ex:  Example{"tensor.Of(2, 3, 4).Prod()", "24 f32"},
	},
	{
		Name: "any", Method: "Any", On: All, Empty: true, Via: "max", Ref: anyFloat, Int: anyInt,
		Doc: "Any returns whether any of the elements along dimensions is true (not 0), as Bool. NaN is not 0. Of no elements none is.",
		Ex:  Example{"tensor.Of(0, 2, 0).Any()", "true bool"},
	},
	{
		Name: "all", Method: "All", On: All, Empty: true, Via: "min", Ref: allFloat, Int: allInt,
		Doc: "All returns whether all of the elements along dimensions are true (not 0), as Bool. NaN is not 0. Of no elements all are.",
		Ex:  Example{"tensor.Of(0, 2, 0).All()", "false bool"},
	},
	{
		Name: "argmax", Method: "ArgMax", On: All, Arg: true, Ref: argmaxFloat, Int: argmaxInt[int64],
		Uint: argmaxInt[uint64],
		Doc:  "ArgMax returns the indices of the maximum along one dimension, with type U32, or without a dimension the index among all elements in row-major order: the first of equal elements, or the first NaN if there is one.",
		Ex:   Example{"tensor.Of(1, 3, 3).ArgMax(0)", "1 u32"},
	},
	{
		Name: "argmin", Method: "ArgMin", On: All, Arg: true, Ref: argminFloat, Int: argminInt[int64],
		Uint: argminInt[uint64],
		Doc:  "ArgMin returns the indices of the minimum along one dimension, with type U32, or without a dimension the index among all elements in row-major order: the first of equal elements, or the first NaN if there is one.",
		Ex:   Example{"tensor.Of(3, 1, 1).ArgMin(0)", "1 u32"},
	},
}
