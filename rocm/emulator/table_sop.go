package emulator

import (
	"math/bits"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// sop is a row of a table of scalar instructions. The signature has the source types, and before the equals sign the
// destination's.
type sop struct {
	op   int
	name string
	sig  string
	fn   execFn
}

// Makers of scalar instructions: of 32 or 64 bits; without effect on SCC, with SCC set when the result is not 0, or
// with SCC set by the function.

func plain1(f func(a uint32) uint32) execFn {
	return func(w *wave, in *inst) { w.s[in.d] = f(w.s32(&in.s[0])) }
}

func plain2(f func(a, b uint32) uint32) execFn {
	return func(w *wave, in *inst) { w.s[in.d] = f(w.s32(&in.s[0]), w.s32(&in.s[1])) }
}

func logic1(f func(a uint32) uint32) execFn {
	return func(w *wave, in *inst) { r := f(w.s32(&in.s[0])); w.s[in.d] = r; w.scc = r != 0 }
}

func logic2(f func(a, b uint32) uint32) execFn {
	return func(w *wave, in *inst) { r := f(w.s32(&in.s[0]), w.s32(&in.s[1])); w.s[in.d] = r; w.scc = r != 0 }
}

func logic1x64(f func(a uint64) uint64) execFn {
	return func(w *wave, in *inst) { r := f(w.s64(&in.s[0])); w.setPair(in.d, r); w.scc = r != 0 }
}

// logic2x64 reads both sources as 64 bits; shifts and bit fields, whose second source has 32, see it zero-extended.
func logic2x64(f func(a, b uint64) uint64) execFn {
	return func(w *wave, in *inst) {
		a := w.s64(&in.s[0])
		var b uint64
		if in.s[1].typ.is64() {
			b = w.s64(&in.s[1])
		} else {
			b = uint64(w.s32(&in.s[1]))
		}
		r := f(a, b)
		w.setPair(in.d, r)
		w.scc = r != 0
	}
}

// count64 is a function of 64 bits with a 32-bit result.
func count64(f func(a uint64) uint32) execFn {
	return func(w *wave, in *inst) { w.s[in.d] = f(w.s64(&in.s[0])) }
}

func arith(f func(a, b, scc uint32) (r uint32, out bool)) execFn {
	return func(w *wave, in *inst) {
		w.s[in.d], w.scc = f(w.s32(&in.s[0]), w.s32(&in.s[1]), b2u(w.scc))
	}
}

// saveExec stores EXEC in the destination and combines it with the source.
func saveExec(f func(s, exec uint32) uint32) execFn {
	return func(w *wave, in *inst) {
		s := w.s32(&in.s[0])
		w.s[in.d] = w.s[sExec]
		w.s[sExec] = f(s, w.s[in.d])
		if in.d == sSink { // the old EXEC is not kept
			w.s[sExec] = f(s, w.s[sSink])
		}
		w.scc = w.s[sExec] != 0
	}
}

// wrExec combines EXEC and the source and stores the result in both.
func wrExec(f func(s, exec uint32) uint32) execFn {
	return func(w *wave, in *inst) {
		r := f(w.s32(&in.s[0]), w.s[sExec])
		w.s[sExec], w.s[in.d] = r, r
		w.scc = r != 0
	}
}

// saveExec64 and wrExec64 are the same for waves of 64.
func saveExec64(f func(s, exec uint64) uint64) execFn {
	return func(w *wave, in *inst) {
		s, e := w.s64(&in.s[0]), w.pair(sExec)
		r := f(s, e)
		w.setPair(in.d, e)
		w.setPair(sExec, r)
		w.scc = r != 0
	}
}

func wrExec64(f func(s, exec uint64) uint64) execFn {
	return func(w *wave, in *inst) {
		r := f(w.s64(&in.s[0]), w.pair(sExec))
		w.setPair(in.d, r)
		w.setPair(sExec, r)
		w.scc = r != 0
	}
}

var sop1 = []sop{
	{0, "s_mov_b32", "u=u", plain1(func(a uint32) uint32 { return a })},
	{1, "s_mov_b64", "q=q", func(w *wave, in *inst) { w.setPair(in.d, w.s64(&in.s[0])) }},
	{2, "s_cmov_b32", "u=u", func(w *wave, in *inst) {
		if w.scc {
			w.s[in.d] = w.s32(&in.s[0])
		}
	}},
	{3, "s_cmov_b64", "q=q", func(w *wave, in *inst) {
		if w.scc {
			w.setPair(in.d, w.s64(&in.s[0]))
		}
	}},
	{4, "s_brev_b32", "u=u", plain1(bits.Reverse32)},
	{5, "s_brev_b64", "q=q", func(w *wave, in *inst) { w.setPair(in.d, bits.Reverse64(w.s64(&in.s[0]))) }},
	{8, "s_ctz_i32_b32", "u=u", plain1(number.CTZ32)},
	{9, "s_ctz_i32_b64", "u=q", count64(number.CTZ64)},
	{10, "s_clz_i32_u32", "u=u", plain1(number.CLZ32)},
	{11, "s_clz_i32_u64", "u=q", count64(number.CLZ64)},
	{12, "s_cls_i32", "u=u", plain1(number.CLS32)},
	{13, "s_cls_i32_i64", "u=q", count64(func(a uint64) uint32 { return number.CLZ64(a ^ uint64(int64(a)>>63)) })},
	{14, "s_sext_i32_i8", "u=u", plain1(func(a uint32) uint32 { return uint32(int8(a)) })},
	{15, "s_sext_i32_i16", "u=u", plain1(func(a uint32) uint32 { return uint32(int16(a)) })},
	{16, "s_bitset0_b32", "u=u", func(w *wave, in *inst) { w.s[in.d] &^= 1 << (w.s32(&in.s[0]) & 31) }},
	{17, "s_bitset0_b64", "q=u", func(w *wave, in *inst) { w.setPair(in.d, w.pair(in.d)&^(1<<(w.s32(&in.s[0])&63))) }},
	{18, "s_bitset1_b32", "u=u", func(w *wave, in *inst) { w.s[in.d] |= 1 << (w.s32(&in.s[0]) & 31) }},
	{19, "s_bitset1_b64", "q=u", func(w *wave, in *inst) { w.setPair(in.d, w.pair(in.d)|1<<(w.s32(&in.s[0])&63)) }},
	{20, "s_bitreplicate_b64_b32", "q=u", func(w *wave, in *inst) { w.setPair(in.d, number.ReplicateBits(w.s32(&in.s[0]))) }},
	{21, "s_abs_i32", "u=u", logic1(func(a uint32) uint32 { return uint32(max(int32(a), -int32(a))) })},
	{22, "s_bcnt0_i32_b32", "u=u", logic1(func(a uint32) uint32 { return uint32(bits.OnesCount32(^a)) })},
	{23, "s_bcnt0_i32_b64", "u=q", func(w *wave, in *inst) { w.countBits(in, ^w.s64(&in.s[0])) }},
	{24, "s_bcnt1_i32_b32", "u=u", logic1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) })},
	{25, "s_bcnt1_i32_b64", "u=q", func(w *wave, in *inst) { w.countBits(in, w.s64(&in.s[0])) }},
	{26, "s_quadmask_b32", "u=u", logic1(func(a uint32) uint32 { return uint32(number.QuadMask(uint64(a))) })},
	{27, "s_quadmask_b64", "q=q", logic1x64(number.QuadMask)},
	{28, "s_wqm_b32", "u=u", logic1(number.WholeQuads)},
	{29, "s_wqm_b64", "q=q", logic1x64(func(a uint64) uint64 {
		return uint64(number.WholeQuads(uint32(a))) | uint64(number.WholeQuads(uint32(a>>32)))<<32
	})},
	{30, "s_not_b32", "u=u", logic1(func(a uint32) uint32 { return ^a })},
	{31, "s_not_b64", "q=q", logic1x64(func(a uint64) uint64 { return ^a })},
	{32, "s_and_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return s & e })},
	{33, "s_and_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return s & e })},
	{34, "s_or_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return s | e })},
	{35, "s_or_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return s | e })},
	{36, "s_xor_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return s ^ e })},
	{37, "s_xor_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return s ^ e })},
	{38, "s_nand_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return ^(s & e) })},
	{39, "s_nand_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return ^(s & e) })},
	{40, "s_nor_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return ^(s | e) })},
	{41, "s_nor_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return ^(s | e) })},
	{42, "s_xnor_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return ^(s ^ e) })},
	{43, "s_xnor_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return ^(s ^ e) })},
	{44, "s_and_not0_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return ^s & e })},
	{45, "s_and_not0_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return ^s & e })},
	{46, "s_or_not0_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return ^s | e })},
	{47, "s_or_not0_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return ^s | e })},
	{48, "s_and_not1_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return s &^ e })},
	{49, "s_and_not1_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return s &^ e })},
	{50, "s_or_not1_saveexec_b32", "u=u", saveExec(func(s, e uint32) uint32 { return s | ^e })},
	{51, "s_or_not1_saveexec_b64", "q=q", saveExec64(func(s, e uint64) uint64 { return s | ^e })},
	{52, "s_and_not0_wrexec_b32", "u=u", wrExec(func(s, e uint32) uint32 { return ^s & e })},
	{53, "s_and_not0_wrexec_b64", "q=q", wrExec64(func(s, e uint64) uint64 { return ^s & e })},
	{54, "s_and_not1_wrexec_b32", "u=u", wrExec(func(s, e uint32) uint32 { return s &^ e })},
	{55, "s_and_not1_wrexec_b64", "q=q", wrExec64(func(s, e uint64) uint64 { return s &^ e })},
	{64, "s_movrels_b32", "u=u", func(w *wave, in *inst) { w.s[in.d] = w.s[w.relativeScalar(in.s[0].reg)] }},
	{65, "s_movrels_b64", "q=q", func(w *wave, in *inst) { w.setPair(in.d, w.pair(w.relativeScalar(in.s[0].reg))) }},
	{66, "s_movreld_b32", "u=u", func(w *wave, in *inst) { w.s[w.relativeScalar(in.d)] = w.s32(&in.s[0]) }},
	{67, "s_movreld_b64", "q=q", func(w *wave, in *inst) { w.setPair(w.relativeScalar(in.d), w.s64(&in.s[0])) }},
	{68, "s_movrelsd_2_b32", "u=u", func(w *wave, in *inst) {
		m := w.s[sM0]
		w.s[w.scalar(uint32(in.d)+m>>16&0x3ff)] = w.s[w.scalar(uint32(in.s[0].reg)+m&0x3ff)]
	}},
	{71, "s_getpc_b64", "q=", func(w *wave, in *inst) { w.setPair(in.d, w.address(in.next)) }},
	{72, "s_setpc_b64", "=q", func(w *wave, in *inst) { w.jump(w.s64(&in.s[0])) }},
	{76, "s_sendmsg_rtn_b32", "u=", func(w *wave, in *inst) { w.s[in.d] = 0 }}, // asks for the doorbell, before a trap
	{77, "s_sendmsg_rtn_b64", "q=", func(w *wave, in *inst) { w.setPair(in.d, realTime()) }},
	{73, "s_swappc_b64", "q=q", func(w *wave, in *inst) {
		target := w.s64(&in.s[0])
		w.setPair(in.d, w.address(in.next))
		w.jump(target)
	}},
}

func (w *wave) countBits(in *inst, x uint64) {
	n := uint32(bits.OnesCount64(x))
	w.s[in.d] = n
	w.scc = n != 0
}

var sop2 = []sop{
	{0, "s_add_u32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { r, c := bits.Add32(a, b, 0); return r, c != 0 })},
	{1, "s_sub_u32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { r, c := bits.Sub32(a, b, 0); return r, c != 0 })},
	{2, "s_add_i32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { r := a + b; return r, (a^r)&(b^r)>>31 != 0 })},
	{3, "s_sub_i32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { r := a - b; return r, (a^b)&(a^r)>>31 != 0 })},
	{4, "s_addc_u32", "u=uu", arith(func(a, b, c uint32) (uint32, bool) { r, o := bits.Add32(a, b, c); return r, o != 0 })},
	{5, "s_subb_u32", "u=uu", arith(func(a, b, c uint32) (uint32, bool) { r, o := bits.Sub32(a, b, c); return r, o != 0 })},
	{6, "s_absdiff_i32", "u=uu", logic2(func(a, b uint32) uint32 { return uint32(max(int32(a-b), int32(b-a))) })},
	{8, "s_lshl_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a << (b & 31) })},
	{9, "s_lshl_b64", "q=qu", logic2x64(func(a, b uint64) uint64 { return a << (b & 63) })},
	{10, "s_lshr_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a >> (b & 31) })},
	{11, "s_lshr_b64", "q=qu", logic2x64(func(a, b uint64) uint64 { return a >> (b & 63) })},
	{12, "s_ashr_i32", "u=uu", logic2(func(a, b uint32) uint32 { return uint32(int32(a) >> (b & 31)) })},
	{13, "s_ashr_i64", "l=lu", logic2x64(func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) })},
	{14, "s_lshl1_add_u32", "u=uu", shiftAdd(1)},
	{15, "s_lshl2_add_u32", "u=uu", shiftAdd(2)},
	{16, "s_lshl3_add_u32", "u=uu", shiftAdd(3)},
	{17, "s_lshl4_add_u32", "u=uu", shiftAdd(4)},
	{18, "s_min_i32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { return uint32(min(int32(a), int32(b))), int32(a) < int32(b) })},
	{19, "s_min_u32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { return min(a, b), a < b })},
	{20, "s_max_i32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { return uint32(max(int32(a), int32(b))), int32(a) >= int32(b) })},
	{21, "s_max_u32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { return max(a, b), a >= b })},
	{22, "s_and_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a & b })},
	{23, "s_and_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return a & b })},
	{24, "s_or_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a | b })},
	{25, "s_or_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return a | b })},
	{26, "s_xor_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a ^ b })},
	{27, "s_xor_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return a ^ b })},
	{28, "s_nand_b32", "u=uu", logic2(func(a, b uint32) uint32 { return ^(a & b) })},
	{29, "s_nand_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return ^(a & b) })},
	{30, "s_nor_b32", "u=uu", logic2(func(a, b uint32) uint32 { return ^(a | b) })},
	{31, "s_nor_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return ^(a | b) })},
	{32, "s_xnor_b32", "u=uu", logic2(func(a, b uint32) uint32 { return ^(a ^ b) })},
	{33, "s_xnor_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return ^(a ^ b) })},
	{34, "s_and_not1_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a &^ b })},
	{35, "s_and_not1_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return a &^ b })},
	{36, "s_or_not1_b32", "u=uu", logic2(func(a, b uint32) uint32 { return a | ^b })},
	{37, "s_or_not1_b64", "q=qq", logic2x64(func(a, b uint64) uint64 { return a | ^b })},
	{38, "s_bfe_u32", "u=uu", logic2(func(a, b uint32) uint32 { return a >> (b & 31) & uint32(1<<min(b>>16&127, 32)-1) })},
	{39, "s_bfe_i32", "u=uu", logic2(func(a, b uint32) uint32 { return uint32(number.SignField(uint64(a), b&31, b>>16&127, 32)) })},
	{40, "s_bfe_u64", "q=qu", logic2x64(func(a, b uint64) uint64 { return a >> (b & 63) & number.LowBits(b>>16&127) })},
	{41, "s_bfe_i64", "l=lu", logic2x64(func(a, b uint64) uint64 { return number.SignField(a, uint32(b)&63, uint32(b)>>16&127, 64) })},
	{42, "s_bfm_b32", "u=uu", plain2(func(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) })},
	{43, "s_bfm_b64", "q=uu", func(w *wave, in *inst) {
		w.setPair(in.d, (1<<(w.s32(&in.s[0])&63)-1)<<(w.s32(&in.s[1])&63))
	}},
	{44, "s_mul_i32", "u=uu", plain2(func(a, b uint32) uint32 { return a * b })},
	{45, "s_mul_hi_u32", "u=uu", plain2(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) })},
	{46, "s_mul_hi_i32", "u=uu", plain2(func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) })},
	{48, "s_cselect_b32", "u=uu", func(w *wave, in *inst) {
		if w.scc {
			w.s[in.d] = w.s32(&in.s[0])
		} else {
			w.s[in.d] = w.s32(&in.s[1])
		}
	}},
	{49, "s_cselect_b64", "q=qq", func(w *wave, in *inst) {
		if w.scc {
			w.setPair(in.d, w.s64(&in.s[0]))
		} else {
			w.setPair(in.d, w.s64(&in.s[1]))
		}
	}},
	{50, "s_pack_ll_b32_b16", "u=uu", plain2(func(a, b uint32) uint32 { return a&0xffff | b<<16 })},
	{51, "s_pack_lh_b32_b16", "u=uu", plain2(func(a, b uint32) uint32 { return a&0xffff | b&^0xffff })},
	{52, "s_pack_hh_b32_b16", "u=uu", plain2(func(a, b uint32) uint32 { return a>>16 | b&^0xffff })},
	{53, "s_pack_hl_b32_b16", "u=uu", plain2(func(a, b uint32) uint32 { return a>>16 | b<<16 })},
}

func shiftAdd(n int) execFn {
	return arith(func(a, b, _ uint32) (uint32, bool) {
		r := uint64(a)<<n + uint64(b)
		return uint32(r), r>>32 != 0
	})
}

func test(f func(a, b uint32) bool) execFn {
	return func(w *wave, in *inst) { w.scc = f(w.s32(&in.s[0]), w.s32(&in.s[1])) }
}

func testSigned(f func(a, b int32) bool) execFn {
	return test(func(a, b uint32) bool { return f(int32(a), int32(b)) })
}

var sopc = []sop{
	{0, "s_cmp_eq_i32", "=uu", test(func(a, b uint32) bool { return a == b })},
	{1, "s_cmp_lg_i32", "=uu", test(func(a, b uint32) bool { return a != b })},
	{2, "s_cmp_gt_i32", "=uu", testSigned(func(a, b int32) bool { return a > b })},
	{3, "s_cmp_ge_i32", "=uu", testSigned(func(a, b int32) bool { return a >= b })},
	{4, "s_cmp_lt_i32", "=uu", testSigned(func(a, b int32) bool { return a < b })},
	{5, "s_cmp_le_i32", "=uu", testSigned(func(a, b int32) bool { return a <= b })},
	{6, "s_cmp_eq_u32", "=uu", test(func(a, b uint32) bool { return a == b })},
	{7, "s_cmp_lg_u32", "=uu", test(func(a, b uint32) bool { return a != b })},
	{8, "s_cmp_gt_u32", "=uu", test(func(a, b uint32) bool { return a > b })},
	{9, "s_cmp_ge_u32", "=uu", test(func(a, b uint32) bool { return a >= b })},
	{10, "s_cmp_lt_u32", "=uu", test(func(a, b uint32) bool { return a < b })},
	{11, "s_cmp_le_u32", "=uu", test(func(a, b uint32) bool { return a <= b })},
	{12, "s_bitcmp0_b32", "=uu", test(func(a, b uint32) bool { return a>>(b&31)&1 == 0 })},
	{13, "s_bitcmp1_b32", "=uu", test(func(a, b uint32) bool { return a>>(b&31)&1 != 0 })},
	{14, "s_bitcmp0_b64", "=qu", func(w *wave, in *inst) { w.scc = w.s64(&in.s[0])>>(w.s32(&in.s[1])&63)&1 == 0 }},
	{15, "s_bitcmp1_b64", "=qu", func(w *wave, in *inst) { w.scc = w.s64(&in.s[0])>>(w.s32(&in.s[1])&63)&1 != 0 }},
	{16, "s_cmp_eq_u64", "=qq", func(w *wave, in *inst) { w.scc = w.s64(&in.s[0]) == w.s64(&in.s[1]) }},
	{17, "s_cmp_lg_u64", "=qq", func(w *wave, in *inst) { w.scc = w.s64(&in.s[0]) != w.s64(&in.s[1]) }},
}

// sopk has a 16-bit immediate, which the decoder puts in source 1 (sign-extended, or not where the name ends in u32),
// and the register that it reads and writes in source 0 and in the destination.
var sopk = []sop{
	{0, "s_movk_i32", "u=uu", plain2(func(_, k uint32) uint32 { return k })},
	{1, "s_version", "=", nil},
	{2, "s_cmovk_i32", "u=uu", func(w *wave, in *inst) {
		if w.scc {
			w.s[in.d] = w.s32(&in.s[1])
		}
	}},
	{3, "s_cmpk_eq_i32", "=uu", test(func(a, b uint32) bool { return a == b })},
	{4, "s_cmpk_lg_i32", "=uu", test(func(a, b uint32) bool { return a != b })},
	{5, "s_cmpk_gt_i32", "=uu", testSigned(func(a, b int32) bool { return a > b })},
	{6, "s_cmpk_ge_i32", "=uu", testSigned(func(a, b int32) bool { return a >= b })},
	{7, "s_cmpk_lt_i32", "=uu", testSigned(func(a, b int32) bool { return a < b })},
	{8, "s_cmpk_le_i32", "=uu", testSigned(func(a, b int32) bool { return a <= b })},
	{9, "s_cmpk_eq_u32", "=uu", test(func(a, b uint32) bool { return a == b })},
	{10, "s_cmpk_lg_u32", "=uu", test(func(a, b uint32) bool { return a != b })},
	{11, "s_cmpk_gt_u32", "=uu", test(func(a, b uint32) bool { return a > b })},
	{12, "s_cmpk_ge_u32", "=uu", test(func(a, b uint32) bool { return a >= b })},
	{13, "s_cmpk_lt_u32", "=uu", test(func(a, b uint32) bool { return a < b })},
	{14, "s_cmpk_le_u32", "=uu", test(func(a, b uint32) bool { return a <= b })},
	{15, "s_addk_i32", "u=uu", arith(func(a, b, _ uint32) (uint32, bool) { r := a + b; return r, (a^r)&(b^r)>>31 != 0 })},
	{16, "s_mulk_i32", "u=uu", plain2(func(a, b uint32) uint32 { return a * b })},
	{17, "s_getreg_b32", "u=uu", getReg},
	{18, "s_setreg_b32", "=uu", setReg},
	{20, "s_call_b64", "q=", func(w *wave, in *inst) { w.setPair(in.d, w.address(in.next)); w.jump(w.address(uint32(in.off))) }},
	{24, "s_waitcnt_vscnt", "=", nil},
	{25, "s_waitcnt_vmcnt", "=", nil},
	{26, "s_waitcnt_expcnt", "=", nil},
	{27, "s_waitcnt_lgkmcnt", "=", nil},
}

// trapMessage says why a kernel stopped that has ended itself.
const trapMessage = "the kernel trapped (an assertion or abort in device code)"

// sopp lists instructions without operands but an immediate. Those without a function order, hint or wait; executing
// in order needs none of that, and the decoder drops them.
var sopp = []sop{
	{0, "s_nop", "", nil},
	{2, "s_sethalt", "", nil},
	{3, "s_sleep", "", sleep},
	{4, "s_set_inst_prefetch_distance", "", nil},
	{5, "s_clause", "", nil},
	{7, "s_delay_alu", "", nil},
	{8, "s_waitcnt_depctr", "", nil},
	{9, "s_waitcnt", "", nil},
	{10, "s_wait_idle", "", nil},
	{11, "s_wait_event", "", nil},
	{16, "s_trap", "", func(w *wave, in *inst) {
		e := w.fault(CodeLaunchFailure, trapMessage)
		e.trapped = true
		panic(e)
	}},
	{17, "s_round_mode", "", roundMode},
	{18, "s_denorm_mode", "", func(w *wave, in *inst) { w.denorm = uint8(in.off & 15) }},
	{31, "s_code_end", "", func(w *wave, in *inst) { w.fail(CodeLaunchFailure, "execution ran past the end of the code") }},
	{32, "s_branch", "", branch(func(*wave) bool { return true })},
	{33, "s_cbranch_scc0", "", branch(func(w *wave) bool { return !w.scc })},
	{34, "s_cbranch_scc1", "", branch(func(w *wave) bool { return w.scc })},
	{35, "s_cbranch_vccz", "", branch(func(w *wave) bool { return w.s[sVCC] == 0 })},
	{36, "s_cbranch_vccnz", "", branch(func(w *wave) bool { return w.s[sVCC] != 0 })},
	{37, "s_cbranch_execz", "", branch(func(w *wave) bool { return w.s[sExec] == 0 })},
	{38, "s_cbranch_execnz", "", branch(func(w *wave) bool { return w.s[sExec] != 0 })},
	{48, "s_endpgm", "", func(w *wave, in *inst) { w.halt = haltEnd }},
	{49, "s_endpgm_saved", "", func(w *wave, in *inst) { w.halt = haltEnd }},
	{52, "s_wakeup", "", nil},
	{53, "s_setprio", "", nil},
	{54, "s_sendmsg", "", nil}, // dealloc_vgprs before the end
	{60, "s_icache_inv", "", nil},
	{61, "s_barrier", "", func(w *wave, in *inst) { w.halt = haltBarrier }},
}

// branch makes a conditional branch. Going back costs budget, so that waves that wait for one another take turns.
func branch(taken func(w *wave) bool) execFn {
	return func(w *wave, in *inst) {
		if !taken(w) {
			return
		}
		if int(in.tgt) < w.pc {
			if w.budget--; w.budget < 0 {
				w.halt = haltYield
			}
		}
		w.pc = int(in.tgt)
	}
}

// sleep gives the other waves a turn: the wave is likely waiting for one.
func sleep(w *wave, _ *inst) { w.halt = haltYield }

// Hardware registers that s_getreg and s_setreg reach.
const (
	regMode  = 1
	modeBits = 0xf0 // denormal mode in the low byte of MODE
	regHwID1 = 23
	regHwID2 = 24
	regClock = 29 // the low 20 bits of a count of cycles
)

// realTime is the clock that wall_clock64 reads, of 100 MHz.
func realTime() uint64 { return uint64(time.Now().UnixNano()) / 10 }

func (w *wave) mode() uint32 { return uint32(w.denorm) << 4 }

// getReg reads a field of a hardware register: in.off is id, offset and size-1 in 6, 5 and 5 bits.
func getReg(w *wave, in *inst) {
	id, shift, size := in.off&63, in.off>>6&31, in.off>>11&31+1
	var v uint32
	switch id {
	case regMode:
		v = w.mode()
	case regHwID1, regHwID2:
	case regClock: // an instruction is a cycle here; they are added up when a wave halts, so it does, and comes back
		if w.asked = !w.asked; w.asked {
			w.halt = haltYield
			w.pc--
			return
		}
		v = uint32(w.count)
	default:
		w.fail(CodeLaunchFailure, "hardware register %d is not emulated", id)
	}
	w.s[in.d] = v >> shift & uint32(1<<size-1)
}

func setReg(w *wave, in *inst) {
	id, shift, size := in.off&63, in.off>>6&31, in.off>>11&31+1
	if id != regMode {
		w.fail(CodeLaunchFailure, "hardware register %d cannot be set", id)
	}
	field := uint32(1<<size-1) << shift
	v := w.mode()&^field | w.s32(&in.s[0])<<shift&field
	if v&15 != 0 {
		w.fail(CodeLaunchFailure, "rounding mode %#x is not emulated; rounding is to nearest even", v&15)
	}
	w.denorm = uint8(v & modeBits >> 4)
}

func roundMode(w *wave, in *inst) {
	if in.off&15 != 0 {
		w.fail(CodeLaunchFailure, "rounding mode %#x is not emulated; rounding is to nearest even", in.off&15)
	}
}
