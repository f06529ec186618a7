package config

import (
	"cmp"
	"fmt"
	"math"
	"reflect"

	"github.com/gorocm/gorocm/tensor/nn"
)

// Variant is what decoders have that Llama has not: those of Gemma, Phi, OLMo, Granite, SmolLM, GLM, StableLM,
// StarCoder, GPT-NeoX, Cohere, gpt-oss, DeepSeek, GPT-2, Falcon, Llama 4, Mamba and others. Its zero value is Llama.
type Variant struct {
	Activation string      // of the feed-forward part, by the names of nn.ParseActivation; "" is silu
	XIELU      bool        // that activation is xIELU, whose slopes are weights of each layer: with Ungated
	Ungated    bool        // the feed-forward part is two products with the activation between them
	Mixture    *Mixture    // experts in the place of feed-forward parts; nil is none
	Latent     *Latent     // attention to compressed keys and values; nil is ordinary attention
	StateSpace *StateSpace // layers keep a state in the place of attention; nil is none
	// what layers have; nil is attention and a feed-forward part, with StateSpace a state alone
	Parts    []LayerParts
	Parallel bool // attention and the feed-forward part read the same rows, and are added together

	LayerNorm  bool    // norms subtract the mean, too
	NormBias   bool    // with LayerNorm: norms have biases
	NormOffset float64 // what the weights of norms lack: 1 for Gemma
	PostNorm   bool    // what attention and the feed-forward part give is normalised before it is added
	NoPreNorm  bool    // with PostNorm: what they read is not
	NormPlain  bool    // norms have no weights
	SharedNorm bool    // with Parallel: one norm for both
	// queries are normalised across all heads, and so are keys, not each head alone: with QKNorm
	QKNormAll  bool
	QKNormLast bool // queries and keys are normalised after their rotation, not before: with QKNorm

	OutBias, FeedForwardBias, OutputBias bool // of attention, of the feed-forward part, of logits

	ClipQKV       float64 // bounds queries, keys and values to ±ClipQKV; 0 does not
	Gated         bool    // what heads give is multiplied by the sigmoid of a gate, rows beside those of queries
	EmbeddingNorm bool    // the embedding's rows are normalised

	RopeDim       int     // how many elements of a head the rotary embedding rotates, the first ones; 0 is all
	RopeGain      float64 // the factor of the rotary embedding's cosines and sines, as in YaRN; 0 is 1
	Positions     bool    // rows of a table of positions are added to those of the embedding
	PositionsFrom int     // of that table, the row of the first position
	// of each head, what a key's position is multiplied by before it is added to scores, as ALiBi does; nil is none
	Slopes        []float64
	NoRope        []bool  // the layers without a rotary embedding; nil is none
	LocalRopeBase float64 // the base in layers with a window, whose rotary embedding is not scaled; 0 is RopeBase
	Windowed      []bool  // the layers in which queries see a window; nil is all

	Sinks bool // attention has a sink for each head: nn.Attend
	// tokens see those of their chunk of so many positions, in layers with a rotary embedding; 0 is all
	Chunk int
	// with QKNorm: norms have no weights, and are those of layers with a rotary embedding
	QKNormPlain bool
	// queries at position p of layers without a rotary embedding are multiplied by
	// 1+TemperBy·ln(1+⌊(p+1)/TemperEvery⌋);
	// 0 is none
	TemperEvery, TemperBy float64
	TemperAll             bool    // queries of all layers are, at position p by 1+TemperBy·ln(1+⌊p/TemperEvery⌋)
	AttentionScale        float64 // the factor of the products of queries and keys; 0 is 1/√HeadDim
	AttentionCap          float64 // bounds those to ±AttentionCap, as cap·tanh(x/cap); 0 does not
	LogitCap              float64 // bounds logits in the same way
	EmbeddingScale        float64 // the factor of the embedding's rows; 0 is 1
	ResidualScale         float64 // the factor of what attention and the feed-forward part give; 0 is 1
	LogitScale            float64 // the factor of logits; 0 is 1
	AttentionGain         float64 // that of what attention gives; 0 is 1
	GateFactor            float64 // that of a feed-forward part's gate, before the activation; 0 is 1
	DownFactor            float64 // that of what a feed-forward part gives; 0 is 1
}

// IsLlama reports whether the decoder has nothing that Llama has not: kernels that do several steps at once are for
// such decoders.
func (v *Variant) IsLlama() bool { return reflect.ValueOf(*v).IsZero() }

// checkVariant returns an error when what differs from Llama does not fit the sizes.
func (c *LlamaConfig) checkVariant() error {
	for name, list := range map[string][]bool{"NoRope": c.NoRope, "Windowed": c.Windowed} {
		if list != nil && len(list) != c.Layers {
			return fmt.Errorf("models: %s lists %d layers of %d", name, len(list), c.Layers)
		}
	}
	if c.RopeDim < 0 || c.RopeDim%2 != 0 || c.RopeDim > c.HeadDim {
		return fmt.Errorf("models: a rotary embedding of %d of the %d elements of a head is not possible", c.RopeDim,
			c.HeadDim)
	}
	if (c.NoPreNorm && !c.PostNorm) || (c.SharedNorm && !c.Parallel) || (c.NormBias && !c.LayerNorm) {
		return fmt.Errorf("models: NoPreNorm needs PostNorm, SharedNorm Parallel, and NormBias LayerNorm: %+v", c.Variant)
	}
	if c.Chunk < 0 || c.Chunk > 0 && (c.Window > 0 || c.NoRope == nil) || c.TemperEvery < 0 ||
		c.QKNormPlain && (!c.QKNorm || c.QKNormAll) || c.QKNormLast && (!c.QKNorm || c.QKNormAll || c.NoRope != nil) {
		return fmt.Errorf("models: Chunk is without a Window and with NoRope, QKNormPlain and QKNormLast with QKNorm: %+v", c.Variant)
	}
	if c.GateFactor != 0 && (c.Ungated || c.XIELU) {
		return fmt.Errorf("models: GateFactor needs a gate: %+v", c.Variant)
	}
	if err := c.checkParts(); err != nil {
		return err
	}
	if c.Mixture != nil {
		if err := c.Mixture.check(c); err != nil {
			return err
		}
	}
	_, err := nn.ParseActivation(c.ActivationName())
	return err
}

func (v *Variant) ActivationName() string {
	if v.Activation == "" {
		return "silu"
	}
	return v.Activation
}

// ropeDim is how many elements of a head the rotary embedding rotates.
func (c *LlamaConfig) ropeDim() int {
	if c.RopeDim != 0 {
		return c.RopeDim
	}
	return c.HeadDim
}

// WindowOf is how many positions a query sees in a layer, 0 for all.
func (c *LlamaConfig) WindowOf(layer int) int {
	if c.Windowed != nil && !c.Windowed[layer] {
		return 0
	}
	return c.Window
}

// ChunkOf is how many positions the chunks of a layer have, 0 for one chunk.
func (c *LlamaConfig) ChunkOf(layer int) int {
	if c.Chunk == 0 || c.NoRope[layer] {
		return 0
	}
	return c.Chunk
}

// Scales are the factor of queries and keys, which the rotation applies at no cost where it has all elements of all
// layers, and that of their products.
func (c *LlamaConfig) Scales() (rope, attention float64) {
	attention = or(c.AttentionScale, 1/c.rootOfHead())
	if c.ropeDim() == c.HeadDim && c.NoRope == nil && !c.QKNormLast && attention > 0 {
		return math.Sqrt(attention), 1
	}
	return 1, attention
}

// rootOfHead is the root of the size of a head.
func (c *LlamaConfig) rootOfHead() float64 {
	size := c.HeadDim
	if size == 0 {
		size = c.Dim / max(1, c.Heads)
	}
	return math.Sqrt(float64(max(1, size)))
}

// or is x, or what it is by default.
func or(x, otherwise float64) float64 { return cmp.Or(x, otherwise) }
