package kernels

import "math"

// References of elementary functions where those of package math lose digits, overflow early or do not exist.

// log2 and log10 round a logarithm in two parts, so that powers of the base have exact logarithms.

func log2(x float64) float64 {
	const inv, invLow = 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56 // 1/ln 2
	return logarithm(x, 1, 0, inv, invLow)
}

func log10(x float64) float64 {
	const two, twoLow = 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42    // log10 2; its products with exponents are exact
	const inv, invLow = 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 // 1/ln 10
	return logarithm(x, two, twoLow, inv, invLow)
}

// logarithm is the logarithm of x to a base in which that of 2 is two + twoLow, and 1/ln(base) is inv + invLow.
func logarithm(x, two, twoLow, inv, invLow float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	e, h, hLow := logParts(x)
	p, pLow := product(2*h, inv)
	pLow += 2*h*invLow + 2*hLow*inv
	upper := e * two
	sum := upper + p
	return sum + ((upper - sum) + p + (pLow + e*twoLow))
}

// tan takes the exact reduction of large angles of sin and cos.
func tan(x float64) float64 {
	if x == 0 {
		return x
	}
	r, n := minusHalfPi(x)
	y := math.Tan(r)
	if math.Abs(r) < 1e-6 {
		y = r + r*r*r/3 // which math.Tan leaves out
	}
	if n&1 != 0 {
		return -1 / y
	}
	return y
}

// sinPi is sin(π·x), with an exact reduction of x.
func sinPi(x float64) float64 {
	n := math.RoundToEven(x)
	r := math.Abs(x - n)
	y := math.Sin(math.Pi * r)
	switch {
	case r == 0:
		return 0
	case r > 0.25:
		y = math.Cos(math.Pi * (0.5 - r))
	}
	if (x < n) != (math.Mod(n, 2) != 0) {
		return -y
	}
	return y
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	a := math.Abs(x)
	return sinPi(a) / (math.Pi * a)
}

// asin and acos keep 1 - x exact, so that they keep their digits at both ends.

func asin(x float64) float64 {
	if math.Abs(x) <= 0.5 {
		return math.Asin(x)
	}
	y := math.Pi/2 - 2*math.Atan(math.Sqrt((1-math.Abs(x))/(1+math.Abs(x))))
	return math.Copysign(y, x)
}

func acos(x float64) float64 {
	if math.Abs(x) <= 0.5 {
		return math.Pi/2 - math.Asin(x)
	}
	return 2 * math.Atan(math.Sqrt((1-x)/(1+x)))
}

// sinh and cosh do not overflow before their results do.

func sinh(x float64) float64 {
	a := math.Abs(x)
	if a < 22 {
		e := math.Expm1(a)
		return math.Copysign(0.5*(e+e/(e+1)), x)
	}
	return math.Copysign(halfExp(a), x)
}

func cosh(x float64) float64 {
	a := math.Abs(x)
	if a < 22 {
		e := math.Exp(a)
		return 0.5*e + 0.5/e
	}
	return halfExp(a)
}

// halfExp is e^a/2 for a ≥ 22. Above 700 the power could overflow, and a - 1 is exact.
func halfExp(a float64) float64 {
	if a > 700 {
		return math.Exp(a-1) * (math.E / 2)
	}
	return math.Exp(a) / 2
}

// logAddExp is log(exp(a) + exp(b)).
func logAddExp(a, b float64) float64 {
	if a == b {
		return a + math.Ln2 // infinities too
	}
	return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

func fmax(a, b float64) float64 {
	if a != a || b > a {
		return b
	}
	return a
}

func fmin(a, b float64) float64 {
	if a != a || b < a {
		return b
	}
	return a
}

func heaviside(a, b float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return 0
	case a == 0:
		return b
	}
	return a
}

func heavisideInt[T int64 | uint64](a, b T) T {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return 0
	}
	return b
}

// exp is math.Exp, which on amd64 gives infinity from 709.44 on, before the largest float64.
func exp(x float64) float64 {
	if x > 709 {
		return math.Exp(x-1) * math.E
	}
	return math.Exp(x)
}

// atan2 is math.Atan2, which loses the sign of y where y/x is less than the least float64.
func atan2(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }
