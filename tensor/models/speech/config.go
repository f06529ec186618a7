package speech

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Config are the sizes of a Whisper, and its tokens.
type Config struct {
	Dim                         int // width of the rows
	Layers, Heads, Hidden       int // of the encoder
	DecoderLayers, DecoderHeads int
	DecoderHidden               int
	Mels                        int // frequencies of a frame
	Vocab                       int
	// Rows are the positions of the encoder, which halves the frames of a window, and Context those of the tokens.
	Rows, Context                 int
	Activation                    string
	Start, End, NoTimestamps      int            // tokens; those of times follow NoTimestamps
	Languages, Tasks              map[string]int // tokens, by code, such as en; by name, such as transcribe
	Suppressed, SuppressedAtStart []int          // tokens that never come, or not first
	FirstTimestamp                int            // the number of the last timestamp that may come first; -1 for any
	Previous                      int            // the token before the text of the windows before; -1 for none
}

type jsonConfig struct {
	ModelType     string `json:"model_type"`
	Dim           int    `json:"d_model"`
	Layers        int    `json:"encoder_layers"`
	Heads         int    `json:"encoder_attention_heads"`
	Hidden        int    `json:"encoder_ffn_dim"`
	DecoderLayers int    `json:"decoder_layers"`
	DecoderHeads  int    `json:"decoder_attention_heads"`
	DecoderHidden int    `json:"decoder_ffn_dim"`
	Mels          int    `json:"num_mel_bins"`
	Vocab         int    `json:"vocab_size"`
	Rows          int    `json:"max_source_positions"`
	Context       int    `json:"max_target_positions"`
	Activation    string `json:"activation_function"`
	Scale         bool   `json:"scale_embedding"`
}

// jsonGeneration is generation_config.json.
type jsonGeneration struct {
	Start             *int            `json:"decoder_start_token_id"`
	End               json.RawMessage `json:"eos_token_id"`
	NoTimestamps      *int            `json:"no_timestamps_token_id"`
	Languages         map[string]int  `json:"lang_to_id"`
	Tasks             map[string]int  `json:"task_to_id"`
	Multilingual      *bool           `json:"is_multilingual"`
	Suppressed        []int           `json:"suppress_tokens"`
	SuppressedAtStart []int           `json:"begin_suppress_tokens"`
	FirstTimestamp    *int            `json:"max_initial_timestamp_index"`
	Previous          *int            `json:"prev_sot_token_id"`
}

// readConfig reads config.json and generation_config.json of a folder.
func readConfig(folder string) (c Config, err error) {
	var j jsonConfig
	if err := parts.ReadJSON(filepath.Join(folder, "config.json"), &j); err != nil {
		return c, err
	}
	if c, err = j.config(); err != nil {
		return c, err
	}
	var g jsonGeneration
	if err := parts.ReadJSON(filepath.Join(folder, "generation_config.json"), &g); errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("speech: there is no generation_config.json, which says which tokens are times and languages")
	} else if err != nil {
		return c, err
	}
	return c, g.tokens(&c)
}

func (j *jsonConfig) config() (Config, error) {
	c := Config{Dim: j.Dim, Layers: j.Layers, Heads: j.Heads, Hidden: j.Hidden, DecoderLayers: j.DecoderLayers,
		DecoderHeads: j.DecoderHeads, DecoderHidden: j.DecoderHidden, Mels: parts.FirstOf(j.Mels, 80), Vocab: j.Vocab,
		Rows: parts.FirstOf(j.Rows, 1500), Context: parts.FirstOf(j.Context, 448),
		Activation: parts.FirstOf(j.Activation, "gelu")}
	if j.ModelType != "whisper" {
		return c, fmt.Errorf("speech: model_type %q is not supported: want whisper", j.ModelType)
	}
	if j.Scale {
		return c, fmt.Errorf("speech: scale_embedding is not supported")
	}
	for _, n := range []int{c.Dim, c.Layers, c.Heads, c.Hidden, c.DecoderLayers, c.DecoderHeads,
		c.DecoderHidden, c.Mels,
		c.Rows, c.Context} {
		if n < 1 || n > 1<<16 {
			return c, fmt.Errorf("speech: a model of these sizes is not possible: %+v", *j)
		}
	}
	if c.Vocab < 1 || c.Vocab > 1<<24 || c.Layers > 1<<10 || c.DecoderLayers > 1<<10 || c.Dim%c.Heads != 0 ||
		c.Dim%c.DecoderHeads != 0 || c.Context < 8 {
		return c, fmt.Errorf("speech: a model of these sizes is not possible: %+v", *j)
	}
	_, err := nn.ParseActivation(c.Activation)
	return c, err
}

// tokens takes those of generation_config.json, and checks them.
func (g *jsonGeneration) tokens(c *Config) error {
	if g.NoTimestamps == nil || g.Start == nil {
		return fmt.Errorf("speech: generation_config.json has no no_timestamps_token_id or decoder_start_token_id, as " +
			"those of the first versions: newer ones have them")
	}
	var ends []int
	if json.Unmarshal(g.End, &c.End) != nil {
		if json.Unmarshal(g.End, &ends) != nil || len(ends) != 1 {
			return fmt.Errorf("speech: the eos_token_id of generation_config.json is %s: want one token", g.End)
		}
		c.End = ends[0]
	}
	c.Start, c.NoTimestamps = *g.Start, *g.NoTimestamps
	c.Suppressed, c.SuppressedAtStart = g.Suppressed, g.SuppressedAtStart
	if c.FirstTimestamp = -1; g.FirstTimestamp != nil {
		c.FirstTimestamp = *g.FirstTimestamp
	}
	if c.Previous = -1; g.Previous != nil {
		c.Previous = *g.Previous
	}
	if g.Multilingual == nil || *g.Multilingual {
		c.Tasks, c.Languages = g.Tasks, map[string]int{}
		for token, id := range g.Languages { // <|en|>
			if len(token) > 4 && token[:2] == "<|" && token[len(token)-2:] == "|>" {
				token = token[2 : len(token)-2]
			}
			c.Languages[token] = id
		}
	}
	all := slices.Concat([]int{c.Start, c.End, c.NoTimestamps}, c.Suppressed, c.SuppressedAtStart)
	if g.Previous != nil {
		all = append(all, c.Previous)
	}
	for _, id := range c.Languages {
		all = append(all, id)
	}
	for _, id := range c.Tasks {
		all = append(all, id)
	}
	for _, id := range all {
		if id < 0 || id >= c.Vocab {
			return fmt.Errorf("speech: generation_config.json names token %d, of %d", id, c.Vocab)
		}
	}
	if c.NoTimestamps < c.End || c.NoTimestamps < 1 || c.NoTimestamps+2 >= c.Vocab || len(c.Languages) > 0 &&
		c.Tasks == nil {
		return fmt.Errorf("speech: generation_config.json has %d for no_timestamps_token_id, %d for the end, and %d tasks, "+
			"of %d tokens, which is not possible", c.NoTimestamps, c.End, len(c.Tasks), c.Vocab)
	}
	return nil
}

// count is about how many weights there are.
func (c *Config) count() float64 {
	dim, hidden := float64(c.Dim), float64(c.Hidden)
	layers := float64(c.Layers)*(4*dim+2*hidden) + float64(c.DecoderLayers)*(8*dim+2*float64(c.DecoderHidden))
	return dim * (layers + float64(c.Vocab+c.Rows+c.Context+3*c.Mels+3*c.Dim))
}
