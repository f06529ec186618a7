package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Functions of rows of the op table that have no formula. Those by exponentials and logarithms are computed in doubles
// and rounded once; the others are the device's (kernels/functions.h).
var ownLoops = map[string]func(w width, x reg.VecVirtual) reg.VecVirtual{
	"trunc": width.trunc, "exp2": width.exp2, "log2": width.log2, "log10": width.log10,
	"cbrt": width.cbrt,
	"asin": width.asin, "acos": width.acos, "atan": width.atan,
	"sinh": width.sinh, "cosh": width.cosh, "asinh": width.asinh, "acosh": width.acosh, "atanh": width.atanh,
}

func (w width) trunc(x reg.VecVirtual) reg.VecVirtual { return w.roundFloat(x, 11) }

// inDoubles applies f to the halves of x as doubles.
func (w width) inDoubles(x reg.VecVirtual, f func(v reg.VecVirtual) reg.VecVirtual) reg.VecVirtual {
	low, high := w.widen(x)
	low = f(low)
	return w.narrow(low, f(high))
}

func (w width) exp2(x reg.VecVirtual) reg.VecVirtual {
	VMAXPS(x, w.all(-160), x) // the order of operands lets NaN through
	VMINPS(x, w.all(130), x)
	return w.inDoubles(x, func(v reg.VecVirtual) reg.VecVirtual {
		VMULPD(constantDouble(math.Ln2), v, v)
		return w.expDouble(v, 8)
	})
}

func (w width) log2(x reg.VecVirtual) reg.VecVirtual  { return w.logTo(x, 1/math.Ln2) }
func (w width) log10(x reg.VecVirtual) reg.VecVirtual { return w.logTo(x, 1/math.Ln10) }

func (w width) logTo(x reg.VecVirtual, scale float64) reg.VecVirtual {
	l := w.inDoubles(x, func(v reg.VecVirtual) reg.VecVirtual {
		v = w.logDouble(v, nil)
		VMULPD(constantDouble(scale), v, v)
		return v
	})
	return w.logEnds(l, x)
}

// cbrt is the power ⅓ of the size, with the sign.
func (w width) cbrt(x reg.VecVirtual) reg.VecVirtual {
	a := w.size(x)
	y := w.inDoubles(a, func(v reg.VecVirtual) reg.VecVirtual {
		v = w.logDouble(v, nil)
		VMULPD(constantDouble(1./3), v, v)
		return w.expDouble(v, 8)
	})
	VORPS(w.signOf(x), y, y)
	y = w.choose(w.compare(atMost, w.size(x), w.all(math.MaxFloat32)), y, x)
	return w.choose(w.compare(equal, x, w.zero()), x, y)
}

// signOf returns the sign bits of x.
func (w width) signOf(x reg.VecVirtual) reg.VecVirtual {
	s := w.vec()
	VANDPS(constantBits(1<<31), x, s)
	return s
}

// horner is c[0] + c[1]·z + c[2]·z² + …
func (w width) horner(z reg.VecVirtual, c ...float32) reg.VecVirtual {
	p := w.vec()
	VMOVUPS(constant(c[len(c)-1]), p)
	for i := len(c) - 2; i >= 0; i-- {
		VFMADD213PS(constant(c[i]), z, p)
	}
	return p
}

// halfPiLow is what the float π/2 leaves of it.
const halfPiLow = -4.371139000186241e-08

// asinParts returns s + s·z·P(z), the arcsine of s = |x| for |x| ≤ ½, of s = √((1-|x|)/2) else, and whether the former.
func (w width) asinParts(x reg.VecVirtual) (y reg.VecVirtual, near mask) {
	a, z, root := w.size(x), w.all(0.5), w.vec()
	near = w.compare(atMost, a, w.all(0.5))
	VFNMADD231PS(constant(0.5), a, z)
	VSQRTPS(z, root)
	square := w.vec()
	VMULPS(a, a, square)
	z = w.choose(near, square, z)
	s := w.choose(near, a, root)
	p := w.horner(z, 0x1.555554p-3, 0x1.33343p-4, 0x1.6d5bbap-5, 0x1.fd8da2p-6, 0x1.18f91ep-6, 0x1.13fed4p-5)
	VMULPS(s, z, z)
	VFMADD213PS(s, z, p)
	return p, near
}

func (w width) asin(x reg.VecVirtual) reg.VecVirtual {
	y, near := w.asinParts(x)
	far := w.all(math.Pi / 2)
	VFNMADD231PS(constant(2), y, far)
	VADDPS(constant(halfPiLow), far, far)
	y = w.choose(near, y, far)
	VORPS(w.signOf(x), y, y)
	return y
}

func (w width) acos(x reg.VecVirtual) reg.VecVirtual {
	y, near := w.asinParts(x)
	middle, far := w.vec(), w.vec()
	VXORPS(w.signOf(x), y, middle)
	VSUBPS(middle, w.all(math.Pi/2), middle)
	VADDPS(y, y, y)
	VSUBPS(y, w.all(math.Pi), far)
	y = w.choose(w.compare(less, x, w.zero()), far, y)
	return w.choose(near, middle, y)
}

// atan is by the angle of 0, 45° or 90° that is nearest.
func (w width) atan(x reg.VecVirtual) reg.VecVirtual {
	a, above, below := w.size(x), w.vec(), w.vec()
	steep, middle := w.compare(greaterThan, a, w.all(2.4142135)), w.compare(greaterThan, a, w.all(0.41421357))
	VSUBPS(constant(1), a, above)
	VADDPS(constant(1), a, below)
	above = w.choose(middle, above, a)
	below = w.choose(middle, below, w.all(1))
	base := w.choose(middle, w.all(math.Pi/4), w.zero())
	low := w.choose(middle, w.all(halfPiLow/2), w.zero())
	above = w.choose(steep, w.all(-1), above)
	below = w.choose(steep, a, below)
	base = w.choose(steep, w.all(math.Pi/2), base)
	low = w.choose(steep, w.all(halfPiLow), low)
	VDIVPS(below, above, above)
	z := w.vec()
	VMULPS(above, above, z)
	p := w.horner(z, -0x1.555556p-2, 0x1.99997cp-3, -0x1.248a18p-3, 0x1.c57baep-4, -0x1.614448p-4, 0x1.9d8b24p-5)
	VMULPS(above, z, z)
	VFMADD213PS(low, z, p)
	sum := w.vec()
	VADDPS(base, above, sum)
	VSUBPS(sum, base, base)
	VADDPS(above, base, base) // what sum has lost
	VADDPS(base, p, p)
	VADDPS(sum, p, p)
	VORPS(w.signOf(x), p, p)
	return p
}

// hornerDouble is horner for doubles.
func (w width) hornerDouble(z reg.VecVirtual, c ...float64) reg.VecVirtual {
	p := w.allDouble(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		VFMADD213PD(constantDouble(c[i]), z, p)
	}
	return p
}

// series replaces y by v·(c[0] + c[1]·v² + …) where v, which is not negative, is below limit.
func (w width) series(v, y reg.VecVirtual, limit float64, c ...float64) reg.VecVirtual {
	z := w.vec()
	VMULPD(v, v, z)
	p := w.hornerDouble(z, c...)
	VMULPD(v, p, p)
	return w.chooseDoubles(w.compareDoubles(less, v, w.allDouble(limit)), p, y)
}

// powersOf returns e^v and e^-v, for 0 ≤ v ≤ 100 or NaN.
func (w width) powersOf(v reg.VecVirtual) (e, inverse reg.VecVirtual) {
	e, inverse = w.expDouble(v, 8), w.allDouble(1)
	VDIVPD(e, inverse, inverse)
	return e, inverse
}

func (w width) limited(x reg.VecVirtual) reg.VecVirtual {
	a := w.size(x)
	VMINPS(a, w.all(100), a)
	return a
}

func (w width) sinh(x reg.VecVirtual) reg.VecVirtual {
	y := w.inDoubles(w.limited(x), func(v reg.VecVirtual) reg.VecVirtual {
		e, inverse := w.powersOf(v)
		VSUBPD(inverse, e, e)
		VMULPD(constantDouble(0.5), e, e)
		return w.series(v, e, 0.5, 1, 1./6, 1./120, 1./5040, 1./362880)
	})
	VORPS(w.signOf(x), y, y)
	return y
}

func (w width) cosh(x reg.VecVirtual) reg.VecVirtual {
	return w.inDoubles(w.limited(x), func(v reg.VecVirtual) reg.VecVirtual {
		e, inverse := w.powersOf(v)
		VADDPD(inverse, e, e)
		VMULPD(constantDouble(0.5), e, e)
		return e
	})
}

func (w width) asinh(x reg.VecVirtual) reg.VecVirtual {
	y := w.inDoubles(w.size(x), func(v reg.VecVirtual) reg.VecVirtual {
		s := w.allDouble(1)
		VFMADD231PD(v, v, s)
		VSQRTPD(s, s)
		VADDPD(v, s, s)
		return w.series(v, w.logDouble(s, nil), 0.01, 1, -1./6, 3./40, -5./112)
	})
	VORPS(w.signOf(x), y, y)
	return w.choose(w.compare(atMost, w.size(x), w.all(math.MaxFloat32)), y, x)
}

func (w width) acosh(x reg.VecVirtual) reg.VecVirtual {
	y := w.inDoubles(x, func(v reg.VecVirtual) reg.VecVirtual {
		s := w.allDouble(1)
		VFMSUB231PD(v, v, s)
		VSQRTPD(s, s)
		VADDPD(v, s, s)
		return w.logDouble(s, nil)
	})
	y = w.choose(w.compare(atMost, x, w.all(math.MaxFloat32)), y, x)
	return w.choose(w.compare(notAtLeast, x, w.all(1)), w.all(float32(math.NaN())), y)
}

func (w width) atanh(x reg.VecVirtual) reg.VecVirtual {
	y := w.inDoubles(w.size(x), func(v reg.VecVirtual) reg.VecVirtual {
		above, below := w.allDouble(1), w.allDouble(1)
		VADDPD(v, above, above)
		VSUBPD(v, below, below)
		VDIVPD(below, above, above)
		above = w.logDouble(above, nil)
		VMULPD(constantDouble(0.5), above, above)
		return w.series(v, above, 0.01, 1, 1./3, 1./5, 1./7)
	})
	a := w.size(x)
	y = w.choose(w.compare(equal, a, w.all(1)), w.all(float32(math.Inf(1))), y)
	y = w.choose(w.compare(atMost, a, w.all(1)), y, w.all(float32(math.NaN())))
	VORPS(w.signOf(x), y, y)
	return y
}
