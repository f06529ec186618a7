package config

import (
	"fmt"
	"math"
)

// jsonRope is rope_scaling, or rope_parameters, of config.json.
type jsonRope struct {
	Type      string    `json:"rope_type"`
	OldType   string    `json:"type"`
	Theta     float64   `json:"rope_theta"`
	Alpha     float64   `json:"alpha"` // of Hunyuan
	Partial   float64   `json:"partial_rotary_factor"`
	Factor    float64   `json:"factor"`
	Low       float64   `json:"low_freq_factor"`
	High      float64   `json:"high_freq_factor"`
	Context   int       `json:"original_max_position_embeddings"`
	Gain      float64   `json:"attention_factor"`
	Fast      float64   `json:"beta_fast"`
	Slow      float64   `json:"beta_slow"`
	Truncate  *bool     `json:"truncate"`
	MScale    float64   `json:"mscale"`
	MScaleAll float64   `json:"mscale_all_dim"`
	Short     []float64 `json:"short_factor"`
	Sections  []int     `json:"mrope_section"`        // of Qwen2-VL
	TemperBy  float64   `json:"llama_4_scaling_beta"` // of Ministral 3
}

// rotary sets the rotary embedding: its base, how much of a head it rotates, and how it is scaled to a longer context.
func (j *JSON) rotary(c *LlamaConfig) error {
	r := jsonRope{}
	if j.Scaling != nil {
		r = *j.Scaling
	}
	part := or(j.Partial, j.RopePart)
	base := or(j.RopeTheta, j.RopeBase)
	if j.Rope != nil {
		r = j.Rope.jsonRope
		base, part = or(r.Theta, base), or(r.Partial, part)
		if j.Rope.local != nil {
			c.LocalRopeBase = j.Rope.local.Theta
			if kind := j.Rope.local.kind(); kind != "default" {
				return fmt.Errorf("models: rope_parameters of type %q are not supported for layers with a window", kind)
			}
		}
	}
	c.RopeBase = or(base, c.RopeBase)
	n := int(float64(c.HeadDim) * or(part, 1))
	if j.ropeDim != 0 {
		n = j.ropeDim
	}
	if n != c.HeadDim {
		c.RopeDim = n
	}
	if err := c.Check(); err != nil {
		return err
	}
	if c.Window == 0 {
		c.LocalRopeBase = 0 // no layer has another one
	}
	c.RopeSections = r.Sections
	return r.scale(c, j)
}

func (r *jsonRope) kind() string {
	for _, kind := range []string{r.Type, r.OldType} {
		if kind == "mrope" { // of Qwen2-VL, which has Sections
			return "default"
		}
		if kind != "" {
			return kind
		}
	}
	return "default"
}

// scale sets how a rotary embedding is scaled.
func (r *jsonRope) scale(c *LlamaConfig, j *JSON) error {
	kind := r.kind()
	if kind != "default" && kind != "dynamic" && kind != "longrope" && kind != "su" && !(r.Factor >= 1) {
		return fmt.Errorf("models: rope_scaling of type %q has factor %v", kind, r.Factor)
	}
	switch kind {
	case "default":
	case "llama3":
		c.RopeScaling = RopeScaling{r.Factor, r.Low, r.High, r.Context}
	case "linear":
		c.RopeFactors = make([]float64, c.ropeDim()/2)
		for i := range c.RopeFactors {
			c.RopeFactors[i] = r.Factor
		}
	case "dynamic": // scales beyond the positions that the model has
	case "yarn":
		return r.yarn(c)
	case "longrope", "su": // longer texts would change the rotation of keys that are in the cache
		if c.RopeFactors = r.Short; len(r.Short) != c.ropeDim()/2 {
			return fmt.Errorf("models: short_factor of rope_scaling has %d numbers for %d pairs", len(r.Short), c.ropeDim()/2)
		}
		original := int(or(float64(j.OldContext), float64(r.Context)))
		if original < 1 || original > c.Context {
			return fmt.Errorf("models: original_max_position_embeddings is %d for %d positions", original, c.Context)
		}
		if factor := float64(c.Context) / float64(original); factor > 1 {
			c.RopeGain = or(r.Gain, math.Sqrt(1+math.Log(factor)/math.Log(float64(original))))
		}
		c.Context = original
	default:
		return fmt.Errorf("models: rope_scaling of type %q is not supported: want linear, llama3, yarn, longrope or dynamic",
			kind)
	}
	return nil
}

// yarn divides low frequencies by the factor, leaves high ones, and goes from one to the other between (Peng et al.,
// "YaRN: Efficient Context Window Extension of Large Language Models", 2023).
func (r *jsonRope) yarn(c *LlamaConfig) error {
	if r.Context < 1 {
		return fmt.Errorf("models: rope_scaling of type yarn has no original_max_position_embeddings")
	}
	size := float64(c.ropeDim())
	pair := func(turns float64) float64 { // whose frequency makes so many turns in the original context
		return size * math.Log(float64(r.Context)/(turns*2*math.Pi)) / (2 * math.Log(c.RopeBase))
	}
	low, high := pair(or(r.Fast, 32)), pair(or(r.Slow, 1))
	if r.Truncate == nil || *r.Truncate {
		low, high = math.Floor(low), math.Ceil(high)
	}
	low, high = max(low, 0), min(high, size-1)
	if low == high {
		high += 0.001
	}
	c.RopeFactors = make([]float64, c.ropeDim()/2)
	for i := range c.RopeFactors {
		divided := min(max((float64(i)-low)/(high-low), 0), 1)
		c.RopeFactors[i] = 1 / (divided/r.Factor + 1 - divided)
	}
	switch {
	case r.Gain != 0:
		c.RopeGain = r.Gain
	case r.MScale != 0 && r.MScaleAll != 0:
		c.RopeGain = yarnGain(r.MScale, r.Factor) / yarnGain(r.MScaleAll, r.Factor)
	default:
		c.RopeGain = yarnGain(1, r.Factor)
	}
	return nil
}

// yarnGain is the factor by which attention is sharper in a context that is longer by a factor.
func yarnGain(by, factor float64) float64 { return 0.1*by*math.Log(factor) + 1 }
