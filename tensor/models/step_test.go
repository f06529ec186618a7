package models_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// gpus are the devices that have graphs.
func gpus(t *testing.T) []*tensor.Device {
	return slices.DeleteFunc(devices(t), (*tensor.Device).IsCPU)
}

// TestLlamaGraph: tokens that a graph reads give what tokens give that are launched one by one, before and after the
// caches have grown, and for a new text.
func TestLlamaGraph(t *testing.T) {
	thorough.Slow(t)
	long := make([]int, 253)
	for i := range long {
		long[i] = i * i % tiny.Vocab
	}
	for _, dev := range gpus(t) {
		for n, kind := range []struct {
			name   string
			change func(c *models.LlamaConfig)
		}{
			{"llama", func(*models.LlamaConfig) {}},
			{"window", func(c *models.LlamaConfig) { c.Window = 3 }},
			{"halves of small floats", func(c *models.LlamaConfig) { c.Interleaved = false }},
		} {
			t.Run(dev.Location()+"/"+kind.name, func(t *testing.T) {
				c := models.Llama2cConfig(&tiny)
				c.Context = 300
				kind.change(&c)
				dt, within := tensor.F32, 1e-5
				if !c.Interleaved {
					dt, within = tensor.F16, 1e-2
				}
				m, err := models.NewLlama(c, nn.ParamsOf(tinyWeights(), dt, dev))
				if err != nil {
					t.Fatal(err)
				}
				with, without := m.Decoder(), m.Decoder()
				without.UseGraph(false)
				for _, prompt := range thorough.Sample([][]int{tinyIDs, long, {7}}, 2, n) {
					with.Reset()
					without.Reset()
					near(t, with.Read(prompt).ToVec1(), without.Read(prompt).ToVec1(), within)
					var before, kept *tensor.Tensor
					for _, id := range []int{1, 30, 4, 4, 11, 39} {
						before, kept = kept, with.Read([]int{id})
						near(t, kept.ToVec1(), without.Read([]int{id}).ToVec1(), within)
						if before != nil && slices.Equal(before.ToVec1(), kept.ToVec1()) {
							t.Error("the logits of a token became those of the next")
						}
					}
					if with.Graph() == 0 || without.Graph() != 0 {
						t.Errorf("graphs of %d and %d kernels", with.Graph(), without.Graph())
					}
					if with.Len() != len(prompt)+6 {
						t.Errorf("%d tokens were read", with.Len())
					}
				}
			})
		}
	}
}

// TestLlamaGraphTokens: a text is the same with a graph and without, of dense and of packed weights.
func TestLlamaGraphTokens(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range gpus(t) {
		plain := tinyLlama(t, dev)
		for name, m := range map[string]*models.Llama{"dense": plain, "packed": plain.Pack(quant.Q8_0)} {
			var texts []string
			for _, graph := range []bool{true, false} {
				d := m.Decoder()
				d.UseGraph(graph)
				g := models.NewGenerator(d, nil, nn.Sampling{Temperature: 1, Seed: 5})
				g.PromptTokens([]int{1, 2})
				for g.Next() {
				}
				texts = append(texts, fmt.Sprint(g.Tokens()))
			}
			if texts[0] != texts[1] {
				t.Errorf("%s on %v: %s with a graph, %s without", name, dev, texts[0], texts[1])
			}
		}
	}
}

// TestGPTGraph: a graph gives the same past the end of the context, and when parameters have changed.
func TestGPTGraph(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range gpus(t) {
		m, p := tinyGPT(t, 11, dev)
		with, without := m.Decoder(), m.Decoder()
		without.UseGraph(false)
		for i := range 2*m.Config.Context + 3 {
			id := i * i % 11
			near(t, with.Read([]int{id}).ToVec1(), without.Read([]int{id}).ToVec1(), 1e-5)
			if i == 7 {
				for _, v := range p.Vars() {
					v.Set(v.Detach().Mul(1.5))
				}
			}
		}
		if with.Graph() == 0 || without.Graph() != 0 || with.Len() != without.Len() {
			t.Errorf("graphs of %d and %d kernels, %d and %d tokens were read", with.Graph(), without.Graph(),
				with.Len(), without.Len())
		}
	}
}

// TestGraphsOfGoroutines: two texts at a time, each with a graph of its own that is captured while the other one
// computes.
func TestGraphsOfGoroutines(t *testing.T) {
	for _, dev := range gpus(t) {
		m := tinyLlama(t, dev)
		text := func() string {
			g := models.NewGenerator(m.Decoder(), nil, nn.Sampling{})
			g.PromptTokens([]int{1, 2})
			for g.Next() {
			}
			return fmt.Sprint(g.Tokens())
		}
		want := text()
		texts := make(chan string)
		for range 2 {
			go func() { texts <- text() }()
		}
		for range 2 {
			if got := <-texts; got != want {
				t.Errorf("on %v: %s beside another text, %s alone", dev, got, want)
			}
		}
	}
}
