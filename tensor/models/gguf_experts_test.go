package models_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/quant"
)

// expertsMeta and expertsWeights are a model of two layers with four experts and a shared one, of which the first layer
// has none.
var expertsMeta = map[string]any{"general.architecture": "qwen2moe", "qwen2moe.embedding_length": uint32(64),
	"qwen2moe.feed_forward_length": uint32(96), "qwen2moe.block_count": uint32(2), "qwen2moe.context_length": uint32(32),
	"qwen2moe.attention.head_count": uint32(4), "qwen2moe.attention.head_count_kv": uint32(2),
	"qwen2moe.attention.layer_norm_rms_epsilon": float32(1e-5), "qwen2moe.expert_count": uint32(4),
	"qwen2moe.expert_used_count": uint32(2), "qwen2moe.expert_feed_forward_length": uint32(32),
	"qwen2moe.expert_shared_feed_forward_length": uint32(64)}

func expertsWeights() (all []formats.Named) {
	tensor.CPU().SetSeed(4)
	add := func(name string, dims ...int) {
		x := tensor.CPU().Randn(tensor.F32, dims...).Mul(0.3)
		if strings.HasSuffix(name, "norm") {
			x = x.Add(1)
		}
		all = append(all, formats.Named{Name: name + ".weight", Tensor: x})
	}
	add("token_embd", 40, 64)
	add("output_norm", 64)
	for i := range 2 {
		at := fmt.Sprintf("blk.%d.", i)
		for _, norm := range []string{"attn_norm", "ffn_norm"} {
			add(at+norm, 64)
		}
		add(at+"attn_q", 64, 64)
		add(at+"attn_k", 32, 64)
		add(at+"attn_v", 32, 64)
		add(at+"attn_output", 64, 64)
	}
	add("blk.0.ffn_gate", 96, 64)
	add("blk.0.ffn_up", 96, 64)
	add("blk.0.ffn_down", 64, 96)
	add("blk.1.ffn_gate_inp", 4, 64)
	add("blk.1.ffn_gate_exps", 4, 32, 64)
	add("blk.1.ffn_up_exps", 4, 32, 64)
	add("blk.1.ffn_down_exps", 4, 64, 32)
	add("blk.1.ffn_gate_shexp", 64, 64)
	add("blk.1.ffn_up_shexp", 64, 64)
	add("blk.1.ffn_down_shexp", 64, 64)
	add("blk.1.ffn_gate_inp_shexp", 1, 64)
	return all
}

// writeExperts writes the model with matrices packed as a name says, or with the same numbers unpacked.
func writeExperts(t *testing.T, weights []formats.Named, as func(name string) quant.Type, packed bool) string {
	t.Helper()
	var list []formats.Packed
	for _, w := range weights {
		kind := quant.F32
		if w.Tensor.Rank() > 1 && !strings.Contains(w.Name, "ffn_gate_inp") {
			kind = as(w.Name)
		}
		q := quant.Quantize(w.Tensor, kind)
		if !packed {
			q = quant.Quantize(q.Dequantize(tensor.CPU()), quant.F32)
		}
		list = append(list, formats.Packed{Name: w.Name, Tensor: q})
	}
	path := filepath.Join(t.TempDir(), "experts.gguf")
	if err := formats.WriteGGUF(path, list, maps.Clone(expertsMeta)); err != nil {
		t.Fatal(err)
	}
	return path
}

func always(t quant.Type) func(string) quant.Type { return func(string) quant.Type { return t } }

// TestGGUFExperts: experts stay packed, in each of the ways in which files have them, and give what they give unpacked.
func TestGGUFExperts(t *testing.T) {
	thorough.Slow(t)
	three := expertsWeights()
	by := map[string]*tensor.Tensor{}
	for _, w := range three {
		by[w.Name] = w.Tensor
	}
	without := func(names ...string) (rest []formats.Named) {
		for _, w := range three {
			if !strings.Contains(strings.Join(names, " "), w.Name) {
				rest = append(rest, w)
			}
		}
		return rest
	}
	const gate, up, down = "blk.1.ffn_gate_exps.weight", "blk.1.ffn_up_exps.weight", "blk.1.ffn_down_exps.weight"
	each := without(gate, up, down)
	for i := range 4 {
		for name, all := range map[string]string{"ffn_gate": gate, "ffn_up": up, "ffn_down": down} {
			each = append(each, formats.Named{Name: fmt.Sprintf("blk.1.%s.%d.weight", name, i), Tensor: by[all].Get(i)})
		}
	}
	flat := append(without("blk.1.ffn_gate_inp_shexp.weight"), formats.Named{Name: "blk.1.ffn_gate_inp_shexp.weight",
		Tensor: by["blk.1.ffn_gate_inp_shexp.weight"].Reshape(64)})
	mixed := func(name string) quant.Type {
		if strings.Contains(name, "gate_exps") {
			return quant.Q4_0
		}
		return quant.Q8_0
	}
	ids := []int{3, 1, 4, 1, 5, 9, 2, 6}
	for _, dev := range devices(t) {
		open := func(path string) *models.Llama {
			m, _, err := models.OpenLlama(path, tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		for _, c := range []struct {
			name    string
			weights []formats.Named
			as      func(string) quant.Type
			within  float64
		}{
			{"each", each, always(quant.F32), 1e-5}, {"flat", flat, always(quant.F32), 1e-5},
			{"F16", three, always(quant.F16), 1e-4}, {"Q8_0", three, always(quant.Q8_0), 0.05},
			{"each Q8_0", each, always(quant.Q8_0), 0.05}, {"mixed", three, mixed, 0.05},
		} {
			want := open(writeExperts(t, three, c.as, false)).Forward(ids)
			m := open(writeExperts(t, c.weights, c.as, true))
			if difference := m.Forward(ids).Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(difference < c.within) {
				t.Errorf("%v, %s: logits differ by %v", dev, c.name, difference)
			}
			if dense := models.DenseExperts(m); dense != 0 && strings.HasSuffix(c.name, "Q8_0") {
				t.Errorf("%v, %s: %d matrices of experts were unpacked", dev, c.name, dense)
			}
		}
	}
}
