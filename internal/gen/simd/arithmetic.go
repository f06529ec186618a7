package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// arithmetic writes elementwise functions that are bound by memory.
func arithmetic(w width) {
	binary := func(name, doc string, f func(x, y reg.VecVirtual) reg.VecVirtual) {
		w.function(name, "(out, x, y []float32)", doc)
		slices := []reg.Register{slice("out"), slice("x"), slice("y")}
		w.each("loop", length("out"), 4, slices, func(at []Mem, m *mask) {
			w.store(f(w.load(at[1], m), w.load(at[2], m)), at[0], m)
		})
		end()
	}
	binary("add", "sets out to x + y.", w.add)
	binary("sub", "sets out to x - y.", w.sub)
	binary("mul", "sets out to x * y.", w.mul)
	binary("div", "sets out to x / y.", w.div)
	binary("maximum", "sets out to the greater of x and y, NaN if either is.", w.greater)
	binary("minimum", "sets out to the lesser of x and y, NaN if either is.", w.lesser)

	w.function("affine", "(out, x []float32, mul, add float32)", "sets out to x * mul + add, rounded twice.")
	mul, add := w.broadcast("mul"), w.broadcast("add")
	w.each("loop", length("out"), 4, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		v := w.load(at[1], m)
		VMULPS(mul, v, v)
		VADDPS(add, v, v)
		w.store(v, at[0], m)
	})
	end()

	w.function("clamp", "(out, x []float32, lo, hi float32, keep, set uint32)",
		"sets out to the lesser of hi and the greater of lo and x. Of the greater the bits of keep stay, and those of set are set at the end.")
	lo, hi, keep, set := w.broadcast("lo"), w.broadcast("hi"), w.broadcastBits("keep"), w.broadcastBits("set")
	w.each("loop", length("out"), 4, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		v := w.load(at[1], m)
		VMAXPS(v, lo, v) // the order of operands lets NaN through
		VANDPS(keep, v, v)
		VMINPS(v, hi, v)
		VORPS(set, v, v)
		w.store(v, at[0], m)
	})
	end()

	unary := func(name, doc string, f func(x reg.VecVirtual) reg.VecVirtual) {
		w.function(name, "(out, x []float32)", doc)
		w.each("loop", length("out"), 4, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
			w.store(f(w.load(at[1], m)), at[0], m)
		})
		end()
	}
	if w.stream {
		unary("copy", "sets out to x.", func(x reg.VecVirtual) reg.VecVirtual { return x })
	}
	unary("neg", "sets out to -x.", w.neg)
	unary("abs", "sets out to |x|.", w.abs)
	unary("sqrt", "sets out to the square root of x.", w.sqrt)
	unary("recip", "sets out to 1 / x.", w.recip)
	unary("relu", "sets out to x, or 0 where x is negative.", w.relu)
	unary("sign", "sets out to -1, 0 or 1: the sign of x, 0 for both zeros and for NaN.", w.sign)
	unary("floor", "sets out to x rounded down.", w.floor)
	unary("ceil", "sets out to x rounded up.", w.ceil)
	unary("round", "sets out to x rounded to nearest, halves away from zero.", w.round)
}

// These are the functions of one vector, or two, of which they change the first.

func (w width) add(x, y reg.VecVirtual) reg.VecVirtual {
	VADDPS(y, x, x)
	return x
}

func (w width) sub(x, y reg.VecVirtual) reg.VecVirtual {
	VSUBPS(y, x, x)
	return x
}

func (w width) mul(x, y reg.VecVirtual) reg.VecVirtual {
	VMULPS(y, x, x)
	return x
}

func (w width) div(x, y reg.VecVirtual) reg.VecVirtual {
	VDIVPS(y, x, x)
	return x
}

func (w width) sqr(x reg.VecVirtual) reg.VecVirtual {
	VMULPS(x, x, x)
	return x
}

func (w width) neg(x reg.VecVirtual) reg.VecVirtual {
	VXORPS(constantBits(1<<31), x, x)
	return x
}

func (w width) abs(x reg.VecVirtual) reg.VecVirtual {
	VANDPS(constantBits(1<<31-1), x, x)
	return x
}

func (w width) sqrt(x reg.VecVirtual) reg.VecVirtual {
	VSQRTPS(x, x)
	return x
}

func (w width) recip(x reg.VecVirtual) reg.VecVirtual {
	one := w.all(1)
	VDIVPS(x, one, x)
	return x
}

func (w width) relu(x reg.VecVirtual) reg.VecVirtual {
	return w.choose(w.compare(less, x, w.zero()), w.zero(), x)
}

func (w width) sign(x reg.VecVirtual) reg.VecVirtual {
	above := w.choose(w.compare(greaterThan, x, w.zero()), w.all(1), w.zero())
	return w.choose(w.compare(less, x, w.zero()), w.all(-1), above)
}

func (w width) floor(x reg.VecVirtual) reg.VecVirtual { return w.roundFloat(x, 9) }
func (w width) ceil(x reg.VecVirtual) reg.VecVirtual  { return w.roundFloat(x, 10) }

func (w width) round(x reg.VecVirtual) reg.VecVirtual {
	half := w.vec()
	VANDPS(constantBits(1<<31), x, half)
	VORPS(constant(0.5-0x1p-25), half, half) // the float before 0.5, so that what is just below a half stays there
	VADDPS(half, x, x)
	return w.roundFloat(x, 11)
}

// roundFloat rounds to integers by mode: 8 to nearest even, 9 down, 10 up, 11 towards zero.
func (w width) roundFloat(x Op, mode int) reg.VecVirtual {
	v := w.vec()
	if w.wide() {
		VRNDSCALEPS(U8(mode), x, v)
	} else {
		VROUNDPS(U8(mode), x, v)
	}
	return v
}

// greater returns the greater of x and y. The instruction gives y if either is NaN or both are zeros, whatever their
// signs.
func (w width) greater(x, y reg.VecVirtual) reg.VecVirtual {
	a, b := w.vec(), w.vec()
	VMAXPS(y, x, a)
	VMAXPS(x, y, b)
	VANDPS(a, b, a)
	VADDPS(x, y, b)
	return w.choose(w.compare(unordered, x, y), b, a)
}

func (w width) lesser(x, y reg.VecVirtual) reg.VecVirtual {
	a, b := w.vec(), w.vec()
	VMINPS(y, x, a)
	VMINPS(x, y, b)
	VORPS(a, b, a)
	VADDPS(x, y, b)
	return w.choose(w.compare(unordered, x, y), b, a)
}
