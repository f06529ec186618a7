package models_test

import (
	"maps"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestTokenLaunches counts what a token of a Llama with two layers launches: six kernels a layer.
func TestTokenLaunches(t *testing.T) {
	thorough.Slow(t)
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skip(err)
	}
	device := b.(*gpu.Backend)
	dev := access.NewDevice("rocm", "rocm:0 (a token)", b).(*tensor.Device)
	c := models.LlamaConfig{Dim: 256, Hidden: 512, Layers: 2, Heads: 4, KVHeads: 2, Vocab: 300, Context: 64, Tied: true}
	m, err := models.NewLlama(c, nn.NewParams(tensor.F16, dev))
	if err != nil {
		t.Fatal(err)
	}
	products := map[string]map[string]int{"f16": {"linear_f16": 4*2 + 1}, "Q4K": {"linear_q4k": 4*2 + 1}}
	for name, m := range map[string]*models.Llama{"f16": m, "Q4K": m.Pack(quant.Q4K)} {
		d := m.Decoder()
		d.Read([]int{1, 2, 3})
		dev.Synchronize()
		got := map[string]int{}
		device.OnLaunch = func(kernel string) { got[kernel]++ }
		d.Read([]int{4})
		device.OnLaunch = nil
		want := map[string]int{"index_select_u32_b16": 1, "rope_put_f16": 2, "attention_parts_2_f16": 2}
		maps.Copy(want, products[name])
		if !maps.Equal(got, want) {
			t.Errorf("%s: launches %v, want %v", name, got, want)
		}
	}
}
