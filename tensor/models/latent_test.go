package models_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestLatentWide: rows that are too wide for kernels of attention, as those of DeepSeek are, give the same at once,
// token by token, in parts, and in a server.
func TestLatentWide(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(7)
		c := models.LlamaConfig{Dim: 32, Hidden: 32, Layers: 2, Heads: 2, Vocab: 24, Context: 300, Variant: models.Variant{
			Latent: &models.Latent{Rank: 288, QueryRank: 32, Plain: 16, Rope: 8, Value: 16}}}
		m, err := models.NewLlama(c, nn.NewParams(tensor.F32, dev))
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]int, 200) // more than one part of the queries
		for i := range ids {
			ids[i] = i * i % 24
		}
		all := m.Forward(ids).ToVec2()
		d := m.Decoder()
		d.Read(ids[:130])
		for i, id := range ids[130:140] {
			near(t, d.Read([]int{id}).ToVec1(), all[130+i], 1e-5)
		}
		for i, row := range d.ReadAll(ids[140:]).ToVec2() {
			near(t, row, all[140+i], 1e-5)
		}
		s := served(t, m, nil, models.ServerConfig{BlockSize: 4, MaxSequences: 2, MaxBatchedTokens: 7})
		requests := []models.Request{{Prompt: ids[:9], MaxTokens: 6}, {Prompt: ids[5:8], MaxTokens: 9}}
		for i, done := range submitAll(t, s, requests...) {
			want := alone(m, requests[i])
			if got, _, err := done.Collect(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: prompt %v: %v, %v; alone %v", dev, requests[i].Prompt, got, err, want)
			}
		}
		packed := m.Pack(quant.Q8_0).Forward(ids[:9])
		want := m.Forward(ids[:9])
		if difference := packed.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(difference < 0.02) || difference == 0 {
			t.Errorf("%v: packed logits differ by %v", dev, difference)
		}
	}
}
