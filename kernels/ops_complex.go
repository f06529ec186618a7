package kernels

import "math/cmplx"

// ComplexOp is a row of ComplexOps: an elementwise operation on complex numbers that is not a real one on their parts.
// The row of Unary or Binary with the same name has the method, its documentation and the formula of its gradient.
type ComplexOp struct {
	Name string
	C    string // device expression over x, or over a and b, of type c128
	// the host spelling, and the reference; one of the two
	Unary  func(x complex128) complex128
	Binary func(a, b complex128) complex128
	// how far each part may stray from the reference, in units in the last place of the larger part
	ULP float64
}

// Operands returns how many operands the operation has.
func (op *ComplexOp) Operands() int {
	if op.Binary != nil {
		return 2
	}
	return 1
}

// ComplexOps lists the operations on complex numbers with kernels of their own. They are computed in C128, and C64 is
// rounded once.
var ComplexOps = []ComplexOp{
	{Name: "conj", C: "conj(x)", Unary: cmplx.Conj},
	{Name: "sign", C: "sign(x)", Unary: complexSign, ULP: 4},
	{Name: "recip", C: "recip(x)", Unary: complexRecip, ULP: 4},
	{Name: "sqrt", C: "sqrt(x)", Unary: complexSqrt, ULP: 4},
	{Name: "exp", C: "exp(x)", Unary: complexExp, ULP: 4},
	{Name: "log", C: "log(x)", Unary: complexLog, ULP: 4},
	{Name: "sin", C: "sin(x)", Unary: complexSin, ULP: 8},
	{Name: "cos", C: "cos(x)", Unary: complexCos, ULP: 8},
	{Name: "tan", C: "tan(x)", Unary: complexTan, ULP: 12},
	{Name: "sinh", C: "sinh(x)", Unary: complexSinh, ULP: 8},
	{Name: "cosh", C: "cosh(x)", Unary: complexCosh, ULP: 8},
	{Name: "tanh", C: "tanh(x)", Unary: complexTanh, ULP: 12},
	{Name: "asin", C: "asin(x)", Unary: complexAsin, ULP: 8},
	{Name: "acos", C: "acos(x)", Unary: complexAcos, ULP: 8},
	{Name: "atan", C: "atan(x)", Unary: complexAtan, ULP: 8},
	{Name: "asinh", C: "asinh(x)", Unary: complexAsinh, ULP: 8},
	{Name: "acosh", C: "acosh(x)", Unary: complexAcosh, ULP: 8},
	{Name: "atanh", C: "atanh(x)", Unary: complexAtanh, ULP: 8},
	{Name: "expm1", C: "expm1(x)", Unary: complexExpm1, ULP: 8},
	{Name: "log1p", C: "log1p(x)", Unary: complexLog1p, ULP: 4},
	{Name: "mul", C: "mul(a, b)", Binary: complexMul},
	{Name: "div", C: "div(a, b)", Binary: complexDiv, ULP: 1},
	{Name: "pow", C: "pow(a, b)", Binary: complexPow, ULP: 4096},
}
