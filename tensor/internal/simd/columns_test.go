package simd

import (
	"math"
	"testing"
)

// eachLevel calls f for the functions of every kind of processor.
func eachLevel(f func(d Doubles)) {
	for _, l := range levels() {
		f(l.plain.Doubles)
	}
}

func TestPolynomial(t *testing.T) {
	eachLevel(func(d Doubles) {
		x := oddDoubles(0)
		for _, n := range []int{0, 8, 16, 24, 32, 40, 64, 72, len(x)} {
			for terms := 1; terms < 7; terms++ {
				c := []float64{0.5, -1.25, 3, 1e-3, -0.1, 7}[:terms]
				out := make([]float64, n)
				d.Polynomial(out, x[:n], c)
				for i, got := range out {
					want := c[terms-1]
					for k := terms - 2; k >= 0; k-- {
						want = math.FMA(want, x[i], c[k])
					}
					if !sameDouble(got, want) {
						t.Fatalf("%d terms at %v are %v, want %v", terms, x[i], got, want)
					}
				}
			}
		}
	})
}

func TestColumns(t *testing.T) {
	eachLevel(func(d Doubles) {
		for _, n := range []int{0, 8, 16, 24, 40} {
			for dims := range 5 {
				stride := n + 3
				x, columns := oddDoubles(1)[:dims], oddDoubles(2)[:dims*stride]
				for name, c := range map[string]struct {
					fast func(out, x, columns []float64, stride int)
					add  func(sum, difference float64) float64
				}{
					"squares":   {d.Squares, func(s, d float64) float64 { return s + d*d }},
					"absolutes": {d.Absolutes, func(s, d float64) float64 { return s + math.Abs(d) }},
					"greatest":  {d.Greatest, func(s, d float64) float64 { return max(s, math.Abs(d)) }},
				} {
					out := make([]float64, n)
					c.fast(out, x, columns, stride)
					for j, got := range out {
						want := 0.0
						for k, v := range x {
							want = c.add(want, v-columns[k*stride+j])
						}
						if !sameDouble(got, want) {
							t.Fatalf("%s of %d dims: element %d of %d is %v, want %v", name, dims, j, n, got, want)
						}
					}
				}
			}
		}
	})
}
