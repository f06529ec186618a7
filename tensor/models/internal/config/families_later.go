package config

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// jsonLater is what config.json of these families says.
type jsonLater struct {
	TopK          json.RawMessage `json:"moe_topk"` // of Hunyuan: a number, or one for each layer
	ErnieExperts  int             `json:"moe_num_experts"`
	ErniePerToken int             `json:"moe_k"`
	ErnieShared   int             `json:"moe_num_shared_experts"`
	ErnieFirst    int             `json:"moe_layer_start_index"`
	ErnieLast     int             `json:"moe_layer_end_index"`
	ErnieEvery    int             `json:"moe_layer_interval"`
	LayerMixes    []string        `json:"mlp_layer_types"` // of GLM 4.7 Flash
	SharedCount   int             `json:"num_shared_experts"`
	UsePostNorm   *bool           `json:"use_post_norm"` // of HyperCLOVA X
}

var exaone3Names = named(func(n *Names) {
	n.Embedding, n.Norm, n.Layers = "transformer.wte", "transformer.ln_f", "transformer.h.%d"
	n.AttentionNorm, n.FFNNorm, n.Out = "ln_1", "ln_2", "attn.attention.out_proj"
	n.Q, n.K, n.V = "attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"
	n.Gate, n.Up, n.Down = "mlp.c_fc_0", "mlp.c_fc_1", "mlp.c_proj"
})

// exaone3Family is EXAONE 3: Llama under other names.
func exaone3Family(j *JSON, c *LlamaConfig) error {
	c.Layers, c.Eps = parts.FirstOf(c.Layers, j.NeoLayers), parts.FirstOf(c.Eps, j.NormEpsilon)
	if c.Activation = parts.FirstOf(j.ActFunction, j.Act); c.Activation == "silu" {
		c.Activation = ""
	}
	c.names = exaone3Names
	return llamaFamily(j, c)
}

// internFamily is InternLM 3, whose two names of biases are for all of attention and for the feed-forward part.
func internFamily(j *JSON, c *LlamaConfig) error {
	c.QKVBias, c.FeedForwardBias = is(j.AttentionBias, false) || j.InternBias, j.MLPBias || is(j.PlainBias, false)
	c.OutBias = c.QKVBias
	return nil
}

// jaisFamily is Jais 2: Llama with norms that subtract the mean, and two products without a gate.
func jaisFamily(j *JSON, c *LlamaConfig) error {
	c.LayerNorm, c.NormBias, c.Ungated = true, true, true
	if j.Act == "" {
		c.Activation = "relu2"
	}
	c.QKVBias, c.FeedForwardBias = is(j.AttentionBias, true), j.MLPBias
	c.OutBias = c.QKVBias
	return nil
}

// cwmFamily is CWM: Llama with windows in three of four layers, the first one not among them.
func cwmFamily(j *JSON, c *LlamaConfig) error {
	if j.Kinds == nil {
		j.Kinds = everyLayer(j.Layers, func(layer int) bool { return layer%4 != 0 })
	}
	return nil
}

// ministral3Family is Ministral 3: Mistral whose queries grow with the position.
func ministral3Family(j *JSON, c *LlamaConfig) error {
	r := j.Scaling
	if j.Rope != nil {
		r = &j.Rope.jsonRope
	}
	if r != nil && r.TemperBy > 0 {
		if r.Context < 1 {
			return fmt.Errorf("models: rope_parameters have no original_max_position_embeddings")
		}
		c.TemperEvery, c.TemperBy, c.TemperAll = float64(r.Context), r.TemperBy, true
	}
	return nil
}

// vaultFamily is VaultGemma: Gemma 2 without norms after the parts of a layer.
func vaultFamily(j *JSON, c *LlamaConfig) error {
	if err := gemma2Family(j, c); err != nil {
		return err
	}
	c.PostNorm = false
	return nil
}

var cloverNames = named(func(n *Names) { n.AttentionAfter, n.FFNAfter = "post_norm1", "post_norm2" })

// cloverFamily is HyperCLOVA X: Granite with norms after both parts of a layer, whose factor of logits multiplies.
func cloverFamily(j *JSON, c *LlamaConfig) error {
	j.AttentionScale = or(j.AttentionScale, 1/c.rootOfHead())
	if j.LogitDivisor > 0 {
		j.LogitDivisor = 1 / j.LogitDivisor
	}
	c.PostNorm, c.names = is(j.UsePostNorm, true), cloverNames
	return graniteFamily(j, c)
}

var hunyuanMixtureNames = named(func(n *Names) {
	*n = *hunyuanNames
	n.Router, n.Shared = "mlp.gate.wg", "mlp.shared_mlp"
})

// hunyuanMixtureFamily is Hunyuan with experts.
func hunyuanMixtureFamily(j *JSON, c *LlamaConfig) error {
	if err := hunyuanFamily(j, c); err != nil {
		return err
	}
	var each []int
	if json.Unmarshal(j.TopK, &j.PerToken) != nil {
		if err := json.Unmarshal(j.TopK, &each); err != nil || len(each) == 0 || slices.Min(each) != slices.Max(each) {
			return fmt.Errorf("models: moe_topk is %s, which is not supported: want one number for all layers", j.TopK)
		}
		j.PerToken = each[0]
	}
	j.SharedHidden = j.Hidden
	c.Mixture, c.names = j.mixture(j.Hidden), hunyuanMixtureNames
	c.Mixture.Normalize, c.Mixture.Ungated = true, true
	return nil
}

var ernieMixtureNames = named(func(n *Names) {
	n.Shared, n.Correction = "mlp.shared_experts", "mlp.moe_statics.e_score_correction_bias"
	n.CorrectionRow, n.IgnoredUnder = true, []string{"model.mtp_"}
})

// ernieMixtureFamily is ERNIE 4.5 with experts, which are chosen by corrected probabilities.
func ernieMixtureFamily(j *JSON, c *LlamaConfig) error {
	if err := ernieFamily(j, c); err != nil {
		return err
	}
	last := j.ErnieLast
	if last < 0 {
		last += j.Layers
	}
	for layer := range min(max(j.Layers, 0), 1<<16) {
		if layer < j.ErnieFirst || layer > last || (layer+1)%max(1, j.ErnieEvery) != 0 {
			j.DenseLayers = append(j.DenseLayers, layer)
		}
	}
	j.Experts, j.PerToken = parts.FirstOf(j.Experts, j.ErnieExperts), parts.FirstOf(j.PerToken, j.ErniePerToken)
	j.SharedHidden = parts.FirstOf(j.SharedHidden, j.ErnieShared*j.ExpertHidden)
	c.Mixture, c.names = j.mixture(j.ExpertHidden), ernieMixtureNames
	c.Mixture.Normalize, c.Mixture.Ungated, c.Mixture.Correction = true, true, true
	return nil
}

// solarFamily is Solar Open: Llama with the experts of DeepSeek V3 in all layers.
func solarFamily(j *JSON, c *LlamaConfig) error {
	c.QKVBias, c.Hidden = is(j.AttentionBias, false), parts.FirstOf(c.Hidden, j.ExpertHidden)
	return j.correctedMixture(c)
}

// listedDense are the ordinary layers of files that list which layers have experts.
func (j *JSON) listedDense() {
	for layer, kind := range j.LayerMixes {
		if kind == "dense" {
			j.DenseLayers = append(j.DenseLayers, layer)
		}
	}
}

// glmLiteFamily is GLM 4.7 Flash: DeepSeek V3 with its ordinary layers in a list.
func glmLiteFamily(j *JSON, c *LlamaConfig) error {
	if j.FirstDense == 0 && j.LayerMixes == nil {
		j.FirstDense = 1
	}
	j.listedDense()
	return deepSeek3Family(j, c)
}

// exaoneMixtureFamily is K-EXAONE: EXAONE 4 with norms before its parts, and the experts of DeepSeek V3.
func exaoneMixtureFamily(j *JSON, c *LlamaConfig) error {
	if err := exaoneFamily(j, c); err != nil {
		return err
	}
	c.PostNorm, c.NoPreNorm = false, false
	if j.LayerMixes != nil {
		j.FirstDense = 0
		j.listedDense()
	}
	j.RoutedExperts, j.SharedExperts = j.Experts, j.SharedCount
	if err := j.correctedMixture(c); err != nil {
		return err
	}
	n := *c.names
	n.Correction, n.IgnoredUnder = "mlp.e_score_correction_bias", append(n.IgnoredUnder, "mtp.")
	c.names = &n
	return nil
}

// sarvamFamily is Sarvam: GLM 4.5 whose rotary embedding is whole.
func sarvamFamily(j *JSON, c *LlamaConfig) error {
	j.RoutedExperts = parts.FirstOf(j.RoutedExperts, j.Experts)
	j.SharedExperts = parts.FirstOf(j.SharedExperts, j.SharedCount)
	c.QKVBias, c.QKNorm = is(j.AttentionBias, j.QKVBias), is(j.QKNorm, true)
	if err := j.correctedMixture(c); err != nil {
		return err
	}
	n := *c.names
	n.Embedding, n.QKV, n.Out = "model.word_embeddings", "attention.query_key_value", "attention.dense"
	n.QNorm, n.KNorm, n.Correction = "attention.query_layernorm", "attention.key_layernorm", "mlp.gate.expert_bias"
	c.names = &n
	return nil
}

// mellumFamily is Mellum 2: Qwen 3 with experts, and windows in some layers.
func mellumFamily(j *JSON, c *LlamaConfig) error {
	j.listedDense()
	if err := qwen3MixtureFamily(j, c); err != nil {
		return err
	}
	c.names = named(func(n *Names) { n.IgnoredUnder = []string{"mtp."} })
	return nil
}
