// Command blocks writes the products of packed blocks of package tensor/quant for processors with AVX2 and FMA. Like
// the command in the parent folder, it is run with go generate.
//
// Codes of a block are multiplied with those of the other operand as bytes, and added as whole numbers: 32 in a vector.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	dotQ4_0()
	dotQ8_0()
	dotQ45K(4)
	dotQ45K(5)
	dotQ6K()
	wide()
	tile()
	tileAVX2("tileAVX2", 4)
	tileAVX2("tileAVX2Wide", 2)
	tileAVX2("tileAVX2Bytes", 1)
	tileAVX2("tileAVX2Least", 0)
	floats()
	Generate()
}

const signature = "(out *float32, w *byte, q *int8, d *float32, sums *int16, blocks, rows int)"

// operands are the pointers of a function, which its loop moves on.
type operands struct{ w, q, d, sums, n reg.GPVirtual }

// function begins a function that multiplies rows of w, one after another, with one other operand. Constants come
// next, then row.
func function(name, doc string) operands {
	TEXT(name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(name + " sets out to the products of rows " + doc)
	o := operands{GP64(), GP64(), GP64(), GP64(), GP64()}
	Load(Param("w"), o.w)
	return o
}

// row begins a row.
func (o operands) row() {
	Label("row")
	Load(Param("q"), o.q)
	Load(Param("d"), o.d)
	Load(Param("sums"), o.sums)
	Load(Param("blocks"), o.n)
}

// argument is where an argument is.
func argument(name string) Mem {
	a, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return a.Addr
}

// loop does body for each block and moves the pointers on by so many bytes of w and elements of q.
func (o operands) loop(bytes, elements int, body func()) {
	Label("loop")
	TESTQ(o.n, o.n)
	JZ(LabelRef("done"))
	body()
	ADDQ(U32(uint32(bytes)), o.w)
	ADDQ(U32(uint32(elements)), o.q)
	ADDQ(U32(4), o.d)
	if elements == 256 {
		ADDQ(U32(32), o.sums)
	}
	DECQ(o.n)
	JMP(LabelRef("loop"))
	Label("done")
}

// finish writes the sum of the elements of a vector to out, and goes on with the next row.
func finish(sum reg.VecVirtual) {
	low, high, out := XMM(), XMM(), GP64()
	VEXTRACTF128(U8(1), sum, high)
	VADDPS(sum.AsX(), high, low)
	VHADDPS(low, low, low)
	VHADDPS(low, low, low)
	MOVQ(argument("out"), out)
	VMOVSS(low, Mem{Base: out})
	ADDQ(U32(4), argument("out"))
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func zero() reg.VecVirtual {
	v := YMM()
	VXORPS(v, v, v)
	return v
}

var constants = map[string]Mem{}

// bytes32 is a vector of bytes in memory.
func bytes32(name string, of func(i int) byte) Mem {
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 32 {
			DATA(i, U8(of(i)))
		}
		constants[name] = m
	}
	return m
}

func all(name string, b byte) reg.VecVirtual {
	v := YMM()
	VMOVDQU(bytes32(name, func(int) byte { return b }), v)
	return v
}

// ones are sixteen words of 1: a product with them adds neighbours.
func ones() reg.VecVirtual {
	v := YMM()
	VMOVDQU(bytes32("words_1", func(i int) byte { return byte(1 - i%2) }), v)
	return v
}

// scale is the product of a scale in half precision and that of the other operand, everywhere.
func (o operands) scale(half Mem) reg.VecVirtual {
	h, s, d := XMM(), YMM(), YMM()
	VPBROADCASTW(half, h)
	VCVTPH2PS(h, s)
	VBROADCASTSS(Mem{Base: o.d}, d)
	VMULPS(s, d, s)
	return s
}

// signed multiplies signed bytes and adds neighbouring words: eight whole numbers.
func signed(w, q, one reg.VecVirtual) reg.VecVirtual {
	size, other := YMM(), YMM()
	VPABSB(w, size)
	VPSIGNB(w, q, other)
	VPMADDUBSW(other, size, other)
	VPMADDWD(one, other, other)
	return other
}

func add(sum, whole, scale reg.VecVirtual) {
	VCVTDQ2PS(whole, whole)
	VFMADD231PS(whole, scale, sum)
}

func dotQ4_0() {
	o := function("dotQ4_0AVX2", "of Q4_0 blocks and rounded elements.")
	four, eight, one := all("bytes_0f", 0x0f), all("bytes_08", 8), ones()
	o.row()
	sum := zero()
	o.loop(18, 32, func() {
		w, q := YMM(), YMM()
		high := XMM()
		VMOVDQU(Mem{Base: o.w, Disp: 2}, w.AsX())
		VPSRLW(U8(4), w.AsX(), high)
		VINSERTI128(U8(1), high, w, w)
		VPAND(four, w, w)
		VPSUBB(eight, w, w)
		VMOVDQU(Mem{Base: o.q}, q)
		add(sum, signed(w, q, one), o.scale(Mem{Base: o.w}))
	})
	finish(sum)
}

func dotQ8_0() {
	o := function("dotQ8_0AVX2", "of Q8_0 blocks and rounded elements.")
	one := ones()
	o.row()
	sum := zero()
	o.loop(34, 32, func() {
		w, q := YMM(), YMM()
		VMOVDQU(Mem{Base: o.w, Disp: 2}, w)
		VMOVDQU(Mem{Base: o.q}, q)
		add(sum, signed(w, q, one), o.scale(Mem{Base: o.w}))
	})
	finish(sum)
}

// number is a register that holds v.
func number(v uint64) reg.GPVirtual {
	r := GP64()
	MOVQ(U64(v), r)
	return r
}

// scales6 reads the scales and the minima of the eight parts of a block of Q4K or Q5K, as words.
func (o operands) scales6(six, nibble, two reg.GPVirtual) (scales, minima reg.VecVirtual) {
	a, b, c, t := GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: o.w, Disp: 4}, a.As32())
	MOVL(Mem{Base: o.w, Disp: 8}, b.As32())
	MOVL(Mem{Base: o.w, Disp: 12}, c.As32())
	// eight bytes: six bits of x, then four of y and two that are on top in x
	six8 := func(x, y reg.GPVirtual) reg.VecVirtual {
		top := GP64()
		MOVQ(x, top)
		SHRQ(U8(6), top)
		ANDQ(two, top)
		SHLQ(U8(4), top)
		ANDQ(nibble, y)
		ORQ(y, top)
		SHLQ(U8(32), top)
		ANDQ(six, x)
		ORQ(top, x)
		v := XMM()
		VMOVQ(x, v)
		VPMOVZXBW(v, v)
		return v
	}
	MOVQ(c, t)
	SHRQ(U8(4), t)
	return six8(a, c), six8(b, t)
}

// minima adds the products of minima and sums to low.
func (o operands) minima(minima, low reg.VecVirtual) {
	sums := XMM()
	VMOVDQU(Mem{Base: o.sums}, sums)
	VPHADDW(Mem{Base: o.sums, Disp: 16}, sums, sums)
	VPMADDWD(minima, sums, sums)
	VCVTDQ2PS(sums, sums)
	VFMADD231PS(o.scale(Mem{Base: o.w, Disp: 2}).AsX(), sums, low.AsX())
}

// dotQ45K is for codes of four or five bits: scales and minima of eight parts become words; the codes of a part are
// multiplied, then the scale, all in whole numbers.
func dotQ45K(bits int) {
	name := "Q" + string(rune('0'+bits)) + "K"
	o := function("dot"+name+"AVX2", "of "+name+" blocks and rounded elements, whose sums of 16 are given too.")
	four := all("bytes_0f", 0x0f)
	first, bytes := 16, 144 // where codes begin; of a block
	if bits == 5 {
		first, bytes = 48, 176
	}
	six, nibble, two := number(0x3f3f3f3f), number(0x0f0f0f0f), number(0x03030303)
	o.row()
	sum, low := zero(), zero()
	o.loop(bytes, 256, func() {
		scales8, minima := o.scales6(six, nibble, two)
		scales := YMM()
		VINSERTI128(U8(1), scales8.AsX(), scales8.AsY(), scales)
		whole := zero()
		var fifth reg.VecVirtual
		if bits == 5 {
			fifth = YMM()
			VMOVDQU(Mem{Base: o.w, Disp: 16}, fifth)
		}
		for p := 0; p < 8; p += 2 {
			codes, upper := YMM(), YMM()
			VMOVDQU(Mem{Base: o.w, Disp: first + 16*p}, codes)
			VPSRLW(U8(4), codes, upper)
			for h, x := range []reg.VecVirtual{codes, upper} {
				k, s := p+h, YMM()
				VPAND(four, x, x)
				if bits == 5 {
					bit := YMM() // bit k of every byte, as bit 4
					if k < 4 {
						VPSLLW(U8(uint8(4-k)), fifth, bit)
					} else {
						VPSRLW(U8(uint8(k-4)), fifth, bit)
					}
					VPAND(bytes32("bytes_10", func(int) byte { return 0x10 }), bit, bit)
					VPOR(bit, x, x)
				}
				VPMADDUBSW(Mem{Base: o.q, Disp: 32 * k}, x, x)
				VPSHUFB(bytes32("word_"+string(rune('0'+k)), func(i int) byte { return byte(2*k + i%2) }), scales, s)
				VPMADDWD(s, x, x)
				VPADDD(x, whole, whole)
			}
		}
		add(sum, whole, o.scale(Mem{Base: o.w}))
		o.minima(minima, low)
	})
	VSUBPS(low, sum, sum)
	finish(sum)
}

// dotQ6K: codes are from 0 to 63, and 32 times the sums is subtracted at the end of a block.
func dotQ6K() {
	o := function("dotQ6KAVX2", "of Q6K blocks and rounded elements, whose sums of 16 are given too.")
	four, two := all("bytes_0f", 0x0f), all("bytes_30", 0x30)
	o.row()
	sum := zero()
	o.loop(210, 256, func() {
		scales := XMM()
		VMOVDQU(Mem{Base: o.w, Disp: 192}, scales)
		words := YMM()
		VPMOVSXBW(scales, words)
		less := YMM()
		VPMADDWD(Mem{Base: o.sums}, words, less)
		VPSLLD(U8(5), less, less)
		whole := zero()
		for n := range 2 {
			high := YMM()
			VMOVDQU(Mem{Base: o.w, Disp: 128 + 32*n}, high)
			for j := range 4 {
				codes, top, s := YMM(), YMM(), XMM()
				VMOVDQU(Mem{Base: o.w, Disp: 64*n + 32*(j%2)}, codes)
				if j > 1 {
					VPSRLW(U8(4), codes, codes)
				}
				VPAND(four, codes, codes)
				switch j {
				case 0:
					VPSLLW(U8(4), high, top)
				case 1:
					VPSLLW(U8(2), high, top)
				case 2:
					top = high
				case 3:
					VPSRLW(U8(2), high, top)
				}
				masked := YMM()
				VPAND(two, top, masked)
				VPOR(masked, codes, codes)
				part := 4*n + j
				VPMADDUBSW(Mem{Base: o.q, Disp: 32 * part}, codes, codes)
				VPSHUFB(bytes32("pair_"+string(rune('0'+part)), func(i int) byte { return byte(2*part + i%16/8) }),
					scales, s)
				factor := YMM()
				VPMOVSXBW(s, factor)
				VPMADDWD(factor, codes, codes)
				VPADDD(codes, whole, whole)
			}
		}
		VPSUBD(less, whole, whole)
		add(sum, whole, o.scale(Mem{Base: o.w, Disp: 208}))
	})
	finish(sum)
}
