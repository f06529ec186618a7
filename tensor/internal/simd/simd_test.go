package simd

import (
	"fmt"
	"maps"
	"math"
	"testing"
	"unsafe"
)

// each runs a test for every instruction set that this processor has.
func each(t *testing.T, f func(t *testing.T, fs Functions)) {
	list := levels()
	if len(list) == 0 {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, l := range list {
		t.Run(l.plain.Name, func(t *testing.T) { f(t, l.plain) })
	}
}

// eachElementwise is each for the functions that stream, too.
func eachElementwise(t *testing.T, f func(t *testing.T, fs Functions)) {
	each(t, f)
	for _, l := range levels() {
		t.Run(l.stream.Name+" stream", func(t *testing.T) { f(t, l.stream) })
	}
}

var odd = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, 0x1p-126, 1.5e-39, math.MaxFloat32,
	-math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.1, -3.7, 88.7, -88.7, -104, 20, 0.49999997,
	-0.5, 2.5, 0x1p22 + 0.5, 0x1p23 + 1}

// guarded returns n elements with a mark behind them, which check looks at: a tail must not be written past its end.
func guarded(n int) (out []float32, check func(t *testing.T)) {
	const mark = 12345
	all := make([]float32, n+80)
	for uintptr(unsafe.Pointer(&all[0]))%StreamAlign != 0 {
		all = all[1:]
	}
	for i := range all {
		all[i] = mark
	}
	return all[:n:n], func(t *testing.T) {
		t.Helper()
		for i, x := range all[n:] {
			if x != mark {
				t.Fatalf("%d elements: element %d was written", n, n+i)
			}
		}
	}
}

func same(x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
}

// values fills n elements from odd, in an order that meets every element with every other.
func values(n, seed int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = odd[(i*(seed+1)+i/len(odd)*seed)%len(odd)]
	}
	return x
}

func TestArithmetic(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		binary := map[string]struct {
			fast func(out, x, y []float32)
			want func(x, y float32) float32
		}{
			"add":     {fs.Add, func(x, y float32) float32 { return x + y }},
			"sub":     {fs.Sub, func(x, y float32) float32 { return x - y }},
			"mul":     {fs.Mul, func(x, y float32) float32 { return x * y }},
			"div":     {fs.Div, func(x, y float32) float32 { return x / y }},
			"maximum": {fs.Maximum, func(x, y float32) float32 { return max(x, y) }},
			"minimum": {fs.Minimum, func(x, y float32) float32 { return min(x, y) }},
			"affine": {func(out, x, y []float32) {
				if len(x) > 0 {
					fs.Affine(out, x, y[0], 0.7)
				}
			}, nil},
		}
		for name, c := range binary {
			for _, n := range lengths {
				x, y := values(n, 0), values(n, 1)
				out, check := guarded(n)
				c.fast(out, x, y)
				check(t)
				for i := range out {
					var want float32
					if c.want == nil {
						want = float32(x[i]*y[0]) + 0.7
					} else {
						want = c.want(x[i], y[i])
					}
					if !same(out[i], want) {
						t.Fatalf("%s(%v, %v) is %v, want %v", name, x[i], y[i], out[i], want)
					}
				}
			}
		}
		unary := map[string]struct {
			fast func(out, x []float32)
			want func(x float32) float32
		}{
			"neg":   {fs.Neg, func(x float32) float32 { return -x }},
			"abs":   {fs.Abs, func(x float32) float32 { return float32(math.Abs(float64(x))) }},
			"sqrt":  {fs.Sqrt, func(x float32) float32 { return float32(math.Sqrt(float64(x))) }},
			"recip": {fs.Recip, func(x float32) float32 { return 1 / x }},
			"relu": {fs.Relu, func(x float32) float32 {
				if x < 0 {
					return 0
				}
				return x
			}},
			"sign": {fs.Sign, func(x float32) float32 {
				switch {
				case x > 0:
					return 1
				case x < 0:
					return -1
				}
				return 0
			}},
			"floor": {fs.Floor, func(x float32) float32 { return float32(math.Floor(float64(x))) }},
			"ceil":  {fs.Ceil, func(x float32) float32 { return float32(math.Ceil(float64(x))) }},
			"round": {fs.Round, func(x float32) float32 { return float32(math.Round(float64(x))) }},
		}
		if fs.Copy != nil {
			c := unary["neg"]
			c.fast, c.want = fs.Copy, func(x float32) float32 { return x }
			unary["copy"] = c
		}
		for name, c := range unary {
			for _, n := range lengths {
				x := values(n, 0)
				out, check := guarded(n)
				c.fast(out, x)
				check(t)
				for i := range out {
					if want := c.want(x[i]); !same(out[i], want) {
						t.Fatalf("%s(%v) is %v, want %v", name, x[i], out[i], want)
					}
				}
			}
		}
	})
}

func TestClamp(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		for _, n := range lengths {
			x := values(n, 0)
			for _, bounds := range [][2]float32{{-1, 1}, {0.1, 2.5}, {3, -3}, {float32(math.Inf(-1)), 0.5}} {
				out, check := guarded(n)
				fs.Clamp(out, x, bounds[0], bounds[1], math.MaxUint32, 0)
				check(t)
				for i, got := range out {
					if want := min(max(x[i], bounds[0]), bounds[1]); !same(got, want) {
						t.Fatalf("%v between %v is %v, want %v", x[i], bounds, got, want)
					}
				}
			}
			out, check := guarded(n)
			fs.Clamp(out, x, 0, 0, math.MaxInt32, 1<<31)
			check(t)
			for i, got := range out {
				if x[i] == x[i] && math.Float32bits(got) != 1<<31 {
					t.Fatalf("the bits are %x for %v", math.Float32bits(got), x[i])
				}
			}
		}
	})
}

// lengths go through every tail, with and without a body before it.
var lengths = func() []int {
	var list []int
	for n := range 140 {
		list = append(list, n)
	}
	return append(list, 361, 1000)
}()

// TestExponentials checks that what is computed does not depend on where in a vector an element is, nor on the tail;
// package tensor checks the values.
func TestExponentials(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		functions := map[string]func(out, x []float32){"exp": fs.Exp, "tanh": fs.Tanh, "sigmoid": fs.Sigmoid,
			"silu": fs.Silu, "gelu": fs.Gelu,
			"log": fs.Log, "erf": fs.Erf, "gelu_erf": fs.GeluErf}
		if fs.Elu != nil { // not one of those that stream
			functions["elu"] = func(out, x []float32) { fs.Elu(out, x, 0.7) }
			functions["sin"] = func(out, x []float32) { fs.Sin(out, x) }
			functions["cos"] = func(out, x []float32) { fs.Cos(out, x) }
			functions["tan"] = func(out, x []float32) { fs.Tan(out, x) }
			functions["power"] = func(out, x []float32) { fs.Power(out, x, 1.7, -1) }
			maps.Copy(functions, fs.Formulas)
		}
		for name, f := range functions {
			alone := map[string]float32{}
			for _, x := range odd {
				out, _ := guarded(1)
				f(out, []float32{x})
				alone[fmt.Sprint(x)] = out[0]
			}
			for _, n := range lengths {
				x := values(n, 0)
				out, check := guarded(n)
				f(out, x)
				check(t)
				for i := range out {
					if want := alone[fmt.Sprint(x[i])]; !same(out[i], want) {
						t.Fatalf("%s(%v) is %v as one of %d, %v alone", name, x[i], out[i], n, want)
					}
				}
			}
		}
	})
}

// inLanes is the definition of the sums.
func inLanes(x []float64) float64 {
	var sums [SumLanes]float64
	for i, v := range x {
		sums[i%SumLanes] += v
	}
	for n := SumLanes / 2; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}

func mapped(x []float32, f func(v float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(float64(v))
	}
	return out
}

// waves are elements of many sizes and both signs.
func waves(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)) * math.Exp(float64(i%40)/2-10))
	}
	return x
}

func TestReductions(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for _, n := range lengths {
			x := waves(n)
			if got, want := fs.Sum(x), inLanes(mapped(x, func(v float64) float64 { return v })); got != want {
				t.Fatalf("the sum of %d is %v, want %v", n, got, want)
			}
			sums := make([]float64, 5)
			fs.SumEach(sums[:4], waves(4*n), n)
			for i, got := range sums[:4] {
				if want := fs.Sum(waves(4 * n)[i*n:][:n]); got != want {
					t.Fatalf("the sum of row %d of %d is %v, want %v", i, n, got, want)
				}
			}
			if sums[4] != 0 {
				t.Fatal("a sum too many was written")
			}
			if got, want := fs.Squares(x, 0.3),
				inLanes(mapped(x, func(v float64) float64 { return (v - 0.3) * (v - 0.3) })); got != want {
				t.Fatalf("the squares of %d are %v, want %v", n, got, want)
			}
			out, check := guarded(n)
			sum := fs.ExpSum(out, x, 3)
			check(t)
			if want := inLanes(mapped(out, func(v float64) float64 { return v })); sum != want {
				t.Fatalf("the sum of %d powers is %v, want %v", n, sum, want)
			}
			for i, v := range out {
				if want := math.Exp(float64(x[i] - 3)); !same(v, float32(want)) &&
					!(math.Abs(float64(v)-want) <= 2e-7*want+1e-44) {
					t.Fatalf("exp(%v - 3) is %v, want %v", x[i], v, want)
				}
			}
		}
	})
}

func TestExtremes(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for _, n := range lengths[1:] {
			for seed := range 3 {
				x := values(n, seed)
				if seed > 0 { // as many without NaN as with one
					x = waves(n)
					x[(n*seed)/3] = odd[n%len(odd)]
				}
				top, low := x[0], x[0]
				at, nan := -1, -1
				for i, v := range x {
					top, low = max(top, v), min(low, v)
					if v != v && nan < 0 {
						nan = i
					}
				}
				for i, v := range x {
					if v == top && at < 0 {
						at = i
					}
				}
				if got := fs.Max(x); !same(got, top) {
					t.Fatalf("the maximum of %v is %v, want %v", x, got, top)
				}
				if got := fs.Min(x); !same(got, low) {
					t.Fatalf("the minimum of %v is %v, want %v", x, got, low)
				}
				if got := fs.Find(x, top); got != at {
					t.Fatalf("%v is at %d of %v, want %d", top, got, x, at)
				}
				if got := fs.FindNaN(x); got != nan {
					t.Fatalf("NaN is at %d of %v, want %d", got, x, nan)
				}
			}
			x := make([]float32, n) // a zero must not be found behind the end
			for i := range x {
				x[i] = 1
			}
			if got := fs.Find(x, 0); got != -1 {
				t.Fatalf("0 is at %d of %d ones", got, n)
			}
		}
	})
}

func TestRows(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for _, n := range lengths {
			x, scale, shift := waves(n), values(n, 1), values(n, 2)
			expect := func(name string, run func(out []float32), want func(i int) float32) {
				out, check := guarded(n)
				run(out)
				check(t)
				for i := range out {
					if w := want(i); !same(out[i], w) {
						t.Fatalf("%s: element %d of %d is %v, want %v", name, i, n, out[i], w)
					}
				}
			}
			expect("standardize", func(out []float32) { fs.Standardize(out, x, scale, shift, 0.3, 1.7) },
				func(i int) float32 {
					return float32(float64((float64(x[i])-0.3)*1.7*float64(scale[i])) + float64(shift[i]))
				})
			expect("normalize", func(out []float32) { fs.Normalize(out, x, scale, 1.7) }, func(i int) float32 {
				return float32(float64(x[i]) * 1.7 * float64(scale[i]))
			})
			expect("scale", func(out []float32) { fs.Scale(out, x, 1.7) }, func(i int) float32 { return x[i] * 1.7 })
			const stride = 1100
			block, sums := waves(4*stride), make([]float64, n+1)
			for i := range sums {
				sums[i] = float64(i)
			}
			fs.AddRows(sums[:n], block, stride)
			for i, got := range sums {
				want := float64(i)
				if i < n {
					at := func(row int) float64 { return float64(block[row*stride+i]) }
					want += (at(0) + at(1)) + (at(2) + at(3))
				}
				if got != want {
					t.Fatalf("rows: sum %d of %d is %v, want %v", i, n, got, want)
				}
			}
		}
	})
}

// small are integers, whose products and sums are exact.
func small(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i*7%23 - 11)
	}
	return x
}

func TestTile(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for depth := range 20 {
			const stride = 41
			a, b := small(TileRows*21), small(1000)
			at := make([]int32, depth)
			for k := range at {
				at[k] = int32(k * 31 % 400)
			}
			for form := range 4 {
				add, down, along := form&1 != 0, 1, TileRows
				if form&2 != 0 {
					down, along = 21, 1
				}
				c := small(TileRows * stride)
				want := small(TileRows * stride)
				for r := range TileRows {
					for j := range fs.TileColumns {
						sum := float32(0)
						if add {
							sum = want[r*stride+j]
						}
						for k := range depth {
							sum += a[k*along+r*down] * b[int(at[k])+j]
						}
						want[r*stride+j] = sum
					}
				}
				fs.Tile(c, a, b, at, stride, down, along, add)
				for i := range c {
					if c[i] != want[i] {
						t.Fatalf("depth %d, form %d: element %d is %v, want %v", depth, form, i, c[i], want[i])
					}
				}
			}
		}
	})
}

func TestProducts(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for _, n := range lengths {
			x, y := small(4*n+3), small(2*n + 5)[5:]
			want := float32(0)
			for i := range n {
				want += x[i] * y[i]
			}
			if got := fs.Dot(x[:n], y); got != want {
				t.Fatalf("the dot product of %d is %v, want %v", n, got, want)
			}
			sums, check := guarded(n)
			copy(sums, y)
			f := [4]float32{2, -3, 5, 7}
			fs.AddScaled(sums, x, n+1, &f)
			check(t)
			for i, got := range sums {
				want := y[i]
				for r := range f {
					want += f[r] * x[r*(n+1)+i]
				}
				if got != want {
					t.Fatalf("scaled rows: sum %d of %d is %v, want %v", i, n, got, want)
				}
			}
			const outStride = 11
			wide := small(8*n + 8)
			out := make([]float32, n*outStride+8)
			fs.Transpose(out, wide, outStride, n+1, n)
			for p := range n {
				for r := range outStride {
					want := float32(0)
					if r < 8 {
						want = wide[r*(n+1)+p]
					}
					if got := out[p*outStride+r]; got != want {
						t.Fatalf("transposed %d: element %d of row %d is %v, want %v", n, r, p, got, want)
					}
				}
			}
		}
	})
}
