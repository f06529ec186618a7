package config

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// rotary sets the rotary embedding, as llama.cpp reads it: its base, how much of a head it rotates, and how it is
// scaled to a longer context.
func (m *ggufConfig) rotary(j *JSON) (err error) {
	j.RopeTheta = or(m.number("rope.freq_base"), 10000)
	j.ropeDim = int(or(m.number("rope.dimension_count"), float64(j.HeadDim)))
	if m.freqs, err = m.factors("rope_freqs.weight"); err != nil {
		return err
	}
	short, err := m.factors("rope_factors_short.weight")
	if err != nil {
		return err
	}
	kind := m.text("rope.scaling.type")
	if kind == "" && short != nil {
		kind = "longrope"
	}
	factor := or(m.number("rope.scaling.factor"), or(m.number("rope.scale_linear"), 1))
	context := int(m.number("rope.scaling.original_context_length"))
	m.gain = m.number("rope.scaling.attn_factor")
	if !(factor >= 1) || math.IsInf(factor, 0) {
		m.wrong("rope.scaling.factor", "is %v, which is not possible", factor)
	}
	switch kind {
	case "none":
	case "", "linear":
		if factor != 1 {
			j.Scaling = &jsonRope{Type: "linear", Factor: factor}
		}
	case "yarn":
		j.Scaling = &jsonRope{Type: kind, Factor: factor, Context: int(or(float64(context), float64(j.Context))),
			Fast: m.number("rope.scaling.yarn_beta_fast"), Slow: m.number("rope.scaling.yarn_beta_slow"),
			Gain: m.number("rope.scaling.yarn_attn_factor")}
		m.allow("rope.scaling.yarn_ext_factor", 1.0, -1.0)
	case "longrope":
		if short == nil || factor != 1 {
			m.wrong("rope.scaling.type", "is longrope, with a factor of %v and %d short factors, which is not supported", factor,
				len(short))
		}
		j.Scaling, j.OldContext = &jsonRope{Type: kind, Short: short, Gain: or(m.gain, 1)}, context
		m.gain = 0
	default:
		m.wrong("rope.scaling.type", "%q is not supported: want linear, yarn or longrope", kind)
	}
	return nil
}

// factors are what frequencies are divided by, or nil.
func (m *ggufConfig) factors(name string) ([]float64, error) {
	if !m.has(name) {
		return nil, nil
	}
	q, err := m.file.Tensor(name)
	if err != nil {
		return nil, err
	}
	return q.Dequantize(tensor.CPU()).Float64s(), nil
}

// completeRotary applies what files of Hugging Face do not have.
func (m *ggufConfig) completeRotary(c *LlamaConfig) {
	if m.gain != 0 {
		c.RopeGain = or(c.RopeGain, 1) * m.gain
	}
	switch {
	case c.RopeFactors == nil:
		c.RopeFactors = m.freqs
	case m.freqs != nil && len(m.freqs) != len(c.RopeFactors):
		m.wrong("rope.dimension_count", "has %d pairs, and rope_freqs.weight %d numbers", len(c.RopeFactors),
			len(m.freqs))
	case m.freqs != nil:
		for i, x := range m.freqs {
			c.RopeFactors[i] *= x
		}
	}
}
