package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/gorocm/gorocm/internal/gen/simd/vex"
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
		k.store(k.interleavedProduct(k.load(Mem{Base: x}), k.load(Mem{Base: w})), Mem{Base: y})
	})
	end()
}

// interleavedProduct is the product of interleaved numbers.
func (k kind) interleavedProduct(a, b reg.VecVirtual) reg.VecVirtual {
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
	return re
}

// folds writes the step between a transform of real numbers and that of half as many complex ones: with S = x[k] +
// conj(x[h-k]) and D = x[k] - conj(x[h-k]), y[k] = scale·S + w[k]·D, and y[h-k] the conjugate of scale·S - w[k]·D.
func folds(k kind) {
	k.function("fold", "(yLow, yHigh, xLow, xHigh, w []%[1]s, n int, scale %[1]s)",
		"computes n vectors at the low pointers, and as many at the high ones, which move down.")
	yl, yh, xl, xh := pointer("yLow"), pointer("yHigh"), pointer("xLow"), pointer("xHigh")
	w, n := pointer("w"), integer("n")
	scale := k.vec()
	one := XMM()
	vex.Load(Param("scale"), one)
	if k.double() {
		VBROADCASTSD(one, scale)
	} else {
		VBROADCASTSS(one, scale)
	}
	signs := k.load(k.signs())
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	a, b := k.load(Mem{Base: xl}), k.conjugates(k.load(Mem{Base: xh}), signs)
	sum, p := k.mul(k.add(a, b), scale), k.interleavedProduct(k.sub(a, b), k.load(Mem{Base: w}))
	k.store(k.add(sum, p), Mem{Base: yl})
	k.store(k.conjugates(k.sub(sum, p), signs), Mem{Base: yh})
	for _, q := range []reg.GPVirtual{yl, xl, w} {
		ADDQ(U32(uint32(k.bytes)), q)
	}
	for _, q := range []reg.GPVirtual{yh, xh} {
		SUBQ(U32(uint32(k.bytes)), q)
	}
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	end()
}

// signs has the sign bits of the imaginary parts.
func (k kind) signs() Mem {
	name := fmt.Sprintf("signs%d", k.size)
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := k.size; i < k.bytes; i += 2 * k.size {
			if k.double() {
				DATA(i-8, U64(0))
				DATA(i, U64(1<<63))
			} else {
				DATA(i-4, U32(0))
				DATA(i, U32(1<<31))
			}
		}
		constants[name] = m
	}
	return m
}

// conjugates are the conjugates of the numbers of a vector of AVX2, in reverse order.
func (k kind) conjugates(v, signs reg.VecVirtual) reg.VecVirtual {
	r := k.vec()
	if k.double() {
		VPERM2F128(U8(0x01), v, v, r)
	} else {
		VPERMPD(U8(0x1b), v, r)
	}
	VXORPS(signs, r, r)
	return r
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
