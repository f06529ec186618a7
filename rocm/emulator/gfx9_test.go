package emulator

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// cdnaWave is a wave of gfx942 that is about to execute an instruction. Vector registers hold numbers that depend on
// the register and the lane: see cdnaValue.
func cdnaWave(t *testing.T, exec uint64, words ...uint32) *wave {
	t.Helper()
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	m := &Module{gfx9: true, code: code, text: codeobject.Span{Size: uint64(len(code))}}
	f, err := m.decodeFunction("test", 0, uint64(len(code)), mode{wide: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &wave{worker: new(worker), fn: f, code: f.code, denorm: 15, upper: &wave{}}
	w.setPair(sExec, exec)
	for r := range 8 {
		w.setVector(r, vectorOf(func(i int) uint32 { return cdnaValue(r, i) }))
		w.setVector(accumulators+r, vectorOf(func(i int) uint32 { return ^cdnaValue(r, i) }))
	}
	return w
}

// cdnaValue is what vector register r has in a lane. Registers 3 and 7 are small floats, and so are 2 and 6.
func cdnaValue(r, lane int) uint32 {
	x := uint32(r+1)*2654435761 ^ uint32(lane+1)*40503*uint32(2*r+1)
	if r%4 >= 2 {
		return bf(float32(int32(x)>>12) / 64)
	}
	return x
}

const (
	cdnaMask  = 0x9234_5678_8765_4321 // s[4:5]
	cdnaCarry = 0x0f0f_1234_f0f0_5678 // vcc
)

func bit64(m uint64, i int) uint32 { return uint32(m >> i & 1) }

func f16At(x uint32) float32 { return half.FromF16(uint16(x)) }

// TestCDNA executes instructions that gfx942 has and gfx1100 has not, or has otherwise, lane by lane as AMD describes
// them. The encodings are LLVM's.
func TestCDNA(t *testing.T) {
	type values func(r int) uint32 // of a lane
	v16 := func(x uint32) int32 { return int32(int16(x)) }
	for _, test := range []struct {
		asm   string
		words []uint32
		reg   int // the result's
		lane  func(i int, v values) uint32
	}{
		{"v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_0",
			[]uint32{0x680004f9, 0x00051101}, 0, func(_ int, v values) uint32 {
				return v(0)&^0xff00 | (v(1)>>16+v(2)&0xff)&0xff<<8
			}},
		{"v_lshlrev_b32_sdwa v0, v1, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_0",
			[]uint32{0x240004f9, 0x0c000601}, 0, func(_ int, v values) uint32 { return uint32(v16(v(2)) << (v(1) & 31)) }},
		{"v_add_u32_sdwa v0, sext(v1), sext(v2) dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_3 src1_sel:BYTE_2",
			[]uint32{0x680004f9, 0x0a0b0c01}, 0, func(_ int, v values) uint32 {
				return uint32(v16(uint32(int32(int8(v(1)>>24)) + int32(int8(v(2)>>16)))))
			}},
		{"v_or_b32_sdwa v0, s4, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:DWORD",
			[]uint32{0x280004f9, 0x06820504}, 0, func(_ int, v values) uint32 { return (cdnaMask>>16&0xff | v(2)) << 16 }},
		{"v_cvt_f32_f16_sdwa v0, -|v1| dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1",
			[]uint32{0x7e0016f9, 0x00350601}, 0, func(_ int, v values) uint32 { return bf(f16At(v(1)>>16 | 0x8000)) }},
		{"v_mul_f16_sdwa v0, -v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0",
			[]uint32{0x440004f9, 0x04150501}, 0, func(_ int, v values) uint32 {
				return uint32(half.ToF16(f16At(v(1)>>16^0x8000)*f16At(v(2)))) << 16
			}},
		{"v_addc_co_u32_sdwa v0, vcc, v1, v2, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1",
			[]uint32{0x380004f9, 0x05010601}, 0, func(i int, v values) uint32 {
				return v(1)>>8&0xff + v(2)>>16 + bit64(cdnaCarry, i)
			}},
		{"v_sub_u16_e32 v0, v1, v2", []uint32{0x4e000501}, 0, func(_ int, v values) uint32 { return (v(1) - v(2)) & 0xffff }},
		{"v_subrev_u16_e32 v0, v1, v2", []uint32{0x50000501}, 0, func(_ int, v values) uint32 { return (v(2) - v(1)) & 0xffff }},
		{"v_mad_u16 v0, v1, v2, v1", []uint32{0xd2040000, 0x04060501}, 0, func(_ int, v values) uint32 {
			return v(0)&^0xffff | (v(1)*v(2)+v(1))&0xffff
		}},
		{"v_mad_legacy_u16 v0, v1, v2, v1", []uint32{0xd1eb0000, 0x04060501}, 0, func(_ int, v values) uint32 {
			return (v(1)*v(2) + v(1)) & 0xffff
		}},
		{"v_fma_f16 v0, v2, v6, v2 op_sel:[1,1,1,1]", []uint32{0xd2067800, 0x040a0d02}, 0, func(_ int, v values) uint32 {
			return v(0)&0xffff | uint32(bigFMA16(uint16(v(2)>>16), uint16(v(6)>>16), uint16(v(2)>>16)))<<16
		}},
		{"v_cvt_f16_f32_e32 v0, v2", []uint32{0x7e001502}, 0, func(_ int, v values) uint32 { return uint32(half.ToF16(fb(v(2)))) }},
		{"v_max3_i16 v0, v1, v2, v1", []uint32{0xd1f80000, 0x04060501}, 0, func(_ int, v values) uint32 {
			return v(0)&^0xffff | uint32(max(v16(v(1)), v16(v(2))))&0xffff
		}},
		{"v_addc_co_u32_e64 v0, s[6:7], v1, v2, s[4:5]", []uint32{0xd11c0600, 0x00120501}, 0, func(i int, v values) uint32 {
			return v(1) + v(2) + bit64(cdnaMask, i)
		}},
		{"v_subbrev_co_u32_e32 v0, vcc, v1, v2, vcc", []uint32{0x3c000501}, 0, func(i int, v values) uint32 {
			return v(2) - v(1) - bit64(cdnaCarry, i)
		}},
		{"v_mad_u64_u32 v[4:5], s[6:7], v1, v2, v[6:7]", []uint32{0xd1e80604, 0x041a0501}, 5, func(_ int, v values) uint32 {
			return uint32((uint64(v(1))*uint64(v(2)) + (uint64(v(7))<<32 | uint64(v(6)))) >> 32)
		}},
		{"v_lshl_add_u64 v[4:5], v[2:3], 3, v[6:7]", []uint32{0xd2080004, 0x04190702}, 5, func(_ int, v values) uint32 {
			return uint32(((uint64(v(3))<<32|uint64(v(2)))<<3 + (uint64(v(7))<<32 | uint64(v(6)))) >> 32)
		}},
		{"v_pk_fma_f32 v[4:5], v[2:3], v[6:7], v[2:3] op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,1,0] neg_hi:[0,0,1]",
			[]uint32{0xd3b04c04, 0x540a0d02}, 4, func(_ int, v values) uint32 { return bf(bigFMA(fb(v(3)), -fb(v(6)), fb(v(2)))) }},
		{"its upper half", []uint32{0xd3b04c04, 0x540a0d02}, 5, func(_ int, v values) uint32 {
			return bf(bigFMA(fb(v(2)), fb(v(7)), -fb(v(3))))
		}},
		{"v_pk_mul_f32 v[4:5], v[2:3], 2.0 op_sel_hi:[1,0]", []uint32{0xd3b14004, 0x0801e902}, 5, func(_ int, v values) uint32 {
			return bf(2 * fb(v(3)))
		}},
		{"v_pk_add_f32 v[4:5], s[8:9], v[2:3]", []uint32{0xd3b24004, 0x18020408}, 5, func(_ int, v values) uint32 {
			return bf(0.25 + fb(v(3)))
		}},
		{"v_pk_mov_b32 v[4:5], v[2:3], v[6:7] op_sel:[1,0]", []uint32{0xd3b34804, 0x18020d02}, 4, func(_ int, v values) uint32 { return v(3) }},
		{"its upper half", []uint32{0xd3b34804, 0x18020d02}, 5, func(_ int, v values) uint32 { return v(6) }},
		{"v_fmac_f64_e32 v[4:5], v[2:3], v[6:7]", []uint32{0x08080d02}, 5, func(_ int, v values) uint32 {
			f := func(r int) float64 { return dfb(uint64(v(r+1))<<32 | uint64(v(r))) }
			return uint32(dbf(math.FMA(f(2), f(6), f(4))) >> 32)
		}},
		{"v_mov_b64_e32 v[4:5], v[2:3]", []uint32{0x7e087102}, 5, func(_ int, v values) uint32 { return v(3) }},
		{"v_dot4c_i32_i8_e32 v0, v1, v2", []uint32{0x72000501}, 0, func(_ int, v values) uint32 {
			s := int32(v(0))
			for k := 0; k < 32; k += 8 {
				s += int32(int8(v(1)>>k)) * int32(int8(v(2)>>k))
			}
			return uint32(s)
		}},
		{"v_dot8c_i32_i4_e32 v0, v1, v2", []uint32{0x74000501}, 0, func(_ int, v values) uint32 {
			s := int32(v(0))
			for k := 0; k < 32; k += 4 {
				s += int32(v(1)<<(28-k)) >> 28 * (int32(v(2)<<(28-k)) >> 28)
			}
			return uint32(s)
		}},
		{"v_dot2c_i32_i16_e32 v0, v1, v2", []uint32{0x70000501}, 0, func(_ int, v values) uint32 {
			return v(0) + uint32(v16(v(1))*v16(v(2))+v16(v(1)>>16)*v16(v(2)>>16))
		}},
		{"v_dot2_u32_u16 v0, v1, v2, v1", []uint32{0xd3a74000, 0x1c060501}, 0, func(_ int, v values) uint32 {
			return v(1)&0xffff*(v(2)&0xffff) + v(1)>>16*(v(2)>>16) + v(1)
		}},
		{"v_accvgpr_write_b32 a7, v1", []uint32{0xd3d94007, 0x18000101}, accumulators + 7, func(_ int, v values) uint32 { return v(1) }},
		{"v_accvgpr_read_b32 v0, a7", []uint32{0xd3d84000, 0x18000107}, 0, func(_ int, v values) uint32 { return ^v(7) }},
		{"v_accvgpr_mov_b32 a6, a7", []uint32{0x7e0ca507}, accumulators + 6, func(_ int, v values) uint32 { return ^v(7) }},
		{"v_ffbh_u32_e32 v0, v1", []uint32{0x7e005b01}, 0, func(_ int, v values) uint32 { return uint32(bits.LeadingZeros32(v(1))) }},
		{"v_cndmask_b32_e64 v0, v1, v2, s[4:5]", []uint32{0xd1000000, 0x00120501}, 0, func(i int, v values) uint32 {
			return v(1 + int(bit64(cdnaMask, i)))
		}},
	} {
		for _, exec := range masksOf64 {
			w := cdnaWave(t, exec, test.words...)
			w.setPair(4, cdnaMask)
			w.setPair(sVCC, cdnaCarry)
			w.setPair(8, uint64(bf(0.25))<<32|uint64(bf(3)))
			before := w.vector(test.reg)
			w.step()
			got := w.vector(test.reg)
			for i := range 64 {
				want := before[i]
				if exec>>i&1 != 0 {
					want = test.lane(i, func(r int) uint32 { return cdnaValue(r, i) })
				}
				if got[i] != want && !(fb(got[i]) != fb(got[i]) && fb(want) != fb(want)) {
					t.Errorf("%s, exec %#x: lane %d is %#x, want %#x", test.asm, exec, i, got[i], want)
					break
				}
			}
		}
	}
}

// TestCDNAMasks are instructions that write masks: of compares, with SDWA and to EXEC, and of carries.
func TestCDNAMasks(t *testing.T) {
	for _, test := range []struct {
		asm   string
		words []uint32
		d     uint16
		lane  func(i int, a, b uint32) bool
	}{
		{"v_cmp_lt_i16_sdwa s[6:7], sext(v1), v2 src0_sel:BYTE_1 src1_sel:WORD_0", []uint32{0x7d4204f9, 0x04098601}, 6,
			func(_ int, a, b uint32) bool { return int16(int8(a>>8)) < int16(b) }},
		{"v_cmpx_lt_u32_e64 s[6:7], v1, v2", []uint32{0xd0d90006, 0x00020501}, 6, func(_ int, a, b uint32) bool { return a < b }},
		{"the same in EXEC", []uint32{0xd0d90006, 0x00020501}, sExec, func(_ int, a, b uint32) bool { return a < b }},
		{"v_cmp_lt_u32_e32 vcc, v1, v2", []uint32{0x7d920501}, sVCC, func(_ int, a, b uint32) bool { return a < b }},
		{"v_addc_co_u32_e64 v0, s[6:7], v1, v2, s[4:5]", []uint32{0xd11c0600, 0x00120501}, 6, func(i int, a, b uint32) bool {
			return uint64(a)+uint64(b)+uint64(bit64(cdnaMask, i)) >= 1<<32
		}},
	} {
		for _, exec := range masksOf64 {
			w := cdnaWave(t, exec, test.words...)
			w.setPair(4, cdnaMask)
			w.step()
			want := uint64(0)
			for i := range 64 {
				if exec>>i&1 != 0 && test.lane(i, cdnaValue(1, i), cdnaValue(2, i)) {
					want |= 1 << i
				}
			}
			if got := w.pair(test.d); got != want {
				t.Errorf("%s, exec %#x: %#x, want %#x", test.asm, exec, got, want)
			}
		}
	}
}

// TestCDNAMoves are instructions with DPP, whose sources are in other halves of the wave. Lanes whose source is not
// active are off.
func TestCDNAMoves(t *testing.T) {
	for _, test := range []struct {
		asm   string
		words []uint32
		from  func(i int) int // -1: the lane is off
		value func(a, b uint32) uint32
	}{
		{"v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf", []uint32{0x7e0002fa, 0xaf014201}, func(i int) int {
			if i/16%2 == 0 {
				return -1
			}
			return i/16*16 - 1
		}, func(a, _ uint32) uint32 { return a }},
		{"v_add_u32_dpp v0, v1, v2 wave_ror:1 row_mask:0xf bank_mask:0xf", []uint32{0x680004fa, 0xff013c01},
			func(i int) int { return (i + 63) % 64 }, func(a, b uint32) uint32 { return a + b }},
		{"v_and_b32_dpp v0, v1, v2 row_newbcast:5 row_mask:0xf bank_mask:0xb", []uint32{0x260004fa, 0xfb015501}, func(i int) int {
			if i/4%4 == 2 {
				return -1
			}
			return i/16*16 + 5
		}, func(a, b uint32) uint32 { return a & b }},
	} {
		for _, exec := range masksOf64 {
			w := cdnaWave(t, exec, test.words...)
			w.step()
			got := w.vector(0)
			for i := range 64 {
				want, from := cdnaValue(0, i), test.from(i)
				if exec>>i&1 != 0 && from >= 0 && exec>>from&1 != 0 {
					want = test.value(cdnaValue(1, from), cdnaValue(2, i))
				}
				if got[i] != want {
					t.Errorf("%s, exec %#x: lane %d is %#x, want %#x", test.asm, exec, i, got[i], want)
					break
				}
			}
			if w.pair(sExec) != exec {
				t.Errorf("%s: exec is %#x, was %#x", test.asm, w.pair(sExec), exec)
			}
		}
	}
}

// TestCDNAScalars are scalar instructions that gfx1100 has not, and M0, which has another number.
func TestCDNAScalars(t *testing.T) {
	for _, test := range []struct {
		asm  string
		word uint32
		d    uint16
		want uint64
	}{
		{"s_ff0_i32_b64 s10, s[4:5]", 0xbe8a0f04, 10, 1},
		{"s_ff0_i32_b32 s10, s4", 0xbe8a0e04, 10, 1},
		{"s_andn1_saveexec_b64 s[10:11], s[4:5]", 0xbe8a3304, sExec, ^uint64(cdnaMask)},
		{"s_mov_b32 s10, m0", 0xbe8a007c, 10, 77},
		{"s_mov_b32 m0, s4", 0xbefc0004, sM0, cdnaMask & 0xffffffff},
	} {
		w := cdnaWave(t, 1<<64-1, test.word)
		w.setPair(4, cdnaMask)
		w.s[sM0] = 77
		w.step()
		got := w.pair(test.d)
		if test.want < 1<<32 {
			got &= 0xffffffff
		}
		if got != test.want {
			t.Errorf("%s: %#x, want %#x", test.asm, got, test.want)
		}
	}
}
