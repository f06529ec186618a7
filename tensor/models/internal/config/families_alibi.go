package config

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// jsonMPT is what MPT says of attention in config.json.
type jsonMPT struct {
	ALiBi  *bool    `json:"alibi"`
	Most   float64  `json:"alibi_bias_max"`
	Clip   *float64 `json:"clip_qkv"`
	Prefix bool     `json:"prefix_lm"`
	QKNorm bool     `json:"qk_ln"`
	Kind   string   `json:"attn_type"`
	Scale  *float64 `json:"softmax_scale"`
}

// mostSlope is the exponent of the least slope of ALiBi, where files do not say it.
const MostSlope = 8

var bloomNames = named(func(n *Names) {
	*n = *falconNames
	n.EmbeddingNorm = "transformer.word_embeddings_layernorm"
})

// bloomFamily is BLOOM: positions by slopes, and a norm of the embedding's rows.
func bloomFamily(j *JSON, c *LlamaConfig) error {
	if j.ResidualAfterNorm {
		return fmt.Errorf("models: apply_residual_connection_post_layernorm is not supported")
	}
	c.Layers, c.Heads = parts.FirstOf(j.NLayers, j.Layers), parts.FirstOf(j.NHeads, j.Heads)
	c.Dim = parts.FirstOf(j.Dim, j.Embed)
	c.KVHeads, c.Hidden = c.Heads, 4*c.Dim
	c.Context = parts.FirstOf(j.SeqLength, 2048)
	c.LayerNorm, c.NormBias, c.EmbeddingNorm, c.Ungated, c.Tied = true, true, true, true, true
	c.QKVBias, c.OutBias, c.FeedForwardBias = true, true, true
	c.Activation, c.names = "gelu_pytorch_tanh", bloomNames
	c.SetALiBi(MostSlope, 1)
	return nil
}

var mptNames = named(func(n *Names) {
	n.Embedding, n.Norm, n.Layers = "transformer.wte", "transformer.norm_f", "transformer.blocks.%d"
	n.AttentionNorm, n.FFNNorm = "norm_1", "norm_2"
	n.QKV, n.Out, n.Up, n.Down = "attn.Wqkv", "attn.out_proj", "ffn.up_proj", "ffn.down_proj"
})

// mptFamily is MPT: positions by slopes, and no biases.
func mptFamily(j *JSON, c *LlamaConfig) error {
	a := j.Attention
	switch {
	case !is(a.ALiBi, true):
		return fmt.Errorf("models: attn_config without alibi is not supported")
	case a.Prefix, a.QKNorm, !is(j.NoBias, true), a.Kind != "" && a.Kind != "multihead_attention":
		return fmt.Errorf("models: prefix_lm, qk_ln, no_bias of false and attn_type other than multihead_attention are " +
			"not supported")
	}
	c.Dim, c.Layers, c.Heads = j.ModelDim, j.LayersOf, j.HeadsOf
	c.KVHeads, c.Hidden = c.Heads, int(or(j.Expansion, 4)*float64(c.Dim))
	c.Context = parts.FirstOf(j.MaxSeqLen, 2048)
	c.LayerNorm, c.Ungated, c.Tied, c.Activation, c.names = true, true, true, "gelu", mptNames
	if a.Clip != nil {
		c.ClipQKV = *a.Clip
	}
	if a.Scale != nil {
		c.AttentionScale = *a.Scale
	}
	c.SetALiBi(or(a.Most, MostSlope), 1)
	return nil
}
