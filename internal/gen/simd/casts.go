package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// cast writes a conversion of 16 elements at a time, which body makes vector by vector of floats.
func (w width) cast(name, from, to, doc string, inBytes, outBytes int, body func(in, out Mem)) {
	w.function(name, "(out []"+to+", x []"+from+")", doc+" Lengths are multiples of 16.")
	n, out, x := length("out"), slice("out"), slice("x")
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for i := 0; i < 16; i += w.floats() {
		body(Mem{Base: x, Disp: i * inBytes}, Mem{Base: out, Disp: i * outBytes})
	}
	ADDQ(U32(16*inBytes), x)
	ADDQ(U32(16*outBytes), out)
	SUBQ(U32(16), n)
	JMP(LabelRef("loop"))
	Label("done")
	end()
}

// widening writes conversions to floats and doubles.
func widening(w width) {
	load := func(op func(...Op)) func(in, out Mem) {
		return func(in, out Mem) {
			v := w.vec()
			op(in, v)
			w.store(v, out, nil)
		}
	}
	w.cast("halfToFloat", "uint16", "float32", "sets out to binary16 numbers.", 2, 4, load(VCVTPH2PS))
	w.cast("bfloatToFloat", "uint16", "float32", "sets out to numbers that are the upper halves of floats.", 2, 4,
		func(in, out Mem) {
			v := w.vec()
			VPMOVZXWD(in, v)
			VPSLLD(U8(16), v, v)
			w.store(v, out, nil)
		})
	w.cast("bytesToFloat", "uint8", "float32", "sets out to small integers.", 1, 4, func(in, out Mem) {
		v := w.vec()
		VPMOVZXBD(in, v)
		VCVTDQ2PS(v, v)
		w.store(v, out, nil)
	})
	w.cast("intsToFloat", "int32", "float32", "rounds integers to nearest even.", 4, 4, load(VCVTDQ2PS))
	w.cast("floatToDouble", "float32", "float64", "sets out to x.", 4, 8, func(in, out Mem) {
		for i := range 2 {
			v := w.vec()
			VCVTPS2PD(in.Offset(i*w.bytes/2), v)
			w.storeDoubles(v, out.Offset(i*w.bytes))
		}
	})
	w.cast("doubleToFloat", "float64", "float32", "rounds to nearest even.", 8, 4, func(in, out Mem) {
		low, high := w.vec(), w.vec()
		VMOVUPD(in, low)
		VMOVUPD(in.Offset(w.bytes), high)
		w.store(w.narrow(low, high), out, nil)
	})
}

// halves writes arithmetic on binary16 numbers, in floats: what is rounded to them once has the bits of an operation of
// their own.
func halves(w width) {
	for _, op := range []struct {
		name, doc string
		op        func(...Op)
	}{{"Add", "x + y", VADDPS}, {"Sub", "x - y", VSUBPS}, {"Mul", "x * y", VMULPS}, {"Div", "x / y", VDIVPS}} {
		w.function("halves"+op.name, "(out, x, y []uint16)", "sets binary16 numbers to "+op.doc+
			", rounded to nearest even. Lengths are multiples of 16.")
		n, out, x, y := length("out"), slice("out"), slice("x"), slice("y")
		Label("loop")
		TESTQ(n, n)
		JZ(LabelRef("done"))
		for i := 0; i < 16; i += w.floats() {
			a, b := w.vec(), w.vec()
			VCVTPH2PS(Mem{Base: x, Disp: 2 * i}, a)
			VCVTPH2PS(Mem{Base: y, Disp: 2 * i}, b)
			op.op(b, a, a)
			VCVTPS2PH(U8(0), a, Mem{Base: out, Disp: 2 * i})
		}
		for _, r := range []reg.Register{x, y, out} {
			ADDQ(U32(32), r)
		}
		SUBQ(U32(16), n)
		JMP(LabelRef("loop"))
		Label("done")
		end()
	}
}

// truncating writes conversions to integers: towards zero, to the nearest of those that there are, and NaN to 0.
func truncating(w width) {
	w.cast("floatToInt", "float32", "int32", "drops the fraction.", 4, 4, func(in, out Mem) {
		x, v := w.vec(), w.vec()
		VMOVUPS(in, x)
		VCVTTPS2DQ(x, v) // the least integer where it cannot be represented
		v = w.choose(w.compare(atLeast, x, w.all(0x1p31)), w.allBits(math.MaxInt32), v)
		ordered := w.compare(ordered, x, x)
		w.keep(v, &ordered)
		w.store(v, out, nil)
	})
	w.cast("floatToLong", "float32", "int64", "drops the fraction.", 4, 8, func(in, out Mem) {
		for i := range 2 {
			x := w.vec()
			VCVTPS2PD(in.Offset(i*w.bytes/2), x)
			w.storeDoubles(w.truncateToLong(x), out.Offset(i*w.bytes))
		}
	})
	w.cast("doubleToLong", "float64", "int64", "drops the fraction.", 8, 8, func(in, out Mem) {
		for i := range 2 {
			x := w.vec()
			VMOVUPD(in.Offset(i*w.bytes), x)
			w.storeDoubles(w.truncateToLong(x), out.Offset(i*w.bytes))
		}
	})
}

func (w width) truncateToLong(x reg.VecVirtual) reg.VecVirtual {
	v := w.vec()
	most := w.allDouble(math.Float64frombits(math.MaxInt64)) // as bits
	if w.wide() {
		VCVTTPD2QQ(x, v)
		v = w.chooseDoubles(w.compareDoubles(atLeast, x, w.allDouble(0x1p63)), most, v)
		VMOVUPD_Z(v, w.compareDoubles(ordered, x, x).k, v)
		return v
	}
	// A whole number in two parts of 32 bits, which become the low bits of doubles.
	whole, high := w.roundDouble(x, 11), w.vec()
	VMULPD(constantDouble(0x1p-32), whole, high)
	high = w.roundDouble(high, 9)
	VFNMADD231PD(constantDouble(0x1p32), high, whole)
	VADDPD(constantDouble(0x1.8p52), high, high)
	VPSLLQ(U8(32), high, high)
	VADDPD(constantDouble(0x1p52), whole, whole)
	VPXOR(constantDouble(0x1p52), whole, whole)
	VPOR(high, whole, v)
	v = w.chooseDoubles(w.compareDoubles(atLeast, x, w.allDouble(0x1p63)), most, v)
	v = w.chooseDoubles(w.compareDoubles(atMost, x, w.allDouble(-0x1p63)), w.allDouble(math.Copysign(0, -1)), v)
	VANDPD(w.compareDoubles(ordered, x, x).v, v, v)
	return v
}

// narrowing writes conversions from floats to what has half their size.
func narrowing(w width) {
	w.cast("floatToHalf", "float32", "uint16", "rounds to binary16, to nearest even.", 4, 2, func(in, out Mem) {
		v := w.vec()
		VMOVUPS(in, v)
		VCVTPS2PH(U8(0), v, out)
	})
	w.cast("floatToBfloat", "float32", "uint16", "rounds to the upper halves of floats, to nearest even.", 4, 2,
		func(in, out Mem) {
			v, odd, quiet := w.vec(), w.vec(), w.vec()
			VMOVUPS(in, v)
			VPSRLD(U8(16), v, quiet)
			if w.wide() {
				VPANDD(constantBits(1), quiet, odd)
				VPORD(constantBits(0x40), quiet, quiet)
			} else {
				VPAND(constantBits(1), quiet, odd)
				VPOR(constantBits(0x40), quiet, quiet)
			}
			nan := w.compare(unordered, v, v)
			VPADDD(odd, v, v)
			VPADDD(constantBits(0x7fff), v, v)
			VPSRLD(U8(16), v, v)
			v = w.choose(nan, quiet, v)
			if w.wide() {
				VPMOVDW(v, out)
				return
			}
			high := XMM()
			VEXTRACTI128(U8(1), v, high)
			VPACKUSDW(high, v.AsX(), v.AsX())
			VMOVDQU(v.AsX(), out)
		})
}

// comparisons set bytes.
func (w width) comparisons() {
	for _, c := range []struct {
		name, doc string
		predicate int
	}{
		{"isEqual", "x equals y", equal}, {"isLess", "x is less than y", less}, {"isAtMost", "x is at most y", atMost},
		{"isUnequal", "x does not equal y", unequal},
	} {
		w.function(c.name, "(out []uint8, x, y []float32)",
			"sets out to 1 where "+c.doc+", and to 0 elsewhere. Lengths are multiples of 16.")
		n, out, x, y := length("out"), slice("out"), slice("x"), slice("y")
		Label("loop")
		TESTQ(n, n)
		JZ(LabelRef("done"))
		bits := GP64()
		for i := 0; i < 16; i += w.floats() {
			part := w.bits(w.compare(c.predicate, w.load(Mem{Base: x, Disp: 4 * i}, nil), Mem{Base: y, Disp: 4 * i}))
			if i == 0 {
				MOVQ(part, bits)
			} else {
				SHLQ(U8(8), part)
				ORQ(part, bits)
			}
		}
		spread, half := GP64(), GP64()
		for i := range 2 {
			MOVQ(bits, half)
			if i == 1 {
				SHRQ(U8(8), half)
			}
			MOVQ(U64(0x0101010101010101), spread)
			PDEPQ(spread, half, half)
			MOVQ(half, Mem{Base: out, Disp: 8 * i})
		}
		ADDQ(U32(64), x)
		ADDQ(U32(64), y)
		ADDQ(U32(16), out)
		SUBQ(U32(16), n)
		JMP(LabelRef("loop"))
		Label("done")
		end()
	}
}

// where chooses between elements of 4 bytes, whatever they mean.
func (w width) where() {
	w.function("where", "(out []float32, c []uint8, x, y []float32)",
		"sets out to x where c is not 0, and to y elsewhere. Lengths are multiples of 16.")
	n, out, c, x, y := length("out"), slice("out"), slice("c"), slice("x"), slice("y")
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for i := 0; i < 16; i += w.floats() {
		v := w.vec()
		VPMOVZXBD(Mem{Base: c, Disp: i}, v)
		m := mask{v: w.vec()}
		zero := w.zero()
		if w.wide() {
			m.k = K()
			VPTESTMD(v, v, m.k)
		} else {
			VPCMPEQD(zero, v, m.v) // those that are 0
			VPXOR(constantBits(1<<32-1), m.v, m.v)
		}
		at := func(s reg.Register) Mem { return Mem{Base: s, Disp: 4 * i} }
		VMOVUPS(w.choose(m, w.load(at(x), nil), w.load(at(y), nil)), at(out))
	}
	ADDQ(U32(64), x)
	ADDQ(U32(64), y)
	ADDQ(U32(64), out)
	ADDQ(U32(16), c)
	SUBQ(U32(16), n)
	JMP(LabelRef("loop"))
	Label("done")
	end()
}
