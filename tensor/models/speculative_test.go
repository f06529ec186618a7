package models_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestPromptLookup: guesses change no text, up to the end of the context and to a token that ends it, and texts that
// repeat take fewer reads.
func TestPromptLookup(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		c := models.Llama2cConfig(&tiny)
		c.Context, c.EOS = 64, []int{27}
		if dev.Emulated() && !thorough.On() {
			c.Context = 32
		}
		m, err := models.NewLlama(c, nn.ParamsOf(tinyWeights(), tensor.F32, dev))
		if err != nil {
			t.Fatal(err)
		}
		prompts := [][]int{{30, 25, 30, 25, 30}, tinyIDs, {3}, {37, 37, 37}}
		samplings := []nn.Sampling{{}, {Temperature: 1, TopK: 2, RepeatPenalty: 1.2, Seed: 4}, {Temperature: 0.5, Seed: 3},
			{FrequencyPenalty: 0.3}}
		want := [2]int{157, 244} // reads, and tokens that they made, where the likeliest ones are taken
		if dev.Emulated() && !thorough.On() {
			prompts, samplings, want = prompts[:1], samplings[:2], [2]int{24, 28}
		}
		read, made := 0, 0
		for _, prompt := range prompts {
			for _, s := range samplings {
				var texts [][]int
				for _, guesses := range []int{0, 1, 4} {
					d := m.Decoder()
					g := models.NewGenerator(d, nil, s)
					g.PromptLookup(guesses)
					g.PromptTokens(prompt)
					for g.Next() {
					}
					texts = append(texts, g.Tokens())
					got := g.Stats()
					if got.Reads+got.Right != got.Tokens+1 || got.Right > got.Guessed || (got.Guessed > 0) != (guesses > 0) ||
						d.Len() > d.Context() {
						t.Errorf("%+v, %d tokens were read", got, d.Len())
					}
					if guesses == 4 && s.Temperature == 0 && s.FrequencyPenalty == 0 {
						read, made = read+got.Reads, made+got.Tokens+1
					}
				}
				if !slices.Equal(texts[0], texts[1]) || !slices.Equal(texts[0], texts[2]) {
					t.Errorf("%v, %v: %v", dev, s, texts)
				}
			}
		}
		if got := [2]int{read, made}; got != want {
			t.Errorf("%v: reads and tokens are %v, want %v", dev, got, want)
		}
	}
}

func TestPromptLookupMistakes(t *testing.T) {
	m, _ := tinyGPT(t, 11, tensor.CPU())
	for _, f := range []func(){
		func() { models.NewGenerator(m.Decoder(), nil, nn.Sampling{}).PromptLookup(2) }, // it forgets its first tokens
		func() { models.NewGenerator(tinyLlama(t, tensor.CPU()).Decoder(), nil, nn.Sampling{}).PromptLookup(-1) },
		func() { tinyLlama(t, tensor.CPU()).Decoder().Truncate(1) },
	} {
		if err := tensor.Catch(func() error { f(); return nil }); !errors.Is(err, tensor.ErrShape) {
			t.Error(err)
		}
	}
	models.NewGenerator(m.Decoder(), nil, nn.Sampling{}).PromptLookup(0)
}
