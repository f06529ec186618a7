package models_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestTrainingMemory trains a small GPT, and keeps the launches of the optimizer and the memory in use, as formulas of
// the sizes. The figures do not depend on when the garbage collector runs: it finds nothing that was not freed before,
// but for scalars.
func TestTrainingMemory(t *testing.T) {
	thorough.Slow(t)
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if !gpu.Emulated() {
		t.Skip("the figures are those of the emulated GPU")
	}
	t.Setenv("GOROCM_FUSE", "0") // which chains become kernels would depend on when those are compiled
	for _, c := range thorough.Sample([]struct {
		name   string
		config models.GPTConfig
		limit  float64 // of the memory that theory needs
	}{
		{"checkpoint", models.GPTConfig{Checkpoint: true}, 2.3},
		{"kept", models.GPTConfig{}, 1.9},
	}, 2, 0) {
		t.Run(c.name, func(t *testing.T) {
			c.config.Vocab, c.config.Context, c.config.Dim, c.config.Layers, c.config.Heads = 256, 64, 64, 4, 4
			trainingMemory(t, gpu, c.config, c.limit)
		})
	}
}

func trainingMemory(t *testing.T, gpu *tensor.Device, c models.GPTConfig, limit float64) {
	dev, err := gpu.NewStream() // with memory of its own
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
	const batch = 2
	list := make([]uint32, batch*c.Context)
	for i := range list {
		list[i] = uint32(i * 7 % c.Vocab)
	}
	ids := dev.FromSlice(list, batch, c.Context)
	loss := func() *tensor.Tensor { return m.Loss(ids, ids) }
	opt := nn.NewAdamW(p.Vars(), nn.DefaultAdamW())
	const few = 64 << 10 // bytes of scalars, of ids and of what sizes are rounded up to
	weights := int64(4 * p.Count())
	for dev.Memory().InUse > weights+few { // what initial weights were made of; the test's own limit ends a wait in vain
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	first := nn.TrainStep(opt, loss).ToScalar() // makes the moments

	var last float64
	steps := 1
	if thorough.On() {
		steps = 3
	}
	for range steps {
		last = nn.TrainStep(opt, loss).ToScalar()
		if got, want := dev.Memory().InUse, 3*weights; got < want || got > want+few {
			t.Errorf("%d bytes between steps, want %d of weights and moments", got, want)
		}
	}
	if !(last < first) {
		t.Errorf("the loss has gone from %v to %v", first, last)
	}

	grads := loss().Backward()
	launches := device.Launches()
	opt.Step(grads)
	if n := device.Launches() - launches; n != 1 {
		t.Errorf("the step has %d launches for %d variables, want 1", n, len(p.Vars()))
	}
	if got, want := dev.Memory().InUse, 4*weights; got < want || got > want+few {
		t.Errorf("%d bytes between steps, want %d of weights, moments and gradients", got, want)
	}
	runtime.KeepAlive([]any{p, opt, grads})

	// What gradients need of a layer: both norms' results and inputs, queries, keys and values, weights of attention, its
	// result, and both sides of gelu; beside that what embeddings give, the last norm, and the logits.
	tokens := batch * c.Context
	layer := 16*tokens*c.Dim + batch*c.Heads*c.Context*c.Context
	ends := 3*tokens*c.Dim + tokens*c.Vocab
	activations := c.Layers*layer + ends
	if c.Checkpoint { // a layer at a time, and what each begins with
		activations = layer + c.Layers*tokens*c.Dim + ends
	}
	theory := 3*weights + int64(4*activations)
	peak := dev.Memory().Peak
	t.Logf("%s: at most %d bytes in use, %.2f of what theory needs", fmt.Sprint(c.Checkpoint), peak,
		float64(peak)/float64(theory))
	if float64(peak) > limit*float64(theory) {
		t.Errorf("at most %d bytes in use, theory needs %d: %.2f of it, want at most %.2f", peak, theory,
			float64(peak)/float64(theory), limit)
	}
}
