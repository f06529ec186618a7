package kernels

import "math"

// mathUnary are the rows of Unary for the functions of mathematics beyond the first ones of the table.
var mathUnary = []UnaryOp{
	{
		Name: "exp2", Method: "Exp2", On: Floats, C: "exp2(x)", Ref: math.Exp2, ULP: 2,
		Grad: "g * y * 0.6931471805599453",
		Doc:  "Exp2 returns 2 to the power of every element, exactly for integers.",
		Ex:   Example{"tensor.Of(0.5, -3).Exp2()", "[1.4142135, 0.125] f32"},
	},
	{
		Name: "log2", Method: "Log2", On: Floats, C: "log2(x)", Ref: log2, ULP: 1,
		Grad: "g / (x * 0.6931471805599453)",
		Doc:  "Log2 returns the logarithm of every element to base 2, exactly for powers of 2; zero gives minus infinity, a negative element NaN.",
		Ex:   Example{"tensor.Of(8, 0).Log2()", "[3, -Inf] f32"},
	},
	{
		Name: "log10", Method: "Log10", On: Floats, C: "log10(x)", Ref: log10, ULP: 1,
		Grad: "g / (x * 2.302585092994046)",
		Doc:  "Log10 returns the logarithm of every element to base 10, exactly for powers of 10; zero gives minus infinity, a negative element NaN.",
		Ex:   Example{"tensor.Of(1000, 0).Log10()", "[3, -Inf] f32"},
	},
	{
		Name: "rsqrt", Method: "Rsqrt", On: Floats, ULP: 2,
		Formula: "recip(sqrt(x))",
		Grad:    "g * -0.5 * y / x",
		Doc:     "Rsqrt returns one divided by the square root of every element; NaN below zero.",
		Ex:      Example{"tensor.Of(4, 0).Rsqrt()", "[0.5, Inf] f32"},
	},
	{
		Name: "cbrt", Method: "Cbrt", On: Floats, C: "cbrt(x)", Ref: math.Cbrt, ULP: 1,
		Grad: "g / (sqr(y) * 3)",
		Doc:  "Cbrt returns the cube root of every element.",
		Ex:   Example{"tensor.Of(27, -0.125).Cbrt()", "[3, -0.5] f32"},
	},
	{
		Name: "tan", Method: "Tan", On: Floats, C: "tan(x)", Ref: tan, ULP: 4,
		Grad: "g * (1 + sqr(y))",
		Doc:  "Tan returns the tangent of every element, in radians, with an exact reduction of large arguments.",
		Ex:   Example{"tensor.Of(0, 1).Tan()", "[0, 1.5574077] f32"},
	},
	{
		Name: "asin", Method: "Asin", On: Floats, C: "asin(x)", Ref: asin, ULP: 2,
		Grad: "g / sqrt((1 - x) * (1 + x))",
		Doc:  "Asin returns the arcsine of every element, in radians; NaN beyond 1 and -1. Of complex numbers it is the principal value, continuous but for real numbers beyond 1 and -1.",
		Ex:   Example{"tensor.Of(0, 1).Asin()", "[0, 1.5707964] f32"},
	},
	{
		Name: "acos", Method: "Acos", On: Floats, C: "acos(x)", Ref: acos, ULP: 2,
		Grad: "-(g / sqrt((1 - x) * (1 + x)))",
		Doc:  "Acos returns the arccosine of every element, in radians; NaN beyond 1 and -1. Of complex numbers it is the principal value, continuous but for real numbers beyond 1 and -1.",
		Ex:   Example{"tensor.Of(1, 0).Acos()", "[0, 1.5707964] f32"},
	},
	{
		Name: "atan", Method: "Atan", On: Floats, C: "atan(x)", Ref: math.Atan, ULP: 3,
		Grad: "g / (1 + sqr(x))",
		Doc:  "Atan returns the arctangent of every element, in radians, between -π/2 and π/2. Atan2 knows the quadrant. Of complex numbers it is the principal value, continuous but for imaginary numbers beyond i and -i.",
		Ex:   Example{"tensor.Of(1, math.Inf(1)).Atan()", "[0.7853982, 1.5707964] f32"},
	},
	{
		Name: "sinh", Method: "Sinh", On: Floats, C: "sinh(x)", Ref: sinh, ULP: 4,
		Grad: "g * cosh(x)",
		Doc:  "Sinh returns the hyperbolic sine of every element.",
		Ex:   Example{"tensor.Of(0, 1).Sinh()", "[0, 1.1752012] f32"},
	},
	{
		Name: "cosh", Method: "Cosh", On: Floats, C: "cosh(x)", Ref: cosh, ULP: 3,
		Grad: "g * sinh(x)",
		Doc:  "Cosh returns the hyperbolic cosine of every element.",
		Ex:   Example{"tensor.Of(0, 1).Cosh()", "[1, 1.5430807] f32"},
	},
	{
		Name: "asinh", Method: "Asinh", On: Floats, C: "asinh(x)", Ref: math.Asinh, ULP: 4,
		Grad: "g / sqrt(1 + sqr(x))",
		Doc:  "Asinh returns the inverse hyperbolic sine of every element. Of complex numbers it is the principal value, continuous but for imaginary numbers beyond i and -i.",
		Ex:   Example{"tensor.Of(0, 1).Asinh()", "[0, 0.8813736] f32"},
	},
	{
		Name: "acosh", Method: "Acosh", On: Floats, C: "acosh(x)", Ref: math.Acosh, ULP: 4,
		Grad: "g / (sqrt(x - 1) * sqrt(x + 1))",
		Doc:  "Acosh returns the inverse hyperbolic cosine of every element; NaN below 1. Of complex numbers it is the principal value, continuous but for real numbers below 1.",
		Ex:   Example{"tensor.Of(1, 2).Acosh()", "[0, 1.316958] f32"},
	},
	{
		Name: "atanh", Method: "Atanh", On: Floats, C: "atanh(x)", Ref: math.Atanh, ULP: 4,
		Grad: "g / ((1 - x) * (1 + x))",
		Doc:  "Atanh returns the inverse hyperbolic tangent of every element; 1 gives infinity, an element beyond 1 or -1 NaN. Of complex numbers it is the principal value, continuous but for real numbers beyond 1 and -1.",
		Ex:   Example{"tensor.Of(0.5, 1).Atanh()", "[0.54930615, Inf] f32"},
	},
	{
		Name: "sinc", Method: "Sinc", On: Floats, C: "sinc(x)", Ref: sinc, ULP: 4,
		Grad: "q := sqr(x); where(abs(x) < 0.01, " +
			"g * x * ((q * -1.1444684556379147 + 3.2469697011334144) * q - 3.289868133696453), " +
			"g * (cos(x * 3.141592653589793) - y) / where(x == 0, 1, x))",
		Doc: "Sinc returns sin(πx)/(πx) for every element and 1 for zero, as numpy.sinc does. It is exactly 0 for the other integers.",
		Ex:  Example{"tensor.Of(0, 0.5, 1).Sinc()", "[1, 0.63661975, 0] f32"},
	},
	{
		Name: "trunc", Method: "Trunc", On: Numbers, C: "trunc(x)", Ref: math.Trunc, Int: same[int64],
		Grad: "0",
		Doc:  "Trunc rounds every element toward zero to an integer.",
		Ex:   Example{"tensor.Of(-1.5, 2.5).Trunc()", "[-1, 2] f32"},
	},
	{
		Name: "frac", Method: "Frac", On: Floats,
		Formula: "x - trunc(x)",
		Grad:    "g",
		Doc:     "Frac returns what Trunc leaves of every element, with the element's sign.",
		Ex:      Example{"tensor.Of(-1.5, 2.25).Frac()", "[-0.5, 0.25] f32"},
	},
	{
		Name: "deg2rad", Method: "Deg2Rad", On: Floats, ULP: 1,
		Formula: "x * 0.017453292519943295",
		Grad:    "g * 0.017453292519943295",
		Doc:     "Deg2Rad converts every element from degrees to radians.",
		Ex:      Example{"tensor.Of(180, -90).Deg2Rad()", "[3.1415927, -1.5707964] f32"},
	},
	{
		Name: "rad2deg", Method: "Rad2Deg", On: Floats, ULP: 1,
		Formula: "x * 57.29577951308232",
		Grad:    "g * 57.29577951308232",
		Doc:     "Rad2Deg converts every element from radians to degrees.",
		Ex:      Example{"tensor.Of(math.Pi, -math.Pi/2).Rad2Deg()", "[180, -90] f32"},
	},
}
