package number

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// fmaOdd returns a*b+c rounded to odd, for a and b with at most 26 significant bits: a following rounding to f32 or
// less gives the correctly rounded result.
func fmaOdd(a, b, c float64) float64 {
	p := a * b // exact
	r := p + c
	t := r - p
	e := (p - (r - t)) + (c - t) // r + e is the exact sum
	u := math.Float64bits(r)
	if e == 0 || u&1 != 0 || e != e {
		return r
	}
	if (e > 0) == (r > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

// FMA32 returns a*b+c with one rounding.
func FMA32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	r := p + float64(c)
	// Rounding r again can only go wrong when r is half way between two values of f32, or when the result is denormal.
	if u := math.Float64bits(r); u&0x1fffffff == 0x10000000 || u&(1<<63-1) < 0x3810000000000000 {
		return float32(fmaOdd(float64(a), float64(b), float64(c)))
	}
	return float32(r)
}

// FMA16 returns a*b+c in f16 with one rounding.
func FMA16(a, b, c uint16) uint16 {
	return half.OddToF16(fmaOdd(float64(half.FromF16(a)), float64(half.FromF16(b)), float64(half.FromF16(c))))
}

// MaxNum and minNum follow IEEE-754 maxNum and minNum: a NaN loses, and -0 is less than +0.
func MaxNum[T float32 | float64](a, b T) T {
	switch {
	case a > b:
		return a
	case b > a:
		return b
	case a != a:
		return b
	case b != b:
		return a
	}
	if math.Signbit(float64(a)) {
		return b
	}
	return a
}

func MinNum[T float32 | float64](a, b T) T {
	switch {
	case a < b:
		return a
	case b < a:
		return b
	case a != a:
		return b
	case b != b:
		return a
	}
	if math.Signbit(float64(a)) {
		return a
	}
	return b
}

// Med3 returns the middle one of three; with a NaN, the smallest.
func Med3(a, b, c float32) float32 {
	if a != a || b != b || c != c {
		return MinNum(MinNum(a, b), c)
	}
	m := MaxNum(MaxNum(a, b), c)
	switch m {
	case a:
		return MaxNum(b, c)
	case b:
		return MaxNum(a, c)
	}
	return MaxNum(a, b)
}

// Quiet returns x, and a quiet NaN for a signaling one.
func Quiet(x float32) float32 {
	if x != x {
		return math.Float32frombits(math.Float32bits(x) | 1<<22)
	}
	return x
}

func Fract32(x float32) float32 {
	f := float64(x)
	return MinNum(float32(f-math.Floor(f)), 0x1.fffffep-1)
}

func Fract64(x float64) float64 { return MinNum(x-math.Floor(x), 0x1.fffffffffffffp-1) }

// turns returns the fraction of a revolution that x stands for: sin and cos count in revolutions.
func turns(x float64) float64 { return 2 * math.Pi * (x - math.Trunc(x)) }

func SinTurns(x float32) float32  { return float32(math.Sin(turns(float64(x)))) }
func CosTurns(x float32) float32  { return float32(math.Cos(turns(float64(x)))) }
func Exp2(x float32) float32      { return float32(math.Exp2(float64(x))) }
func Log2(x float32) float32      { return float32(math.Log2(float64(x))) }
func Rcp(x float32) float32       { return float32(1 / float64(x)) }
func Rsq(x float32) float32       { return float32(1 / math.Sqrt(float64(x))) }
func Sqrt(x float32) float32      { return float32(math.Sqrt(float64(x))) }
func Trunc(x float32) float32     { return float32(math.Trunc(float64(x))) }
func Ceil(x float32) float32      { return float32(math.Ceil(float64(x))) }
func Floor(x float32) float32     { return float32(math.Floor(float64(x))) }
func RoundEven(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Scale2 multiplies by 2^e exactly, in a range that no f32 leaves.
func Scale2(x float64, e int) float64 {
	return x * math.Float64frombits(uint64(1023+min(max(e, -512), 512))<<52)
}

func Ldexp32(x float32, e int32) float32 { return float32(Scale2(float64(x), int(e))) }

func Ldexp64(x float64, e int32) float64 { return math.Ldexp(x, int(min(max(e, -4096), 4096))) }

func FrexpExp32(x uint32) uint32 {
	f := float64(math.Float32frombits(x))
	if f == 0 || math.IsInf(f, 0) || f != f {
		return 0
	}
	_, e := math.Frexp(f)
	return uint32(int32(e))
}

func FrexpMant32(x float32) float32 {
	m, _ := math.Frexp(float64(x)) // zeros, infinities and NaN come back as they are
	return float32(m)
}

func FrexpExp64(x uint64) uint64 {
	f := math.Float64frombits(x)
	if f == 0 || math.IsInf(f, 0) || f != f {
		return 0
	}
	_, e := math.Frexp(f)
	return uint64(uint32(int32(e)))
}

func FrexpMant64(x float64) float64 {
	m, _ := math.Frexp(x)
	return m
}

// ToI32 converts as the hardware does: toward zero, saturating, NaN to 0.
func ToI32(f float64) uint32 {
	switch {
	case f != f:
		return 0
	case f >= 1<<31:
		return math.MaxInt32
	case f <= -1<<31:
		return 1 << 31
	}
	return uint32(int32(f))
}

func ToU32(f float64) uint32 {
	switch {
	case !(f > 0):
		return 0
	case f >= 1<<32:
		return math.MaxUint32
	}
	return uint32(f)
}

func ToI16(f float64) uint16 { return uint16(int16(int32(ToI32(min(max(f, -1<<15), 1<<15-1))))) }

func ToU16(f float64) uint16 { return uint16(ToU32(min(max(f, 0), 1<<16-1))) }

func exponent32(x float32) int { return int(math.Float32bits(x) >> 23 & 0xff) }
func exponent64(x float64) int { return int(math.Float64bits(x) >> 52 & 0x7ff) }

func denormal32(x float32) bool { return exponent32(x) == 0 && x != 0 }
func denormal64(x float64) bool { return exponent64(x) == 0 && x != 0 }

// DivScale32 is v_div_scale_f32: x is the denominator or the numerator, scaled so that the steps of a division neither
// overflow nor lose bits. post asks v_div_fmas to undo the scaling.
func DivScale32(x, den, num float32) (y float32, post bool) {
	switch {
	case num == 0 || den == 0:
		return float32(math.NaN()), false
	case exponent32(num)-exponent32(den) >= 96: // the quotient is near the largest number
		if x == den {
			return Ldexp32(x, 64), true
		}
		return x, true
	case denormal32(den):
		return Ldexp32(x, 64), false
	case denormal32(float32(1/float64(den))) && denormal32(num/den):
		if x == den {
			return Ldexp32(x, -64), true
		}
		return x, true
	case denormal32(float32(1 / float64(den))):
		return Ldexp32(x, -64), false
	case denormal32(num/den) || num/den == 0:
		if x == num {
			return Ldexp32(x, 64), true
		}
		return x, true
	case exponent32(num) <= 23:
		return Ldexp32(x, 64), false
	}
	return x, false
}

// DivScale64 is divScale32 for f64.
func DivScale64(x, den, num float64) (y float64, post bool) {
	switch {
	case num == 0 || den == 0:
		return math.NaN(), false
	case exponent64(num)-exponent64(den) >= 768:
		if x == den {
			return Ldexp64(x, 128), true
		}
		return x, true
	case denormal64(den):
		return Ldexp64(x, 128), false
	case denormal64(1/den) && denormal64(num/den):
		if x == den {
			return Ldexp64(x, -128), true
		}
		return x, true
	case denormal64(1 / den):
		return Ldexp64(x, -128), false
	case denormal64(num/den) || num/den == 0:
		if x == num {
			return Ldexp64(x, 128), true
		}
		return x, true
	case exponent64(num) <= 53:
		return Ldexp64(x, 128), false
	}
	return x, false
}

// DivFmas32 is fma, and with post a scaling by 2^±64 before the one rounding.
func DivFmas32(a, b, c float32, post bool) float32 {
	if !post {
		return FMA32(a, b, c)
	}
	r := fmaOdd(float64(a), float64(b), float64(c))
	if exponent32(c) > 127 {
		return float32(Scale2(r, 64))
	}
	return float32(Scale2(r, -64))
}

func DivFmas64(a, b, c float64, post bool) float64 {
	r := math.FMA(a, b, c)
	if !post || r == 0 || r != r || math.IsInf(r, 0) {
		return r
	}
	if exponent64(c) > 1023 {
		return Ldexp64(r, 128)
	}
	if s := Ldexp64(r, -128); !denormal64(s) && s != 0 {
		return s
	}
	// The scaled result is denormal: round the exact sum once.
	exact := new(big.Float).SetPrec(2400).SetFloat64(a)
	exact.Mul(exact, new(big.Float).SetFloat64(b))
	exact.Add(exact, new(big.Float).SetFloat64(c))
	exact.SetMantExp(exact, -128)
	f, _ := exact.Float64()
	return f
}

// DivFixup32 turns the quotient of the division steps into the result for all special cases.
func DivFixup32(q, den, num float32) float32 {
	return float32(DivFixup(float64(q), float64(den), float64(num), exponent32(num)-exponent32(den) < -150))
}

func DivFixup64(q, den, num float64) float64 {
	return DivFixup(q, den, num, exponent64(num)-exponent64(den) < -1075)
}

func DivFixup(q, den, num float64, underflow bool) float64 {
	sign := 1.0
	if math.Signbit(den) != math.Signbit(num) {
		sign = -1
	}
	switch {
	case num != num:
		return num
	case den != den:
		return den
	case den == 0 && num == 0, math.IsInf(den, 0) && math.IsInf(num, 0):
		return math.NaN()
	case den == 0 || math.IsInf(num, 0):
		return math.Inf(int(sign))
	case math.IsInf(den, 0) || num == 0 || underflow:
		return math.Copysign(0, sign)
	case q != q: // the steps make a NaN of a quotient that overflows
		return math.Inf(int(sign))
	}
	return math.Copysign(q, sign)
}

// Bits of the mask of v_cmp_class.
const (
	classSignalingNaN = 1 << iota
	classQuietNaN
	classNegInf
	classNegNormal
	classNegDenormal
	classNegZero
	classPosZero
	classPosDenormal
	classPosNormal
	classPosInf
)

// Class returns the class bit of a float with the given field widths.
func Class(x uint64, expBits, fracBits int) uint32 {
	frac := x & (1<<fracBits - 1)
	exp := x >> fracBits & (1<<expBits - 1)
	neg := x>>(expBits+fracBits)&1 != 0
	pick := func(n, p uint32) uint32 {
		if neg {
			return n
		}
		return p
	}
	switch {
	case exp == 1<<expBits-1 && frac>>(fracBits-1) != 0:
		return classQuietNaN
	case exp == 1<<expBits-1 && frac != 0:
		return classSignalingNaN
	case exp == 1<<expBits-1:
		return pick(classNegInf, classPosInf)
	case exp != 0:
		return pick(classNegNormal, classPosNormal)
	case frac != 0:
		return pick(classNegDenormal, classPosDenormal)
	}
	return pick(classNegZero, classPosZero)
}

// TrigPreop returns 53 bits of 2/π for the argument reduction of trigonometric functions: v_trig_preop_f64.
func TrigPreop(x float64, segment uint32) float64 {
	shift := int(segment&31) * 53
	if e := exponent64(x); e > 1077 {
		shift += e - 1077
	}
	var v uint64
	for i := range 53 {
		v = v<<1 | twoOverPiBit(shift+i)
	}
	e := -53 - shift
	if exponent64(x) >= 1968 {
		e += 128
	}
	return math.Ldexp(float64(v), e)
}

func twoOverPiBit(i int) uint64 {
	if w := i / 64; w < len(twoOverPi) {
		return twoOverPi[w] >> (63 - i%64) & 1
	}
	return 0
}

// CLZ32 counts leading zeros; of 0 it gives -1, as the hardware does.
func CLZ32(x uint32) uint32 {
	if x == 0 {
		return 0xffffffff
	}
	return uint32(bits.LeadingZeros32(x))
}

func CTZ32(x uint32) uint32 {
	if x == 0 {
		return 0xffffffff
	}
	return uint32(bits.TrailingZeros32(x))
}

// CLS32 counts the bits after the first that equal the sign; of 0 and -1 it gives -1.
func CLS32(x uint32) uint32 { return CLZ32(x ^ uint32(int32(x)>>31)) }
