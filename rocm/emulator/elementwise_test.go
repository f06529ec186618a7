package emulator

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// Values that every float kernel sees, in all pairs, besides random ones.
var (
	specialF32 = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -2.5, 3.5, 1e-40, -1e-45, 0x1p-126, 3.4028235e38, -3.4028235e38, 1e30, 1e-30,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 2147483648, -2147483904, 8388609, 0x1p64, 65504, 65519.996, 65520, 0x1p-24, 0x1p-25, 6e-8}
	specialF64 = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -2.5, 3, 5e-324, -1e-310, 0x1p-1022, math.MaxFloat64, -math.MaxFloat64, 1e300, 1e-300,
		math.Inf(1), math.Inf(-1), math.NaN(), 1 << 53, 1<<63 - 1, -1 << 63, 1e19, 65519.99999999, 1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40}
	specialI64 = []int64{0, 1, -1, 2, 7, -7, 10, 1000003, math.MaxInt32, math.MinInt32, 1 << 32, 1<<32 + 1, math.MaxInt64, math.MinInt64, -1 << 40, 63, 33}
)

func pairs[T any](special []T, random func(r *rand.Rand) T) (a, b []T) {
	for _, x := range special {
		for _, y := range special {
			a, b = append(a, x), append(b, y)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		a, b = append(a, random(r)), append(b, random(r))
	}
	return a, b
}

func randomF32(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32()) }
func randomF64(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64()) }
func randomI64(r *rand.Rand) int64   { return int64(r.Uint64() >> (r.Uint32() % 64)) }

// elementwise runs a kernel of two inputs on pairs and compares each result.
func elementwise[T, R any](name string, a, b []T, want func(x, y T) R, same func(got, want R) bool) func(*device, *testing.T) {
	return func(d *device, t *testing.T) {
		n := len(a)
		out := put(d, make([]R, n))
		d.mustLaunch(name, (n+255)/256, 256, put(d, a), put(d, b), out, int32(n))
		compareAll(t, name, get[R](d, out, n), func(i int) R { return want(a[i], b[i]) }, same, func(i int) []any { return []any{a[i], b[i]} })
	}
}

func compareAll[R any](t *testing.T, name string, got []R, want func(i int) R, same func(got, want R) bool, args func(i int) []any) {
	t.Helper()
	bad := 0
	for i, g := range got {
		if w := want(i); !same(g, w) {
			if bad++; bad <= 5 {
				t.Errorf("%s%v = %v, want %v", name, args(i), g, w)
			}
		}
	}
	if bad > 5 {
		t.Errorf("%s: %d of %d results are wrong", name, bad, len(got))
	}
}

// unary is elementwise for kernels of one input.
func unary[T, R any](name string, a []T, want func(x T) R, same func(got, want R) bool) func(*device, *testing.T) {
	return func(d *device, t *testing.T) {
		n := len(a)
		out := put(d, make([]R, n))
		d.mustLaunch(name, (n+255)/256, 256, put(d, a), out, int32(n))
		compareAll(t, name, get[R](d, out, n), func(i int) R { return want(a[i]) }, same, func(i int) []any { return []any{a[i]} })
	}
}

func exact[R comparable](got, want R) bool { return got == want }

func sameF32(got, want float32) bool {
	return math.Float32bits(got) == math.Float32bits(want) || got != got && want != want
}

func sameF64(got, want float64) bool {
	return math.Float64bits(got) == math.Float64bits(want) || got != got && want != want
}

func sameF16(got, want uint16) bool {
	return got == want || got&0x7fff > 0x7c00 && want&0x7fff > 0x7c00
}

// within accepts an error of n units in the last place.
func within(n int64) func(got, want float32) bool {
	order := func(f float32) int64 {
		if u := math.Float32bits(f); u>>31 != 0 {
			return -int64(u & (1<<31 - 1))
		} else {
			return int64(u)
		}
	}
	return func(got, want float32) bool {
		diff := order(got) - order(want)
		return sameF32(got, want) || diff >= -n && diff <= n
	}
}

func TestElementwise(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	fa, fb32 := pairs(specialF32, randomF32)
	da, db := pairs(specialF64, randomF64)
	ia, ib := pairs(specialI64, randomI64)
	convert := func(s []int64) (u []uint64, i32s []int32, u32s []uint32) {
		for _, x := range s {
			u, i32s, u32s = append(u, uint64(x)), append(i32s, int32(x)), append(u32s, uint32(x))
		}
		return
	}
	ua, i32a, u32a := convert(ia)
	ub, i32b, u32b := convert(ib)
	for i := range ib { // divisors
		if ib[i] == 0 || ia[i] == math.MinInt64 && ib[i] == -1 {
			ib[i], ub[i] = 3, 3
		}
		if i32b[i] == 0 || i32a[i] == math.MinInt32 && i32b[i] == -1 {
			i32b[i] = 3
		}
		if u32b[i] == 0 {
			u32b[i] = 3
		}
	}
	var ha, hb []uint16
	for i := range fa {
		ha, hb = append(ha, half.ToF16(fa[i])), append(hb, half.ToF16(fb32[i]))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		ha, hb = append(ha, uint16(r.Uint32())), append(hb, uint16(r.Uint32()))
	}
	f16 := func(f func(x, y float64) float64) func(x, y uint16) uint16 {
		return func(x, y uint16) uint16 { return half.OddToF16(f(float64(half.FromF16(x)), float64(half.FromF16(y)))) }
	}
	positive := func(s []float32) []float32 {
		var p []float32
		for _, x := range s {
			p = append(p, x, float32(math.Abs(float64(x))))
		}
		return p
	}
	expArgs := append([]float32{0, 1, -1, 88, -87, -103, 89, -104}, fa...)
	for i := range 500 {
		expArgs = append(expArgs, float32(i-250)*0.37)
	}
	tests := map[string]func(*device, *testing.T){
		"add_f32":      elementwise("add_f32", fa, fb32, func(x, y float32) float32 { return x + y }, sameF32),
		"div_f32":      elementwise("div_f32", fa, fb32, func(x, y float32) float32 { return x / y }, sameF32),
		"div_f64":      elementwise("div_f64", da, db, func(x, y float64) float64 { return x / y }, sameF64),
		"add_f16":      elementwise("add_f16", ha, hb, f16(func(x, y float64) float64 { return x + y }), sameF16),
		"div_f16":      elementwise("div_f16", ha, hb, f16(func(x, y float64) float64 { return x / y }), sameF16),
		"fma_f32":      elementwise("fma_f32", fa, fb32, func(x, y float32) float32 { return bigFMA(x, y, -x) }, sameF32),
		"fma_f64":      elementwise("fma_f64", da, db, func(x, y float64) float64 { return math.FMA(x, y, -x) }, sameF64),
		"fma_f16":      elementwise("fma_f16", ha, hb, func(x, y uint16) uint16 { return bigFMA16(x, y, x^0x8000) }, sameF16),
		"max_f32":      elementwise("max_f32", fa, fb32, refMax, sameF32),
		"min_f64":      elementwise("min_f64", da, db, refMin, sameF64),
		"less_f64":     elementwise("less_f64", da, db, func(x, y float64) int32 { return int32(b2u(x < y)) }, exact[int32]),
		"div_i32":      elementwise("div_i32", i32a, i32b, func(x, y int32) int32 { return x / y }, exact[int32]),
		"mod_u32":      elementwise("mod_u32", u32a, u32b, func(x, y uint32) uint32 { return x % y }, exact[uint32]),
		"div_i64":      elementwise("div_i64", ia, ib, func(x, y int64) int64 { return x / y }, exact[int64]),
		"mod_i64":      elementwise("mod_i64", ia, ib, func(x, y int64) int64 { return x % y }, exact[int64]),
		"div_u64":      elementwise("div_u64", ua, ub, func(x, y uint64) uint64 { return x / y }, exact[uint64]),
		"mul_i64":      elementwise("mul_i64", ia, ib, func(x, y int64) int64 { return x * y }, exact[int64]),
		"mulhi_u64":    elementwise("mulhi_u64", ua, ub, func(x, y uint64) uint64 { h, _ := bits.Mul64(x, y); return h }, exact[uint64]),
		"shl_i64":      elementwise("shl_i64", ia, ib, func(x, y int64) int64 { return x << (y & 63) }, exact[int64]),
		"sar_i64":      elementwise("sar_i64", ia, ib, func(x, y int64) int64 { return x >> (y & 63) }, exact[int64]),
		"less_i64":     elementwise("less_i64", ia, ib, func(x, y int64) int32 { return int32(b2u(x < y)) }, exact[int32]),
		"less_u64":     elementwise("less_u64", ua, ub, func(x, y uint64) int32 { return int32(b2u(x < y)) }, exact[int32]),
		"sat_add_i32":  elementwise("sat_add_i32", i32a, i32b, func(x, y int32) int32 { return int32(min(max(int64(x)+int64(y), math.MinInt32), math.MaxInt32)) }, exact[int32]),
		"sat_sub_u32":  elementwise("sat_sub_u32", u32a, u32b, func(x, y uint32) uint32 { return x - min(x, y) }, exact[uint32]),
		"rotate_u32":   elementwise("rotate_u32", u32a, u32b, func(x, y uint32) uint32 { return bits.RotateLeft32(x, int(y&31)) }, exact[uint32]),
		"min_i32":      elementwise("min_i32", i32a, i32b, func(x, y int32) int32 { return min(x, y) }, exact[int32]),
		"pk_max_i16":   elementwise("pk_max_i16", u32a, u32b, refPackedMax, exact[uint32]),
		"pk_fma_f16":   elementwise("pk_fma_f16", packF16(ha), packF16(hb), refPackedFMA, samePackedF16),
		"class_f32":    elementwise("class_f32", fa, fb32, func(x, _ float32) uint32 { return refClass(x) }, exact[uint32]),
		"exp_f32":      unary("exp_f32", expArgs, func(x float32) float32 { return float32(math.Exp(float64(x))) }, within(2)),
		"log_f32":      unary("log_f32", positive(fa), func(x float32) float32 { return float32(math.Log(float64(x))) }, within(2)),
		"sqrt_f32":     unary("sqrt_f32", positive(fa), func(x float32) float32 { return float32(math.Sqrt(float64(x))) }, sameF32),
		"sqrt_f64":     unary("sqrt_f64", da, math.Sqrt, sameF64),
		"sqrt_f16":     unary("sqrt_f16", ha, func(x uint16) uint16 { return half.OddToF16(math.Sqrt(float64(half.FromF16(x)))) }, sameF16),
		"floor_f32":    unary("floor_f32", fa, func(x float32) float32 { return float32(math.Floor(float64(x))) }, sameF32),
		"ceil_f32":     unary("ceil_f32", fa, func(x float32) float32 { return float32(math.Ceil(float64(x))) }, sameF32),
		"trunc_f32":    unary("trunc_f32", fa, func(x float32) float32 { return float32(math.Trunc(float64(x))) }, sameF32),
		"rint_f32":     unary("rint_f32", fa, func(x float32) float32 { return float32(math.RoundToEven(float64(x))) }, sameF32),
		"round_f32":    unary("round_f32", fa, func(x float32) float32 { return float32(math.Round(float64(x))) }, sameF32),
		"floor_f64":    unary("floor_f64", da, math.Floor, sameF64),
		"rint_f64":     unary("rint_f64", da, math.RoundToEven, sameF64),
		"frexp_f32":    unary("frexp_f32", fa, func(x float32) float32 { m, e := math.Frexp(float64(x)); return float32(m) + float32(e) }, sameF32),
		"frexp_f64":    unary("frexp_f64", da, func(x float64) float64 { m, e := math.Frexp(x); return m + float64(e) }, sameF64),
		"popcount_u32": unary("popcount_u32", u32a, func(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }, exact[uint32]),
		"clz_u32":      unary("clz_u32", u32a, func(x uint32) uint32 { return uint32(bits.LeadingZeros32(x)) }, exact[uint32]),
		"ctz_u64":      unary("ctz_u64", ua, func(x uint64) uint64 { return uint64(bits.TrailingZeros64(x)) }, exact[uint64]),
		"reverse_u32":  unary("reverse_u32", u32a, bits.Reverse32, exact[uint32]),
		"bswap_u32":    unary("bswap_u32", u32a, bits.ReverseBytes32, exact[uint32]),
		"cast_f32_i32": unary("cast_f32_i32", inRange(fa, 31), func(x float32) int32 { return int32(x) }, exact[int32]),
		"cast_f32_i64": unary("cast_f32_i64", inRange(fa, 63), func(x float32) int64 { return int64(x) }, exact[int64]),
		"cast_f64_i64": unary("cast_f64_i64", inRange(da, 63), func(x float64) int64 { return int64(x) }, exact[int64]),
		"cast_i64_f32": unary("cast_i64_f32", ia, func(x int64) float32 { return float32(x) }, sameF32),
		"cast_u64_f64": unary("cast_u64_f64", ua, func(x uint64) float64 { return float64(x) }, sameF64),
		"cast_f32_f16": unary("cast_f32_f16", fa, refF16, sameF16),
		"cast_f16_f32": unary("cast_f16_f32", ha, half.FromF16, sameF32),
		"cast_f64_f32": unary("cast_f64_f32", da, func(x float64) float32 { return float32(x) }, sameF32),
		"cast_f64_f16": unary("cast_f64_f16", da, half.OddToF16, sameF16),
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(d, t) })
	}
}

func inRange[T float32 | float64](s []T, bits int) []T {
	var in []T
	for _, x := range s {
		if math.Abs(float64(x)) < math.Ldexp(1, bits) {
			in = append(in, x)
		}
	}
	return in
}
