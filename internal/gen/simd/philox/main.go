// Command philox writes Philox4x32-10 of package tensor/internal/philox for processors with AVX2. Like the command in
// the parent folder, it is run with go generate.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A lane of 64 bits has one word of a counter in its lower half. Products of lanes have both halves; what is in the
// upper half of a word is never used.

const groups = 2 // of four counters, so that one computes while the other waits

func main() {
	ConstraintExpr("amd64")
	TEXT("wordsAVX2", NOSPLIT, "func(out *uint32, counters int, seed, counter uint64, third uint32)")
	Pragma("noescape")
	Doc("wordsAVX2 writes the four words of each of some counters, a multiple of 8.")
	out, n, low, high, third := GP64(), GP64(), GP64(), GP64(), GP32()
	Load(Param("out"), out)
	Load(Param("counters"), n)
	Load(Param("seed"), low)
	MOVQ(low, high)
	SHRQ(U8(32), high)
	Load(Param("third"), third)
	next, keys := YMM(), [2]reg.VecVirtual{YMM(), YMM()}
	counter, err := Param("counter").Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTQ(counter.Addr, next)
	VPADDQ(constant("first", 0, 1, 2, 3), next, next)

	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	everywhere(low.As32(), keys[0])
	everywhere(high.As32(), keys[1])
	var words [groups][4]reg.VecVirtual
	for g := range words {
		w := &words[g]
		for i := range w {
			w[i] = YMM()
		}
		VMOVDQU(next, w[0])
		VPSRLQ(U8(32), next, w[1])
		everywhere(third, w[2])
		VPXOR(w[3], w[3], w[3])
		VPADDQ(constant("four", 4, 4, 4, 4), next, next)
	}
	for range 10 {
		for g := range words {
			round(&words[g], keys)
		}
		VPADDD(constant("golden", 0x9E3779B9, 0x9E3779B9, 0x9E3779B9, 0x9E3779B9), keys[0], keys[0])
		VPADDD(constant("root", 0xBB67AE85, 0xBB67AE85, 0xBB67AE85, 0xBB67AE85), keys[1], keys[1])
	}
	for g := range words {
		store(&words[g], Mem{Base: out, Disp: 64 * g})
	}
	ADDQ(U32(64*groups), out)
	SUBQ(U32(4*groups), n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
	Generate()
}

// round replaces the words of four counters.
func round(w *[4]reg.VecVirtual, keys [2]reg.VecVirtual) {
	p, q := YMM(), YMM()
	VPMULUDQ(constant("m0", 0xD2511F53, 0xD2511F53, 0xD2511F53, 0xD2511F53), w[0], p)
	VPMULUDQ(constant("m1", 0xCD9E8D57, 0xCD9E8D57, 0xCD9E8D57, 0xCD9E8D57), w[2], q)
	VPXOR(keys[0], w[1], w[0])
	VPSRLQ(U8(32), q, w[1])
	VPXOR(w[1], w[0], w[0])
	VPXOR(keys[1], w[3], w[2])
	VPSRLQ(U8(32), p, w[3])
	VPXOR(w[3], w[2], w[2])
	w[1], w[3] = q, p
}

// store writes the words of four counters side by side.
func store(w *[4]reg.VecVirtual, to Mem) {
	for i := 0; i < 4; i += 2 { // two words in each lane
		VPSLLQ(U8(32), w[i+1], w[i+1])
		VPBLENDD(U8(0xaa), w[i+1], w[i], w[i])
	}
	even, odd, both := YMM(), YMM(), YMM()
	VPUNPCKLQDQ(w[2], w[0], even)
	VPUNPCKHQDQ(w[2], w[0], odd)
	VPERM2I128(U8(0x20), odd, even, both)
	VMOVDQU(both, to)
	VPERM2I128(U8(0x31), odd, even, both)
	VMOVDQU(both, to.Offset(32))
}

var constants = map[string]Mem{}

// constant is four lanes in memory.
func constant(name string, lanes ...uint64) Mem {
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i, lane := range lanes {
			DATA(8*i, U64(lane))
		}
		constants[name] = m
	}
	return m
}

// everywhere copies a word to every half lane.
func everywhere(word reg.Register, to reg.VecVirtual) {
	VMOVD(word, to.AsX())
	VPBROADCASTD(to.AsX(), to)
}
