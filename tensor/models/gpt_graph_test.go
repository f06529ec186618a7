package models_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestTrainingGraph trains a small GPT by a graph and without: the weights have the same bits after all steps, and a step
// is a graph, the copies of two inputs, and that of the loss.
func TestTrainingGraph(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_FUSE", "0") // nothing to compile
	for _, c := range thorough.Sample([]models.GPTConfig{{Checkpoint: true, Dropout: 0.2}, {Dropout: 0.2}}, 2, 0) {
		t.Run(fmt.Sprintf("checkpoint %v", c.Checkpoint), func(t *testing.T) {
			c.Vocab, c.Context, c.Dim, c.Layers, c.Heads = 16, 8, 16, 2, 2
			var weights [2][]float64
			for i, graph := range []bool{false, true} {
				weights[i] = trainGraph(t, c, graph)
			}
			if !slices.Equal(weights[0], weights[1]) {
				t.Error("the weights differ")
			}
		})
	}
}

// trainGraph takes 20 steps, or 7 if not thorough, and returns all weights.
func trainGraph(t *testing.T, c models.GPTConfig, graph bool) (weights []float64) {
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	dev, err := gpu.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	device := extend.Backend(dev).(backend.GPU).Device()
	dev.SetSeed(1)
	p := nn.NewParams(tensor.F32, dev)
	m, err := models.NewGPT(c, p)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(in ...*tensor.Tensor) *tensor.Tensor { return m.Loss(in[0], in[1]) }
	config := nn.DefaultAdamW()
	config.Gradients.ClipNorm = 1
	opt := nn.NewAdamW(p.Vars(), config)
	trainer := nn.NewTrainer(opt, loss)
	steps := 7
	if thorough.On() {
		steps = 20
	}
	for step := range steps {
		opt.SetLearningRate(nn.CosineDecay(0.01, 0.001, 20)(step))
		ids := dev.Arange(tensor.U32, 16).Mul(step+3).BitAnd(15).Reshape(2, 8)
		targets := ids.Flip(1).Contiguous()
		dev.Synchronize()
		launches := device.Launches()
		if !graph {
			nn.TrainStep(opt, func() *tensor.Tensor { return loss(ids, targets) })
			continue
		}
		trainer.Step(ids, targets)
		if n := device.Launches() - launches; step > 1 && n > 3 {
			t.Errorf("step %d has %d launches beside the graph", step, n)
		}
	}
	if g, err := trainer.Graph(); graph {
		if err != nil {
			t.Fatal(err)
		}
		state := int64(3 * 4 * p.Count())
		if in, most := dev.Memory().InUse, state+g.Memory()+(512<<10); in > most {
			t.Errorf("%d bytes in use between steps: weights and moments have %d, the graph %d", in, state, g.Memory())
		}
	}
	for _, v := range p.Vars() {
		weights = append(weights, v.FlattenAll().ToVec1()...)
	}
	runtime.KeepAlive(m)
	return weights
}
