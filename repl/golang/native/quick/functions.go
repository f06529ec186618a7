package quick

import (
	"go/types"
	"math"
	"math/bits"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

func unary(f func(float64) float64) Func {
	return func(c *enter.Context) bool { return c.SetFloat(0, f(c.Float(0))) }
}

func binaryFloat(f func(x, y float64) float64) Func {
	return func(c *enter.Context) bool { return c.SetFloat(0, f(c.Float(0), c.Float(1))) }
}

func twoFloats(f func(float64) (float64, float64)) Func {
	return func(c *enter.Context) bool {
		x, y := f(c.Float(0))
		return c.SetFloat(0, x) && c.SetFloat(1, y)
	}
}

func count(f func(uint64) int) Func {
	return func(c *enter.Context) bool { return c.SetInt(0, f(uint64(c.Arg(0)))) }
}

// pure are functions of compiled packages without other effects, which Go code calls.
var pure = map[string]Func{
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
	"math.Inf":     func(c *enter.Context) bool { return c.SetFloat(0, math.Inf(c.Arg(0))) },
	"math.NaN":     func(c *enter.Context) bool { return c.SetFloat(0, math.NaN()) },
	"math.IsNaN":   func(c *enter.Context) bool { return c.SetBool(0, math.IsNaN(c.Float(0))) },
	"math.IsInf":   func(c *enter.Context) bool { return c.SetBool(0, math.IsInf(c.Float(0), c.Arg(1))) },
	"math.Signbit": func(c *enter.Context) bool { return c.SetBool(0, math.Signbit(c.Float(0))) },

	"math/bits.LeadingZeros64": count(bits.LeadingZeros64), "math/bits.Len64": count(bits.Len64),
	"math/bits.OnesCount64": count(bits.OnesCount64), "math/bits.TrailingZeros64": count(bits.TrailingZeros64),
}

// Unsigned converts a float to an unsigned integer, as the compiler does where the value does not fit.
func Unsigned(from, to ir.Kind) Func {
	if from == ir.Float32 {
		return map[ir.Kind]Func{
			ir.Uint8:  func(c *enter.Context) bool { return c.SetInt(0, int(uint8(float32Of(c)))) },
			ir.Uint16: func(c *enter.Context) bool { return c.SetInt(0, int(uint16(float32Of(c)))) },
			ir.Uint32: func(c *enter.Context) bool { return c.SetInt(0, int(uint32(float32Of(c)))) },
			ir.Uint64: func(c *enter.Context) bool { return c.SetInt(0, int(uint64(float32Of(c)))) },
		}[to]
	}
	return map[ir.Kind]Func{
		ir.Uint8:  func(c *enter.Context) bool { return c.SetInt(0, int(uint8(c.Float(0)))) },
		ir.Uint16: func(c *enter.Context) bool { return c.SetInt(0, int(uint16(c.Float(0)))) },
		ir.Uint32: func(c *enter.Context) bool { return c.SetInt(0, int(uint32(c.Float(0)))) },
		ir.Uint64: func(c *enter.Context) bool { return c.SetInt(0, int(uint64(c.Float(0)))) },
	}[to]
}

func float32Of(c *enter.Context) float32 { return math.Float32frombits(uint32(*c.Word(enter.ArgsAt))) }

// Pure is how a function without other effects is called, nil for any other.
func Pure(f *types.Func) Func {
	if f.Pkg() == nil || f.Signature().Recv() != nil {
		return nil
	}
	return pure[f.Pkg().Path()+"."+f.Name()]
}
