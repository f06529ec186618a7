package models_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

func tinyGPT(t *testing.T, vocab int, dev *tensor.Device) (*models.GPT, *nn.Params) {
	t.Helper()
	dev.SetSeed(3)
	p := nn.NewParams(tensor.F32, dev)
	m, err := models.NewGPT(models.GPTConfig{Vocab: vocab, Context: 16, Dim: 24, Layers: 2, Heads: 2, Dropout: 0.1}, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// TestGPTLearns: a few steps teach a model a text, which it then goes on with.
func TestGPTLearns(t *testing.T) {
	thorough.Slow(t)
	const text = "the quick brown fox jumps over the lazy dog. "
	tok := tokenizers.Characters(text)
	ids := tok.Encode(strings.Repeat(text, 3))
	m, p := tinyGPT(t, tok.Size(), tensor.CPU())
	m.Config.Dropout = 0
	config := nn.DefaultAdamW()
	config.LR = 0.01
	opt := nn.NewAdamW(p.Vars(), config)
	const batch, n = 8, 16
	var x, y []uint32
	var loss float64
	for step := range 120 {
		x, y = x[:0], y[:0]
		for b := range batch {
			at := (step*batch + b) * 7 % (len(ids) - n - 1)
			for i := range n {
				x, y = append(x, uint32(ids[at+i])), append(y, uint32(ids[at+i+1]))
			}
		}
		l := m.Loss(tensor.FromSlice(x, batch, n),
			tensor.FromSlice(y, batch, n))
		if loss = l.ToScalar(); step == 0 && math.Abs(loss-math.Log(float64(tok.Size()))) > 0.3 {
			t.Errorf("the first loss is %v, chance is %v", loss, math.Log(float64(tok.Size())))
		}
		nn.BackwardStep(opt, l)
	}
	if !(loss < 0.6) {
		t.Errorf("the last loss is %v", loss)
	}
	g := models.NewGenerator(m.Decoder(), tok, nn.Sampling{})
	g.Prompt("the quick brown")
	if got := write(g, 20); got != " fox jumps over the " {
		t.Errorf("it goes on with %q", got)
	}
}

// TestGPTDecoder: token by token, past the end of the context, gives what reading at once gives.
func TestGPTDecoder(t *testing.T) {
	for _, dev := range devices(t) {
		m, p := tinyGPT(t, 11, dev)
		if !slices.Contains(p.Names(), "transformer.h.1.attn.c_attn.weight") || p.Count() == 0 {
			t.Errorf("parameters %v", p.Names())
		}
		ids := []int{1, 5, 10, 0, 3, 3, 7}
		list := make([]uint32, len(ids))
		for i, id := range ids {
			list[i] = uint32(id)
		}
		want := m.Forward(dev.FromSlice(list, 1, len(ids))).Get(0).ToVec2()
		d := m.Decoder()
		for i, id := range ids {
			near(t, d.Read([]int{id}).ToVec1(), want[i], 1e-5)
		}
		d.Reset()
		near(t, d.Read(ids[:4]).ToVec1(), want[3], 1e-5)
		near(t, d.Read(ids[4:]).ToVec1(), want[6], 1e-5)
		for range 20 {
			d.Read([]int{2})
		}
		if d.Len() != 27 {
			t.Errorf("%d tokens were read", d.Len())
		}
	}
}

func near(t *testing.T, got, want []float64, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > within {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestGPTSaved: parameters come back from a file, and those of another model are refused by name.
func TestGPTSaved(t *testing.T) {
	m, p := tinyGPT(t, 11, tensor.CPU())
	path := filepath.Join(t.TempDir(), "gpt.safetensors")
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	ids := tensor.New([][]uint32{{1, 2, 3}})
	want := m.Forward(ids).Float64s()
	for _, v := range p.Vars() {
		v.Set(v.ZerosLike())
	}
	if err := p.Load(path); err != nil {
		t.Fatal(err)
	}
	near(t, m.Forward(ids).Float64s(), want, 0)

	again, err := nn.OpenParams(path, tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	_, err = models.NewGPT(models.GPTConfig{Vocab: 12, Context: 16, Dim: 24, Layers: 3, Heads: 2}, again)
	var e *nn.ParamsError
	if !errors.As(err, &e) || len(e.Missing) != 12 || len(e.Wrong) != 1 ||
		!strings.Contains(err.Error(), "12 missing: transformer.h.2.ln_1.weight") {
		t.Errorf("three layers of a model of two: %v", err)
	}
	_, err = models.NewGPT(models.GPTConfig{Vocab: 11, Context: 16, Dim: 24, Layers: 1, Heads: 2}, again)
	if !errors.As(err, &e) || len(e.Unexpected) != 12 {
		t.Errorf("one layer of a model of two: %v", err)
	}
}
