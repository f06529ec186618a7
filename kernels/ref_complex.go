package kernels

import (
	"math"
	"math/cmplx"
)

// The functions of complex.h, by the same formulas. The conversions to float64 keep a compiler from fusing a product
// and a sum.

func timesI(x complex128) complex128 { return complex(-imag(x), real(x)) }

func overI(x complex128) complex128 { return complex(imag(x), -real(x)) }

func isFinite(x float64) bool { return !math.IsInf(x, 0) && x == x }

func finiteParts(x complex128) bool { return isFinite(real(x)) && isFinite(imag(x)) }

func complexMul(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)),
		float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// exponentOf is the exponent of the larger part of a finite number; the least one for subnormals.
func exponentOf(x complex128) int {
	return int(math.Float64bits(max(math.Abs(real(x)), math.Abs(imag(x))))>>52) - 1023
}

func scaled(x complex128, n int) complex128 {
	return complex(math.Ldexp(real(x), n), math.Ldexp(imag(x), n))
}

func unitsIfInfinite(x complex128) complex128 {
	unit := func(v float64) float64 {
		if math.IsInf(v, 0) {
			return math.Copysign(1, v)
		}
		return math.Copysign(0, v)
	}
	return complex(unit(real(x)), unit(imag(x)))
}

// complexDiv divides after scaling both operands to an exponent of 0.
func complexDiv(x, y complex128) complex128 {
	factor, n := 1.0, 0
	switch {
	case y == 0:
		inf := math.Copysign(math.Inf(1), real(y))
		return complex(inf*real(x), inf*imag(x))
	case cmplx.IsInf(x) && finiteParts(y):
		x, factor = unitsIfInfinite(x), math.Inf(1)
	case cmplx.IsInf(y) && finiteParts(x):
		y, factor = unitsIfInfinite(y), 0
	case !finiteParts(x) || !finiteParts(y):
		return cmplx.NaN()
	default:
		if ex, ey := exponentOf(x), exponentOf(y); max(ex, -ex, ey, -ey) > 400 { // squares might overflow
			x, y, n = scaled(x, -ex), scaled(y, -ey), ex-ey
		}
	}
	re := float64(real(x)*real(y)) + float64(imag(x)*imag(y))
	im := float64(imag(x)*real(y)) - float64(real(x)*imag(y))
	if factor != 1 {
		return complex(factor*re, factor*im)
	}
	square := float64(real(y)*real(y)) + float64(imag(y)*imag(y))
	q := complex(re/square, im/square)
	if n == 0 {
		return q
	}
	return scaled(q, n)
}

func complexRecip(x complex128) complex128 { return complexDiv(1, x) }

// complexSign is x/|x|, and 0 for 0. An infinity gives the direction of its infinite parts.
func complexSign(x complex128) complex128 {
	switch {
	case x == 0:
		return x
	case cmplx.IsInf(x):
		x = unitsIfInfinite(x)
	case finiteParts(x):
		x = scaled(x, -exponentOf(x))
	}
	size := math.Sqrt(float64(real(x)*real(x)) + float64(imag(x)*imag(x)))
	return complex(real(x)/size, imag(x)/size)
}

func complexSqrt(x complex128) complex128 {
	inf := math.Inf(1)
	re, im := real(x), imag(x)
	switch {
	case x == 0:
		return complex(0, im)
	case math.IsInf(im, 0):
		return complex(inf, im)
	case math.IsInf(re, 1):
		return complex(inf, signedZero(im))
	case math.IsInf(re, -1):
		return complex(math.Abs(signedZero(im)), math.Copysign(inf, im))
	case re != re || im != im:
		return cmplx.NaN()
	}
	half, y := 0, x
	if e := exponentOf(x); max(e, -e) > 400 { // squares might overflow
		half = e >> 1
		y = scaled(x, -2*half)
	}
	size := math.Sqrt(float64(real(y)*real(y)) + float64(imag(y)*imag(y)))
	t := math.Sqrt(0.5 * (math.Abs(real(y)) + size))
	if half != 0 {
		t = math.Ldexp(t, half)
	}
	other := im / (2 * t)
	if re < 0 {
		return complex(math.Abs(other), math.Copysign(t, im))
	}
	return complex(t, other)
}

// signedZero is a zero with the sign of x, or NaN if x is.
func signedZero(x float64) float64 {
	if x != x {
		return x
	}
	return math.Copysign(0, x)
}

// logAbs is log |x|. Near the unit circle |x|² - 1 is computed from exact squares.
func logAbs(x complex128) float64 {
	a, b := math.Abs(real(x)), math.Abs(imag(x))
	if cmplx.IsInf(x) {
		return math.Inf(1)
	}
	m, n := max(a, b), min(a, b)
	p, q := float64(m*m), float64(n*n)
	switch {
	case p+q > 0.5 && p+q < 3:
		return 0.5 * math.Log1p(((p-1)+q)+(math.FMA(m, m, -p)+math.FMA(n, n, -q)))
	case m > 0x1p1000:
		return math.Log(math.Hypot(0.5*m, 0.5*n)) + math.Ln2
	case m < 0x1p-1000 && m > 0: // the root may be subnormal
		return math.Log(math.Hypot(0x1p200*m, 0x1p200*n)) - 200*math.Ln2
	}
	return log(math.Hypot(a, b))
}

func complexLog(x complex128) complex128 { return complex(logAbs(x), atan2(imag(x), real(x))) }

// times is a·b, where 0 wins over an infinity or NaN.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return math.Copysign(0, a) * math.Copysign(1, b)
	}
	return a * b
}

// Beyond far, e^x is computed as e^(x - back)·e^back.
const (
	far  = 700
	back = 50
)

var eBack = math.Exp(back)

func sincos(x float64) (s, c float64) { return sin(x), cos(x) }

func complexExp(x complex128) complex128 {
	re, im := real(x), imag(x)
	switch {
	case im == 0:
		return complex(math.Exp(re), im)
	case math.IsInf(re, -1) && !isFinite(im):
		return complex(0, math.Copysign(0, im))
	case math.IsInf(re, 1) && !isFinite(im):
		return complex(re, math.NaN())
	}
	k := 1.0
	if re > far {
		re, k = re-back, eBack
	}
	s, c := sincos(im)
	r := math.Exp(re)
	return complex(times(r, c)*k, times(r, s)*k)
}

// withinRange returns a real part whose hyperbolic functions do not overflow, and the factor that they lack.
func withinRange(re float64) (near, factor float64) {
	if math.Abs(re) > far {
		return math.Copysign(math.Abs(re)-back, re), eBack
	}
	return re, 1
}

func complexSinh(x complex128) complex128 {
	if math.IsInf(real(x), 0) && !isFinite(imag(x)) {
		return complex(real(x), math.NaN())
	}
	re, k := withinRange(real(x))
	s, c := sincos(imag(x))
	return complex(times(sinh(re), c)*k, times(cosh(re), s)*k)
}

func complexCosh(x complex128) complex128 {
	if math.IsInf(real(x), 0) && !isFinite(imag(x)) {
		return complex(math.Inf(1), math.NaN())
	}
	re, k := withinRange(real(x))
	s, c := sincos(imag(x))
	return complex(times(cosh(re), c)*k, times(sinh(re), s)*k)
}

// complexTanh is (sinh x·cosh x + i·sin y·cos y)/(cos² y + sinh² x).
func complexTanh(x complex128) complex128 {
	re, im := real(x), imag(x)
	switch {
	case im == 0:
		return complex(math.Tanh(re), im)
	case !isFinite(im) && re == 0:
		return complex(re, math.NaN())
	case !isFinite(im) && math.IsInf(re, 0):
		return complex(math.Copysign(1, re), math.Copysign(0, im))
	}
	s, c := sincos(im)
	if math.Abs(re) > 22 {
		return complex(math.Copysign(1, re), 4*s*c*math.Exp(-2*math.Abs(re)))
	}
	sh := sinh(re)
	square := float64(c*c) + float64(sh*sh)
	return complex(sh*cosh(re)/square, s*c/square)
}

func complexSin(x complex128) complex128 { return overI(complexSinh(timesI(x))) }

func complexCos(x complex128) complex128 { return complexCosh(timesI(x)) }

func complexTan(x complex128) complex128 { return overI(complexTanh(timesI(x))) }

func complexPow(x, y complex128) complex128 {
	switch {
	case y == 0:
		return 1
	case x == 0 && real(y) > 0:
		return 0
	case x == 0 && real(y) < 0:
		if imag(y) == 0 {
			return complex(math.Inf(1), 0)
		}
		return cmplx.Inf()
	case x == 0:
		return cmplx.NaN()
	case y == 1:
		return x
	case y == 2:
		return complexMul(x, x)
	}
	arg := atan2(imag(x), real(x))
	r, angle := 0.0, real(y)*arg
	if imag(y) == 0 {
		if r = cmplx.Abs(x); r < 0x1p-1000 {
			r = math.Exp(real(y) * logAbs(x)) // |x| may be subnormal
		} else {
			r = pow(r, real(y))
		}
	} else {
		l := logAbs(x)
		r = math.Exp(float64(real(y)*l) - float64(imag(y)*arg))
		angle += float64(imag(y) * l)
	}
	s, c := sincos(angle)
	return complex(times(r, c), times(r, s))
}
