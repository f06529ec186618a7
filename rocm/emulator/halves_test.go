package emulator

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"

	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// vector64 is a register of a wave of 64, by its lanes.
type vector64 [64]uint32

func vectorOf(f func(lane int) uint32) (v vector64) {
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// wideWave is a wave of 64 that is about to execute instructions which stand alone. v0 has 0xdead in all lanes, v1 ten times the lane, v2 what 320 is more
// than that, v3 is 1.
func wideWave(t *testing.T, exec uint64, words ...uint32) *wave {
	t.Helper()
	f, err := decodeWide(words...)
	if err != nil {
		t.Fatal(err)
	}
	w := &wave{worker: new(worker), fn: f, code: f.code, denorm: 15, upper: &wave{}}
	w.setPair(sExec, exec)
	w.setVector(0, vectorOf(func(int) uint32 { return 0xdead }))
	w.setVector(1, vectorOf(func(i int) uint32 { return uint32(10 * i) }))
	w.setVector(2, vectorOf(func(i int) uint32 { return uint32(320 - 10*i) }))
	w.setVector(3, vectorOf(func(int) uint32 { return 1 }))
	return w
}

// decodeWide is decodeWords for waves of 64.
func decodeWide(words ...uint32) (*function, error) {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	m := &Module{code: code, text: codeobject.Span{Addr: 0, Size: uint64(len(code))}}
	return m.decodeFunction("test", 0, uint64(len(code)), mode{wide: true})
}

func (w *wave) setVector(r int, v vector64) {
	copy(w.v[r][:], v[:32])
	copy(w.upper.v[r][:], v[32:])
}

func (w *wave) vector(r int) (v vector64) {
	copy(v[:32], w.v[r][:])
	copy(v[32:], w.upper.v[r][:])
	return v
}

func (w *wave) step() { w.code[0].fn(w, &w.code[0]) }

// masksOf64 are masks of lanes for tests: all, one half each, parts of both, none.
var masksOf64 = []uint64{1<<64 - 1, 0xffffffff, 0xffffffff << 32, 0x8000_0000_0000_0001, 0x00ff_00ff_ff00_ff0f, 0}

// TestWideResults executes instructions on waves of 64, lane by lane as their description says. The encodings are LLVM's.
func TestWideResults(t *testing.T) {
	const mask = 0x9234_5678_8765_4321
	bit := func(m uint64, i int) uint32 { return uint32(m >> i & 1) }
	tests := []struct {
		asm   string
		words []uint32
		reg   int // the result's
		lane  func(i int) uint32
	}{
		{"v_cndmask_b32 v0, v1, v2, vcc", []uint32{0x02000501}, 0, func(i int) uint32 { return uint32(10*i + int(bit(mask, i))*(320-20*i)) }},
		{"v_cndmask_b32 v0, s4, v2, s[4:5]", []uint32{0xd5010000, 0x00120404}, 0, func(i int) uint32 { // s4 as a number and as half of the mask
			if bit(mask, i) != 0 {
				return uint32(320 - 10*i)
			}
			return mask & 0xffffffff
		}},
		{"v_add_co_ci_u32 v0, vcc, v1, v2, vcc", []uint32{0x40000501}, 0, func(i int) uint32 { return 320 + bit(mask, i) }},
		{"v_add_co_ci_u32 v0, s[6:7], v1, v2, s[4:5]", []uint32{0xd5200600, 0x00120501}, 0, func(i int) uint32 { return 320 + bit(mask, i) }},
		{"v_mov_b32 v0, s6", []uint32{0x7e000206}, 0, func(int) uint32 { return 77 }},
		{"v_mbcnt_lo_u32_b32 v0, s4, v1", []uint32{0xd71f0000, 0x00020204}, 0, func(i int) uint32 {
			return uint32(10*i + bits.OnesCount64(mask&0xffffffff&(1<<i-1)))
		}},
		{"v_mbcnt_hi_u32_b32 v0, s5, v1", []uint32{0xd7200000, 0x00020205}, 0, func(i int) uint32 {
			return uint32(10*i + bits.OnesCount64(mask>>32<<32&(1<<i-1)))
		}},
		{"v_writelane_b32 v0, s6, 45", []uint32{0xd7610000, 0x00015a06}, 0, nil},
		{"v_permlane64_b32 v0, v1", []uint32{0x7e00cf01}, 0, func(i int) uint32 { return uint32(10 * (i ^ 32)) }},
		{"v_lshlrev_b64 v[0:1], v3, s[4:5], the upper word", []uint32{0xd73c0000, 0x00000903}, 1, func(int) uint32 { return uint32(mask >> 31 & 0xffffffff) }},
		{"v_xor3_b32 v0, s6, vcc_lo, v2", []uint32{0xd6400000, 0x0408d406}, 0, func(i int) uint32 { return 77 ^ (mask & 0xffffffff) ^ uint32(320-10*i) }},
		{"v_swap_b32 v0, v1", []uint32{0x7e00cb01}, 0, func(i int) uint32 { return uint32(10 * i) }},
	}
	for _, test := range tests {
		for _, exec := range masksOf64 {
			w := wideWave(t, exec, test.words...)
			w.setPair(4, mask)
			w.setPair(sVCC, mask)
			w.s[6] = 77
			old := w.vector(test.reg)
			w.step()
			for i, got := range w.vector(test.reg) {
				want := old[i]
				switch {
				case test.lane == nil && i == 45:
					want = 77
				case test.lane != nil && bit(exec, i) != 0:
					want = test.lane(i)
				}
				if got != want {
					t.Fatalf("%s with EXEC %#x: lane %d is %#x, want %#x", test.asm, exec, i, got, want)
				}
			}
		}
	}
	for i, asm := range []string{"v_mov_b32 v0, exec_lo", "v_mov_b32 v0, exec_hi"} {
		w := wideWave(t, 0x8000_0001_8000_0003, 0x7e00027e+uint32(i))
		w.step()
		if want := uint32(0x8000_0003 - 2*i); w.v[0][0] != want || w.upper.v[0][0] != want {
			t.Errorf("%s: %#x and %#x, want %#x", asm, w.v[0][0], w.upper.v[0][0], want)
		}
	}
}

// TestWideMasks executes instructions that write a bit for each of 64 lanes.
func TestWideMasks(t *testing.T) {
	less := func(i int) bool { return 10*uint32(i) < uint32(320-10*i) } // as unsigned numbers: v2 is large from lane 33 on
	tests := []struct {
		asm   string
		words []uint32
		reg   uint16
		lane  func(i int) bool
	}{
		{"v_cmp_lt_u32 vcc, v1, v2", []uint32{0x7c920501}, sVCC, less},
		{"v_cmp_lt_u32 s[4:5], v1, v2", []uint32{0xd4490004, 0x00020501}, 4, less},
		{"v_cmpx_lt_u32 v1, v2", []uint32{0x7d920501}, sExec, less},
		{"v_cmp_class_f32 s[4:5], v1, 0x40 (zero)", []uint32{0xd47e0004, 0x0001ff01, 0x40}, 4, func(i int) bool { return i == 0 }},
		{"v_add_co_u32 v0, vcc, v1, v2", []uint32{0xd7006a00, 0x00020501}, sVCC, func(i int) bool { return i > 32 }},
		{"v_mad_u64_u32 v[8:9], s[6:7], v1, v2, s[6:7]", []uint32{0xd6fe0608, 0x001a0501}, 6, func(i int) bool { return i > 32 }},
	}
	for _, test := range tests {
		for _, exec := range masksOf64 {
			w := wideWave(t, exec, test.words...)
			w.setPair(6, 1<<64-300) // what it is added to
			var want uint64
			for i := range 64 {
				if exec>>i&1 != 0 && test.lane(i) {
					want |= 1 << i
				}
			}
			if test.reg == 6 { // 64 bits carry where the product is 300 or more
				want = 0
				for i := range 64 {
					if p := uint64(10*i) * uint64(uint32(320-10*i)); exec>>i&1 != 0 && p >= 300 {
						want |= 1 << i
					}
				}
			}
			w.step()
			if got := w.pair(test.reg); got != want {
				t.Errorf("%s with EXEC %#x: %#x, want %#x", test.asm, exec, got, want)
			}
		}
	}
}

// TestWideDivFmas checks the instruction that reads VCC without saying so.
func TestWideDivFmas(t *testing.T) {
	const mask = 0xf0f0_0000_0000_0f0f
	w := wideWave(t, 1<<64-1, 0xd6370000, 0x040e0501) // v_div_fmas_f32 v0, v1, v2, v3
	w.setPair(sVCC, mask)
	for r, x := range []float32{1: 3, 2: 5, 3: 1} {
		w.setVector(r, vectorOf(func(int) uint32 { return bf(x) }))
	}
	w.step()
	for i, got := range w.vector(0) {
		if want := number.DivFmas32(3, 5, 1, uint64(mask)>>i&1 != 0); fb(got) != want {
			t.Fatalf("lane %d is %g, want %g", i, fb(got), want)
		}
	}
}

func TestWideScalars(t *testing.T) {
	const a, b = 0x00ff_0000_ffff_0000, 0x0f0f_0f0f_0000_000f
	for _, test := range []struct {
		asm       string
		word      uint32
		s8, exec  uint64
		condition bool
	}{
		{"s_and_saveexec_b64 s[8:9], vcc", 0xbe88216a, b, a & b, true},
		{"s_and_not1_wrexec_b64 s[8:9], s[4:5]", 0xbe883704, a &^ b, a &^ b, true},
		{"s_wqm_b64 s[8:9], s[4:5]", 0xbe881d04, 0x00ff_0000_ffff_0000, b, true},
		{"s_mov_b64 exec, s[4:5]", 0xbefe0104, 0, a, false},
	} {
		w := wideWave(t, b, test.word)
		w.setPair(4, a)
		w.setPair(sVCC, a)
		w.step()
		if w.pair(8) != test.s8 || w.pair(sExec) != test.exec || w.scc != test.condition {
			t.Errorf("%s: s[8:9] %#x, EXEC %#x, SCC %v", test.asm, w.pair(8), w.pair(sExec), w.scc)
		}
	}
	for _, exec := range masksOf64 {
		w := wideWave(t, exec, 0x7e100501) // v_readfirstlane_b32 s8, v1
		w.step()
		want := uint32(bits.TrailingZeros64(exec)) % 64 * 10
		if w.s[8] != want {
			t.Errorf("v_readfirstlane_b32 with EXEC %#x: %d, want %d", exec, w.s[8], want)
		}
		for lane := range uint32(70) {
			w := wideWave(t, exec, 0xd7600008, 0x00000901) // v_readlane_b32 s8, v1, s4
			w.s[4] = lane
			if w.step(); w.s[8] != lane%64*10 {
				t.Errorf("v_readlane_b32 of lane %d: %d", lane, w.s[8])
			}
		}
	}
}

// TestWideBranches: a branch on a mask looks at all of it.
func TestWideBranches(t *testing.T) {
	for k, name := range []string{"s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz"} {
		for _, mask := range masksOf64 {
			w := wideWave(t, 5, 0xbfa00000|uint32(3+k)<<16|1, 0x7e000280, 0x7e000280) // over an instruction
			w.setPair([]uint16{sVCC, sVCC, sExec, sExec}[k], mask)
			w.pc, w.budget = 1, yieldAfter
			w.step()
			if taken := w.pc == 2; taken != (mask == 0 == (k%2 == 0)) {
				t.Errorf("%s with %#x: taken: %v", name, mask, taken)
			}
		}
	}
}

// TestWideExchanges: lanes reach all others, as on GPUs whose waves have always 64.
func TestWideExchanges(t *testing.T) {
	from := func(i int) int { return (i*13 + 40) % 64 }
	for _, exec := range masksOf64 {
		w := wideWave(t, exec, 0xdacc0000, 0x00000201) // ds_bpermute_b32 v0, v1, v2
		w.setVector(1, vectorOf(func(i int) uint32 { return uint32(4 * from(i)) }))
		w.step()
		for i, got := range w.vector(0) {
			want := uint32(0xdead)
			if exec>>i&1 != 0 {
				want = uint32(exec>>from(i)&1) * uint32(320-10*from(i))
			}
			if got != want {
				t.Fatalf("ds_bpermute_b32 with EXEC %#x: lane %d has %d, want %d", exec, i, got, want)
			}
		}
		w = wideWave(t, exec, 0xdac80000, 0x00000201) // ds_permute_b32 v0, v1, v2
		w.setVector(1, vectorOf(func(i int) uint32 { return uint32(4 * from(i)) }))
		w.step()
		for i, got := range w.vector(0) {
			want := uint32(0xdead)
			if exec>>i&1 != 0 {
				want = 0
				for j := range 64 {
					if from(j) == i && exec>>j&1 != 0 {
						want = uint32(320 - 10*j)
					}
				}
			}
			if got != want {
				t.Fatalf("ds_permute_b32 with EXEC %#x: lane %d has %d, want %d", exec, i, got, want)
			}
		}
	}
}

// TestWideRejects: instructions that a wave of 64 has not, or that nobody has written for it.
func TestWideRejects(t *testing.T) {
	for asm, words := range map[string][]uint32{
		"v_dual_fmamk_f32":       {0xc8900501, 0x00020100, 0x40400000},
		"v_mov_b32 v0, src_vccz": {0x7e0002fb},
	} {
		if _, err := decodeWide(words...); err == nil {
			t.Errorf("%s is taken", asm)
		}
	}
}

// TestWideRows executes every instruction on vectors that neither reads nor writes a bit for each lane, and compares a wave of 64 with two waves of 32.
func TestWideRows(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(7, 7))
	compared := 0
	for _, sample := range samples() {
		narrow, err := decodeWords(sample.words...)
		if err != nil {
			continue // a branch to nowhere
		}
		in := narrow.code[0]
		masked := in.dst == kindMask || in.carries() || acrossHalves[in.name] != nil || upperRows[in.name] != nil || strings.HasPrefix(in.name, "v_div_fmas")
		for _, o := range in.s {
			masked = masked || o.typ == kindMask
		}
		if in.class != VALU || in.name == "end of code" || masked || in.pair != nil || strings.HasPrefix(in.name, "v_wmma") {
			continue
		}
		wide, err := decodeWide(sample.words...)
		if err != nil {
			t.Errorf("%s: %v", in.name, err)
			continue
		}
		exec := uint64(0xffff_ffff_00ff_f0f0)
		w := &wave{worker: new(worker), fn: wide, code: wide.code, denorm: 15, upper: &wave{}}
		for i := range w.s[:100] {
			w.s[i] = r.Uint32()
		}
		w.s[sM0] = 3
		for i := range w.v {
			for k := range w.v[i] {
				w.v[i][k], w.upper.v[i][k] = r.Uint32(), r.Uint32()
			}
		}
		w.setPair(sExec, exec)
		var want [2]wave
		for k, h := range []*wave{w, w.upper} {
			want[k] = wave{fn: narrow, code: narrow.code, denorm: 15, s: w.s, v: h.v}
			want[k].s[sExec] = uint32(exec >> (32 * k))
			narrow.code[0].fn(&want[k], &narrow.code[0])
		}
		w.step()
		if w.v != want[0].v || w.upper.v != want[1].v || w.pair(sExec) != exec {
			t.Errorf("%s: a wave of 64 has other results than two of 32", in.name)
		}
		compared++
	}
	t.Logf("%d instructions compared", compared)
}
