package simd

import (
	"fmt"
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

var odd = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, 0x1p-126, 1.5e-39, math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.1, -3.7, 88.7, -88.7, -104, 20}

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

// lengths go through every tail, with and without a body before it.
var lengths = func() []int {
	var list []int
	for n := range 140 {
		list = append(list, n)
	}
	return append(list, 361, 1000)
}()

// TestExponentials checks that what is computed does not depend on where in a vector an element is, nor on the tail; package
// tensor checks the values.
func TestExponentials(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		for name, f := range map[string]func(out, x []float32){"exp": fs.Exp, "tanh": fs.Tanh, "sigmoid": fs.Sigmoid, "silu": fs.Silu, "gelu": fs.Gelu} {
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
