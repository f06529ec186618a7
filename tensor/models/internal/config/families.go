package config

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// named are the names of Hugging Face's Llama, changed.
func named(change func(n *Names)) *Names {
	n := *Files[1]
	change(&n)
	return &n
}

// is is b, or what it is by default.
func is(b *bool, otherwise bool) bool { return parts.Is(b, otherwise) }

// notOne is a factor, 0 for that of 1, which is none.
func notOne(x float64) float64 {
	if x == 1 {
		return 0
	}
	return x
}

func llamaFamily(j *JSON, c *LlamaConfig) error {
	c.QKVBias, c.FeedForwardBias = is(j.AttentionBias, false), j.MLPBias
	c.OutBias = c.QKVBias
	return nil
}

func mistralFamily(*JSON, *LlamaConfig) error { return nil }

func qwen2Family(_ *JSON, c *LlamaConfig) error {
	c.QKVBias = true
	return nil
}

func qwen3Family(j *JSON, c *LlamaConfig) error {
	c.QKNorm, c.QKVBias = true, is(j.AttentionBias, false)
	c.OutBias = c.QKVBias
	return nil
}

// mixture is what config.json says of experts. Every MixtureStep-th layer has them, but for DenseLayers.
func (j *JSON) mixture(hidden int) *Mixture {
	x := &Mixture{Experts: max(j.Experts, j.LocalExperts), PerToken: j.PerToken, Hidden: hidden,
		SharedHidden: j.SharedHidden, Normalize: j.Normalize}
	dense := map[int]bool{}
	for _, layer := range j.DenseLayers {
		dense[layer] = true
	}
	for layer := range min(j.Layers, 1<<16) {
		x.Dense = append(x.Dense, dense[layer] || (layer+1)%max(j.MixtureStep, 1) != 0)
	}
	if !slices.Contains(x.Dense, true) {
		x.Dense = nil
	}
	return x
}

var mixtralNames = named(func(n *Names) {
	n.Router, n.Experts = "block_sparse_moe.gate", "block_sparse_moe.experts.%d"
	n.ExpertGate, n.ExpertUp, n.ExpertDown = "w1", "w3", "w2"
})

// mixtralFamily is Mixtral: Mistral with experts.
func mixtralFamily(j *JSON, c *LlamaConfig) error {
	c.Mixture, c.names = j.mixture(j.Hidden), mixtralNames
	c.Mixture.Normalize = true
	return nil
}

func qwen2MixtureFamily(j *JSON, c *LlamaConfig) error {
	c.Mixture = j.mixture(j.ExpertHidden)
	return qwen2Family(j, c)
}

func qwen3MixtureFamily(j *JSON, c *LlamaConfig) error {
	c.Mixture = j.mixture(j.ExpertHidden)
	return qwen3Family(j, c)
}

// olmoeFamily is OLMoE, whose queries and keys are normalised across all heads.
func olmoeFamily(j *JSON, c *LlamaConfig) error {
	if j.ClipQKV != nil {
		return fmt.Errorf("models: clip_qkv is not supported")
	}
	c.Mixture, c.QKNorm, c.QKNormAll = j.mixture(j.Hidden), true, true
	return llamaFamily(j, c)
}

// gemmaFamily is Gemma 1: Llama with another activation, an embedding that is multiplied, and weights of norms that are
// less by 1.
func gemmaFamily(j *JSON, c *LlamaConfig) error {
	if is(j.Bidirectional, false) {
		return fmt.Errorf("models: use_bidirectional_attention is not supported: it is for embeddings of texts")
	}
	c.Activation = "gelu_pytorch_tanh"
	if j.Act2 != "" {
		c.Activation = j.Act2
	}
	if c.HeadDim == 0 {
		c.HeadDim = 256
	}
	c.NormOffset, c.EmbeddingScale, c.Tied = 1, math.Sqrt(float64(c.Dim)), true
	c.QKVBias = is(j.AttentionBias, false)
	c.OutBias = c.QKVBias
	return nil
}

var gemma2Names = named(func(n *Names) {
	n.AttentionAfter, n.FFNNorm, n.FFNAfter = "post_attention_layernorm", "pre_feedforward_layernorm",
		"post_feedforward_layernorm"
})

// gemma2Family adds norms after both parts of a layer, caps, and windows in every other layer.
func gemma2Family(j *JSON, c *LlamaConfig) error {
	c.PostNorm, c.names = true, gemma2Names
	c.AttentionCap, c.LogitCap = j.AttentionCap, j.LogitCap
	if j.QueryScalar > 0 {
		c.AttentionScale = 1 / math.Sqrt(j.QueryScalar)
	}
	if j.Pattern == 0 {
		j.Pattern = 2
	}
	return gemmaFamily(j, c)
}

// gemma3Family has five layers with a window, and a rotary embedding of their own, for each that sees everything.
// Queries and keys are normalised.
func gemma3Family(j *JSON, c *LlamaConfig) error {
	if j.Pattern == 0 {
		j.Pattern = 6
	}
	c.QKNorm, c.LocalRopeBase, c.RopeBase = true, or(j.LocalBase, 10000), 1e6
	return gemma2Family(j, c)
}

var phiNames = named(func(n *Names) {
	n.Norm, n.Out, n.Up, n.Down = "model.final_layernorm", "self_attn.dense", "mlp.fc1", "mlp.fc2"
})

// phiFamily is Phi 1, 1.5 and 2: both parts of a layer read the same normalised rows.
func phiFamily(j *JSON, c *LlamaConfig) error {
	if j.QKLayerNorm {
		return fmt.Errorf("models: qk_layernorm is not supported")
	}
	c.LayerNorm, c.NormBias, c.Parallel, c.SharedNorm, c.Ungated = true, true, true, true, true
	c.QKVBias, c.OutBias, c.FeedForwardBias, c.OutputBias = true, true, true, true
	c.names = phiNames
	return nil
}

var phi3Names = named(func(n *Names) { n.QKV, n.GateUp = "self_attn.qkv_proj", "mlp.gate_up_proj" })

// phi3Family is Phi 3, 3.5 and 4: Llama with products that are one in the file.
func phi3Family(_ *JSON, c *LlamaConfig) error {
	c.names = phi3Names
	return nil
}

var olmo2Names = named(func(n *Names) {
	n.AttentionAfter, n.FFNAfter = "post_attention_layernorm", "post_feedforward_layernorm"
})

// olmo2Family normalises what both parts of a layer give, not what they read.
func olmo2Family(j *JSON, c *LlamaConfig) error {
	c.PostNorm, c.NoPreNorm, c.QKNorm, c.QKNormAll, c.names = true, true, true, true, olmo2Names
	c.LocalRopeBase = j.LocalBase // of OLMo 3 in GGUF files
	c.QKVBias = is(j.AttentionBias, false)
	c.OutBias = c.QKVBias
	return nil
}

// graniteFamily is Llama with four factors.
func graniteFamily(j *JSON, c *LlamaConfig) error {
	c.EmbeddingScale, c.ResidualScale = notOne(j.EmbeddingScale), notOne(j.ResidualScale)
	if j.AttentionScale <= 0 || j.LogitDivisor <= 0 {
		return fmt.Errorf("models: attention_multiplier is %v, logits_scaling %v", j.AttentionScale, j.LogitDivisor)
	}
	c.AttentionScale, c.LogitScale = j.AttentionScale, notOne(1/j.LogitDivisor)
	return llamaFamily(j, c)
}

// smolFamily is SmolLM 3: Llama, in which every fourth layer has no rotary embedding.
func smolFamily(j *JSON, c *LlamaConfig) error {
	c.NoRope, c.Tied = make([]bool, len(j.NoRopeLayers)), true
	if len(j.NoRopeLayers) != j.Layers {
		return fmt.Errorf("models: no_rope_layers lists %d layers of %d", len(j.NoRopeLayers), j.Layers)
	}
	for i, rotated := range j.NoRopeLayers {
		c.NoRope[i] = rotated == 0
	}
	return llamaFamily(j, c)
}

var glm4Names = named(func(n *Names) { n.GateUp = "mlp.gate_up_proj" })

// glm4Family is GLM 4 of 2025, with norms around both parts of a layer.
func glm4Family(j *JSON, c *LlamaConfig) error {
	c.PostNorm, c.Interleaved, c.QKVBias, c.names = true, true, is(j.AttentionBias, false), glm4Names
	return nil
}

// stableFamily is StableLM.
func stableFamily(j *JSON, c *LlamaConfig) error {
	if j.QKLayerNorm {
		return fmt.Errorf("models: qk_layernorm is not supported")
	}
	c.LayerNorm, c.NormBias, c.QKVBias = true, true, j.QKVBias
	c.Parallel = is(j.Parallel, false)
	c.SharedNorm = c.Parallel
	return nil
}

var starcoderNames = named(func(n *Names) { n.Up, n.Down = "mlp.c_fc", "mlp.c_proj" })

// starcoderFamily is StarCoder 2.
func starcoderFamily(j *JSON, c *LlamaConfig) error {
	c.LayerNorm, c.NormBias, c.Ungated, c.Tied, c.names = true, true, true, true, starcoderNames
	c.QKVBias = is(j.Bias, true)
	c.OutBias, c.FeedForwardBias = c.QKVBias, c.QKVBias
	return nil
}

var neoxNames = named(func(n *Names) {
	n.Embedding, n.Norm, n.Output, n.Layers = "gpt_neox.embed_in", "gpt_neox.final_layer_norm", "embed_out",
		"gpt_neox.layers.%d"
	n.QKV, n.ByHead, n.Out = "attention.query_key_value", true, "attention.dense"
	n.Up, n.Down = "mlp.dense_h_to_4h", "mlp.dense_4h_to_h"
})

// neoxFamily is GPT-NeoX, Pythia's too.
func neoxFamily(j *JSON, c *LlamaConfig) error {
	c.LayerNorm, c.NormBias, c.Ungated, c.FeedForwardBias, c.names = true, true, true, true, neoxNames
	c.Parallel, c.QKVBias = is(j.Parallel, true), is(j.AttentionBias, true)
	c.OutBias = c.QKVBias
	if j.KVHeads != 0 && j.KVHeads != j.Heads {
		return fmt.Errorf("models: GPT-NeoX with %d heads of keys for %d of queries is not supported", j.KVHeads, j.Heads)
	}
	if j.RopePart == 0 && j.Partial == 0 {
		j.RopePart = 0.25
	}
	return nil
}

// cohereFamily is Command R: both parts of a layer read the same normalised rows.
func cohereFamily(j *JSON, c *LlamaConfig) error {
	if is(j.QKNorm, false) {
		return fmt.Errorf("models: use_qk_norm is not supported")
	}
	c.LayerNorm, c.Parallel, c.SharedNorm, c.Interleaved, c.Tied = true, true, true, true, true
	if c.LogitScale = 0.0625; j.LogitScale != nil {
		c.LogitScale = notOne(*j.LogitScale)
	}
	c.QKVBias = is(j.AttentionBias, false)
	c.OutBias = c.QKVBias
	return nil
}

// cohere2Family is Command R7B and A: three layers with a window and a rotary embedding for each that has neither.
func cohere2Family(j *JSON, c *LlamaConfig) error {
	if j.Pattern == 0 {
		j.Pattern = 4
	}
	if err := j.windows(c); err != nil {
		return err
	}
	if c.Windowed != nil {
		c.NoRope = make([]bool, len(c.Windowed))
		for i, windowed := range c.Windowed {
			c.NoRope[i] = !windowed
		}
	}
	return cohereFamily(j, c)
}
