package models

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/quant"
)

// configOf is the config of a config.json of four layers.
func configOf(t *testing.T, model, more string) (LlamaConfig, error) {
	t.Helper()
	text := `{"model_type": "` + model +
		`", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 4, "num_attention_heads": 2, "vocab_size": 9, "max_position_embeddings": 16` + more + `}`
	var j config.JSON
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		t.Fatal(err)
	}
	return j.Config()
}

// TestWindows: how far back queries see, and in which layers, as transformers reads it from config.json.
func TestWindows(t *testing.T) {
	const use = `, "sliding_window": 4096, "use_sliding_window": true`
	for _, c := range []struct {
		model, more string
		window      int
		windowed    []bool
		wrong       string
	}{
		{"mistral", `, "sliding_window": 4096`, 4096, nil, ""},
		{"mistral", `, "sliding_window": null`, 0, nil, ""},
		{"qwen2", `, "sliding_window": 4096`, 0, nil, ""},
		{"qwen2", `, "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 2`, 0, nil, ""},
		{"qwen2", use + `, "max_window_layers": 0`, 4096, nil, ""},
		{"qwen3", use + `, "max_window_layers": 4`, 0, nil, ""},
		{"qwen3", use + `, "max_window_layers": 3`, 4096, []bool{false, false, false, true}, ""},
		{"gemma2", `, "sliding_window": 5`, 5, []bool{true, false, true, false}, ""},
		{"gemma3_text", `, "sliding_window": 5, "sliding_window_pattern": 3`, 5, []bool{true, true, false, true}, ""},
		{"mistral", `, "sliding_window": 5, "layer_types": ["full_attention", "chunked_attention"]`, 0, nil,
			`"chunked_attention" is not supported`},
	} {
		config, err := configOf(t, c.model, c.more)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s, %s: %v, want …%s…", c.model, c.more, err, c.wrong)
			}
		case err != nil || config.Window != c.window || !slices.Equal(config.Windowed, c.windowed):
			t.Errorf("%s, %s: a window of %d in %v and %v, want %d in %v", c.model, c.more, config.Window, config.Windowed, err,
				c.window, c.windowed)
		}
	}
}

const latentSizes = `, "kv_lora_rank": 8, "qk_nope_head_dim": 2, "qk_rope_head_dim": 2, "v_head_dim": 2,
	"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 8`

// float8Of is quantization_config with a further setting.
func float8Of(setting string) string {
	return `, "quantization_config": {"quant_method": "fp8", ` + setting + `}`
}

// TestFloat8Configs: settings of FP8 that change nothing, and the block.
func TestFloat8Configs(t *testing.T) {
	for setting, want := range map[string][]int{
		`"fmt": "e4m3"`: {128, 128}, `"weight_block_size": [64, 32], "activation_scheme": "dynamic"`: {64, 32},
		`"weight_block_size": null, "activation_scheme": "static"`:                                nil,
		`"modules_to_not_convert": ["lm_head"], "modules_to_convert": null, "scale_fmt": "ue8m0"`: {128, 128},
	} {
		if _, err := configOf(t, "llama", float8Of(setting)); err != nil {
			t.Errorf("%s: %v", setting, err)
		}
		var j config.JSON
		if err := json.Unmarshal([]byte("{"+float8Of(setting)[2:]+"}"), &j); err != nil {
			t.Fatal(err)
		}
		if block, err := j.Quantization.Block(); err != nil || !slices.Equal(block, want) || (block == nil) != (want == nil) {
			t.Errorf("%s: blocks of %v, %v", setting, block, err)
		}
	}
}

// TestRefusedConfigs: what a decoder does not do is an error that names it.
func TestRefusedConfigs(t *testing.T) {
	for _, c := range [][3]string{
		{"bert", ``, `"bert" is an encoder, which generates no text: OpenEncoder reads it`},
		{"rwkv", ``, `"rwkv" is not supported: want one of apertus, arcee, bamba, bloom, cohere,`},
		{"llama", `, "hidden_act": "maxout"`, "maxout"},
		{"llama", `, "rope_scaling": {"type": "xpos", "factor": 2}`, `"xpos" is not supported`},
		{"llama", `, "head_dim": 1000000000000, "rope_scaling": {"type": "linear", "factor": 2}`, "heads of size 1000000000000"},
		{"phi", `, "partial_rotary_factor": -1, "rope_scaling": {"type": "linear", "factor": 2}`, "rotary embedding of -"},
		{"llama", `, "rope_scaling": {"type": "linear"}`, `"linear" has factor 0`},
		{"llama", `, "rope_scaling": {"type": "yarn", "factor": 2}`, "no original_max_position_embeddings"},
		{"phi3", `, "rope_scaling": {"type": "longrope", "short_factor": [1, 2, 3]}`, "has 3 numbers for 2 pairs"},
		{"phi3", `, "rope_scaling": {"type": "longrope", "short_factor": [1, 2]}`, "original_max_position_embeddings is 0"},
		{"phi", `, "qk_layernorm": true`, "qk_layernorm"},
		{"cohere", `, "use_qk_norm": true`, "use_qk_norm"},
		{"granite", ``, "attention_multiplier is 0"},
		{"smollm3", `, "no_rope_layers": [1, 0]`, "lists 2 layers of 4"},
		{"mixtral", ``, "mixture of experts of these sizes"},
		{"mixtral", `, "num_local_experts": 2, "num_experts_per_tok": 3`, "cannot go to 3 of 2 experts"},
		{"olmoe", `, "clip_qkv": 8`, "clip_qkv"},
		{"gpt_neox", `, "num_key_value_heads": 1`, "1 heads of keys for 2 of queries"},
		{"gemma3_text", `, "use_bidirectional_attention": true`, "use_bidirectional_attention"},
		{"llama", `, "quantization_config": {"quant_method": "awq"}`, `quantization_config: "awq" is not supported`},
		{"llama", `, "quantization_config": {"quant_method": "mxfp4"}`, `quantization_config: "mxfp4" is not supported`},
		{"llama", `, "quantization_config": {"load_in_8bit": true}`, `quantization_config: "" is not supported`},
		{"llama", `, "quantization_config": {"quant_method": 8}`, `quantization_config: "" is not supported`},
		{"llama", float8Of(`"fmt": "e5m2"`), `fmt "e5m2" is not supported with fp8: want e4m3`},
		{"llama", float8Of(`"activation_scheme": "token"`), `activation_scheme "token" is not supported with fp8: want dynamic or static`},
		{"llama", float8Of(`"expert_dtype": "fp4"`), `expert_dtype "fp4" is not supported`},
		{"llama", float8Of(`"weight_block_size": [128]`), `weight_block_size [128] is not supported: want two sizes, or null`},
		{"llama", float8Of(`"weight_block_size": [128, 0]`), `weight_block_size [128, 0] is not supported`},
		{"llama", float8Of(`"weight_block_size": [128, 1.5]`), `weight_block_size [128, 1.5] is not supported`},
		{"llama", float8Of(`"modules_to_convert": ["embed"]`), `quantization_config: modules_to_convert is not supported with fp8`},
		{"llama", float8Of(`"kv_cache_scheme": {}`), `quantization_config: kv_cache_scheme is not supported with fp8`},
		{"deepseek_v2", `, "scoring_func": "sigmoid"`, "scoring_func"},
		{"deepseek_v2", `, "topk_method": "noaux_tc"`, "topk_method"},
		{"deepseek_v2", `, "norm_topk_prob": true`, "norm_topk_prob"},
		{"deepseek_v2", ``, "latent attention of these sizes"},
		{"deepseek_v3", `, "scoring_func": "softmax"`, "scoring_func"},
		{"deepseek_v3", `, "topk_method": "greedy"`, "topk_method"},
		{"deepseek_v3", `, "moe_layer_freq": 2`, "moe_layer_freq"},
		{"deepseek_v3", latentSizes + `, "n_group": 5, "topk_group": 1`, "cannot be chosen in 1 of 5 groups"},
		{"gpt2", `, "scale_attn_weights": false`, "scale_attn_weights"},
		{"gpt2", `, "scale_attn_by_inverse_layer_idx": true`, "scale_attn_by_inverse_layer_idx"},
		{"gpt2", `, "add_cross_attention": true`, "add_cross_attention"},
		{"mamba", `, "hidden_act": "gelu"`, "intermediate_size is 8"},
		{"mamba", `, "hidden_act": "gelu", "intermediate_size": 16`, "hidden_act"},
		{"mamba", `, "time_step_rank": "few", "intermediate_size": 16`, "time_step_rank"},
		{"mamba2", `, "intermediate_size": 16`, "num_heads·head_dim is"},
		{"mamba2", `, "num_heads": 4, "head_dim": 4, "n_groups": 3, "intermediate_size": 16`, "in 4 heads and 3 groups"},
		{"mamba2", `, "num_heads": 4, "head_dim": 4, "time_step_limit": [1], "intermediate_size": 16`, "has 1 numbers"},
		{"llama4_text", `, "attention_chunk_size": "all"`, "attention_chunk_size"},
		{"llama4_text", `, "no_rope_layers": [1, 0]`, "lists 2 layers of 4"},
		{"llama4_text", `, "layer_types": ["full_attention"]`, `"full_attention", want "chunked_attention"`},
		{"llama4_text", `, "intermediate_size_mlp": 8`, "num_local_experts of 0"},
		{"falcon", `, "num_ln_in_parallel_attn": 2`, "num_ln_in_parallel_attn"},
		{"falcon", `, "new_decoder_architecture": true, "parallel_attn": false`, "parallel_attn"},
	} {
		if _, err := configOf(t, c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s%s: %v, want …%s…", c[0], c[1], err, c[2])
		}
	}
}

// TestOlderConfigs: names of earlier versions of transformers.
func TestOlderConfigs(t *testing.T) {
	c, err := configOf(t, "gemma3_text", `, "rope_theta": 1e6, "rope_local_base_freq": 5000, "sliding_window": 5, "head_dim": 4`)
	if err != nil || c.RopeBase != 1e6 || c.Window != 5 || c.Windowed != nil || c.LocalRopeBase != 5000 || !c.Tied || c.EmbeddingScale != math.Sqrt(8) {
		t.Errorf("%v, %+v", err, c)
	}
	c, err = configOf(t, "gpt_neox", `, "rotary_pct": 0.5, "rotary_emb_base": 7`)
	if err != nil || c.RopeBase != 7 || c.RopeDim != 2 || !c.QKVBias || !c.Parallel || c.Tied {
		t.Errorf("%v, %+v", err, c)
	}
	c, err = configOf(t, "phi3", `, "original_max_position_embeddings": 4, "rope_scaling": {"type": "su", "short_factor": [1, 2], "long_factor": [3, 4]}`)
	if err != nil || c.Context != 4 || !slices.Equal(c.RopeFactors, []float64{1, 2}) || c.RopeGain != math.Sqrt(2) {
		t.Errorf("%v, %+v", err, c)
	}
}

// TestGGUFRope: a rotary embedding that is not supported is an error, and not another one.
func TestGGUFRope(t *testing.T) {
	embedding := []formats.Packed{{Name: "token_embd.weight",
		Tensor: quant.Quantize(tensor.Ones(9, 8), quant.F32)}, {Name: "blk.0.other.weight", Tensor: quant.Quantize(tensor.Ones(500), quant.F32)}}
	for _, c := range []struct {
		key   string
		value any
		wrong string
	}{
		{"llama.rope.scaling.type", "none", ""},
		{"llama.rope.scaling.type", "yarn", ""},
		{"llama.rope.scaling.type", "ntk", `llama.rope.scaling.type "ntk" is not supported`},
		{"llama.rope.dimension_count", uint32(4), ""},
		{"llama.rope.dimension_count", uint32(2), "2 of the 4 elements"},
	} {
		path := filepath.Join(t.TempDir(), "x.gguf")
		meta := map[string]any{"general.architecture": "llama", "llama.embedding_length": uint32(8),
			"llama.feed_forward_length": uint32(8), "llama.block_count": uint32(1),
			"llama.attention.head_count": uint32(2), "llama.context_length": uint32(16),
			"llama.attention.layer_norm_rms_epsilon": 1e-5, c.key: c.value}
		if err := formats.WriteGGUF(path, embedding, meta); err != nil {
			t.Fatal(err)
		}
		f, err := formats.OpenGGUF(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := config.OfGGUF(f); (err == nil) != (c.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s %v: %v, want …%s…", c.key, c.value, err, c.wrong)
		}
	}
}
