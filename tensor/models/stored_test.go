package models_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestStoredWeights: on the host matrices and the embedding stay as their file has them, also where the types of one
// layer differ, and the logits are those of the same numbers unpacked: of the whole text, token by token, and after the
// model was packed.
func TestStoredWeights(t *testing.T) {
	meta := map[string]any{"general.architecture": "llama", "llama.embedding_length": uint32(32),
		"llama.feed_forward_length": uint32(64), "llama.block_count": uint32(2),
		"llama.attention.head_count": uint32(4), "llama.attention.head_count_kv": uint32(2),
		"llama.context_length": uint32(32), "llama.attention.layer_norm_rms_epsilon": float32(1e-5)}
	weights := renamed(tinyWeights(), ggufNames...)
	for _, c := range []struct {
		name      string
		q, v, all quant.Type
		within    float64
	}{
		{"F16", quant.F16, quant.F16, quant.F16, 1e-4}, {"BF16", quant.BF16, quant.BF16, quant.BF16, 1e-4},
		{"mixed", quant.Q4_0, quant.Q8_0, quant.F16, 0.5}, // x is rounded to eight bits
	} {
		var packed []formats.Packed
		var plain []formats.Named
		for _, w := range weights {
			as := c.all
			switch {
			case w.Tensor.Rank() == 1:
				as = quant.F32
			case strings.Contains(w.Name, "attn_q") || strings.Contains(w.Name, "attn_k"):
				as = c.q
			case strings.Contains(w.Name, "attn_v") || strings.Contains(w.Name, "ffn_down"):
				as = c.v
			}
			q := quant.Quantize(w.Tensor, as)
			packed = append(packed, formats.Packed{Name: w.Name, Tensor: q})
			plain = append(plain, formats.Named{Name: w.Name, Tensor: q.Dequantize(tensor.CPU())})
		}
		path := filepath.Join(t.TempDir(), c.name+".gguf")
		if err := formats.WriteGGUF(path, packed, maps.Clone(meta)); err != nil {
			t.Fatal(err)
		}
		m, _, err := models.OpenLlama(path, tensor.F32, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		if dense := models.DenseMatrices(m); dense != 0 {
			t.Errorf("%s: %d matrices were unpacked", c.name, dense)
		}
		unpacked, err := models.NewLlama(m.Config, nn.ParamsOf(plain, tensor.F32, tensor.CPU()))
		if err != nil {
			t.Fatal(err)
		}
		if models.DenseMatrices(unpacked) == 0 {
			t.Fatal("a model of tensors has no dense matrices")
		}
		want := unpacked.Forward(tinyIDs).ToVec2()
		d := m.Decoder()
		for i, row := range m.Forward(tinyIDs).ToVec2() {
			near(t, row, want[i], c.within)
			near(t, d.Read(tinyIDs[i:i+1]).Float64s(), want[i], c.within)
		}
		last := slices.Clone(want[len(want)-1])
		near(t, m.Pack(quant.Q8_0).Decoder().Read(tinyIDs).Float64s(), last, 0.5)
	}
}

// TestStoredSafetensors: those of a folder stay in their files, too.
func TestStoredSafetensors(t *testing.T) {
	weights := renamed(tinyWeights(), huggingFaceNames...)
	for i := range weights {
		weights[i].Tensor = weights[i].Tensor.ToDType(tensor.BF16)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := formats.WriteSafetensors(path, weights, nil); err != nil {
		t.Fatal(err)
	}
	c := models.Llama2cConfig(&tiny)
	c.Interleaved = false
	var logits [2][]float64
	for i, open := range []func() (*nn.Params, error){
		func() (*nn.Params, error) { return nn.OpenParams(path, tensor.F32, tensor.CPU()) },
		func() (*nn.Params, error) { return nn.ParamsOf(weights, tensor.F32, tensor.CPU()), nil },
	} {
		p, err := open()
		if err != nil {
			t.Fatal(err)
		}
		m, err := models.NewLlama(c, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil { // the mapping stays with what is read from it
			t.Fatal(err)
		}
		if dense := models.DenseMatrices(m); (dense == 0) != (i == 0) {
			t.Errorf("%d matrices were unpacked", dense)
		}
		logits[i] = m.Forward(tinyIDs).Float64s()
	}
	near(t, logits[0], logits[1], 1e-4)
}

// TestLongPrompt: the queries of a long text are taken some at a time on the host, and the logits are those of one
// token after the other, also after others and with a window.
func TestLongPrompt(t *testing.T) {
	for _, window := range []int{0, 70} {
		m, err := models.NewLlama(models.LlamaConfig{Dim: 16, Hidden: 24, Layers: 2, Heads: 4, KVHeads: 2, Vocab: 40,
			Context: 300, Window: window}, nn.NewParams(tensor.F32, tensor.CPU()))
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]int, 291)
		for i := range ids {
			ids[i] = i * 7 % 40
		}
		d, one := m.Decoder(), m.Decoder()
		d.Read(ids[:5])
		logits := d.ReadAll(ids[5:]).ToVec2()
		for i, id := range ids {
			if got := one.Read([]int{id}).Float64s(); i >= 5 {
				near(t, got, logits[i-5], 1e-4)
			}
		}
	}
}
