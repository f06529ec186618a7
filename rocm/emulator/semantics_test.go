package emulator

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// step executes one instruction on a wave whose registers hold the given values, the same in every lane.
func step(t *testing.T, words []uint32, v, s map[int]uint32, exec uint32) *wave {
	t.Helper()
	f, err := decodeWords(words...)
	if err != nil {
		t.Fatal(err)
	}
	w := &wave{worker: new(worker), fn: f, code: f.code, denorm: 15}
	w.s[sExec] = exec
	for r, x := range v {
		lane.Fill(&w.v[r], x)
	}
	for r, x := range s {
		w.s[r] = x
	}
	in := &f.code[0]
	in.fn(w, in)
	return w
}

func f16pair(lo, hi float32) uint32 { return uint32(half.ToF16(lo)) | uint32(half.ToF16(hi))<<16 }

func low64(f float64) uint32  { return uint32(math.Float64bits(f)) }
func high64(f float64) uint32 { return uint32(math.Float64bits(f) >> 32) }

// TestInstructions checks single instructions whose semantics are easy to get wrong. The encodings are LLVM's.
func TestInstructions(t *testing.T) {
	type regs = map[int]uint32
	f := math.Float32bits
	const inf = 0x7f800000
	tests := []struct {
		asm   string
		words []uint32
		v, s  regs // before
		wantV regs // after, in lane 0
		wantS regs
	}{
		{asm: "v_add_f32 v0, |v1|, -v2 clamp", words: []uint32{0xd5038100, 0x40020501}, v: regs{1: f(-3), 2: f(2.5)}, wantV: regs{0: f(0.5)}},
		{asm: "v_add_f32 v0, |v1|, -v2 clamp", words: []uint32{0xd5038100, 0x40020501}, v: regs{1: f(-3), 2: f(1)}, wantV: regs{0: f(1)}},
		{asm: "v_add_f32 v0, |v1|, -v2 clamp", words: []uint32{0xd5038100, 0x40020501}, v: regs{1: 0x7fc00000, 2: f(1)}, wantV: regs{0: 0}},
		{asm: "v_mul_f32 v0, v1, v2 mul:4", words: []uint32{0xd5080000, 0x10020501}, v: regs{1: f(3), 2: f(5)}, wantV: regs{0: f(60)}},
		{asm: "v_add_f32 v0, v1, 2.0 div:2", words: []uint32{0xd5030000, 0x1801e901}, v: regs{1: f(3)}, wantV: regs{0: f(2.5)}},
		{asm: "v_max_f32 v0, 1.0, v1", words: []uint32{0x200002f2}, v: regs{1: 0x7fc00000}, wantV: regs{0: f(1)}},
		{asm: "v_fma_mix_f32 v0, v1.h, v2.l, v3", words: []uint32{0xcc200800, 0x1c0e0501}, v: regs{1: f16pair(9, 3), 2: f16pair(5, 9), 3: f(0.25)}, wantV: regs{0: f(15.25)}},
		{asm: "v_fma_mixhi_f16 v0, v1, v2, v3", words: []uint32{0xcc220000, 0x040e0501}, v: regs{0: 0x12345678, 1: f(2), 2: f(3), 3: f(1)}, wantV: regs{0: uint32(half.ToF16(7))<<16 | 0x5678}},
		{asm: "v_add_f16 v0.h, v1.l, v2.h", words: []uint32{0x65010501}, v: regs{0: 0x1111abcd, 1: f16pair(2, 9), 2: f16pair(9, 3)}, wantV: regs{0: uint32(half.ToF16(5))<<16 | 0xabcd}},
		{asm: "v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,1]", words: []uint32{0xcc0f4800, 0x50020501}, v: regs{1: f16pair(1, 2), 2: f16pair(10, 20)}, wantV: regs{0: f16pair(2-10, 1+20)}},
		{asm: "v_pk_add_u16 v0, v1, -1 op_sel_hi:[1,0]", words: []uint32{0xcc0a4000, 0x08018301}, v: regs{1: 0x00050001}, wantV: regs{0: 0x00040000}},
		{asm: "v_add_nc_u32 v0, v1, v2 clamp", words: []uint32{0xd5258000, 0x00020501}, v: regs{1: 0xfffffff0, 2: 0x20}, wantV: regs{0: 0xffffffff}},
		{asm: "v_mad_u64_u32 v[4:5], vcc_lo, v1, v2, 5", words: []uint32{0xd6fe6a04, 0x02160501}, v: regs{1: 0xffffffff, 2: 0xffffffff}, wantV: regs{4: 6, 5: 0xfffffffe}, wantS: regs{sVCC: 0}},
		{asm: "v_perm_b32 v0, v1, v2, v3", words: []uint32{0xd6440000, 0x040e0501}, v: regs{1: 0x77665544, 2: 0x33221100, 3: 0x0d0c0704}, wantV: regs{0: 0xff007744}},
		{asm: "v_alignbit_b32 v0, v1, v2, 8", words: []uint32{0xd6160000, 0x02220501}, v: regs{1: 0x11223344, 2: 0x55667788}, wantV: regs{0: 0x44556677}},
		{asm: "v_alignbyte_b32 v0, v1, v2, 1", words: []uint32{0xd6170000, 0x02060501}, v: regs{1: 0x11223344, 2: 0x55667788}, wantV: regs{0: 0x44556677}},
		{asm: "v_bfe_i32 v0, v1, 4, 8", words: []uint32{0xd6110000, 0x02210901}, v: regs{1: 0x00000f80}, wantV: regs{0: 0xfffffff8}},
		{asm: "v_cvt_pk_rtz_f16_f32 v0, v1, v2", words: []uint32{0x5e000501}, v: regs{1: f(1.9999), 2: f(-70000)}, wantV: regs{0: 0xfbff3fff}},
		{asm: "v_cmp_class_f32 s4, v1, 3", words: []uint32{0xd47e0004, 0x00010701}, v: regs{1: 0x7fc00000}, wantS: regs{4: allLanes}},
		{asm: "v_cndmask_b32 v0, -v1, v2, s4", words: []uint32{0xd5010000, 0x20120501}, v: regs{1: f(3), 2: f(7)}, s: regs{4: 2}, wantV: regs{0: f(-3)}},
		{asm: "s_bfe_u32 s0, s1, 0x80004", words: []uint32{0x9300ff01, 0x00080004}, s: regs{1: 0x12345678}, wantS: regs{0: 0x67}},
		{asm: "s_bfe_i64 s[0:1], s[2:3], 0x100030", words: []uint32{0x9480ff02, 0x00100030}, s: regs{2: 1, 3: 0x87650000}, wantS: regs{0: 0xffff8765, 1: 0xffffffff}},
		{asm: "s_cselect_b32 s0, s1, 7", words: []uint32{0x98008701}, s: regs{1: 1}, wantS: regs{0: 7}},
		{asm: "s_and_not1_saveexec_b32 s0, s1", words: []uint32{0xbe803001}, s: regs{1: 0xff}, wantS: regs{0: allLanes, sExec: 0}},
		{asm: "s_mul_hi_i32 s0, s1, s2", words: []uint32{0x97000201}, s: regs{1: 0xffffffff, 2: 5}, wantS: regs{0: 0xffffffff}},
		{asm: "s_lshl3_add_u32 s0, s1, s2", words: []uint32{0x88000201}, s: regs{1: 5, 2: 2}, wantS: regs{0: 42}},
		{asm: "s_mov_b64 s[0:1], 0xfffffff0", words: []uint32{0xbe8001ff, 0xfffffff0}, s: regs{1: 9}, wantS: regs{0: 0xfffffff0, 1: 0}},
		{asm: "s_ashr_i64 s[0:1], s[2:3], 4", words: []uint32{0x86808402}, s: regs{2: 0x10, 3: 0x80000000}, wantS: regs{0: 1, 1: 0xf8000000}},
		{asm: "v_ldexp_f32 v0, v1, v2", words: []uint32{0xd71c0000, 0x00020501}, v: regs{1: f(1.5), 2: 0xffffff6b}, wantV: regs{0: 2}}, // 1.5×2^-149, a tie, to even
		{asm: "v_frexp_exp_i32_f32 v0, v1", words: []uint32{0x7e007f01}, v: regs{1: inf}, wantV: regs{0: 0}},
		{asm: "v_med3_f32 v0, v1, v2, v3", words: []uint32{0xd61f0000, 0x040e0501}, v: regs{1: f(5), 2: f(-1), 3: f(3)}, wantV: regs{0: f(3)}},
		{asm: "v_cvt_pk_u8_f32 v0, v1, 2, v3", words: []uint32{0xd6260000, 0x040d0501}, v: regs{1: f(300), 3: 0x11223344}, wantV: regs{0: 0x11ff3344}},
		{asm: "v_add_f64 v[0:1], v[2:3], 0.5", words: []uint32{0xd7270000, 0x0001e102}, v: regs{2: low64(1.25), 3: high64(1.25)}, wantV: regs{0: low64(1.75), 1: high64(1.75)}},
		{asm: "v_mul_f64 v[0:1], -v[2:3], |v[4:5]| clamp", words: []uint32{0xd7288200, 0x20020902}, v: regs{2: low64(-0.5), 3: high64(-0.5), 4: low64(-0.5), 5: high64(-0.5)}, wantV: regs{0: low64(0.25), 1: high64(0.25)}},
		{asm: "v_cvt_i32_f64 v0, v[2:3]", words: []uint32{0x7e000702}, v: regs{2: low64(-1e20), 3: high64(-1e20)}, wantV: regs{0: 0x80000000}},
		{asm: "v_trig_preop_f64 v[0:1], v[2:3], 0", words: []uint32{0xd72f0000, 0x00010102}, v: regs{2: low64(1), 3: high64(1)}, wantV: regs{0: low64(0x1.45f306dc9c882p-1), 1: high64(0x1.45f306dc9c882p-1)}},
		{asm: "v_dual_fmamk_f32 v0, v1, 3.0, v2 :: v_dual_mov_b32 v3, v0", words: []uint32{0xc8900501, 0x00020100, 0x40400000}, v: regs{0: 77, 1: f(2), 2: f(1)}, wantV: regs{0: f(7), 3: 77}},
		{asm: "v_mul_i32_i24 v0, v1, v2", words: []uint32{0x12000501}, v: regs{1: 0x01ffffff, 2: 7}, wantV: regs{0: 0xfffffff9}},
		{asm: "v_bfi_b32 v0, v1, v2, v3", words: []uint32{0xd6120000, 0x040e0501}, v: regs{1: 0xff00ff00, 2: 0x12345678, 3: 0xabcdef01}, wantV: regs{0: 0x12cd5601}},
		{asm: "v_xad_u32 v0, v1, v2, v3", words: []uint32{0xd6450000, 0x040e0501}, v: regs{1: 6, 2: 3, 3: 10}, wantV: regs{0: 15}},
	}
	for _, test := range tests {
		w := step(t, test.words, test.v, test.s, allLanes)
		for r, want := range test.wantV {
			if got := w.v[r][0]; got != want {
				t.Errorf("%s: v%d is %#x, want %#x", test.asm, r, got, want)
			}
		}
		for r, want := range test.wantS {
			if got := w.s[r]; got != want {
				t.Errorf("%s: s%d is %#x, want %#x", test.asm, r, got, want)
			}
		}
	}
}

func TestInactiveLanesKeepTheirValues(t *testing.T) {
	const exec = 0x0000ff0f
	for name, words := range map[string][]uint32{
		"v_add_f32":     {0xd5030000, 0x00020501},
		"v_mad_u64_u32": {0xd6fe6a00, 0x02160501},
		"v_add_f64":     {0xd7270000, 0x0001e102},
		"v_cndmask_b32": {0xd5010000, 0x00120501},
		"v_bfi_b32":     {0xd6120000, 0x040e0501},
	} {
		w := step(t, words, map[int]uint32{0: 0xdead, 1: 5, 2: 6, 3: 7}, map[int]uint32{4: 0x3333}, exec)
		for i, x := range w.v[0] {
			if on := exec>>i&1 != 0; on == (x == 0xdead) {
				t.Errorf("%s: lane %d is on: %v, and has %#x", name, i, on, x)
			}
		}
	}
	w := step(t, []uint32{0xd7610000, 0x00010601}, map[int]uint32{0: 9}, map[int]uint32{1: 8}, 0) // v_writelane_b32 v0, s1, 3 ignores EXEC
	if w.v[0][3] != 8 || w.v[0][2] != 9 {
		t.Errorf("v_writelane_b32: lanes 2 and 3 are %d, %d", w.v[0][2], w.v[0][3])
	}
}

func TestDPPInVOP3(t *testing.T) {
	// v_add_f32 v0, |v1|, v2 row_xmask:1
	f, err := decodeWords(0xd5030100, 0x000204fa, 0xff016101)
	if err != nil {
		t.Fatal(err)
	}
	w := &wave{worker: new(worker), fn: f, code: f.code, denorm: 15}
	w.s[sExec] = allLanes &^ 2 // lane 0 reads a lane that is off, and is not written
	for i := range w.v[1] {
		w.v[0][i], w.v[1][i], w.v[2][i] = 7, bf(-float32(i)), bf(100)
	}
	f.code[0].fn(w, &f.code[0])
	for i, x := range w.v[0] {
		want := bf(100 + float32(i^1))
		if i < 2 {
			want = 7
		}
		if x != want {
			t.Errorf("lane %d is %g, want %g", i, fb(x), fb(want))
		}
	}
	if w.s[sExec] != allLanes&^2 {
		t.Errorf("EXEC is %#x afterwards", w.s[sExec])
	}
}
