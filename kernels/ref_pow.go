package kernels

import "math"

// pow is x^y. Package math's Pow multiplies and loses some units in the last place. For ordinary operands this uses the
// device's algorithm (math.h), through a logarithm in two parts, and is accurate to two units.
func pow(x, y float64) float64 {
	a := math.Abs(x)
	if y != y || a != a || a == 0 || math.IsInf(a, 0) || math.IsInf(y, 0) || y == 0 || x == 1 ||
		x < 0 && math.Trunc(y) != y {
		return math.Pow(x, y)
	}
	r := powPositive(a, y)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -r
	}
	return r
}

func powPositive(x, y float64) float64 {
	e, h, hLow := logParts(x)
	// plus e·ln 2, of which the upper part is exact
	const ln2, ln2Low = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
	upper := e * ln2
	sum := upper + 2*h
	rest := (upper - sum) + 2*h + math.FMA(2, hLow, e*ln2Low)
	hi := sum + rest
	lo := (sum - hi) + rest
	p, pLow := product(y, hi)
	pLow += y * lo
	r := exp(p)
	if r == 0 || math.IsInf(r, 0) {
		return r
	}
	return r + r*pLow
}

// logParts returns e and half of ln m, as h + hLow and good to about 2^-64, for a positive and finite x = 2^e·m with
// √½ ≤ m < √2.
func logParts(x float64) (e, h, hLow float64) {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exponent = 2*m, exponent-1
	}
	// s = (m-1)/(m+1), z = s², each in two parts
	f, d := m-1, m+1
	dLow, inv := m-(d-1), 1/(m+1)
	s := float64(f * inv) // the conversions keep multiplications apart from what follows: see product
	sLow := (math.FMA(-s, d, f) - s*dLow) * inv
	z, zLow := product(s, s)
	zLow += 2 * s * sLow
	// ln m = 2s·(1 + z·(1/3 + t)). The coefficients are those of math.h.
	t := 0x1.b8eeb7095f447p-5
	for _, c := range [...]float64{
		0x1.ac479c05883d9p-5, 0x1.e1f81bf33b7c7p-5, 0x1.1110df49dca19p-4, 0x1.3b13b1bdb9604p-4, 0x1.745d174511201p-4,
		0x1.c71c71c71cff7p-4, 0x1.2492492492491p-3, 0x1.999999999999ap-3,
	} {
		t = math.FMA(t, z, c)
	}
	t = float64(t * z)
	const third, thirdLow = 0x1.5555555555555p-2, 0x1.5555555555555p-56
	u := third + t
	uLow := (third - u) + t + thirdLow
	v, vLow := product(z, u)
	vLow += math.FMA(z, uLow, zLow*u)
	w, wLow := product(s, v)
	wLow += math.FMA(s, vLow, sLow*v)
	h = s + w
	return float64(exponent), h, (s - h) + w + wLow + sLow
}
