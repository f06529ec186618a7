package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// groups writes the copies between interleaved complex numbers and groups.
func groups(k kind) {
	load, store := "(re, im, x []%s, n, step int)", "(y, re, im []%s, n, step int)"
	k.function("loadColumns", load, "loads n numbers of adjacent transforms.")
	c := copies{k, pointer("re"), pointer("im"), pointer("x"), k.step(), integer("n")}
	c.each(1, func() {
		for i := 0; i < k.lanes(); i += k.bytes / k.size {
			at := 2 * i * k.size
			re, im := k.apart(k.load(Mem{Base: c.x, Disp: at}), k.load(Mem{Base: c.x, Disp: at + k.bytes}))
			c.put(re, im, i*k.size)
		}
		ADDQ(c.step, c.x)
	})
	end()

	k.function("storeColumns", store, "stores n numbers of adjacent transforms.")
	c = copies{k, pointer("re"), pointer("im"), pointer("y"), k.step(), integer("n")}
	c.each(1, func() {
		for i := 0; i < k.lanes(); i += k.bytes / k.size {
			re, im := c.get(i * k.size)
			low, high := k.together(re, im)
			k.store(low, Mem{Base: c.x, Disp: 2 * i * k.size})
			k.store(high, Mem{Base: c.x, Disp: 2*i*k.size + k.bytes})
		}
		ADDQ(c.step, c.x)
	})
	end()

	k.function("loadRows", load, "loads n numbers of transforms that are step parts apart.")
	c = copies{k, pointer("re"), pointer("im"), pointer("x"), k.step(), integer("n")}
	c.parts(c.loadSome)
	k.function("storeRows", store, "stores n numbers of transforms that are step parts apart.")
	c = copies{k, pointer("re"), pointer("im"), pointer("y"), k.step(), integer("n")}
	c.parts(c.storeSome)
}

// copies are the operands of a copy: groups, and interleaved numbers, whose rows are step bytes apart.
type copies struct {
	kind
	re, im, x, step, n reg.GPVirtual
}

func (k kind) step() reg.GPVirtual {
	s := integer("step")
	SHLQ(U8(map[int]uint8{4: 2, 8: 3}[k.size]), s)
	return s
}

// get and put access the transforms of a group from some byte on, of the number at re and im.
func (c copies) get(at int) (re, im reg.VecVirtual) {
	return c.load(Mem{Base: c.re, Disp: at}), c.load(Mem{Base: c.im, Disp: at})
}

func (c copies) put(re, im reg.VecVirtual, at int) {
	c.store(re, Mem{Base: c.re, Disp: at})
	c.store(im, Mem{Base: c.im, Disp: at})
}

// each does body for n numbers, some together.
func (c copies) each(together int, body func()) {
	Label("loop")
	TESTQ(c.n, c.n)
	JZ(LabelRef("done"))
	body()
	ADDQ(U32(uint32(64*together)), c.re)
	ADDQ(U32(uint32(64*together)), c.im)
	SUBQ(U32(uint32(together)), c.n)
	JMP(LabelRef("loop"))
	Label("done")
}

// parts does some for the transforms of a vector after one another, four numbers of each at a time: more rows at once
// would not fit into a cache of eight ways when their distance is a power of two.
func (c copies) parts(some func()) {
	vectors := 64 / c.bytes
	back, size, left, total := GP64(), GP64(), GP64(), GP64()
	MOVQ(c.n, total)
	for part := range vectors {
		name := []string{"a", "b"}[part]
		MOVQ(total, left)
		Label(name + "_loop")
		TESTQ(left, left)
		JZ(LabelRef(name + "_done"))
		some()
		ADDQ(U32(4*64), c.re)
		ADDQ(U32(4*64), c.im)
		ADDQ(U32(uint32(8*c.size)), c.x)
		SUBQ(U32(4), left)
		JMP(LabelRef(name + "_loop"))
		Label(name + "_done")
		if part == vectors-1 {
			break
		}
		// back to the first number, and on to the next transforms
		MOVQ(total, back)
		SHLQ(U8(6), back)
		SUBQ(back, c.re)
		SUBQ(back, c.im)
		ADDQ(U32(uint32(c.bytes)), c.re)
		ADDQ(U32(uint32(c.bytes)), c.im)
		IMUL3Q(U32(uint32(2*c.size)), total, size)
		SUBQ(size, c.x)
		IMUL3Q(U32(uint32(c.bytes/c.size)), c.step, size)
		ADDQ(size, c.x)
	}
	end()
}

// loadSome loads four numbers of the transforms of a vector.
func (c copies) loadSome() {
	p := GP64()
	MOVQ(c.x, p)
	row := func(at int) reg.VecVirtual { return c.load(Mem{Base: p, Disp: at}) }
	if c.double() {
		for at := 0; at < 4*16; at += 32 { // two numbers of four rows
			var rows [4]reg.VecVirtual
			MOVQ(c.x, p)
			for i := range rows {
				rows[i] = row(at)
				ADDQ(c.step, p)
			}
			for i, half := range []uint8{0x20, 0x31} {
				even, odd, re, im := YMM(), YMM(), YMM(), YMM()
				VPERM2F128(U8(half), rows[2], rows[0], even)
				VPERM2F128(U8(half), rows[3], rows[1], odd)
				VUNPCKLPD(odd, even, re)
				VUNPCKHPD(odd, even, im)
				c.put(re, im, 64*(at/16+i))
			}
		}
		return
	}
	var quarters [2][4]reg.VecVirtual // four rows each, by number
	for i := range quarters {
		for j := range 4 {
			quarters[i][j] = row(0)
			ADDQ(c.step, p)
		}
		quarters[i] = transposed(quarters[i])
	}
	for j := range 4 {
		re, im := c.apart(quarters[0][j], quarters[1][j])
		c.put(re, im, 64*j)
	}
}

// storeSome stores four numbers of the transforms of a vector.
func (c copies) storeSome() {
	p := GP64()
	MOVQ(c.x, p)
	if c.double() {
		for at := 0; at < 4*16; at += 32 { // two numbers of four rows
			var low, high [2]reg.VecVirtual // of rows 0 and 2, and of rows 1 and 3
			for i := range 2 {
				re, im := c.get(64 * (at/16 + i))
				low[i], high[i] = YMM(), YMM()
				VUNPCKLPD(im, re, low[i])
				VUNPCKHPD(im, re, high[i])
			}
			MOVQ(c.x, p)
			for i := range 4 {
				from, v := low, YMM()
				if i%2 == 1 {
					from = high
				}
				VPERM2F128(U8([]uint8{0x20, 0x31}[i/2]), from[1], from[0], v)
				c.store(v, Mem{Base: p, Disp: at})
				ADDQ(c.step, p)
			}
		}
		return
	}
	var quarters [2][4]reg.VecVirtual
	for j := range 4 {
		re, im := c.get(64 * j)
		quarters[0][j], quarters[1][j] = c.together(re, im)
	}
	for i := range quarters {
		for _, row := range transposed(quarters[i]) {
			c.store(row, Mem{Base: p})
			ADDQ(c.step, p)
		}
	}
}

// apart takes complex numbers in two vectors apart.
func (k kind) apart(a, b reg.VecVirtual) (re, im reg.VecVirtual) {
	re, im = YMM(), YMM()
	if k.double() {
		VUNPCKLPD(b, a, re)
		VUNPCKHPD(b, a, im)
	} else {
		VSHUFPS(U8(0x88), b, a, re)
		VSHUFPS(U8(0xdd), b, a, im)
	}
	VPERMPD(U8(0xd8), re, re)
	VPERMPD(U8(0xd8), im, im)
	return re, im
}

// together puts complex numbers together in two vectors.
func (k kind) together(re, im reg.VecVirtual) (low, high reg.VecVirtual) {
	a, b := YMM(), YMM()
	if k.double() {
		VUNPCKLPD(im, re, a)
		VUNPCKHPD(im, re, b)
	} else {
		VUNPCKLPS(im, re, a)
		VUNPCKHPS(im, re, b)
	}
	low, high = YMM(), YMM()
	VPERM2F128(U8(0x20), b, a, low)
	VPERM2F128(U8(0x31), b, a, high)
	return low, high
}

// transposed transposes four rows of four elements of eight bytes.
func transposed(x [4]reg.VecVirtual) (y [4]reg.VecVirtual) {
	var t [4]reg.VecVirtual
	for i := range t {
		t[i], y[i] = YMM(), YMM()
	}
	VUNPCKLPD(x[1], x[0], t[0])
	VUNPCKHPD(x[1], x[0], t[1])
	VUNPCKLPD(x[3], x[2], t[2])
	VUNPCKHPD(x[3], x[2], t[3])
	VPERM2F128(U8(0x20), t[2], t[0], y[0])
	VPERM2F128(U8(0x20), t[3], t[1], y[1])
	VPERM2F128(U8(0x31), t[2], t[0], y[2])
	VPERM2F128(U8(0x31), t[3], t[1], y[3])
	return y
}
