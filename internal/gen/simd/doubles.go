package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constantDouble is a vector of the same double everywhere.
func constantDouble(x float64) Mem { return constantLong(math.Float64bits(x)) }

func constantLong(bits uint64) Mem {
	name := fmt.Sprintf("all_%016x", bits)
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64(bits))
		}
		constants[name] = m
	}
	return m
}

func (w vectors) allDouble(x float64) reg.VecVirtual {
	v := w.vec()
	VMOVUPD(constantDouble(x), v)
	return v
}

// compareDoubles and chooseDoubles are compare and choose for vectors of doubles.
func (w vectors) compareDoubles(predicate int, x, y Op) mask {
	if w.wide() {
		k := K()
		VCMPPD(U8(predicate), y, x, k)
		return mask{k: k}
	}
	v := w.vec()
	VCMPPD(U8(predicate), y, x, v)
	return mask{v: v}
}

func (w vectors) chooseDoubles(m mask, yes, no Op) reg.VecVirtual {
	v := w.vec()
	if w.wide() {
		VBLENDMPD(yes, no, m.k, v)
	} else {
		VBLENDVPD(m.v, yes, no, v)
	}
	return v
}

// eachWhole walks slices of doubles side by side, one vector at a time. Their length n is a multiple of a vector's.
func (w vectors) eachWhole(n reg.GPVirtual, slices []reg.Register, body func(at []Mem)) {
	i := GP64()
	XORQ(i, i)
	Label("loop")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	at := make([]Mem, len(slices))
	for k, s := range slices {
		at[k] = Mem{Base: s, Index: i, Scale: 8}
	}
	body(at)
	ADDQ(U32(w.doubles()), i)
	JMP(LabelRef("loop"))
	Label("done")
}

func (w vectors) storeDoubles(v reg.VecVirtual, to Mem) {
	if w.stream {
		VMOVNTPD(v, to)
	} else {
		VMOVUPD(v, to)
	}
}

const whole = " Lengths are multiples of 8."

func (w vectors) unaryDoubles(name, doc string, f func(x reg.VecVirtual) reg.VecVirtual) {
	w.function(name+"Doubles", "(out, x []float64)", doc+whole)
	w.eachWhole(length("out"), []reg.Register{slice("out"), slice("x")}, func(at []Mem) {
		x := w.vec()
		VMOVUPD(at[1], x)
		w.storeDoubles(f(x), at[0])
	})
	end()
}

// doubleArithmetic writes elementwise functions of doubles that are bound by memory.
func doubleArithmetic(w width) {
	binary := func(name, doc string, f func(x, y reg.VecVirtual) reg.VecVirtual) {
		w.function(name+"Doubles", "(out, x, y []float64)", doc+whole)
		w.eachWhole(length("out"), []reg.Register{slice("out"), slice("x"), slice("y")}, func(at []Mem) {
			x, y := w.vec(), w.vec()
			VMOVUPD(at[1], x)
			VMOVUPD(at[2], y)
			w.storeDoubles(f(x, y), at[0])
		})
		end()
	}
	simple := func(op func(...Op)) func(x, y reg.VecVirtual) reg.VecVirtual {
		return func(x, y reg.VecVirtual) reg.VecVirtual {
			op(y, x, x)
			return x
		}
	}
	binary("add", "sets out to x + y.", simple(VADDPD))
	binary("sub", "sets out to x - y.", simple(VSUBPD))
	binary("mul", "sets out to x * y.", simple(VMULPD))
	binary("div", "sets out to x / y.", simple(VDIVPD))
	binary("maximum", "sets out to the greater of x and y, NaN if either is.", w.greaterDouble)
	binary("minimum", "sets out to the lesser of x and y, NaN if either is.", w.lesserDouble)
	w.unaryDoubles("sqrt", "sets out to the square root of x.", func(x reg.VecVirtual) reg.VecVirtual {
		VSQRTPD(x, x)
		return x
	})
	w.unaryDoubles("recip", "sets out to 1 / x.", func(x reg.VecVirtual) reg.VecVirtual {
		one := w.allDouble(1)
		VDIVPD(x, one, x)
		return x
	})
	w.unaryDoubles("abs", "sets out to |x|.", func(x reg.VecVirtual) reg.VecVirtual {
		VANDPD(constantLong(1<<63-1), x, x)
		return x
	})
	w.unaryDoubles("floor", "sets out to x rounded down.",
		func(x reg.VecVirtual) reg.VecVirtual { return w.roundDouble(x, 9) })
	w.unaryDoubles("ceil", "sets out to x rounded up.",
		func(x reg.VecVirtual) reg.VecVirtual { return w.roundDouble(x, 10) })
}

// roundDouble rounds to integers as mode says: 8 to nearest even, 9 down, 10 up, 11 towards zero.
func (w vectors) roundDouble(x Op, mode int) reg.VecVirtual {
	v := w.vec()
	if w.wide() {
		VRNDSCALEPD(U8(mode), x, v)
	} else {
		VROUNDPD(U8(mode), x, v)
	}
	return v
}

func (w width) greaterDouble(x, y reg.VecVirtual) reg.VecVirtual {
	a, b := w.vec(), w.vec()
	VMAXPD(y, x, a)
	VMAXPD(x, y, b)
	VANDPD(a, b, a)
	VADDPD(x, y, b)
	return w.chooseDoubles(w.compareDoubles(unordered, x, y), b, a)
}

func (w width) lesserDouble(x, y reg.VecVirtual) reg.VecVirtual {
	a, b := w.vec(), w.vec()
	VMINPD(y, x, a)
	VMINPD(x, y, b)
	VORPD(a, b, a)
	VADDPD(x, y, b)
	return w.chooseDoubles(w.compareDoubles(unordered, x, y), b, a)
}

// doubles writes what does not stream.
func doubles(w width) {
	w.unaryDoubles("exp", "sets out to e to the x, within 1 unit in the last place.",
		func(x reg.VecVirtual) reg.VecVirtual {
			VMAXPD(x, w.allDouble(-750), x) // the order of operands lets NaN through
			VMINPD(x, w.allDouble(712), x)
			return w.expDouble(x, 13)
		})
	w.unaryDoubles("log", "sets out to the natural logarithm of x, within 1 unit in the last place.",
		func(x reg.VecVirtual) reg.VecVirtual {
			small := w.compareDoubles(less, x, w.allDouble(0x1p-1022))
			scaled, zero := w.vec(), w.vec()
			VMULPD(constantDouble(0x1p54), x, scaled)
			VXORPD(zero, zero, zero)
			v := w.chooseDoubles(small, scaled, x)
			v = w.logDouble(v, w.chooseDoubles(small, w.allDouble(-54), zero))
			v = w.chooseDoubles(w.compareDoubles(greaterThan, x, w.allDouble(math.MaxFloat64)), x, v)
			v = w.chooseDoubles(w.compareDoubles(notAtLeast, x, zero), w.allDouble(math.NaN()), v)
			return w.chooseDoubles(w.compareDoubles(equal, x, zero), w.allDouble(math.Inf(-1)), v)
		})
	w.unaryDoubles("tanh", "sets out to the hyperbolic tangent of x, within 2 units in the last place.", w.tanhDouble)
	w.polynomial()
	w.distances()
	w.twofoldSum()
	w.twofoldAdd()
}

// twofoldLanes is how many sums with what rounding took from them are made side by side.
const twofoldLanes = 16

// twofoldSum writes the sum by Knuth's two-sum, whose second part is the exact rounding error.
func (w width) twofoldSum() {
	w.function("sumDoubles", "(sums, lost *[16]float64, x []float64)",
		"adds the elements in 16 lanes to sums, and what rounding takes from those to lost. The length is a multiple of 16.")
	lanes := make([]struct{ sum, lost reg.VecVirtual }, twofoldLanes/w.doubles())
	sums, lost := Load(Param("sums"), GP64()), Load(Param("lost"), GP64())
	for i := range lanes {
		lanes[i].sum, lanes[i].lost = w.vec(), w.vec()
		VMOVUPD(Mem{Base: sums, Disp: i * w.bytes}, lanes[i].sum)
		VMOVUPD(Mem{Base: lost, Disp: i * w.bytes}, lanes[i].lost)
	}
	n, x := length("x"), slice("x")
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for at := 0; at < 8*twofoldLanes; at += cacheLine {
		PREFETCHT0(Mem{Base: x, Disp: at + fetchAhead})
	}
	for i, l := range lanes {
		e := w.vec()
		VMOVUPD(Mem{Base: x, Disp: i * w.bytes}, e)
		w.twoSum(l.sum, l.lost, e)
	}
	ADDQ(U32(8*twofoldLanes), x)
	SUBQ(U32(twofoldLanes), n)
	JMP(LabelRef("loop"))
	Label("done")
	for i, l := range lanes {
		VMOVUPD(l.sum, Mem{Base: sums, Disp: i * w.bytes})
		VMOVUPD(l.lost, Mem{Base: lost, Disp: i * w.bytes})
	}
	end()
}

// twoSum adds e to sum, and the rounding error to lost. It changes e.
func (w width) twoSum(sum, lost, e reg.VecVirtual) {
	next, back, rest := w.vec(), w.vec(), w.vec()
	VADDPD(e, sum, next)
	VSUBPD(sum, next, back)
	VSUBPD(back, next, rest)
	VSUBPD(rest, sum, rest)
	VSUBPD(back, e, e)
	VADDPD(e, rest, rest)
	VADDPD(rest, lost, lost)
	VMOVAPD(next, sum)
}

// twofoldAdd writes the sum of two vectors, of which the first carries its rounding error.
func (w width) twofoldAdd() {
	w.function("addTwofold", "(sums, lost, x []float64)",
		"adds x to sums, and what rounding takes from those to lost. The length of x is a multiple of 16.")
	n, x, sums, lost := length("x"), slice("x"), slice("sums"), slice("lost")
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for at := 0; at < 8*twofoldLanes; at += w.bytes {
		s, l, e := w.vec(), w.vec(), w.vec()
		VMOVUPD(Mem{Base: sums, Disp: at}, s)
		VMOVUPD(Mem{Base: lost, Disp: at}, l)
		VMOVUPD(Mem{Base: x, Disp: at}, e)
		w.twoSum(s, l, e)
		VMOVUPD(s, Mem{Base: sums, Disp: at})
		VMOVUPD(l, Mem{Base: lost, Disp: at})
	}
	for _, p := range []reg.Register{x, sums, lost} {
		ADDQ(U32(8*twofoldLanes), p)
	}
	SUBQ(U32(twofoldLanes), n)
	JMP(LabelRef("loop"))
	Label("done")
	end()
}

// tanhDouble is (e - 1)/(e + 1) for e = exp(2|x|) = (1 + q)·2^n, written with q so that small x keep their digits. From
// 1 on it is 1 - 2/(e + 1), which does not need the last digits of e.
func (w width) tanhDouble(x reg.VecVirtual) reg.VecVirtual {
	sign, v := w.vec(), w.vec()
	VANDPD(constantLong(1<<63), x, sign)
	VXORPD(sign, x, v)
	VMINPD(v, w.allDouble(20), v) // the order of operands lets NaN through
	VADDPD(v, v, v)
	n, r := w.reduceDouble(v)
	q, square := w.powerSeries(r, 13, 2), w.vec()
	VMULPD(r, r, square)
	VFMADD213PD(r, square, q)
	VADDPD(constantDouble(0x1p52+1023), n, n) // the exponent is in the low bits
	VPSLLQ(U8(52), n, n)
	above, below := w.vec(), w.vec()
	VSUBPD(constantDouble(1), n, above)
	VADDPD(constantDouble(1), n, below)
	VFMADD231PD(n, q, above)
	VFMADD231PD(n, q, below)
	small := w.compareDoubles(less, v, w.allDouble(2))
	result := w.chooseDoubles(small, above, w.allDouble(2))
	VDIVPD(below, result, result)
	VSUBPD(result, w.allDouble(1), above)
	result = w.chooseDoubles(small, result, above)
	VORPD(sign, result, result)
	return result
}

// reduceDouble returns n and r with x = n·ln2 + r and |r| ≤ ln2/2.
func (w width) reduceDouble(x reg.VecVirtual) (n, r reg.VecVirtual) {
	n, r = w.vec(), w.vec()
	VMULPD(constantDouble(math.Log2E), x, n)
	n = w.roundDouble(n, 8)
	VMOVAPD(x, r)
	VFNMADD231PD(constantLong(0x3fe62e42fee00000), n, r) // ln2 in two parts, the first with 21 zeros at its end
	VFNMADD231PD(constantLong(0x3dea39ef35793c76), n, r)
	return n, r
}

// powerSeries is the sum of r^(k-first)/k! for k from first to last.
func (w width) powerSeries(r reg.VecVirtual, last, first int) reg.VecVirtual {
	p := w.vec()
	factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
	VMOVUPD(constantDouble(1/factorial(last)), p)
	for k := last - 1; k >= first; k-- {
		VFMADD213PD(constantDouble(1/factorial(k)), r, p)
	}
	return p
}

// expDouble is e to the x for -750 ≤ x ≤ 712, or NaN, by the exponential series to so many terms after reduction to |r|
// ≤ ln2/2: 13 are good for the last place of a double, 8 for 1e-10.
func (w width) expDouble(x reg.VecVirtual, terms int) reg.VecVirtual {
	n, r := w.reduceDouble(x)
	p := w.powerSeries(r, terms, 0)
	if w.wide() {
		VSCALEFPD(n, p, p)
		return p
	}
	// n can be beyond the exponents of doubles: multiply by 2^(n/2) and by 2^(n - n/2).
	half := w.vec()
	VMULPD(constantDouble(0.5), n, half)
	half = w.roundDouble(half, 9)
	VSUBPD(half, n, n)
	for _, e := range []reg.VecVirtual{half, n} {
		VADDPD(constantDouble(0x1p52+1023), e, e) // the exponent is in the low bits
		VPSLLQ(U8(52), e, e)
		VMULPD(e, p, p)
	}
	return p
}

// logDouble is the logarithm of a positive, finite and normal x, plus k·ln2, by the series that Go's and C's libraries
// use.
func (w width) logDouble(x, k reg.VecVirtual) reg.VecVirtual {
	const rootHalf = 0x3fe6a09e667f3bcd
	e, f, t := w.vec(), w.vec(), w.vec()
	VMOVUPD(x, e)
	sub := func(y Op, x, to reg.VecVirtual) { VPSUBQ(y, x, to) }
	sub(constantLong(rootHalf), e, e)
	VPADDQ(constantLong(1024<<52), e, e)
	VPSRLQ(U8(52), e, e) // how often x is to be halved, plus 1024
	VPSLLQ(U8(52), e, t)
	VPADDQ(constantLong(1<<62), x, f) // 1024<<52
	sub(t, f, f)                      // between √½ and √2
	if w.wide() {
		VPORQ(constantLong(0x4330000000000000), e, e)
	} else {
		VPOR(constantLong(0x4330000000000000), e, e)
	}
	VSUBPD(constantDouble(0x1p52+1024), e, e)
	if k != nil {
		VADDPD(k, e, e)
	}
	VSUBPD(constantDouble(1), f, f)
	s, z, p, h := w.vec(), w.vec(), w.vec(), w.vec()
	VADDPD(constantDouble(2), f, s)
	VDIVPD(s, f, s)
	VMULPD(s, s, z)
	VMOVUPD(constantDouble(1.479819860511658591e-01), p)
	for _, c := range []float64{1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
		2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01} {
		VFMADD213PD(constantDouble(c), z, p)
	}
	VMULPD(z, p, p)
	VMULPD(constantDouble(0.5), f, h)
	VMULPD(f, h, h)
	VADDPD(h, p, p)
	VMULPD(s, p, p)
	VFMADD231PD(constantDouble(1.90821492927058770002e-10), e, p)
	VSUBPD(p, h, h)
	VSUBPD(f, h, h)
	VFMSUB231PD(constantDouble(6.93147180369123816490e-01), e, h)
	return h
}
