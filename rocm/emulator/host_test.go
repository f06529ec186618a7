package emulator

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator/internal/hostcode"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// awkward are values of which arithmetic goes wrong first.
var awkward = []uint32{0, 1, 2, 31, 32, 33, 63, 0x7f, 0xff, 0xffff, 0x10000, 0x7fffff, 0x800000, 0x7fffffff, 0x80000000,
	0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7fa00000,
	0x00000001, 0x807fffff, 0x7f7fffff, 0x4f000000, 0x4f800000, 0x33800000, 0xc2c80000, 0x3fb504f3}

func anyWord(r *rand.Rand) uint32 {
	switch r.IntN(4) {
	case 0:
		return awkward[r.IntN(len(awkward))]
	case 1:
		return bf(float32(r.NormFloat64() * 100))
	}
	return r.Uint32()
}

func ordinaryFloat(r *rand.Rand) uint32 { return bf(float32(r.NormFloat64() * 100)) }

// Random registers and operands. Registers are few, so that results are used again.

func anyVector(r *rand.Rand) uint32 { return uint32(r.IntN(9)) }

func anyScalar(r *rand.Rand) uint32 {
	switch r.IntN(12) {
	case 0:
		return sVCC
	case 1:
		return sExec
	}
	return uint32(r.IntN(12))
}

func anySource(r *rand.Rand) uint32 {
	switch r.IntN(10) {
	case 0:
		return anyScalar(r)
	case 1:
		return uint32(128 + r.IntN(81))
	case 2:
		return uint32(240 + r.IntN(9))
	case 3:
		return 255
	}
	return 256 + anyVector(r)
}

// longForm is the encoding with three operands and modifiers of a vector instruction.
func longForm(r *rand.Rand, op uint32) []uint32 {
	var sources [3]uint32
	var literal []uint32
	for k := range sources {
		if sources[k] = anySource(r); sources[k] == 255 {
			literal = []uint32{anyWord(r)}
		}
	}
	w0, w1 := 0xd4000000|op<<16|anyVector(r), sources[0]|sources[1]<<9|sources[2]<<18
	if r.IntN(3) == 0 {
		w0, w1 = w0|uint32(r.IntN(8))<<8, w1|uint32(r.IntN(8))<<29
	} else if vop3b[int(op)] || op < 256 {
		w0 |= []uint32{anyScalar(r), sNull}[r.IntN(2)] << 8
		if op < 256 {
			w0 = 0xd4000000 | op<<16 | anyScalar(r)
		}
	}
	return append([]uint32{w0, w1}, literal...)
}

// anyInstruction is the encoding of a random instruction that needs no memory.
func anyInstruction(r *rand.Rand) []uint32 {
	v, s, src := func() uint32 { return anyVector(r) }, func() uint32 { return anyScalar(r) },
		func() uint32 { return anySource(r) }
	scalar := func() uint32 {
		switch r.IntN(6) {
		case 0:
			return uint32(128 + r.IntN(81))
		case 1:
			return 255
		case 2:
			return uint32(251 + r.IntN(3))
		}
		return s()
	}
	literal := anyWord(r)
	switch r.IntN(9) {
	case 8:
		if r.IntN(2) == 0 { // ds_bpermute_b32
			return []uint32{0xdacc0000 | uint32(r.IntN(3))*uint32(r.IntN(1<<16)), v() | v()<<8 | v()<<24}
		}
		return []uint32{0xcc200000 | v() | uint32(r.IntN(16))<<11 | uint32(r.IntN(8))<<8, src() | src()<<9 | src()<<18 | uint32(r.IntN(4))<<27 | uint32(r.IntN(8))<<29, literal}
	case 0:
		return []uint32{0x7e000000 | v()<<17 | uint32(r.IntN(128))<<9 | src(), literal}
	case 1:
		return []uint32{uint32(r.IntN(62))<<25 | v()<<17 | v()<<9 | src(), literal}
	case 2:
		return []uint32{0x7c000000 | uint32(r.IntN(256))<<17 | v()<<9 | src(), literal}
	case 3:
		return longForm(r, []uint32{uint32(r.IntN(1024)), uint32(512 + r.IntN(120)), uint32(764 + r.IntN(105))}[r.IntN(3)])
	case 4:
		most := 54
		if testArch == GFX1200 {
			most = 86
		}
		return []uint32{0x80000000 | uint32(r.IntN(most))<<23 | s()<<16 | scalar()<<8 | scalar(), literal}
	case 5:
		return []uint32{0xbe800000 | s()<<16 | uint32(r.IntN(64))<<8 | scalar(), literal}
	case 6:
		if r.IntN(2) == 0 {
			return []uint32{0xb0000000 | uint32(r.IntN(17))<<23 | s()<<16 | r.Uint32()&0xffff}
		}
		return []uint32{0xbf000000 | uint32(r.IntN(18))<<16 | scalar()<<8 | scalar(), literal}
	}
	x, y := uint32(r.IntN(14)), uint32(r.IntN(19))
	dx := v()
	return []uint32{0xc8000000 | x<<22 | y<<17 | src() | v()<<9, src() | v()<<9 | (v()&^1|dx&1^1)>>1<<17 | dx<<24, literal}
}

// translated returns the first instruction of some words if it would be translated.
func translated(words []uint32) (*inst, bool) {
	f, err := decodeWords(words...)
	if err != nil || len(f.code) == 1 {
		return nil, false
	}
	h := f.code[0].forHost()
	return &f.code[0], h.Name != "" && hostcode.Translates(&h, &hostLayout)
}

// TestHostCode executes random instructions by the interpreter and by code of the host, which leave the same in all
// registers.
func TestHostCode(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	rounds := 1000
	if thorough.On() {
		rounds = 20000
	}
	for round := range rounds {
		var words []uint32
		for n := 1 + r.IntN(10); n > 0; {
			x := anyInstruction(r)
			if in, ok := translated(x); ok {
				seen[in.name]++
				words = append(words, x[:in.next/4]...)
				n--
			}
		}
		hostRound(t, r, words, round%4 == 0)
	}
	t.Logf("%d kinds of instructions", len(seen))
	if len(seen) < 300 {
		t.Error("too few")
	}
}

// TestHostModifiers does the same for each instruction that has an encoding with modifiers, behind another.
func TestHostModifiers(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(5, 6))
	rounds, kinds := 40, 0
	if thorough.On() {
		rounds = 300
	}
	for op := uint32(256); op < 1024; op++ {
		any := false
		for round := range rounds {
			x := longForm(r, op)
			in, ok := translated(x)
			if !ok {
				continue
			}
			any = true
			words := x[:in.next/4]
			if before := anyInstruction(r); r.IntN(2) == 0 {
				if in, ok := translated(before); ok {
					words = append(before[:in.next/4:in.next/4], words...)
				}
			}
			hostRound(t, r, words, round%2 == 0)
		}
		kinds += int(b2u(any))
	}
	t.Logf("%d kinds of instructions", kinds)
	if kinds < 90 {
		t.Error("too few")
	}
}

// hostRound executes instructions in both ways. With ordinary, all registers have floats that code of the host divides.
func hostRound(t *testing.T, r *rand.Rand, words []uint32, ordinary bool) {
	t.Helper()
	f, err := decodeWords(words...)
	if err != nil {
		t.Fatal(err)
	}
	var insts []hostcode.Inst
	for i := range f.code {
		insts = append(insts, f.code[i].forHost())
	}
	code := hostcode.Translate(insts, &hostLayout)
	if code == nil {
		t.Skip("no code for this host")
	}
	a := &wave{fn: f, code: f.code, denorm: 15, scc: r.IntN(2) == 0}
	word, vcc := anyWord, r.Uint32()
	if ordinary {
		word, vcc = ordinaryFloat, 0
	}
	for i := range 12 {
		for l := range a.v[i] {
			a.v[i][l] = word(r)
		}
		if r.IntN(4) == 0 {
			lane.Fill(&a.v[i], word(r))
		}
		a.s[i] = word(r)
	}
	a.s[sVCC], a.s[sExec] = vcc, []uint32{allLanes, allLanes, r.Uint32(), 0x00ff00ff, 0}[r.IntN(5)]
	b := new(wave)
	*b = *a
	b.host = code
	start := *a
	for i := range f.code[:len(f.code)-1] {
		a.pc++
		f.code[i].fn(a, &f.code[i])
	}
	for b.pc < len(f.code)-1 {
		if b.runHost() {
			t.Fatal("it halts")
		} else if b.pc == len(f.code)-1 {
			break
		}
		b.pc++
		b.count++
		f.code[b.pc-1].fn(b, &f.code[b.pc-1])
	}
	if b.pc != a.pc || int(b.count) != a.pc {
		t.Fatalf("code of the host stops at %d after %d instructions, and there are %d", b.pc, b.count, a.pc)
	}
	if what := differs(a, b); what != "" {
		for i := range insts {
			t.Logf("%s: %+v", f.code[i].name, insts[i])
		}
		t.Fatalf("%s; EXEC was %#x, VCC %#x, SCC %v, scalars %#x", what, start.s[sExec], start.s[sVCC], start.scc,
			start.s[:12])
	}
}

// TestHostExp2 compares 2 to the power of x with the interpreter's, for many values of f32.
func TestHostExp2(t *testing.T) {
	f, err := decodeWords(0x7e004b00) // v_exp_f32 v0, v0
	if err != nil {
		t.Fatal(err)
	}
	h := f.code[0].forHost()
	code := hostcode.Translate([]hostcode.Inst{h, {}}, &hostLayout)
	if code == nil {
		t.Skip("no code for this host")
	}
	step := uint64(8191)
	if thorough.On() {
		step = 127
	}
	left, sets := 0, 0
	a, b := new(wave), new(wave)
	b.host = code
	for u := uint64(0); u < 1<<32; u += step * waveSize {
		a.s[sExec], b.s[sExec], b.pc = allLanes, allLanes, 0
		for i := range waveSize {
			a.v[0][i] = uint32(u + uint64(i)*step)
		}
		b.v[0] = a.v[0]
		f.code[0].fn(a, &f.code[0])
		if b.runHost(); b.pc == 0 {
			left++
		} else if a.v[0] != b.v[0] {
			t.Fatalf("2 to the power of %x is %x, and %x by the host's code", u, a.v[0], b.v[0])
		}
		sets++
	}
	if left > sets/20 { // NaN, and what has denormal results
		t.Errorf("%d of %d sets of values were left to the interpreter", left, sets)
	}
}

// TestHostKernels repeats tests of kernels with all code translated after the first wave.
func TestHostKernels(t *testing.T) {
	thorough.Slow(t)
	defer func(n int) { hotAfter = n }(hotAfter)
	hotAfter = 0
	for name, test := range map[string]func(*testing.T){"WavesTakeTurns": TestWavesTakeTurns, "Interrupt": TestInterrupt,
		"Parallel": TestParallelLaunches, "Faults": TestMemoryFaults, "Sum": TestSum, "Softmax": TestSoftmax,
		"MatMul": TestMatMul, "Sort": TestSort, "CrossLane": TestCrossLane, "Calls": TestCalls, "Scan": TestScan,
		"Philox": TestPhilox, "Geometry": TestGeometry, "Random": TestRandomCode} {
		t.Run(name, test)
	}
}

func differs(a, b *wave) string {
	for i := range a.s {
		if i != sSink && i != sSink+1 && a.s[i] != b.s[i] {
			return fmt.Sprintf("s%d is %#x, and %#x by the host's code", i, a.s[i], b.s[i])
		}
	}
	if a.scc != b.scc {
		return fmt.Sprintf("SCC is %v, and %v by the host's code", a.scc, b.scc)
	}
	for i := range a.v {
		for l := range a.v[i] {
			if a.v[i][l] != b.v[i][l] {
				return fmt.Sprintf("lane %d of v%d is %#x, and %#x by the host's code", l, i, a.v[i][l], b.v[i][l])
			}
		}
	}
	return ""
}

// BenchmarkTranslate measures what translating a kernel costs, for each of its instructions.
func BenchmarkTranslate(b *testing.B) {
	d := newDevice(b, "kernels", 1)
	k, err := d.m.Kernel("matmul_f32")
	if err != nil {
		b.Fatal(err)
	}
	f, err := d.m.functionAt(k.entry, k.mode())
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		insts := make([]hostcode.Inst, len(f.code))
		for i := range insts {
			insts[i] = f.code[i].forHost()
		}
		hostcode.Translate(insts, &hostLayout)
		n += len(insts)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instruction")
}
