package config

import (
	"encoding/json"
	"fmt"
)

func learnedNames(_ *ggufConfig, n *Names) { n.Positions = "position_embd" }

func ggufBloom(_ *ggufConfig, j *JSON) { j.SeqLength = j.Context }

func ggufMPT(m *ggufConfig, j *JSON) {
	j.ModelDim, j.LayersOf, j.HeadsOf, j.MaxSeqLen = j.Dim, j.Layers, j.Heads, j.Context
	clip := m.number("attention.clamp_kqv")
	j.Attention.Clip, j.Attention.Most = &clip, m.need("attention.max_alibi_bias")
	if j.KVHeads != 0 && j.KVHeads != j.Heads || j.Hidden != 4*j.Dim {
		m.wrong("attention.head_count_kv", "is %d for %d heads, or feed_forward_length is %d, which is not supported",
			j.KVHeads, j.Heads, j.Hidden)
	}
}

func ggufOlmo1(m *ggufConfig, j *JSON) {
	clip := m.number("attention.clamp_kqv")
	j.ClipQKV = &clip
	ggufWhole(m, j)
}

func ggufGraniteMixture(m *ggufConfig, j *JSON) {
	j.SharedWidth = m.int("expert_shared_feed_forward_length")
	ggufGranite(m, j)
}

// ggufMinistral is Ministral 3.
func ggufMinistral(m *ggufConfig, j *JSON) {
	ggufWhole(m, j)
	by := m.number("attention.temperature_scale")
	if j.Scaling != nil {
		j.Scaling.TemperBy = by
		if log := m.number("rope.scaling.yarn_log_multiplier"); log != 0 {
			j.Scaling.MScale, j.Scaling.MScaleAll = log, log
		}
	} else if by != 0 {
		m.wrong("attention.temperature_scale", "is there without rope.scaling.original_context_length")
	}
}

func ggufErnieMixture(m *ggufConfig, j *JSON) {
	j.ExpertHidden = m.int("expert_feed_forward_length")
	m.int("expert_shared_feed_forward_length") // of one of the shared ones
	j.SharedHidden = m.int("expert_shared_count") * j.ExpertHidden
	m.allow("expert_gating_func", routeSoftmax, 0.0)
	m.allow("interleave_moe_layer_step", 1.0)
	m.allow("leading_dense_block_count", float64(len(j.DenseLayers)))
	j.ErnieLast = -1
	if n := len(j.DenseLayers); n > 0 {
		j.ErnieFirst, j.DenseLayers = n, nil // which is the first ones, as has just been allowed
	}
}

func ggufHunyuanMixture(m *ggufConfig, j *JSON) {
	hidden := m.int("expert_feed_forward_length")
	if shared := m.number("expert_shared_feed_forward_length"); hidden != j.Hidden || shared != float64(hidden) {
		m.wrong("expert_feed_forward_length", "is %d, and expert_shared_feed_forward_length %v, of %d: others are not supported",
			hidden, shared, j.Hidden)
	}
	m.allow("expert_shared_count", 1.0)
	j.TopK, _ = json.Marshal(j.PerToken)
}

// layerKinds sets the kinds of layers by the weights that they have.
func (m *ggufConfig) layerKinds(j *JSON) {
	for i := range min(j.Layers, 1<<16) {
		has := func(name string) bool { return m.has(fmt.Sprintf("blk.%d.%s.weight", i, name)) }
		kind := "mlp"
		switch {
		case has("ssm_conv1d"), has("shortconv.conv"):
			kind = "mamba"
		case has("attn_q"), has("attn_qkv"):
			kind = "attention"
		case has("ffn_gate_inp"):
			kind = "moe"
		}
		j.LayerKinds = append(j.LayerKinds, kind)
	}
}

// mamba is what files say of layers of Mamba.
func (m *ggufConfig) mamba(j *JSON) {
	m.layerKinds(j)
	inner, bias := int(m.need("ssm.inner_size")), m.inLayers("ssm_conv1d.bias")
	if j.Dim > 0 {
		j.MambaExpand = float64(inner) / float64(j.Dim)
	}
	j.MambaState, j.MambaKernel = int(m.need("ssm.state_size")), int(m.need("ssm.conv_kernel"))
	j.MambaConvBias, j.MambaBias = &bias, m.inLayers("ssm_in.bias")
	j.MambaHeads, j.MambaGroups = int(m.need("ssm.time_step_rank")), m.int("ssm.group_count")
}

func ggufJamba(m *ggufConfig, j *JSON) {
	m.mamba(j)
	j.MambaRank, _ = json.Marshal(j.MambaHeads)
}

// ggufGraniteHybrid is Granite 4. Bamba has the same architecture, and half a rotary embedding, which files do not say.
func ggufGraniteHybrid(m *ggufConfig, j *JSON) {
	if m.value("attention.scale") == nil {
		m.wrong("attention.scale", "is missing, as in files of Bamba, which are not supported")
		return
	}
	m.mamba(j)
	if rope, _ := m.value("rope.scaling.finetuned").(bool); rope {
		j.PositionKind = "rope"
	}
	j.AttentionScale, j.LogitDivisor = m.need("attention.scale"), m.need("logit_scale")
	j.EmbeddingScale, j.ResidualScale = m.number("embedding_scale"), m.number("residual_scale")
	j.LocalExperts = j.Experts
	if j.SharedWidth = m.int("expert_shared_feed_forward_length"); j.SharedWidth == 0 {
		j.SharedWidth = j.Hidden
	}
	m.int("expert_used_count") // which files without experts have, too
}

func ggufNemotronH(m *ggufConfig, j *JSON) {
	m.mamba(j)
	bias := *j.MambaConvBias
	inner := int(m.need("ssm.inner_size"))
	j.NemotronHeads, j.NemotronHeadDim = j.MambaHeads, inner/max(1, j.MambaHeads)
	j.NemotronState, j.ConvKernel, j.ConvBias, j.SpaceGroups = j.MambaState, j.MambaKernel, &bias, j.MambaGroups
	j.RoutedExperts, j.ExpertHidden = j.Experts, m.int("expert_feed_forward_length")
	j.NemotronShared, j.RouterScale = m.int("expert_shared_feed_forward_length"), m.number("expert_weights_scale")
	j.RouterGroups = m.int("expert_group_count")
	if j.TopGroups = m.int("expert_group_used_count"); j.RouterGroups > 1 && j.TopGroups == 0 {
		m.wrong("expert_group_used_count", "is missing")
	}
	j.Normalize, _ = m.value("expert_weights_norm").(bool)
	if shared := m.int("expert_shared_count"); shared > 1 {
		m.wrong("expert_shared_count", "is %d, which is not supported", shared)
	}
	m.allow("expert_gating_func", routeSigmoid, 0.0)
}

// ggufLFM2 is LFM2, with experts after some ordinary layers or without.
func ggufLFM2(m *ggufConfig, j *JSON) {
	m.layerKinds(j)
	whole, bias := false, m.inLayers("exp_probs_b.bias")
	j.ShortKernel, j.ShortBias, j.AdjustFF = int(m.need("shortconv.l_cache")), m.inLayers("shortconv.conv.bias"), &whole
	j.ExpertBias, j.Normalize = &bias, true // as in the released models: files do not say
	j.ExpertHidden, j.RouterScale = m.int("expert_feed_forward_length"), m.number("expert_weights_scale")
	m.allow("leading_dense_block_count", float64(len(j.DenseLayers)))
	m.allow("expert_gating_func", routeSigmoid, 0.0)
}

// shortNames has the last norm, which files call that of the embedding.
func shortNames(m *ggufConfig, n *Names) {
	if m.has("token_embd_norm.weight") {
		n.Norm = "token_embd_norm"
	}
}

// ggufQwen3Next is Qwen3-Next, and Qwen 3.5, whose heads of values go with those of keys in turns. Layers that guess
// further tokens are left out.
func ggufQwen3Next(m *ggufConfig, j *JSON) {
	next := m.int("nextn_predict_layers")
	if next < 0 || next >= j.Layers {
		m.wrong("nextn_predict_layers", "is %d, of %d layers", next, j.Layers)
		return
	}
	j.Layers -= next
	m.layerKinds(j)
	j.DeltaKernel, j.DeltaKeyDim = int(m.need("ssm.conv_kernel")), int(m.need("ssm.state_size"))
	j.DeltaKeys, j.DeltaValues = int(m.need("ssm.group_count")), int(m.need("ssm.time_step_rank"))
	j.DeltaValueDim, j.DeltaInTurns = int(m.need("ssm.inner_size"))/max(1, j.DeltaValues), m.arch != "qwen3next"
	for _, key := range []string{"full_attention_interval", "attention.recurrent_layers", "rope.dimension_sections"} {
		m.value(key) // which weights tell, and which images alone need
	}
	if j.Experts > 0 {
		ggufQwen3Experts(m, j)
	}
}

func deltaNames(m *ggufConfig, n *Names) {
	normAfter(m, n)
	n.QKV = "" // which is of layers with a state
	layers := m.int("block_count")
	for i := range min(m.int("nextn_predict_layers"), layers) {
		n.IgnoredUnder = append(n.IgnoredUnder, fmt.Sprintf("blk.%d.", layers-1-i))
	}
}

// xielu are the weights of the activation of each layer, which are metadata.
func (m *ggufConfig) xielu(layers int) [][]float32 {
	all := make([][]float32, layers)
	for _, key := range []string{"xielu.alpha_p", "xielu.alpha_n", "xielu.beta", "xielu.eps"} {
		list, _ := m.of[key].([]any)
		if len(list) != layers {
			if m.err == nil {
				m.err = fmt.Errorf("models: %s has %d numbers for %d layers", key, len(list), layers)
			}
			return nil
		}
		for i, x := range list {
			number, _ := asNumber(x)
			all[i] = append(all[i], float32(number))
		}
	}
	return all
}
