package config

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// jsonHybrid is what config.json of decoders of several kinds of layers says.
type jsonHybrid struct {
	LayerKinds []string `json:"layers_block_type"`       // as layer_types
	Letters    string   `json:"hybrid_override_pattern"` // the same in older files of Nemotron-H
	AttnEvery  int      `json:"attn_layer_period"`       // of Jamba
	AttnFirst  int      `json:"attn_layer_offset"`
	MixEvery   int      `json:"expert_layer_period"`
	MixFirst   int      `json:"expert_layer_offset"`
	AttnLayers []int    `json:"attn_layer_indices"` // of Bamba
	FullLayers []int    `json:"full_attn_idxs"`     // of LFM2

	MambaState    int             `json:"mamba_d_state"`
	MambaKernel   int             `json:"mamba_d_conv"`
	MambaExpand   float64         `json:"mamba_expand"`
	MambaRank     json.RawMessage `json:"mamba_dt_rank"`
	MambaConvBias *bool           `json:"mamba_conv_bias"`
	MambaBias     bool            `json:"mamba_proj_bias"`
	MambaHeads    int             `json:"mamba_n_heads"`
	MambaGroups   int             `json:"mamba_n_groups"`
	PositionKind  string          `json:"position_embedding_type"` // of Granite
	SharedWidth   int             `json:"shared_intermediate_size"`

	NemotronHeads   int    `json:"mamba_num_heads"`
	NemotronHeadDim int    `json:"mamba_head_dim"`
	NemotronState   int    `json:"ssm_state_size"`
	NemotronAct     string `json:"mlp_hidden_act"`
	NemotronShared  int    `json:"moe_shared_expert_intermediate_size"`
	NemotronLatent  int    `json:"moe_latent_size"`

	ShortKernel  int     `json:"conv_L_cache"` // of LFM2
	ShortBias    bool    `json:"conv_bias"`
	AdjustFF     *bool   `json:"block_auto_adjust_ff_dim"`
	FFDim        int     `json:"block_ff_dim"`
	FFMultiplier float64 `json:"block_ffn_dim_multiplier"`
	FFMultiple   int     `json:"block_multiple_of"`
	DenseFirst   int     `json:"num_dense_layers"`
	ExpertBias   *bool   `json:"use_expert_bias"`
	TieEmbedding *bool   `json:"tie_embedding"`

	jsonFalconH1

	DeltaKernel   int  `json:"linear_conv_kernel_dim"` // of Qwen3-Next
	DeltaKeyDim   int  `json:"linear_key_head_dim"`
	DeltaValueDim int  `json:"linear_value_head_dim"`
	DeltaKeys     int  `json:"linear_num_key_heads"`
	DeltaValues   int  `json:"linear_num_value_heads"`
	DeltaInTurns  bool `json:"-"` // of GGUF files
}

// kindOfLayer is what a layer is in any of the names that files have for it.
var kindOfLayer = map[string]LayerParts{
	"full_attention": WithAttention, "attention": WithAttention, "*": WithAttention,
	"linear_attention": WithState, "mamba": WithState, "conv": WithState, "M": WithState,
	"mlp": WithFeedForward, "-": WithFeedForward, "moe": WithFeedForward, "E": WithFeedForward,
}

// kinds are those of all layers, nil where the file has none.
func (j *JSON) kinds() ([]string, error) {
	kinds := j.LayerKinds
	if kinds == nil {
		kinds = j.Kinds
	}
	if kinds == nil {
		for _, letter := range j.Letters {
			kinds = append(kinds, string(letter))
		}
	}
	if kinds != nil && j.Layers != 0 && len(kinds) != j.Layers {
		return nil, fmt.Errorf("models: layer_types lists %d layers of %d", len(kinds), j.Layers)
	}
	for _, kind := range kinds {
		if kindOfLayer[kind] == 0 {
			return nil, fmt.Errorf("models: layer_types: %q is not supported", kind)
		}
	}
	return kinds, nil
}

// mixed sets what layers have besides a feed-forward part, by their kinds, or by otherwise where the file has none.
func (j *JSON) mixed(c *LlamaConfig, otherwise func(layer int) bool) error {
	kinds, err := j.kinds()
	if err != nil {
		return err
	}
	c.Parts = layersWith(c.Layers, func(layer int) bool {
		if kinds == nil {
			return otherwise(layer)
		}
		return kindOfLayer[kinds[layer]] == WithAttention
	})
	return nil
}

// mamba is what hybrids say of layers of Mamba 1 and 2.
func (j *JSON) mamba(c *LlamaConfig, states int) *StateSpace {
	return &StateSpace{Dim: c.Dim, Inner: int(or(j.MambaExpand, 2) * float64(c.Dim)),
		State: parts.FirstOf(j.MambaState, states), Kernel: parts.FirstOf(j.MambaKernel, 4),
		Bias: j.MambaBias, ConvBias: is(j.MambaConvBias, true)}
}

// mamba2 is that of Mamba 2.
func (j *JSON) mamba2(c *LlamaConfig) error {
	s := j.mamba(c, 256)
	s.Heads, s.Groups, s.Eps = parts.FirstOf(j.MambaHeads, 128), parts.FirstOf(j.MambaGroups, 1), c.Eps
	c.StateSpace = s
	return j.stepLimit(s)
}

func (j *JSON) stepLimit(s *StateSpace) error {
	switch limit := j.StepLimit; {
	case limit == nil:
	case len(limit) != 2:
		return fmt.Errorf("models: time_step_limit has %d numbers, want 2", len(limit))
	default:
		s.MinStep, s.MaxStep = float64(limit[0]), float64(limit[1])
	}
	return nil
}

var jambaNames = named(func(n *Names) {
	n.Norm, n.FFNNorm, n.Mixer = "model.final_layernorm", "pre_ff_layernorm", "mamba"
	n.Gate, n.Up, n.Down = "feed_forward.gate_proj", "feed_forward.up_proj", "feed_forward.down_proj"
	n.Router, n.Experts = "feed_forward.router", "feed_forward.experts.%d"
})

// jambaFamily is Jamba: Mamba 1 in most layers, attention without positions in the others, experts in some.
func jambaFamily(j *JSON, c *LlamaConfig) error {
	every := parts.FirstOf(j.AttnEvery, 8)
	if err := j.mixed(c, func(layer int) bool { return layer%every == j.AttnFirst }); err != nil {
		return err
	}
	c.StateSpace, c.names, c.NoRope = j.mamba(c, 16), jambaNames, everyOne(c.Layers)
	c.StateSpace.SelectEps, c.StateSpace.SelectNorms = or(c.Eps, 1e-6), true
	j.StepRank = j.MambaRank
	if err := j.stepRank(c.StateSpace); err != nil || j.Experts <= 1 {
		return err
	}
	for layer := range min(j.Layers, 1<<16) {
		if layer%max(1, j.MixEvery) != j.MixFirst {
			j.DenseLayers = append(j.DenseLayers, layer)
		}
	}
	c.Mixture = j.mixture(j.Hidden)
	return nil
}

// bambaFamily is Bamba: Mamba 2 in most layers.
func bambaFamily(j *JSON, c *LlamaConfig) error {
	if err := j.mixed(c, func(layer int) bool { return slices.Contains(j.AttnLayers, layer) }); err != nil {
		return err
	}
	if err := j.mamba2(c); err != nil {
		return err
	}
	j.Partial = 0.5 // whatever the file says, as in transformers
	if err := llamaFamily(j, c); err != nil {
		return err
	}
	c.names = jambaNames
	return nil
}

var graniteMixtureNames = named(func(n *Names) {
	n.Mixer, n.Router, n.Experts, n.Stacked = "mamba", "block_sparse_moe.router.layer", "block_sparse_moe", InRows
	n.ExpertGateUp, n.ExpertDown, n.Shared = "input_linear", "output_linear", "shared_mlp"
})

var graniteHybridNames = named(func(n *Names) {
	*n = *graniteMixtureNames
	n.GateUp, n.Down = "shared_mlp.input_linear", "shared_mlp.output_linear"
})

// graniteMixtureFamily is Granite 3 with experts.
func graniteMixtureFamily(j *JSON, c *LlamaConfig) error {
	if err := graniteFamily(j, c); err != nil {
		return err
	}
	j.SharedHidden = j.SharedWidth
	c.Mixture, c.names = j.mixture(j.Hidden), graniteMixtureNames
	c.Mixture.Normalize, c.Mixture.Ungated = true, true
	return nil
}

// graniteHybridFamily is Granite 4: Mamba 2 in most layers, with experts or without.
func graniteHybridFamily(j *JSON, c *LlamaConfig) error {
	if err := j.mixed(c, func(int) bool { return false }); err != nil {
		return err
	}
	if err := j.mamba2(c); err != nil {
		return err
	}
	if j.PositionKind != "rope" {
		c.NoRope = everyOne(c.Layers)
	}
	if j.LocalExperts > 0 {
		return graniteMixtureFamily(j, c)
	}
	c.Hidden, c.names = j.SharedWidth, graniteHybridNames
	return graniteFamily(j, c)
}

var nemotronHNames = named(func(n *Names) {
	n.Embedding, n.Norm, n.Layers = "backbone.embeddings", "backbone.norm_f", "backbone.layers.%d"
	n.AttentionNorm, n.Mixer = "norm", "mixer"
	n.Q, n.K, n.V, n.Out = "mixer.q_proj", "mixer.k_proj", "mixer.v_proj", "mixer.o_proj"
	n.Up, n.Down = "mixer.up_proj", "mixer.down_proj"
	n.Router, n.Experts, n.Shared = "mixer.gate", "mixer.experts.%d", "mixer.shared_experts"
	n.IgnoredUnder = []string{"mtp."}
})

// nemotronHFamily is Nemotron-H and Nemotron 3: each layer is a state of Mamba 2, attention without positions, two
// products without a gate, or experts of such.
func nemotronHFamily(j *JSON, c *LlamaConfig) error {
	kinds, err := j.kinds()
	if err != nil {
		return err
	}
	if kinds == nil || j.NemotronLatent != 0 {
		return fmt.Errorf("models: layers_block_type is missing, or moe_latent_size is there, which is not supported")
	}
	c.Layers, c.Parts, j.DenseLayers = len(kinds), nil, nil
	for layer, kind := range kinds {
		c.Parts = append(c.Parts, kindOfLayer[kind])
		if kind != "moe" && kind != "E" {
			j.DenseLayers = append(j.DenseLayers, layer)
		}
	}
	j.Layers = c.Layers
	c.Eps = parts.FirstOf(j.NormEpsilon, c.Eps)
	heads, size := parts.FirstOf(j.NemotronHeads, 128), parts.FirstOf(j.NemotronHeadDim, 64)
	c.StateSpace = &StateSpace{Dim: c.Dim, Inner: heads * size, State: parts.FirstOf(j.NemotronState, 128),
		Kernel: parts.FirstOf(j.ConvKernel, 4), Bias: j.MambaBias, ConvBias: is(j.ConvBias, true),
		Heads: heads, Groups: parts.FirstOf(j.SpaceGroups, 8), Eps: or(c.Eps, 1e-5)}
	c.NoRope, c.Ungated, c.names = everyOne(c.Layers), true, nemotronHNames
	c.Activation = parts.FirstOf(j.NemotronAct, "relu2")
	if err := j.stepLimit(c.StateSpace); err != nil {
		return err
	}
	if err := llamaFamily(j, c); err != nil || len(j.DenseLayers) == len(kinds) {
		return err
	}
	j.Experts, j.SharedHidden = j.RoutedExperts, j.NemotronShared
	c.Mixture = j.mixture(j.ExpertHidden)
	x := c.Mixture
	x.Ungated, x.Sigmoid, x.Correction, x.Scale = true, true, true, notOne(j.RouterScale)
	if j.RouterGroups > 1 {
		x.Groups, x.TopGroups = j.RouterGroups, j.TopGroups
	}
	return nil
}

var lfm2Names = named(func(n *Names) {
	n.AttentionNorm, n.FFNNorm, n.Norm, n.Mixer = "operator_norm", "ffn_norm", "model.embedding_norm", "conv"
	n.Out, n.QNorm, n.KNorm = "self_attn.out_proj", "self_attn.q_layernorm", "self_attn.k_layernorm"
	n.Gate, n.Up, n.Down = "feed_forward.w1", "feed_forward.w3", "feed_forward.w2"
	n.Router, n.Experts, n.Correction = "feed_forward.gate", "feed_forward.experts.%d", "feed_forward.expert_bias"
	n.ExpertGate, n.ExpertUp, n.ExpertDown = "w1", "w3", "w2"
})

// lfm2Family is LFM2: short convolutions in most layers, attention in the others.
func lfm2Family(j *JSON, c *LlamaConfig) error {
	if err := j.mixed(c, func(layer int) bool {
		return j.FullLayers == nil || slices.Contains(j.FullLayers, layer)
	}); err != nil {
		return err
	}
	c.StateSpace = &StateSpace{Dim: c.Dim, Inner: c.Dim, State: 1, Kernel: parts.FirstOf(j.ShortKernel, 3), Short: true,
		Bias: j.ShortBias, ConvBias: j.ShortBias}
	c.QKNorm, c.Tied, c.names, c.RopeBase = true, true, lfm2Names, 1e6
	c.Eps = parts.FirstOf(c.Eps, j.PlainEps, 1e-5)
	if c.Hidden = parts.FirstOf(j.FFDim, j.Hidden); is(j.AdjustFF, j.ModelType == "lfm2") {
		c.Hidden = int(or(j.FFMultiplier, 1) * float64(2*c.Hidden/3))
		multiple := parts.FirstOf(j.FFMultiple, 256)
		c.Hidden = (c.Hidden + multiple - 1) / multiple * multiple
	}
	if j.Tied == nil {
		j.Tied = j.TieEmbedding
	}
	return nil
}

// lfm2MixtureFamily is LFM2 with experts after some ordinary layers.
func lfm2MixtureFamily(j *JSON, c *LlamaConfig) error {
	if err := lfm2Family(j, c); err != nil {
		return err
	}
	for layer := range min(j.DenseFirst, j.Layers) {
		j.DenseLayers = append(j.DenseLayers, layer)
	}
	c.Mixture = j.mixture(j.ExpertHidden)
	c.Mixture.Sigmoid, c.Mixture.Correction, c.Mixture.Scale = true, is(j.ExpertBias, true), notOne(j.RouterScale)
	return nil
}

var qwen3NextNames = named(func(n *Names) { n.Mixer, n.IgnoredUnder = "linear_attn", []string{"mtp."} })

// qwen3NextFamily is Qwen3-Next and the language models of Qwen 3.5: the gated delta rule in three of four layers,
// attention with gates in the others.
func qwen3NextFamily(j *JSON, c *LlamaConfig) error {
	if err := j.mixed(c, func(layer int) bool { return (layer+1)%4 == 0 }); err != nil {
		return err
	}
	j.Kinds = nil // which say nothing of windows
	if j.Rope != nil {
		j.Rope.Sections = nil // which images alone need
	}
	keys, values := parts.FirstOf(j.DeltaKeys, 16), parts.FirstOf(j.DeltaValues, 32)
	c.StateSpace = &StateSpace{Dim: c.Dim, Inner: values * parts.FirstOf(j.DeltaValueDim, 128), Heads: values,
		Groups: keys, State: parts.FirstOf(j.DeltaKeyDim, 128), Kernel: parts.FirstOf(j.DeltaKernel, 4), Delta: true,
		InTurns: j.DeltaInTurns, Eps: or(c.Eps, 1e-6)}
	c.QKNorm, c.Gated, c.NormOffset, c.names = true, true, 1, qwen3NextNames
	c.QKVBias = is(j.AttentionBias, false)
	c.OutBias = c.QKVBias
	if j.Partial == 0 && (j.Rope == nil || j.Rope.Partial == 0) {
		j.Partial = 0.25
	}
	if j.Experts > 0 {
		c.Mixture = j.mixture(j.ExpertHidden)
		c.Mixture.Normalize = j.Normalize || j.ModelType == "qwen3_5_moe_text"
	}
	return nil
}
