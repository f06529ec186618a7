package main

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/nn"
)

// training is a loss of a batch and what takes its steps.
type training struct {
	opt   nn.Optimizer
	loss  func(batch ...*tensor.Tensor) *tensor.Tensor
	batch []*tensor.Tensor
	flops int
}

// gpt is a GPT of 124 million parameters, all of the dtype, with a batch of 8 × 1,024 tokens and AdamW.
func gpt(o operands) training {
	const batch, context, vocab = 8, 1024, 50304
	p := nn.NewParams(o.dt, o.dev)
	m, err := models.NewGPT(models.GPTConfig{Vocab: vocab, Context: context, Dim: 768, Layers: 12, Heads: 12}, p)
	if err != nil {
		panic(err)
	}
	ids := func() *tensor.Tensor { return o.ids(batch*context, vocab).Reshape(batch, context) }
	return training{
		opt:   nn.NewAdamW(p.Vars(), nn.DefaultAdamW()),
		loss:  func(in ...*tensor.Tensor) *tensor.Tensor { return m.Loss(in[0], in[1]) },
		batch: []*tensor.Tensor{ids(), ids()},
		flops: 6 * batch * context * p.Count(),
	}
}

// resnet is a ResNet-50 of the dtype, with a batch of 64 images of 224 × 224 whose channels are last in memory, and SGD
// with momentum.
func resnet(o operands) training {
	const batch, size, classes = 64, 224, 1000
	config := vision.Config{ModelType: "resnet", Image: [2]int{size, size}, Stem: 64,
		Dims: []int{256, 512, 1024, 2048}, Depths: []int{3, 4, 6, 3}}
	labels := make([]string, classes)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	p := nn.NewParams(o.dt, o.dev)
	m, err := vision.New(config, labels, p)
	if err != nil {
		panic(err)
	}
	opt := nn.NewSGD(p.Vars(), 0.1)
	opt.Momentum = 0.9
	return training{
		opt:   opt,
		loss:  func(in ...*tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(m.ForwardT(in[0], true), in[1]) },
		batch: []*tensor.Tensor{o.randn(batch, size, size, 3).Permute(0, 3, 1, 2), o.ids(batch, classes)},
		flops: 3 * 2 * batch * 4_089_184_256, // multiplications of a forward pass, an image
	}
}

// replayed are steps of a graph, which the warming up captures.
func replayed(of func(operands) training) func(operands) job {
	return func(o operands) job {
		t := of(o)
		trainer := nn.NewTrainer(t.opt, t.loss)
		for range 3 {
			trainer.Step(t.batch...)
		}
		if _, err := trainer.Graph(); err != nil {
			panic(err)
		}
		return one(0, t.flops, func() *tensor.Tensor { return trainer.Step(t.batch...) })
	}
}

// launched are steps whose kernels are launched.
func launched(of func(operands) training) func(operands) job {
	return func(o operands) job {
		t := of(o)
		return one(0, t.flops, func() *tensor.Tensor {
			return nn.TrainStep(t.opt, func() *tensor.Tensor { return t.loss(t.batch...) })
		})
	}
}

// stepMemory is the most memory that the device's process has used with three steps, in MB: compare.py asks a process
// that has measured nothing else.
func stepMemory(of func(operands) training) func(operands) job {
	return func(o operands) job {
		return job{facts: func() map[string]float64 {
			step := launched(of)(o)
			step.elapsed(o.dev, 3)
			return map[string]float64{"peak_mb": float64(o.dev.Memory().Peak) / 1e6}
		}}
	}
}

// stepRows are steps of training: loss, Backward and the optimizer's step.
func stepRows() []row {
	types := []tensor.DType{tensor.F32, tensor.BF16}
	return []row{
		{"gpt_step", types, replayed(gpt)},
		{"gpt_step_launched", types, launched(gpt)},
		{"gpt_step_memory", types, stepMemory(gpt)},
		{"resnet50_step", types, replayed(resnet)},
		{"resnet50_step_launched", types, launched(resnet)},
		{"resnet50_step_memory", types, stepMemory(resnet)},
	}
}
