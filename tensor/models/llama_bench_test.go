package models_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// BenchmarkLlama1B is the time of a token after 128 others, of a model with the sizes of Llama 3.2 1B and random
// weights, in F16 and packed. It needs a GPU.
func BenchmarkLlama1B(b *testing.B) {
	for _, spec := range []string{"rocm", "cuda"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil || dev.Emulated() {
			continue
		}
		c := models.LlamaConfig{Dim: 2048, Hidden: 8192, Layers: 16, Heads: 32, KVHeads: 8, Vocab: 128256,
			Context: 1024, RopeBase: 500000, Tied: true}
		m, err := models.NewLlama(c, nn.NewParams(tensor.F16, dev))
		if err != nil {
			b.Fatal(err)
		}
		for name, m := range map[string]*models.Llama{"f16": m, "q4k": m.Pack(quant.Q4K)} {
			b.Run(dev.Location()+"/"+name, func(b *testing.B) {
				d := m.Decoder()
				prompt := make([]int, 128)
				d.Read(prompt)
				s := nn.NewSampler(nn.Sampling{})
				id := 0
				for b.Loop() {
					if d.Len() == d.Context() {
						d.Reset()
						d.Read(prompt)
					}
					id = s.Sample(d.Read([]int{id}))
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
		return
	}
	b.Skip("there is no GPU but the emulated one")
}
