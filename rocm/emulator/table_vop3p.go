package emulator

import (
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// vop3p is the table of packed and dot-product instructions.
var vop3p = []vop{
	{op: 0, name: "v_pk_mad_i16", sig: "u=PPP", fn: lanewise.Packed3(func(a, b, c uint16) uint16 { return a*b + c })},
	{op: 1, name: "v_pk_mul_lo_u16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return a * b })},
	{op: 2, name: "v_pk_add_i16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return a + b })},
	{op: 3, name: "v_pk_sub_i16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return a - b })},
	{op: 4, name: "v_pk_lshlrev_b16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return b << (a & 15) })},
	{op: 5, name: "v_pk_lshrrev_b16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return b >> (a & 15) })},
	{op: 6, name: "v_pk_ashrrev_i16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return uint16(int16(b) >> (a & 15)) })},
	{op: 7, name: "v_pk_max_i16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return uint16(max(int16(a), int16(b))) })},
	{op: 8, name: "v_pk_min_i16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return uint16(min(int16(a), int16(b))) })},
	{op: 9, name: "v_pk_mad_u16", sig: "u=PPP", fn: lanewise.Packed3(func(a, b, c uint16) uint16 { return a*b + c })},
	{op: 10, name: "v_pk_add_u16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return a + b })},
	{op: 11, name: "v_pk_sub_u16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return a - b })},
	{op: 12, name: "v_pk_max_u16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return max(a, b) })},
	{op: 13, name: "v_pk_min_u16", sig: "u=PP", fn: lanewise.Packed2(func(a, b uint16) uint16 { return min(a, b) })},
	{op: 14, name: "v_pk_fma_f16", sig: "u=ppp", fn: lanewise.Packed3(number.FMA16)},
	{op: 15, name: "v_pk_add_f16", sig: "u=pp", fn: lanewise.Packed2(func(a, b uint16) uint16 { return half.ToF16(half.FromF16(a) + half.FromF16(b)) })},
	{op: 16, name: "v_pk_mul_f16", sig: "u=pp", fn: lanewise.Packed2(func(a, b uint16) uint16 { return half.ToF16(half.FromF16(a) * half.FromF16(b)) })},
	{op: 17, name: "v_pk_min_f16", sig: "u=pp", fn: lanewise.Packed2(func(a, b uint16) uint16 { return half.ToF16(number.MinNum(half.FromF16(a), half.FromF16(b))) })},
	{op: 18, name: "v_pk_max_f16", sig: "u=pp", fn: lanewise.Packed2(func(a, b uint16) uint16 { return half.ToF16(number.MaxNum(half.FromF16(a), half.FromF16(b))) })},
	{op: 19, name: "v_dot2_f32_f16", sig: "f=ppf", fn: lanewise.Each3(number.Dot2F16)},
	{op: 22, name: "v_dot4_i32_iu8", sig: "u=uuu", fn: execFn(dotSigned8)},
	{op: 23, name: "v_dot4_u32_u8", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Dot(a, b, 8, false, false)) + c })},
	{op: 24, name: "v_dot8_i32_iu4", sig: "u=uuu", fn: execFn(dotSigned4)},
	{op: 25, name: "v_dot8_u32_u4", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Dot(a, b, 4, false, false)) + c })},
	{op: 26, name: "v_dot2_f32_bf16", sig: "f=ppf", fn: lanewise.Each3(number.Dot2BF16)},
	{op: 32, name: "v_fma_mix_f32", sig: "f=fff", fn: execFn(fmaMix)},
	{op: 33, name: "v_fma_mixlo_f16", sig: "h=fff", fn: execFn(fmaMix)},
	{op: 34, name: "v_fma_mixhi_f16", sig: "h=fff", fn: execFn(fmaMix)},
}

// dotMixed multiplies fields that are signed where the neg bit of their operand is set.
func dotMixed(w *wave, in *inst, width uint) {
	a, b, c := w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.src(&in.s[2], 2)
	for i := range w.out {
		p := number.Dot(a[i], b[i], width, in.n&1 != 0, in.n&2 != 0)
		w.out[i] = uint32(p) + c[i]
		if in.clamp {
			w.out[i] = number.SatI32(int64(p) + int64(int32(c[i])))
		}
	}
	w.finish(in)
}

func dotSigned8(w *wave, in *inst) { dotMixed(w, in, 8) }
func dotSigned4(w *wave, in *inst) { dotMixed(w, in, 4) }

// mixControl is packed in inst.off for fmaMix: op_sel, op_sel_hi, neg and abs, 3 bits each.
func mixControl(sel, selHi, neg, abs uint32) int64 { return int64(sel | selHi<<3 | neg<<6 | abs<<9) }

// fuse is fmaF32, or assembly.
var fuse = fmaF32

// fmaMix is fma in f32 whose sources are f32 or, where op_sel_hi is set, the half of an f16 pair that op_sel names.
func fmaMix(w *wave, in *inst) {
	var x [3]lanes
	for k := range x {
		a, c := w.src(&in.s[k], k), uint32(in.off)>>k
		sel, is16, neg, abs := c&1 != 0, c>>3&1 != 0, c>>6&1 != 0, c>>9&1 != 0
		for i, u := range a {
			if is16 {
				if sel {
					u >>= 16
				}
				u = bf(half.FromF16(uint16(u)))
			}
			if abs {
				u &^= 1 << 31
			}
			if neg {
				u ^= 1 << 31
			}
			x[k][i] = u
		}
	}
	fuse(&w.out, &x[0], &x[1], &x[2])
	if in.dst == kindF16 {
		for i, u := range w.out {
			w.out[i] = uint32(half.ToF16(fb(u))) // rounded twice, as AMD's description of the instruction has it
		}
	}
	w.finish(in)
}
