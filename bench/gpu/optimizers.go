package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// gptShapes are those of the parameters of a GPT-2 of 124 million.
func gptShapes() [][]int {
	const dim, vocab, context, layers = 768, 50304, 1024, 12
	shapes := [][]int{{vocab, dim}, {context, dim}, {dim}, {dim}}
	for range layers {
		shapes = append(shapes, []int{dim}, []int{dim}, []int{3 * dim, dim}, []int{3 * dim}, []int{dim, dim},
			[]int{dim}, []int{dim}, []int{dim}, []int{4 * dim, dim}, []int{4 * dim}, []int{dim, 4 * dim}, []int{dim})
	}
	return shapes
}

// optimizerRows are steps of optimizers; their bytes are those of weights, gradients and moments of F32, each read
// and, but for gradients, written once.
func optimizerRows() []row {
	step := func(change func(c *nn.AdamWConfig)) func(o operands) job {
		return func(o operands) job {
			var vars []*tensor.Tensor
			grads := tensor.NewVar(o.randn(1)).Sum().Backward()
			bytes := 0
			for _, shape := range gptShapes() {
				v := tensor.NewVar(o.randn(shape...))
				vars = append(vars, v)
				grads.Insert(v, o.randn(shape...))
				bytes += 3*v.Bytes() + 16*v.ElemCount()
			}
			c := nn.DefaultAdamW()
			change(&c)
			opt := nn.NewAdamW(vars, c)
			return job{bytes: bytes, run: func() []*tensor.Tensor { opt.Step(grads); return nil }}
		}
	}
	types := []tensor.DType{tensor.F32, tensor.BF16}
	return []row{
		{"adamw", types, step(func(*nn.AdamWConfig) {})},
		{"adamw_clipped", types, step(func(c *nn.AdamWConfig) { c.Gradients.ClipNorm = 1 })},
	}
}
