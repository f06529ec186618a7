package config

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// seedFamily is Seed-OSS: Llama with biases of queries, keys and values.
func seedFamily(j *JSON, c *LlamaConfig) error {
	c.QKVBias, c.OutBias, c.FeedForwardBias = is(j.AttentionBias, true), j.AttentionOutBias, j.MLPBias
	return nil
}

// ernieFamily is ERNIE 4.5 without experts: Llama whose rotary embedding pairs neighbours.
func ernieFamily(j *JSON, c *LlamaConfig) error {
	c.Interleaved, c.Tied, c.QKVBias = true, true, is(j.Bias, false)
	c.OutBias, c.FeedForwardBias = c.QKVBias, c.QKVBias
	return nil
}

// exaoneFamily is EXAONE 4, with the norms of OLMo 2. Where some layers have a window, the others have no rotary
// embedding.
func exaoneFamily(j *JSON, c *LlamaConfig) error {
	if err := j.windows(c); err != nil {
		return err
	}
	if j.Window > 0 && c.Window == 0 {
		return fmt.Errorf("models: sliding_window is %d, and no layer has it, which is not supported", j.Window)
	}
	for _, windowed := range c.Windowed {
		c.NoRope = append(c.NoRope, !windowed)
	}
	c.PostNorm, c.NoPreNorm, c.QKNorm, c.names = true, true, true, olmo2Names
	return nil
}

// olmo3Family is OLMo 3: OLMo 2 with windows, in whose layers the rotary embedding is not scaled.
func olmo3Family(j *JSON, c *LlamaConfig) error {
	if j.Kinds == nil && j.Pattern == 0 {
		j.Pattern = 4
	}
	if j.LocalBase == 0 {
		j.LocalBase = or(j.RopeTheta, 10000)
	}
	return olmo2Family(j, c)
}

// arceeFamily is AFM: Llama with two products, without a gate.
func arceeFamily(j *JSON, c *LlamaConfig) error {
	c.Ungated = true
	if j.Act == "" {
		c.Activation = "relu2"
	}
	return llamaFamily(j, c)
}

// nemotronFamily is Nemotron 3 and 4, and Minitron: norms with a mean, whose weights are less by 1.
func nemotronFamily(j *JSON, c *LlamaConfig) error {
	c.LayerNorm, c.NormBias, c.NormOffset = true, true, 1
	c.Eps = parts.FirstOf(c.Eps, j.PlainEps)
	j.halfRotated()
	return arceeFamily(j, c)
}

// halfRotated has the rotary embedding rotate half of a head, where the file does not say how much.
func (j *JSON) halfRotated() {
	if j.Partial == 0 && (j.Rope == nil || j.Rope.Partial == 0) {
		j.Partial = 0.5
	}
}

// glmFamily is GLM 4 of 2024.
func glmFamily(j *JSON, c *LlamaConfig) error {
	c.Interleaved, c.QKVBias, c.names = true, is(j.AttentionBias, true), glm4Names
	j.halfRotated()
	return nil
}

// glmMixtureFamily is GLM 4.5 and 4.6, with the experts of DeepSeek V3.
func glmMixtureFamily(j *JSON, c *LlamaConfig) error {
	c.QKVBias, c.QKNorm = is(j.AttentionBias, false), is(j.QKNorm, false)
	j.halfRotated()
	return j.correctedMixture(c)
}

// dotsFamily is dots.llm1: Qwen 3 with the experts of DeepSeek V3.
func dotsFamily(j *JSON, c *LlamaConfig) error {
	if err := qwen3Family(j, c); err != nil {
		return err
	}
	return j.correctedMixture(c)
}

var miniMaxNames = named(func(n *Names) {
	*n = *mixtralNames
	n.Correction = "block_sparse_moe.e_score_correction_bias"
})

// miniMaxFamily is MiniMax M2: queries and keys are normalised across all heads, and each expert has a probability of
// its own.
func miniMaxFamily(j *JSON, c *LlamaConfig) error {
	if j.Rope == nil || j.Rope.Partial == 0 {
		j.ropeDim = j.RotaryDim
	}
	if err := mixtralFamily(j, c); err != nil {
		return err
	}
	c.QKNorm, c.QKNormAll, c.names = true, true, miniMaxNames
	c.Mixture.Sigmoid, c.Mixture.Correction = true, true
	return nil
}

var hunyuanNames = named(func(n *Names) {
	n.QNorm, n.KNorm = "self_attn.query_layernorm", "self_attn.key_layernorm"
})

// hunyuanFamily is Hunyuan without experts, whose "dynamic" rotary embedding has another base.
func hunyuanFamily(j *JSON, c *LlamaConfig) error {
	c.QKNorm, c.QKNormLast, c.names = true, true, hunyuanNames
	r := j.Scaling
	if j.Rope != nil {
		r = &j.Rope.jsonRope
	}
	size := float64(parts.FirstOf(j.HeadDim, j.Dim/max(1, j.Heads)))
	if r != nil && r.kind() == "dynamic" && r.Alpha > 0 && size > 2 {
		r.Theta = or(r.Theta, or(j.RopeTheta, 10000)) * math.Pow(r.Alpha, size/(size-2))
		j.RopeTheta = r.Theta
	}
	return llamaFamily(j, c)
}

// falconMambaFamily is Falcon Mamba: Mamba 1 that normalises what a layer selects.
func falconMambaFamily(j *JSON, c *LlamaConfig) error {
	if err := mambaFamily(j, c); err != nil {
		return err
	}
	c.StateSpace.SelectEps = or(j.MixerEps, 1e-6)
	return nil
}

// windowPattern is every how many layers one sees everything: a number, or letters of which the last one is G.
type windowPattern int

func (p *windowPattern) UnmarshalJSON(data []byte) error {
	var letters string
	if json.Unmarshal(data, &letters) != nil {
		return json.Unmarshal(data, (*int)(p))
	}
	*p = windowPattern(len(letters))
	if letters != strings.Repeat("L", max(0, len(letters)-1))+"G" {
		return fmt.Errorf("sliding_window_pattern of %q is not supported", letters)
	}
	return nil
}

var gptOSSNames = named(func(n *Names) { n.Router, n.Experts, n.Stacked = "mlp.router", "mlp.experts", InPairs })

// gptOSSFamily is gpt-oss: sinks in attention, every other layer with a window, and experts with biases whose gates are
// clamped, in MXFP4.
func gptOSSFamily(j *JSON, c *LlamaConfig) error {
	if j.Pattern == 0 {
		j.Pattern = 2
	}
	c.Sinks, c.QKVBias, c.names, c.RopeBase = true, is(j.AttentionBias, true), gptOSSNames, 150000
	c.OutBias = c.QKVBias
	c.Mixture = j.mixture(j.Hidden)
	c.Mixture.Normalize, c.Mixture.Bias = true, true
	c.Mixture.Alpha, c.Mixture.Limit = or(j.Alpha, 1.702), or(j.Limit, 7)
	return nil
}
