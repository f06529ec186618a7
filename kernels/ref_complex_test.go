package kernels

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"
)

// near reports whether both parts are within so many units in the last place of the larger part of want.
func near(got, want complex128, ulps float64) bool {
	unit := max(math.Abs(real(want)), math.Abs(imag(want))) * 0x1p-52
	part := func(g, w float64) bool { return g == w || math.Abs(g-w) <= ulps*unit || g != g && w != w }
	return part(real(got), real(want)) && part(imag(got), imag(want))
}

// Within the range where package cmplx neither overflows nor cancels, its functions are independent references.
func TestComplexRefs(t *testing.T) {
	unary := map[string]func(complex128) complex128{"sqrt": cmplx.Sqrt, "exp": cmplx.Exp, "log": cmplx.Log,
		"sin": cmplx.Sin, "cos": cmplx.Cos, "tan": cmplx.Tan, "sinh": cmplx.Sinh, "cosh": cmplx.Cosh,
		"tanh": cmplx.Tanh, "conj": cmplx.Conj, "sign": func(x complex128) complex128 { return x / complex(cmplx.Abs(x), 0) },
		"recip": func(x complex128) complex128 { return 1 / x },
		"asin":  cmplx.Asin, "acos": cmplx.Acos, "atan": cmplx.Atan, "asinh": cmplx.Asinh, "acosh": cmplx.Acosh,
		"atanh": cmplx.Atanh, "expm1": func(x complex128) complex128 { return cmplx.Exp(x) - 1 },
		"log1p": func(x complex128) complex128 { return cmplx.Log(1 + x) }}
	binary := map[string]func(a, b complex128) complex128{"mul": func(a, b complex128) complex128 { return a * b },
		"div": func(a, b complex128) complex128 { return a / b }, "pow": cmplx.Pow}
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() complex128 { return complex(r.NormFloat64()*3, r.NormFloat64()*3) }
	for _, op := range ComplexOps {
		for range 2000 {
			x, y := draw(), draw()
			var got, want complex128
			if op.Binary != nil {
				got, want = op.Binary(x, y), binary[op.Name](x, y)
			} else {
				got, want = op.Unary(x), unary[op.Name](x)
			}
			if strings.HasPrefix(op.Name, "tan") && cmplx.Abs(want) > 3 {
				continue // package cmplx cancels near a pole
			}
			if !near(got, want, max(op.ULP, 256)) { // package cmplx loses digits of the inverse functions
				t.Errorf("%s(%v, %v) = %v, package cmplx has %v", op.Name, x, y, got, want)
			}
		}
	}
}

// What the formulas of textbooks lose: results near the ends of the range, and near 0.
func TestComplexRefsFar(t *testing.T) {
	const huge, tiny = 0x1p1023, 0x1p-1070
	for _, c := range []struct {
		name      string
		got, want complex128
	}{
		{"a quotient of the largest", complexDiv(complex(huge, huge), complex(huge, huge)), 1},
		{"a quotient of the smallest", complexDiv(complex(tiny, tiny), complex(tiny, -tiny)), 1i},
		{"the smallest quotient", complexDiv(complex(0x1p-1000, 0), complex(0x1p70, 0)), complex(0x1p-1070, 0)},
		{"a large over a small one", complexDiv(complex(0x1p600, 0), complex(0, 0x1p-400)), complex(0, -0x1p1000)},
		{"the reciprocal of the largest", complexRecip(complex(huge, huge)), complex(0x1p-1024, -0x1p-1024)},
		{"the root of the largest", complexSqrt(complex(0, huge)), complex(0x1p511, 0x1p511)},
		{"the root of the smallest", complexSqrt(complex(0, tiny)),
			complex(0x1p-535*math.Sqrt2/2, 0x1p-535*math.Sqrt2/2)},
		{"a root with a small part", complexSqrt(complex(0x1p1000, 0x1p-40)), complex(0x1p500, 0x1p-541)},
		{"the logarithm of the largest", complexLog(complex(huge, huge)),
			complex(1023.5*math.Ln2, math.Pi/4)},
		{"the logarithm of the smallest", complexLog(complex(5e-324, 0)), complex(-744.440071921381262, 0)},
		{"the logarithm of a small one", complexLog(complex(1e-320, 1e-320)),
			complex(-736.480667300693933, 0.785398163397448310)},
		{"a power of the smallest", complexPow(complex(5e-324, 0), complex(-0.9, 0)), complex(9.45352569147208013e+290, 0)},
		{"a power of a small one", complexPow(complex(1e-320, 1e-320), complex(0.3, 0)),
			complex(1.07890837581728088e-96, 2.5902298402735626e-97)},
		{"a logarithm near 0", complexLog(complex(1, 0x1p-30)), complex(0x1p-61, 0x1p-30)},
		{"a logarithm on the unit circle", complexLog(complex(0.6, 0.8)),
			complex(2.2204460492503132e-17, math.Atan2(0.8, 0.6))},
		{"a power with a small cosine", complexExp(complex(720, math.Pi/2)),
			complex(6.123233995736766e-17*math.Exp(360)*math.Exp(360-40)*math.Exp(40), math.Inf(1))},
	} {
		part := func(g, w float64) bool { return g == w || math.Abs(g-w) <= 1e-12*math.Abs(w) }
		if !part(real(c.got), real(c.want)) || !part(imag(c.got), imag(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The special values of C99, annex G, and of package cmplx where that agrees.
func TestComplexSpecials(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name      string
		got, want complex128
	}{
		{"1/0", complexDiv(1, 0), complex(inf, nan)},
		{"(1+i)/-0", complexDiv(1+1i, complex(zero, 0)), complex(-inf, -inf)},
		{"1/inf", complexDiv(1, complex(inf, nan)), 0},
		{"inf/1", complexDiv(complex(inf, 2), complex(1, 1)), complex(inf, -inf)},
		{"nan/1", complexDiv(complex(nan, 2), 1), cmplx.NaN()},
		{"sqrt -0", complexSqrt(complex(zero, 0)), 0},
		{"sqrt -1-0i", complexSqrt(complex(-1, zero)), complex(0, -1)},
		{"sqrt nan+inf", complexSqrt(complex(nan, inf)), complex(inf, inf)},
		{"sqrt -inf+i", complexSqrt(complex(-inf, 1)), complex(0, inf)},
		{"exp -inf+inf", complexExp(complex(-inf, inf)), 0},
		{"exp inf+i", complexExp(complex(inf, 1)), complex(inf, inf)},
		{"exp inf+0i", complexExp(complex(inf, 0)), complex(inf, 0)},
		{"exp 0+inf", complexExp(complex(0, inf)), cmplx.NaN()},
		{"log 0", complexLog(0), complex(-inf, 0)},
		{"log -1-0i", complexLog(complex(-1, zero)), complex(0, -math.Pi)},
		{"log inf+nan", complexLog(complex(inf, nan)), complex(inf, nan)},
		{"sin 2000i", complexSin(2000i), complex(0, inf)},
		{"sinh 0+inf", complexSinh(complex(0, inf)), complex(0, nan)},
		{"cosh inf+0i", complexCosh(complex(inf, 0)), complex(inf, 0)},
		{"tanh inf+i", complexTanh(complex(inf, 1)), 1},
		{"tanh nan+0i", complexTanh(complex(nan, 0)), complex(nan, 0)},
		{"sign of inf", complexSign(complex(-inf, 3)), complex(-1, 0)},
		{"sign of the largest", complexSign(complex(0, -math.MaxFloat64)), complex(0, -1)},
		{"sign of 0", complexSign(complex(zero, 0)), complex(zero, 0)},
		{"0^0", complexPow(0, 0), 1},
		{"0^i", complexPow(0, 1i), cmplx.NaN()},
		{"0^-1", complexPow(0, -1), complex(inf, 0)},
		{"(-2)^2", complexPow(-2, 2), complex(4, zero)},
	} {
		part := func(g, w float64) bool {
			return g != g && w != w || g == w && (g != 0 || math.Signbit(g) == math.Signbit(w))
		}
		if !part(real(c.got), real(c.want)) || !part(imag(c.got), imag(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
