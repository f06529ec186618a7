package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/gorocm/gorocm/internal/gen/simd/vex"
)

// sumLanes is how many sums are made side by side: element i of a slice is added to sum i modulo sumLanes, in order,
// and the sums are added in halves at the end. So every processor, and the loop in Go, rounds alike.
const sumLanes = 32

// lanes are the sums, as doubles.
func (w vectors) lanes() []reg.VecVirtual {
	sums := make([]reg.VecVirtual, sumLanes/w.doubles())
	for i := range sums {
		sums[i] = w.vec()
		VXORPD(sums[i], sums[i], sums[i])
	}
	return sums
}

// fold adds the sums in halves and returns the result in the first lane.
func (w vectors) fold(sums []reg.VecVirtual) reg.VecVirtual {
	for n := len(sums) / 2; n > 0; n /= 2 {
		for i := range n {
			VADDPD(sums[i+n], sums[i], sums[i])
		}
	}
	s := sums[0]
	high := XMM()
	if w.wide() {
		quarter := YMM()
		VEXTRACTF64X4(U8(1), s, quarter)
		VADDPD(quarter, s.AsY(), s.AsY())
	}
	VEXTRACTF128(U8(1), s.AsY(), high)
	VADDPD(high, s.AsX(), s.AsX())
	VPERMILPD(U8(1), s.AsX(), high)
	VADDSD(high, s.AsX(), s.AsX())
	return s
}

// widen returns the halves of a vector of floats as doubles.
func (w vectors) widen(v reg.VecVirtual) (low, high reg.VecVirtual) {
	low, high = w.vec(), w.vec()
	part := w.half()
	if w.wide() {
		VEXTRACTF32X8(U8(1), v, part)
		VCVTPS2PD(v.AsY(), low)
	} else {
		VEXTRACTF128(U8(1), v, part)
		VCVTPS2PD(v.AsX(), low)
	}
	VCVTPS2PD(part, high)
	return low, high
}

// loadWide reads a vector of floats as two of doubles.
func (w vectors) loadWide(from Mem, m *mask) (low, high reg.VecVirtual) {
	if m != nil {
		return w.widen(w.load(from, m))
	}
	low, high = w.vec(), w.vec()
	VCVTPS2PD(from, low)
	VCVTPS2PD(from.Offset(w.bytes/2), high)
	return low, high
}

// Processors fetch ahead by themselves, but not from one page of memory to the next.
const (
	fetchAhead = 8192 // bytes
	cacheLine  = 64
)

// blocks processes slices sumLanes elements at a time, and the rest in vectors, the last of them under a mask. body is
// given the vector's number in the block.
func (w width) blocks(n reg.GPVirtual, slices []reg.Register, body func(vector int, at []Mem, m *mask)) {
	vectors := sumLanes / w.floats()
	i := GP64()
	XORQ(i, i)
	places := func(v int) []Mem {
		at := make([]Mem, len(slices))
		for k, s := range slices {
			at[k] = Mem{Base: s, Index: i, Scale: 4, Disp: v * w.bytes}
		}
		return at
	}
	left := GP64()
	MOVQ(n, left)
	Label("block")
	CMPQ(left, U32(sumLanes))
	JLT(LabelRef("rest"))
	for v := range vectors {
		if v*w.bytes%cacheLine == 0 {
			PREFETCHT0(places(v)[len(slices)-1].Offset(fetchAhead))
		}
		body(v, places(v), nil)
	}
	ADDQ(U32(sumLanes), i)
	SUBQ(U32(sumLanes), left)
	JMP(LabelRef("block"))
	Label("rest")
	for v := range vectors {
		CMPQ(left, U32(w.floats()))
		JLT(LabelRef(fmt.Sprintf("tail%d", v)))
		body(v, places(v), nil)
		SUBQ(U32(w.floats()), left)
	}
	for v := range vectors {
		Label(fmt.Sprintf("tail%d", v))
		TESTQ(left, left)
		JZ(LabelRef("folded"))
		m := w.first(left)
		body(v, places(v), &m)
		if v < vectors-1 {
			JMP(LabelRef("folded"))
		}
	}
	Label("folded")
}

func (w vectors) addWide(sums []reg.VecVirtual, vector int, low, high reg.VecVirtual) {
	VADDPD(low, sums[2*vector], sums[2*vector])
	VADDPD(high, sums[2*vector+1], sums[2*vector+1])
}

func reductions(w width) {
	sums(w)
	squares(w)
	expSum(w)
	addRows(w)
	w.extreme("reduceMax", "the maximum", w.greater)
	w.extreme("reduceMin", "the minimum", w.lesser)
	w.find("find", "(x []float32, v float32) int", "the first element that equals v",
		func(at Op, v reg.VecVirtual) mask { return w.compare(equal, v, at) })
	w.find("findNaN", "(x []float32) int", "the first NaN",
		func(at Op, v reg.VecVirtual) mask { return w.compare(unordered, at, at) })
}

func sums(w width) {
	w.function("sum", "(x []float32) float64", "adds the elements in lanes, as doubles.")
	sums := w.lanes()
	w.blocks(length("x"), []reg.Register{slice("x")}, func(vector int, at []Mem, m *mask) {
		low, high := w.loadWide(at[0], m)
		w.addWide(sums, vector, low, high)
	})
	vex.Store(w.fold(sums).AsX(), ReturnIndex(0))
	end()

	w.function("sumEach", "(sums []float64, x []float32, n int)",
		"sets sums to those of the rows of n elements that x has, each as sum does.")
	rows, sum, x := length("sums"), slice("sums"), slice("x")
	n := GP64()
	Load(Param("n"), n)
	Label("row")
	TESTQ(rows, rows)
	JZ(LabelRef("done"))
	sums = w.lanes()
	w.blocks(n, []reg.Register{x}, func(vector int, at []Mem, m *mask) {
		low, high := w.loadWide(at[0], m)
		w.addWide(sums, vector, low, high)
	})
	VMOVSD(w.fold(sums).AsX(), Mem{Base: sum})
	ADDQ(U32(8), sum)
	LEAQ(Mem{Base: x, Index: n, Scale: 4}, x)
	DECQ(rows)
	JMP(LabelRef("row"))
	Label("done")
	end()
}

func squares(w width) {
	w.function("squares", "(x []float32, mean float64) float64",
		"adds the squares of the distances from mean in lanes, as doubles.")
	sums := w.lanes()
	mean := w.broadcastDouble("mean")
	w.blocks(length("x"), []reg.Register{slice("x")}, func(vector int, at []Mem, m *mask) {
		low, high := w.loadWide(at[0], m)
		for i, v := range []reg.VecVirtual{low, high} {
			VSUBPD(mean, v, v)
			if m != nil {
				w.keepDoubles(v, m, i == 1)
			}
			VMULPD(v, v, v)
			VADDPD(v, sums[2*vector+i], sums[2*vector+i])
		}
	})
	vex.Store(w.fold(sums).AsX(), ReturnIndex(0))
	end()
}

func expSum(w width) {
	w.function("expSum", "(out, x []float32, top float32) float64",
		"sets out to exp(x - top) and adds it up in lanes, as doubles.")
	sums := w.lanes()
	top := w.broadcast("top")
	w.blocks(length("out"), []reg.Register{slice("out"), slice("x")}, func(vector int, at []Mem, m *mask) {
		v := w.load(at[1], m)
		VSUBPS(top, v, v)
		v = w.exp(v)
		w.keep(v, m)
		w.store(v, at[0], m)
		low, high := w.widen(v)
		w.addWide(sums, vector, low, high)
	})
	vex.Store(w.fold(sums).AsX(), ReturnIndex(0))
	end()
}

func addRows(w width) {
	w.function("addRows", "(sums []float64, x []float32, stride int)",
		"adds four rows of x, which are stride elements apart, to sums.")
	to, from, stride := slice("sums"), slice("x"), GP64()
	n := length("sums")
	Load(Param("stride"), stride)
	SHLQ(U8(2), stride)
	three := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	Label("loop")
	CMPQ(n, U32(w.doubles()))
	JLT(LabelRef("one"))
	row := func(at Mem) reg.VecVirtual {
		v := w.vec()
		VCVTPS2PD(at, v)
		return v
	}
	base := Mem{Base: from}
	a, b, c, d := row(base), row(base.Idx(stride, 1)), row(base.Idx(stride, 2)), row(base.Idx(three, 1))
	VADDPD(b, a, a)
	VADDPD(d, c, c)
	VADDPD(c, a, a)
	VADDPD(Mem{Base: to}, a, a)
	VMOVUPD(a, Mem{Base: to})
	ADDQ(U32(w.bytes), to)
	ADDQ(U32(w.bytes/2), from)
	SUBQ(U32(w.doubles()), n)
	JMP(LabelRef("loop"))
	Label("one")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	single := func(at Mem) reg.VecVirtual {
		v := XMM()
		VXORPS(v, v, v)
		VCVTSS2SD(at, v, v)
		return v
	}
	a, b, c, d = single(base), single(base.Idx(stride, 1)), single(base.Idx(stride, 2)), single(base.Idx(three, 1))
	VADDSD(b, a, a)
	VADDSD(d, c, c)
	VADDSD(c, a, a)
	VADDSD(Mem{Base: to}, a, a)
	VMOVSD(a, Mem{Base: to})
	ADDQ(U32(8), to)
	ADDQ(U32(4), from)
	DECQ(n)
	JMP(LabelRef("one"))
	Label("done")
	end()
}

// keepDoubles sets the doubles that m does not select to zero: those of its first half, or of its second.
func (w vectors) keepDoubles(v reg.VecVirtual, m *mask, second bool) {
	if w.wide() {
		k := m.k
		if second {
			k = K()
			KSHIFTRW(U8(8), m.k, k)
		}
		VMOVUPD_Z(v, k, v)
		return
	}
	part, wide := XMM(), YMM()
	if second {
		VEXTRACTF128(U8(1), m.v, part)
	} else {
		VMOVUPS(m.v.AsX(), part)
	}
	VPMOVSXDQ(part, wide)
	VANDPD(wide, v, v)
}

// extreme writes a function that folds a slice with pick, a function of two operands whose result does not depend on
// their order.
func (w width) extreme(name, doc string, pick func(x, y reg.VecVirtual) reg.VecVirtual) {
	w.function(name, "(x []float32) float32", "returns "+doc+", NaN if there is one. There is at least one element.")
	n, from := length("x"), slice("x")
	const unroll = 4
	best := make([]reg.VecVirtual, unroll)
	for i := range best {
		best[i] = w.vec()
		VBROADCASTSS(Mem{Base: from}, best[i])
	}
	Label("loop")
	CMPQ(n, U32(unroll*w.floats()))
	JLT(LabelRef("one"))
	for i, b := range best {
		VMOVUPS(pick(b, w.load(Mem{Base: from, Disp: i * w.bytes}, nil)), b)
	}
	ADDQ(U32(unroll*w.bytes), from)
	SUBQ(U32(unroll*w.floats()), n)
	JMP(LabelRef("loop"))
	Label("one")
	CMPQ(n, U32(w.floats()))
	JLT(LabelRef("rest"))
	VMOVUPS(pick(best[0], w.load(Mem{Base: from}, nil)), best[0])
	ADDQ(U32(w.bytes), from)
	SUBQ(U32(w.floats()), n)
	JMP(LabelRef("one"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("fold"))
	m := w.first(n)
	part := w.load(Mem{Base: from}, &m)
	part = w.choose(m, part, best[0])
	VMOVUPS(pick(best[0], part), best[0])
	Label("fold")
	for _, b := range best[1:] {
		VMOVUPS(pick(best[0], b), best[0])
	}
	y := width{vectors{name: "AVX2", bytes: 32}}
	top := best[0].AsY()
	narrow := YMM()
	VMOVUPS(top, narrow)
	yPick := func(other reg.VecVirtual) {
		var r reg.VecVirtual
		if name == "reduceMax" {
			r = y.greater(narrow, other)
		} else {
			r = y.lesser(narrow, other)
		}
		VMOVUPS(r, narrow)
	}
	if w.wide() {
		high := YMM()
		VEXTRACTF32X8(U8(1), best[0], high)
		yPick(high)
	}
	swapped := YMM()
	VPERM2F128(U8(1), narrow, narrow, swapped)
	yPick(swapped)
	VPERMILPS(U8(0x4e), narrow, swapped)
	yPick(swapped)
	VPERMILPS(U8(0xb1), narrow, swapped)
	yPick(swapped)
	vex.Store(narrow.AsX(), ReturnIndex(0))
	end()
}

// find writes a function that returns the position of the first element that test selects, or -1.
func (w width) find(name, signature, doc string, test func(at Op, v reg.VecVirtual) mask) {
	w.function(name, signature, "returns the position of "+doc+", or -1.")
	n, from := length("x"), slice("x")
	var v reg.VecVirtual
	if name == "find" {
		v = w.broadcast("v")
	}
	i, hits := GP64(), GP64()
	XORQ(i, i)
	Label("loop")
	left := GP64()
	MOVQ(n, left)
	SUBQ(i, left)
	CMPQ(left, U32(w.floats()))
	JLT(LabelRef("rest"))
	MOVQ(w.bits(test(w.load(Mem{Base: from, Index: i, Scale: 4}, nil), v)), hits)
	TESTQ(hits, hits)
	JNZ(LabelRef("found"))
	ADDQ(U32(w.floats()), i)
	JMP(LabelRef("loop"))
	Label("rest")
	TESTQ(left, left)
	JZ(LabelRef("none"))
	m := w.first(left)
	MOVQ(w.bits(test(w.load(Mem{Base: from, Index: i, Scale: 4}, &m), v)), hits)
	ones := GP64()
	MOVQ(I32(-1), ones)
	BZHIQ(left, ones, ones)
	ANDQ(ones, hits)
	JNZ(LabelRef("found"))
	Label("none")
	MOVQ(I32(-1), i)
	Store(i, ReturnIndex(0))
	end()
	Label("found")
	TZCNTQ(hits, hits)
	ADDQ(hits, i)
	Store(i, ReturnIndex(0))
	end()
}
