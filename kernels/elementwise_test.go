package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// grid is small, so that every kernel goes through its loop more than once.
var grid = [3]uint32{2, 1, 1}

// picked returns the elements of a view.
func picked[N number](v view, values []N) []N {
	out := []N{}
	for _, p := range v.at() {
		out = append(out, values[p])
	}
	return out
}

// someViews are the indices of a sample of the views, or of all of them in thorough tests. Those of successive offsets
// together are all.
func someViews(offset int) []int {
	all := make([]int, len(views))
	for i := range all {
		all[i] = i
	}
	return thorough.Sample(all, 4, offset)
}

func TestUnary(t *testing.T) {
	for n, op := range kernels.Unary {
		for k, dt := range thorough.Sample(op.On, 1, n) {
			t.Run(fmt.Sprintf("%s_%s", op.Name, dt), func(t *testing.T) {
				for _, i := range someViews(n + k) {
					v := views[i]
					if dt.IsFloat() {
						checkMap(t, op.Name, dt, v.a, i, floats(dt, v.a.size(), uint64(i)), op.Ref, within{op.ULP, op.Unit})
					} else {
						checkMap(t, op.Name, dt, v.a, i, integers(dt, v.a.size(), uint64(i)),
							func(x int64) int64 { return wrap(dt, op.IntRef(dt)(x)) }, within{})
					}
				}
			})
		}
	}
}

func checkMap[N number](t *testing.T, name string, dt kernels.DType, v view, seed int, in []N, ref func(N) N,
	limit within, extra ...any) {
	t.Helper()
	d := newDevice(t)
	n := v.count()
	p := d.put(encode(dt, in), 0) + uint64(int(v.offset)*dt.Size())
	out := d.put(make([]byte, n*dt.Size()), 0)
	d.launch(name+"_"+dt.String(), grid, append([]any{p, out, layout1(v, seed%2 == 0), uint64(n)}, extra...)...)
	compare(t, v.name, dt, decode[N](dt, d.get(out, n*dt.Size())), picked(v, in), ref, limit)
	d.reset()
}

// within is how far a result may stray: ulps in units in the last place, of unit if the result is below it.
type within struct{ ulps, unit float64 }

func (w within) allows(dt kernels.DType, got, want float64) bool {
	return near(dt, got, want, w.ulps) || math.Abs(want) < w.unit && math.Abs(got-want) <= w.ulps*ulp(dt, w.unit)
}

func compare[N number](t *testing.T, name string, dt kernels.DType, got, in []N, ref func(N) N, limit within) {
	t.Helper()
	for i, g := range got {
		want := ref(in[i])
		if !limit.allows(dt, float64(g), float64(want)) || dt.IsInt() && g != want {
			t.Errorf("%s: element %d: of %v got %v, want %v", name, i, in[i], g, want)
			return
		}
	}
}

func TestParams(t *testing.T) {
	for _, op := range kernels.Params {
		for _, dt := range op.On {
			t.Run(fmt.Sprintf("%s_%s", op.Name, dt), func(t *testing.T) {
				for i, v := range views {
					p := kernels.Round(dt, []float64{2, 0.5, -1, 3.7, 0}[i%5])
					ref := func(x float64) float64 { return op.Ref(x, p) }
					checkMap(t, op.Name, dt, v.a, i, floats(dt, v.a.size(), uint64(i)), ref, within{ulps: op.ULP}, p)
				}
			})
		}
	}
}

func TestAffine(t *testing.T) {
	for _, dt := range kernels.Numbers {
		t.Run(dt.String(), func(t *testing.T) {
			for i, v := range views {
				if dt.IsFloat() {
					ref := func(x float64) float64 { return computed(dt, computed(dt, x*1.5)-0.25) }
					checkMap(t, "affine", dt, v.a, i, floats(dt, v.a.size(), uint64(i)), ref, within{}, 1.5, -0.25)
				} else {
					ref := func(x int64) int64 { return wrap(dt, x*-3+7) }
					checkMap(t, "affine", dt, v.a, i, integers(dt, v.a.size(), uint64(i)), ref, within{}, int64(-3), int64(7))
				}
			}
		})
	}
}

// computed rounds to the type in which dt is computed.
func computed(dt kernels.DType, x float64) float64 { return kernels.Round(computeType(dt), x) }

func TestBinary(t *testing.T) {
	for n, op := range kernels.Binary {
		for k, dt := range thorough.Sample(op.On, 1, n) {
			t.Run(fmt.Sprintf("%s_%s", op.Name, dt), func(t *testing.T) {
				for _, i := range someViews(n + k) {
					v := views[i]
					if dt.IsFloat() {
						x, y := floats(dt, v.a.size(), uint64(i)), floats(dt, v.b.size(), uint64(i+17))
						got := zip(t, op.Name, dt, dt, v.a, v.b, i, x, y)
						checkZip(t, v.a, v.b, dt, got, x, y, op.For(dt).Ref, within{op.ULP, op.Unit})
					} else {
						x, y := integers(dt, v.a.size(), uint64(i)), integers(dt, v.b.size(), uint64(i+17))
						got := zip(t, op.Name, dt, dt, v.a, v.b, i, x, y)
						checkZip(t, v.a, v.b, dt, got, x, y, func(a, b int64) int64 { return wrap(dt, op.IntRef(dt)(a, b)) },
							within{})
					}
				}
			})
		}
	}
}

func zip[N number](t *testing.T, name string, dt, result kernels.DType, a, b view, seed int, x, y []N) []N {
	t.Helper()
	d := newDevice(t)
	n := a.count()
	p := d.put(encode(dt, x), 0) + uint64(int(a.offset)*dt.Size())
	q := d.put(encode(dt, y), 0) + uint64(int(b.offset)*dt.Size())
	out := d.put(make([]byte, n*result.Size()), 0)
	d.launch(name+"_"+dt.String(), grid, p, q, out, layout2(a, b, seed%2 == 0), uint64(n))
	got := decode[N](result, d.get(out, n*result.Size()))
	d.reset()
	return got
}

func checkZip[N number](t *testing.T, a, b view, dt kernels.DType, got, x, y []N, ref func(a, b N) N, limit within) {
	t.Helper()
	x, y = picked(a, x), picked(b, y)
	for i, g := range got {
		want := ref(x[i], y[i])
		if !limit.allows(dt, float64(g), float64(want)) || dt.IsInt() && g != want {
			t.Errorf("%s, %s: element %d: of %v and %v got %v, want %v", a.name, b.name, i, x[i], y[i], g, want)
			return
		}
	}
}

func TestCompare(t *testing.T) {
	thorough.Slow(t)
	for _, op := range kernels.Compare {
		for _, dt := range kernels.Numbers {
			t.Run(fmt.Sprintf("%s_%s", op.Name, dt), func(t *testing.T) {
				for i, v := range views {
					if dt.IsFloat() {
						x, y := floats(dt, v.a.size(), uint64(i)), floats(dt, v.b.size(), uint64(i+7))
						got := zip(t, op.Name, dt, kernels.U8, v.a, v.b, i, x, y)
						checkZip(t, v.a, v.b, kernels.U8, got, x, y,
							func(a, b float64) float64 { return float64(bit(op.Ref(a, b))) }, within{})
					} else {
						x, y := integers(dt, v.a.size(), uint64(i)), integers(dt, v.b.size(), uint64(i+1))
						got := zip(t, op.Name, dt, kernels.U8, v.a, v.b, i, x, y)
						checkZip(t, v.a, v.b, kernels.U8, got, x, y,
							func(a, b int64) int64 { return bit(op.IntRef(dt)(a, b)) }, within{})
					}
				}
			})
		}
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestAccuracy holds the functions against their references over wide ranges. F64 is held against references in
// float64, which stray themselves; there the tolerance is one unit wider and arguments stay where the references are
// good.
func TestAccuracy(t *testing.T) {
	thorough.Slow(t)
	ranges := map[string][][2]float64{
		"exp": {{-104, 89}, {-1, 1}}, "log": {{0.5, 2}}, "sin": {{-10, 10}}, "cos": {{-10, 10}}, "tanh": {{-12, 12}},
		"erf":  {{-6, 6}},
		"gelu": {{-10, 10}}, "gelu_erf": {{-12, 10}}, "silu": {{-80, 30}}, "sigmoid": {{-80, 30}}, "sqrt": {{0, 1e6}},
		"recip": {{-5, 5}},
		"exp2":  {{-150, 128}, {-1, 1}}, "log2": {{0.5, 2}}, "log10": {{0.5, 2}, {1, 1e4}}, "rsqrt": {{0, 10}},
		"cbrt": {{-10, 10}}, "tan": {{-10, 10}}, "asin": {{-1, 1}}, "acos": {{-1, 1}, {0.999, 1}}, "atan": {{-5, 5}},
		"sinh": {{-90, 90}, {-1, 1}}, "cosh": {{-90, 90}, {-1, 1}}, "asinh": {{-4, 4}}, "acosh": {{1, 4}, {1, 1.01}},
		"atanh": {{-1, 1}}, "sinc": {{-10, 10}}, "erfc": {{-6, 10}, {-1, 1}}, "erfinv": {{-1, 1}, {0.999, 1}},
		"lgamma": {{0, 3}, {-10, 20}}, "digamma": {{0, 3}, {-10, 20}}, "trigamma": {{0, 3}, {-10, 20}},
		"i0": {{-20, 20}, {-91, 91}}, "i1": {{-20, 20}, {-91, 91}},
	}
	for _, op := range kernels.Unary {
		for _, dt := range []kernels.DType{kernels.F32, kernels.F64} {
			for _, r := range ranges[op.Name] {
				t.Run(fmt.Sprintf("%s_%s_%g_%g", op.Name, dt, r[0], r[1]), func(t *testing.T) {
					n := 2048
					if thorough.On() {
						n = 16384
					}
					in := make([]float64, n)
					for i := range in {
						in[i] = kernels.Round(dt, r[0]+(r[1]-r[0])*math.Mod(float64(i)*0.6180339887498949, 1))
					}
					ulps := op.ULP
					if dt == kernels.F64 && ulps > 0 {
						ulps++
					}
					checkMap(t, op.Name, dt, dense(int64(n)), 0, in, op.Ref, within{ulps, op.Unit})
				})
			}
		}
	}
}

// TestExponents goes through all exponents of F32 with functions that are defined there.
func TestExponents(t *testing.T) {
	for _, name := range []string{"log", "sin", "cos", "sqrt", "recip", "erf", "tanh", "exp", "exp2", "log2", "log10",
		"rsqrt", "cbrt", "tan", "atan", "sinh", "cosh", "asinh", "sinc", "erfc", "lgamma", "digamma", "i0", "i1"} {
		for _, op := range kernels.Unary {
			if op.Name != name {
				continue
			}
			t.Run(name, func(t *testing.T) {
				var in []float64
				for e := -149; e < 128; e++ {
					for _, m := range []float64{1, 1.1, 1.5, 1.99} {
						in = append(in, kernels.Round(kernels.F32, math.Ldexp(m, e)))
					}
				}
				checkMap(t, name, kernels.F32, dense(int64(len(in))), 0, in, op.Ref, within{op.ULP, op.Unit})
			})
		}
	}
}

// TestLargeAngles: sines and cosines of large float64 values, computed with 113 digits. The first is the one that comes
// closest to a multiple of π/2 (Muller et al., Handbook of Floating-Point Arithmetic).
func TestLargeAngles(t *testing.T) {
	angles := []struct{ x, sin, cos float64 }{
		{0x1.6ac5b262ca1ffp+849, 0x1p+0, -0x1.14ae72e6ba22fp-61},
		{0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1},
		{0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
		{0x1p+30, -0x1.3c12353728cafp-1, 0x1.92cb46a920144p-1},
		{0x1.fffffffcp+29, -0x1.d67cfe9ce9163p-1, 0x1.93e7a92b37336p-2},
	}
	in, sin, cos := []float64{}, map[float64]float64{}, map[float64]float64{}
	for _, a := range angles {
		in = append(in, a.x, -a.x)
		sin[a.x], sin[-a.x], cos[a.x], cos[-a.x] = a.sin, -a.sin, a.cos, a.cos
	}
	checkMap(t, "sin", kernels.F64, dense(int64(len(in))), 0, in, func(x float64) float64 { return sin[x] }, within{ulps: 2})
	checkMap(t, "cos", kernels.F64, dense(int64(len(in))), 0, in, func(x float64) float64 { return cos[x] }, within{ulps: 2})
}
