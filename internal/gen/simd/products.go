package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/gorocm/gorocm/internal/gen/simd/vex"
)

// A tile of a product has tileRows rows and two vectors of columns.
const tileRows = 8

func products(w width) {
	w.tile(element{"tile", "float32", 2, VBROADCASTSS, VFMADD231PS, VADDPS})
	w.tile(element{"tileDoubles", "float64", 3, VBROADCASTSD, VFMADD231PD, VADDPD})
	w.transpose()
	w.dot()
	w.addScaled()
	w.sumRows()
}

// element is what a tile function has of the type of its elements.
type element struct {
	function, name    string
	shift             uint8 // of an index
	broadcast         func(...Op)
	multiplyAdd, plus func(...Op)
}

// tile multiplies tileRows rows of A by rows of B, which begin at b[at[0]], b[at[1]], …, and which may overlap, as
// those of a convolution do.
func (w width) tile(e element) {
	w.function(e.function, "(c, a, b []"+e.name+", at []int32, stride, down, along int, add bool)",
		"sets a tile of C, whose rows are stride apart, to A times B, or adds that to it. Elements of A are down and along apart.")
	columns := tileRows // rows at a time: as many as there are registers for
	if !w.wide() {
		columns = tileRows / 2
	}
	bytes := func(param string) reg.GPVirtual {
		r := GP64()
		Load(Param(param), r)
		SHLQ(U8(e.shift), r)
		return r
	}
	stride, down, along := bytes("stride"), bytes("down"), bytes("along")
	three := GP64()
	LEAQ(Mem{Base: down, Index: down, Scale: 2}, three)
	c, a := slice("c"), slice("a")
	for first := 0; first < tileRows; first += columns {
		label := func(s string) string { return s + string(rune('0'+first)) }
		b, at, n := slice("b"), slice("at"), length("at")
		fours := []reg.Register{GP64(), GP64()}[:columns/4] // every fourth row of A
		for _, row := range fours {
			MOVQ(a, row)
			LEAQ(Mem{Base: a, Index: down, Scale: 4}, a)
		}
		sums := make([][2]reg.VecVirtual, columns)
		for r := range sums {
			sums[r] = [2]reg.VecVirtual{w.zero(), w.zero()}
		}
		step := func(k int) {
			offset := GP64()
			MOVLQSX(Mem{Base: at, Disp: 4 * k}, offset)
			row := Mem{Base: b, Index: offset, Scale: 1 << e.shift}
			low, high := w.load(row, nil), w.load(row.Offset(w.bytes), nil)
			for r := range sums {
				m := Mem{Base: fours[r/4]}
				x := w.vec()
				e.broadcast([]Mem{m, m.Idx(down, 1), m.Idx(down, 2), m.Idx(three, 1)}[r%4], x)
				e.multiplyAdd(low, x, sums[r][0])
				e.multiplyAdd(high, x, sums[r][1])
			}
			for _, row := range fours {
				ADDQ(along, row)
			}
		}
		const unroll = 4
		Label(label("loop"))
		CMPQ(n, U32(unroll))
		JLT(LabelRef(label("one")))
		for k := range unroll {
			step(k)
		}
		ADDQ(U32(4*unroll), at)
		SUBQ(U32(unroll), n)
		JMP(LabelRef(label("loop")))
		Label(label("one"))
		TESTQ(n, n)
		JZ(LabelRef(label("summed")))
		step(0)
		ADDQ(U32(4), at)
		DECQ(n)
		JMP(LabelRef(label("one")))
		Label(label("summed"))
		w.storeTile(e, sums, c, stride, first, label)
	}
	end()
}

// storeTile writes rows of a tile, from row first on, to c, or adds them to what is there. c then is the row after
// them.
func (w width) storeTile(e element, sums [][2]reg.VecVirtual, c reg.Register, stride reg.GPVirtual, first int,
	label func(string) string) {
	add := Load(Param("add"), GP8())
	TESTB(add, add)
	row := GP64()
	MOVQ(c, row)
	JZ(LabelRef(label("store")))
	for r := range sums {
		for v := range 2 {
			e.plus(Mem{Base: row, Disp: v * w.bytes}, sums[r][v], sums[r][v])
		}
		if r < len(sums)-1 {
			ADDQ(stride, row)
		}
	}
	Label(label("store"))
	for r := range sums {
		for v := range 2 {
			w.store(sums[r][v], Mem{Base: c, Disp: v * w.bytes}, nil)
		}
		if first+r < tileRows-1 {
			ADDQ(stride, c)
		}
	}
}

// transpose works on blocks of 8 × 8, whatever the vectors.
func (w width) transpose() {
	if w.wide() {
		return
	}
	w.function("transpose", "(out, x []float32, outStride, stride, n int)",
		"copies 8 rows of n elements, which are stride apart, to n rows of 8 elements, which are outStride apart.")
	out, x, n := slice("out"), slice("x"), GP64()
	Load(Param("n"), n)
	strides := func(param string) func(base reg.Register) []Mem { // of 8 rows
		s, far := GP64(), GP64()
		Load(Param(param), s)
		SHLQ(U8(2), s)
		three := GP64()
		LEAQ(Mem{Base: s, Index: s, Scale: 2}, three)
		return func(base reg.Register) []Mem {
			LEAQ(Mem{Base: base, Index: s, Scale: 4}, far)
			var rows []Mem
			for _, b := range []reg.Register{base, far} {
				m := Mem{Base: b}
				rows = append(rows, m, m.Idx(s, 1), m.Idx(s, 2), m.Idx(three, 1))
			}
			return rows
		}
	}
	from, to := strides("stride"), strides("outStride")
	step := GP64()
	Load(Param("outStride"), step)
	SHLQ(U8(5), step)
	Label("loop")
	CMPQ(n, U32(8))
	JLT(LabelRef("rest"))
	r := make([]reg.VecVirtual, 8)
	t := make([]reg.VecVirtual, 8)
	for i, m := range from(x) {
		r[i], t[i] = YMM(), YMM()
		VMOVUPS(m, r[i])
	}
	for i := 0; i < 8; i += 2 { // pairs: a0 b0 a1 b1, a2 b2 a3 b3
		VUNPCKLPS(r[i+1], r[i], t[i])
		VUNPCKHPS(r[i+1], r[i], t[i+1])
	}
	for i := 0; i < 8; i += 4 { // fours
		VUNPCKLPD(t[i+2], t[i], r[i])
		VUNPCKHPD(t[i+2], t[i], r[i+1])
		VUNPCKLPD(t[i+3], t[i+1], r[i+2])
		VUNPCKHPD(t[i+3], t[i+1], r[i+3])
	}
	for i := range 4 {
		VPERM2F128(U8(0x20), r[i+4], r[i], t[i])
		VPERM2F128(U8(0x31), r[i+4], r[i], t[i+4])
	}
	for i, m := range to(out) {
		VMOVUPS(t[i], m)
	}
	ADDQ(step, out)
	ADDQ(U32(32), x)
	SUBQ(U32(8), n)
	JMP(LabelRef("loop"))
	Label("rest")
	SHRQ(U8(3), step)
	Label("one")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	v := GP64()
	for i, m := range from(x) {
		MOVL(m, v.As32())
		MOVL(v.As32(), Mem{Base: out, Disp: 4 * i})
	}
	ADDQ(step, out)
	ADDQ(U32(4), x)
	DECQ(n)
	JMP(LabelRef("one"))
	Label("done")
	end()
}

func (w width) dot() {
	w.function("dot", "(x, y []float32) float32", "returns the sum of x * y, as long as x.")
	n, x, y := length("x"), slice("x"), slice("y")
	const unroll = 4
	sums := make([]reg.VecVirtual, unroll)
	for i := range sums {
		sums[i] = w.zero()
	}
	Label("loop")
	CMPQ(n, U32(unroll*w.floats()))
	JLT(LabelRef("one"))
	for i, s := range sums {
		VFMADD231PS(Mem{Base: y, Disp: i * w.bytes}, w.load(Mem{Base: x, Disp: i * w.bytes}, nil), s)
	}
	ADDQ(U32(unroll*w.bytes), x)
	ADDQ(U32(unroll*w.bytes), y)
	SUBQ(U32(unroll*w.floats()), n)
	JMP(LabelRef("loop"))
	Label("one")
	CMPQ(n, U32(w.floats()))
	JLT(LabelRef("rest"))
	VFMADD231PS(Mem{Base: y}, w.load(Mem{Base: x}, nil), sums[0])
	ADDQ(U32(w.bytes), x)
	ADDQ(U32(w.bytes), y)
	SUBQ(U32(w.floats()), n)
	JMP(LabelRef("one"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("fold"))
	m := w.first(n)
	VFMADD231PS(w.load(Mem{Base: y}, &m), w.load(Mem{Base: x}, &m), sums[1])
	Label("fold")
	VADDPS(sums[1], sums[0], sums[0])
	VADDPS(sums[3], sums[2], sums[2])
	VADDPS(sums[2], sums[0], sums[0])
	s, high := sums[0], XMM()
	if w.wide() {
		part := YMM()
		VEXTRACTF32X8(U8(1), s, part)
		VADDPS(part, s.AsY(), s.AsY())
	}
	VEXTRACTF128(U8(1), s.AsY(), high)
	VADDPS(high, s.AsX(), s.AsX())
	VPERMILPS(U8(0x4e), s.AsX(), high)
	VADDPS(high, s.AsX(), s.AsX())
	VPERMILPS(U8(0xb1), s.AsX(), high)
	VADDSS(high, s.AsX(), s.AsX())
	vex.Store(s.AsX(), ReturnIndex(0))
	end()
}

func (w width) addScaled() {
	w.function("addScaled", "(sums, x []float32, stride int, factors *[4]float32)",
		"adds four rows of x, which are stride apart, times factors to sums.")
	n, to, from, stride, three, factors := length("sums"), slice("sums"), slice("x"), GP64(), GP64(), GP64()
	Load(Param("stride"), stride)
	SHLQ(U8(2), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	Load(Param("factors"), factors)
	f := make([]reg.VecVirtual, 4)
	for i := range f {
		f[i] = w.vec()
		VBROADCASTSS(Mem{Base: factors, Disp: 4 * i}, f[i])
	}
	rows := func(disp int) []Mem {
		m := Mem{Base: from, Disp: disp}
		return []Mem{m, m.Idx(stride, 1), m.Idx(stride, 2), m.Idx(three, 1)}
	}
	const unroll = 4
	Label("loop")
	CMPQ(n, U32(unroll*w.floats()))
	JLT(LabelRef("one"))
	for v := range unroll {
		s := w.load(Mem{Base: to, Disp: v * w.bytes}, nil)
		for i, m := range rows(v * w.bytes) {
			VFMADD231PS(m, f[i], s)
		}
		w.store(s, Mem{Base: to, Disp: v * w.bytes}, nil)
	}
	ADDQ(U32(unroll*w.bytes), to)
	ADDQ(U32(unroll*w.bytes), from)
	SUBQ(U32(unroll*w.floats()), n)
	JMP(LabelRef("loop"))
	Label("one")
	CMPQ(n, U32(w.floats()))
	JLT(LabelRef("rest"))
	s := w.load(Mem{Base: to}, nil)
	for i, m := range rows(0) {
		VFMADD231PS(m, f[i], s)
	}
	w.store(s, Mem{Base: to}, nil)
	ADDQ(U32(w.bytes), to)
	ADDQ(U32(w.bytes), from)
	SUBQ(U32(w.floats()), n)
	JMP(LabelRef("one"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	m := w.first(n)
	s = w.load(Mem{Base: to}, &m)
	for i, at := range rows(0) {
		VFMADD231PS(w.load(at, &m), f[i], s)
	}
	w.store(s, Mem{Base: to}, &m)
	Label("done")
	end()
}

func (w width) sumRows() {
	w.function("sumRows", "(out, x []float32, at []int32, factors []float32)",
		"sets out to the sum of rows of x, which begin at at, each times its factor.")
	taps, places, factors, x := length("at"), slice("at"), slice("factors"), slice("x")
	n, out := length("out"), slice("out")
	const many = 4 // sums that do not wait for each other
	Label("many")
	CMPQ(n, U32(many*w.floats()))
	JLT(LabelRef("few"))
	sums := make([]reg.VecVirtual, many)
	for i := range sums {
		sums[i] = w.zero()
	}
	k, offset, factor := GP64(), GP64(), w.vec()
	XORQ(k, k)
	Label("taps")
	MOVLQSX(Mem{Base: places, Index: k, Scale: 4}, offset)
	VBROADCASTSS(Mem{Base: factors, Index: k, Scale: 4}, factor)
	for i, s := range sums {
		VFMADD231PS(Mem{Base: x, Index: offset, Scale: 4, Disp: i * w.bytes}, factor, s)
	}
	INCQ(k)
	CMPQ(k, taps)
	JLT(LabelRef("taps"))
	for i, s := range sums {
		w.store(s, Mem{Base: out, Disp: i * w.bytes}, nil)
	}
	ADDQ(U32(many*w.bytes), out)
	ADDQ(U32(many*w.bytes), x)
	SUBQ(U32(many*w.floats()), n)
	JMP(LabelRef("many"))
	Label("few")
	number := 0
	w.each("loop", n, 1, []reg.Register{out}, func(to []Mem, m *mask) {
		label := "tap" + string(rune('0'+number))
		number++
		from, k, offset, sum, factor := GP64(), GP64(), GP64(), w.zero(), w.vec()
		LEAQ(Mem{Base: x, Index: to[0].Index, Scale: 4}, from)
		XORQ(k, k)
		Label(label)
		MOVLQSX(Mem{Base: places, Index: k, Scale: 4}, offset)
		VBROADCASTSS(Mem{Base: factors, Index: k, Scale: 4}, factor)
		row := Mem{Base: from, Index: offset, Scale: 4}
		if m == nil {
			VFMADD231PS(row, factor, sum)
		} else {
			VFMADD231PS(w.load(row, m), factor, sum)
		}
		INCQ(k)
		CMPQ(k, taps)
		JLT(LabelRef(label))
		w.store(sum, to[0], m)
	})
	end()
}
