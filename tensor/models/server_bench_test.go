package models_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// BenchmarkServer is the time of texts of 64 tokens after 16 others, as many at once as it says, of a model with 25
// million random weights on the CPU. One text is made by a Generator, for comparison.
func BenchmarkServer(b *testing.B) {
	c := models.LlamaConfig{Dim: 512, Hidden: 1408, Layers: 6, Heads: 8, KVHeads: 4, Vocab: 8192, Context: 256, Tied: true}
	m, err := models.NewLlama(c, nn.NewParams(tensor.F32, tensor.CPU()))
	if err != nil {
		b.Fatal(err)
	}
	const made = 64
	prompt := make([]int, 16)
	b.Run("generator", func(b *testing.B) {
		g := models.NewGenerator(m.Decoder(), nil, nn.Sampling{})
		for b.Loop() {
			g.PromptTokens(prompt)
			for range made {
				g.Next()
			}
		}
		b.ReportMetric(float64(made*b.N)/b.Elapsed().Seconds(), "tokens/s")
	})
	for _, texts := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("texts %d", texts), func(b *testing.B) {
			s, err := models.NewServer(m, nil, models.ServerConfig{MaxSequences: texts})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			for b.Loop() {
				var all []*models.Completion
				for range texts {
					c, err := s.Submit(context.Background(), models.Request{Prompt: prompt, MaxTokens: made, IgnoreEOS: true})
					if err != nil {
						b.Fatal(err)
					}
					all = append(all, c)
				}
				for _, c := range all {
					if _, _, err := c.Collect(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(texts*made*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
