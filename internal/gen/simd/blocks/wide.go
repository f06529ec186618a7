package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The products for processors with AVX-512 and its VNNI: 64 codes in a vector, in the order of the other operand, and
// words that are multiplied by scales and added in one instruction.

func wide() {
	wideQ4_0()
	wideQ8_0()
	wideQ45K(4)
	wideQ45K(5)
	wideQ6K()
}

// bytes64 loads a vector of 64 bytes.
func bytes64(name string, of func(i int) byte) reg.VecVirtual {
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 64 {
			DATA(i, U8(of(i)))
		}
		constants[name] = m
	}
	v := ZMM()
	VMOVDQU64(m, v)
	return v
}

// halves is a vector whose 64-bit words have one value in the lower half and another in the upper one.
func halves(name string, low, high byte) reg.VecVirtual {
	return bytes64(name, func(i int) byte {
		switch {
		case i%8 != 0:
			return 0
		case i < 32:
			return low
		}
		return high
	})
}

// every is a vector of equal bytes.
func every(name string, b byte) reg.VecVirtual { return bytes64(name, func(int) byte { return b }) }

// positions selects words: word i of the result is word of(i).
func positions(name string, of func(i int) int) reg.VecVirtual {
	return bytes64(name, func(i int) byte { return byte((1 - i%2) * of(i/2)) })
}

func zero512() reg.VecVirtual {
	v := ZMM()
	VPXORD(v, v, v)
	return v
}

// finish512 is finish for a vector of 64 bytes.
func finish512(sum reg.VecVirtual) {
	half := YMM()
	VEXTRACTF64X4(U8(1), sum, half)
	VADDPS(sum.AsY(), half, half)
	finish(half)
}

// prefetch asks for the bytes of blocks that come some time after those at w. Hardware does not look beyond a page, and
// misses of the table of pages take longest.
func prefetch(w reg.GPVirtual, bytes int) {
	const ahead = 4096
	for at := 0; at < bytes; at += 64 {
		PREFETCHT0(Mem{Base: w, Disp: ahead + at})
	}
}

// addWide adds whole numbers times the product of scales of a block to a sum.
func (o operands) addWide(sum, whole reg.VecVirtual, half Mem) {
	h, s := XMM(), ZMM()
	VPBROADCASTW(half, h)
	VCVTPH2PS(h, h)
	VMULSS(Mem{Base: o.d}, h, h)
	VBROADCASTSS(h, s)
	VCVTDQ2PS(whole, whole)
	VFMADD231PS(whole, s, sum)
}

// fours is a row: it does body for four blocks at a time, each with a sum of its own, then for one.
func (o operands) fours(bytes int, body func(block int, sum reg.VecVirtual)) {
	const unroll = 4
	o.row()
	var sums [unroll]reg.VecVirtual
	for i := range sums {
		sums[i] = zero()
	}
	next := func(n int) {
		ADDQ(U32(uint32(n*bytes)), o.w)
		ADDQ(U32(uint32(n*32)), o.q)
		ADDQ(U32(uint32(n*4)), o.d)
		SUBQ(U32(uint32(n)), o.n)
	}
	Label("fours")
	CMPQ(o.n, U32(unroll))
	JLT(LabelRef("ones"))
	prefetch(o.w, unroll*bytes)
	for i := range unroll {
		body(i, sums[i])
	}
	next(unroll)
	JMP(LabelRef("fours"))
	Label("ones")
	TESTQ(o.n, o.n)
	JZ(LabelRef("summed"))
	body(0, sums[0])
	next(1)
	JMP(LabelRef("ones"))
	Label("summed")
	VADDPS(sums[1], sums[0], sums[0])
	VADDPS(sums[3], sums[2], sums[2])
	VADDPS(sums[2], sums[0], sums[0])
	finish(sums[0])
}

// wholes adds the products of signed bytes in fours.
func wholes(w, q reg.VecVirtual) reg.VecVirtual {
	size, sum := YMM(), zero()
	VPABSB(w, size)
	VPSIGNB(w, q, q)
	VPDPBUSD(q, size, sum)
	return sum
}

func wideQ8_0() {
	o := function("dotQ8_0VNNI", "as dotQ8_0AVX2 does, with AVX-512.")
	o.fours(34, func(i int, sum reg.VecVirtual) {
		w, q, d := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: o.w, Disp: 34*i + 2}, w)
		VMOVDQU(Mem{Base: o.q, Disp: 32 * i}, q)
		h := XMM()
		VPBROADCASTW(Mem{Base: o.w, Disp: 34 * i}, h)
		VCVTPH2PS(h, d)
		VMULPS_BCST(Mem{Base: o.d, Disp: 4 * i}, d, d)
		add(sum, wholes(w, q), d)
	})
}

// wideQ4_0 keeps codes from 0 to 15; eight times the sum of the other operand's is taken away.
func wideQ4_0() {
	o := function("dotQ4_0VNNI", "as dotQ4_0AVX2 does, with AVX-512.")
	four, eight := all("bytes_0f", 0x0f), all("bytes_08", 8)
	o.fours(18, func(i int, sum reg.VecVirtual) {
		w, q, d := YMM(), YMM(), YMM()
		high, h := XMM(), XMM()
		VMOVDQU(Mem{Base: o.w, Disp: 18*i + 2}, w.AsX())
		VPSRLW(U8(4), w.AsX(), high)
		VINSERTI128(U8(1), high, w, w)
		VPAND(four, w, w)
		VMOVDQU(Mem{Base: o.q, Disp: 32 * i}, q)
		whole, less := zero(), zero()
		VPDPBUSD(q, w, whole)
		VPDPBUSD(q, eight, less)
		VPSUBD(less, whole, whole)
		VPBROADCASTW(Mem{Base: o.w, Disp: 18 * i}, h)
		VCVTPH2PS(h, d)
		VMULPS_BCST(Mem{Base: o.d, Disp: 4 * i}, d, d)
		add(sum, whole, d)
	})
}

func wideQ45K(bits int) {
	name := "Q" + string(rune('0'+bits)) + "K"
	o := function("dot"+name+"VNNI", "as dot"+name+"AVX2 does, with AVX-512.")
	four, shifts := every("wide_0f", 0x0f), halves("wide_shift_4", 0, 4)
	first, bytes := 16, 144
	var masks, sixteen reg.VecVirtual
	if bits == 5 {
		first, bytes = 48, 176
		sixteen = every("wide_10", 0x10)
		masks = bytes64("wide_bits", func(i int) byte { return byte(1 + i/32) })
	}
	var select2 [4]reg.VecVirtual
	for p := range select2 {
		select2[p] = positions("wide_words_"+string(rune('0'+p)), func(i int) int { return 2*p + i/16 })
	}
	six, nibble, two := number(0x3f3f3f3f), number(0x0f0f0f0f), number(0x03030303)
	o.row()
	sum, low := zero512(), zero()
	o.loop(bytes, 256, func() {
		prefetch(o.w, bytes)
		scales, minima := o.scales6(six, nibble, two)
		whole := zero512()
		var fifth, bit reg.VecVirtual
		if bits == 5 {
			fifth, bit = ZMM(), ZMM()
			VBROADCASTI64X4(Mem{Base: o.w, Disp: 16}, fifth)
			VMOVDQA64(masks, bit)
		}
		for p := range 4 {
			x, s := ZMM(), ZMM()
			VBROADCASTI64X4(Mem{Base: o.w, Disp: first + 32*p}, x)
			VPSRLVQ(shifts, x, x)
			VPANDD(four, x, x)
			if bits == 5 {
				is := K()
				VPTESTMB(bit, fifth, is)
				VPADDB(sixteen, x, is, x)
				VPSLLQ(U8(2), bit, bit)
			}
			VPMADDUBSW(Mem{Base: o.q, Disp: 64 * p}, x, x)
			VPERMW(scales.AsZ(), select2[p], s)
			VPDPWSSD(s, x, whole)
		}
		o.addWide(sum, whole, Mem{Base: o.w})
		o.minima(minima, low)
	})
	VSUBPS(low.AsZ(), sum, sum)
	finish512(sum)
}

// wideQ6K: as dotQ6K.
func wideQ6K() {
	o := function("dotQ6KVNNI", "as dotQ6KAVX2 does, with AVX-512.")
	four, two := every("wide_0f", 0x0f), every("wide_30", 0x30)
	left, right := halves("wide_left", 4, 2), halves("wide_right", 0, 2)
	var select4 [4]reg.VecVirtual
	for p := range select4 {
		select4[p] = positions("wide_quads_"+string(rune('0'+p)), func(i int) int { return 4*p + i/8 })
	}
	o.row()
	sum := zero512()
	o.loop(210, 256, func() {
		prefetch(o.w, 210)
		words, less, whole := YMM(), YMM(), zero512()
		VPMOVSXBW(Mem{Base: o.w, Disp: 192}, words)
		VPMADDWD(Mem{Base: o.sums}, words, less)
		VPSLLD(U8(5), less, less)
		for n := range 2 {
			high, codes := ZMM(), ZMM()
			VBROADCASTI64X4(Mem{Base: o.w, Disp: 128 + 32*n}, high)
			VMOVDQU64(Mem{Base: o.w, Disp: 64 * n}, codes)
			for h := range 2 {
				x, top, s := ZMM(), ZMM(), ZMM()
				if h == 0 {
					VPANDD(four, codes, x)
					VPSLLVQ(left, high, top)
				} else {
					VPSRLW(U8(4), codes, x)
					VPANDD(four, x, x)
					VPSRLVQ(right, high, top)
				}
				const orAnd = 0xf8 // a | b&c
				VPTERNLOGD(U8(orAnd), two, top, x)
				VPMADDUBSW(Mem{Base: o.q, Disp: 128*n + 64*h}, x, x)
				VPERMW(words.AsZ(), select4[2*n+h], s)
				VPDPWSSD(s, x, whole)
			}
		}
		VPSUBD(less.AsZ(), whole, whole)
		o.addWide(sum, whole, Mem{Base: o.w, Disp: 208})
	})
	finish512(sum)
}
