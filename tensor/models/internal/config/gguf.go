package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/formats"
)

// ggufFamily is a general.architecture of llama.cpp: a family of Hugging Face's, by what config.json says of it. What
// the decoder does not do is an error.
type ggufFamily struct {
	model      string // the model_type; "" where all models have experts
	mixture    string // that of models with experts; "" where those are not supported
	activation string // which files do not name; "" is silu, or the family's own
	// the converter has made neighbours of the pairs of the rotary embedding
	interleaved bool
	window      bool // queries see a window, where the file has one
	router      bool // read reads what routers do, which is softmax in others
	// read adds to j what it has beside sizes
	read func(m *ggufConfig, j *JSON)
	// rename has the names of weights that other families have not
	rename func(m *ggufConfig, n *Names)
}

var ggufFamilies = map[string]ggufFamily{
	"llama":      {model: "llama", mixture: "mixtral", interleaved: true, window: true, read: ggufWhole},
	"qwen2":      {model: "qwen2"},
	"qwen2moe":   {mixture: "qwen2_moe", read: ggufQwen2Experts},
	"qwen2vl":    {model: "qwen2_vl_text", read: ggufSections},
	"qwen3":      {model: "qwen3"},
	"qwen3moe":   {mixture: "qwen3_moe", read: ggufQwen3Experts},
	"gemma":      {model: "gemma"},
	"gemma2":     {model: "gemma2", window: true, read: ggufGemma2},
	"gemma3":     {model: "gemma3_text", window: true, read: ggufGemma3},
	"phi2":       {model: "phi", activation: "gelu_new"},
	"phi3":       {model: "phi3", window: true},
	"olmo2":      {model: "olmo2", window: true, read: ggufOlmo},
	"olmoe":      {mixture: "olmoe"},
	"granite":    {model: "granite", interleaved: true, read: ggufGranite},
	"smollm3":    {model: "smollm3", interleaved: true, read: ggufSmol},
	"glm4":       {model: "glm4"},
	"stablelm":   {model: "stablelm", read: ggufStable},
	"starcoder2": {model: "starcoder2", activation: "gelu_pytorch_tanh", window: true},
	"gptneox":    {model: "gpt_neox", activation: "gelu", read: ggufNeoX},
	"command-r":  {model: "cohere", read: ggufCohere},
	"cohere2":    {model: "cohere2", window: true, read: ggufCohere2},
	"gpt-oss": {mixture: "gpt_oss", window: true, router: true, read: ggufGPTOSS,
		rename: func(_ *ggufConfig, n *Names) { n.FFNNorm = "post_attention_norm" }},
	"gpt2": {model: "gpt2", read: ggufGPT2,
		rename: func(_ *ggufConfig, n *Names) { n.Positions = "position_embd" }},
	"falcon":        {model: "falcon", read: ggufFalcon, rename: falconNorms},
	"seed_oss":      {model: "seed_oss", rename: normAfter},
	"ernie4_5":      {model: "ernie4_5"},
	"exaone4":       {model: "exaone4", window: true, read: func(m *ggufConfig, j *JSON) { m.windows(j, 4) }},
	"arcee":         {model: "arcee", interleaved: true, read: ggufWhole},
	"nemotron":      {model: "nemotron"},
	"glm4moe":       {mixture: "glm4_moe", router: true, read: ggufGLMMixture, rename: glmNames},
	"dots1":         {mixture: "dots1", router: true, read: ggufCorrected},
	"hunyuan-dense": {model: "hunyuan_v1_dense"},
	"minimax-m2":    {mixture: "minimax_m2", router: true, read: ggufMiniMax},
	"mamba":         {model: "mamba", read: ggufMamba},
	"mamba2":        {model: "mamba2", read: ggufMamba},
	"llama4":        {mixture: "llama4_text", router: true, read: ggufLlama4},
	"deepseek2":     {mixture: "deepseek_v2", router: true, read: ggufDeepSeek},

	"bloom":          {model: "bloom", read: ggufBloom},
	"mpt":            {model: "mpt", read: ggufMPT},
	"starcoder":      {model: "gpt_bigcode", read: ggufGPT2, rename: learnedNames},
	"olmo":           {model: "olmo", interleaved: true, read: ggufOlmo1},
	"apertus":        {model: "apertus", activation: "xielu"},
	"granitemoe":     {mixture: "granitemoe", interleaved: true, read: ggufGraniteMixture},
	"granitehybrid":  {model: "granitemoehybrid", mixture: "granitemoehybrid", interleaved: true, read: ggufGraniteHybrid},
	"jamba":          {model: "jamba", mixture: "jamba", read: ggufJamba},
	"nemotron_h":     {model: "nemotron_h", mixture: "nemotron_h", router: true, read: ggufNemotronH},
	"nemotron_h_moe": {mixture: "nemotron_h", router: true, read: ggufNemotronH},
	"lfm2":           {model: "lfm2", read: ggufLFM2, rename: shortNames},
	"lfm2moe":        {mixture: "lfm2_moe", router: true, read: ggufLFM2, rename: shortNames},
	"qwen3next":      {model: "qwen3_next", mixture: "qwen3_next", read: ggufQwen3Next, rename: deltaNames},
	"qwen35":         {model: "qwen3_5_text", read: ggufQwen3Next, rename: deltaNames},
	"qwen35moe":      {mixture: "qwen3_5_moe_text", read: ggufQwen3Next, rename: deltaNames},
	"exaone":         {model: "exaone"},
	"jais2":          {model: "jais2"},
	"mistral3":       {model: "ministral3", interleaved: true, read: ggufMinistral},
	"ernie4_5-moe":   {mixture: "ernie4_5_moe", router: true, read: ggufErnieMixture},
	"hunyuan-moe":    {mixture: "hunyuan_v1_moe", read: ggufHunyuanMixture},
}

// ggufWhole refuses a rotary embedding of a part of a head, for which the converter's order of the pairs is not known.
func ggufWhole(m *ggufConfig, j *JSON) {
	if j.ropeDim != j.HeadDim {
		m.wrong("rope.dimension_count", "is %d: rotating %d of the %d elements of a head is not supported", j.ropeDim,
			j.ropeDim, j.HeadDim)
	}
}

func ggufSections(m *ggufConfig, j *JSON) {
	var sections []int
	for _, n := range m.list("rope.dimension_sections") { // the last one may be 0
		if n, ok := asNumber(n); ok && n > 0 {
			sections = append(sections, int(min(n, 1<<30)))
		}
	}
	if j.Scaling == nil {
		j.Scaling = &jsonRope{}
	}
	j.Scaling.Sections = sections
}

// ggufGemma2 has what older files do not say as llama.cpp has it.
func ggufGemma2(m *ggufConfig, j *JSON) {
	j.AttentionCap = or(m.number("attn_logit_softcapping"), 50)
	j.LogitCap = or(m.number("final_logit_softcapping"), 30)
	j.Window = int(or(float64(j.Window), 4096))
	m.gemma(j, gemma2Largest, 2)
}

func ggufGemma3(m *ggufConfig, j *JSON) {
	j.LogitCap, j.LocalBase = m.number("final_logit_softcapping"), m.number("rope.freq_base_swa")
	m.gemma(j, gemma3Largest, 6)
}

// The layers of Gemma's models of 27 billion weights. Files do not say how they scale the products of queries and keys,
// which is by the width for each head of queries, in place of the size of a head.
const (
	gemma2Largest = 46
	gemma3Largest = 62
)

func (m *ggufConfig) gemma(j *JSON, largest, pattern int) {
	if j.Layers == largest {
		j.QueryScalar = float64(j.Dim) / math.Max(1, float64(j.Heads))
	}
	m.windows(j, pattern)
}

// ggufQwen2Experts has the widths of older files as llama.cpp has them.
func ggufQwen2Experts(m *ggufConfig, j *JSON) {
	j.ExpertHidden = m.int("expert_feed_forward_length")
	if j.ExpertHidden == 0 {
		j.ExpertHidden = j.Hidden / max(1, j.PerToken)
	}
	if shared := m.number("expert_shared_feed_forward_length"); m.inLayers("ffn_gate_shexp.weight") {
		j.SharedHidden = int(or(shared, float64(j.Hidden)))
	}
}

func ggufQwen3Experts(m *ggufConfig, j *JSON) {
	j.Normalize = true // as in all released models: files do not say
	ggufQwen2Experts(m, j)
}

// ggufOlmo is OLMo 2, and OLMo 3 with windows. Where those are, the rotary embedding is not scaled.
func ggufOlmo(m *ggufConfig, j *JSON) {
	if j.Window > 0 {
		j.LocalBase = or(m.number("rope.freq_base_swa"), j.RopeTheta)
		m.windows(j, 4)
	}
}

func ggufGranite(m *ggufConfig, j *JSON) {
	j.AttentionScale = or(m.number("attention.scale"), 1/math.Sqrt(float64(j.HeadDim)))
	j.LogitDivisor = m.need("logit_scale")
	j.EmbeddingScale, j.ResidualScale = m.number("embedding_scale"), m.number("residual_scale")
	m.allow("rope.scaling.finetuned", true)
}

// ggufSmol is every fourth layer without a rotary embedding: files do not say which.
func ggufSmol(_ *ggufConfig, j *JSON) {
	for i := range min(j.Layers, 1<<16) {
		j.NoRopeLayers = append(j.NoRopeLayers, min((i+1)%4, 1))
	}
}

// ggufStable goes by the norms that the file has, as llama.cpp does: what the metadata say is not what older converters
// knew.
func ggufStable(m *ggufConfig, j *JSON) {
	parallel := !m.inLayers("ffn_norm.weight")
	m.value("use_parallel_residual")
	j.Parallel, j.QKLayerNorm = &parallel, m.inLayers("attn_q_norm.weight")
}

func ggufNeoX(m *ggufConfig, j *JSON) {
	parallel, ok := m.value("use_parallel_residual").(bool)
	if !ok {
		m.wrong("use_parallel_residual", "is missing")
	}
	j.Parallel = &parallel
}

func ggufCohere(m *ggufConfig, j *JSON) {
	scale, normed := or(m.number("logit_scale"), 1), m.inLayers("attn_q_norm.weight")
	j.LogitScale, j.QKNorm = &scale, &normed
}

func ggufCohere2(m *ggufConfig, j *JSON) {
	ggufCohere(m, j)
	m.need("attention.sliding_window")
	m.windows(j, 4)
}

// OfGGUF reads the sizes of a model from the metadata of a GGUF file.
func OfGGUF(f *formats.GGUF) (c LlamaConfig, err error) {
	m := newGGUFConfig(f)
	if m.err != nil {
		return c, m.err
	}
	family, ok := ggufFamilies[m.arch]
	if !ok {
		return c, fmt.Errorf("models: general.architecture %q is not supported: want one of %s", m.arch,
			strings.Join(slices.Sorted(maps.Keys(ggufFamilies)), ", "))
	}
	j, err := m.json(&family)
	if err != nil {
		return c, err
	}
	if c, err = j.Config(); err != nil {
		return c, err
	}
	m.complete(&c, &family)
	if err := m.check(&c); err != nil {
		return c, err
	}
	return c, c.Check()
}

// json is the config.json of the model.
func (m *ggufConfig) json(family *ggufFamily) (*JSON, error) {
	tied := !m.has("output.weight")
	j := &JSON{ModelType: family.model, Act: family.activation, Act2: family.activation, Tied: &tied,
		Dim: m.int("embedding_length"), Hidden: m.int("feed_forward_length"), Layers: m.int("block_count"),
		Heads: m.int("attention.head_count"), KVHeads: m.int("attention.head_count_kv"),
		HeadDim: m.int("attention.key_length"), Context: m.int("context_length"),
	}
	if family.window {
		j.Window = m.int("attention.sliding_window")
	}
	if j.HeadDim == 0 && j.Heads > 0 {
		j.HeadDim = j.Dim / j.Heads
	}
	if j.Layers > len(m.weights) {
		m.wrong("block_count", "is %d, and there are %d tensors", j.Layers, len(m.weights))
	}
	windowed := true // as the file has a window
	j.UseWindow = &windowed
	q, err := m.file.Tensor("token_embd.weight")
	if err != nil {
		return nil, err
	}
	if len(q.Dims()) != 2 {
		return nil, fmt.Errorf("models: token_embd.weight has shape %v", q.Dims())
	}
	j.Vocab = q.Dims()[0]
	if err := m.rotary(j); err != nil {
		return nil, err
	}
	m.mixture(j, family)
	if j.ModelType == "" {
		m.wrong("expert_count", "is missing")
	} else if family.read != nil {
		family.read(m, j)
	}
	if j.Rank == 0 { // else read has compared it
		m.allow("attention.value_length", float64(j.HeadDim))
	}
	m.allow("attention.causal", true)
	return j, m.err
}

// complete sets what a file has otherwise than Hugging Face's: norms are whole, and there are the biases that it has.
func (m *ggufConfig) complete(c *LlamaConfig, family *ggufFamily) {
	c.NormOffset, c.Interleaved = 0, c.Interleaved || family.interleaved
	c.QKVBias = m.inLayers("attn_q.bias") || m.inLayers("attn_qkv.bias")
	c.OutBias, c.OutputBias = m.inLayers("attn_output.bias"), m.has("output.bias")
	c.FeedForwardBias = m.inLayers("ffn_up.bias") || m.inLayers("ffn_down.bias")
	c.NormBias = c.LayerNorm && m.has("output_norm.bias")
	if c.XIELU {
		c.xielu = m.xielu(c.Layers)
	}
	eps := "attention.layer_norm_rms_epsilon"
	if c.LayerNorm || c.StateSpace != nil && m.value(eps) == nil {
		eps = "attention.layer_norm_epsilon"
	}
	c.Eps = m.need(eps)
	if normalize, ok := m.value("expert_weights_norm").(bool); ok && c.Mixture != nil {
		c.Mixture.Normalize = normalize
	}
	if c.StateSpace != nil {
		c.StateSpace.Eps = c.Eps
	}
	m.completeRotary(c)
	if c.names = m.weightNames(c.names); family.rename != nil {
		family.rename(m, c.names)
	}
}

// weightNames are the names of the weights in a file, for a family whose names in Hugging Face's files are given, or
// nil.
func (m *ggufConfig) weightNames(family *Names) *Names {
	n := *Files[2]
	if m.inLayers("attn_qkv.weight") {
		n.QKV = "attn_qkv"
	}
	if family != nil && family.GateUp != "" {
		n.GateUp = n.Up
	}
	n.GGUF = true
	n.CorrectionRow = family != nil && family.CorrectionRow
	if gate, err := m.file.Tensor(m.layers["ffn_gate_inp_shexp.weight"]); err == nil {
		n.FlatGate = len(gate.Dims()) == 1
	}
	return &n
}
