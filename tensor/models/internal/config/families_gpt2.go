package config

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

var gpt2Names = named(func(n *Names) {
	n.Embedding, n.Positions, n.Norm = "transformer.wte", "transformer.wpe", "transformer.ln_f"
	n.Layers, n.AttentionNorm, n.FFNNorm = "transformer.h.%d", "ln_1", "ln_2"
	n.QKV, n.Out, n.Up, n.Down, n.InputsFirst = "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj", true
})

// gpt2Family is GPT-2: learned positions, and norms with biases.
func gpt2Family(j *JSON, c *LlamaConfig) error {
	switch {
	case !is(j.ScaleAttention, true):
		return fmt.Errorf("models: scale_attn_weights of false is not supported")
	case j.ScaleByLayer:
		return fmt.Errorf("models: scale_attn_by_inverse_layer_idx is not supported")
	case j.CrossAttention:
		return fmt.Errorf("models: add_cross_attention is not supported")
	}
	j.gptSizes(c)
	c.learnedPositions(true)
	c.Activation, c.names = parts.FirstOf(j.ActFunction, "gelu_new"), gpt2Names
	return nil
}

var falconNames = named(func(n *Names) {
	n.Embedding, n.Norm, n.Layers = "transformer.word_embeddings", "transformer.ln_f", "transformer.h.%d"
	n.QKV, n.ByHead, n.Out = "self_attention.query_key_value", true, "self_attention.dense"
	n.Up, n.Down = "mlp.dense_h_to_4h", "mlp.dense_4h_to_h"
})

var falconTwoNorms = named(func(n *Names) {
	*n = *falconNames
	n.AttentionNorm, n.FFNNorm = "ln_attn", "ln_mlp"
})

// falconFamily is Falcon: all heads share one head of keys, or in its newer architecture groups of heads do.
func falconFamily(j *JSON, c *LlamaConfig) error {
	parallel, norms := is(j.ParallelAttention, true), j.ParallelNorms
	if norms == 0 {
		if norms = 1; j.NewArchitecture {
			norms = 2
		}
	}
	switch {
	case j.NewArchitecture && !parallel:
		return fmt.Errorf("models: new_decoder_architecture without parallel_attn is not supported")
	case !j.NewArchitecture && norms != 1, norms > 2:
		return fmt.Errorf("models: num_ln_in_parallel_attn of %d is not supported", norms)
	}
	c.KVHeads = c.Heads
	if j.NewArchitecture {
		c.KVHeads = parts.FirstOf(j.FalconGroups, c.Heads)
	} else if is(j.MultiQuery, true) {
		c.KVHeads = 1
	}
	c.HeadDim, c.Hidden = 0, parts.FirstOf(j.FalconHidden, 4*c.Dim)
	c.Context = parts.FirstOf(c.Context, 2048)
	c.LayerNorm, c.NormBias, c.Ungated, c.Tied = true, true, true, true
	c.Parallel, c.SharedNorm = parallel, parallel && norms == 1
	c.QKVBias = is(j.PlainBias, false)
	c.OutBias, c.FeedForwardBias = c.QKVBias, c.QKVBias
	if c.Activation, c.names = parts.FirstOf(j.FalconAct, "gelu"), falconNames; norms == 2 {
		c.names = falconTwoNorms
	}
	if j.ALiBi {
		c.SetALiBi(MostSlope, 1/math.Sqrt(float64(c.Dim)/float64(max(c.Heads, 1))))
	}
	return nil
}
