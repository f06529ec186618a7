package native

import (
	"go/types"
	"math"
	"math/bits"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// pure is what Go code does for generated code while the goroutine is pinned: it neither blocks nor panics, and calls
// nothing of the session.
type pure func(*enter.Context)

func float(c *enter.Context, i int) float64 { return math.Float64frombits(*c.Word(enter.ArgsAt + 8*i)) }

func setFloat(c *enter.Context, f float64) { *c.Word(enter.ResultsAt) = math.Float64bits(f) }

func setBool(c *enter.Context, b bool) {
	*c.Word(enter.ResultsAt) = 0
	if b {
		*c.Word(enter.ResultsAt) = 1
	}
}

func unary(f func(float64) float64) pure {
	return func(c *enter.Context) { setFloat(c, f(float(c, 0))) }
}

func binaryFloat(f func(x, y float64) float64) pure {
	return func(c *enter.Context) { setFloat(c, f(float(c, 0), float(c, 1))) }
}

func twoFloats(f func(float64) (float64, float64)) pure {
	return func(c *enter.Context) {
		x, y := f(float(c, 0))
		setFloat(c, x)
		*c.Word(enter.ResultsAt + 8) = math.Float64bits(y)
	}
}

func count(f func(uint64) int) pure {
	return func(c *enter.Context) { *c.Word(enter.ResultsAt) = uint64(f(*c.Word(enter.ArgsAt))) }
}

// goFunctions are functions of compiled packages without other effects, which Go code calls.
var goFunctions = map[string]pure{
	"math.Acos": unary(math.Acos), "math.Acosh": unary(math.Acosh), "math.Asin": unary(math.Asin),
	"math.Asinh": unary(math.Asinh), "math.Atan": unary(math.Atan), "math.Atan2": binaryFloat(math.Atan2),
	"math.Atanh": unary(math.Atanh), "math.Cbrt": unary(math.Cbrt), "math.Ceil": unary(math.Ceil),
	"math.Copysign": binaryFloat(math.Copysign), "math.Cos": unary(math.Cos),
	"math.Dim": binaryFloat(math.Dim), "math.Erf": unary(math.Erf), "math.Erfc": unary(math.Erfc),
	"math.Exp": unary(math.Exp), "math.Exp2": unary(math.Exp2), "math.Expm1": unary(math.Expm1),
	"math.Floor": unary(math.Floor), "math.Gamma": unary(math.Gamma), "math.Hypot": binaryFloat(math.Hypot),
	"math.Log": unary(math.Log), "math.Log10": unary(math.Log10), "math.Log1p": unary(math.Log1p),
	"math.Log2": unary(math.Log2), "math.Max": binaryFloat(math.Max), "math.Min": binaryFloat(math.Min),
	"math.Mod": binaryFloat(math.Mod), "math.Pow": binaryFloat(math.Pow),
	"math.Remainder": binaryFloat(math.Remainder), "math.Round": unary(math.Round),
	"math.RoundToEven": unary(math.RoundToEven), "math.Sin": unary(math.Sin), "math.Sinh": unary(math.Sinh),
	"math.Sincos": twoFloats(math.Sincos), "math.Modf": twoFloats(math.Modf), "math.Cosh": unary(math.Cosh),
	"math.Tan": unary(math.Tan), "math.Tanh": unary(math.Tanh), "math.Trunc": unary(math.Trunc),
	"math.Inf":     func(c *enter.Context) { setFloat(c, math.Inf(word(c, 0))) },
	"math.NaN":     func(c *enter.Context) { setFloat(c, math.NaN()) },
	"math.IsNaN":   func(c *enter.Context) { setBool(c, math.IsNaN(float(c, 0))) },
	"math.IsInf":   func(c *enter.Context) { setBool(c, math.IsInf(float(c, 0), word(c, 1))) },
	"math.Signbit": func(c *enter.Context) { setBool(c, math.Signbit(float(c, 0))) },

	"math/bits.LeadingZeros64": count(bits.LeadingZeros64), "math/bits.Len64": count(bits.Len64),
	"math/bits.OnesCount64": count(bits.OnesCount64), "math/bits.TrailingZeros64": count(bits.TrailingZeros64),
}

// unsignedOf converts a float to an unsigned integer, as the compiler does where the value does not fit.
func unsignedOf(from, to ir.Kind) pure {
	if from == ir.Float32 {
		return map[ir.Kind]pure{
			ir.Uint8:  func(c *enter.Context) { setInt(c, 0, int(uint8(float32Of(c)))) },
			ir.Uint16: func(c *enter.Context) { setInt(c, 0, int(uint16(float32Of(c)))) },
			ir.Uint32: func(c *enter.Context) { setInt(c, 0, int(uint32(float32Of(c)))) },
			ir.Uint64: func(c *enter.Context) { setInt(c, 0, int(uint64(float32Of(c)))) },
		}[to]
	}
	return map[ir.Kind]pure{
		ir.Uint8:  func(c *enter.Context) { setInt(c, 0, int(uint8(float(c, 0)))) },
		ir.Uint16: func(c *enter.Context) { setInt(c, 0, int(uint16(float(c, 0)))) },
		ir.Uint32: func(c *enter.Context) { setInt(c, 0, int(uint32(float(c, 0)))) },
		ir.Uint64: func(c *enter.Context) { setInt(c, 0, int(uint64(float(c, 0)))) },
	}[to]
}

func float32Of(c *enter.Context) float32 { return math.Float32frombits(uint32(*c.Word(enter.ArgsAt))) }

func goFunction(f *types.Func) pure {
	if f.Pkg() == nil || f.Signature().Recv() != nil {
		return nil
	}
	return goFunctions[f.Pkg().Path()+"."+f.Name()]
}

// intrinsics are functions that are operations here.
var intrinsics = map[string]ir.Op{
	"math.Sqrt": ir.Sqrt, "math.Abs": ir.Abs, "math.Float64bits": ir.Bits, "math.Float64frombits": ir.Bits,
	"math.Float32bits": ir.Bits, "math.Float32frombits": ir.Bits,
}

func isIntrinsic(f *types.Func) bool {
	if f.Pkg() == nil || f.Signature().Recv() != nil {
		return false
	}
	_, ok := intrinsics[f.Pkg().Path()+"."+f.Name()]
	return ok
}
