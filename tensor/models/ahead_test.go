package models_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// eachAhead calls f with a model on each GPU, and with a function for its decoders: those that read ahead, and others.
func eachAhead(t *testing.T, f func(t *testing.T, m *models.Llama, decoder func(ahead bool) *models.LlamaDecoder)) {
	thorough.Slow(t)
	c := models.LlamaConfig{Dim: 64, Hidden: 96, Layers: 1, Heads: 6, KVHeads: 2, HeadDim: 16, Vocab: 700, Context: 300,
		EOS: []int{699}}
	for _, dev := range devices(t) {
		if dev.IsCPU() {
			continue
		}
		for _, one := range []bool{false, true} {
			dev.SetSeed(5)
			m, err := models.NewLlama(c, nn.NewParams(tensor.F16, dev))
			if err != nil {
				t.Fatal(err)
			}
			name := dev.String() + ", a launch for each kernel"
			if one {
				name = dev.String() + ", one launch"
			}
			t.Run(name, func(t *testing.T) {
				f(t, m, func(ahead bool) *models.LlamaDecoder {
					d := m.Decoder()
					if one {
						d.OneLaunch()
					}
					if ahead {
						d.ReadAhead()
					}
					return d
				})
			})
		}
	}
}

// TestReadAhead: texts do not depend on whether tokens are read before the host knows them: where a token ends them,
// where the caches grow and the context is full, for another text behind them, and where the host has to choose.
func TestReadAhead(t *testing.T) {
	long := make([]int, 250) // the caches grow at 256
	for i := range long {
		long[i] = i * i % 699
	}
	eachAhead(t, func(t *testing.T, m *models.Llama, decoder func(bool) *models.LlamaDecoder) {
		greedy := texts(decoder(false), nn.Sampling{}, [][]int{{1, 2, 3}}, 6)
		samplings := []nn.Sampling{
			{},
			{Temperature: 1.2, Seed: 3},
			{Temperature: 1, TopK: 5, TopP: 0.9, Seed: 4},
			{Temperature: 9, TopP: 0.99, Seed: 5}, // needs more tokens than the kernel looks at
			{RepeatPenalty: 1.3},                  // needs the host
		}
		few := m.Device().Emulated() && decoder(false).Graph() == 1 && !thorough.On() // one launch takes long there
		if few {
			samplings = samplings[:1]
		}
		for _, s := range samplings {
			prompts := [][]int{{1, 2, 3}, {4}}
			if s == (nn.Sampling{}) {
				prompts = append(prompts, long)
			}
			if few { // and only to its end
				prompts = prompts[:1]
			}
			m.Config.EOS = []int{greedy[0][3+4]} // ends a text
			want := texts(decoder(false), s, prompts, 8)
			if got := texts(decoder(true), s, prompts, 8); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%v: %v\nwant %v", s, got, want)
			}
		}
		if all := texts(decoder(true), nn.Sampling{}, [][]int{{1, 2, 3}}, 6); len(all[0]) != 3+4+1 || all[0][7] != 7 {
			t.Errorf("a text that was to end after 4 tokens, all of which were read: %v", all[0])
		}
	})
}

// texts returns tokens of texts of one generator, and how many tokens its decoder has read at last, or -1 where a text
// is not at its end.
func texts(d *models.LlamaDecoder, s nn.Sampling, prompts [][]int, tokens int) (all [][]int) {
	g := models.NewGenerator(d, nil, s)
	for _, prompt := range prompts {
		g.PromptTokens(prompt)
		read := -1
		for range tokens {
			if !g.Next() {
				read = d.Len()
				break
			}
		}
		all = append(all, append(g.Tokens(), read))
	}
	return all
}

// TestReadAheadStops: what was read ahead is known when a text goes on with other tokens, and is forgotten with an
// error.
func TestReadAheadStops(t *testing.T) {
	eachAhead(t, func(t *testing.T, m *models.Llama, decoder func(bool) *models.LlamaDecoder) {
		d := decoder(true)
		g := models.NewGenerator(d, nil, nn.Sampling{})
		g.PromptTokens([]int{1, 2, 3})
		for range 3 {
			g.Next()
		}
		if d.Len() != 3+3 {
			t.Errorf("%d tokens were read, want those of the prompt and the 3 that were made", d.Len())
		}
		next := append(g.Tokens(), 8)
		g.ContinueTokens(next)
		if g.Cached() != 3+3 {
			t.Errorf("%d tokens were known", g.Cached())
		}
		g.Next()
		if want := texts(decoder(false), nn.Sampling{}, [][]int{next}, 1)[0]; g.Token() != want[len(next)] {
			t.Errorf("token %d after %v, want %d", g.Token(), next, want[len(next)])
		}
	})
	for _, dev := range devices(t) {
		if dev.IsCPU() || thorough.Short() {
			continue
		}
		weights := tinyWeights()
		for _, w := range weights {
			if w.Name == "norm.weight" { // the last one
				w.Tensor.ConstSet(math.NaN())
			}
		}
		m, err := models.NewLlama(models.Llama2cConfig(&tiny), nn.ParamsOf(weights, tensor.F32, dev))
		if err != nil {
			t.Fatal(err)
		}
		d := m.Decoder()
		d.ReadAhead()
		g := models.NewGenerator(d, nil, nn.Sampling{Temperature: 1})
		g.PromptTokens([]int{1, 2})
		if err := tensor.Catch(func() error { g.Next(); return nil }); err == nil || d.Len() != 2 {
			t.Errorf("no number is a logit: %v, %d tokens were read", err, d.Len())
		}
	}
}
