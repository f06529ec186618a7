package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turnLimit is how large an argument sine and cosine reduce themselves.
const turnLimit = 1e5

func trigonometry(w width) {
	for _, cosine := range []bool{false, true} {
		name, doc := "sin", "sets out to the sine of x"
		if cosine {
			name, doc = "cos", "sets out to the cosine of x"
		}
		w.function(name, "(out, x []float32) bool",
			doc+", within 1.5 units in the last place, for |x| ≤ 1e5, and reports whether there are others.")
		odd := w.noted()
		w.each("loop", length("out"), 1, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
			x := w.load(at[1], m)
			odd.unless(w.compare(atMost, w.size(x), w.all(turnLimit)))
			w.store(w.turn(x, cosine), at[0], m)
		})
		odd.report()
		w.function(name+"Doubles", "(out, x []float64) bool",
			doc+", within 2 units in the last place, for |x| ≤ 1e5, and reports whether there are others."+whole)
		odd = w.noted()
		w.eachWhole(length("out"), []reg.Register{slice("out"), slice("x")}, func(at []Mem) {
			x, size := w.vec(), w.vec()
			VMOVUPD(at[1], x)
			VANDPD(constantLong(1<<63-1), x, size)
			odd.unlessDouble(w.compareDoubles(atMost, size, w.allDouble(turnLimit)))
			w.storeDoubles(w.turnDouble(x, cosine), at[0])
		})
		odd.report()
	}
	w.function("tan", "(out, x []float32) bool",
		"sets out to the tangent of x, rounded once, for |x| ≤ 1e5, and reports whether there are others.")
	odd := w.noted()
	w.each("loop", length("out"), 1, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		x := w.load(at[1], m)
		odd.unless(w.compare(atMost, w.size(x), w.all(turnLimit)))
		w.store(tan(w, x), at[0], m)
	})
	odd.report()
}

func (n notes) unlessDouble(m mask) {
	if n.w.wide() {
		v := n.w.vec()
		VPMOVM2Q(m.k, v)
		m = mask{v: v}
		VPTERNLOGD(U8(0xf5), v, n.any, n.any)
		return
	}
	n.unless(m)
}

func (w vectors) size(x reg.VecVirtual) reg.VecVirtual {
	v := w.vec()
	VANDPS(constantBits(1<<31-1), x, v)
	return v
}

// quarters reduces doubles to r, at most π/4, and the number of quarters of a turn, as a double. π/2 is in parts whose
// products with that number are exact, but for the last.
func (w vectors) quarters(x reg.VecVirtual, parts ...uint64) (r, n reg.VecVirtual) {
	n, r = w.vec(), w.vec()
	VMULPD(constantDouble(2/math.Pi), x, n)
	n = w.roundDouble(n, 8)
	VMOVAPD(x, r)
	for _, p := range parts {
		VFNMADD231PD(constantLong(p), n, r)
	}
	return r, n
}

// turn computes sines and cosines around 0 in floats, of arguments reduced in doubles.
func (w width) turn(x reg.VecVirtual, cosine bool) reg.VecVirtual {
	low, high := w.widen(x)
	parts := []uint64{math.Float64bits(0x1.921fb544p0), math.Float64bits(0x1.0b4611a626331p-34)}
	low, first := w.quarters(low, parts...)
	high, second := w.quarters(high, parts...)
	r := w.narrow(low, high)
	n := w.narrow(first, second)
	VCVTPS2DQ(n, n)
	z, s, c := w.vec(), w.vec(), w.vec()
	VMULPS(r, r, z)
	VMOVUPS(constant(-1.9515295891e-4), s)
	for _, k := range []float32{8.3321608736e-3, -1.6666654611e-1} {
		VFMADD213PS(constant(k), z, s)
	}
	VMULPS(z, s, s)
	VFMADD213PS(r, r, s)
	VMOVUPS(constant(2.443315711809948e-5), c)
	for _, k := range []float32{-1.388731625493765e-3, 4.166664568298827e-2, -0.5} {
		VFMADD213PS(constant(k), z, c)
	}
	VFMADD213PS(constant(1), z, c)
	if cosine {
		VPADDD(constantBits(1), n, n) // the cosine is the sine of a quarter more
	}
	swap, sign := w.vec(), w.vec()
	VPSLLD(U8(31), n, swap)
	VPSRLD(U8(1), n, sign)
	VPSLLD(U8(31), sign, sign)
	result := w.choose(w.negative(swap), c, s)
	VXORPS(sign, result, result)
	if cosine {
		return result
	}
	return w.choose(w.compare(equal, x, w.zero()), x, result) // with its sign
}

// turnDouble uses the polynomials of the C library of FreeBSD.
func (w width) turnDouble(x reg.VecVirtual, cosine bool) reg.VecVirtual {
	r, n := w.quarters(x, 0x3ff921fb54400000, 0x3dd0b4611a600000, 0x3ba3198a2e037073)
	z, s, c := w.vec(), w.vec(), w.vec()
	VMULPD(r, r, z)
	VMOVUPD(constantDouble(1.58969099521155010221e-10), s)
	for _, k := range []float64{-2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
		8.33333333332248946124e-03, -1.66666666666666324348e-01} {
		VFMADD213PD(constantDouble(k), z, s)
	}
	VMULPD(z, s, s)
	VFMADD213PD(r, r, s)
	VMOVUPD(constantDouble(-1.13596475577881948265e-11), c)
	for _, k := range []float64{2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
		-1.38888888888741095749e-03, 4.16666666666666019037e-02} {
		VFMADD213PD(constantDouble(k), z, c)
	}
	// cosine = 1 - z/2 + z²·c, with what 1 - z/2 loses
	half, top, lost := w.vec(), w.vec(), w.vec()
	VMULPD(constantDouble(0.5), z, half)
	VMOVUPD(constantDouble(1), top)
	VSUBPD(half, top, top)
	VMOVUPD(constantDouble(1), lost)
	VSUBPD(top, lost, lost)
	VSUBPD(half, lost, lost)
	VMULPD(z, c, c)
	VFMADD213PD(lost, z, c)
	VADDPD(top, c, c)
	VADDPD(constantDouble(0x1.8p52), n, n) // an integer in the low bits
	if cosine {
		VPADDQ(constantLong(1), n, n)
	}
	swap, sign := w.vec(), w.vec()
	VPSLLQ(U8(63), n, swap)
	VPSRLQ(U8(1), n, sign)
	VPSLLQ(U8(63), sign, sign)
	m := mask{v: swap}
	if w.wide() {
		m.k = K()
		VPMOVQ2M(swap, m.k)
	}
	result := w.chooseDoubles(m, c, s)
	VXORPD(sign, result, result)
	if cosine {
		return result
	}
	zero := w.vec()
	VXORPD(zero, zero, zero)
	return w.chooseDoubles(w.compareDoubles(equal, x, zero), x, result)
}
