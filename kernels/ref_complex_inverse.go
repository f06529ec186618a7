package kernels

import (
	"math"
	"math/cmplx"
)

// The functions of complex_inverse.h, by the same formulas.

func swapped(x complex128) complex128 { return complex(imag(x), real(x)) }

// halfBeyond is (hypotenuse - b)/2 for the legs a and b, without cancellation.
func halfBeyond(a, b, hypotenuse float64) float64 {
	switch {
	case b < 0:
		return (hypotenuse - b) / 2
	case b == 0:
		return a / 2
	}
	return a * a / (hypotenuse + b) / 2
}

// arc is for x + iy in the first quadrant: asin is atan2(sin, cos) + i·log, and acos atan2(cos, sin) - i·log (Hull,
// Fairgrieve and Tang, 1997).
func arc(x, y float64) (sin, cos, log float64) {
	const eps = 0x1p-52
	if x > 0x1p52 || y > 0x1p52 {
		return x, y, logAbs(complex(x, y)) + math.Ln2
	}
	r, s := math.Hypot(x+1, y), math.Hypot(x-1, y)
	a := max(1, (r+s)/2)
	offAxis := y >= eps*math.Abs(x-1)
	switch {
	case a >= 10:
		log = math.Log(a + math.Sqrt(float64(a*a)-1))
	case x == 1 && y < eps*eps/128:
		log = math.Sqrt(y)
	case offAxis:
		beyond := halfBeyond(y, 1+x, r) + halfBeyond(y, 1-x, s)
		log = math.Log1p(beyond + math.Sqrt(beyond*(a+1)))
	case x < 1:
		log = y / math.Sqrt((1-x)*(1+x))
	default:
		log = math.Log1p((x - 1) + math.Sqrt((x-1)*(x+1)))
	}
	switch {
	case x <= 0.64*a:
		return x, math.Sqrt((a - x) * (a + x)), log
	case x == 1 && y < eps/128:
		return x, math.Sqrt(y) * math.Sqrt((a+x)/2), log
	case offAxis:
		return x, math.Sqrt((halfBeyond(y, x+1, r) + halfBeyond(y, x-1, s)) * (a + x)), log
	case x > 1: // scaled, so that a small y keeps its digits
		return x * 0x1p106, y * 0x1p106 * x / math.Sqrt((x+1)*(x-1)), log
	}
	return x, math.Sqrt((1 - x) * (1 + x)), log
}

func complexAsin(x complex128) complex128 {
	re, im, nan := real(x), imag(x), math.NaN()
	if re != re || im != im {
		switch {
		case math.IsInf(im, 0):
			return complex(nan, im)
		case math.IsInf(re, 0):
			return complex(nan, re)
		case re == 0:
			return complex(re, nan)
		}
		return cmplx.NaN()
	}
	sin, cos, log := arc(math.Abs(re), math.Abs(im))
	return complex(math.Copysign(atan2(sin, cos), re), math.Copysign(log, im))
}

func complexAcos(x complex128) complex128 {
	re, im, nan := real(x), imag(x), math.NaN()
	if re != re || im != im {
		switch {
		case math.IsInf(re, 0):
			return complex(nan, math.Inf(-1))
		case math.IsInf(im, 0):
			return complex(nan, -im)
		case re == 0:
			return complex(math.Pi/2, nan)
		}
		return cmplx.NaN()
	}
	sin, cos, log := arc(math.Abs(re), math.Abs(im))
	return complex(atan2(cos, math.Copysign(sin, re)), -math.Copysign(log, im))
}

func complexAsinh(x complex128) complex128 { return swapped(complexAsin(swapped(x))) }

func complexAcosh(x complex128) complex128 {
	w := complexAcos(x)
	re, im := real(w), imag(w)
	switch {
	case re != re:
		return complex(math.Abs(im), re)
	case im != im && real(x) == 0:
		return complex(im, re)
	case im != im:
		return complex(im, im)
	}
	return complex(math.Abs(im), math.Copysign(re, imag(x)))
}

// complexAtanh has the real part log(1 + 4x/((1 - x)² + y²))/4.
func complexAtanh(x complex128) complex128 {
	re, im := real(x), imag(x)
	a, b := math.Abs(re), math.Abs(im)
	switch {
	case im == 0 && a <= 1:
		return complex(math.Atanh(re), im)
	case re == 0:
		return complex(re, atan2(im, 1))
	case (math.IsInf(a, 0) || math.IsInf(b, 0)) && im != im:
		return complex(math.Copysign(0, re), im)
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return complex(math.Copysign(0, re), math.Copysign(math.Pi/2, im))
	case re != re || im != im:
		return cmplx.NaN()
	case a > 0x1p52 || b > 0x1p52:
		return complex(real(complexRecip(x)), math.Copysign(math.Pi/2, im))
	}
	y2 := float64(b * b)
	if b < 0x1p-511 {
		y2 = 0
	}
	r, angle := math.Log1p(4*a/(float64((a-1)*(a-1))+y2))/4, atan2(2*b, float64((1-a)*(1+a))-y2)/2
	if a == 1 {
		angle = atan2(2, -b) / 2
		if b < 0x1p-52 {
			r = (math.Ln2 - log(b)) / 2
		}
	}
	return complex(math.Copysign(r, re), math.Copysign(angle, im))
}

func complexAtan(x complex128) complex128 { return swapped(complexAtanh(swapped(x))) }

// complexExpm1: e^x·cos y - 1 is (e^x - 1)·cos y - 2·sin²(y/2).
func complexExpm1(x complex128) complex128 {
	re, im := real(x), imag(x)
	if im == 0 {
		return complex(math.Expm1(re), im)
	}
	if !finiteParts(x) || re > 40 {
		e := complexExp(x)
		return complex(real(e)-1, imag(e))
	}
	half := sin(im / 2)
	s, c := sincos(im)
	return complex(float64(math.Expm1(re)*c)-2*half*half, math.Exp(re)*s)
}

// complexLog1p computes log |1 + z| from 2x + x² + y² as a sum of exact parts, where 1 + x would lose digits of x.
func complexLog1p(x complex128) complex128 {
	a, b := real(x), imag(x)
	angle := atan2(b, 1+a)
	p, q := float64(a*a), float64(b*b)
	sum := 2*a + q
	if !(p+q < 0x1p60) || 1+sum+p < 0.5 {
		return complex(logAbs(complex(1+a, b)), angle)
	}
	back := sum - q
	lost := (2*a - back) + (q - (sum - back))
	total := sum + p
	back2 := total - p
	lost2 := (sum - back2) + (p - (total - back2))
	rest := lost + lost2 + math.FMA(a, a, -p) + math.FMA(b, b, -q)
	return complex(0.5*math.Log1p(total+rest), angle)
}
