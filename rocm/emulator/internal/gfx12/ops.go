package gfx12

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Op computes one number, with sources and results as their bits. Sig has the kinds of its operands as the tables of
// package emulator have them. Scalar operations begin with s_, those of vectors with v_.
type Op struct {
	Name, Sig string
	F         func(a, b, c uint32) uint32
}

var (
	bits   = math.Float32bits
	float  = math.Float32frombits
	bits64 = math.Float64bits
	f64    = math.Float64frombits
)

// f32 and f16 make operations of functions of floats. An f16 is the float that has its value.
func f32(f func(a, b, c float32) float32) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 { return bits(f(float(a), float(b), float(c))) }
}

func f16(f func(a, b, c float32) float32) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 { return uint32(half.ToF16(f(fromF16(a), fromF16(b), fromF16(c)))) }
}

func fromF16(a uint32) float32 { return half.FromF16(uint16(a)) }

func fma(a, b, c float32) float32 { return number.FMA32(a, b, c) }

func minimum[T float32 | float64](a, b T) T {
	if a != a || b != b {
		return a + b
	}
	return number.MinNum(a, b)
}

func maximum[T float32 | float64](a, b T) T {
	if a != a || b != b {
		return a + b
	}
	return number.MaxNum(a, b)
}

// floats are operations that there are for f32 and f16, in the names of which * is the type. Their sources are floats.
var floats = []struct {
	name    string
	sources int
	f       func(a, b, c float32) float32
}{
	{"s_ceil_*", 1, func(a, _, _ float32) float32 { return number.Ceil(a) }},
	{"s_floor_*", 1, func(a, _, _ float32) float32 { return number.Floor(a) }},
	{"s_trunc_*", 1, func(a, _, _ float32) float32 { return number.Trunc(a) }},
	{"s_rndne_*", 1, func(a, _, _ float32) float32 { return number.RoundEven(a) }},
	{"s_add_*", 2, func(a, b, _ float32) float32 { return a + b }},
	{"s_sub_*", 2, func(a, b, _ float32) float32 { return a - b }},
	{"s_mul_*", 2, func(a, b, _ float32) float32 { return a * b }},
	{"s_min_num_*", 2, func(a, b, _ float32) float32 { return number.MinNum(a, b) }},
	{"s_max_num_*", 2, func(a, b, _ float32) float32 { return number.MaxNum(a, b) }},
	{"s_minimum_*", 2, func(a, b, _ float32) float32 { return minimum(a, b) }},
	{"s_maximum_*", 2, func(a, b, _ float32) float32 { return maximum(a, b) }},
	{"v_minimum_*", 2, func(a, b, _ float32) float32 { return minimum(a, b) }},
	{"v_maximum_*", 2, func(a, b, _ float32) float32 { return maximum(a, b) }},
	{"v_minimum3_*", 3, func(a, b, c float32) float32 { return minimum(minimum(a, b), c) }},
	{"v_maximum3_*", 3, func(a, b, c float32) float32 { return maximum(maximum(a, b), c) }},
	{"v_minimummaximum_*", 3, func(a, b, c float32) float32 { return maximum(minimum(a, b), c) }},
	{"v_maximumminimum_*", 3, func(a, b, c float32) float32 { return minimum(maximum(a, b), c) }},
	{"v_s_exp_*", 1, func(a, _, _ float32) float32 { return number.Exp2(a) }},
	{"v_s_log_*", 1, func(a, _, _ float32) float32 { return number.Log2(a) }},
	{"v_s_rcp_*", 1, func(a, _, _ float32) float32 { return number.Rcp(a) }},
	{"v_s_rsq_*", 1, func(a, _, _ float32) float32 { return number.Rsq(a) }},
	{"v_s_sqrt_*", 1, func(a, _, _ float32) float32 { return number.Sqrt(a) }},
}

// Ops are the operations with results of one word.
var Ops = func() []Op {
	all := []Op{
		{"s_cvt_f32_i32", "f=u", func(a, _, _ uint32) uint32 { return bits(float32(int32(a))) }},
		{"s_cvt_f32_u32", "f=u", func(a, _, _ uint32) uint32 { return bits(float32(a)) }},
		{"s_cvt_i32_f32", "u=f", func(a, _, _ uint32) uint32 { return number.ToI32(float64(float(a))) }},
		{"s_cvt_u32_f32", "u=f", func(a, _, _ uint32) uint32 { return number.ToU32(float64(float(a))) }},
		{"s_cvt_f16_f32", "h=f", func(a, _, _ uint32) uint32 { return uint32(half.ToF16(float(a))) }},
		{"s_cvt_f32_f16", "f=h", func(a, _, _ uint32) uint32 { return bits(number.Quiet(fromF16(a))) }},
		{"s_cvt_hi_f32_f16", "f=u", func(a, _, _ uint32) uint32 { return bits(number.Quiet(fromF16(a >> 16))) }},
		{"s_cvt_pk_rtz_f16_f32", "u=ff", func(a, b, _ uint32) uint32 {
			return uint32(half.ToF16Zero(float(a))) | uint32(half.ToF16Zero(float(b)))<<16
		}},
		{"s_fmac_f32", "f=ffD", f32(fma)},
		{"s_fmaak_f32", "f=ffK", f32(fma)},
		{"s_fmamk_f32", "f=fKf", f32(fma)},
		{"s_fmac_f16", "h=hhD", func(a, b, c uint32) uint32 { return uint32(number.FMA16(uint16(a), uint16(b), uint16(c))) }},
		{"v_pk_minimum_f16", "u=pp", packed(func(a, b, _ float32) float32 { return minimum(a, b) })},
		{"v_pk_maximum_f16", "u=pp", packed(func(a, b, _ float32) float32 { return maximum(a, b) })},
		{"v_cvt_f32_e4m3", "f=u", func(a, _, _ uint32) uint32 { return bits(FromE4M3(uint8(a))) }},
		{"v_cvt_f32_e5m2", "f=u", func(a, _, _ uint32) uint32 { return bits(FromE5M2(uint8(a))) }},
		{"v_dot4_f32_fp8_bf8", "f=uuf", dot4(FromE4M3, FromE5M2)},
		{"v_dot4_f32_bf8_fp8", "f=uuf", dot4(FromE5M2, FromE4M3)},
		{"v_dot4_f32_fp8_fp8", "f=uuf", dot4(FromE4M3, FromE4M3)},
		{"v_dot4_f32_bf8_bf8", "f=uuf", dot4(FromE5M2, FromE5M2)},
	}
	for _, op := range floats {
		name := op.name[:len(op.name)-1]
		all = append(all, Op{name + "f32", "f=" + "fff"[:op.sources], f32(op.f)},
			Op{name + "f16", "h=" + "hhh"[:op.sources], f16(op.f)})
	}
	return all
}()

// packed makes an operation on two f16.
func packed(f func(a, b, c float32) float32) func(a, b, c uint32) uint32 {
	lane := f16(f)
	return func(a, b, c uint32) uint32 { return lane(a, b, c) | lane(a>>16, b>>16, c>>16)<<16 }
}

// dot4 adds the products of four pairs of bytes to c, one after another.
func dot4(left, right func(uint8) float32) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 {
		sum := float(c)
		for k := 0; k < 32; k += 8 {
			sum = float32(sum + float32(left(uint8(a>>k))*right(uint8(b>>k))))
		}
		return bits(sum)
	}
}

// Op64 is an operation with a result of two words, on such sources or, of kind u, on words.
type Op64 struct {
	Name, Sig string
	F         func(a, b uint64) uint64
}

// Ops64 are the operations with results of two words.
var Ops64 = []Op64{
	{"s_add_nc_u64", "q=qq", func(a, b uint64) uint64 { return a + b }},
	{"s_sub_nc_u64", "q=qq", func(a, b uint64) uint64 { return a - b }},
	{"s_mul_u64", "q=qq", func(a, b uint64) uint64 { return a * b }},
	{"v_minimum_f64", "d=dd", func(a, b uint64) uint64 { return bits64(minimum(f64(a), f64(b))) }},
	{"v_maximum_f64", "d=dd", func(a, b uint64) uint64 { return bits64(maximum(f64(a), f64(b))) }},
	{"v_cvt_pk_f32_e4m3", "q=s", pair(FromE4M3)},
	{"v_cvt_pk_f32_e5m2", "q=s", pair(FromE5M2)},
}

// pair converts the two lower bytes of a.
func pair(of func(uint8) float32) func(a, b uint64) uint64 {
	return func(a, _ uint64) uint64 { return uint64(bits(of(uint8(a)))) | uint64(bits(of(uint8(a>>8))))<<32 }
}

// FromE4M3 converts a float of 8 bits that LLVM calls fp8: 4 bits of exponent, whose bias is 7, and no infinities.
func FromE4M3(x uint8) float32 {
	sign := uint32(x&0x80) << 24
	switch e, m := uint32(x>>3&15), uint32(x&7); {
	case x&0x7f == 0x7f:
		return float(sign | 0x7fc00000)
	case e == 0:
		return float(sign | bits(float32(m)*0x1p-9))
	default:
		return float(sign | (e+120)<<23 | m<<20)
	}
}

// FromE5M2 converts a float of 8 bits that LLVM calls bf8: the upper half of an f16.
func FromE5M2(x uint8) float32 { return number.Quiet(half.FromF16(uint16(x) << 8)) }

// Compares are the scalar compares of floats: what they compare, as f32, and whether the result is true.
func Compares() map[string]func(a, b float32) bool {
	unordered := func(a, b float32) bool { return a != a || b != b }
	all := map[string]func(a, b float32) bool{
		"lt": func(a, b float32) bool { return a < b }, "eq": func(a, b float32) bool { return a == b },
		"le": func(a, b float32) bool { return a <= b }, "gt": func(a, b float32) bool { return a > b },
		"lg": func(a, b float32) bool { return a < b || a > b }, "ge": func(a, b float32) bool { return a >= b },
		"o":   func(a, b float32) bool { return !unordered(a, b) },
		"u":   unordered,
		"nge": func(a, b float32) bool { return !(a >= b) }, "nlg": func(a, b float32) bool { return !(a < b || a > b) },
		"ngt": func(a, b float32) bool { return !(a > b) }, "nle": func(a, b float32) bool { return !(a <= b) },
		"neq": func(a, b float32) bool { return a != b }, "nlt": func(a, b float32) bool { return !(a < b) },
	}
	return all
}
