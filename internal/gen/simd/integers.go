package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// integers writes arithmetic that wraps, for which signs do not matter.
func integers(w width) {
	binary := func(name, element, doc string, size int, op func(...Op)) {
		w.function(name, "(out, x, y []"+element+")", doc+" Lengths are multiples of "+lengths(size)+".")
		n, out, x, y := length("out"), slice("out"), slice("x"), slice("y")
		i := GP64()
		XORQ(i, i)
		Label("loop")
		CMPQ(i, n)
		JGE(LabelRef("done"))
		const vectors = 2
		for k := range vectors {
			at := func(s reg.Register) Mem { return Mem{Base: s, Index: i, Scale: uint8(size), Disp: k * w.bytes} }
			a := w.load(at(x), nil)
			op(at(y), a, a)
			w.store(a, at(out), nil)
		}
		ADDQ(U32(vectors*w.bytes/size), i)
		JMP(LabelRef("loop"))
		Label("done")
		end()
	}
	binary("addInts", "int32", "sets out to x + y.", 4, VPADDD)
	binary("subInts", "int32", "sets out to x - y.", 4, VPSUBD)
	binary("mulInts", "int32", "sets out to x * y.", 4, VPMULLD)
	binary("addLongs", "int64", "sets out to x + y.", 8, VPADDQ)
	binary("subLongs", "int64", "sets out to x - y.", 8, VPSUBQ)
	binary("addBytes", "uint8", "sets out to x + y.", 1, VPADDB)
	binary("subBytes", "uint8", "sets out to x - y.", 1, VPSUBB)
}

// lengths divides the lengths of slices of elements of so many bytes: two of the widest vectors, or 32.
func lengths(size int) string {
	if size == 1 {
		return "128"
	}
	return "32"
}
