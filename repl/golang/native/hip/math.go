package hip

// Math are the functions of compiled packages that device code has, by what it calls them: functions of the headers of
// package kernels. The elementary ones are not those of package math, whose last bits differ; the others are exact.
var Math = map[string]string{
	"math.Acos": "acos", "math.Acosh": "acosh", "math.Asin": "asin", "math.Asinh": "asinh", "math.Atan": "atan",
	"math.Atan2": "atan2", "math.Atanh": "atanh", "math.Cbrt": "cbrt", "math.Cos": "cos", "math.Cosh": "cosh",
	"math.Erf": "erf", "math.Erfc": "erfc", "math.Exp": "exp", "math.Exp2": "exp2", "math.Expm1": "expm1",
	"math.Hypot": "hypot", "math.Log": "log", "math.Log10": "log10", "math.Log1p": "log1p", "math.Log2": "log2",
	"math.Pow": "pow", "math.Sin": "sin", "math.Sinh": "sinh", "math.Tan": "tan", "math.Tanh": "tanh",

	"math.Ceil": "ceil", "math.Copysign": "copysign", "math.Floor": "floor", "math.Trunc": "trunc",
	"math.Round": "round", "math.RoundToEven": "element_round_even", "math.Mod": "fmod", "math.Dim": "element_dim",
	"math.Max": "element_max", "math.Min": "element_min", "math.Inf": "element_inf", "math.NaN": "element_nan",
	"math.IsNaN": "element_is_nan", "math.IsInf": "element_is_inf", "math.Signbit": "element_signbit",
	"math.FMA": "fma",

	"math/bits.OnesCount64": "element_ones", "math/bits.OnesCount32": "element_ones",
	"math/bits.Len64": "element_len", "math/bits.Len32": "element_len",
	"math/bits.LeadingZeros64": "element_leading", "math/bits.LeadingZeros32": "element_leading",
	"math/bits.TrailingZeros64": "element_trailing", "math/bits.TrailingZeros32": "element_trailing",
	"math/bits.RotateLeft64": "element_rotate", "math/bits.RotateLeft32": "element_rotate",
}
