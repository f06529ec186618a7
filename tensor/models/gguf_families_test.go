package models_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/quant"
)

// converted are models that llama.cpp's converter has written, with the logits of transformers: see testdata/gguf.py.
func converted(t *testing.T) (all []golden) {
	t.Helper()
	files, err := filepath.Glob("testdata/gguf/*.gguf")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		g := golden{name: strings.TrimSuffix(filepath.Base(file), ".gguf"), folder: file}
		if strings.HasPrefix(g.name, "gemma") {
			continue // which has a tokenizer: TestGemmaGGUF
		}
		raw, err := os.ReadFile(filepath.Join("testdata/gguf", g.name+".json"))
		if err != nil {
			raw, err = os.ReadFile(filepath.Join("testdata", g.name, "logits.json"))
		}
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

// TestGGUFFamilies: models that llama.cpp's converter has written give the logits of transformers, for a text at once
// and token by token.
func TestGGUFFamilies(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for i, g := range converted(t) {
			if dev.Emulated() && i%4 != 0 && !slices.Contains(everywhere, g.name) && !thorough.On() {
				continue
			}
			t.Run(dev.Location()+"/"+g.name, func(t *testing.T) {
				m := g.open(t, dev)
				ids := g.IDs[:min(len(g.IDs), m.Config.Context)]
				for i, row := range m.Forward(ids).ToVec2() {
					g.near(t, row, i)
				}
				d := m.Decoder()
				for i, id := range ids {
					g.near(t, d.Read([]int{id}).ToVec1(), i)
				}
			})
		}
	}
}

// TestGGUFMetadata: what a file says, or leaves out, of the parts of these families, and what of it is an error.
func TestGGUFMetadata(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct {
		name, key string
		value     any
		wrong     string // of the error
		is        func(c models.LlamaConfig) bool
	}{
		{"mixtral", "expert_weights_norm", false, "", func(c models.LlamaConfig) bool { return !c.Mixture.Normalize }},
		{"qwen2moe", "expert_weights_norm", true, "", func(c models.LlamaConfig) bool { return c.Mixture.Normalize }},
		{"olmo2", "attention.head_count_kv", []int32{2, 2}, "", func(c models.LlamaConfig) bool { return c.KVHeads == 2 }},
		{"olmo2", "attention.sliding_window", uint32(4), "", func(c models.LlamaConfig) bool {
			return slices.Equal(c.Windowed, []bool{true, true}) || c.Windowed == nil
		}},
		{"olmo3", "attention.sliding_window_pattern", nil, "", func(c models.LlamaConfig) bool { return slices.Equal(c.Windowed, []bool{true, true, true, false}) }},
		{"olmo3", "rope.freq_base_swa", 100.0, "", func(c models.LlamaConfig) bool { return c.LocalRopeBase == 100 }},
		{"cohere", "logit_scale", nil, "", func(c models.LlamaConfig) bool { return c.LogitScale == 0 }},
		{"cohere2", "attention.sliding_window_pattern", []any{true, false, true, true}, "", func(c models.LlamaConfig) bool {
			return slices.Equal(c.NoRope, []bool{false, true, false, false})
		}},
		{"granite", "attention.scale", nil, "", func(c models.LlamaConfig) bool { return c.AttentionScale == 0.5 }},
		{"granite", "embedding_scale", nil, "", func(c models.LlamaConfig) bool { return c.EmbeddingScale == 0 }},
		{"longrope", "rope.scaling.attn_factor", nil, "", func(c models.LlamaConfig) bool { return c.RopeGain == 1 && c.Context == 16 }},
		{"yarn_llama", "rope.scaling.original_context_length", nil, "", func(c models.LlamaConfig) bool { return c.RopeGain > 1 }},
		{"yarn_llama", "rope.scaling.attn_factor", 2.0, "", func(c models.LlamaConfig) bool {
			return math.Abs(c.RopeGain-2*(0.1*math.Log(4)+1)) < 1e-6
		}},
		{"phi3", "attention.sliding_window", uint32(0), "", func(c models.LlamaConfig) bool { return c.Window == 0 }},
		{"phi3", "attention.clamp_kqv", 0.0, "", func(c models.LlamaConfig) bool { return true }},

		{"gptoss", "expert_gating_func", uint32(3), "", func(c models.LlamaConfig) bool { return c.Mixture.Normalize }},
		{"gptoss", "attention.sliding_window_pattern", []any{false, true, true}, "", func(c models.LlamaConfig) bool {
			return slices.Equal(c.Windowed, []bool{false, true, true})
		}},
		{"deepseek2", "expert_group_count", nil, "", func(c models.LlamaConfig) bool { return c.Mixture.Groups == 0 }},
		{"deepseek2", "expert_weights_scale", nil, "", func(c models.LlamaConfig) bool { return c.Mixture.Scale == 0 }},
		{"deepseek2", "rope.scaling.yarn_log_multiplier", nil, "", func(c models.LlamaConfig) bool {
			return math.Abs(c.RopeGain-(0.1*math.Log(4)+1)) < 1e-6 && math.Abs(c.AttentionScale-1/math.Sqrt(10)) < 1e-6
		}},
		{"deepseek3", "expert_weights_norm", nil, "", func(c models.LlamaConfig) bool { return !c.Mixture.Normalize }},

		{"mamba", "feed_forward_length", uint32(8), "", func(c models.LlamaConfig) bool { return c.Hidden == 32 }},
		{"mamba2", "attention.layer_norm_rms_epsilon", 0.5, "", func(c models.LlamaConfig) bool { return c.StateSpace.Eps == 0.5 }},

		{"mamba", "ssm.dt_b_c_rms", true, "", func(c models.LlamaConfig) bool { return c.StateSpace.SelectEps == 1e-6 }},
		{"jamba", "ssm.state_size", nil, "jamba.ssm.state_size is missing", nil},
		{"jamba", "ssm.time_step_rank", uint32(5), "ssm_x.weight has shape", nil},
		{"granite4moe", "attention.scale", nil, "granitehybrid.attention.scale is missing, as in files of Bamba", nil},
		{"granite4moe", "rope.scaling.finetuned", true, "", func(c models.LlamaConfig) bool { return c.NoRope == nil }},
		{"nemotron3", "expert_group_count", uint32(2), "", func(c models.LlamaConfig) bool { return c.Mixture.Groups == 2 && c.Mixture.TopGroups == 1 }},
		{"nemotron3", "expert_gating_func", uint32(1), "nemotron_h_moe.expert_gating_func is 1", nil},
		{"nemotron3", "expert_latent_size", uint32(4), "nemotron_h_moe.expert_latent_size, which may", nil},
		{"lfm2", "shortconv.l_cache", uint32(4), "shortconv.conv.weight has shape", nil},
		{"lfm2_moe", "expert_gating_func", uint32(1), "lfm2moe.expert_gating_func is 1", nil},
		{"qwen3_next", "nextn_predict_layers", uint32(2), "qwen3next.nextn_predict_layers is 2, of 2 layers", nil},
		{"qwen3_next", "ssm.group_count", uint32(3), "in 4 heads and 3 groups", nil},
		{"qwen3_5", "ssm.conv_kernel", nil, "qwen35.ssm.conv_kernel is missing", nil},
		{"mpt", "attention.max_alibi_bias", nil, "mpt.attention.max_alibi_bias is missing", nil},
		{"mpt", "attention.clamp_kqv", nil, "", func(c models.LlamaConfig) bool { return c.ClipQKV == 0 }},
		{"bloom", "rope.scaling.factor", 2.0, "", func(c models.LlamaConfig) bool { return c.Slopes != nil }},
		{"ministral3", "rope.scaling.type", nil, "have no original_max_position_embeddings", nil},
		{"ernie4_5_moe", "interleave_moe_layer_step", uint32(2), "interleave_moe_layer_step is 2", nil},
		{"hunyuan_moe", "expert_shared_feed_forward_length", uint32(8), "and expert_shared_feed_forward_length 8, of 24", nil},
		{"glm4moe", "nextn_predict_layers", uint32(3), "glm4moe.nextn_predict_layers is 3, of 3 layers", nil},
		{"glm4moe", "expert_gating_func", uint32(1), "expert_gating_func is 1", nil},
		{"minimax_m2", "expert_gating_func", uint32(1), "expert_gating_func is 1", nil},
		{"mamba", "ssm.state_size", nil, "mamba.ssm.state_size is missing", nil},
		{"mamba", "ssm.time_step_rank", uint32(7), "ssm_x.weight has shape", nil},
		{"mamba2", "ssm.group_count", uint32(3), "in 8 heads and 3 groups", nil},
		{"mamba2", "ssm.time_step_rank", uint32(5), "num_heads·head_dim is 30", nil},
		{"gpt2", "attention.sliding_window", uint32(4), "gpt2.attention.sliding_window, which may", nil},
		{"gpt2", "context_length", uint32(65), "position_embd.weight has shape", nil},
		{"gpt2", "attention.layer_norm_epsilon", nil, "gpt2.attention.layer_norm_epsilon is missing", nil},
		{"falcon7b", "tensor_data_layout", nil, "falcon.tensor_data_layout is not jploski", nil},
		{"falcon7b", "attention.max_alibi_bias", 8.0, "falcon.attention.max_alibi_bias, which may", nil},
		{"falcon40b", "attention.head_count_kv", uint32(1), "attn_qkv.weight has shape", nil},
		{"llama4", "attention.sliding_window", uint32(0), "llama4.attention.sliding_window is 0", nil},
		{"llama4", "expert_gating_func", uint32(1), "llama4.expert_gating_func is 1", nil},
		{"llama4", "expert_weights_norm", true, "llama4.expert_weights_norm is true", nil},
		{"llama4", "expert_group_count", uint32(2), "llama4.expert_group_count, which may", nil},
		{"llama4", "interleave_moe_layer_step", nil, "llama4.interleave_moe_layer_step is missing", nil},
		{"gptoss", "expert_gating_func", uint32(2), "gpt-oss.expert_gating_func is 2", nil},
		{"gptoss", "expert_weights_norm", false, "gpt-oss.expert_weights_norm is false", nil},
		{"gptoss", "expert_weights_scale", 2.0, "gpt-oss.expert_weights_scale is 2", nil},
		{"gptoss", "expert_group_count", uint32(2), "gpt-oss.expert_group_count, which may", nil},
		{"gptoss", "attention.sliding_window", nil, "gpt-oss.attention.sliding_window is missing", nil},
		{"gptoss", "expert_count", nil, "gpt-oss.expert_count is missing", nil},
		{"gptoss", "swiglu_limit", 5.0, "gpt-oss.swiglu_limit, which may", nil},
		{"deepseek2", "expert_gating_func", uint32(2), "is sigmoid, without exp_probs_b.bias", nil},
		{"deepseek2", "expert_gating_func", uint32(4), "deepseek2.expert_gating_func is 4", nil},
		{"deepseek2", "expert_weights_norm", true, "deepseek2.expert_weights_norm is true", nil},
		{"deepseek2", "leading_dense_block_count", uint32(0), "deepseek2.leading_dense_block_count is 0", nil},
		{"deepseek2", "attention.key_length", uint32(11), "deepseek2.attention.key_length is 11", nil},
		{"deepseek2", "attention.value_length_mla", nil, "latent attention of these sizes is not possible", nil},
		{"deepseek2", "attention.kv_lora_rank", nil, "deepseek2.attention.kv_lora_rank is missing", nil},
		{"deepseek2", "attention.temperature_scale", 0.1, "deepseek2.attention.temperature_scale, which may", nil},
		{"deepseek2", "nextn_predict_layers", uint32(1), "deepseek2.nextn_predict_layers, which may", nil},
		{"deepseek2", "expert_group_used_count", uint32(9), "in 9 of 3 groups", nil},
		{"deepseek2", "expert_shared_count", uint32(0), "unexpected: blk.1.ffn_down_shexp.weight", nil},
		{"deepseek3", "expert_gating_func", uint32(1), "is softmax, with exp_probs_b.bias", nil},
		{"phi3", "attention.clamp_kqv", 8.0, "phi3.attention.clamp_kqv, which may change results, is not supported", nil},
		{"phi3", "expert_count", uint32(4), "phi3.expert_count is 4: experts are not supported", nil},
		{"phi3", "logit_scale", 2.0, "phi3.logit_scale, which may", nil},
		{"phi3", "use_parallel_residual", true, "phi3.use_parallel_residual, which may", nil},
		{"phi3", "attention.layer_norm_rms_epsilon", nil, "phi3.attention.layer_norm_rms_epsilon is missing", nil},
		{"phi3", "attention.layer_norm_rms_epsilon", "small", "is small, not a number", nil},
		{"phi3", "attention.value_length", uint32(8), "phi3.attention.value_length is 8, which is not supported: want 4", nil},
		{"phi3", "attention.causal", false, "phi3.attention.causal is false", nil},
		{"phi3", "feed_forward_length", []int32{24, 16}, "layers that differ are not supported", nil},
		{"phi3", "feed_forward_length", []any{[]any{}}, "layers that differ are not supported", nil},
		{"phi3", "block_count", uint32(999), "phi3.block_count is 999, and there are 15 tensors", nil},
		{"phi3", "feed_forward_length", uint32(1 << 29), "the metadata declare about", nil},
		{"phi3", "rope.dimension_count", uint32(3), "3 of the 4 elements", nil},
		{"phi3", "rope.dimension_count", int32(-2), "-2 of the 4 elements", nil},
		{"phi3", "rope.scaling.type", uint32(2), "phi3.rope.scaling.type is 2, not a text", nil},
		{"phi3", "rope.scaling.type", "longrope", "is longrope, with a factor of 1 and 0 short factors", nil},
		{"longrope", "rope.scaling.factor", 4.0, "is longrope, with a factor of 4", nil},
		{"longrope", "rope.scaling.original_context_length", uint32(128), "original_max_position_embeddings is 128", nil},
		{"yarn", "rope.scaling.yarn_ext_factor", 0.5, "qwen2.rope.scaling.yarn_ext_factor is 0.5", nil},
		{"yarn", "rope.scaling.yarn_log_multiplier", 0.1, "qwen2.rope.scaling.yarn_log_multiplier, which may", nil},
		{"yarn", "rope.scaling.factor", 0.5, "qwen2.rope.scaling.factor is 0.5", nil},
		{"llama3", "attention.sliding_window_pattern", uint32(2), "llama.attention.sliding_window_pattern, which may", nil},
		{"mixtral", "expert_gating_func", uint32(2), "llama.expert_gating_func is 2", nil},
		{"mixtral", "expert_weights_scale", 2.5, "llama.expert_weights_scale is 2.5", nil},
		{"mixtral", "expert_shared_count", uint32(1), "llama.expert_shared_count, which may", nil},
		{"mixtral", "expert_shared_feed_forward_length", uint32(8), "llama.expert_shared_feed_forward_length, which may", nil},
		{"mixtral", "expert_count", uint32(1 << 29), "the metadata declare about", nil},
		{"mixtral", "expert_used_count", uint32(5), "cannot go to 5 of 4 experts", nil},
		{"mixtral", "expert_group_count", uint32(2), "llama.expert_group_count is 2", nil},
		{"mixtral", "leading_dense_block_count", uint32(1), "llama.leading_dense_block_count, which may", nil},
		{"qwen3moe", "expert_count", nil, "qwen3moe.expert_count is missing", nil},
		{"qwen2moe", "attention.sliding_window", uint32(4), "qwen2moe.attention.sliding_window, which may", nil},
		{"glm4", "rope.dimension_sections", []int32{1, 1, 0, 0}, "glm4.rope.dimension_sections, which may", nil},
		{"glm4", "nextn_predict_layers", uint32(1), "glm4.nextn_predict_layers, which may", nil},
		{"granite", "rope.scaling.finetuned", false, "granite.rope.scaling.finetuned is false", nil},
		{"granite", "logit_scale", nil, "granite.logit_scale is missing", nil},
		{"gptneox", "use_parallel_residual", nil, "gptneox.use_parallel_residual is missing", nil},
		{"cohere2", "attention.sliding_window", nil, "cohere2.attention.sliding_window is missing", nil},
		{"cohere2", "rope.freq_base_swa", 100.0, "cohere2.rope.freq_base_swa, which may", nil},
	} {
		path := "testdata/gguf/" + c.name + ".gguf"
		arch, _ := architecture(t, path)
		m, _, err := models.OpenLlama(changedGGUF(t, path, map[string]any{arch + "." + c.key: c.value}, nil), tensor.F32, tensor.CPU())
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %s = %v: %v, want …%s…", c.name, c.key, c.value, err, c.wrong)
			}
		case err != nil || !c.is(m.Config):
			t.Errorf("%s: %s = %v: %v, %+v", c.name, c.key, c.value, err, m)
		}
	}
}

func architecture(t testing.TB, path string) (string, map[string]any) {
	t.Helper()
	f, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Metadata["general.architecture"].(string), f.Metadata
}

// TestGGUFOtherFiles: parts of a model, and weights that the decoder does not use, are errors.
func TestGGUFOtherFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		meta   map[string]any
		rename [2]string
		wrong  string
	}{
		{"phi3", map[string]any{"split.count": uint32(3)}, [2]string{}, "file 1 of the 3 of a model: want the first one, called …-00001-of-00003.gguf"},
		{"stablelm", nil, [2]string{"blk.0.attn_output", "blk.0.attn_q_norm"}, "qk_layernorm is not supported"},
		{"cohere", nil, [2]string{"blk.0.attn_output", "blk.0.attn_q_norm"}, "use_qk_norm is not supported"},
		{"phi3", nil, [2]string{"blk.0.attn_output.weight", "blk.0.attn_sinks.weight"}, "1 unexpected: blk.0.attn_sinks.weight"},
		{"mixtral", nil, [2]string{"blk.0.ffn_gate_exps", "blk.0.exp_probs_b"}, "1 unexpected: blk.0.exp_probs_b.weight"},
	} {
		path := changedGGUF(t, "testdata/gguf/"+c.name+".gguf", c.meta, nil)
		if c.rename[0] != "" {
			path = renamedGGUF(t, path, c.rename)
		}
		if _, _, err := models.OpenLlama(path, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s %v: %v, want …%s…", c.name, c.rename, err, c.wrong)
		}
	}
}

// renamedGGUF is a file in which the names of weights have another text.
func renamedGGUF(t *testing.T, path string, change [2]string) string {
	t.Helper()
	f, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []formats.Packed
	for _, name := range f.Names() {
		x, err := f.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, formats.Packed{Name: strings.Replace(name, change[0], change[1], 1), Tensor: x})
	}
	to := filepath.Join(t.TempDir(), "renamed.gguf")
	if err := formats.WriteGGUF(to, list, f.Metadata); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestGGUFLatentOld: older files of DeepSeek have keys and values in one matrix, and the sizes of heads.
func TestGGUFLatentOld(t *testing.T) {
	const path = "testdata/gguf/deepseek2.gguf"
	f, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	old := changedGGUF(t, path, map[string]any{"deepseek2.attention.key_length_mla": nil, "deepseek2.attention.value_length_mla": nil,
		"deepseek2.attention.key_length": uint32(10), "deepseek2.attention.value_length": uint32(5),
		"deepseek2.attention.head_count_kv": uint32(4)}, func(name string, x *quant.QTensor) *quant.QTensor {
		layer, isKeys := strings.CutSuffix(name, "attn_k_b.weight")
		if !isKeys {
			if strings.HasSuffix(name, "attn_v_b.weight") {
				return nil
			}
			return x
		}
		values, err := f.Tensor(layer + "attn_v_b.weight")
		if err != nil {
			t.Fatal(err)
		}
		cpu := tensor.CPU()
		both := tensor.Cat([]*tensor.Tensor{x.Dequantize(cpu).Transpose(1, 2), values.Dequantize(cpu)}, 1)
		return quant.Quantize(both.Reshape(4*11, 8), quant.F32)
	})
	old = renamedGGUF(t, old, [2]string{"attn_k_b", "attn_kv_b"})
	for _, g := range converted(t) {
		if g.name == "deepseek2" {
			g.folder = old
			for i, row := range g.open(t, tensor.CPU()).Forward(g.IDs).ToVec2() {
				g.near(t, row, i)
			}
		}
	}
}

// TestGGUFMXFP4: experts in MXFP4 stay packed beside matrices in Q8_0, as in the released files of gpt-oss, and unpacked
// they give the logits of transformers.
func TestGGUFMXFP4(t *testing.T) {
	const path = "testdata/gguf/gptoss_mxfp4.gguf"
	unpacked := func(path string) string {
		return changedGGUF(t, path, nil, func(_ string, x *quant.QTensor) *quant.QTensor {
			return quant.Quantize(x.Dequantize(tensor.CPU()), quant.F32)
		})
	}
	for _, g := range converted(t) {
		if g.name == "gptoss_mxfp4" {
			g.folder = unpacked(path)
			for i, row := range g.open(t, tensor.CPU()).Forward(g.IDs).ToVec2() {
				near(t, row, g.Logits[i], 5e-5)
			}
		}
	}
	mixed := changedGGUF(t, path, nil, func(name string, x *quant.QTensor) *quant.QTensor {
		if len(x.Dims()) == 2 && strings.HasSuffix(name, ".weight") && !strings.Contains(name, "ffn_gate_inp") {
			return quant.Quantize(x.Dequantize(tensor.CPU()), quant.Q8_0)
		}
		return x
	})
	ids := []int{1, 7, 23, 4, 4, 19}
	for _, dev := range devices(t) {
		packed, dense := golden{folder: mixed}, golden{folder: unpacked(mixed)}
		m, want := packed.open(t, dev), dense.open(t, dev).Forward(ids)
		if difference := m.Forward(ids).Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(difference < 0.03) {
			t.Errorf("%v: logits differ by %v", dev, difference)
		}
		if n := models.DenseExperts(m); n != 0 {
			t.Errorf("%v: %d matrices of experts were unpacked", dev, n)
		}
	}
}

// TestGGUFMambaPacked: packed products of states give what they give unpacked.
func TestGGUFMambaPacked(t *testing.T) {
	ids := []int{1, 7, 23, 4, 4, 19}
	for _, name := range []string{"mamba", "mamba2"} {
		n := 0
		packed := changedGGUF(t, "testdata/gguf/"+name+".gguf", nil, func(name string, x *quant.QTensor) *quant.QTensor {
			if strings.HasSuffix(name, "ssm_out.weight") || strings.HasSuffix(name, "ssm_x.weight") {
				n++
				return quant.Quantize(x.Dequantize(tensor.CPU()), quant.Q8_0)
			}
			return x
		})
		for _, dev := range devices(t) {
			got, want := golden{folder: packed}, golden{folder: "testdata/gguf/" + name + ".gguf"}
			of := want.open(t, dev).Forward(ids)
			difference := got.open(t, dev).Forward(ids).Sub(of).Norm().ToScalar() / of.Norm().ToScalar()
			if !(difference > 0 && difference < 0.02) || n < 2 {
				t.Errorf("%v, %s: logits differ by %v, %d packed", dev, name, difference, n)
			}
		}
	}
}

// FuzzGGUFMetadata: a file with any number, text or list for a key is an error, or a model that reads a text.
func FuzzGGUFMetadata(f *testing.F) {
	thorough.Slow(f)
	for _, name := range []string{"phi2", "mixtral", "qwen2moe", "longrope", "yarn", "olmo3", "cohere2", "granite", "gptoss", "deepseek2", "deepseek3", "gpt2",
		"falcon40b", "mamba", "mamba2", "llama4"} {
		arch, meta := architecture(f, "testdata/gguf/"+name+".gguf")
		for key := range meta {
			if key, ok := strings.CutPrefix(key, arch+"."); ok {
				f.Add(name, key, 3.0, "", false)
			}
		}
	}
	f.Add("phi3", "rope.dimension_count", -2.0, "", false)
	f.Add("yarn", "rope.dimension_count", -2.0, "", false)
	f.Add("yarn", "rope.scaling.factor", math.Inf(1), "", false)
	f.Add("yarn", "attention.key_length", 1e12, "", false)
	f.Add("mixtral", "expert_count", 1e9, "", false)
	f.Add("mixtral", "expert_used_count", 1.0, "", true)
	f.Add("deepseek2", "rope.dimension_count", -1e12, "", false)
	f.Add("deepseek2", "rope.scaling.yarn_log_multiplier", math.Inf(-1), "", false)
	f.Add("mamba2", "ssm.time_step_rank", 1e12, "", false)
	f.Add("mamba", "ssm.inner_size", -1e12, "", false)
	f.Add("phi3", "rope.scaling.type", 0.0, "longrope", false)
	f.Add("gemma3", "attention.sliding_window_pattern", -1.0, "", true)
	f.Fuzz(func(t *testing.T, name, key string, number float64, text string, listed bool) {
		if filepath.Base(name) != name || key == "context_length" { // tables are as long as that
			t.Skip()
		}
		path := "testdata/gguf/" + name + ".gguf"
		if _, err := os.Stat(path); err != nil {
			t.Skip()
		}
		value := any(number)
		if text != "" {
			value = text
		}
		if listed {
			value = []any{value, value, value, value, value, value, value}
		}
		arch, _ := architecture(t, path)
		path = changedGGUF(t, path, map[string]any{arch + "." + key: value}, nil)
		if m, _, err := models.OpenLlama(path, tensor.F32, tensor.CPU()); err == nil {
			m.Forward([]int{1, 2, 3})
		}
	})
}
