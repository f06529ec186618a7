package config

import (
	"encoding/json"
	"fmt"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/internal/statespace"
)

// StateSpace are the sizes of layers that keep a state of the text, as Mamba's, in the place of keys and values. Those
// of LlamaConfig are Dim, Layers and Vocab then; Context is a limit alone.
type StateSpace = statespace.Config

// spacePositions is how many tokens models of state spaces read, whose files say no limit.
const spacePositions = 1 << 20

// fillSpace sets the sizes that layers with a state do not have.
func (c *LlamaConfig) fillSpace() error {
	if err := c.StateSpace.Check(); err != nil {
		return err
	}
	if c.Latent != nil || c.Mixture != nil || c.Window != 0 || c.Chunk != 0 || c.Positions || c.Sinks || c.QKNorm ||
		c.PostNorm || c.Parallel || c.StateSpace.Dim != c.Dim {
		return fmt.Errorf("models: layers with a state have neither attention nor feed-forward parts: %+v", c.Variant)
	}
	c.Hidden, c.Heads, c.KVHeads, c.HeadDim = c.StateSpace.Inner, 1, 1, 2
	if c.Context == 0 {
		c.Context = spacePositions
	}
	return nil
}

var mambaNames = named(func(n *Names) {
	n.Embedding, n.Norm = "backbone.embeddings", "backbone.norm_f"
	n.Layers, n.AttentionNorm, n.Mixer = "backbone.layers.%d", "norm", "mixer"
})

// stateSpace is what both Mambas say in config.json.
func (j *JSON) stateSpace(c *LlamaConfig, states int) (*StateSpace, error) {
	inner := int(or(j.Expand, 2) * float64(j.Dim))
	if j.Hidden != 0 && j.Hidden != inner {
		return nil, fmt.Errorf("models: intermediate_size is %d, and expand·hidden_size %d", j.Hidden, inner)
	}
	if err := wants("hidden_act", j.Act, "silu", "swish"); err != nil {
		return nil, err
	}
	c.Activation, c.names = "", mambaNames
	return &StateSpace{Dim: j.Dim, Inner: inner, State: parts.FirstOf(j.StateSize, states),
		Kernel: parts.FirstOf(j.ConvKernel, 4), Bias: is(j.Bias, false), ConvBias: is(j.ConvBias, true)}, nil
}

// mambaFamily is Mamba 1.
func mambaFamily(j *JSON, c *LlamaConfig) (err error) {
	if c.StateSpace, err = j.stateSpace(c, 16); err != nil {
		return err
	}
	c.Tied = true
	return j.stepRank(c.StateSpace)
}

// stepRank sets the rank of the step of time in Mamba 1.
func (j *JSON) stepRank(s *StateSpace) error {
	s.Rank = (j.Dim + 15) / 16
	if rank := string(j.StepRank); rank != "" && rank != `"auto"` {
		if err := json.Unmarshal(j.StepRank, &s.Rank); err != nil || s.Rank < 1 {
			return fmt.Errorf("models: time_step_rank is %s", rank)
		}
	}
	return nil
}

// mamba2Family is Mamba 2.
func mamba2Family(j *JSON, c *LlamaConfig) (err error) {
	if c.StateSpace, err = j.stateSpace(c, 128); err != nil {
		return err
	}
	s := c.StateSpace
	s.Heads, s.Groups, s.Eps = parts.FirstOf(j.SpaceHeads, 128), parts.FirstOf(j.SpaceGroups, 8), or(c.Eps, 1e-5)
	if size := parts.FirstOf(j.HeadDim, 64); s.Heads*size != s.Inner {
		return fmt.Errorf("models: num_heads·head_dim is %d, and expand·hidden_size %d", s.Heads*size, s.Inner)
	}
	return j.stepLimit(s)
}

// jsonLimit is a number of which infinity, which JSON has not, is 0.
type jsonLimit float64

func (l *jsonLimit) UnmarshalJSON(data []byte) error {
	var named struct {
		Float string `json:"__float__"`
	}
	if json.Unmarshal(data, &named) == nil && named.Float == "Infinity" {
		return nil
	}
	return json.Unmarshal(data, (*float64)(l))
}
