package tensor_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// BenchmarkComplex computes with 2²⁰ elements of C64 on the CPU.
func BenchmarkComplex(b *testing.B) {
	cpu := tensor.CPU()
	re := cpu.Randn(tensor.F32, 1<<20)
	im := cpu.Randn(tensor.F32, 1<<20)
	z := tensor.Complex(re, im)
	m := z.Reshape(1<<10, 1<<10)
	for _, c := range []struct {
		name string
		f    func() *tensor.Tensor
	}{
		{"complex", func() *tensor.Tensor { return tensor.Complex(re, im) }},
		{"add", func() *tensor.Tensor { return z.Add(z) }},
		{"mul", func() *tensor.Tensor { return z.Mul(z) }},
		{"div", func() *tensor.Tensor { return z.Div(z) }},
		{"abs", func() *tensor.Tensor { return z.Abs() }},
		{"exp", func() *tensor.Tensor { return z.Exp() }},
		{"sum", func() *tensor.Tensor { return z.Sum() }},
		{"matmul", func() *tensor.Tensor { return m.MatMul(m) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				c.f().Free()
			}
		})
	}
}
