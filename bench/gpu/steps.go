package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// stepRows are steps of training a GPT of 124 million parameters, with a batch of 8 × 1,024 tokens: loss, Backward,
// AdamW. All weights are of the dtype. gpt_step is replayed as a graph, which the warming up captures; the kernels of
// gpt_step_launched are launched.
func stepRows() []row {
	step := func(graph bool) func(o operands) job {
		return func(o operands) job {
			const batch, context, vocab = 8, 1024, 50304
			p := nn.NewParams(o.dt, o.dev)
			config := models.GPTConfig{Vocab: vocab, Context: context, Dim: 768, Layers: 12, Heads: 12}
			m, err := models.NewGPT(config, p)
			if err != nil {
				panic(err)
			}
			ids := o.ids(batch*context, vocab).Reshape(batch, context)
			targets := o.ids(batch*context, vocab).Reshape(batch, context)
			opt := nn.NewAdamW(p.Vars(), nn.DefaultAdamW())
			loss := func(in ...*tensor.Tensor) *tensor.Tensor { return m.Loss(in[0], in[1]) }
			flops := 6 * batch * context * p.Count()
			if !graph {
				return one(0, flops, func() *tensor.Tensor {
					return nn.TrainStep(opt, func() *tensor.Tensor { return loss(ids, targets) })
				})
			}
			trainer := nn.NewTrainer(opt, loss)
			for range 3 {
				trainer.Step(ids, targets)
			}
			if _, err := trainer.Graph(); err != nil {
				panic(err)
			}
			return one(0, flops, func() *tensor.Tensor { return trainer.Step(ids, targets) })
		}
	}
	types := []tensor.DType{tensor.F32, tensor.BF16}
	return []row{
		{"gpt_step", types, step(true)},
		{"gpt_step_launched", types, step(false)},
	}
}
