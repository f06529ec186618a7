package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/gorocm/gorocm/internal/gen/simd/vex"
)

// wholeReductions writes folds of slices whose lengths are multiples of sumLanes.
func wholeReductions(w width) {
	w.function("sumLongs", "(x []int64) int64", "adds the elements."+blocksOnly)
	sums := w.lanes()
	w.eachBlock(8, func(at func(bytes int) Mem) {
		for i, s := range sums {
			VPADDQ(at(i*w.bytes), s, s)
		}
	})
	w.foldTo(1, sums, VPADDQ)
	w.foldInside(sums[0], VPADDQ)
	total := GP64()
	VMOVQ(sums[0].AsX(), total)
	Store(total, ReturnIndex(0))
	end()

	w.function("sumHalves", "(x []uint16) float64", "adds binary16 numbers in lanes, as doubles."+blocksOnly)
	sums = w.lanes()
	w.eachBlock(2, func(at func(bytes int) Mem) {
		for i, s := range sums {
			v, wide := w.half(), w.vec()
			VCVTPH2PS(at(i*w.bytes/4), v)
			VCVTPS2PD(v, wide)
			VADDPD(wide, s, s)
		}
	})
	vex.Store(w.fold(sums).AsX(), ReturnIndex(0))
	end()

	// The even elements of a vector and the odd ones have sums of their own: these need no shuffle. They meet last.
	w.function("sumBfloats", "(x []uint16) float64",
		"adds numbers that are the upper halves of floats in lanes, as doubles."+blocksOnly)
	sums = w.lanes()
	w.eachBlock(2, func(at func(bytes int) Mem) {
		for i := 0; i < len(sums); i += 2 {
			even, odd := w.half(), w.half()
			VMOVUPS(at(i*w.bytes/4), odd)
			VPSLLD(U8(16), odd, even)
			if w.wide() {
				VPANDD(constantBits(0xffff0000), odd, odd)
			} else {
				VPAND(constantBits(0xffff0000), odd, odd)
			}
			for k, v := range []reg.VecVirtual{even, odd} {
				wide := w.vec()
				VCVTPS2PD(v, wide)
				VADDPD(wide, sums[i+k], sums[i+k])
			}
		}
	})
	w.foldTo(2, sums, VADDPD)
	w.foldInside(sums[0], VADDPD)
	w.foldInside(sums[1], VADDPD)
	VADDSD(sums[1].AsX(), sums[0].AsX(), sums[0].AsX())
	vex.Store(sums[0].AsX(), ReturnIndex(0))
	end()

	w.extremeDouble("reduceMaxDouble", "maximum", VMAXPD)
	w.extremeDouble("reduceMinDouble", "minimum", VMINPD)
}

const blocksOnly = " The length is a multiple of 32."

// eachBlock walks x, whose elements have so many bytes, in blocks of sumLanes elements.
func (w width) eachBlock(size int, body func(at func(bytes int) Mem)) {
	n, x := length("x"), slice("x")
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for at := 0; at < sumLanes*size; at += cacheLine {
		PREFETCHT0(Mem{Base: x, Disp: at + fetchAhead})
	}
	body(func(bytes int) Mem { return Mem{Base: x, Disp: bytes} })
	ADDQ(U32(sumLanes*size), x)
	SUBQ(U32(sumLanes), n)
	JMP(LabelRef("loop"))
	Label("done")
}

// foldTo folds vectors in halves until so many are left.
func (w vectors) foldTo(count int, vectors []reg.VecVirtual, op func(...Op)) {
	for n := len(vectors) / 2; n >= count; n /= 2 {
		for i := range n {
			op(vectors[i+n], vectors[i], vectors[i])
		}
	}
}

// foldInside folds the elements of 8 bytes of a vector in halves, to the first.
func (w vectors) foldInside(v reg.VecVirtual, op func(...Op)) {
	if w.wide() {
		quarter := YMM()
		VEXTRACTF64X4(U8(1), v, quarter)
		op(quarter, v.AsY(), v.AsY())
	}
	high := XMM()
	VEXTRACTF128(U8(1), v.AsY(), high)
	op(high, v.AsX(), v.AsX())
	VPERMILPD(U8(1), v.AsX(), high)
	op(high, v.AsX(), v.AsX())
}

// extremeDouble writes a function that folds a slice with op, which may drop a NaN: those are detected separately.
func (w width) extremeDouble(name, doc string, op func(...Op)) {
	w.function(name, "(x []float64) float64",
		"returns the "+doc+", NaN if there is one; of zeros it may return either."+blocksOnly+" It is not 0.")
	best := make([]reg.VecVirtual, 4)
	x := slice("x")
	for i := range best {
		best[i] = w.vec()
		VBROADCASTSD(Mem{Base: x}, best[i])
	}
	nan := w.compareDoubles(unordered, best[0], best[0])
	w.eachBlock(8, func(at func(bytes int) Mem) {
		for i := 0; i < sumLanes/w.doubles(); i += 2 {
			a, b := w.vec(), w.vec()
			VMOVUPD(at(i*w.bytes), a)
			VMOVUPD(at((i+1)*w.bytes), b)
			found := w.compareDoubles(unordered, a, b)
			if w.wide() {
				KORB(found.k, nan.k, nan.k)
			} else {
				VORPD(found.v, nan.v, nan.v)
			}
			op(a, best[i%4], best[i%4])
			op(b, best[(i+1)%4], best[(i+1)%4])
		}
	})
	w.foldTo(1, best, op)
	w.foldInside(best[0], op)
	found := GP32()
	if w.wide() {
		KMOVB(nan.k, found)
	} else {
		VMOVMSKPD(nan.v, found)
	}
	TESTL(found, found)
	JZ(LabelRef("return"))
	VMOVSD(constantDouble(math.NaN()), best[0].AsX())
	Label("return")
	vex.Store(best[0].AsX(), ReturnIndex(0))
	end()
}
