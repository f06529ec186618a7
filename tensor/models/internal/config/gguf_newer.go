package config

import (
	"encoding/json"
	"fmt"
	"slices"
)

func ggufGPT2(_ *ggufConfig, j *JSON) {
	j.Embed, j.NLayers, j.NHeads, j.Inner, j.Positions = j.Dim, j.Layers, j.Heads, j.Hidden, j.Context
}

// ggufFalcon is Falcon 7B, too, whose heads share one group of keys. Models with ALiBi have norms of another name.
func ggufFalcon(m *ggufConfig, j *JSON) {
	if m.text("tensor_data_layout") != "jploski" {
		m.wrong("tensor_data_layout", "is not jploski: the order of queries, keys and values is not known")
	}
	j.NewArchitecture, j.FalconGroups, j.FalconHidden, j.ParallelNorms = true, j.KVHeads, j.Hidden, 1
	if m.inLayers("attn_norm_2.weight") {
		j.ParallelNorms = 2
	}
}

func falconNorms(m *ggufConfig, n *Names) {
	if m.inLayers("attn_norm_2.weight") {
		n.AttentionNorm, n.FFNNorm = "attn_norm_2", "attn_norm"
	}
}

// ggufMamba is Mamba 1 and 2.
func ggufMamba(m *ggufConfig, j *JSON) {
	inner, rank := int(m.need("ssm.inner_size")), int(m.need("ssm.time_step_rank"))
	bias, convBias := m.inLayers("ssm_in.bias"), m.inLayers("ssm_conv1d.bias")
	j.Hidden, j.Bias, j.ConvBias = inner, &bias, &convBias
	if j.Dim > 0 {
		j.Expand = float64(inner) / float64(j.Dim)
	}
	j.StateSize, j.ConvKernel = int(m.need("ssm.state_size")), int(m.need("ssm.conv_kernel"))
	if norms, _ := m.value("ssm.dt_b_c_rms").(bool); norms {
		j.ModelType = "falcon_mamba" // files do not say the eps of these norms: it is that of the released model
	}
	if j.ModelType != "mamba2" {
		j.StepRank, _ = json.Marshal(rank)
		return
	}
	j.SpaceHeads, j.SpaceGroups = rank, int(m.need("ssm.group_count"))
	j.HeadDim = inner / max(1, rank)
}

// ggufLlama4 is Llama 4. Files do not say how long chunks are, nor whether queries and keys are normalised: these are
// as in the released models, of which the one with 128 experts has no norms.
func ggufLlama4(m *ggufConfig, j *JSON) {
	const scale, experts = 8192.0, 128
	normed := j.Experts != experts
	j.QKNorm, j.LocalExperts = &normed, j.Experts
	j.DenseHidden, j.Hidden = j.Hidden, m.int("expert_feed_forward_length")
	j.MixtureLayersEvery = int(m.need("interleave_moe_layer_step"))
	m.allow("attention.sliding_window", scale)
	m.allow("expert_gating_func", routeSigmoid, 0.0)
	m.allow("expert_weights_norm", false)
	m.allow("expert_weights_scale", 1.0, 0.0)
}

// normAfter is the name of the norm before the feed-forward part in files that call it as Hugging Face's do.
func normAfter(_ *ggufConfig, n *Names) { n.FFNNorm = "post_attention_norm" }

// ggufCorrected is experts as DeepSeek V3 has them.
func ggufCorrected(m *ggufConfig, j *JSON) {
	j.RoutedExperts, j.SharedExperts = j.Experts, m.int("expert_shared_count")
	j.ExpertHidden, j.RouterScale = m.int("expert_feed_forward_length"), m.number("expert_weights_scale")
	j.RouterGroups, j.TopGroups = m.int("expert_group_count"), m.int("expert_group_used_count")
	j.Normalize, _ = m.value("expert_weights_norm").(bool)
	m.allow("expert_gating_func", routeSigmoid, 0.0)
	m.allow("leading_dense_block_count", float64(len(j.DenseLayers)))
}

// ggufGLMMixture is GLM 4.5, whose last layers may guess further tokens, and are not read.
func ggufGLMMixture(m *ggufConfig, j *JSON) {
	next := m.int("nextn_predict_layers")
	if next < 0 || next >= j.Layers {
		m.wrong("nextn_predict_layers", "is %d, of %d layers", next, j.Layers)
		return
	}
	j.Layers -= next
	j.DenseLayers = slices.DeleteFunc(j.DenseLayers, func(layer int) bool { return layer >= j.Layers })
	normed := m.inLayers("attn_q_norm.weight")
	j.QKNorm = &normed
	ggufCorrected(m, j)
}

func glmNames(m *ggufConfig, n *Names) {
	normAfter(m, n)
	layers := m.int("block_count")
	for i := range min(m.int("nextn_predict_layers"), layers) {
		n.IgnoredUnder = append(n.IgnoredUnder, fmt.Sprintf("blk.%d.", layers-1-i))
	}
}

// ggufMiniMax is MiniMax M2.
func ggufMiniMax(m *ggufConfig, j *JSON) {
	j.Hidden, j.RotaryDim = m.int("expert_feed_forward_length"), j.ropeDim
	m.allow("expert_gating_func", routeSigmoid, 0.0)
}
