package rocm

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// evaluate compiles a kernel that stores each expression as a double, and returns what a work-item of a block of 64 stores.
func evaluate(t *testing.T, before, setup string, expressions []string, items int) [][]float64 {
	t.Helper()
	d := withCompiler(t)
	if r, err := compile.LoadHIPRTC(); err == nil && r.Major == 5 && r.Minor >= 7 {
		// __hadd, __rhadd and h2exp2 compute something else there, and clock64 does not compile for gfx1100.
		t.Skipf("hiprtc %d.%d has mistakes in its own headers", r.Major, r.Minor)
	}
	var b strings.Builder
	b.WriteString(before + "\nextern \"C\" __global__ void evaluated(double *out) {\n  const unsigned item = threadIdx.x;\n" + setup + "\n")
	for i, e := range expressions {
		fmt.Fprintf(&b, "#line 1 \"%s\"\n  out[%d + item] = (double)(%s);\n", strings.NewReplacer(`"`, "'", `\`, "/").Replace(e), i*items, e)
	}
	b.WriteString("}\n")
	k, err := Compile("evaluated", b.String())
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Alloc(8 * items * len(expressions))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	if err := k.LaunchGrid([3]int{1, 1, 1}, [3]int{items, 1, 1}, 0, floats{out, "f64", items * len(expressions)}); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 8*items*len(expressions))
	if err := out.Download(raw, 0); err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(expressions))
	for i := range values {
		for j := range items {
			values[i] = append(values[i], math.Float64frombits(binary.LittleEndian.Uint64(raw[8*(i*items+j):])))
		}
	}
	return values
}

// byHIPRTC says whether AMD's compiler compiles: mathematics is AMD's then.
func byHIPRTC(t *testing.T) bool {
	c, err := targetOf(withCompiler(t)).Compiler()
	r, ok := c.(*compile.RTC)
	return err == nil && ok && r.Platform == driver.HIP
}

// apart is the distance of two numbers in units in the last place of the second.
func apart(got, want float64, float bool) float64 {
	switch {
	case got == want, got != got && want != want:
		return 0
	case got != got || want != want || math.IsInf(got, 0) || math.IsInf(want, 0):
		return math.Inf(1)
	}
	unit := math.Abs(math.Nextafter(want, math.Inf(1)) - want)
	if float {
		w := float32(want)
		unit = math.Abs(float64(math.Nextafter32(w, float32(math.Inf(1))) - w))
	}
	return math.Abs(got-want) / unit
}

var someNumbers = []float64{0, math.Copysign(0, -1), 1e-300, -1e-20, 1e-9, 0.001, -0.1, 0.25, 0.3, -0.5, 0.5, 0.7, 0.9, -0.999, 1, -1, 1.25, 1.5, 2, -2, 2.5, 3, 3.14159, -4.5, 5, 7.25,
	10, -13.7, 20, 26, 33.3, 100, -120.5, 170, 1000, 1e6, -1e10, 1e22, 1e200, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 0x1p-1022, 1 - 0x1p-53, 1 + 0x1p-52}

// TestHIPMath compares the functions of one number with Go's, in double and in float, to a number of units in the last place.
func TestHIPMath(t *testing.T) {
	quantile := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	gamma := func(x float64) float64 {
		if math.IsInf(x, -1) {
			return math.Inf(-1) // C leaves it open
		}
		return math.Gamma(x)
	}
	log2 := func(x float64) float64 {
		if math.Abs(x-1) < 0.1 {
			return math.Log1p(x-1) / math.Ln2
		}
		return math.Log2(x)
	}
	sinpi := func(x float64) float64 {
		r := math.Remainder(x, 2) // from -1 to 1
		if a := math.Abs(r); a > 0.5 {
			r = math.Copysign(1-a, x)
			if math.Signbit(math.Remainder(x, 2)) != math.Signbit(x) && a != 1 {
				r = -r
			}
		}
		return math.Sin(math.Pi * r)
	}
	functions := []struct {
		name string
		ref  func(float64) float64
		ulps float64 // in double; in float it is one
		low  float64 // the range that is compared
		high float64
	}{
		{"exp2", math.Exp2, 2, -2000, 2000}, {"exp10", func(x float64) float64 { return math.Pow(10, x) }, 3, -400, 400}, {"log2", log2, 2, math.Inf(-1), math.Inf(1)},
		{"log10", math.Log10, 2, 0x1p-1022, math.Inf(1)}, {"log1p", math.Log1p, 3, math.Inf(-1), math.Inf(1)}, {"cbrt", math.Cbrt, 2, math.Inf(-1), math.Inf(1)},
		{"atan", math.Atan, 2, math.Inf(-1), math.Inf(1)}, {"asin", math.Asin, 3, -2, 2}, {"acos", math.Acos, 3, -2, 2},
		{"sinh", math.Sinh, 4, math.Inf(-1), math.Inf(1)}, {"cosh", math.Cosh, 4, math.Inf(-1), math.Inf(1)}, {"asinh", math.Asinh, 4, math.Inf(-1), math.Inf(1)},
		{"acosh", math.Acosh, 4, math.Inf(-1), math.Inf(1)}, {"atanh", math.Atanh, 5, math.Inf(-1), math.Inf(1)},
		{"erfc", math.Erfc, 6, math.Inf(-1), math.Inf(1)}, {"erfinv", math.Erfinv, 60, -0.999, 0.999}, {"erfcinv", math.Erfcinv, 60, 0.01, 1.99},
		{"normcdf", func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }, 40, -9, 9}, {"normcdfinv", quantile, 60, 0.01, 0.99},
		{"lgamma", func(x float64) float64 { y, _ := math.Lgamma(x); return y }, 200, 1e-9, 1e200}, {"tgamma", gamma, 1500, math.Inf(-1), math.Inf(1)},
		{"round", math.Round, 0, math.Inf(-1), math.Inf(1)}, {"nearbyint", math.RoundToEven, 0, math.Inf(-1), math.Inf(1)}, {"logb", math.Logb, 0, math.Inf(-1), math.Inf(1)},
		{"sin", math.Sin, 1, -1e6, 1e6}, {"tanh", math.Tanh, 3, math.Inf(-1), math.Inf(1)},
		{"sinpi", sinpi, 2, -8, 8}, {"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 2, 1e-300, 1e300},
	}
	inputs := make([]string, len(someNumbers))
	for i, x := range someNumbers {
		inputs[i] = fmt.Sprintf("__builtin_bit_cast(double, 0x%xull)", math.Float64bits(x))
	}
	setup := "  const double x = (const double[]){" + strings.Join(inputs, ", ") + "}[item];\n"
	var calls []string
	for _, f := range functions {
		calls = append(calls, f.name+"(x)", f.name+"((float)x)")
		if f.name != "rsqrt" {
			calls[len(calls)-1] = f.name + "f((float)x)"
		}
	}
	got := evaluate(t, "#include <cmath>", setup, calls, len(someNumbers))
	for i, f := range functions {
		for j, x := range someNumbers {
			if x < f.low || x > f.high {
				continue
			}
			if off := apart(got[2*i][j], f.ref(x), false); off > f.ulps && math.Abs(got[2*i][j]-f.ref(x)) > 1e-300 && !(f.name == "lgamma" && math.Abs(got[2*i][j]-f.ref(x)) < 2e-15) {
				t.Errorf("%s(%g) is %v, want %v: %.3g units in the last place off", f.name, x, got[2*i][j], f.ref(x), off)
			}
			x = float64(float32(x))
			if x < f.low || x > f.high {
				continue
			}
			want := float64(float32(f.ref(x)))
			most := 1.0
			if f.name == "tgamma" && byHIPRTC(t) {
				most = 4 // AMD's device library
			}
			if off := apart(got[2*i+1][j], want, true); off > most && math.Abs(got[2*i+1][j]-want) > 2e-15 {
				t.Errorf("%sf(%g) is %v, want %v: %.3g units in the last place off", f.name, x, got[2*i+1][j], want, off)
			}
		}
	}
}

func TestHIPMathOfTwo(t *testing.T) {
	functions := []struct {
		name string
		ref  func(x, y float64) float64
		ulps float64
	}{
		{"fmod", math.Mod, 0}, {"remainder", math.Remainder, 0}, {"atan2", math.Atan2, 2}, {"hypot", math.Hypot, 1}, {"copysign", math.Copysign, 0}, {"fdim", math.Dim, 0},
		{"nextafter", math.Nextafter, 0}, {"pow", math.Pow, 2},
	}
	pairs := [][2]float64{{5.3, 2}, {-5.3, 2}, {5.3, -2}, {1e300, 3e-300}, {1, 0}, {0, 1}, {math.Inf(1), 1}, {1, math.Inf(1)}, {math.NaN(), 1}, {7, 3.5}, {3, 4}, {1e200, 1e200}, {-1, 1},
		{math.Copysign(0, -1), -1}, {math.Copysign(0, -1), math.Copysign(0, -1)}, {0.1, 0.3}, {5e-324, 2}, {2, 0.5}, {1e16, 3}, {2.5, 1}, {3.5, 1}, {-2.5, 1}}
	var setup strings.Builder
	setup.WriteString("  const double all[][2] = {")
	for _, p := range pairs {
		fmt.Fprintf(&setup, "{__builtin_bit_cast(double, 0x%xull), __builtin_bit_cast(double, 0x%xull)}, ", math.Float64bits(p[0]), math.Float64bits(p[1]))
	}
	setup.WriteString("};\n  const double x = all[item][0], y = all[item][1];\n")
	var calls []string
	for _, f := range functions {
		calls = append(calls, f.name+"(x, y)")
	}
	got := evaluate(t, "", setup.String(), calls, len(pairs))
	for i, f := range functions {
		for j, p := range pairs {
			want := f.ref(p[0], p[1])
			if f.name == "fdim" && p[0] <= p[1] {
				want = 0
			}
			if off := apart(got[i][j], want, false); off > f.ulps || want == 0 && math.Signbit(want) != math.Signbit(got[i][j]) {
				t.Errorf("%s(%g, %g) is %v, want %v", f.name, p[0], p[1], got[i][j], want)
			}
		}
	}
}

// TestHIPFunctions evaluates each expression, which has no or one right value.
func TestHIPFunctions(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		expr string
		want float64
	}{
		{"__brev(1u)", 1 << 31}, {"__brevll(2ull) >> 32", 1 << 30}, {"__clz(1)", 31}, {"__clz(0)", 32}, {"__clzll(1ll << 40)", 23}, {"__clzll(0)", 64}, {"__ffs(8)", 4}, {"__ffsll(1ll << 40)", 41},
		{"__popc(0xf0f0u)", 8}, {"__popcll(~0ull)", 64}, {"__byte_perm(0x33221100u, 0x77665544u, 0x7250u)", 0x77225500},
		{"__funnelshift_l(0x80000000u, 1u, 1u)", 3}, {"__funnelshift_r(2u, 1u, 1u)", 0x80000001}, {"__funnelshift_lc(5u, 6u, 40u)", 5}, {"__funnelshift_rc(5u, 6u, 40u)", 6},
		{"__bitextract_u32(0xabcd1234u, 8, 8)", 0x12}, {"__bitinsert_u32(0xffffffffu, 0u, 4, 8)", 0xfffff00f},
		{"abs(-3)", 3}, {"llabs(-3ll)", 3}, {"abs(-2.5f)", 2.5}, {"__mulhi(-1, 1)", -1}, {"__umulhi(0xffffffffu, 2u)", 1}, {"__mul64hi(-1ll, 5ll)", -1}, {"__umul64hi(~0ull, ~0ull) == ~0ull - 1", 1},
		{"__mul24(-3, 5)", -15}, {"__mul24(0x1000003, 2)", 6}, {"__umul24(0x1000003u, 2u)", 6}, {"__hadd(-3, 2)", -1}, {"__rhadd(3, 4)", 4}, {"__uhadd(0xffffffffu, 1u)", 1 << 31},
		{"__urhadd(0xffffffffu, 0u)", 1 << 31}, {"__sad(-5, 5, 3u)", 13}, {"__usad(1u, 5u, 3u)", 7},
		{"__float2int_rn(2.5f)", 2}, {"__float2int_rd(-2.5f)", -3}, {"__float2int_ru(2.1f)", 3}, {"__float2int_rz(-2.9f)", -2}, {"__float2int_rz(hidden(1e20f))", math.MaxInt32}, {"__float2int_rn(hidden(NAN))", 0},
		{"__float2int_rz(hidden(-1e20f))", math.MinInt32}, {"__float2uint_rz(hidden(-5.0f))", 0}, {"__float2uint_rz(hidden(5e9f))", math.MaxUint32}, {"__double2ll_rn(-3.5)", -4}, {"__double2ull_rz(1e19)", 1e19},
		{"__double2int_rz(2147483647.0)", math.MaxInt32}, {"__int2float_rn(16777217)", 16777216}, {"__double2float_rn(0.1) == 0.1f", 1}, {"__double2hiint(1.0)", 0x3ff00000}, {"__double2loint(1.0)", 0},
		{"__hiloint2double(0x40000000, 0)", 2}, {"__longlong_as_double(__double_as_longlong(-1.5))", -1.5}, {"__float_as_int(1.0f)", 0x3f800000}, {"__uint_as_float(0x40000000u)", 2},
		{"__fadd_rn(1.0f, 2.0f)", 3}, {"__fmul_rn(3.0f, 2.0f)", 6}, {"__fdiv_rn(1.0f, 4.0f)", 0.25}, {"__fsqrt_rn(9.0f)", 3}, {"__frcp_rn(8.0f)", 0.125}, {"__fmaf_rn(2.0f, 3.0f, 1.0f)", 7},
		{"__ddiv_rn(1.0, 8.0)", 0.125}, {"__frsqrt_rn(4.0f)", 0.5}, {"__fdividef(1.0f, 2.0f)", 0.5}, {"__saturatef(-1.0f)", 0}, {"__saturatef(0.5f)", 0.5}, {"__saturatef(3.0f)", 1}, {"__saturatef(NAN)", 0},
		{"rintf(1e3f * __expf(1.0f))", 2718}, {"rintf(1e3f * __logf(10.0f))", 2303}, {"__log2f(8.0f)", 3}, {"rintf(1e3f * __sinf(1.0f))", 841}, {"rintf(1e3f * __cosf(-7.0f))", 754},
		{"rintf(1e3f * __tanf(1.0f))", 1557}, {"rintf(__powf(3.0f, 4.0f))", 81}, {"rintf(__exp10f(2.0f))", 100}, {"rsqrt(16.0)", 0.25}, {"rsqrtf(16.0f)", 0.25},
		{"min(2.5f, 1.0f)", 1}, {"max(2.5, 1.0)", 2.5}, {"fmin(1.0f, 2.0f)", 1}, {"fmaxf(NAN, 2.0f)", 2}, {"fma(2.0f, 3.0f, 4.0f)", 10},
		{"pow(2.0f, 3)", 8}, {"pow(2.0, 3)", 8}, {"pow(2.0f, 0.5) > 1.41421356 && pow(2.0f, 0.5) < 1.41421357", 1}, {"fmod(7.5f, 2)", 1.5}, {"atan2(1, 1.0f) == 0x1.921fb54442d18p-1", 1},
		{"ldexp(0.75, 3)", 6}, {"ldexpf(1.0f, -150)", 0}, {"scalbln(1.0, -100000)", 0}, {"powif(2.0f, -2)", 0.25}, {"ilogb(0.1)", -4}, {"ilogb(1e-310) ", -1030}, {"lroundf(2.5f)", 3}, {"llrint(2.5)", 2},
		{"norm3d(2.0, 3.0, 6.0)", 7}, {"norm4df(2.0f, 2.0f, 4.0f, 5.0f)", 7}, {"rnorm3d(2.0, 3.0, 6.0) == 1.0 / 7.0", 1}, {"rhypot(3.0, 4.0)", 0.2}, {"rcbrt(8.0)", 0.5},
		{"cospi(0.5)", 0}, {"cospif(1.0f)", -1}, {"sinpi(0.5)", 1}, {"exp10(3.0)", 1000}, {"log10(1e22)", 22}, {"log2(0x1p-1060)", -1060}, {"exp2(-1074.0) > 0", 1}, {"exp10f(2.0f)", 100},
		{"erfcx(30.0) * 1e5 > 1879.58 && erfcx(30.0) * 1e5 < 1879.60", 1}, {"tgamma(6.0)", 120}, {"tgammaf(0.5f) == 0x1.c5bf8ap+0f", 1}, {"isnan(NAN)", 1}, {"isinf(-INFINITY)", 1}, {"isinf(NAN)", 0},
		{"isfinite(FLT_MAX)", 1}, {"isfinite((double)INFINITY)", 0}, {"signbit(-0.0)", 1}, {"isnormal(1e-40f)", 0}, {"isnormal(1e-40)", 1}, {"nextafterf(1.0f, 2.0f) - 1.0f", 0x1p-23},
		{"nanf(\"\") != nanf(\"\")", 1}, {"-HUGE_VAL", -inf}, {"INT_MIN", math.MinInt32}, {"UINT_MAX", math.MaxUint32}, {"cos(M_PI)", -1}, {"frexped(20.0)", 5.625}, {"frexped(-5e-324)", -1073.5}, {"modfed(-3.25)", -3.25},
		{"quotient(17.0, 5.0)", 3.2}, {"quotient(-17.0, 5.0)", -3.2},
		{"dim3(2, 3).x + dim3(2, 3).z", 3}, {"(make_float3(1, 2, 3) * 2.0f + make_float3(1, 1, 1)).z", 7}, {"(make_float4(1, 2, 3, 4) * make_float4(2, 2, 2, 2)).w", 8}, {"make_longlong2(3, 4).y", 4},
		{"make_int1(5).x", 5}, {"(-make_int3(1, 2, 3)).y", -2}, {"make_uchar4(1, 2, 3, 255).w", 255},
		{"(float)__hadd(__float2half(1.5f), __float2half(2.0f))", 3.5}, {"(float)(half)1.25f", 1.25}, {"__half2float(__hfma(__float2half(2.0f), __float2half(3.0f), __float2half(0.5f)))", 6.5},
		{"__high2float(__hmul2(__floats2half2_rn(1.0f, 3.0f), __half2half2(__float2half(2.0f))))", 6}, {"__half22float2(__floats2half2_rn(1.0f, 0.1f)).y == (float)(_Float16)0.1f", 1},
		{"__low2float(__hfma2(__float2half2_rn(2.0f), __float2half2_rn(4.0f), __float2half2_rn(1.0f)))", 9}, {"__hlt(__float2half(1.0f), __float2half(2.0f))", 1},
		{"__hbeq2(__float2half2_rn(2.0f), __float2half2_rn(2.0f))", 1}, {"__half_as_ushort(__float2half(1.0f))", 0x3c00}, {"(float)__ushort_as_half(0x4000)", 2}, {"(float)hsqrt(__float2half(9.0f))", 3},
		{"(float)h2exp2(__float2half2_rn(3.0f)).y", 8}, {"(float)__float2half_rz(2049.9f)", 2048}, {"(float)__float2half_rz(70000.0f)", 65504}, {"(float)__hmax(__float2half(1.0f), __float2half(2.0f))", 2}, {"__half2int_rn(__float2half(2.5f))", 2},
		{"__bfloat162float(__float2bfloat16(1.00390625f))", 1}, {"__bfloat162float(__float2bfloat16(1.01171875f))", 1.015625}, {"__bfloat162float(__hmul(__float2bfloat16(3.0f), __float2bfloat16(0.5f)))", 1.5},
		{"__bfloat1622float2(__hadd2(__floats2bfloat162_rn(1, 2), __floats2bfloat162_rn(3, 4))).y", 6}, {"__bfloat16_as_ushort(__float2bfloat16(-1.0f))", 0xbf80}, {"__hisnan(__float2bfloat16(NAN))", 1},
		{"(float)(__hip_bfloat16)2.5f", 2.5},
		{"std::min(3, 2)", 2}, {"std::max(3.5f, 2.0f)", 3.5}, {"std::clamp(7, 1, 5)", 5}, {"std::sqrt(2.25)", 1.5}, {"std::numeric_limits<float>::max() == FLT_MAX", 1},
		{"std::numeric_limits<int>::lowest()", math.MinInt32}, {"std::numeric_limits<unsigned char>::max()", 255}, {"-std::numeric_limits<double>::infinity()", -inf},
		{"std::numeric_limits<long long>::max() == LLONG_MAX", 1}, {"std::is_same_v<std::remove_cvref_t<const float &>, float>", 1}, {"std::is_integral<int>::value", 1}, {"swapped(1, 2)", 21},
		{"NULL == nullptr", 1}, {"sizeof(std::conditional_t<true, double, float>)", 8}, {"std::abs(-2)", 2}, {"std::pow(2.0f, 3.0f)", 8}, {"std::isnan(NAN)", 1},
	}
	before := `#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>
#include <cmath>
#include <climits>
#include <algorithm>
#include <limits>
__device__ float hidden(float x) { volatile float y = x; return y; } // else C leaves the conversion of what does not fit open
__device__ int swapped(int a, int b) { std::swap(a, b); return 10 * a + b; }
__device__ double frexped(double x) { int e; double m = frexp(x, &e); return e + m; }
__device__ double modfed(double x) { double whole; double rest = modf(x, &whole); return whole + rest; }
__device__ double quotient(double x, double y) { int q; double r = remquo(x, y, &q); return q + r / 10; }`
	var calls []string
	for _, tt := range tests {
		calls = append(calls, tt.expr)
	}
	got := evaluate(t, before, "", calls, 1)
	for i, tt := range tests {
		if got[i][0] != tt.want && math.Abs(got[i][0]-tt.want) > 1e-15*math.Abs(tt.want) {
			t.Errorf("%s is %v, want %v", tt.expr, got[i][0], tt.want)
		}
	}
}

// TestHIPGroups: what the work-items of a block do together.
func TestHIPGroups(t *testing.T) {
	before := `#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned wheel(unsigned *p, unsigned times) { unsigned last = 0; for (unsigned i = 0; i < times; i++) last = atomicInc(p, 4); return last; }`
	setup := `  __shared__ double sum; __shared__ float least; __shared__ unsigned turns; __shared__ unsigned long bits; __shared__ int count;
  __shared__ unsigned long long wide; __shared__ unsigned some; __shared__ float part; __shared__ double whole;
  if (item == 0) sum = 0, least = 100, turns = 3, bits = 0, count = 0, wide = 70, some = 71, part = 5, whole = 5;
  __syncthreads();
  atomicAdd(&sum, 0.5), atomicMin(&least, (float)(50 - (int)item)), atomicOr(&bits, 1ul << item), atomicSub(&count, 1u), atomicSub(&count, item | ~item ? 1u : 0u);
  atomicSub(&wide, 1), atomicSub(&some, 1), atomicCAS(&part, 5.0f, 6.0f), atomicCAS(&whole, 5.0, 7.0);
  if (item == 1) wheel(&turns, 4);
  __syncthreads();
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  long long began = clock64(), at = wall_clock64();`
	tests := []struct {
		expr string
		want func(item int) float64
	}{
		{"__syncthreads_count(item % 3 == 0)", func(int) float64 { return 22 }},
		{"__syncthreads_and(item < 64)", func(int) float64 { return 1 }},
		{"__syncthreads_or(item == 70)", func(int) float64 { return 0 }},
		{"sum", func(int) float64 { return 32 }},
		{"least", func(int) float64 { return -13 }},
		{"bits == ~0ul", func(int) float64 { return 1 }},
		{"count", func(int) float64 { return -128 }},
		{"wide", func(int) float64 { return 6 }},
		{"some", func(int) float64 { return 7 }},
		{"part + whole", func(int) float64 { return 13 }},
		{"turns", func(int) float64 { return 2 }},
		{"__popcll(__match_any(item % 4))", func(int) float64 { return 8 }},
		{"__popcll(__activemask())", func(int) float64 { return 32 }},
		{"tile.thread_rank() + 10 * tile.meta_group_rank()", func(i int) float64 { return float64(i%8 + 10*(i/8)) }},
		{"tile.shfl(item, 3)", func(i int) float64 { return float64(i/8*8 + 3) }},
		{"tile.shfl_down(item, 1)", func(i int) float64 { return float64(min(i+1, i/8*8+7)) }},
		{"tile.ballot(item & 1)", func(int) float64 { return 0xaa }},
		{"tile.any(item == 9)", func(i int) float64 { return float64(map[bool]int{true: 1}[i/8 == 1]) }},
		{"tile.all(item > 7)", func(i int) float64 { return float64(map[bool]int{true: 1}[i/8 > 0]) }},
		{"cg::reduce(tile, (int)item, cg::plus<int>())", func(i int) float64 { return float64(i/8*64 + 28) }},
		{"cg::inclusive_scan(tile, 1, cg::plus<int>())", func(i int) float64 { return float64(i%8 + 1) }},
		{"block.size() + block.thread_rank()", func(i int) float64 { return float64(64 + i) }},
		{"clock64() - began > 100 && clock64() - began < 20000 && wall_clock64() >= at", func(int) float64 { return 1 }},
		{"hipThreadIdx_x + hipBlockDim_x", func(i int) float64 { return float64(64 + i) }},
	}
	var calls []string
	for _, tt := range tests {
		calls = append(calls, tt.expr)
	}
	got := evaluate(t, before, setup, calls, 64)
	for i, tt := range tests {
		for item, v := range got[i] {
			if v != tt.want(item) {
				t.Errorf("%s is %v for work-item %d, want %v", tt.expr, v, item, tt.want(item))
				break
			}
		}
	}
}
