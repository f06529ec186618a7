package config

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// jsonOlder is what config.json of decoders before Llama says.
type jsonOlder struct {
	ResidualAfterNorm bool    `json:"apply_residual_connection_post_layernorm"` // of BLOOM
	SeqLength         int     `json:"seq_length"`
	ModelDim          int     `json:"d_model"` // of MPT
	LayersOf          int     `json:"n_layers"`
	HeadsOf           int     `json:"n_heads"`
	Expansion         float64 `json:"expansion_ratio"`
	MaxSeqLen         int     `json:"max_seq_len"`
	NoBias            *bool   `json:"no_bias"`
	Attention         jsonMPT `json:"attn_config"`
	FFNDim            int     `json:"ffn_dim"` // of OPT
	NormBefore        *bool   `json:"do_layer_norm_before"`
	EmbedDim          int     `json:"word_embed_proj_dim"`
	NormWeights       *bool   `json:"layer_norm_elementwise_affine"`
	NeoLayers         int     `json:"num_layers"` // of GPT-Neo
	NeoWindow         int     `json:"window_size"`
	// of layers, and how often they come
	NeoKinds [][2]any `json:"attention_types"`
}

// everyOne is true for each of some layers.
func everyOne(layers int) []bool {
	all := make([]bool, min(max(layers, 0), 1<<16))
	for i := range all {
		all[i] = true
	}
	return all
}

var optNames = named(func(n *Names) {
	n.Embedding, n.Positions = "model.decoder.embed_tokens", "model.decoder.embed_positions"
	n.Norm, n.Layers = "model.decoder.final_layer_norm", "model.decoder.layers.%d"
	n.AttentionNorm, n.FFNNorm, n.Out = "self_attn_layer_norm", "final_layer_norm", "self_attn.out_proj"
	n.Up, n.Down = "fc1", "fc2"
})

// optFamily is OPT, whose table of positions begins with two rows for what is not there.
func optFamily(j *JSON, c *LlamaConfig) error {
	if !is(j.NormBefore, true) || j.EmbedDim != 0 && j.EmbedDim != j.Dim || !is(j.NormWeights, true) {
		return fmt.Errorf("models: do_layer_norm_before of false, word_embed_proj_dim other than hidden_size, and norms " +
			"without weights are not supported")
	}
	c.KVHeads, c.Hidden, c.PositionsFrom = c.Heads, j.FFNDim, 2
	c.learnedPositions(is(j.Bias, true))
	c.QKVBias = is(j.PlainBias, c.QKVBias)
	c.OutBias, c.FeedForwardBias = c.QKVBias, c.QKVBias
	c.Activation, c.names = parts.FirstOf(j.ActFunction, "relu"), optNames
	return nil
}

// learnedPositions is what decoders with a table of positions share: norms with a mean, two products without a gate.
func (c *LlamaConfig) learnedPositions(biases bool) {
	c.LayerNorm, c.NormBias, c.Ungated, c.Tied, c.Positions = true, true, true, true, true
	c.QKVBias, c.OutBias, c.FeedForwardBias = biases, biases, biases
	c.NoRope = everyOne(c.Layers)
}

// gptSizes are the sizes of models that have the names of GPT-2's.
func (j *JSON) gptSizes(c *LlamaConfig) {
	c.Dim, c.Layers, c.Heads, c.KVHeads = j.Embed, j.NLayers, j.NHeads, j.NHeads
	c.Hidden, c.Context = parts.FirstOf(j.Inner, 4*j.Embed), parts.FirstOf(j.Positions, 1024)
}

var gptjNames = named(func(n *Names) {
	n.Embedding, n.Norm, n.Layers = "transformer.wte", "transformer.ln_f", "transformer.h.%d"
	n.AttentionNorm, n.Q, n.K, n.V, n.Out = "ln_1", "attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.out_proj"
	n.Up, n.Down = "mlp.fc_in", "mlp.fc_out"
})

// gptjFamily is GPT-J: both parts of a layer read the same normalised rows.
func gptjFamily(j *JSON, c *LlamaConfig) error {
	j.gptSizes(c)
	j.ropeDim = parts.FirstOf(j.RotaryDim, 64)
	c.LayerNorm, c.NormBias, c.Parallel, c.SharedNorm, c.Ungated = true, true, true, true, true
	c.FeedForwardBias, c.OutputBias, c.Interleaved = true, true, true
	c.Activation, c.names = parts.FirstOf(j.ActFunction, "gelu_new"), gptjNames
	return nil
}

var bigCodeNames = named(func(n *Names) {
	*n = *gpt2Names
	n.InputsFirst = false
})

// bigCodeFamily is StarCoder 1: GPT-2, whose heads share one head of keys.
func bigCodeFamily(j *JSON, c *LlamaConfig) error {
	if !is(j.MultiQuery, true) || !is(j.ScaleAttention, true) {
		return fmt.Errorf("models: multi_query of false, and scale_attn_weights of false, are not supported")
	}
	j.gptSizes(c)
	c.KVHeads = 1
	c.learnedPositions(true)
	c.Activation, c.names = parts.FirstOf(j.ActFunction, "gelu_pytorch_tanh"), bigCodeNames
	return nil
}

var gptNeoNames = named(func(n *Names) {
	*n = *gpt2Names
	n.InputsFirst, n.QKV, n.Out = false, "", "attn.attention.out_proj"
	n.Q, n.K, n.V = "attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"
})

// gptNeoFamily is GPT-Neo: products of queries and keys are not scaled, and some layers have a window.
func gptNeoFamily(j *JSON, c *LlamaConfig) error {
	c.Layers, c.Heads, c.KVHeads = j.NeoLayers, j.SpaceHeads, j.SpaceHeads
	c.Hidden = parts.FirstOf(j.Hidden, 4*j.Dim)
	c.learnedPositions(true)
	c.QKVBias, c.AttentionScale = false, 1
	for _, kinds := range j.NeoKinds {
		list, _ := kinds[0].([]any)
		n, _ := kinds[1].(float64)
		for range int(min(max(n, 0), 1<<16)) {
			for _, kind := range list {
				if kind != "global" && kind != "local" {
					return fmt.Errorf("models: attention_types: %v is not supported: want global or local", kind)
				}
				c.Windowed = append(c.Windowed, kind == "local")
			}
		}
	}
	c.Window = parts.FirstOf(j.NeoWindow, 256)
	c.Activation, c.names = parts.FirstOf(j.ActFunction, "gelu_new"), gptNeoNames
	return nil
}

// olmoFamily is OLMo 1, whose norms have no weights.
func olmoFamily(j *JSON, c *LlamaConfig) error {
	c.LayerNorm, c.NormPlain, c.Eps = true, true, 1e-5
	if j.ClipQKV != nil {
		c.ClipQKV = *j.ClipQKV
	}
	return llamaFamily(j, c)
}

// heliumFamily is Helium: Llama whose rotary embedding pairs neighbours.
func heliumFamily(j *JSON, c *LlamaConfig) error {
	c.Interleaved = true
	return llamaFamily(j, c)
}

var apertusNames = named(func(n *Names) {
	n.AttentionNorm, n.FFNNorm = "attention_layernorm", "feedforward_layernorm"
})

// apertusFamily is Apertus: norms of queries and keys, and two products with an activation that is learned.
func apertusFamily(j *JSON, c *LlamaConfig) error {
	if err := wants("hidden_act", j.Act, "xielu"); err != nil {
		return err
	}
	c.QKNorm, c.Ungated, c.XIELU, c.Activation, c.names = true, true, true, "", apertusNames
	return llamaFamily(j, c)
}
