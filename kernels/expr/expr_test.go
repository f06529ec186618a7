package expr

import (
	"math"
	"testing"
)

var references = References{
	Unary: map[string]func(float64) float64{
		"neg": func(x float64) float64 { return -x }, "sqr": func(x float64) float64 { return x * x },
		"recip": func(x float64) float64 { return 1 / x }, "exp": math.Exp, "log1p": math.Log1p, "tanh": math.Tanh,
	},
	Binary: map[string]func(a, b float64) float64{
		"add": func(a, b float64) float64 { return a + b }, "sub": func(a, b float64) float64 { return a - b },
		"mul": func(a, b float64) float64 { return a * b }, "div": func(a, b float64) float64 { return a / b },
		"pow": math.Pow, "maximum": math.Max,
		"gt": func(a, b float64) float64 { return map[bool]float64{true: 1}[a > b] },
		"le": func(a, b float64) float64 { return map[bool]float64{true: 1}[a <= b] },
	},
}

func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		text   string
		at     []float64 // x, g
		want   float64
		device string
	}{
		{"g", []float64{2, 3}, 3, "g"},
		{"-x", []float64{2, 3}, -2, "(-x)"},
		{"-2 * x", []float64{2, 3}, -4, "(C(-2) * x)"},
		{"g * (1 - x*x) / 2", []float64{2, 3}, -4.5, "((g * (C(1) - (x * x))) / C(2))"},
		{"where(x > 0, g, 0)", []float64{2, 3}, 3, "((x > C(0)) ? g : C(0))"},
		{"where(x <= 0, g, 1e-3)", []float64{2, 3}, 1e-3, "((x <= C(0)) ? g : C(0.001))"},
		{"t := exp(x); t * t + g", []float64{0, 3}, 4, "((exp(x) * exp(x)) + g)"},
		{"pow(x, 3) + maximum(x, g)", []float64{2, 3}, 11, "(pow(x, C(3)) + maximum(x, g))"},
		{"log1p(exp(x))", []float64{0, 0}, math.Ln2, "log1p(exp(x))"},
		{"sqr(x) + recip(g)", []float64{3, 4}, 9.25, "(mul(x, x) + (C(1) / g))"},
	} {
		e, err := Parse(c.text, "x", "g")
		if err != nil {
			t.Error(err)
			continue
		}
		if got := e.Func(references, "x", "g")(c.at...); got != c.want {
			t.Errorf("%s at %v is %v, want %v", c.text, c.at, got, c.want)
		}
		if got := e.Device(); got != c.device {
			t.Errorf("%s for devices is %s, want %s", c.text, got, c.device)
		}
	}
}

func TestParts(t *testing.T) {
	e := Must("t := tanh(2 * x); g * (1 - t*t) + tanh(2 * x)", "x", "y", "g")
	if n := e.Steps(); n != 6 { // the two tanh are one
		t.Errorf("%d steps, want 6", n)
	}
	if !e.Mentions("x") || !e.Mentions("g") || e.Mentions("y") || e.Mentions("t") {
		t.Error("the operands are not x and g")
	}
}

func TestNoFormulas(t *testing.T) {
	for _, text := range []string{"", "z", "x +", "x % 2", "tanh(x, x)", "gamma(x)", "gamma()", "x.y", "\"x\"", "1; x",
		"a b := 1; x", "t := ; x", "'x'", "x && x", "+x"} {
		if e, err := Parse(text, "x"); err == nil {
			t.Errorf("%q was read as %v", text, e)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("t := tanh(x); g * (1 - t*t)")
	f.Add("where(x > 0, g, -1e300)")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text, "x", "g")
		if err != nil {
			return
		}
		if e.Device() == "" {
			t.Errorf("%q has no device code", text)
		}
	})
}
