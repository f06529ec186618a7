package emulator

import (
	"math"
	"math/bits"

	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx9"
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Instructions that gfx942 has and gfx1100 has not.

var scalar9 = []sop{
	{0, "s_ff0_i32_b32", "u=u", plain1(func(a uint32) uint32 { return number.CTZ32(^a) })},
	{1, "s_ff0_i32_b64", "u=q", count64(func(a uint64) uint32 { return number.CTZ64(^a) })},
	{2, "s_setreg_imm32_b32", "=uu", setReg},
	{3, "s_memtime", "q=", cycles},
	{4, "s_memrealtime", "q=", func(w *wave, in *inst) { w.setPair(in.d, realTime()) }},
}

// cycles is the clock of instructions, as a cycle each. See getReg.
func cycles(w *wave, in *inst) {
	if w.asked = !w.asked; w.asked {
		w.halt = haltYield
		w.pc--
		return
	}
	w.setPair(in.d, w.count)
}

var vector9 = []vop{
	{op: 0, name: "v_fmac_f64", sig: "d=ddD", fn: lanewise.WideOp(func(d, a, b, c *wide) {
		for i := range d {
			d[i] = dbf(math.FMA(dfb(a[i]), dfb(b[i]), dfb(c[i])))
		}
	})},
	{op: 1, name: "v_mov_b64", sig: "q=q", fn: lanewise.Wide1(func(a uint64) uint64 { return a })},
	{op: 2, name: "v_lshl_add_u64", sig: "q=quq", fn: lanewise.Wide3(func(a, b, c uint64) uint64 { return a<<(b&7) + c })},
	{op: 3, name: "v_subrev_u16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return b - a })},
	{op: 4, name: "v_dot2c_i32_i16", sig: "u=uuD", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.Dot2I16(a, b) + c })},
	{op: 5, name: "v_dot4c_i32_i8", sig: "u=uuD", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Dot(a, b, 8, true, true)) + c })},
	{op: 6, name: "v_dot8c_i32_i4", sig: "u=uuD", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Dot(a, b, 4, true, true)) + c })},
	{op: 7, name: "v_dot4_i32_i8", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Dot(a, b, 8, true, true)) + c })},
	{op: 8, name: "v_dot8_i32_i4", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Dot(a, b, 4, true, true)) + c })},
	{op: 9, name: "v_dot2_i32_i16", sig: "u=PPu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.Dot2I16(a, b) + c })},
	{op: 10, name: "v_dot2_u32_u16", sig: "u=PPu", fn: lanewise.Each3(func(a, b, c uint32) uint32 {
		return a&0xffff*(b&0xffff) + a>>16*(b>>16) + c
	})},
	{op: 11, name: "v_pk_fma_f32", sig: "q=qqq", fn: packedF32(number.FMA32)},
	{op: 12, name: "v_pk_mul_f32", sig: "q=qq", fn: packedF32(func(a, b, _ float32) float32 { return a * b })},
	{op: 13, name: "v_pk_add_f32", sig: "q=qq", fn: packedF32(func(a, b, _ float32) float32 { return a + b })},
	{op: 14, name: "v_pk_mov_b32", sig: "q=qq", fn: execFn(packedMove)},
	{op: 15, name: "v_accvgpr_read_b32", sig: "u=u", fn: lanewise.Op1(func(d, a *lanes) { *d = *a })},
	{op: 16, name: "v_accvgpr_write_b32", sig: "u=u", fn: lanewise.Op1(func(d, a *lanes) { *d = *a })},
	{op: 17, name: "v_accvgpr_mov_b32", sig: "u=u", fn: lanewise.Op1(func(d, a *lanes) { *d = *a })},
	{op: 18, name: "v_cvt_f32_fp8", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(gfx9.FromFP8(uint8(a))) })},
	{op: 19, name: "v_cvt_f32_bf8", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(gfx9.FromBF8(uint8(a))) })},
}

// packedF32 makes an instruction on two f32 in a pair of registers. The modifiers are in inst.off: op_sel, op_sel_hi,
// neg_lo and neg_hi, 3 bits each.
func packedF32(f func(a, b, c float32) float32) execFn {
	return func(w *wave, in *inst) {
		var src [3]*wide
		for k := range src {
			if in.s[k].typ != 0 {
				src[k] = w.wideSrc(&in.s[k], k)
			} else {
				src[k] = &w.tw[4]
			}
		}
		for i := range w.tw[3] {
			var r [2]uint32
			for h := range r {
				var x [3]float32
				for k := range x {
					c := uint32(in.off) >> k
					u := uint32(src[k][i] >> (c >> (3 * h) & 1 * 32))
					x[k] = fb(u ^ c>>(6+3*h)&1<<31)
				}
				r[h] = bf(f(x[0], x[1], x[2]))
				if w.denorm&3 == 0 && r[h]&0x7f800000 == 0 {
					r[h] &= 1 << 31
				}
			}
			w.tw[3][i] = uint64(r[0]) | uint64(r[1])<<32
		}
		w.putWide(in.d, &w.tw[3])
	}
}

// packedMove takes a word of each of two pairs: op_sel says which.
func packedMove(w *wave, in *inst) {
	a, b, t := w.wideSrc(&in.s[0], 0), w.wideSrc(&in.s[1], 1), &w.tw[3]
	first, second := in.off&1*32, in.off>>1&1*32
	for i := range t {
		t[i] = a[i]>>first&0xffffffff | b[i]>>second<<32
	}
	w.putWide(in.d, t)
}

// atomics9 are atomic operations on floats that gfx942 has in addition.
var atomics9 = []access{
	{0, "atomic_add_f64", 8, modify64(addAtF64)},
	{1, "atomic_min_f64", 8, modify64(func(old, x uint64) uint64 { return dbf(number.MinNum(dfb(old), dfb(x))) })},
	{2, "atomic_max_f64", 8, modify64(func(old, x uint64) uint64 { return dbf(number.MaxNum(dfb(old), dfb(x))) })},
	{3, "atomic_pk_add_f16", 4, modify32(addAtPairs(half.FromF16, half.ToF16))},
	{4, "atomic_pk_add_bf16", 4, modify32(addAtPairs(half.FromBF16, half.ToBF16))},
}

var sharedAtomics9 = []access{
	{0, "ds_add_f64", 8, modify64(addAtF64)},
	{1, "ds_add_rtn_f64", 8, modify64(addAtF64)},
	{2, "ds_pk_add_f16", 4, modify32(addAtPairs(half.FromF16, half.ToF16))},
	{3, "ds_pk_add_rtn_f16", 4, modify32(addAtPairs(half.FromF16, half.ToF16))},
	{4, "ds_pk_add_bf16", 4, modify32(addAtPairs(half.FromBF16, half.ToBF16))},
	{5, "ds_pk_add_rtn_bf16", 4, modify32(addAtPairs(half.FromBF16, half.ToBF16))},
}

func addAtF64(old, x uint64) uint64 { return dbf(dfb(old) + dfb(x)) }

func addAtPairs(from func(uint16) float32, to func(float32) uint16) func(old, x uint32) uint32 {
	return func(old, x uint32) uint32 {
		lo, hi := to(from(uint16(old))+from(uint16(x))), to(from(uint16(old>>16))+from(uint16(x>>16)))
		return uint32(lo) | uint32(hi)<<16
	}
}

// multiplyMatrices executes MFMA for all lanes, whichever are active, as the hardware does.
func multiplyMatrices(w *wave, in *inst) {
	d, a, b := in.matrix.Words()
	var c, left, right [32]gfx9.Register
	w.matrixRegisters(left[:a], &in.s[0])
	w.matrixRegisters(right[:b], &in.s[1])
	w.matrixRegisters(c[:d], &in.s[2])
	var out [32]gfx9.Register
	in.matrix.Multiply(out[:d], left[:a], right[:b], c[:d])
	for k := range d {
		copy(w.v[in.d+uint16(k)][:], out[k][:32])
		copy(w.upper.v[in.d+uint16(k)][:], out[k][32:])
	}
}

// matrixRegisters copies the registers of a matrix, or a constant to each of its elements.
func (w *wave) matrixRegisters(to []gfx9.Register, o *operand) {
	for k := range to {
		if o.place == placeConst {
			x := uint32(o.val)
			if o.typ.is64() {
				x = uint32(bits.RotateLeft64(o.val, -32*(k%2)))
			}
			for i := range to[k] {
				to[k][i] = x
			}
			continue
		}
		copy(to[k][:32], w.v[o.reg+uint16(k)][:])
		copy(to[k][32:], w.upper.v[o.reg+uint16(k)][:])
	}
}
