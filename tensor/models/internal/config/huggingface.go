package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/encoder"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// JSON is config.json of Hugging Face.
type JSON struct {
	ModelType   string         `json:"model_type"`
	Dim         int            `json:"hidden_size"`
	Hidden      int            `json:"intermediate_size"`
	Layers      int            `json:"num_hidden_layers"`
	Heads       int            `json:"num_attention_heads"`
	KVHeads     int            `json:"num_key_value_heads"`
	HeadDim     int            `json:"head_dim"`
	Vocab       int            `json:"vocab_size"`
	Context     int            `json:"max_position_embeddings"`
	Eps         float64        `json:"rms_norm_eps"`
	LayerEps    float64        `json:"layer_norm_eps"`
	NormEpsilon float64        `json:"layer_norm_epsilon"`
	NormEps     float64        `json:"norm_epsilon"`
	PlainEps    float64        `json:"norm_eps"`
	Tied        *bool          `json:"tie_word_embeddings"`
	Act         string         `json:"hidden_act"`
	Act2        string         `json:"hidden_activation"`
	EOS         parts.TokenIDs `json:"eos_token_id"`
	Window      int            `json:"sliding_window"`
	UseWindow   *bool          `json:"use_sliding_window"`
	FullUntil   *int           `json:"max_window_layers"` // of Qwen: the layers before this one see everything
	Kinds       []string       `json:"layer_types"`       // of newer files: sliding_attention or full_attention
	// of older files: every such layer sees everything
	Pattern windowPattern `json:"sliding_window_pattern"`

	AttentionBias    *bool `json:"attention_bias"`
	AttentionOutBias bool  `json:"attention_out_bias"`
	MLPBias          bool  `json:"mlp_bias"`
	Bias             *bool `json:"use_bias"`
	QKVBias          bool  `json:"use_qkv_bias"`
	InternBias       bool  `json:"qkv_bias"`

	RopeTheta    float64       `json:"rope_theta"`
	RopeBase     float64       `json:"rotary_emb_base"`
	RopePart     float64       `json:"rotary_pct"`
	RotaryDim    int           `json:"rotary_dim"` // of MiniMax
	Partial      float64       `json:"partial_rotary_factor"`
	LocalBase    float64       `json:"rope_local_base_freq"`
	Scaling      *jsonRope     `json:"rope_scaling"`
	Rope         *jsonRopeKind `json:"rope_parameters"` // of newer files, in place of those above
	OldContext   int           `json:"original_max_position_embeddings"`
	NoRopeLayers []int         `json:"no_rope_layers"` // 0 for a layer without
	ropeDim      int           // of GGUF files: how much of a head is rotated, in place of the parts above

	Experts      int      `json:"num_experts"`
	LocalExperts int      `json:"num_local_experts"`
	PerToken     int      `json:"num_experts_per_tok"`
	ExpertHidden int      `json:"moe_intermediate_size"`
	SharedHidden int      `json:"shared_expert_intermediate_size"`
	Normalize    bool     `json:"norm_topk_prob"`
	MixtureStep  int      `json:"decoder_sparse_step"`
	DenseLayers  []int    `json:"mlp_only_layers"`
	ClipQKV      *float64 `json:"clip_qkv"`

	RouterGroups  int     `json:"n_group"`
	TopGroups     int     `json:"topk_group"`
	RouterScale   float64 `json:"routed_scaling_factor"`
	RoutedExperts int     `json:"n_routed_experts"`
	SharedExperts int     `json:"n_shared_experts"`
	FirstDense    int     `json:"first_k_dense_replace"`
	MixtureEvery  int     `json:"moe_layer_freq"`
	Scoring       string  `json:"scoring_func"`
	TopMethod     string  `json:"topk_method"`
	Alpha         float64 `json:"swiglu_alpha"`
	Limit         float64 `json:"swiglu_limit"`

	NextLayers     int      `json:"num_nextn_predict_layers"`
	Rank           int      `json:"kv_lora_rank"`
	QueryRank      int      `json:"q_lora_rank"`
	PlainDim       int      `json:"qk_nope_head_dim"`
	RopeDim        int      `json:"qk_rope_head_dim"`
	ValueDim       int      `json:"v_head_dim"`
	RopePairs      *bool    `json:"rope_interleave"`
	AttentionCap   float64  `json:"attn_logit_softcapping"`
	LogitCap       float64  `json:"final_logit_softcapping"`
	QueryScalar    float64  `json:"query_pre_attn_scalar"`
	AttentionScale float64  `json:"attention_multiplier"`
	EmbeddingScale float64  `json:"embedding_multiplier"`
	ResidualScale  float64  `json:"residual_multiplier"`
	LogitDivisor   float64  `json:"logits_scaling"`
	LogitScale     *float64 `json:"logit_scale"`
	Parallel       *bool    `json:"use_parallel_residual"`
	QKLayerNorm    bool     `json:"qk_layernorm"`
	QKNorm         *bool    `json:"use_qk_norm"`
	Bidirectional  *bool    `json:"use_bidirectional_attention"`

	// of Mamba
	StateSize   int             `json:"state_size"`
	MixerEps    float64         `json:"mixer_rms_eps"`
	ConvKernel  int             `json:"conv_kernel"`
	Expand      float64         `json:"expand"`
	ConvBias    *bool           `json:"use_conv_bias"`
	StepRank    json.RawMessage `json:"time_step_rank"`
	SpaceHeads  int             `json:"num_heads"`
	SpaceGroups int             `json:"n_groups"`
	StepLimit   []jsonLimit     `json:"time_step_limit"`
	// of Llama 4
	NoRopeEvery        int             `json:"no_rope_layer_interval"`
	Chunk              json.RawMessage `json:"attention_chunk_size"`
	Tempered           json.RawMessage `json:"attn_temperature_tuning"`
	FloorScale         float64         `json:"floor_scale"`
	TemperBy           float64         `json:"attn_scale"`
	DenseHidden        int             `json:"intermediate_size_mlp"`
	MixtureLayers      []int           `json:"moe_layers"`
	MixtureLayersEvery int             `json:"interleave_moe_layer_step"`
	Whole              bool            `json:"-"` // a part of a vision-language model that is read without its images
	// of GPT-2
	Embed          int    `json:"n_embd"`
	NLayers        int    `json:"n_layer"`
	NHeads         int    `json:"n_head"`
	Positions      int    `json:"n_positions"`
	Inner          int    `json:"n_inner"`
	ActFunction    string `json:"activation_function"`
	ScaleAttention *bool  `json:"scale_attn_weights"`
	ScaleByLayer   bool   `json:"scale_attn_by_inverse_layer_idx"`
	CrossAttention bool   `json:"add_cross_attention"`

	// of Falcon
	FalconGroups      int    `json:"num_kv_heads"`
	FalconHidden      int    `json:"ffn_hidden_size"`
	FalconAct         string `json:"activation"`
	ParallelNorms     int    `json:"num_ln_in_parallel_attn"`
	ParallelAttention *bool  `json:"parallel_attn"`
	MultiQuery        *bool  `json:"multi_query"`
	NewArchitecture   bool   `json:"new_decoder_architecture"`
	ALiBi             bool   `json:"alibi"`
	PlainBias         *bool  `json:"bias"`

	jsonOlder
	jsonHybrid
	jsonLater

	Quantization jsonQuantization `json:"quantization_config"`

	Text json.RawMessage `json:"text_config"` // of vision-language models: see readConfig
}

// families translate what is particular to a model_type. What the decoder does not do is an error.
var families = map[string]func(j *JSON, c *LlamaConfig) error{
	"llama": llamaFamily, "mistral": mistralFamily, "qwen2": qwen2Family, "qwen3": qwen3Family,
	"qwen2_vl_text": qwen2Family, "qwen2_5_vl_text": qwen2Family,
	"mixtral": mixtralFamily, "qwen2_moe": qwen2MixtureFamily, "qwen3_moe": qwen3MixtureFamily, "olmoe": olmoeFamily,
	"gemma": gemmaFamily, "gemma2": gemma2Family, "gemma3_text": gemma3Family,
	"phi": phiFamily, "phi3": phi3Family, "olmo2": olmo2Family, "granite": graniteFamily, "smollm3": smolFamily,
	"glm4": glm4Family, "stablelm": stableFamily, "starcoder2": starcoderFamily, "gpt_neox": neoxFamily,
	"cohere": cohereFamily, "cohere2": cohere2Family, "gpt_oss": gptOSSFamily,
	"deepseek_v2": deepSeek2Family, "deepseek_v3": deepSeek3Family,
	"gpt2": gpt2Family, "falcon": falconFamily, "llama4_text": llama4Family,
	"mamba": mambaFamily, "mamba2": mamba2Family, "falcon_mamba": falconMambaFamily,
	"kimi_k2": deepSeek3Family, "seed_oss": seedFamily, "ernie4_5": ernieFamily, "exaone4": exaoneFamily,
	"exaone": exaone3Family, "iquestcoder": llamaFamily, "internlm3": internFamily, "jais2": jaisFamily, "cwm": cwmFamily,
	"ministral3": ministral3Family, "vaultgemma": vaultFamily, "hyperclovax": cloverFamily,
	"hunyuan_v1_moe": hunyuanMixtureFamily, "ernie4_5_moe": ernieMixtureFamily, "glm4_moe_lite": glmLiteFamily,
	"solar_open": solarFamily, "exaone_moe": exaoneMixtureFamily,
	"sarvam_moe": sarvamFamily, "mellum": mellumFamily, "youtu": deepSeek3Family,
	"bloom": bloomFamily, "mpt": mptFamily, "opt": optFamily, "gptj": gptjFamily, "gpt_bigcode": bigCodeFamily,
	"gpt_neo": gptNeoFamily, "olmo": olmoFamily, "apertus": apertusFamily, "helium": heliumFamily,
	"jamba": jambaFamily, "bamba": bambaFamily, "falcon_h1": falconH1Family, "nemotron_h": nemotronHFamily, "lfm2": lfm2Family,
	"lfm2_moe": lfm2MixtureFamily, "qwen3_next": qwen3NextFamily, "qwen3_5_text": qwen3NextFamily,
	"qwen3_5_moe_text": qwen3NextFamily, "granitemoe": graniteMixtureFamily, "granitemoeshared": graniteMixtureFamily,
	"granitemoehybrid": graniteHybridFamily,
	"olmo3":            olmo3Family, "arcee": arceeFamily, "nemotron": nemotronFamily, "glm": glmFamily,
	"glm4_moe": glmMixtureFamily, "dots1": dotsFamily, "hunyuan_v1_dense": hunyuanFamily, "minimax_m2": miniMaxFamily, "ministral": mistralFamily,
}

// elsewhere says what opens a model of another kind.
func elsewhere(modelType string) string {
	switch modelType {
	case "t5", "mt5":
		return "; models.OpenT5 reads " + modelType
	case "vit", "dinov2", "dinov2_with_registers", "resnet", "convnext":
		return "; vision.Open reads " + modelType
	case "clip", "siglip":
		return "; vision.OpenCLIP reads " + modelType
	case "whisper":
		return "; speech.Open reads " + modelType
	}
	return ""
}

// modelTypes lists what families has.
func modelTypes() string { return strings.Join(slices.Sorted(maps.Keys(families)), ", ") }

// Config translates; what the decoder does not do is an error.
func (j *JSON) Config() (LlamaConfig, error) {
	c := LlamaConfig{Dim: j.Dim, Hidden: j.Hidden, Layers: j.Layers, Heads: j.Heads, KVHeads: j.KVHeads,
		HeadDim: j.HeadDim, Vocab: j.Vocab, Context: j.Context,
		Eps: parts.FirstOf(j.Eps, j.LayerEps, j.NormEps, j.NormEpsilon)}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.Activation = j.Act; c.Activation == "silu" {
		c.Activation = ""
	}
	family := families[j.ModelType]
	if family == nil {
		if encoder.Knows(j.ModelType) {
			return c, fmt.Errorf("models: model_type %q is an encoder, which generates no text: OpenEncoder reads it", j.ModelType)
		}
		return c, fmt.Errorf("models: model_type %q is not supported: want one of %s%s", j.ModelType, modelTypes(),
			elsewhere(j.ModelType))
	}
	if err := j.quantized(); err != nil {
		return c, err
	}
	if err := family(j, &c); err != nil {
		return c, err
	}
	if j.Tied != nil {
		c.Tied = *j.Tied
	}
	if err := j.windows(&c); err != nil {
		return c, err
	}
	if err := c.Check(); err != nil {
		return c, err
	}
	if err := j.rotary(&c); err != nil {
		return c, err
	}
	c.EOS = j.EOS
	return c, c.Check()
}

// windows sets how far back queries see, and in which layers. Qwen's see everything without use_sliding_window; others
// see what sliding_window says.
func (j *JSON) windows(c *LlamaConfig) error {
	use := !strings.HasPrefix(j.ModelType, "qwen")
	if j.UseWindow != nil {
		use = *j.UseWindow
	}
	if !use || j.Window == 0 {
		return nil
	}
	kinds := j.Kinds
	if kinds == nil && j.FullUntil != nil {
		kinds = everyLayer(j.Layers, func(layer int) bool { return layer >= *j.FullUntil })
	}
	if kinds == nil && j.Pattern > 1 {
		kinds = everyLayer(j.Layers, func(layer int) bool { return (layer+1)%int(j.Pattern) != 0 })
	}
	windowed, n := make([]bool, len(kinds)), 0
	for i, kind := range kinds {
		switch kind {
		case parts.Sliding:
			windowed[i] = true
			n++
		case "full_attention":
		default:
			return fmt.Errorf("models: layer_types: %q is not supported: want %s or full_attention", kind,
				parts.Sliding)
		}
	}
	if kinds != nil && n == 0 {
		return nil
	}
	if c.Window = j.Window; n < len(kinds) {
		c.Windowed = windowed
	}
	return nil
}

// everyLayer are the kinds of layers of which some have a window.
var everyLayer = parts.EveryLayer

// jsonRopeKind has one rotary embedding, or one for each kind of layers.
type jsonRopeKind struct {
	jsonRope
	full, local *jsonRope
}

func (r *jsonRopeKind) UnmarshalJSON(data []byte) error {
	var kinds struct {
		Full  *jsonRope `json:"full_attention"`
		Local *jsonRope `json:"sliding_attention"`
	}
	if err := json.Unmarshal(data, &kinds); err != nil {
		return err
	}
	if r.full, r.local = kinds.Full, kinds.Local; r.full != nil {
		r.jsonRope = *r.full
		return nil
	}
	return json.Unmarshal(data, &r.jsonRope)
}
