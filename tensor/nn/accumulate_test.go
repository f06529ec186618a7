package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAccumulate: two halves of a batch make the step of the batch, and a graph of them the bits of the same step
// without one.
func TestAccumulate(t *testing.T) {
	thorough.Slow(t)
	whole := newLearner(tensor.CPU(), tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
	parts := newLearner(tensor.CPU(), tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
	trainer := nn.NewTrainer(parts.opt, parts.loss)
	gpu, _ := graphDevice(t)
	graphed := newLearner(gpu, tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
	plain := newLearner(gpu, tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
	onGPU := nn.NewTrainer(graphed.opt, graphed.loss)
	halves := func(dev *tensor.Device, x, y *tensor.Tensor) [][]*tensor.Tensor {
		x, y = x.ToDevice(dev), y.ToDevice(dev)
		return [][]*tensor.Tensor{{x.Narrow(0, 0, 4), y.Narrow(0, 0, 4)}, {x.Narrow(0, 4, 4), y.Narrow(0, 4, 4)}}
	}
	for step := range 5 {
		x, y := batch(tensor.CPU(), 8, step)
		want := nn.TrainStep(whole.opt, func() *tensor.Tensor { return whole.loss(x, y) }).ToScalar()
		if got := trainer.StepAll(halves(tensor.CPU(), x, y)).ToScalar(); math.Abs(got-want) > 1e-6 {
			t.Errorf("step %d: loss %v, of the whole batch %v", step, got, want)
		}
		list := halves(gpu, x, y)
		one := onGPU.StepAll(list).ToScalar()
		other := nn.AccumulateStep(plain.opt, func() *tensor.Tensor { return plain.loss(list[0]...) },
			func() *tensor.Tensor { return plain.loss(list[1]...) }).ToScalar()
		if one != other {
			t.Errorf("step %d: loss %v by a graph, %v without", step, one, other)
		}
	}
	if _, err := onGPU.Graph(); err != nil {
		t.Error(err)
	}
	for i := range whole.vars {
		if d := whole.vars[i].Sub(parts.vars[i]).Abs().Max().ToScalar(); d > 1e-5 {
			t.Errorf("variable %d differs by %v from that of whole batches", i, d)
		}
		if !slices.Equal(bits(graphed.vars[i]), bits(plain.vars[i])) {
			t.Errorf("variable %d differs between a graph and none", i)
		}
	}
}
