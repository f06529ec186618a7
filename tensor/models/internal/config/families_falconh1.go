package config

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// jsonFalconH1 is what config.json of Falcon H1 says beside what hybrids do.
type jsonFalconH1 struct {
	StateWidth  int       `json:"mamba_d_ssm"`
	StateNormed bool      `json:"mamba_rms_norm"`
	NormFirst   *bool     `json:"mamba_norm_before_gate"`
	StatesBias  bool      `json:"projectors_bias"`
	LogitFactor *float64  `json:"lm_head_multiplier"`
	KeyFactor   *float64  `json:"key_multiplier"`
	SeenIn      *float64  `json:"attention_in_multiplier"`
	SeenOut     *float64  `json:"attention_out_multiplier"`
	StateIn     *float64  `json:"ssm_in_multiplier"`
	StateOut    *float64  `json:"ssm_out_multiplier"`
	StateParts  []float64 `json:"ssm_multipliers"`
	FeedParts   []float64 `json:"mlp_multipliers"`
}

var falconH1Names = named(func(n *Names) {
	*n = *jambaNames
	n.Router, n.Experts = "", ""
})

// falconH1Family is Falcon H1: each layer has attention and Mamba 2 beside each other. Factors of what attention reads
// are those of its products, and of what it gives.
func falconH1Family(j *JSON, c *LlamaConfig) error {
	if err := llamaFamily(j, c); err != nil {
		return err
	}
	if err := j.mamba2(c); err != nil {
		return err
	}
	f := &j.jsonFalconH1
	ones := func(list []float64, n int) []float64 {
		if list == nil {
			list = slices.Repeat([]float64{1}, n)
		}
		return list
	}
	states, feed := ones(f.StateParts, 5), ones(f.FeedParts, 2)
	all := append(append([]float64{}, states...), feed...)
	one := func(p *float64) float64 {
		x := 1.0
		if p != nil {
			x = *p
		}
		all = append(all, x)
		return x
	}
	in, out, key := one(f.SeenIn), one(f.SeenOut), one(f.KeyFactor)
	stateIn, stateOut := one(f.StateIn), one(f.StateOut)
	c.EmbeddingScale, c.LogitScale = notOne(j.EmbeddingScale), notOne(one(f.LogitFactor))
	for _, x := range all {
		if x == 0 || len(states) != 5 || len(feed) != 2 {
			return fmt.Errorf("models: the multipliers are %v, of which ssm_multipliers are %v and mlp_multipliers %v: want "+
				"numbers other than 0, five and two", all, states, feed)
		}
	}
	if c.QKVBias || j.MambaBias || f.StatesBias || f.StateNormed && is(f.NormFirst, true) {
		return fmt.Errorf("models: attention_bias, mamba_proj_bias, projectors_bias, and mamba_rms_norm with " +
			"mamba_norm_before_gate are not supported in Falcon H1")
	}
	s := c.StateSpace
	s.Inner, s.Plain, s.OutFactor = parts.FirstOf(f.StateWidth, s.Inner), !f.StateNormed, notOne(stateOut)
	for _, x := range states {
		s.InFactors = append(s.InFactors, x*stateIn)
	}
	c.AttentionScale, c.AttentionGain = in*in*key/c.rootOfHead(), notOne(in*out)
	c.GateFactor, c.DownFactor = notOne(feed[0]), notOne(feed[1])
	c.names, c.Parts = falconH1Names, make([]LayerParts, min(max(c.Layers, 0), 1<<16))
	for i := range c.Parts {
		c.Parts[i] = WithAttention | WithState | WithFeedForward
	}
	return nil
}
