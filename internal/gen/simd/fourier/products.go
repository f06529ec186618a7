package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// products writes the products of groups.
func products(k kind) {
	k.function("multiply", "(xr, xi, wr, wi []%s)", "is x *= w.")
	xr, xi, wr, wi, n := pointer("xr"), pointer("xi"), pointer("wr"), pointer("wi"), k.length("xr")
	k.each(n, 1, []reg.GPVirtual{xr, xi, wr, wi}, func(int) {
		z := k.times(number{k.load(Mem{Base: xr}), k.load(Mem{Base: xi})},
			number{k.load(Mem{Base: wr}), k.load(Mem{Base: wi})})
		k.store(z.re, Mem{Base: xr})
		k.store(z.im, Mem{Base: xi})
	})
	end()

	k.function("multiplyBoth", "(xr, xi, wr, wi, hr, hi []%s)", "is x *= w·h, where h repeats.")
	xr, xi, wr, wi, n = pointer("xr"), pointer("xi"), pointer("wr"), pointer("wi"), k.length("xr")
	hr, hi := pointer("hr"), pointer("hi")
	var h []number
	for i := 0; i < 64; i += k.bytes {
		h = append(h, number{k.load(Mem{Base: hr, Disp: i}), k.load(Mem{Base: hi, Disp: i})})
	}
	k.each(n, len(h), []reg.GPVirtual{xr, xi, wr, wi}, func(i int) {
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: i * k.bytes} }
		w := k.times(number{k.load(at(wr)), k.load(at(wi))}, h[i])
		z := k.times(number{k.load(at(xr)), k.load(at(xi))}, w)
		k.store(z.re, at(xr))
		k.store(z.im, at(xi))
	})
	end()
}

// interleaved writes the product of interleaved complex numbers.
func interleaved(k kind) {
	k.function("weigh", "(y, x, w []%s)", "is y = x·w, of interleaved numbers.")
	y, x, w, n := pointer("y"), pointer("x"), pointer("w"), k.length("y")
	k.each(n, 1, []reg.GPVirtual{y, x, w}, func(int) {
		a, b := k.load(Mem{Base: x}), k.load(Mem{Base: w})
		re, im, swapped := k.vec(), k.vec(), k.vec()
		if k.double() {
			VMOVDDUP(a, re)
			VPERMILPD(U8(0xff), a, im)
			VPERMILPD(U8(0x55), b, swapped)
			VMULPD(im, swapped, swapped)
			VFMADDSUB213PD(swapped, b, re)
		} else {
			VMOVSLDUP(a, re)
			VMOVSHDUP(a, im)
			VPERMILPS(U8(0xb1), b, swapped)
			VMULPS(im, swapped, swapped)
			VFMADDSUB213PS(swapped, b, re)
		}
		k.store(re, Mem{Base: y})
	})
	end()
}

// length is the bytes of a slice.
func (k kind) length(slice string) reg.GPVirtual {
	n := Load(Param(slice).Len(), GP64()).(reg.GPVirtual)
	SHLQ(U8(map[int]uint8{4: 2, 8: 3}[k.size]), n)
	return n
}

// each does body for n bytes, `together` vectors at a time, and moves pointers on.
func (k kind) each(n reg.GPVirtual, together int, pointers []reg.GPVirtual, body func(i int)) {
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for i := range together {
		body(i)
	}
	for _, p := range pointers {
		ADDQ(U32(uint32(together*k.bytes)), p)
	}
	SUBQ(U32(uint32(together*k.bytes)), n)
	JMP(LabelRef("loop"))
	Label("done")
}
