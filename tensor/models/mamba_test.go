package models_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestMambaLong: a prompt of several parts gives what its tokens give one by one, and what parts of other sizes give.
func TestMambaLong(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for name, c := range map[string]*models.StateSpace{
			"mamba":  {Dim: 32, Inner: 64, State: 4, Kernel: 4, Rank: 2, ConvBias: true},
			"mamba2": {Dim: 32, Inner: 64, State: 4, Kernel: 3, Heads: 4, Groups: 2, Eps: 1e-5, MinStep: 0.6, MaxStep: 0.8},
		} {
			dev.SetSeed(3)
			m, err := models.NewLlama(models.LlamaConfig{Dim: 32, Layers: 2, Vocab: 24,
				Variant: models.Variant{StateSpace: c}}, nn.NewParams(tensor.F32, dev))
			if err != nil {
				t.Fatal(err)
			}
			ids := make([]int, 75)
			for i := range ids {
				ids[i] = i * i % 24
			}
			all := m.Forward(ids).ToVec2()
			want, got := m.Forward(ids[:9]), m.Pack(quant.Q8_0).Forward(ids[:9])
			if difference := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); difference == 0 || difference > 0.02 {
				t.Errorf("%v, %s: packed logits differ by %v", dev, name, difference)
			}
			d := m.Decoder()
			for i, id := range ids[:40] {
				near(t, d.Read([]int{id}).ToVec1(), all[i], 1e-5)
			}
			for i, row := range d.ReadAll(ids[40:]).ToVec2() {
				near(t, row, all[40+i], 1e-5)
			}
			d.Reset()
			near(t, d.Read(ids[:50]).ToVec1(), all[49], 1e-5)
			if _, err := tensor.Try(func() *tensor.Tensor { d.Truncate(49); return nil }); err == nil ||
				!strings.Contains(err.Error(), "Reset") {
				t.Errorf("%s: a state goes back: %v", name, err)
			}
		}
	}
}

// TestMambaText: a prompt that goes on with the text is not read again, another one is, and nothing is guessed.
func TestMambaText(t *testing.T) {
	m, _, err := models.OpenLlama("testdata/mamba", tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	g := models.NewGenerator(m.Decoder(), nil, nn.Sampling{})
	run := func(ids []int) (string, int) {
		g.ContinueTokens(ids)
		for range 4 {
			g.Next()
		}
		return fmt.Sprint(g.Tokens()), g.Cached()
	}
	run([]int{1, 7, 23})
	further := append([]int{}, g.Tokens()...)
	further = append(further, 5, 6)
	got, cached := run(further)
	if cached != 6 { // all but the last one, which was chosen and not read
		t.Errorf("%d tokens of a further prompt were not read again", cached)
	}
	fresh := models.NewGenerator(m.Decoder(), nil, nn.Sampling{})
	for _, ids := range [][]int{further, {1, 7, 9}} {
		fresh.PromptTokens(ids)
		for range 4 {
			fresh.Next()
		}
		want := fmt.Sprint(fresh.Tokens())
		if len(ids) == 3 {
			if got, cached = run(ids); cached != 0 {
				t.Errorf("%d tokens of another prompt were not read again", cached)
			}
		}
		if got != want {
			t.Errorf("%v goes on as %s, want %s", ids, got, want)
		}
	}
	if _, err := tensor.Try(func() *tensor.Tensor { g.PromptLookup(3); return nil }); err == nil ||
		!strings.Contains(err.Error(), "states") {
		t.Errorf("guesses: %v", err)
	}
}

// TestInfinity: files that Python has written may have numbers that JSON has not.
func TestInfinity(t *testing.T) {
	same := func(w []formats.Named) []formats.Named { return w }
	m, err := changed(t, "mamba2", func(c string) string {
		return strings.Replace(c, `"time_step_limit"`, `"time_step_limit": [0.25, Infinity], "was"`, 1)
	}, same)
	if err != nil || m.Config.StateSpace.MinStep != 0.25 || m.Config.StateSpace.MaxStep != 0 {
		t.Errorf("%v", err)
	}
}
