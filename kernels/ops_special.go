package kernels

import "math"

// specialUnary are the rows of Unary for special functions.
var specialUnary = []UnaryOp{
	{
		Name: "erfc", Method: "Erfc", On: Floats, C: "erfc(x)", Ref: math.Erfc, ULP: 5,
		Grad: "g * exp(-sqr(x)) * -1.1283791670955126",
		Doc:  "Erfc returns 1 - erf(x) for every element, with full precision for large elements too.",
		Ex:   Example{"tensor.Of(0, 5).Erfc()", "[1, 1.5374598e-12] f32"},
	},
	{
		Name: "erfinv", Method: "Erfinv", On: Floats, C: "erfinv(x)", Ref: erfinv, ULP: 4,
		Grad: "g * exp(sqr(y)) * 0.886226925452758",
		Doc:  "Erfinv returns the inverse of Erf for every element: infinities for 1 and -1, NaN beyond.",
		Ex:   Example{"tensor.Of(0.5, 1).Erfinv()", "[0.47693628, Inf] f32"},
	},
	{
		Name: "lgamma", Method: "Lgamma", On: Floats, C: "lgamma(x)", Ref: lgamma, ULP: 5, Unit: 8,
		Grad: "g * digamma(x)",
		Doc:  "Lgamma returns the logarithm of the absolute value of the gamma function for every element; infinity for zero and negative integers.",
		Ex:   Example{"tensor.Of(0.5, 5).Lgamma()", "[0.5723649, 3.1780539] f32"},
	},
	{
		Name: "digamma", Method: "Digamma", On: Floats, C: "digamma(x)", Ref: digamma, ULP: 6, Unit: 8,
		Grad: "g * trigamma(x)",
		Doc:  "Digamma returns the derivative of Lgamma for every element; an infinity for zero, NaN for negative integers. The units of results below 8 are those of 8, as terms cancel next to the roots.",
		Ex:   Example{"tensor.Of(1, 10).Digamma()", "[-0.5772157, 2.2517526] f32"},
	},
	{
		Name: "trigamma", Method: "Trigamma", On: Floats, C: "trigamma(x)", Ref: trigamma, ULP: 8,
		Doc: "Trigamma returns the derivative of Digamma for every element; infinity for zero and negative integers. It has no gradient.",
		Ex:  Example{"tensor.Of(1, 10).Trigamma()", "[1.644934, 0.10516634] f32"},
	},
	{
		Name: "i0", Method: "I0", On: Floats, C: "i0(x)", Ref: besselI0, ULP: 4,
		Grad: "g * i1(x)",
		Doc:  "I0 returns the modified Bessel function of the first kind of order 0 of every element.",
		Ex:   Example{"tensor.Of(0, 1).I0()", "[1, 1.2660658] f32"},
	},
	{
		Name: "i1", Method: "I1", On: Floats, C: "i1(x)", Ref: besselI1, ULP: 4,
		Grad: "g * (i0(x) - where(x == 0, 0.5, y / where(x == 0, 1, x)))",
		Doc:  "I1 returns the modified Bessel function of the first kind of order 1 of every element.",
		Ex:   Example{"tensor.Of(0, 1).I1()", "[0, 0.5651591] f32"},
	},
}
