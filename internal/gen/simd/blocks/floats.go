package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// floats writes the products of elements of 16 bits, which are widened in registers, with floats.
func floats() {
	for _, wide := range []bool{false, true} {
		dotFloats("dotF16", "halves", wide, func(m Mem, v reg.VecVirtual) { VCVTPH2PS(m, v) })
		dotFloats("dotBF16", "bfloats", wide, func(m Mem, v reg.VecVirtual) {
			VPMOVZXWD(m, v)
			VPSLLD(U8(16), v, v)
		})
	}
}

// dotFloats has four vectors of sums.
func dotFloats(name, of string, wide bool, widen func(m Mem, v reg.VecVirtual)) {
	const unroll = 4
	vec, lanes := YMM, 8
	if wide {
		vec, lanes = ZMM, 16
		name += "AVX512"
	} else {
		name += "AVX2"
	}
	TEXT(name, NOSPLIT, "func(out *float32, w *byte, x *float32, n, rows int)")
	Pragma("noescape")
	Doc(name + " sets out to the products of rows of n " + of + " and floats. n is a multiple of 64.")
	w, x, n := GP64(), GP64(), GP64()
	Load(Param("w"), w)
	Label("row")
	Load(Param("x"), x)
	Load(Param("n"), n)
	var sums [unroll]reg.VecVirtual
	for i := range sums {
		sums[i] = vec()
		if wide {
			VPXORD(sums[i], sums[i], sums[i])
		} else {
			VXORPS(sums[i], sums[i], sums[i])
		}
	}
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	if wide {
		prefetch(w, 2*lanes*unroll)
	}
	for i := range unroll {
		v := vec()
		widen(Mem{Base: w, Disp: 2 * lanes * i}, v)
		VFMADD231PS(Mem{Base: x, Disp: 4 * lanes * i}, v, sums[i])
	}
	ADDQ(U32(uint32(2*lanes*unroll)), w)
	ADDQ(U32(uint32(4*lanes*unroll)), x)
	SUBQ(U32(uint32(lanes*unroll)), n)
	JMP(LabelRef("loop"))
	Label("done")
	VADDPS(sums[1], sums[0], sums[0])
	VADDPS(sums[3], sums[2], sums[2])
	VADDPS(sums[2], sums[0], sums[0])
	if wide {
		finish512(sums[0])
	} else {
		finish(sums[0])
	}
}
