package models

import "encoding/json"

func ggufGPT2(_ *ggufConfig, j *jsonConfig) {
	j.Embed, j.NLayers, j.NHeads, j.Inner, j.Positions = j.Dim, j.Layers, j.Heads, j.Hidden, j.Context
}

// ggufFalcon is Falcon 7B, too, whose heads share one group of keys. Models with ALiBi have norms of another name.
func ggufFalcon(m *ggufConfig, j *jsonConfig) {
	if m.text("tensor_data_layout") != "jploski" {
		m.wrong("tensor_data_layout", "is not jploski: the order of queries, keys and values is not known")
	}
	j.NewArchitecture, j.FalconGroups, j.FalconHidden, j.ParallelNorms = true, j.KVHeads, j.Hidden, 1
	if m.inLayers("attn_norm_2.weight") {
		j.ParallelNorms = 2
	}
}

func falconNorms(m *ggufConfig, n *llamaNames) {
	if m.inLayers("attn_norm_2.weight") {
		n.attentionNorm, n.ffnNorm = "attn_norm_2", "attn_norm"
	}
}

// ggufMamba is Mamba 1 and 2.
func ggufMamba(m *ggufConfig, j *jsonConfig) {
	inner, rank := int(m.need("ssm.inner_size")), int(m.need("ssm.time_step_rank"))
	bias, convBias := m.inLayers("ssm_in.bias"), m.inLayers("ssm_conv1d.bias")
	j.Hidden, j.Bias, j.ConvBias = inner, &bias, &convBias
	if j.Dim > 0 {
		j.Expand = float64(inner) / float64(j.Dim)
	}
	j.StateSize, j.ConvKernel = int(m.need("ssm.state_size")), int(m.need("ssm.conv_kernel"))
	if j.ModelType == "mamba" {
		j.StepRank, _ = json.Marshal(rank)
		return
	}
	j.SpaceHeads, j.SpaceGroups = rank, int(m.need("ssm.group_count"))
	j.HeadDim = inner / max(1, rank)
}

// ggufLlama4 is Llama 4. Files do not say how long chunks are, nor whether queries and keys are normalised: these are
// as in the released models, of which the one with 128 experts has no norms.
func ggufLlama4(m *ggufConfig, j *jsonConfig) {
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
