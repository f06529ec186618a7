package simd

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
)

// TestFormula compares loops with the references of their formulas, in float64.
func TestFormula(t *testing.T) {
	if Fast.Exp == nil {
		t.Skip("there are no vector loops on this processor")
	}
	var x []float32
	for i := -700; i <= 700; i++ {
		x = append(x, float32(i)/64, float32(math.Pow(10, float64(i%38))), -float32(math.Pow(10, float64(i%38))))
	}
	x = append(x, 0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
		1e-45, -1, -2)
	for _, c := range []struct {
		text string
		ulp  float64
	}{
		{"x", 0},
		{"2", 0},
		{"-x * 2 + 1", 0},
		{"log1p(x)", 3},
		{"expm1(x)", 4},
		{"maximum(x, 0) + log1p(exp(-abs(x)))", 4},
		{"sqr(x) + recip(abs(x))", 3},
		{"where(x > 0, x, expm1(x))", 4},
		{"t := tanh(x / 4); t * t + sqr(sigmoid(x)) + abs(sign(x))", 8},
		{"where(x <= 1, minimum(x, 3) - 1, maximum(x, 2) / 4)", 1},
		{"sin(x) * cos(x)", 8},
		{"pow(abs(x), 0.5)", 1},
		{"floor(x) + ceil(x) + round(x)", 1},
	} {
		e := expr.Must(c.text, "x")
		f, ref := Formula(e), e.Func(kernels.References, "x")
		if f == nil {
			t.Fatalf("%s has no loop", c.text)
		}
		out := make([]float32, len(x))
		f(out, x)
		for i, v := range x {
			want := ref(float64(v))
			if !near(out[i], want, c.ulp) {
				t.Errorf("%s at %v is %v, want %v", c.text, v, out[i], want)
				break
			}
		}
		in := append([]float32(nil), x...)
		f(in, in)
		for i := range in {
			if math.Float32bits(in[i]) != math.Float32bits(out[i]) && in[i] == in[i] {
				t.Errorf("%s in place at %v is %v, want %v", c.text, x[i], in[i], out[i])
				break
			}
		}
	}
}

// near reports whether got is want, rounded, but for so many units in the last place.
func near(got float32, want float64, ulp float64) bool {
	w := float32(want)
	if math.IsNaN(want) || math.IsInf(float64(w), 0) || math.Abs(want) < 0x1p-126 {
		return got == w || got != got && w != w || math.Abs(float64(got)-want) <= 0x1p-126 || math.Abs(want) > 0x1p127
	}
	unit := float64(math.Nextafter32(w, float32(math.Inf(1))) - w)
	return math.Abs(float64(got)-want) <= (ulp+0.5)*unit
}

func TestFormulaTooLarge(t *testing.T) {
	text := "x"
	for i := range 2 * formulaBlocks {
		text = "(" + text + ") * (x + " + string(rune('1'+i%9)) + string(rune('0'+i/9)) + ")"
	}
	if Fast.Exp != nil && Formula(expr.Must(text, "x")) != nil {
		t.Error("a formula with many numbers has a loop")
	}
}

func BenchmarkFormula(b *testing.B) {
	if Fast.Exp == nil {
		b.Skip("there are no vector loops on this processor")
	}
	x, out := make([]float32, 4096), make([]float32, 4096)
	for i := range x {
		x[i] = float32(i%100)/10 - 5
	}
	for name, f := range map[string]func(out,
		x []float32){"log1p_exp": Formula(expr.Must("maximum(x, 0) + log1p(exp(-abs(x)))", "x")),
		"softplus": Fast.Formulas["softplus"], "gelu": Fast.Gelu} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * 4096)
			for b.Loop() {
				f(out, x)
			}
		})
	}
}
