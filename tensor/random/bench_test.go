package random_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// BenchmarkHost draws on the host: ns per number. bench/random_numbers.py times NumPy, SciPy and PyTorch with the same.
func BenchmarkHost(b *testing.B) {
	const n = 1 << 21
	g, s := random.New(1), []int{n}
	for _, c := range []struct {
		name string
		draw func()
	}{
		{"uniform f32", func() { g.Uniform(0, 1, s, tensor.F32, cpu).Free() }},
		{"uniform f64", func() { g.Uniform(0, 1, s, tensor.F64, cpu).Free() }},
		{"normal f32", func() { g.Normal(0, 1, s, tensor.F32, cpu).Free() }},
		{"normal f64", func() { g.Normal(0, 1, s, tensor.F64, cpu).Free() }},
		{"integers i64", func() { g.Integers(0, 1000, s, tensor.I64, cpu).Free() }},
		{"integers i32", func() { g.Integers(0, 1000, s, tensor.I32, cpu).Free() }},
		{"exponential f64", func() { g.Exponential(1, s, tensor.F64, cpu).Free() }},
		{"gamma 2.5 f64", func() { g.Gamma(2.5, 1, s, tensor.F64, cpu).Free() }},
		{"gamma 0.5 f64", func() { g.Gamma(0.5, 1, s, tensor.F64, cpu).Free() }},
		{"poisson 4 i64", func() { g.Poisson(4, s, tensor.I64, cpu).Free() }},
		{"poisson 100 i64", func() { g.Poisson(100, s, tensor.I64, cpu).Free() }},
		{"binomial 1000 0.3 i64", func() { g.Binomial(1000, 0.3, s, tensor.I64, cpu).Free() }},
		{"permutation", func() { g.Permutation(n, cpu).Free() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.draw()
				tensor.CPU().Synchronize() // computes what is deferred
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/number")
		})
	}
}
