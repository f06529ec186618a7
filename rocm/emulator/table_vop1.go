package emulator

import (
	"math"
	"math/bits"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// vop1 is the table of vector instructions with one source. VOP3 has the same at 0x180.
var vop1 = []vop{
	{op: 0, name: "v_nop", sig: "u=", fn: execFn(nop)},
	{op: 1, name: "v_mov_b32", sig: "u=u", fn: lanewise.Op1(func(d, a *lanes) { *d = *a })},
	{op: 2, name: "v_readfirstlane_b32", sig: "u=u", fn: execFn(readFirstLane)},
	{op: 3, name: "v_cvt_i32_f64", sig: "u=d", fn: lanewise.Wide1(func(a uint64) uint64 { return uint64(number.ToI32(dfb(a))) })},
	{op: 4, name: "v_cvt_f64_i32", sig: "d=u", fn: lanewise.Wide1(func(a uint64) uint64 { return dbf(float64(int32(a))) })},
	{op: 5, name: "v_cvt_f32_i32", sig: "f=u", fn: lanewise.Op1(func(d, a *lanes) {
		for i := range d {
			d[i] = bf(float32(int32(a[i])))
		}
	})},
	{op: 6, name: "v_cvt_f32_u32", sig: "f=u", fn: lanewise.Op1(func(d, a *lanes) {
		for i := range d {
			d[i] = bf(float32(a[i]))
		}
	})},
	{op: 7, name: "v_cvt_u32_f32", sig: "u=f", fn: lanewise.Each1(func(a uint32) uint32 { return number.ToU32(float64(fb(a))) })},
	{op: 8, name: "v_cvt_i32_f32", sig: "u=f", fn: lanewise.Each1(func(a uint32) uint32 { return number.ToI32(float64(fb(a))) })},
	{op: 10, name: "v_cvt_f16_f32", sig: "h=f", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(half.ToF16(fb(a))) })},
	{op: 11, name: "v_cvt_f32_f16", sig: "f=h", fn: lanewise.Each1(func(a uint32) uint32 { return bf(number.Quiet(half.FromF16(uint16(a)))) })},
	{op: 12, name: "v_cvt_nearest_i32_f32", sig: "u=f", fn: lanewise.Each1(func(a uint32) uint32 {
		return number.ToI32(math.Floor(float64(fb(a)) + 0.5))
	})},
	{op: 13, name: "v_cvt_floor_i32_f32", sig: "u=f", fn: lanewise.Each1(func(a uint32) uint32 { return number.ToI32(math.Floor(float64(fb(a)))) })},
	{op: 14, name: "v_cvt_off_f32_i4", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(float32(int32(a<<28)>>28) / 16) })},
	{op: 15, name: "v_cvt_f32_f64", sig: "f=d", fn: lanewise.Wide1(func(a uint64) uint64 { return uint64(bf(float32(dfb(a)))) })},
	{op: 16, name: "v_cvt_f64_f32", sig: "d=f", fn: lanewise.Wide1(func(a uint64) uint64 { return dbf(float64(fb(uint32(a)))) })},
	{op: 17, name: "v_cvt_f32_ubyte0", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(float32(a & 255)) })},
	{op: 18, name: "v_cvt_f32_ubyte1", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(float32(a >> 8 & 255)) })},
	{op: 19, name: "v_cvt_f32_ubyte2", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(float32(a >> 16 & 255)) })},
	{op: 20, name: "v_cvt_f32_ubyte3", sig: "f=u", fn: lanewise.Each1(func(a uint32) uint32 { return bf(float32(a >> 24)) })},
	{op: 21, name: "v_cvt_u32_f64", sig: "u=d", fn: lanewise.Wide1(func(a uint64) uint64 { return uint64(number.ToU32(dfb(a))) })},
	{op: 22, name: "v_cvt_f64_u32", sig: "d=u", fn: lanewise.Wide1(func(a uint64) uint64 { return dbf(float64(uint32(a))) })},
	{op: 23, name: "v_trunc_f64", sig: "d=d", fn: lanewise.F64x1(math.Trunc)},
	{op: 24, name: "v_ceil_f64", sig: "d=d", fn: lanewise.F64x1(math.Ceil)},
	{op: 25, name: "v_rndne_f64", sig: "d=d", fn: lanewise.F64x1(math.RoundToEven)},
	{op: 26, name: "v_floor_f64", sig: "d=d", fn: lanewise.F64x1(math.Floor)},
	{op: 27, name: "v_pipeflush", sig: "u=", fn: execFn(nop)},
	{op: 28, name: "v_mov_b16", sig: "s=s", fn: lanewise.Op1(func(d, a *lanes) { *d = *a })},
	{op: 32, name: "v_fract_f32", sig: "f=f", fn: lanewise.F32x1(number.Fract32)},
	{op: 33, name: "v_trunc_f32", sig: "f=f", fn: lanewise.F32x1(number.Trunc)},
	{op: 34, name: "v_ceil_f32", sig: "f=f", fn: lanewise.F32x1(number.Ceil)},
	{op: 35, name: "v_rndne_f32", sig: "f=f", fn: lanewise.F32x1(number.RoundEven)},
	{op: 36, name: "v_floor_f32", sig: "f=f", fn: lanewise.F32x1(number.Floor)},
	{op: 37, name: "v_exp_f32", sig: "f=f", fn: lanewise.F32x1(number.Exp2)},
	{op: 39, name: "v_log_f32", sig: "f=f", fn: lanewise.F32x1(number.Log2)},
	{op: 42, name: "v_rcp_f32", sig: "f=f", fn: lanewise.Op1(func(d, a *lanes) {
		for i := range d {
			d[i] = bf(number.Rcp(fb(a[i])))
		}
	})},
	{op: 43, name: "v_rcp_iflag_f32", sig: "f=f", fn: lanewise.F32x1(number.Rcp)},
	{op: 46, name: "v_rsq_f32", sig: "f=f", fn: lanewise.F32x1(number.Rsq)},
	{op: 47, name: "v_rcp_f64", sig: "d=d", fn: lanewise.F64x1(func(a float64) float64 { return 1 / a })},
	{op: 49, name: "v_rsq_f64", sig: "d=d", fn: lanewise.F64x1(func(a float64) float64 { return 1 / math.Sqrt(a) })},
	{op: 51, name: "v_sqrt_f32", sig: "f=f", fn: lanewise.F32x1(number.Sqrt)},
	{op: 52, name: "v_sqrt_f64", sig: "d=d", fn: lanewise.F64x1(math.Sqrt)},
	{op: 53, name: "v_sin_f32", sig: "f=f", fn: lanewise.F32x1(number.SinTurns)},
	{op: 54, name: "v_cos_f32", sig: "f=f", fn: lanewise.F32x1(number.CosTurns)},
	{op: 55, name: "v_not_b32", sig: "u=u", fn: lanewise.Each1(func(a uint32) uint32 { return ^a })},
	{op: 56, name: "v_bfrev_b32", sig: "u=u", fn: lanewise.Each1(bits.Reverse32)},
	{op: 57, name: "v_clz_i32_u32", sig: "u=u", fn: lanewise.Each1(number.CLZ32)},
	{op: 58, name: "v_ctz_i32_b32", sig: "u=u", fn: lanewise.Each1(number.CTZ32)},
	{op: 59, name: "v_cls_i32", sig: "u=u", fn: lanewise.Each1(number.CLS32)},
	{op: 60, name: "v_frexp_exp_i32_f64", sig: "u=d", fn: lanewise.Wide1(number.FrexpExp64)},
	{op: 61, name: "v_frexp_mant_f64", sig: "d=d", fn: lanewise.F64x1(number.FrexpMant64)},
	{op: 62, name: "v_fract_f64", sig: "d=d", fn: lanewise.F64x1(number.Fract64)},
	{op: 63, name: "v_frexp_exp_i32_f32", sig: "u=f", fn: lanewise.Each1(number.FrexpExp32)},
	{op: 64, name: "v_frexp_mant_f32", sig: "f=f", fn: lanewise.F32x1(number.FrexpMant32)},
	{op: 66, name: "v_movreld_b32", sig: "u=u", fn: execFn(movRelDest)},
	{op: 67, name: "v_movrels_b32", sig: "u=u", fn: execFn(movRelSource)},
	{op: 68, name: "v_movrelsd_b32", sig: "u=u", fn: execFn(movRelBoth)},
	{op: 72, name: "v_movrelsd_2_b32", sig: "u=u", fn: execFn(movRelTwo)},
	{op: 80, name: "v_cvt_f16_u16", sig: "h=s", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(half.ToF16(float32(uint16(a)))) })},
	{op: 81, name: "v_cvt_f16_i16", sig: "h=s", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(half.ToF16(float32(int16(a)))) })},
	{op: 82, name: "v_cvt_u16_f16", sig: "s=h", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(number.ToU16(float64(half.FromF16(uint16(a))))) })},
	{op: 83, name: "v_cvt_i16_f16", sig: "s=h", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(number.ToI16(float64(half.FromF16(uint16(a))))) })},
	{op: 84, name: "v_rcp_f16", sig: "h=h", fn: lanewise.F16x1(number.Rcp)},
	{op: 85, name: "v_sqrt_f16", sig: "h=h", fn: lanewise.F16x1(number.Sqrt)},
	{op: 86, name: "v_rsq_f16", sig: "h=h", fn: lanewise.F16x1(number.Rsq)},
	{op: 87, name: "v_log_f16", sig: "h=h", fn: lanewise.F16x1(number.Log2)},
	{op: 88, name: "v_exp_f16", sig: "h=h", fn: lanewise.F16x1(number.Exp2)},
	{op: 89, name: "v_frexp_mant_f16", sig: "h=h", fn: lanewise.F16x1(number.FrexpMant32)},
	{op: 90, name: "v_frexp_exp_i16_f16", sig: "s=h", fn: lanewise.Each1(func(a uint32) uint32 { return number.FrexpExp32(bf(half.FromF16(uint16(a)))) })},
	{op: 91, name: "v_floor_f16", sig: "h=h", fn: lanewise.F16x1(number.Floor)},
	{op: 92, name: "v_ceil_f16", sig: "h=h", fn: lanewise.F16x1(number.Ceil)},
	{op: 93, name: "v_trunc_f16", sig: "h=h", fn: lanewise.F16x1(number.Trunc)},
	{op: 94, name: "v_rndne_f16", sig: "h=h", fn: lanewise.F16x1(number.RoundEven)},
	{op: 95, name: "v_fract_f16", sig: "h=h", fn: lanewise.F16x1(func(x float32) float32 { return min(number.Fract32(x), 0x1.ffcp-1) })},
	{op: 96, name: "v_sin_f16", sig: "h=h", fn: lanewise.F16x1(number.SinTurns)},
	{op: 97, name: "v_cos_f16", sig: "h=h", fn: lanewise.F16x1(number.CosTurns)},
	{op: 98, name: "v_sat_pk_u8_i16", sig: "s=u", fn: lanewise.Each1(func(a uint32) uint32 {
		return uint32(min(max(int16(a), 0), 255)) | uint32(min(max(int16(a>>16), 0), 255))<<8
	})},
	{op: 99, name: "v_cvt_norm_i16_f16", sig: "s=h", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(number.NormI16(half.FromF16(uint16(a)))) })},
	{op: 100, name: "v_cvt_norm_u16_f16", sig: "s=h", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(number.NormU16(half.FromF16(uint16(a)))) })},
	{op: 101, name: "v_swap_b32", sig: "u=u", fn: execFn(swapLanes)},
	{op: 103, name: "v_permlane64_b32", sig: "u=u", fn: lanewise.Op1(func(d, a *lanes) { *d = *a })}, // no other half in wave32
	{op: 104, name: "v_swaprel_b32", sig: "u=u", fn: execFn(swapRel)},
	{op: 105, name: "v_not_b16", sig: "s=s", fn: lanewise.Each1(func(a uint32) uint32 { return ^a })},
	{op: 106, name: "v_cvt_i32_i16", sig: "u=s", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(int16(a)) })},
	{op: 107, name: "v_cvt_u32_u16", sig: "u=s", fn: lanewise.Each1(func(a uint32) uint32 { return uint32(uint16(a)) })},
}
