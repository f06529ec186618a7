package emulator

import (
	"math"
	"math/bits"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// vop3 is the table of vector instructions that have only the VOP3 encoding.
var vop3 = []vop{
	{op: 521, name: "v_fma_dx9_zero_f32", sig: "f=fff", fn: lanewise.F32x3(number.FMA32Zero)},
	{op: 522, name: "v_mad_i32_i24", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Sext24(a)*number.Sext24(b)) + c })},
	{op: 523, name: "v_mad_u32_u24", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = (a[i]&0xffffff)*(b[i]&0xffffff) + c[i]
		}
	})},
	{op: 524, name: "v_cubeid_f32", sig: "f=fff", fn: lanewise.F32x3(number.CubeFace)},
	{op: 525, name: "v_cubesc_f32", sig: "f=fff", fn: lanewise.F32x3(number.CubeS)},
	{op: 526, name: "v_cubetc_f32", sig: "f=fff", fn: lanewise.F32x3(number.CubeT)},
	{op: 527, name: "v_cubema_f32", sig: "f=fff", fn: lanewise.F32x3(number.CubeMajor)},
	{op: 528, name: "v_bfe_u32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = a[i] >> (b[i] & 31) & (1<<(c[i]&31) - 1)
		}
	})},
	{op: 529, name: "v_bfe_i32", sig: "u=uuu", fn: lanewise.Each3(number.BitFieldI32)},
	{op: 530, name: "v_bfi_b32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = a[i]&b[i] | c[i]&^a[i]
		}
	})},
	{op: 531, name: "v_fma_f32", sig: "f=fff", fn: lanewise.Op3(fmaF32)},
	{op: 532, name: "v_fma_f64", sig: "d=ddd", fn: lanewise.WideOp(func(d, a, b, c *wide) {
		for i := range d {
			d[i] = dbf(math.FMA(dfb(a[i]), dfb(b[i]), dfb(c[i])))
		}
	})},
	{op: 533, name: "v_lerp_u8", sig: "u=uuu", fn: lanewise.Each3(number.LerpU8)},
	{op: 534, name: "v_alignbit_b32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) })},
	{op: 535, name: "v_alignbyte_b32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 3 * 8)) })},
	{op: 536, name: "v_mullit_f32", sig: "f=fff", fn: lanewise.F32x3(number.MulLit)},
	{op: 537, name: "v_min3_f32", sig: "f=fff", fn: lanewise.F32x3(func(a, b, c float32) float32 { return number.MinNum(number.MinNum(a, b), c) })},
	{op: 538, name: "v_min3_i32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(min(int32(a), int32(b), int32(c))) })},
	{op: 539, name: "v_min3_u32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return min(a, b, c) })},
	{op: 540, name: "v_max3_f32", sig: "f=fff", fn: lanewise.F32x3(func(a, b, c float32) float32 { return number.MaxNum(number.MaxNum(a, b), c) })},
	{op: 541, name: "v_max3_i32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(max(int32(a), int32(b), int32(c))) })},
	{op: 542, name: "v_max3_u32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return max(a, b, c) })},
	{op: 543, name: "v_med3_f32", sig: "f=fff", fn: lanewise.F32x3(number.Med3)},
	{op: 544, name: "v_med3_i32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Median(int32(a), int32(b), int32(c))) })},
	{op: 545, name: "v_med3_u32", sig: "u=uuu", fn: lanewise.Each3(number.Median[uint32])},
	{op: 546, name: "v_sad_u8", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.SADU8(a, b) + c })},
	{op: 547, name: "v_sad_hi_u8", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.SADU8(a, b)<<16 + c })},
	{op: 548, name: "v_sad_u16", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 {
		return number.AbsDiff(a&0xffff, b&0xffff) + number.AbsDiff(a>>16, b>>16) + c
	})},
	{op: 549, name: "v_sad_u32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.AbsDiff(a, b) + c })},
	{op: 550, name: "v_cvt_pk_u8_f32", sig: "u=fuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 {
		shift := b & 3 * 8
		return c&^(255<<shift) | min(number.ToU32(math.RoundToEven(float64(fb(a)))), 255)<<shift
	})},
	{op: 551, name: "v_div_fixup_f32", sig: "f=fff", fn: lanewise.F32x3(number.DivFixup32)},
	{op: 552, name: "v_div_fixup_f64", sig: "d=ddd", fn: lanewise.Wide3(func(a, b, c uint64) uint64 { return dbf(number.DivFixup64(dfb(a), dfb(b), dfb(c))) })},
	{op: 567, name: "v_div_fmas_f32", sig: "f=fff", fn: execFn(divFmasF32)},
	{op: 568, name: "v_div_fmas_f64", sig: "d=ddd", fn: execFn(divFmasF64)},
	{op: 569, name: "v_msad_u8", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return number.MSADU8(a, b) + c })},
	{op: 570, name: "v_qsad_pk_u16_u8", sig: "q=quq", fn: lanewise.Wide3(func(a, b, c uint64) uint64 { return number.QuadSAD(number.SADU8, a, b, c) })},
	{op: 571, name: "v_mqsad_pk_u16_u8", sig: "q=quq", fn: lanewise.Wide3(func(a, b, c uint64) uint64 { return number.QuadSAD(number.MSADU8, a, b, c) })},
	{op: 573, name: "v_mqsad_u32_u8", sig: "Q=quQ", fn: execFn(quadSADWords)},
	{op: 576, name: "v_xor3_b32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return a ^ b ^ c })},
	{op: 577, name: "v_mad_u16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return a*b + c })},
	{op: 580, name: "v_perm_b32", sig: "u=uuu", fn: lanewise.Each3(number.PermBytes)},
	{op: 581, name: "v_xad_u32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return (a ^ b) + c })},
	{op: 582, name: "v_lshl_add_u32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = a[i]<<(b[i]&31) + c[i]
		}
	})},
	{op: 583, name: "v_add_lshl_u32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = (a[i] + b[i]) << (c[i] & 31)
		}
	})},
	{op: 584, name: "v_fma_f16", sig: "h=hhh", fn: lanewise.Op3(fmaF16)},
	{op: 585, name: "v_min3_f16", sig: "h=hhh", fn: lanewise.F16x3(func(a, b, c float32) float32 { return number.MinNum(number.MinNum(a, b), c) })},
	{op: 586, name: "v_min3_i16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(min(int16(a), int16(b), int16(c))) })},
	{op: 587, name: "v_min3_u16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(min(uint16(a), uint16(b), uint16(c))) })},
	{op: 588, name: "v_max3_f16", sig: "h=hhh", fn: lanewise.F16x3(func(a, b, c float32) float32 { return number.MaxNum(number.MaxNum(a, b), c) })},
	{op: 589, name: "v_max3_i16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(max(int16(a), int16(b), int16(c))) })},
	{op: 590, name: "v_max3_u16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(max(uint16(a), uint16(b), uint16(c))) })},
	{op: 591, name: "v_med3_f16", sig: "h=hhh", fn: lanewise.F16x3(number.Med3)},
	{op: 592, name: "v_med3_i16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Median(int16(a), int16(b), int16(c))) })},
	{op: 593, name: "v_med3_u16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(number.Median(uint16(a), uint16(b), uint16(c))) })},
	{op: 595, name: "v_mad_i16", sig: "s=sss", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return a*b + c })},
	{op: 596, name: "v_div_fixup_f16", sig: "h=hhh", fn: lanewise.F16x3(func(q, den, num float32) float32 {
		return float32(number.DivFixup(float64(q), float64(den), float64(num), false))
	})},
	{op: 597, name: "v_add3_u32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = a[i] + b[i] + c[i]
		}
	})},
	{op: 598, name: "v_lshl_or_b32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = a[i]<<(b[i]&31) | c[i]
		}
	})},
	{op: 599, name: "v_and_or_b32", sig: "u=uuu", fn: lanewise.Op3(func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = a[i]&b[i] | c[i]
		}
	})},
	{op: 600, name: "v_or3_b32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return a | b | c })},
	{op: 601, name: "v_mad_u32_u16", sig: "u=ssu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(uint16(a))*uint32(uint16(b)) + c })},
	{op: 602, name: "v_mad_i32_i16", sig: "u=ssu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(int32(int16(a))*int32(int16(b))) + c })},
	{op: 603, name: "v_permlane16_b32", sig: "u=uuu", fn: execFn(permLane16)},
	{op: 604, name: "v_permlanex16_b32", sig: "u=uuu", fn: execFn(permLaneX16)},
	{op: 605, name: "v_cndmask_b16", sig: "s=ssm", fn: execFn(cndmask)},
	{op: 606, name: "v_maxmin_f32", sig: "f=fff", fn: lanewise.F32x3(func(a, b, c float32) float32 { return number.MinNum(number.MaxNum(a, b), c) })},
	{op: 607, name: "v_minmax_f32", sig: "f=fff", fn: lanewise.F32x3(func(a, b, c float32) float32 { return number.MaxNum(number.MinNum(a, b), c) })},
	{op: 608, name: "v_maxmin_f16", sig: "h=hhh", fn: lanewise.F16x3(func(a, b, c float32) float32 { return number.MinNum(number.MaxNum(a, b), c) })},
	{op: 609, name: "v_minmax_f16", sig: "h=hhh", fn: lanewise.F16x3(func(a, b, c float32) float32 { return number.MaxNum(number.MinNum(a, b), c) })},
	{op: 610, name: "v_maxmin_u32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return min(max(a, b), c) })},
	{op: 611, name: "v_minmax_u32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return max(min(a, b), c) })},
	{op: 612, name: "v_maxmin_i32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(min(max(int32(a), int32(b)), int32(c))) })},
	{op: 613, name: "v_minmax_i32", sig: "u=uuu", fn: lanewise.Each3(func(a, b, c uint32) uint32 { return uint32(max(min(int32(a), int32(b)), int32(c))) })},
	{op: 614, name: "v_dot2_f16_f16", sig: "h=uuh", fn: lanewise.Each3(func(a, b, c uint32) uint32 {
		return uint32(half.ToF16(fb(number.Dot2F16(a, b, bf(half.FromF16(uint16(c)))))))
	})},
	{op: 615, name: "v_dot2_bf16_bf16", sig: "s=uus", fn: lanewise.Each3(func(a, b, c uint32) uint32 {
		return uint32(half.ToBF16(fb(number.Dot2BF16(a, b, bf(half.FromBF16(uint16(c)))))))
	})},
	{op: 764, name: "v_div_scale_f32", sig: "f=fff", fn: execFn(divScaleF32)},
	{op: 765, name: "v_div_scale_f64", sig: "d=ddd", fn: execFn(divScaleF64)},
	{op: 766, name: "v_mad_u64_u32", sig: "q=uuq", fn: execFn(madU64)},
	{op: 767, name: "v_mad_i64_i32", sig: "l=uul", fn: execFn(madI64)},
	{op: 768, name: "v_add_co_u32", sig: "u=uu", fn: execFn(addCarry)},
	{op: 769, name: "v_sub_co_u32", sig: "u=uu", fn: execFn(subCarry)},
	{op: 770, name: "v_subrev_co_u32", sig: "u=uu", fn: execFn(subrevCarry)},
	{op: 771, name: "v_add_nc_u16", sig: "s=ss", fn: lanewise.Op2(addU32)},
	{op: 772, name: "v_sub_nc_u16", sig: "s=ss", fn: lanewise.Op2(subU32)},
	{op: 773, name: "v_mul_lo_u16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return a * b })},
	{op: 774, name: "v_cvt_pk_i16_f32", sig: "u=ff", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(number.ToI16(float64(fb(a)))) | uint32(number.ToI16(float64(fb(b))))<<16
	})},
	{op: 775, name: "v_cvt_pk_u16_f32", sig: "u=ff", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(number.ToU16(float64(fb(a)))) | uint32(number.ToU16(float64(fb(b))))<<16
	})},
	{op: 777, name: "v_max_u16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(max(uint16(a), uint16(b))) })},
	{op: 778, name: "v_max_i16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(max(int16(a), int16(b))) })},
	{op: 779, name: "v_min_u16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(min(uint16(a), uint16(b))) })},
	{op: 780, name: "v_min_i16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(min(int16(a), int16(b))) })},
	{op: 781, name: "v_add_nc_i16", sig: "s=ss", fn: lanewise.Op2(addU32)},
	{op: 782, name: "v_sub_nc_i16", sig: "s=ss", fn: lanewise.Op2(subU32)},
	{op: 785, name: "v_pack_b32_f16", sig: "u=hh", fn: lanewise.Each2(func(a, b uint32) uint32 { return a&0xffff | b<<16 })},
	{op: 786, name: "v_cvt_pk_norm_i16_f16", sig: "u=hh", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(number.NormI16(half.FromF16(uint16(a)))) | uint32(number.NormI16(half.FromF16(uint16(b))))<<16
	})},
	{op: 787, name: "v_cvt_pk_norm_u16_f16", sig: "u=hh", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(number.NormU16(half.FromF16(uint16(a)))) | uint32(number.NormU16(half.FromF16(uint16(b))))<<16
	})},
	{op: 796, name: "v_ldexp_f32", sig: "f=fu", fn: lanewise.Each2(func(a, b uint32) uint32 { return bf(number.Ldexp32(fb(a), int32(b))) })},
	{op: 797, name: "v_bfm_b32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) })},
	{op: 798, name: "v_bcnt_u32_b32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(bits.OnesCount32(a)) + b })},
	{op: 799, name: "v_mbcnt_lo_u32_b32", sig: "u=uu", fn: lanewise.Op2(countBelow)},
	{op: 800, name: "v_mbcnt_hi_u32_b32", sig: "u=uu", fn: lanewise.Op2(func(d, _, b *lanes) { *d = *b })}, // lanes 32 to 63: see upperRows
	{op: 801, name: "v_cvt_pk_norm_i16_f32", sig: "u=ff", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(number.NormI16(fb(a))) | uint32(number.NormI16(fb(b)))<<16
	})},
	{op: 802, name: "v_cvt_pk_norm_u16_f32", sig: "u=ff", fn: lanewise.Each2(func(a, b uint32) uint32 {
		return uint32(number.NormU16(fb(a))) | uint32(number.NormU16(fb(b)))<<16
	})},
	{op: 803, name: "v_cvt_pk_u16_u32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return min(a, 0xffff) | min(b, 0xffff)<<16 })},
	{op: 804, name: "v_cvt_pk_i16_i32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 {
		clip := func(x uint32) uint32 { return uint32(uint16(min(max(int32(x), math.MinInt16), math.MaxInt16))) }
		return clip(a) | clip(b)<<16
	})},
	{op: 805, name: "v_sub_nc_i32", sig: "u=uu", fn: lanewise.Op2(subU32)},
	{op: 806, name: "v_add_nc_i32", sig: "u=uu", fn: lanewise.Op2(addU32)},
	{op: 807, name: "v_add_f64", sig: "d=dd", fn: lanewise.WideOp(func(d, a, b, _ *wide) {
		for i := range d {
			d[i] = dbf(dfb(a[i]) + dfb(b[i]))
		}
	})},
	{op: 808, name: "v_mul_f64", sig: "d=dd", fn: lanewise.WideOp(func(d, a, b, _ *wide) {
		for i := range d {
			d[i] = dbf(dfb(a[i]) * dfb(b[i]))
		}
	})},
	{op: 809, name: "v_min_f64", sig: "d=dd", fn: lanewise.F64x2(number.MinNum[float64])},
	{op: 810, name: "v_max_f64", sig: "d=dd", fn: lanewise.F64x2(number.MaxNum[float64])},
	{op: 811, name: "v_ldexp_f64", sig: "d=du", fn: lanewise.Wide2(func(a, b uint64) uint64 { return dbf(number.Ldexp64(dfb(a), int32(b))) })},
	{op: 812, name: "v_mul_lo_u32", sig: "u=uu", fn: lanewise.Op2(func(d, a, b *lanes) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	})},
	{op: 813, name: "v_mul_hi_u32", sig: "u=uu", fn: lanewise.Op2(func(d, a, b *lanes) {
		for i := range d {
			d[i] = uint32(uint64(a[i]) * uint64(b[i]) >> 32)
		}
	})},
	{op: 814, name: "v_mul_hi_i32", sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) })},
	{op: 815, name: "v_trig_preop_f64", sig: "d=du", fn: lanewise.Wide2(func(a, b uint64) uint64 { return dbf(number.TrigPreop(dfb(a), uint32(b))) })},
	{op: 824, name: "v_lshlrev_b16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return b << (a & 15) })},
	{op: 825, name: "v_lshrrev_b16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return b & 0xffff >> (a & 15) })},
	{op: 826, name: "v_ashrrev_i16", sig: "s=ss", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(int16(b) >> (a & 15)) })},
	{op: 828, name: "v_lshlrev_b64", sig: "q=uq", fn: execFn(shl64)},
	{op: 829, name: "v_lshrrev_b64", sig: "q=uq", fn: lanewise.Wide2(func(a, b uint64) uint64 { return b >> (a & 63) })},
	{op: 830, name: "v_ashrrev_i64", sig: "l=ul", fn: lanewise.Wide2(func(a, b uint64) uint64 { return uint64(int64(b) >> (a & 63)) })},
	{op: 864, name: "v_readlane_b32", sig: "u=uu", fn: execFn(readLane)},
	{op: 865, name: "v_writelane_b32", sig: "u=uu", fn: execFn(writeLane)},
	{op: 866, name: "v_and_b16", sig: "s=ss", fn: lanewise.Op2(andU32)},
	{op: 867, name: "v_or_b16", sig: "s=ss", fn: lanewise.Op2(orU32)},
	{op: 868, name: "v_xor_b16", sig: "s=ss", fn: lanewise.Op2(xorU32)},
}

// countBelow counts the bits of the lanes below each one's own.
func countBelow(d, a, b *lanes) {
	for i := range d {
		d[i] = uint32(bits.OnesCount32(a[i]&(1<<i-1))) + b[i]
	}
}

// vop3b lists the instructions of vop3 and vop2 whose VOP3 encoding has a scalar destination where others have modifiers.
var vop3b = map[int]bool{764: true, 765: true, 766: true, 767: true, 768: true, 769: true, 770: true, 288: true, 289: true, 290: true}

// saturating holds the integer instructions for which clamp is emulated: the result stays in range instead of wrapping.
var saturating = map[string]any{
	"v_add_nc_u32":    lanewise.Each2(func(a, b uint32) uint32 { return number.SatU32(uint64(a) + uint64(b)) }),
	"v_sub_nc_u32":    lanewise.Each2(func(a, b uint32) uint32 { return a - min(a, b) }),
	"v_subrev_nc_u32": lanewise.Each2(func(a, b uint32) uint32 { return b - min(a, b) }),
	"v_add_nc_i32":    lanewise.Each2(func(a, b uint32) uint32 { return number.SatI32(int64(int32(a)) + int64(int32(b))) }),
	"v_sub_nc_i32":    lanewise.Each2(func(a, b uint32) uint32 { return number.SatI32(int64(int32(a)) - int64(int32(b))) }),
	"v_add_nc_u16":    lanewise.Each2(func(a, b uint32) uint32 { return uint32(number.SatAddU16(uint16(a), uint16(b))) }),
	"v_sub_nc_u16":    lanewise.Each2(func(a, b uint32) uint32 { return uint32(number.SatSubU16(uint16(a), uint16(b))) }),
	"v_add_nc_i16":    lanewise.Each2(func(a, b uint32) uint32 { return uint32(number.SatAddI16(uint16(a), uint16(b))) }),
	"v_sub_nc_i16":    lanewise.Each2(func(a, b uint32) uint32 { return uint32(number.SatSubI16(uint16(a), uint16(b))) }),
	"v_dot4_u32_u8": lanewise.Each3(func(a, b, c uint32) uint32 {
		return number.SatU32(uint64(number.Dot(a, b, 8, false, false)) + uint64(c))
	}),
	"v_dot8_u32_u4": lanewise.Each3(func(a, b, c uint32) uint32 {
		return number.SatU32(uint64(number.Dot(a, b, 4, false, false)) + uint64(c))
	}),
	"v_pk_add_u16": lanewise.Packed2(number.SatAddU16),
	"v_pk_sub_u16": lanewise.Packed2(number.SatSubU16),
	"v_pk_add_i16": lanewise.Packed2(number.SatAddI16),
	"v_pk_sub_i16": lanewise.Packed2(number.SatSubI16),
}
