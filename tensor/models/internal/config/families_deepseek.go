package config

import (
	"fmt"
	"math"
	"slices"
)

var deepSeekNames = named(func(n *Names) { n.Shared = "mlp.shared_experts" })

// deepSeek is what DeepSeek V2 and V3 share: latent attention, and experts after some ordinary layers.
func deepSeek(j *JSON, c *LlamaConfig) error {
	c.Latent = &Latent{Rank: j.Rank, QueryRank: j.QueryRank, Plain: j.PlainDim, Rope: j.RopeDim, Value: j.ValueDim}
	c.Interleaved, c.OutBias, c.names = true, is(j.AttentionBias, false), deepSeekNames
	c.AttentionScale = 1 / math.Sqrt(float64(j.PlainDim+j.RopeDim))
	r := j.Scaling
	if j.Rope != nil {
		r = &j.Rope.jsonRope
	}
	if r != nil && r.kind() != "default" && r.MScaleAll != 0 && r.Factor > 1 {
		gain := yarnGain(r.MScaleAll, r.Factor)
		c.AttentionScale *= gain * gain
	}
	if c.FeedForwardBias = j.MLPBias; j.MLPBias {
		return fmt.Errorf("models: mlp_bias is not supported for model_type %q", j.ModelType)
	}
	return j.routed(c)
}

// routed are experts after some ordinary layers, and one that all tokens go to.
func (j *JSON) routed(c *LlamaConfig) error {
	if j.MixtureEvery > 1 {
		return fmt.Errorf("models: moe_layer_freq of %d is not supported", j.MixtureEvery)
	}
	if j.RoutedExperts == 0 {
		return nil
	}
	for layer := range min(j.FirstDense, j.Layers) {
		j.DenseLayers = append(j.DenseLayers, layer)
	}
	j.Experts, j.SharedHidden = j.RoutedExperts, j.SharedExperts*j.ExpertHidden
	c.Mixture = j.mixture(j.ExpertHidden)
	c.Mixture.Ungated, c.Mixture.Scale = true, notOne(j.RouterScale)
	return nil
}

// wants returns an error when a setting is there and is not the one that is computed.
func wants(name, is string, wanted ...string) error {
	if is == "" || slices.Contains(wanted, is) {
		return nil
	}
	return fmt.Errorf("models: %s of %q is not supported: want one of %q", name, is, wanted)
}

// deepSeek2Family chooses experts of the groups with the best ones.
func deepSeek2Family(j *JSON, c *LlamaConfig) error {
	if err := wants("scoring_func", j.Scoring, "softmax"); err != nil {
		return err
	}
	if err := wants("topk_method", j.TopMethod, "greedy", "group_limited_greedy"); err != nil {
		return err
	}
	if j.Normalize {
		return fmt.Errorf("models: norm_topk_prob is not supported for model_type %q", j.ModelType)
	}
	err := deepSeek(j, c)
	if c.Mixture != nil && j.TopMethod == "group_limited_greedy" {
		c.Mixture.Groups, c.Mixture.TopGroups = j.RouterGroups, j.TopGroups
	}
	return err
}

// deepSeek3Family corrects the scores by which experts are chosen, so that all have work.
func deepSeek3Family(j *JSON, c *LlamaConfig) error {
	if err := deepSeek(j, c); err != nil {
		return err
	}
	c.Interleaved = is(j.RopePairs, true)
	return j.correct(c)
}

// correctedMixture is the experts of DeepSeek V3 after ordinary attention.
func (j *JSON) correctedMixture(c *LlamaConfig) error {
	if err := j.routed(c); err != nil {
		return err
	}
	return j.correct(c)
}

// correct has numbers added to the scores by which experts are chosen.
func (j *JSON) correct(c *LlamaConfig) error {
	if err := wants("scoring_func", j.Scoring, "sigmoid"); err != nil {
		return err
	}
	if err := wants("topk_method", j.TopMethod, "noaux_tc"); err != nil {
		return err
	}
	c.names = named(func(n *Names) {
		*n = *deepSeekNames
		for i := range min(max(j.NextLayers, 0), 16) { // which guess further tokens
			n.IgnoredUnder = append(n.IgnoredUnder, fmt.Sprintf("model.layers.%d.", j.Layers+i))
		}
	})
	if x := c.Mixture; x != nil {
		x.Sigmoid, x.Correction, x.Groups, x.TopGroups = true, true, j.RouterGroups, j.TopGroups
	}
	return nil
}
