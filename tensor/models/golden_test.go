package models_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// golden are small models of each family, saved by transformers, with the logits that transformers computed: see
// testdata/golden.py.
type golden struct {
	name, folder string
	IDs          []int
	Logits       [][]float64
}

func goldens(t *testing.T) (all []golden) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/config.json")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		g := golden{folder: filepath.Dir(file)}
		g.name = filepath.Base(g.folder)
		raw, err := os.ReadFile(filepath.Join(g.folder, "logits.json"))
		if err == nil {
			err = json.Unmarshal(raw, &g)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

func (g *golden) open(t *testing.T, dev *tensor.Device) *models.Llama {
	t.Helper()
	m, _, err := models.OpenLlama(g.folder, tensor.F32, dev)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// near compares logits with those after a token. Products with packed weights round what they multiply.
func (g *golden) near(t *testing.T, row []float64, token int) {
	t.Helper()
	want := g.Logits[token]
	if g.name != "gptoss_mxfp4" {
		near(t, row, want, 5e-5)
		return
	}
	var difference, norm float64
	for i, v := range want {
		difference, norm = difference+(row[i]-v)*(row[i]-v), norm+v*v
	}
	if difference = math.Sqrt(difference / norm); !(difference < 0.02) {
		t.Errorf("logits differ by %v of their norm", difference)
	}
}

// everywhere are models with operations of their own, which are compared on emulated GPUs in each run.
var everywhere = []string{"gptoss", "gptoss_mxfp4", "deepseek2", "deepseek3", "gpt2", "falcon40b", "llama4", "mamba", "mamba2",
	"qwen3_fp8", "qwen3_fp8_tensor", "deepseek3_fp8", "jamba", "granite4", "lfm2", "qwen3_next", "falcon_h1"}

// TestHuggingFace: models give the logits of transformers, for a text at once, token by token, and in parts.
func TestHuggingFace(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for i, g := range goldens(t) {
			if dev.Emulated() && i%4 != 1 && !slices.Contains(everywhere, g.name) && !thorough.On() {
				continue
			}
			t.Run(dev.Location()+"/"+g.name, func(t *testing.T) {
				m := g.open(t, dev)
				for i, row := range m.Forward(g.IDs).ToVec2() {
					g.near(t, row, i)
				}
				d := m.Decoder()
				for i, id := range g.IDs {
					g.near(t, d.Read([]int{id}).ToVec1(), i)
				}
				if m.Config.StateSpace == nil {
					d.Truncate(3)
				} else {
					d.Truncate(0)
					d.ReadAll(g.IDs[:3])
				}
				for i, row := range d.ReadAll(g.IDs[3:]).ToVec2() {
					g.near(t, row, 3+i)
				}
			})
		}
	}
}

// TestServerOfFamilies: what models of each family generate together is what each generates alone.
func TestServerOfFamilies(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for i, g := range goldens(t) {
			if dev.Emulated() && i%6 != 0 && !slices.Contains(everywhere, g.name) && !thorough.On() {
				continue
			}
			t.Run(dev.Location()+"/"+g.name, func(t *testing.T) {
				m := g.open(t, dev)
				s := served(t, m, nil, models.ServerConfig{BlockSize: 4, MaxSequences: 2, MaxBatchedTokens: 5})
				var requests []models.Request
				for _, r := range []models.Request{{Prompt: g.IDs, MaxTokens: 6}, {Prompt: g.IDs[:2], MaxTokens: 9}} {
					r.Prompt = r.Prompt[:min(len(r.Prompt), s.Context()-1)]
					r.MaxTokens = min(r.MaxTokens, s.Context()+1-len(r.Prompt))
					requests = append(requests, r)
				}
				for i, done := range submitAll(t, s, requests...) {
					want := alone(m, requests[i])
					if got, _, err := done.Collect(); err != nil || !slices.Equal(got, want) {
						t.Errorf("prompt %v: %v, %v; alone %v", requests[i].Prompt, got, err, want)
					}
				}
			})
		}
	}
}

// TestServerChunks: texts of several chunks, whose parts begin and end within them.
func TestServerChunks(t *testing.T) {
	for _, dev := range devices(t) {
		m, _, err := models.OpenLlama("testdata/llama4", tensor.F32, dev)
		if err != nil {
			t.Fatal(err)
		}
		s := served(t, m, nil, models.ServerConfig{BlockSize: 1, MaxSequences: 2, MaxBatchedTokens: 7})
		requests := []models.Request{{Prompt: []int{1, 7, 23, 4, 4, 19, 0, 11, 2, 5, 16, 8}, MaxTokens: 16},
			{Prompt: []int{5, 2}, MaxTokens: 19}}
		for i, done := range submitAll(t, s, requests...) {
			want := alone(m, requests[i])
			if got, _, err := done.Collect(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: prompt %v: %v, %v; alone %v", dev, requests[i].Prompt, got, err, want)
			}
		}
	}
}

// TestServerF64: no graph repeats the operations that take the place of a kernel which does not compute in F64.
func TestServerF64(t *testing.T) {
	for _, dev := range devices(t) {
		m, _, err := models.OpenLlama("testdata/qwen3", tensor.F64, dev)
		if err != nil {
			t.Fatal(err)
		}
		s := served(t, m, nil, models.ServerConfig{BlockSize: 4, MaxSequences: 2, MaxBatchedTokens: 5})
		requests := []models.Request{{Prompt: []int{1, 7, 23, 4}, MaxTokens: 16}, {Prompt: []int{5, 2}, MaxTokens: 19}}
		for i, done := range submitAll(t, s, requests...) {
			want := alone(m, requests[i])
			if got, _, err := done.Collect(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: prompt %v: %v, %v; alone %v", dev, requests[i].Prompt, got, err, want)
			}
		}
	}
}

// TestNewVariants: models of each family, and one that is none of them, can be new.
func TestNewVariants(t *testing.T) {
	dev := tensor.CPU()
	configs := map[string]models.LlamaConfig{"own": {Dim: 16, Hidden: 24, Layers: 2, Heads: 4, KVHeads: 2, Vocab: 24, Context: 64,
		Variant: models.Variant{PostNorm: true, Activation: "gelu", RopeDim: 2, ResidualScale: 0.5, LogitCap: 3}}}
	for _, g := range goldens(t) {
		configs[g.name] = g.open(t, dev).Config
	}
	for name, c := range configs {
		m, err := models.NewLlama(c, nn.NewParams(tensor.F32, dev))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ids := []int{3, 1, 4, 1, 5}
		d := m.Decoder()
		for i, row := range m.Forward(ids).ToVec2() {
			near(t, d.Read(ids[i:i+1]).ToVec1(), row, 1e-5)
		}
	}
	for _, v := range []models.Variant{{RopeDim: 6}, {RopeDim: 3}, {NoPreNorm: true}, {SharedNorm: true}, {NormBias: true}, {Windowed: []bool{true}},
		{NoRope: []bool{true, true, false}}, {Activation: "maxout"}} {
		c := configs["own"]
		c.Variant = v
		if _, err := models.NewLlama(c, nn.NewParams(tensor.F32, dev)); err == nil {
			t.Errorf("%+v is possible", v)
		}
	}
}

// TestPackedExperts: experts are packed with the rest, and the model hardly changes.
func TestPackedExperts(t *testing.T) {
	for _, dev := range devices(t) {
		c := models.LlamaConfig{Dim: 64, Hidden: 64, Layers: 2, Heads: 2, KVHeads: 1, Vocab: 40, Context: 32, Variant: models.Variant{
			Mixture: &models.Mixture{Experts: 4, PerToken: 2, Hidden: 32, SharedHidden: 32, Normalize: true}}}
		dev.SetSeed(4)
		m, err := models.NewLlama(c, nn.NewParams(tensor.F32, dev))
		if err != nil {
			t.Fatal(err)
		}
		ids := []int{3, 1, 4, 1, 5, 9, 2, 6}
		want, got := m.Forward(ids), m.Pack(quant.Q8_0).Forward(ids)
		if difference := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); difference == 0 || difference > 0.02 {
			t.Errorf("%v: packed logits differ by %v", dev, difference)
		}
	}
}
