package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func errorFunctions(w width) {
	w.unary("erf", "sets out to the error function of x, within 1 unit in the last place.", w.erf)
	w.unary("geluErf", "sets out to x/2·(1 + erf(x/√2)), within 3 units in the last place.", w.geluErf)
	w.function("elu", "(out, x []float32, alpha float32)",
		"sets out to x, or alpha·(exp(x) - 1) where that is not above 0, within 2 units in the last place.")
	alpha := w.broadcast("alpha")
	w.each("loop", length("out"), 1, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		x := w.load(at[1], m)
		v := w.vec()
		VMAXPS(x, w.all(-20), v)
		VMINPS(v, w.zero(), v)
		p := w.power(v, nil)
		e := w.all(1)
		w.scale(p.n, e)
		below := w.vec()
		VSUBPS(constant(1), e, below)
		VFMADD231PS(e, p.q, below)
		below = w.choose(w.compare(equal, x, w.zero()), x, below) // with its sign
		VMULPS(alpha, below, below)
		below = w.choose(w.compare(unordered, x, x), x, below)
		w.store(w.choose(w.compare(greaterThan, x, w.zero()), x, below), at[0], m)
	})
	end()
}

// upperTail returns the probability that a standard normal number is beyond scale·z, for up to 15, but for a factor of
// exp(-(scale·z)²/2): t times a polynomial in t = 1/(1 + 5/16·scale·z), with a relative error below 2^-26. What
// rounding took from t counts up to 2.5 times in the result, and is made up for.
func (w width) upperTail(z reg.VecVirtual, scale float64) reg.VecVirtual {
	slope := constant(float32(5. / 16 * scale))
	one, d, t, p := w.all(1), w.vec(), w.vec(), w.vec()
	VMOVUPS(slope, d)
	VFMADD213PS(one, z, d)
	VDIVPS(d, one, t)
	VMOVUPS(constant(-0.019217047840356827), p)
	for _, c := range []float32{0.09247131645679474, -0.15351462364196777, 0.0774996280670166, -0.005181140266358852,
		0.05694049224257469, 0.08961296081542969, 0.11198395490646362, 0.12473849207162857, 0.12466595321893692} {
		VFMADD213PS(constant(c), t, p)
	}
	VMULPS(t, p, p)
	a, e, slopes := w.vec(), w.vec(), w.vec()
	VSUBPS(one, d, a)
	VFMSUB231PS(slope, z, a) // slope·z - a: what d lost
	VMOVAPS(one, e)
	VFNMADD231PS(t, d, e)
	VFNMADD231PS(t, a, e) // t times 1 + e is exact
	VMOVUPS(constant(1.55), slopes)
	VFMADD213PS(one, t, slopes)
	VMULPS(slopes, e, e)
	VFMADD231PS(e, p, p)
	return p
}

// negativeSquare returns -x²·scale, for a scale that is a power of two, and its rounding error.
func (w width) negativeSquare(x reg.VecVirtual, scale float32) (high, low reg.VecVirtual) {
	high, low = w.vec(), w.vec()
	y := w.vec()
	VMULPS(constant(-scale), x, y)
	VMULPS(y, x, high)
	VMOVAPS(high, low)
	VFMSUB231PS(y, x, low)
	return high, low
}

func (w width) geluErf(x reg.VecVirtual) reg.VecVirtual {
	num := w.vec()
	VMAXPS(x, w.all(-15), num)
	VMINPS(num, w.all(15), num)
	z := w.size(num)
	v, low := w.negativeSquare(num, 0.5)
	VMAXPS(v, w.all(lowest), v)
	p := w.power(v, low)
	tail := w.upperTail(z, 1)
	VMULPS(num, tail, tail)
	VFMADD213PS(tail, tail, p.q) // tail·(1 + q)
	w.scale(p.n, p.q)
	above := w.vec()
	VSUBPS(p.q, x, above)
	return w.choose(w.negative(x), p.q, above)
}

// erf is x·p(x²) below 1 and 1 less twice the upper tail at √2·x from there on.
func (w width) erf(x reg.VecVirtual) reg.VecVirtual {
	sign, s, near := w.vec(), w.vec(), w.vec()
	VANDPS(constantBits(1<<31), x, sign)
	z := w.size(x)
	VMINPS(z, w.all(4), z)
	VMULPS(z, z, s)
	VMOVUPS(constant(7.853861461626366e-05), near)
	for _, c := range []float32{-0.0008010193705558777, 0.005188327748328447, -0.026853812858462334, 0.1128358542919159,
		-0.3761262595653534} {
		VFMADD213PS(constant(c), s, near)
	}
	// the last coefficient, 2/√π, in two parts
	VMULPS(s, near, near)
	VADDPS(constant(float32(2/math.Sqrt(math.Pi)-float64(float32(2/math.Sqrt(math.Pi))))), near, near)
	VMULPS(z, near, near)
	VFMADD231PS(constant(float32(2/math.Sqrt(math.Pi))), z, near)
	v, low := w.negativeSquare(z, 1)
	p := w.power(v, low)
	tail := w.upperTail(z, math.Sqrt2)
	VADDPS(tail, tail, tail)
	VFMADD213PS(tail, tail, p.q)
	w.scale(p.n, p.q)
	far := w.all(1)
	VSUBPS(p.q, far, far)
	result := w.choose(w.compare(less, z, w.all(1)), near, far)
	VORPS(sign, result, result)
	return result
}
