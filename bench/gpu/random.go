package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// randomRows are random numbers; bytes are those written.
func randomRows() []row {
	const many = 64 << 20
	type drawing = func(g *random.Generator, shape []int, dev *tensor.Device) *tensor.Tensor
	draw := func(n, size int, f drawing) func(operands) job {
		return func(o operands) job {
			g := random.New(1)
			return one(n*size, 0, func() *tensor.Tensor { return f(g, []int{n}, o.dev) })
		}
	}
	return []row{
		{"random_normal", f32, draw(many, 4, func(g *random.Generator, s []int, dev *tensor.Device) *tensor.Tensor {
			return g.Normal(0, 1, s, tensor.F32, dev)
		})},
		{"random_uniform", f32, draw(many, 4, func(g *random.Generator, s []int, dev *tensor.Device) *tensor.Tensor {
			return g.Uniform(0, 1, s, tensor.F32, dev)
		})},
		{"random_integers", f32, draw(many, 8, func(g *random.Generator, s []int, dev *tensor.Device) *tensor.Tensor {
			return g.Integers(0, 1000, s, tensor.I64, dev)
		})},
		{"random_permutation", f32, draw(long, 4, func(g *random.Generator, s []int, dev *tensor.Device) *tensor.Tensor {
			return g.Permutation(s[0], dev)
		})},
		{"random_poisson", f32, draw(long, 4, func(g *random.Generator, s []int, dev *tensor.Device) *tensor.Tensor {
			return g.Poisson(30, s, tensor.F32, dev)
		})},
		{"random_gamma", f32, draw(long, 4, func(g *random.Generator, s []int, dev *tensor.Device) *tensor.Tensor {
			return g.Gamma(2.5, 1, s, tensor.F32, dev)
		})},
	}
}
