package config

import (
	"fmt"
	"math"
)

// LlamaConfig are the sizes of a decoder of the Llama family, and in Variant what others have that Llama has not.
type LlamaConfig struct {
	Dim, Hidden, Layers int // width, width between the two products of the feed-forward part, number of layers
	Heads, KVHeads      int // heads of queries, and of keys and values, which heads share
	HeadDim             int // size of a head; 0 is Dim/Heads
	Vocab, Context      int // tokens, and positions
	Eps                 float64
	RopeBase            float64
	// what the frequencies of the rotary embedding are divided by, one for each pair; nil for none
	RopeFactors []float64
	RopeScaling RopeScaling // how Llama 3.1 scales it to a longer context
	// pairs that are rotated by the time of a token, its row and its column in an image, and again, as in Qwen2-VL; nil
	// for one position
	RopeSections []int
	// pairs of the rotary embedding are neighbours, as in Meta's files and GGUF's of Llama; else halves
	Interleaved bool
	Tied        bool  // the output has the weights of the embedding
	QKVBias     bool  // queries, keys and values have a bias, as in Qwen 2
	QKNorm      bool  // queries and keys are normalised, as in Qwen 3
	Window      int   // how many positions a query sees at most, its own among them; 0 is all
	EOS         []int // tokens that end a text
	Variant

	names *Names      // of the weights, where namesIn cannot tell
	xielu [][]float32 // of each layer of a GGUF file, the weights of xIELU
}

// RopeScaling is Llama 3.1's scaling of the rotary embedding to a longer context: low frequencies are divided by
// Factor, high ones stay. A Factor of 0 is none.
type RopeScaling struct {
	Factor, Low, High float64
	Context           int // positions of the original model
}

// mostAngles bounds the cosines and sines of the rotary embedding, which are in memory for all positions: 1 GiB in F32,
// 2 million positions of heads of 128.
const mostAngles = 1 << 28

// Check returns an error when the sizes do not fit, and fills in what is 0.
func (c *LlamaConfig) Check() error {
	if c.Parts != nil && len(c.Parts) != c.Layers {
		return fmt.Errorf("models: Parts lists %d layers of %d", len(c.Parts), c.Layers)
	}
	if c.StateSpace != nil && c.Parts == nil {
		if err := c.fillSpace(); err != nil {
			return err
		}
	}
	if c.Latent != nil {
		if err := c.Latent.fill(c); err != nil {
			return err
		}
	}
	for _, n := range []int{c.Dim, c.Hidden, c.Layers, c.Heads, c.KVHeads, c.Vocab, c.Context} {
		if n < 1 || n > 1<<30 {
			return fmt.Errorf("models: a Llama of these sizes is not possible: %+v", *c)
		}
	}
	if c.HeadDim == 0 {
		if c.Dim%c.Heads != 0 {
			return fmt.Errorf("models: %d heads do not divide a width of %d", c.Heads, c.Dim)
		}
		c.HeadDim = c.Dim / c.Heads
	}
	if c.Heads%c.KVHeads != 0 || c.HeadDim < 2 || c.HeadDim%2 != 0 || c.HeadDim > 1<<16 {
		return fmt.Errorf("models: %d heads of size %d cannot share %d heads of keys", c.Heads, c.HeadDim, c.KVHeads)
	}
	if most := mostAngles / max(c.ropeDim(), 2); c.PartsAt(WithAttention) >= 0 && c.Context > most {
		return fmt.Errorf("models: the model has %d positions, and tables of its rotary embedding have at most %d: want a smaller "+
			"Context (context_length, max_position_embeddings)", c.Context, most)
	}
	if c.Eps == 0 {
		c.Eps = 1e-5
	}
	if c.RopeBase == 0 {
		c.RopeBase = 10000
	}
	if c.Window < 0 {
		return fmt.Errorf("models: a window of %d positions is not possible", c.Window)
	}
	if n := len(c.RopeFactors); n != 0 && n != c.ropeDim()/2 {
		return fmt.Errorf("models: there are %d factors for the %d pairs of the rotary embedding", n, c.ropeDim()/2)
	}
	if err := c.checkSections(); err != nil {
		return err
	}
	return c.checkVariant()
}

// Count is about how many weights the model has, at least: of those of experts an eighth, which files may pack to a bit
// or two each.
func (c *LlamaConfig) Count() float64 {
	dim := float64(c.Dim)
	layer := dim * float64(2*c.Heads+2*c.KVHeads) * float64(c.HeadDim)
	if c.Latent != nil {
		layer = c.Latent.count(c)
	}
	feedForward := 0.0
	if c.Mixture == nil {
		feedForward = 2 * dim * float64(c.Hidden)
		if !c.Ungated {
			feedForward += dim * float64(c.Hidden)
		}
	}
	n := float64(c.Vocab)*dim + c.Mixture.count(c)
	switch {
	case c.Parts == nil && c.StateSpace == nil:
		return n + float64(c.Layers)*(layer+feedForward)
	case c.Parts == nil:
		return n + float64(c.Layers)*c.StateSpace.Count()
	}
	for _, parts := range c.Parts {
		if parts&WithAttention != 0 {
			n += layer
		}
		if parts&WithState != 0 {
			n += c.StateSpace.Count()
		}
		if parts&WithFeedForward != 0 {
			n += feedForward
		}
	}
	return n
}

// Frequencies are those of the rotary embedding with a base, scaled to a longer context or not.
func (c *LlamaConfig) Frequencies(base float64, scaled bool) []float64 {
	f := make([]float64, c.ropeDim()/2)
	for i := range f {
		f[i] = math.Pow(base, -2*float64(i)/float64(c.ropeDim()))
		if scaled && len(c.RopeFactors) > 0 {
			f[i] /= c.RopeFactors[i]
		}
		if scaled && c.RopeScaling.Factor > 0 {
			f[i] = c.RopeScaling.scale(f[i])
		}
	}
	return f
}

// scale is Meta's formula.
func (s RopeScaling) scale(f float64) float64 {
	turns := float64(s.Context) * f / (2 * math.Pi) // the context of the original model
	switch {
	case turns > s.High:
		return f
	case turns < s.Low:
		return f / s.Factor
	}
	smooth := (turns - s.Low) / (s.High - s.Low)
	return (1-smooth)*f/s.Factor + smooth*f
}

// XIELUOf are the weights of the activation of a layer, where they are not among those of the model, or nil.
func (c *LlamaConfig) XIELUOf(layer int) []float32 {
	if c.xielu == nil {
		return nil
	}
	return c.xielu[layer]
}

// checkSections returns an error unless the sections of the rotary embedding are its pairs.
func (c *LlamaConfig) checkSections() error {
	if c.RopeSections == nil {
		return nil
	}
	sum := 0
	for _, n := range c.RopeSections {
		if n < 1 || n > c.HeadDim {
			return fmt.Errorf("models: sections %v of a rotary embedding are not possible", c.RopeSections)
		}
		sum += n
	}
	if sum != c.ropeDim()/2 {
		return fmt.Errorf("models: sections %v of a rotary embedding are not its %d pairs", c.RopeSections, c.ropeDim()/2)
	}
	return nil
}
