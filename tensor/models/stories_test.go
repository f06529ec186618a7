package models_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// storiesConfig is that of stories260K, whose safetensors file has no config.json.
var storiesConfig = models.LlamaConfig{Dim: 64, Hidden: 172, Layers: 5, Heads: 8, KVHeads: 4, Vocab: 512, Context: 512,
	Tied: true, Interleaved: true}

func write(g *models.Generator, n int) string {
	var text strings.Builder
	for range n {
		if !g.Next() {
			break
		}
		text.WriteString(g.Text())
	}
	return text.String()
}

// TestStories: a real model tells the story that a C program in float64 tells.
func TestStories(t *testing.T) {
	thorough.Slow(t)
	golden, err := os.ReadFile(shared(t, "stories260k/golden_t0_n200.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dev := range devices(t) {
		t.Run(dev.Location(), func(t *testing.T) {
			m, tok, err := models.OpenLlama(shared(t, "stories260k/stories260K.bin"), tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			g := models.NewGenerator(m.Decoder(), tok, nn.Sampling{})
			want, tokens := strings.TrimRight(string(golden), "\n"), 200
			if dev.Emulated() && !thorough.On() {
				tokens = 35 // the beginning
			}
			got := strings.TrimRight(write(g, tokens), "\n")
			if tokens < 200 {
				want = want[:min(len(got), len(want))]
			}
			if got != want || got == "" {
				t.Errorf("the story is\n%s\nwant\n%s", got, want)
			}
			t.Log(g.Stats())
		})
	}
}

func TestStoriesPrompt(t *testing.T) {
	golden, err := os.ReadFile(shared(t, "stories260k/golden_prompt_tim_t0_n120.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m, tok, err := models.OpenLlama(shared(t, "stories260k/stories260K.bin"), tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := strings.Cut(string(golden), "achieved tok/s") // which the C program prints after it
	const prompt = "Once upon a time, Tim"
	g := models.NewGenerator(m.Decoder(), tok, nn.Sampling{})
	g.Prompt(prompt)
	if got := prompt + write(g, 120); len(want) < 200 || !strings.HasPrefix(got, want) {
		t.Errorf("the story is\n%s\nwant\n%s", got, want)
	}
}

// TestStoriesLogits compares with a forward pass in float64, reading the text at once.
func TestStoriesLogits(t *testing.T) {
	thorough.Slow(t)
	var golden struct {
		Tokens []int                `json:"greedy_tokens"`
		Logits map[string][]float64 `json:"logits"`
	}
	raw, err := os.ReadFile(shared(t, "stories260k/golden_logits.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	for _, dev := range devices(t) {
		p, err := nn.OpenParams(shared(t, "stories260k/stories260K.safetensors"), tensor.F32, dev)
		if err != nil {
			t.Fatal(err)
		}
		m, err := models.NewLlama(storiesConfig, p)
		if err != nil {
			t.Fatal(err)
		}
		logits := m.Forward(golden.Tokens[:200]).To("cpu")
		for at, want := range golden.Logits {
			pos, err := strconv.Atoi(at)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range logits.Get(pos).ToVec1() {
				if math.Abs(v-want[i]) > 2e-4 {
					t.Fatalf("%v: logit %d at position %d is %v, want %v", dev, i, pos, v, want[i])
				}
			}
		}
		next := tensor.ToVec1[uint32](logits.ArgMax(1))
		for i, id := range golden.Tokens[1:] {
			if int(next[i]) != id {
				t.Fatalf("%v: token %d is %d, want %d", dev, i+1, next[i], id)
			}
		}
		if got := m.Perplexity(golden.Tokens); !(got > 1 && got < 4) {
			t.Errorf("perplexity %v of its own story", got)
		}
	}
}

func TestStoriesTokens(t *testing.T) {
	_, tok, err := models.OpenLlama(shared(t, "stories260k/stories260K.bin"), tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode("Once upon a time, there was"); !slices.Equal(got[:5], []int{1, 403, 407, 261, 378}) {
		t.Errorf("tokens %v", got)
	}
}

// BenchmarkStories is the time of a token after the first of stories260K.
func BenchmarkStories(b *testing.B) {
	for _, dev := range devices(b) {
		b.Run(dev.Location(), func(b *testing.B) {
			m, tok, err := models.OpenLlama(shared(b, "stories260k/stories260K.bin"), tensor.F32, dev)
			if err != nil {
				b.Fatal(err)
			}
			d := m.Decoder()
			g := models.NewGenerator(d, tok, nn.Sampling{})
			g.Next()
			b.ReportAllocs()
			for b.Loop() {
				if !g.Next() || d.Len() == 200 {
					g = models.NewGenerator(d, tok, nn.Sampling{})
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// TestStoriesPacked writes the model to GGUF files and reads them back: as it is, it tells the same story; with packed
// weights, one that is about as likely.
func TestStoriesPacked(t *testing.T) {
	thorough.Slow(t)
	head, weights, err := formats.ReadLlama2c(shared(t, "stories260k/stories260K.bin"), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizers.ReadLlama2c(shared(t, "stories260k/tok512.bin"))
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile(shared(t, "stories260k/golden_t0_n200.txt"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimRight(string(golden), "\n")
	var plain float64
	for _, c := range []struct {
		t     quant.Type
		worse float64 // by how much its perplexity may grow
	}{{quant.F32, 1}, {quant.Q8_0, 1.01}, {quant.Q5_0, 1.05}, {quant.Q4_0, 1.15}} {
		path := filepath.Join(t.TempDir(), "stories.gguf")
		if err := models.WriteLlamaGGUF(path, models.Llama2cConfig(head), weights, tok, c.t); err != nil {
			t.Fatal(err)
		}
		m, again, err := models.OpenLlama(path, tensor.F32, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		ids := again.Encode(text)
		if !slices.Equal(ids, tok.Encode(text)) || again.Decode(ids) != text {
			t.Fatalf("%v: the tokenizer in the file has other tokens", c.t)
		}
		p := m.Perplexity(ids)
		if plain == 0 {
			plain = p
		}
		story := write(models.NewGenerator(m.Decoder(), again, nn.Sampling{}), 200)
		t.Logf("%v: perplexity %.4f, %+.2f %%; %.60q…", c.t, p, 100*(p/plain-1), story)
		if !(p <= plain*c.worse) {
			t.Errorf("%v: perplexity %v, unpacked %v", c.t, p, plain)
		}
		if !strings.HasPrefix(story, "Once upon a time, there was a") {
			t.Errorf("%v: the story is %q", c.t, story)
		}
		if c.t == quant.F32 && strings.TrimRight(story, "\n") != text {
			t.Errorf("the story is\n%s\nwant\n%s", story, text)
		}
	}
}
