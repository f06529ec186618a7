// Package t5 has the layers of T5, Flan-T5 and mT5: an encoder, and a decoder that attends to what it gives.
package t5

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Config are the sizes of a T5.
type Config struct {
	ModelType      string // t5 or mt5
	Dim, Hidden    int    // width, and width between the products of a feed-forward part
	Layers         int    // of the encoder
	DecoderLayers  int
	Heads, HeadDim int
	Vocab          int
	Buckets        int // of distances between tokens, each of which has a number that is added to the scores
	Farthest       int // the distance from which on all are in one bucket
	Eps            float64
	Activation     string // of the feed-forward part, by the names of nn.ParseActivation
	Gated          bool   // which multiplies it by another product
	Scaled         bool   // rows are divided by √Dim before the output, as in the first models
	Start          int    // the token that a reply begins with
	EOS            []int  // the tokens that end one
}

// jsonConfig is config.json.
type jsonConfig struct {
	ModelType     string         `json:"model_type"`
	Dim           int            `json:"d_model"`
	Hidden        int            `json:"d_ff"`
	HeadDim       int            `json:"d_kv"`
	Layers        int            `json:"num_layers"`
	DecoderLayers int            `json:"num_decoder_layers"`
	Heads         int            `json:"num_heads"`
	Vocab         int            `json:"vocab_size"`
	Buckets       int            `json:"relative_attention_num_buckets"`
	Farthest      int            `json:"relative_attention_max_distance"`
	Eps           float64        `json:"layer_norm_epsilon"`
	FeedForward   string         `json:"feed_forward_proj"`
	Tied          *bool          `json:"tie_word_embeddings"`
	Scaled        *bool          `json:"scale_decoder_outputs"` // of newer files
	Start         *int           `json:"decoder_start_token_id"`
	EOS           parts.TokenIDs `json:"eos_token_id"`
}

// types are the values of model_type that OpenT5 reads, with what their files may leave out.
var types = map[string]Config{
	"t5":  {Dim: 512, Hidden: 2048, Layers: 6, Heads: 8, HeadDim: 64, Vocab: 32128, Activation: "relu"},
	"mt5": {Dim: 512, Hidden: 1024, Layers: 8, Heads: 6, HeadDim: 64, Vocab: 250112, Activation: "gated-gelu"},
}

// ReadConfig reads config.json of a folder.
func ReadConfig(folder string) (c Config, err error) {
	var j jsonConfig
	if err := parts.ReadJSON(filepath.Join(folder, "config.json"), &j); err != nil {
		return c, err
	}
	if c, err = j.config(); err == nil {
		c.EOS, err = parts.EndsOf(folder, c.EOS)
	}
	return c, err
}

// config translates sizes, and checks them.
func (j *jsonConfig) config() (Config, error) {
	c, ok := types[j.ModelType]
	if !ok {
		return c, fmt.Errorf("models: model_type %q is not a T5: want t5 or mt5; Open reads language models, OpenEncoder "+
			"encoders", j.ModelType)
	}
	c.ModelType = j.ModelType
	c.Dim, c.Hidden, c.HeadDim = parts.FirstOf(j.Dim, c.Dim), parts.FirstOf(j.Hidden, c.Hidden),
		parts.FirstOf(j.HeadDim, c.HeadDim)
	c.Layers, c.Heads, c.Vocab = parts.FirstOf(j.Layers, c.Layers), parts.FirstOf(j.Heads, c.Heads),
		parts.FirstOf(j.Vocab, c.Vocab)
	c.DecoderLayers = parts.FirstOf(j.DecoderLayers, c.Layers)
	c.Buckets, c.Farthest = parts.FirstOf(j.Buckets, 32), parts.FirstOf(j.Farthest, 128)
	c.Eps = parts.FirstOf(j.Eps, 1e-6)
	c.Scaled = j.ModelType == "t5" && parts.Is(j.Scaled, parts.Is(j.Tied, true))
	if c.EOS = j.EOS; j.EOS == nil {
		c.EOS = []int{1}
	}
	if j.Start != nil {
		c.Start = *j.Start
	}
	kind := parts.FirstOf(j.FeedForward, c.Activation)
	if c.Activation, c.Gated = strings.CutPrefix(kind, "gated-"); kind == "gated-gelu" {
		c.Activation = "gelu_new"
	}
	for _, n := range []int{c.Dim, c.Hidden, c.Layers, c.DecoderLayers, c.Heads, c.HeadDim, c.Buckets, c.Farthest} {
		if n < 1 || n > 1<<16 {
			return c, fmt.Errorf("models: a T5 of these sizes is not possible: %+v", c)
		}
	}
	if c.Vocab < 1 || c.Vocab > 1<<24 || c.Layers > 1<<10 || c.DecoderLayers > 1<<10 || c.Start < 0 ||
		c.Start >= c.Vocab {
		return c, fmt.Errorf("models: a T5 of these sizes is not possible: %+v", c)
	}
	if c.Buckets < 4 || c.Buckets%2 != 0 || c.Farthest <= c.Buckets/2 {
		return c, fmt.Errorf("models: %d buckets of distances up to %d are not possible", c.Buckets, c.Farthest)
	}
	_, err := nn.ParseActivation(c.Activation)
	return c, err
}

// Count is about how many weights there are.
func (c *Config) Count() float64 {
	inner, layers := float64(c.Heads)*float64(c.HeadDim), float64(c.Layers)+2*float64(c.DecoderLayers)
	return float64(c.Dim) * (layers*4*inner + float64(c.Layers+c.DecoderLayers)*2*float64(c.Hidden) + float64(c.Vocab))
}
