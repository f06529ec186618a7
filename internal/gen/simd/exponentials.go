package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Beyond these limits exp is 0 or infinite, even after the multiplications here.
const (
	lowest  = -112
	highest = 89
)

// power is e to some x as (1 + q)·2^n, with |q| < 0.42 and n a whole number.
type power struct{ q, n reg.VecVirtual }

// ln2 in two parts: the first has few digits, so that its product with n is exact.
const (
	ln2High = 0x1.62e4p-1
	ln2Low  = math.Ln2 - ln2High
)

// power reduces x, which lies between lowest and highest or is NaN, plus low, if that is not nil.
// The polynomial for (e^r - 1 - r)/r² has a relative error below 2^-28 of e^r for |r| ≤ ln2/2.
func (w width) power(x, low reg.VecVirtual) power {
	n, r := w.vec(), w.vec()
	VMULPS(constant(math.Log2E), x, n)
	if w.wide() {
		VRNDSCALEPS(U8(8), n, n)
	} else {
		VROUNDPS(U8(8), n, n)
	}
	VMOVAPS(x, r)
	VFNMADD231PS(constant(ln2High), n, r)
	VFNMADD231PS(constant(ln2Low), n, r)
	if low != nil {
		VADDPS(low, r, r)
	}
	q, square := w.vec(), w.vec()
	VMOVUPS(constant(0.0013814539), q)
	for _, c := range []float32{0.008368745, 0.04166839, 0.16666521, 0.49999994} {
		VFMADD213PS(constant(c), r, q)
	}
	VMULPS(r, r, square)
	VFMADD213PS(r, square, q)
	return power{q, n}
}

// scale multiplies vectors by 2^n, rounding once where the results are subnormal. They are changed.
func (w vectors) scale(n reg.VecVirtual, vectors ...reg.VecVirtual) {
	if w.wide() {
		for _, v := range vectors {
			VSCALEFPS(n, v, v)
		}
		return
	}
	// n can be beyond the exponents of floats: multiply by 2^(n/2) and by 2^(n - n/2).
	whole, part := w.vec(), w.vec()
	VCVTPS2DQ(n, whole)
	VPSRAD(U8(1), whole, part)
	VPSUBD(part, whole, whole)
	for _, e := range []reg.VecVirtual{part, whole} {
		VPADDD(constantBits(127), e, e)
		VPSLLD(U8(23), e, e)
		for _, v := range vectors {
			VMULPS(e, v, v)
		}
	}
}

// exp returns e to the x, for any x.
func (w width) exp(x reg.VecVirtual) reg.VecVirtual {
	VMAXPS(x, w.all(lowest), x) // the order of operands lets NaN through
	VMINPS(x, w.all(highest), x)
	p := w.power(x, nil)
	VADDPS(constant(1), p.q, p.q)
	w.scale(p.n, p.q)
	return p.q
}

// logistic returns x/(1 + exp(v)·exp(low)) for x ≥ 0 and x·exp(v)·exp(low)/(1 + exp(v)·exp(low)) for x < 0, where v is
// not above 0, and num is x or its replacement where x is negative.
func (w width) logistic(x, num, v, low reg.VecVirtual) reg.VecVirtual {
	VMAXPS(v, w.all(lowest), v)
	p := w.power(v, low)
	e, tail := w.vec(), w.vec()
	VADDPS(constant(1), p.q, e)
	VMOVAPS(num, tail)
	VFMADD213PS(num, p.q, tail) // num·(1 + q), before scaling: e may become subnormal and lose digits
	w.scale(p.n, e, tail)
	negative := w.compare(less, x, w.zero())
	top := w.choose(negative, tail, num)
	VADDPS(constant(1), e, e)
	VDIVPS(e, top, top)
	return top
}

func exponentials(w width) {
	w.unary("exp", "sets out to e to the x, within 2 units in the last place.", w.exp)
	w.unary("tanh", "sets out to the hyperbolic tangent of x, within 3 units in the last place.", w.tanh)
	w.unary("sigmoid", "sets out to 1/(1 + exp(-x)), within 3 units in the last place.",
		w.sigmoid)
	w.unary("expm1", "sets out to e to the x, minus 1, within 3 units in the last place.", w.expm1)
	w.unary("silu", "sets out to x/(1 + exp(-x)), within 3 units in the last place.",
		func(x reg.VecVirtual) reg.VecVirtual {
			v, num := w.vec(), w.vec()
			VORPS(constantBits(1<<31), x, v)
			VMAXPS(x, w.all(lowest), num)
			return w.logistic(x, num, v, nil)
		})
	w.unary("gelu", "sets out to x/(1 + exp(-v)) with v = 2√(2/π)·(x + 0.044715·x³), within 3 units in the last place.",
		w.gelu)
}

func (w width) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	v := w.vec()
	VORPS(constantBits(1<<31), x, v)
	return w.logistic(x, w.all(1), v, nil)
}

// expm1 is q·2^n + (2^n - 1), which keeps the digits of small x, or exp where the 1 makes no difference.
func (w width) expm1(x reg.VecVirtual) reg.VecVirtual {
	v := w.vec()
	VMAXPS(x, w.all(-32), v) // -1 below
	VMINPS(v, w.all(highest), v)
	p := w.power(v, nil)
	e, whole, result := w.all(1), w.vec(), w.vec()
	VADDPS(constant(1), p.q, whole)
	w.scale(p.n, e, whole)
	VSUBPS(constant(1), e, result)
	VFMADD231PS(e, p.q, result)
	result = w.choose(w.compare(greaterThan, x, w.all(32)), whole, result)
	return w.choose(w.compare(equal, x, w.zero()), x, result) // with its sign
}

// tanh is (e - 1)/(e + 1) for e = exp(2|x|) = (1 + q)·2^n, written with q so that small x keep their digits. From 1 on
// it is 1 - 2/(e + 1), which does not need the last digits of e.
func (w width) tanh(x reg.VecVirtual) reg.VecVirtual {
	sign, v := w.vec(), w.vec()
	VANDPS(constantBits(1<<31), x, sign)
	VXORPS(sign, x, v)
	VMINPS(v, w.all(20), v)
	VADDPS(v, v, v)
	p := w.power(v, nil)
	e := w.all(1)
	w.scale(p.n, e)
	above, below := w.vec(), w.vec()
	VSUBPS(constant(1), e, above)
	VADDPS(constant(1), e, below)
	VFMADD231PS(e, p.q, above)
	VFMADD231PS(e, p.q, below)
	small := w.compare(less, v, w.all(2))
	result := w.choose(small, above, w.all(2))
	VDIVPS(below, result, result)
	VSUBPS(result, w.all(1), above)
	result = w.choose(small, result, above)
	VORPS(sign, result, result)
	return result
}

// gelu needs v = -|x|·(a + b·x²) to more digits than a float has, because exp(v) multiplies their error by v.
func (w width) gelu(x reg.VecVirtual) reg.VecVirtual {
	const a, b = 1.5957691216057308, 0.07135481627260025
	product := func(x, y reg.VecVirtual) (high, low reg.VecVirtual) {
		high, low = w.vec(), w.vec()
		VMULPS(y, x, high)
		VMOVAPS(high, low)
		VFMSUB231PS(y, x, low) // x·y - high
		return high, low
	}
	y, num := w.vec(), w.vec()
	VORPS(constantBits(1<<31), x, y)
	VMAXPS(y, w.all(-16), y) // exp(v) is 0 beyond
	VMAXPS(x, w.all(-16), num)
	s, sLow := product(y, y)
	m, mLow := product(s, w.all(b))
	VFMADD231PS(constant(b), sLow, mLow)
	VFMADD231PS(constant(float32(b-float64(float32(b)))), s, mLow)
	q, t, u := w.vec(), w.vec(), w.vec()
	VADDPS(constant(a), m, q) // q + low is the sum, whichever of the two is greater
	VSUBPS(m, q, t)
	VSUBPS(t, q, u)
	VSUBPS(u, m, u) // what m lost
	VSUBPS(w.all(a), t, t)
	VSUBPS(t, u, u) // less what a gained
	VADDPS(mLow, u, u)
	VADDPS(constant(float32(a-float64(float32(a)))), u, u)
	v, low := product(y, q)
	VFMADD231PS(y, u, low)
	return w.logistic(x, num, v, low)
}
