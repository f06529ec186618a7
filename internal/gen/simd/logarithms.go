package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/gorocm/gorocm/internal/gen/simd/vex"
)

func logarithms(w width) {
	w.unary("log", "sets out to the natural logarithm of x, within 1 unit in the last place.", w.log)
	w.unary("log1p", "sets out to the natural logarithm of 1 + x, within 3 units in the last place.", w.log1p)
}

// log1p is the logarithm of u = 1 + x, rounded, with a correction for the rounding error of u from Knuth's two-sum.
func (w width) log1p(x reg.VecVirtual) reg.VecVirtual {
	u, back, lost, t := w.vec(), w.vec(), w.vec(), w.vec()
	VADDPS(constant(1), x, u)
	VSUBPS(constant(1), u, back)
	VSUBPS(back, u, t)
	VSUBPS(t, w.all(1), t)
	VSUBPS(back, x, lost)
	VADDPS(t, lost, lost)
	e, m := w.exponent(u)
	scale := w.allBits(127 << 23) // 2^-e, not below the least normal number
	VPSUBD(m, scale, scale)
	VPMAXSD(constantBits(1<<23), scale, scale)
	VPSUBD(m, u, m)
	f := w.vec()
	VSUBPS(constant(1), m, f)
	VFMADD231PS(scale, lost, f)
	l := w.choose(w.compare(equal, x, w.zero()), x, w.logNear1(f, e)) // with its sign
	return w.logEnds(l, u)
}

// exponent splits v, which is normal, into 2^e and a number between √½ and √2: m is what to take from the bits of v for
// it.
func (w vectors) exponent(v reg.VecVirtual) (e, m reg.VecVirtual) {
	e, m = w.vec(), w.vec()
	VPSUBD(constantBits(0x3f3504f3), v, e)
	VPSRAD(U8(23), e, e)
	VPSLLD(U8(23), e, m)
	VCVTDQ2PS(e, e)
	return e, m
}

// logNear1 is log(1 + f) + e·log 2 for 1 + f between √½ and √2, by the polynomial of the Cephes library.
func (w vectors) logNear1(f, e reg.VecVirtual) reg.VecVirtual {
	z, p := w.vec(), w.vec()
	VMULPS(f, f, z)
	VMOVUPS(constant(7.0376836292e-2), p)
	for _, c := range []float32{-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
		2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1} {
		VFMADD213PS(constant(c), f, p)
	}
	VMULPS(f, p, p)
	VMULPS(z, p, p)
	VFMADD231PS(constant(-2.12194440e-4), e, p)
	VFNMADD231PS(constant(0.5), z, p)
	VADDPS(f, p, p)
	VFMADD231PS(constant(0.693359375), e, p)
	return p
}

// logEnds is l, the logarithm of x, or what it is of zero, of infinity, of NaN and of what is negative.
func (w vectors) logEnds(l, x reg.VecVirtual) reg.VecVirtual {
	l = w.choose(w.compare(greaterThan, x, w.all(math.MaxFloat32)), x, l)
	l = w.choose(w.compare(notAtLeast, x, w.zero()), w.all(float32(math.NaN())), l)
	return w.choose(w.compare(equal, x, w.zero()), w.all(float32(math.Inf(-1))), l)
}

func powers(w width) {
	const doc = "within 1 unit in the last place, and reports whether there are elements which that does not hold for: zeros, subnormals, infinities, NaN"
	w.function("power", "(out, x []float32, p, below float32) bool",
		"sets out to |x| to the p, times below for negative x, "+doc+", and those whose results are none of the normal numbers.")
	below := w.broadcast("below")
	p := w.vec()
	x := XMM()
	vex.Load(Param("p"), x)
	VCVTSS2SD(x, x, x)
	VBROADCASTSD(x, p)
	odd := w.noted()
	w.each("loop", length("out"), 1, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		x := w.loadOr1(at[1], m)
		result := w.power32(w.size(x), p, p, odd)
		turned := w.vec()
		VMULPS(below, result, turned)
		w.store(w.choose(w.compare(less, x, w.zero()), turned, result), at[0], m)
	})
	odd.report()

	w.function("powers", "(out, x, p []float32) bool",
		"sets out to x to the p, "+doc+", negative x, and those whose results are none of the normal numbers.")
	odd = w.noted()
	w.each("loop", length("out"), 1, []reg.Register{slice("out"), slice("x"), slice("p")}, func(at []Mem, m *mask) {
		x := w.loadOr1(at[1], m)
		low, high := w.loadWide(at[2], m)
		w.store(w.power32(x, low, high, odd), at[0], m)
	})
	odd.report()
}

// power32 returns x to the p, for exponents in two vectors of doubles, and notes those that it is not for.
func (w width) power32(x, low, high reg.VecVirtual, odd notes) reg.VecVirtual {
	odd.unless(w.compare(atLeast, x, w.all(0x1p-126)))
	odd.unless(w.compare(atMost, x, w.all(math.MaxFloat32)))
	first, second := w.widen(x)
	parts, exponents := []reg.VecVirtual{first, second}, []reg.VecVirtual{low, high}
	for i, v := range parts {
		v = w.logDouble(v, nil)
		VMULPD(exponents[i], v, v)
		parts[i] = v
	}
	power := w.size(w.narrow(parts[0], parts[1]))
	odd.unless(w.compare(atMost, power, w.all(87.3)))
	for i, v := range parts {
		VMAXPD(v, w.allDouble(-750), v)
		VMINPD(v, w.allDouble(712), v)
		parts[i] = w.expDouble(v, 8)
	}
	return w.narrow(parts[0], parts[1])
}

// unary writes a function of one operand, vector by vector.
func (w vectors) unary(name, doc string, f func(x reg.VecVirtual) reg.VecVirtual) {
	w.function(name, "(out, x []float32)", doc)
	w.each("loop", length("out"), 1, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		w.store(f(w.load(at[1], m)), at[0], m)
	})
	end()
}

// loadOr1 is load with ones for what m does not select.
func (w vectors) loadOr1(from Mem, m *mask) reg.VecVirtual {
	v := w.load(from, m)
	if m == nil {
		return v
	}
	return w.choose(*m, v, w.all(1))
}

// notes remember whether there was an element of some kind.
type notes struct {
	w   vectors
	any reg.VecVirtual // a mask
}

func (w vectors) noted() notes { return notes{w, w.zero()} }

// unless notes elements that m does not select.
func (n notes) unless(m mask) {
	v := m.v
	if n.w.wide() {
		v = n.w.vec()
		VPMOVM2D(m.k, v)
		VPTERNLOGD(U8(0xf5), v, n.any, n.any) // any | ^v
		return
	}
	VPXOR(constantBits(math.MaxUint32), v, v)
	VPOR(v, n.any, n.any)
}

// report returns from a function with a bool: whether anything was noted.
func (n notes) report() {
	r := GP64()
	if n.w.wide() {
		k := K()
		VPMOVD2M(n.any, k)
		KMOVW(k, r.As32())
	} else {
		VMOVMSKPS(n.any, r.As32())
	}
	TESTL(r.As32(), r.As32())
	found := GP8()
	SETNE(found)
	Store(found, ReturnIndex(0))
	end()
}

func (w width) log(x reg.VecVirtual) reg.VecVirtual {
	small := w.compare(less, x, w.all(0x1p-126))
	v := w.vec()
	VMULPS(constant(0x1p23), x, v)
	v = w.choose(small, v, x)
	e, m := w.exponent(v)
	VPSUBD(m, v, m)
	VADDPS(w.choose(small, w.all(-23), w.zero()), e, e)
	f := w.vec()
	VSUBPS(constant(1), m, f)
	return w.logEnds(w.logNear1(f, e), x)
}
