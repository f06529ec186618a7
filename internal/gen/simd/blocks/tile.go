package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileColumns is how many columns a tile has. It has 16 rows, one for each lane of a vector.
const tileColumns = 8

// tile multiplies a panel of 16 rows of w by a panel of eight columns of x.
func tile() {
	TEXT("tileVNNI", NOSPLIT,
		"func(out *float32, stride int, codes *byte, scales, minima *float32, x *byte, facts *byte, parts, fours int)")
	Pragma("noescape")
	Doc("tileVNNI sets eight columns of 16 floats, which are stride floats apart, to a panel of rows times a panel of " +
		"columns: see panel and columnPanels. Minima may be nil. A part has fours times 16 elements.")
	load := func(param string) reg.GPVirtual {
		r := GP64()
		Load(Param(param), r)
		return r
	}
	out, stride, codes, scales, minima := load("out"), load("stride"), load("codes"), load("scales"), load("minima")
	x, facts, parts, fours := load("x"), load("facts"), load("parts"), load("fours")
	var sums, wholes [tileColumns]reg.VecVirtual
	for c := range sums {
		sums[c], wholes[c] = zero512(), ZMM()
	}
	w, k := ZMM(), GP64()
	fact := func(row, c int) Mem { return Mem{Base: facts, Disp: 4 * (tileColumns*row + c)} }
	Label("part")
	for c := range wholes {
		VPBROADCASTD(fact(0, c), wholes[c])
	}
	MOVQ(fours, k)
	Label("four")
	for step := range 4 {
		VMOVDQU64(Mem{Base: codes, Disp: 64 * step}, w)
		for c := range wholes {
			VPDPBUSD_BCST(Mem{Base: x, Disp: 4 * (tileColumns*step + c)}, w, wholes[c])
		}
	}
	ADDQ(U32(4*64), codes)
	ADDQ(U32(4*4*tileColumns), x)
	DECQ(k)
	JNZ(LabelRef("four"))
	VMOVUPS(Mem{Base: scales}, w)
	for c := range wholes {
		VCVTDQ2PS(wholes[c], wholes[c])
		VMULPS_BCST(fact(1, c), wholes[c], wholes[c])
		VFMADD231PS(wholes[c], w, sums[c])
	}
	ADDQ(U32(64), scales)
	TESTQ(minima, minima)
	JZ(LabelRef("next"))
	VMOVUPS(Mem{Base: minima}, w)
	for c := range sums {
		VFNMADD231PS_BCST(fact(2, c), w, sums[c])
	}
	ADDQ(U32(64), minima)
	Label("next")
	ADDQ(U32(3*4*tileColumns), facts)
	DECQ(parts)
	JNZ(LabelRef("part"))
	SHLQ(U8(2), stride)
	for c := range sums {
		VMOVUPS(sums[c], Mem{Base: out})
		if c < tileColumns-1 {
			ADDQ(stride, out)
		}
	}
	VZEROUPPER()
	RET()
}
