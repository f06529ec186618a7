// Command llama times a decoder with the sizes of Llama 3.2 1B and random weights on a GPU, token by token, and prints
// a line of JSON for each way to run it. bench/gpu/llama.py compares it with PyTorch.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// row is what one way to decode has given.
type row struct {
	Weights   string  `json:"weights"`
	PerSecond float64 `json:"tokens_per_s"`
	PerToken  float64 `json:"us_per_token"`
	Prompt    float64 `json:"prompt_ms"` // to read the prompt and choose the first token
	Graph     int     `json:"graph"`     // how many kernels are replayed at once, 0 when they are launched one by one
	Launches  int     `json:"launches"`  // for a token, with the choice of it
	Tokens    []int   `json:"tokens"`    // the first of those that were made
	Texts     int     `json:"texts"`     // generated at once, by models.Server
	Steps     int     `json:"steps"`     // of the server, for all texts and their prompts

	Kernels map[string]float64 `json:"kernels"` // microseconds of a token that are spent in each, run one by one
}

// run is how long texts are, and how often they are made.
type run struct{ prompt, tokens, repeats, texts int }

func main() {
	device := flag.String("device", "cuda", "cuda or rocm")
	small := flag.Bool("small", false, "a model of two small layers, to try the program")
	var r run
	flag.IntVar(&r.prompt, "prompt", 128, "tokens that are read before the first is made")
	flag.IntVar(&r.tokens, "tokens", 128, "tokens to make")
	flag.IntVar(&r.repeats, "repeats", 3, "texts, of which the median counts")
	flag.IntVar(&r.texts, "texts", 32, "texts that are generated at once; 0 is none")
	flag.Parse()
	if err := r.all(*device, *small); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (r run) all(device string, small bool) error {
	dev, err := tensor.NewDevice(device)
	if err != nil {
		return err
	}
	dev.SetSeed(1)
	c := models.LlamaConfig{Dim: 2048, Hidden: 8192, Layers: 16, Heads: 32, KVHeads: 8, Vocab: 128256,
		Context: max(1024, r.prompt+r.tokens+1), RopeBase: 500000, Tied: true}
	if small {
		c.Dim, c.Hidden, c.Layers, c.Heads, c.KVHeads, c.Vocab = 256, 512, 2, 4, 2, 1000
	}
	m, err := models.NewLlama(c, nn.NewParams(tensor.F16, dev))
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, weights := range []string{"f16", "q4_k"} {
		if weights == "q4_k" {
			m = m.Pack(quant.Q4K)
		}
		for _, graph := range []bool{true, false} {
			result, err := r.time(m, graph)
			if err != nil {
				return err
			}
			result.Texts, result.Weights = 1, weights
			if err := out.Encode(result); err != nil {
				return err
			}
		}
		if r.texts > 0 {
			result, err := r.together(m, r.texts)
			if err != nil {
				return err
			}
			result.Weights = weights
			if err := out.Encode(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// time makes texts with a models.Generator, each after the same prompt. Every token comes to the host, as it must to be
// shown.
func (r run) time(m *models.Llama, graph bool) (row, error) {
	d, s := m.Decoder(), nn.NewSampler(nn.Sampling{})
	d.UseGraph(graph)
	g := models.NewGenerator(d, nil, nn.Sampling{})
	// text returns tokens after a prompt that repeats one token, and what the prompt and all but the first took.
	text := func(n, of int) (tokens []int, prompt, rest time.Duration) {
		start := time.Now()
		g.PromptTokens(slices.Repeat([]int{of}, r.prompt))
		g.Next()
		first := time.Now()
		for range n {
			g.Next()
		}
		return g.Tokens()[r.prompt:], first.Sub(start), time.Since(first)
	}
	text(r.tokens, 0) // loads and compiles kernels
	var result row
	var prompts, took []time.Duration
	for i := range r.repeats {
		_, prompt, rest := text(r.tokens, i+1) // another prompt: what a text that begins alike has read is kept
		prompts, took = append(prompts, prompt), append(took, rest)
	}
	slices.Sort(prompts)
	slices.Sort(took)
	median := took[len(took)/2]
	result.Prompt = float64(prompts[len(prompts)/2].Microseconds()) / 1000
	result.PerSecond = float64(r.tokens) / median.Seconds()
	result.PerToken = float64(median.Microseconds()) / float64(r.tokens)
	result.Graph = d.Graph()
	result.Tokens, _, _ = text(min(8, r.tokens), 0)
	first := m.Decoder() // whose first token is not read by a graph
	first.UseGraph(graph)
	id := s.Sample(first.Read(make([]int, r.prompt)))
	var err error
	result.Launches, result.Kernels, err = launches(m.Device(), func() { s.Sample(first.Read([]int{id})) })
	return result, err
}

// launches counts what f launches, and says how long each kernel takes.
func launches(dev *tensor.Device, f func()) (int, map[string]float64, error) {
	d, err := rocm.Open(dev.Location())
	if err != nil {
		return 0, nil, err
	}
	if err := d.StartProfile(); err != nil {
		return 0, nil, err
	}
	f()
	list, err := d.StopProfile()
	n, kernels := 0, map[string]float64{}
	for _, k := range list {
		n += int(k.Launches)
		kernels[fmt.Sprintf("%d × %s", k.Launches, k.Kernel)] = float64(k.Time.Nanoseconds()) / 1e3
	}
	return n, kernels, err
}
