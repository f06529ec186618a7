package models_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestGPTLoRA: adapters of a GPT learn a text that the model does not know, its decoder sees them, dropout or not, and
// merged weights do the same.
func TestGPTLoRA(t *testing.T) {
	dev := tensor.CPU()
	dev.SetSeed(4)
	c := models.GPTConfig{Vocab: 7, Context: 12, Dim: 16, Layers: 2, Heads: 2}
	p := nn.NewParams(tensor.F32, dev)
	if _, err := models.NewGPT(c, p); err != nil {
		t.Fatal(err)
	}
	config := nn.DefaultLoRA("c_attn", "c_fc", "c_proj")
	config.Rank, config.Alpha, config.Dropout = 4, 16, 0.1
	lora := nn.NewLoRA(config, tensor.F32, dev)
	base := p.Detach()
	m, err := models.NewGPT(c, base.Adapt(lora))
	if err != nil {
		t.Fatal(err)
	}
	if err := lora.Check(); err != nil || len(lora.Layers()) != 8 {
		t.Fatal(lora.Layers(), err)
	}
	a := nn.DefaultAdamW()
	a.LR = 0.02
	opt := nn.NewAdamW(lora.Params().Vars(), a)
	ids := dev.New([][]int64{{1, 2, 3, 4, 5, 6, 1, 2}})
	x, y := ids.Narrow(1, 0, 7), ids.Narrow(1, 1, 7)
	var first, last float64
	for step := range 60 {
		last = nn.TrainStep(opt, func() *tensor.Tensor { return m.Loss(x, y) }).ToScalar()
		if step == 0 {
			first = last
		}
	}
	if !(last < 0.95*first) {
		t.Errorf("the loss went from %v to %v", first, last)
	}
	lora.Training = false
	want := m.Forward(x).Get(0).Get(6)
	lora.Training = true
	d := m.Decoder()
	if got := d.Read([]int{1, 2, 3, 4, 5, 6, 1}); got.Sub(want).Abs().Max().ToScalar() > 1e-4 {
		t.Errorf("the decoder gives %v, the model %v", got, want)
	}
	merged, err := models.NewGPT(c, lora.Merged(p))
	if err != nil {
		t.Fatal(err)
	}
	if got := merged.Forward(x).Get(0).Get(6); got.Sub(want).Abs().Max().ToScalar() > 1e-4 {
		t.Errorf("merged, the model gives %v, and with adapters %v", got, want)
	}
}
