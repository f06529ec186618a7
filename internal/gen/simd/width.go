package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/gorocm/gorocm/internal/gen/simd/vex"
)

// vectors is an instruction set by the bytes of its vectors. Its methods hide what differs between the two: masks are
// vectors in AVX2 and registers of their own in AVX-512.
type vectors struct {
	name   string
	bytes  int
	stream bool // results go past the caches, to addresses that are multiples of bytes
}

// width is an instruction set with the functions that are written for it.
type width struct{ vectors }

func (w vectors) wide() bool  { return w.bytes == 64 }
func (w vectors) floats() int { return w.bytes / 4 }
func (w vectors) doubles() int {
	return w.bytes / 8
}

func (w vectors) vec() reg.VecVirtual {
	if w.wide() {
		return ZMM()
	}
	return YMM()
}

// half is a register for half as many bytes: the floats that become a vector of doubles.
func (w vectors) half() reg.VecVirtual {
	if w.wide() {
		return YMM()
	}
	return XMM()
}

// function begins a function of this width.
func (w vectors) function(name, signature, doc string) {
	TEXT(name+w.name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(name + w.name + " " + doc)
}

// end returns from a function that used vectors.
func end() {
	VZEROUPPER()
	RET()
}

var constants = map[string]Mem{}

// constant is a vector of the same float everywhere, which broadcast makes as long as AVX-512 has them.
func constant(x float32) Mem { return constantBits(math.Float32bits(x)) }

func constantBits(bits uint32) Mem {
	name := fmt.Sprintf("all_%08x", bits)
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(bits))
		}
		constants[name] = m
	}
	return m
}

// all returns a register that holds the same float everywhere.
func (w vectors) all(x float32) reg.VecVirtual {
	v := w.vec()
	VMOVUPS(constant(x), v)
	return v
}

func (w vectors) allBits(bits uint32) reg.VecVirtual {
	v := w.vec()
	VMOVUPS(constantBits(bits), v)
	return v
}

func (w vectors) zero() reg.VecVirtual {
	v := w.vec()
	if w.wide() {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
	return v
}

// mask selects the first elements of a vector.
type mask struct {
	k reg.Register // AVX-512
	v reg.VecVirtual
}

// ramp has ones, then zeros: read from the right offset it is the mask for n elements.
func ramp() Mem {
	m, ok := constants["ramp"]
	if !ok {
		m = GLOBL("ramp", RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(uint32(0xffffffff)*uint32(1-i/8)))
		}
		constants["ramp"] = m
	}
	return m
}

// first returns the mask of the first n elements; n is less than a vector holds. n is kept.
func (w vectors) first(n reg.GPVirtual) mask {
	t := GP64()
	if w.wide() {
		k := K()
		MOVL(I32(-1), t.As32())
		BZHIL(n.As32(), t.As32(), t.As32())
		KMOVW(t.As32(), k)
		return mask{k: k}
	}
	v := w.vec()
	base := Mem{Base: GP64()}
	LEAQ(ramp(), base.Base)
	MOVQ(n, t)
	NEGQ(t)
	VMOVUPS(base.Offset(32).Idx(t, 4), v)
	return mask{v: v}
}

// load reads a vector, or the part of it that m selects, with zeros for the rest.
func (w vectors) load(from Mem, m *mask) reg.VecVirtual {
	v := w.vec()
	switch {
	case m == nil:
		VMOVUPS(from, v)
	case w.wide():
		VMOVUPS_Z(from, m.k, v)
	default:
		VMASKMOVPS(from, m.v, v)
	}
	return v
}

func (w vectors) store(v reg.VecVirtual, to Mem, m *mask) {
	switch {
	case m == nil && w.stream:
		VMOVNTPS(v, to)
	case m == nil:
		VMOVUPS(v, to)
	case w.wide():
		VMOVUPS(v, m.k, to)
	default:
		VMASKMOVPS(v, m.v, to)
	}
}

// keep sets the elements that m does not select to zero.
func (w vectors) keep(v reg.VecVirtual, m *mask) {
	switch {
	case m == nil:
	case w.wide():
		VMOVUPS_Z(v, m.k, v)
	default:
		VANDPS(v, m.v, v)
	}
}

// The predicates of comparisons: ordered, without signals.
const (
	equal       = 0x00
	less        = 0x11
	atMost      = 0x12
	unordered   = 0x03
	ordered     = 0x07
	unequal     = 0x04
	notAtLeast  = 0x19 // or unordered
	atLeast     = 0x1d
	greaterThan = 0x1e
)

// compare returns the mask of the elements for which x is to y what the predicate says.
func (w vectors) compare(predicate int, x, y Op) mask {
	if w.wide() {
		k := K()
		VCMPPS(U8(predicate), y, x, k)
		return mask{k: k}
	}
	v := w.vec()
	VCMPPS(U8(predicate), y, x, v)
	return mask{v: v}
}

// choose returns yes where m is set and no elsewhere.
func (w vectors) choose(m mask, yes, no Op) reg.VecVirtual {
	v := w.vec()
	if w.wide() {
		VBLENDMPS(yes, no, m.k, v)
	} else {
		VBLENDVPS(m.v, yes, no, v)
	}
	return v
}

// negative returns the mask of the elements whose sign is set.
func (w vectors) negative(x reg.VecVirtual) mask {
	m := mask{v: x}
	if w.wide() {
		m.k = K()
		VPMOVD2M(x, m.k)
	}
	return m
}

// bits returns the elements of a mask as the bits of an integer.
func (w vectors) bits(m mask) reg.GPVirtual {
	r := GP64()
	if w.wide() {
		KMOVW(m.k, r.As32())
	} else {
		VMOVMSKPS(m.v, r.As32())
	}
	return r
}

// broadcast spreads a float parameter.
func (w vectors) broadcast(param string) reg.VecVirtual {
	x, v := XMM(), w.vec()
	vex.Load(Param(param), x)
	VBROADCASTSS(x, v)
	return v
}

// broadcastBits spreads an integer parameter of 4 bytes.
func (w vectors) broadcastBits(param string) reg.VecVirtual {
	x, v := XMM(), w.vec()
	VMOVD(Load(Param(param), GP32()), x)
	VPBROADCASTD(x, v)
	return v
}

func (w vectors) broadcastDouble(param string) reg.VecVirtual {
	x, v := XMM(), w.vec()
	vex.Load(Param(param), x)
	VBROADCASTSD(x, v)
	return v
}

// each walks the elements of slices side by side, n of them: unroll vectors at a time, then one, then what is left
// under a mask. body is given where to read and write.
func (w vectors) each(label string, n reg.GPVirtual, unroll int, slices []reg.Register, body func(at []Mem, m *mask)) {
	i := GP64()
	XORQ(i, i)
	places := func(vector int) []Mem {
		at := make([]Mem, len(slices))
		for k, s := range slices {
			at[k] = Mem{Base: s, Index: i, Scale: 4, Disp: vector * w.bytes}
		}
		return at
	}
	for _, many := range []int{unroll, 1} {
		name := fmt.Sprintf("%s%d", label, many)
		left := GP64()
		Label(name)
		MOVQ(n, left)
		SUBQ(i, left)
		CMPQ(left, U32(many*w.floats()))
		JLT(LabelRef(name + "end"))
		for v := range many {
			body(places(v), nil)
		}
		ADDQ(U32(many*w.floats()), i)
		JMP(LabelRef(name))
		Label(name + "end")
		if unroll == 1 {
			break
		}
	}
	rest := GP64()
	MOVQ(n, rest)
	SUBQ(i, rest)
	JZ(LabelRef(label + "done"))
	m := w.first(rest)
	body(places(0), &m)
	Label(label + "done")
}

// slice loads the base of a slice parameter.
func slice(param string) reg.Register { return Load(Param(param).Base(), GP64()) }

func length(param string) reg.GPVirtual {
	n := GP64()
	Load(Param(param).Len(), n)
	return n
}
