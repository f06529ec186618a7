package sample

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFunctions compares with package math, whose functions are within a unit in the last place.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	near := func(name string, x, got, want float64) {
		if !(math.Abs(got-want) <= 2*0x1p-52*math.Abs(want)) {
			t.Errorf("%s(%v) is %v, want %v", name, x, got, want)
		}
	}
	for range 20000 {
		x := math.Exp(1400*r.Float64() - 700)
		near("log", x, log(x), math.Log(x))
		near("log", 1/(1+x), log(1/(1+x)), math.Log(1/(1+x)))
		y := 1400*r.Float64() - 700
		near("exp", y, exp(y), math.Exp(y))
		z := -r.Float64() / 2 * math.Exp(-40*r.Float64())
		near("log1p", z, log1p(z), math.Log1p(z))
	}
	if v := exp(math.Inf(-1)); v != 0 {
		t.Errorf("exp(-∞) is %v", v)
	}
	for k := range 200 {
		x := float64(k)
		lg, _ := math.Lgamma(x + 1)
		want := lg
		if k > 0 {
			want -= x*math.Log(x) - x
		}
		if got := tail(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("tail(%v) is %v, want %v", x, got, want)
		}
		m := x * (1 + r.Float64())
		if k > 0 {
			if got, want := deviance(x, m), x*math.Log(x/m)+m-x; math.Abs(got-want) > 1e-12*m {
				t.Errorf("deviance(%v, %v) is %v, want %v", x, m, got, want)
			}
		}
	}
	if got, want := digamma(1), -0.5772156649015329; math.Abs(got-want) > 1e-14 {
		t.Errorf("digamma(1) is %v, want %v", got, want)
	}
}

// TestDeviance: near the mean the terms of the definition are 2^40 times the result, which a series has.
func TestDeviance(t *testing.T) {
	const m, d = 1 << 50, 1 << 20
	if got, want := deviance(m+d, m), float64(d*d)/(2*m)*(1-float64(d)/(3*m)); math.Abs(got-want) > 1e-12*want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func BenchmarkIntegers(b *testing.B) {
	out := make([]uint64, 1<<14)
	d := Integers{Range: 1000}
	b.SetBytes(1 << 14)
	for range b.N {
		Fill(d, out, 0, len(out))
	}
}
