package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Functions of rows of the op table that have no formula. Those by exponentials and logarithms are computed in doubles
// and rounded once; the others are the device's (kernels/functions.h).
var ownLoops = map[string]func(w width, x reg.VecVirtual) reg.VecVirtual{
	"trunc": truncated, "exp2": powerOf2, "log2": logTo2, "log10": logTo10,
	"cbrt": cbrt, "sinc": sinc,
	"asin": asin, "acos": acos, "atan": atan,
	"sinh": sinh, "cosh": cosh, "asinh": asinh, "acosh": acosh, "atanh": atanh,
}

func truncated(w width, x reg.VecVirtual) reg.VecVirtual { return w.roundFloat(x, 11) }

// inDoubles applies f to the halves of x as doubles.
func inDoubles(w width, x reg.VecVirtual, f func(v reg.VecVirtual) reg.VecVirtual) reg.VecVirtual {
	low, high := w.widen(x)
	low = f(low)
	return w.narrow(low, f(high))
}

func powerOf2(w width, x reg.VecVirtual) reg.VecVirtual {
	VMAXPS(x, w.all(-160), x) // the order of operands lets NaN through
	VMINPS(x, w.all(130), x)
	return inDoubles(w, x, func(v reg.VecVirtual) reg.VecVirtual {
		VMULPD(constantDouble(math.Ln2), v, v)
		return w.expDouble(v, 8)
	})
}

func logTo2(w width, x reg.VecVirtual) reg.VecVirtual  { return logTo(w, x, 1/math.Ln2) }
func logTo10(w width, x reg.VecVirtual) reg.VecVirtual { return logTo(w, x, 1/math.Ln10) }

func logTo(w width, x reg.VecVirtual, scale float64) reg.VecVirtual {
	l := inDoubles(w, x, func(v reg.VecVirtual) reg.VecVirtual {
		v = w.logDouble(v, nil)
		VMULPD(constantDouble(scale), v, v)
		return v
	})
	return w.logEnds(l, x)
}

// cbrt is the power ⅓ of the size, with the sign.
func cbrt(w width, x reg.VecVirtual) reg.VecVirtual {
	a := w.size(x)
	y := inDoubles(w, a, func(v reg.VecVirtual) reg.VecVirtual {
		v = w.logDouble(v, nil)
		VMULPD(constantDouble(1./3), v, v)
		return w.expDouble(v, 8)
	})
	VORPS(signOf(w, x), y, y)
	y = w.choose(w.compare(atMost, w.size(x), w.all(math.MaxFloat32)), y, x)
	return w.choose(w.compare(equal, x, w.zero()), x, y)
}

// signOf returns the sign bits of x.
func signOf(w width, x reg.VecVirtual) reg.VecVirtual {
	s := w.vec()
	VANDPS(constantBits(1<<31), x, s)
	return s
}

// horner is c[0] + c[1]·z + c[2]·z² + …
func horner(w width, z reg.VecVirtual, c ...float32) reg.VecVirtual {
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
func asinParts(w width, x reg.VecVirtual) (y reg.VecVirtual, near mask) {
	a, z, root := w.size(x), w.all(0.5), w.vec()
	near = w.compare(atMost, a, w.all(0.5))
	VFNMADD231PS(constant(0.5), a, z)
	VSQRTPS(z, root)
	square := w.vec()
	VMULPS(a, a, square)
	z = w.choose(near, square, z)
	s := w.choose(near, a, root)
	p := horner(w, z, 0x1.555554p-3, 0x1.33343p-4, 0x1.6d5bbap-5, 0x1.fd8da2p-6, 0x1.18f91ep-6, 0x1.13fed4p-5)
	VMULPS(s, z, z)
	VFMADD213PS(s, z, p)
	return p, near
}

func asin(w width, x reg.VecVirtual) reg.VecVirtual {
	y, near := asinParts(w, x)
	far := w.all(math.Pi / 2)
	VFNMADD231PS(constant(2), y, far)
	VADDPS(constant(halfPiLow), far, far)
	y = w.choose(near, y, far)
	VORPS(signOf(w, x), y, y)
	return y
}

func acos(w width, x reg.VecVirtual) reg.VecVirtual {
	y, near := asinParts(w, x)
	middle, far := w.vec(), w.vec()
	VXORPS(signOf(w, x), y, middle)
	VSUBPS(middle, w.all(math.Pi/2), middle)
	VADDPS(y, y, y)
	VSUBPS(y, w.all(math.Pi), far)
	y = w.choose(w.compare(less, x, w.zero()), far, y)
	return w.choose(near, middle, y)
}

// atan is by the angle of 0, 45° or 90° that is nearest.
func atan(w width, x reg.VecVirtual) reg.VecVirtual {
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
	p := horner(w, z, -0x1.555556p-2, 0x1.99997cp-3, -0x1.248a18p-3, 0x1.c57baep-4, -0x1.614448p-4, 0x1.9d8b24p-5)
	VMULPS(above, z, z)
	VFMADD213PS(low, z, p)
	sum := w.vec()
	VADDPS(base, above, sum)
	VSUBPS(sum, base, base)
	VADDPS(above, base, base) // what sum has lost
	VADDPS(base, p, p)
	VADDPS(sum, p, p)
	VORPS(signOf(w, x), p, p)
	return p
}

// hornerDouble is horner for doubles.
func hornerDouble(w width, z reg.VecVirtual, c ...float64) reg.VecVirtual {
	p := w.allDouble(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		VFMADD213PD(constantDouble(c[i]), z, p)
	}
	return p
}

// series replaces y by v·(c[0] + c[1]·v² + …) where v, which is not negative, is below limit.
func series(w width, v, y reg.VecVirtual, limit float64, c ...float64) reg.VecVirtual {
	z := w.vec()
	VMULPD(v, v, z)
	p := hornerDouble(w, z, c...)
	VMULPD(v, p, p)
	return w.chooseDoubles(w.compareDoubles(less, v, w.allDouble(limit)), p, y)
}

// powersOf returns e^v and e^-v, for 0 ≤ v ≤ 100 or NaN.
func powersOf(w width, v reg.VecVirtual) (e, inverse reg.VecVirtual) {
	e, inverse = w.expDouble(v, 8), w.allDouble(1)
	VDIVPD(e, inverse, inverse)
	return e, inverse
}

func limited(w width, x reg.VecVirtual) reg.VecVirtual {
	a := w.size(x)
	VMINPS(a, w.all(100), a)
	return a
}

func sinh(w width, x reg.VecVirtual) reg.VecVirtual {
	y := inDoubles(w, limited(w, x), func(v reg.VecVirtual) reg.VecVirtual {
		e, inverse := powersOf(w, v)
		VSUBPD(inverse, e, e)
		VMULPD(constantDouble(0.5), e, e)
		return series(w, v, e, 0.5, 1, 1./6, 1./120, 1./5040, 1./362880)
	})
	VORPS(signOf(w, x), y, y)
	return y
}

func cosh(w width, x reg.VecVirtual) reg.VecVirtual {
	return inDoubles(w, limited(w, x), func(v reg.VecVirtual) reg.VecVirtual {
		e, inverse := powersOf(w, v)
		VADDPD(inverse, e, e)
		VMULPD(constantDouble(0.5), e, e)
		return e
	})
}

func asinh(w width, x reg.VecVirtual) reg.VecVirtual {
	y := inDoubles(w, w.size(x), func(v reg.VecVirtual) reg.VecVirtual {
		s := w.allDouble(1)
		VFMADD231PD(v, v, s)
		VSQRTPD(s, s)
		VADDPD(v, s, s)
		return series(w, v, w.logDouble(s, nil), 0.01, 1, -1./6, 3./40, -5./112)
	})
	VORPS(signOf(w, x), y, y)
	return w.choose(w.compare(atMost, w.size(x), w.all(math.MaxFloat32)), y, x)
}

func acosh(w width, x reg.VecVirtual) reg.VecVirtual {
	y := inDoubles(w, x, func(v reg.VecVirtual) reg.VecVirtual {
		s := w.allDouble(1)
		VFMSUB231PD(v, v, s)
		VSQRTPD(s, s)
		VADDPD(v, s, s)
		return w.logDouble(s, nil)
	})
	y = w.choose(w.compare(atMost, x, w.all(math.MaxFloat32)), y, x)
	return w.choose(w.compare(notAtLeast, x, w.all(1)), w.all(float32(math.NaN())), y)
}

func atanh(w width, x reg.VecVirtual) reg.VecVirtual {
	y := inDoubles(w, w.size(x), func(v reg.VecVirtual) reg.VecVirtual {
		above, below := w.allDouble(1), w.allDouble(1)
		VADDPD(v, above, above)
		VSUBPD(v, below, below)
		VDIVPD(below, above, above)
		above = w.logDouble(above, nil)
		VMULPD(constantDouble(0.5), above, above)
		return series(w, v, above, 0.01, 1, 1./3, 1./5, 1./7)
	})
	a := w.size(x)
	y = w.choose(w.compare(equal, a, w.all(1)), w.all(float32(math.Inf(1))), y)
	y = w.choose(w.compare(atMost, a, w.all(1)), y, w.all(float32(math.NaN())))
	VORPS(signOf(w, x), y, y)
	return y
}

// turnParts returns the sine and the cosine of |r| ≤ π/4, good for a float and exchanged where the whole number n is
// odd; the sign bits of odd say where. It leaves n as an integer in the low bits.
func turnParts(w width, r, n reg.VecVirtual) (s, c, odd reg.VecVirtual) {
	z := w.vec()
	VMULPD(r, r, z)
	s = hornerDouble(w, z, 1, -1./6, 1./120, -1./5040, 1./362880, -1./39916800)
	VMULPD(r, s, s)
	c = hornerDouble(w, z, 1, -1./2, 1./24, -1./720, 1./40320, -1./3628800, 1./479001600)
	VADDPD(constantDouble(0x1.8p52), n, n) // an integer in the low bits
	odd = w.vec()
	VPSLLQ(U8(63), n, odd)
	m := mask{v: odd}
	if w.wide() {
		m.k = K()
		VPMOVQ2M(odd, m.k)
	}
	return w.chooseDoubles(m, c, s), w.chooseDoubles(m, s, c), odd
}

// tan is for |x| ≤ turnLimit.
func tan(w width, x reg.VecVirtual) reg.VecVirtual {
	y := inDoubles(w, x, func(v reg.VecVirtual) reg.VecVirtual {
		r, n := w.quarters(v, math.Float64bits(0x1.921fb544p0), math.Float64bits(0x1.0b4611a626331p-34))
		above, below, odd := turnParts(w, r, n)
		VXORPD(odd, above, above)
		VDIVPD(below, above, above)
		return above
	})
	return w.choose(w.compare(equal, x, w.zero()), x, y) // with its sign
}

// sinc is sin(πx)/(πx), with x reduced before it is multiplied. From 2^23 on, where all floats are integers, it is 0.
func sinc(w width, x reg.VecVirtual) reg.VecVirtual {
	a := w.size(x)
	y := inDoubles(w, a, func(v reg.VecVirtual) reg.VecVirtual {
		n, r := w.vec(), w.vec()
		VADDPD(v, v, n)
		n = w.roundDouble(n, 8)
		VMOVAPD(v, r)
		VFNMADD231PD(constantDouble(0.5), n, r)
		VMULPD(constantDouble(math.Pi), r, r)
		y, _, _ := turnParts(w, r, n)
		VPSRLQ(U8(1), n, n)
		VPSLLQ(U8(63), n, n)
		VXORPD(n, y, y)
		VMULPD(constantDouble(math.Pi), v, v)
		VDIVPD(v, y, y)
		return y
	})
	zero := w.zero()
	whole := w.roundFloat(a, 8)
	y = w.choose(w.compare(equal, a, whole), zero, y)
	y = w.choose(w.compare(equal, x, zero), w.all(1), y)
	return w.choose(w.compare(atMost, a, w.all(math.MaxFloat32)), y, w.all(float32(math.NaN())))
}
