package config

import (
	"fmt"
	"math"
)

// ggufGPTOSS is gpt-oss. Files do not say what gates are clamped to, nor that YaRN takes pairs between whole ones:
// these are as in the released models.
func ggufGPTOSS(m *ggufConfig, j *JSON) {
	j.Hidden = m.int("expert_feed_forward_length")
	m.allow("expert_gating_func", routeChosen, routeSoftmax, 0.0)
	m.allow("expert_weights_scale", 1.0, 0.0)
	m.allow("expert_weights_norm", true)
	m.need("attention.sliding_window")
	m.windows(j, 2)
	if j.Scaling != nil {
		whole := false
		j.Scaling.Truncate = &whole
	}
}

// ggufDeepSeek is DeepSeek V2, or V3 where probabilities are sigmoids.
func ggufDeepSeek(m *ggufConfig, j *JSON) {
	j.Rank, j.QueryRank = int(m.need("attention.kv_lora_rank")), m.int("attention.q_lora_rank")
	j.RopeDim = int(m.need("rope.dimension_count"))
	if keys := m.int("attention.key_length_mla"); keys != 0 {
		j.PlainDim, j.ValueDim = keys-j.RopeDim, m.int("attention.value_length_mla")
		m.allow("attention.key_length", float64(j.Rank+j.RopeDim))
		m.allow("attention.value_length", float64(j.Rank))
	} else { // of older files
		j.PlainDim, j.ValueDim = j.HeadDim-j.RopeDim, m.int("attention.value_length")
	}
	m.number("attention.head_count_kv") // 1, or in older files that of queries: caches have one row
	if log := m.number("rope.scaling.yarn_log_multiplier"); log != 0 && j.Scaling != nil {
		j.Scaling.MScale = math.Round(log/0.1*1e5) / 1e5 // which the file has in F32
		j.Scaling.MScaleAll = j.Scaling.MScale
	}
	j.RoutedExperts, j.SharedExperts = j.Experts, m.int("expert_shared_count")
	j.ExpertHidden = m.int("expert_feed_forward_length")
	j.RouterScale = m.number("expert_weights_scale")
	m.allow("leading_dense_block_count", float64(len(j.DenseLayers)))
	m.deepSeekRouter(j)
}

func (m *ggufConfig) deepSeekRouter(j *JSON) {
	j.RouterGroups, j.TopGroups = m.int("expert_group_count"), m.int("expert_group_used_count")
	if j.RouterGroups == 0 { // of older files, as in the released models
		switch {
		case j.Layers == 60 && j.Experts == 160: // V2, V2.5
			j.RouterGroups, j.TopGroups = 8, 3
		case j.Layers == 61 && j.Experts == 256: // V3, R1
			j.RouterGroups, j.TopGroups = 8, 4
		}
	}
	corrected := m.inLayers("exp_probs_b.bias")
	m.allow("expert_gating_func", routeSoftmax, routeSigmoid, 0.0)
	function := m.number("expert_gating_func")
	if function == routeSigmoid || function == 0 && corrected { // files of GLM 4.7 Flash do not say
		if j.ModelType = "deepseek_v3"; !corrected {
			m.wrong("expert_gating_func", "is sigmoid, without exp_probs_b.bias in the layers, which is not supported")
		}
		j.Normalize, _ = m.value("expert_weights_norm").(bool)
		return
	}
	if corrected {
		m.wrong("expert_gating_func", "is softmax, with exp_probs_b.bias in the layers, which is not supported")
	}
	m.allow("expert_weights_norm", false)
	if j.RouterGroups > 1 {
		j.TopMethod = "group_limited_greedy"
	}
}

// mixture sets the experts. Layers without a router have none.
func (m *ggufConfig) mixture(j *JSON, family *ggufFamily) {
	n := m.int("expert_count")
	used := m.int("expert_used_count")
	if n == 0 {
		return
	}
	if family.mixture == "" {
		m.wrong("expert_count", "is %d: experts are not supported in this architecture", n)
	}
	j.ModelType, j.Experts, j.PerToken = family.mixture, n, used
	for i := range min(j.Layers, 1<<16) {
		if !m.has(fmt.Sprintf("blk.%d.ffn_gate_inp.weight", i)) {
			j.DenseLayers = append(j.DenseLayers, i)
		}
	}
	if family.router {
		return
	}
	m.allow("expert_gating_func", routeSoftmax, 0.0)
	m.allow("expert_weights_scale", 1.0, 0.0)
	m.allow("expert_group_count", 1.0, 0.0)
	m.allow("expert_group_used_count", 1.0, 0.0)
}

// What files call the functions of routers. The last is softmax of the experts that are chosen, which is that of all
// divided by their sum.
const routeSoftmax, routeSigmoid, routeChosen = 1.0, 2.0, 3.0
