package emulator

import (
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// vop2 is the table of vector instructions with two sources. VOP3 has the same at 0x100, and VOPD uses some.
var vop2 = []vop{
	{op: 1, name: "v_cndmask_b32", sig: "f=ffm", fn: execFn(cndmask)},
	{op: 2, name: "v_dot2acc_f32_f16", sig: "f=ppD", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.Dot2F16(a, b, c) })},
	{op: 3, name: "v_add_f32", sig: "f=ff", fn: lanewise.Op2(addF32)},
	{op: 4, name: "v_sub_f32", sig: "f=ff", fn: lanewise.Op2(subF32)},
	{op: 5, name: "v_subrev_f32", sig: "f=ff", fn: lanewise.Op2(func(d, a, b *lanes) { subF32(d, b, a) })},
	{op: 6, name: "v_fmac_dx9_zero_f32", sig: "f=ffD", fn: lanewise.F32x3(func(a, b, c float32) float32 { return number.FMA32Zero(a, b, c) })},
	{op: 7, name: "v_mul_dx9_zero_f32", sig: "f=ff", fn: lanewise.F32x2(number.MulZero)},
	{op: 8, name: "v_mul_f32", sig: "f=ff", fn: lanewise.Op2(mulF32)},
	{op: 9, name: "v_mul_i32_i24", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(number.Sext24(a) * number.Sext24(b)) })},
	{op: 10, name: "v_mul_hi_i32_i24", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(int64(number.Sext24(a)) * int64(number.Sext24(b)) >> 32) })},
	{op: 11, name: "v_mul_u32_u24", sig: "u=uu", fn: lanewise.Op2(func(d, a, b *lanes) {
		for i := range d {
			d[i] = (a[i] & 0xffffff) * (b[i] & 0xffffff)
		}
	})},
	{op: 12, name: "v_mul_hi_u32_u24", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(uint64(a&0xffffff) * uint64(b&0xffffff) >> 32) })},
	{op: 15, name: "v_min_f32", sig: "f=ff", fn: lanewise.Op2(minF32)},
	{op: 16, name: "v_max_f32", sig: "f=ff", fn: lanewise.Op2(maxF32)},
	{op: 17, name: "v_min_i32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) })},
	{op: 18, name: "v_max_i32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) })},
	{op: 19, name: "v_min_u32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return min(a, b) })},
	{op: 20, name: "v_max_u32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return max(a, b) })},
	{op: 24, name: "v_lshlrev_b32", sig: "u=uu", fn: lanewise.Op2(shlU32)},
	{op: 25, name: "v_lshrrev_b32", sig: "u=uu", fn: lanewise.Op2(func(d, a, b *lanes) {
		for i := range d {
			d[i] = b[i] >> (a[i] & 31)
		}
	})},
	{op: 26, name: "v_ashrrev_i32", sig: "u=uu", fn: lanewise.Op2(func(d, a, b *lanes) {
		for i := range d {
			d[i] = uint32(int32(b[i]) >> (a[i] & 31))
		}
	})},
	{op: 27, name: "v_and_b32", sig: "u=uu", fn: lanewise.Op2(andU32)},
	{op: 28, name: "v_or_b32", sig: "u=uu", fn: lanewise.Op2(orU32)},
	{op: 29, name: "v_xor_b32", sig: "u=uu", fn: lanewise.Op2(xorU32)},
	{op: 30, name: "v_xnor_b32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return ^(a ^ b) })},
	{op: 32, name: "v_add_co_ci_u32", sig: "u=uum", fn: execFn(addCarryIn)},
	{op: 33, name: "v_sub_co_ci_u32", sig: "u=uum", fn: execFn(subCarryIn)},
	{op: 34, name: "v_subrev_co_ci_u32", sig: "u=uum", fn: execFn(subrevCarryIn)},
	{op: 37, name: "v_add_nc_u32", sig: "u=uu", fn: lanewise.Op2(addU32)},
	{op: 38, name: "v_sub_nc_u32", sig: "u=uu", fn: lanewise.Op2(subU32)},
	{op: 39, name: "v_subrev_nc_u32", sig: "u=uu", fn: lanewise.Op2(func(d, a, b *lanes) { subU32(d, b, a) })},
	{op: 43, name: "v_fmac_f32", sig: "f=ffD", fn: lanewise.Op3(fmaF32)},
	{op: 44, name: "v_fmamk_f32", sig: "f=fKf", fn: lanewise.Op3(fmaF32)},
	{op: 45, name: "v_fmaak_f32", sig: "f=ffK", fn: lanewise.Op3(fmaF32)},
	{op: 47, name: "v_cvt_pk_rtz_f16_f32", sig: "u=ff", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(half.ToF16Zero(fb(a))) | uint32(half.ToF16Zero(fb(b)))<<16
	})},
	{op: 50, name: "v_add_f16", sig: "h=hh", fn: lanewise.F16x2(func(a, b float32) float32 { return a + b })},
	{op: 51, name: "v_sub_f16", sig: "h=hh", fn: lanewise.F16x2(func(a, b float32) float32 { return a - b })},
	{op: 52, name: "v_subrev_f16", sig: "h=hh", fn: lanewise.F16x2(func(a, b float32) float32 { return b - a })},
	{op: 53, name: "v_mul_f16", sig: "h=hh", fn: lanewise.F16x2(func(a, b float32) float32 { return a * b })},
	{op: 54, name: "v_fmac_f16", sig: "h=hhD", fn: lanewise.Op3(fmaF16)},
	{op: 55, name: "v_fmamk_f16", sig: "h=hKh", fn: lanewise.Op3(fmaF16)},
	{op: 56, name: "v_fmaak_f16", sig: "h=hhK", fn: lanewise.Op3(fmaF16)},
	{op: 57, name: "v_max_f16", sig: "h=hh", fn: lanewise.F16x2(number.MaxNum[float32])},
	{op: 58, name: "v_min_f16", sig: "h=hh", fn: lanewise.F16x2(number.MinNum[float32])},
	{op: 59, name: "v_ldexp_f16", sig: "h=hs", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(half.OddToF16(number.Scale2(float64(half.FromF16(uint16(a))), int(int16(b)))))
	})},
	{op: 60, name: "v_pk_fmac_f16", sig: "u=ppD", fn: lanewise.Packed3(number.FMA16)},
}

func addF32(d, a, b *lanes) {
	for i := range d {
		d[i] = bf(fb(a[i]) + fb(b[i]))
	}
}

func subF32(d, a, b *lanes) {
	for i := range d {
		d[i] = bf(fb(a[i]) - fb(b[i]))
	}
}

func mulF32(d, a, b *lanes) {
	for i := range d {
		d[i] = bf(fb(a[i]) * fb(b[i]))
	}
}

func fmaF32(d, a, b, c *lanes) {
	for i := range d {
		d[i] = bf(number.FMA32(fb(a[i]), fb(b[i]), fb(c[i])))
	}
}

func minF32(d, a, b *lanes) {
	for i := range d {
		d[i] = bf(number.MinNum(fb(a[i]), fb(b[i])))
	}
}

func maxF32(d, a, b *lanes) {
	for i := range d {
		d[i] = bf(number.MaxNum(fb(a[i]), fb(b[i])))
	}
}

func fmaF16(d, a, b, c *lanes) {
	for i := range d {
		d[i] = uint32(number.FMA16(uint16(a[i]), uint16(b[i]), uint16(c[i])))
	}
}

func addU32(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func subU32(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func shlU32(d, a, b *lanes) {
	for i := range d {
		d[i] = b[i] << (a[i] & 31)
	}
}

func andU32(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func orU32(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xorU32(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}
