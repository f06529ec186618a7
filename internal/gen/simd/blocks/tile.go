package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	tileRows    = 16 // of w, one for each lane of a vector of AVX-512
	tileColumns = 8
)

const tileSignature = "func(out *float32, stride int, codes *byte, scales, minima *float32, x *byte, facts *byte, " +
	"parts, fours int)"

// tileOperands are the arguments of a tile's function. Its loop moves the pointers on.
type tileOperands struct{ out, stride, codes, scales, minima, x, facts, parts, fours, k reg.GPVirtual }

func tileFunction(name, doc string) tileOperands {
	TEXT(name, NOSPLIT, tileSignature)
	Pragma("noescape")
	Doc(name + " sets " + doc)
	load := func(param string) reg.GPVirtual {
		r := GP64()
		Load(Param(param), r)
		return r
	}
	return tileOperands{load("out"), load("stride"), load("codes"), load("scales"), load("minima"), load("x"),
		load("facts"), load("parts"), load("fours"), GP64()}
}

// fact is a number of the part for a column.
func (o *tileOperands) fact(row, c int) Mem {
	return Mem{Base: o.facts, Disp: 4 * (tileColumns*row + c)}
}

// each is the loop over parts, and in each over 16 elements: begin, four for each of these, scale, and subtract where
// there are minima.
func (o *tileOperands) each(begin, four, scale, subtract func()) {
	Label("part")
	begin()
	MOVQ(o.fours, o.k)
	Label("four")
	four()
	ADDQ(U32(4*4*tileRows), o.codes)
	ADDQ(U32(4*4*tileColumns), o.x)
	DECQ(o.k)
	JNZ(LabelRef("four"))
	scale()
	ADDQ(U32(4*tileRows), o.scales)
	TESTQ(o.minima, o.minima)
	JZ(LabelRef("next"))
	subtract()
	ADDQ(U32(4*tileRows), o.minima)
	Label("next")
	ADDQ(U32(3*4*tileColumns), o.facts)
	DECQ(o.parts)
	JNZ(LabelRef("part"))
}

// write stores the columns and returns.
func (o *tileOperands) write(sums []reg.VecVirtual) {
	SHLQ(U8(2), o.stride)
	for c := range sums {
		VMOVUPS(sums[c], Mem{Base: o.out})
		if c < len(sums)-1 {
			ADDQ(o.stride, o.out)
		}
	}
	VZEROUPPER()
	RET()
}

// tile multiplies a panel of 16 rows of w by a panel of eight columns of x.
func tile() {
	o := tileFunction("tileVNNI", "eight columns of 16 floats, which are stride floats apart, to a panel of rows times "+
		"a panel of columns: see panel and columnPanels. Minima may be nil. A part has fours times 16 elements.")
	var sums, wholes [tileColumns]reg.VecVirtual
	for c := range sums {
		sums[c], wholes[c] = zero512(), ZMM()
	}
	w := ZMM()
	o.each(func() {
		for c := range wholes {
			VPBROADCASTD(o.fact(0, c), wholes[c])
		}
	}, func() {
		for step := range 4 {
			VMOVDQU64(Mem{Base: o.codes, Disp: 4 * tileRows * step}, w)
			for c := range wholes {
				VPDPBUSD_BCST(Mem{Base: o.x, Disp: 4 * (tileColumns*step + c)}, w, wholes[c])
			}
		}
	}, func() {
		VMOVUPS(Mem{Base: o.scales}, w)
		for c := range wholes {
			VCVTDQ2PS(wholes[c], wholes[c])
			VMULPS_BCST(o.fact(1, c), wholes[c], wholes[c])
			VFMADD231PS(wholes[c], w, sums[c])
		}
	}, func() {
		VMOVUPS(Mem{Base: o.minima}, w)
		for c := range sums {
			VFNMADD231PS_BCST(o.fact(2, c), w, sums[c])
		}
	})
	o.write(sums[:])
}

// tileCodes are which codes tileAVX2 multiplies, by how many pairs it adds.
var tileCodes = [...]string{
	0: "Codes have the offset 128, which facts do not have to count; none of them is 0.",
	1: "Codes have the offset 128, which facts do not have to count; none of x is -128.",
	2: "Codes are at most 63.", 4: "Codes are at most 31.",
}

// tileAVX2 multiplies half of a panel of rows by half of a panel of columns, so that all sums are in registers. Pairs
// of products are sums of 16 bits, of which so many are added before they become 32 bits wide: codes are at most 31 for
// four, and 63 for two. Where there is one, or none, codes are any bytes, and are multiplied as numbers from -128 to
// 127: magnitudes of one operand by the other one with signs changed, which -128 cannot have.
func tileAVX2(name string, pairs int) {
	o := tileFunction(name, "four columns of eight floats, which are stride floats apart, to half of a panel of rows "+
		"times half of a panel of columns: see tileVNNI. "+tileCodes[pairs])
	const columns = tileColumns / 2
	var sums, wholes, words [columns]reg.VecVirtual
	for c := range sums {
		sums[c], wholes[c], words[c] = YMM(), YMM(), YMM()
		VXORPS(sums[c], sums[c], sums[c])
	}
	w, v, ones := YMM(), YMM(), YMM()
	VPCMPEQW(ones, ones, ones)
	VPSRLW(U8(15), ones, ones)
	four := func() {
		for step := range 4 {
			VMOVDQU(Mem{Base: o.codes, Disp: 4 * tileRows * step}, w)
			for c := range wholes {
				VPBROADCASTD(Mem{Base: o.x, Disp: 4 * (tileColumns*step + c)}, v)
				if step%pairs == 0 {
					VPMADDUBSW(v, w, words[c])
				} else {
					VPMADDUBSW(v, w, v)
					VPADDW(v, words[c], words[c])
				}
				if step%pairs == pairs-1 {
					VPMADDWD(ones, words[c], words[c])
					VPADDD(words[c], wholes[c], wholes[c])
				}
			}
		}
	}
	if pairs <= 1 {
		four = o.anyCodes(wholes[:], w, v, ones, pairs == 1)
	}
	o.each(func() {
		for c := range wholes {
			if pairs <= 1 {
				VPXOR(wholes[c], wholes[c], wholes[c])
			} else {
				VPBROADCASTD(o.fact(0, c), wholes[c])
			}
		}
	}, four, func() {
		VMOVUPS(Mem{Base: o.scales}, w)
		for c := range wholes {
			VCVTDQ2PS(wholes[c], wholes[c])
			VBROADCASTSS(o.fact(1, c), v)
			VMULPS(v, wholes[c], wholes[c])
			VFMADD231PS(wholes[c], w, sums[c])
		}
	}, func() {
		VMOVUPS(Mem{Base: o.minima}, w)
		for c := range sums {
			VBROADCASTSS(o.fact(2, c), v)
			VFNMADD231PS(v, w, sums[c])
		}
	})
	o.write(sums[:])
}

// anyCodes is the function that multiplies 16 elements with codes of the offset 128: their magnitudes by x with their
// signs, or the other way round.
func (o *tileOperands) anyCodes(wholes []reg.VecVirtual, w, v, ones reg.VecVirtual, signedX bool) func() {
	offset, size := YMM(), YMM()
	VPCMPEQB(offset, offset, offset)
	VPABSB(offset, offset)
	VPSLLW(U8(7), offset, offset)
	return func() {
		for step := range 4 {
			VPXOR(Mem{Base: o.codes, Disp: 4 * tileRows * step}, offset, w)
			if signedX {
				VPABSB(w, size)
			}
			for c := range wholes {
				VPBROADCASTD(Mem{Base: o.x, Disp: 4 * (tileColumns*step + c)}, v)
				if signedX {
					VPSIGNB(w, v, v)
					VPMADDUBSW(v, size, v)
				} else {
					VPSIGNB(v, w, size)
					VPABSB(v, v)
					VPMADDUBSW(size, v, v)
				}
				VPMADDWD(ones, v, v)
				VPADDD(v, wholes[c], wholes[c])
			}
		}
	}
}
