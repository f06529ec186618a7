package config

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

var llama4Names = named(func(n *Names) {
	n.Router, n.Experts, n.Stacked = "feed_forward.router", "feed_forward.experts", inHalves
	n.Shared = "feed_forward.shared_expert"
	n.Gate, n.Up, n.Down = "feed_forward.gate_proj", "feed_forward.up_proj", "feed_forward.down_proj"
})

// llama4Positions is how many positions models have at most: tables of angles have a row for each, and the models were
// trained with no more.
const llama4Positions = 1 << 18

// llama4Family is the language model of Llama 4: layers whose tokens see those of their chunk, layers without a rotary
// embedding that see everything, and experts that read rows times their probabilities.
func llama4Family(j *JSON, c *LlamaConfig) error {
	c.Interleaved, c.QKVBias, c.names = true, is(j.AttentionBias, false), llama4Names
	c.OutBias, c.Context = c.QKVBias, min(c.Context, llama4Positions)
	layers := min(max(c.Layers, 0), 1<<16)
	c.NoRope = make([]bool, layers)
	if len(j.NoRopeLayers) != 0 && len(j.NoRopeLayers) != layers {
		return fmt.Errorf("models: no_rope_layers lists %d layers of %d", len(j.NoRopeLayers), j.Layers)
	}
	every := parts.FirstOf(j.NoRopeEvery, 4)
	for i := range c.NoRope {
		if c.NoRope[i] = (i+1)%every == 0; len(j.NoRopeLayers) != 0 {
			c.NoRope[i] = j.NoRopeLayers[i] == 0
		}
	}
	if c.Chunk = 8192; j.Chunk != nil { // null is none
		chunk := 0
		if err := json.Unmarshal(j.Chunk, &chunk); err != nil || chunk < 0 {
			return fmt.Errorf("models: attention_chunk_size is %s", j.Chunk)
		}
		c.Chunk = chunk
	}
	for i, kind := range j.Kinds {
		want := "full_attention"
		if i < layers && c.Chunk > 0 && !c.NoRope[i] {
			want = "chunked_attention"
		}
		if kind != want {
			return fmt.Errorf("models: layer_types: layer %d has %q, want %q", i, kind, want)
		}
	}
	c.QKNorm = is(j.QKNorm, true)
	c.QKNormPlain = c.QKNorm
	if on := string(j.Tempered); on != "false" && on != "0" && on != "null" {
		c.TemperEvery, c.TemperBy = or(j.FloorScale, 8192), or(j.TemperBy, 0.1)
	}
	if c.Hidden = j.DenseHidden; j.LocalExperts == 0 {
		return fmt.Errorf("models: num_local_experts of 0 is not supported for model_type %q", j.ModelType)
	}
	j.MixtureStep = parts.FirstOf(j.MixtureLayersEvery, 1)
	if j.MixtureLayers != nil {
		j.MixtureStep = 1
		j.DenseLayers = missing(j.MixtureLayers, layers)
	}
	j.SharedHidden = j.Hidden
	c.Mixture = j.mixture(j.Hidden)
	c.Mixture.Sigmoid, c.Mixture.Before, c.Mixture.Ungated = true, true, true
	return nil
}

// missing are the numbers below n that a list lacks.
func missing(list []int, n int) (others []int) {
	for i := range n {
		if !slices.Contains(list, i) {
			others = append(others, i)
		}
	}
	return others
}
