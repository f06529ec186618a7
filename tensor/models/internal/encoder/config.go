package encoder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// jsonEncoder is config.json of an encoder.
type jsonEncoder struct {
	ModelType     string   `json:"model_type"`
	Architectures []string `json:"architectures"`
	Dim           int      `json:"hidden_size"`
	Hidden        int      `json:"intermediate_size"`
	Layers        int      `json:"num_hidden_layers"`
	Heads         int      `json:"num_attention_heads"`
	Vocab         int      `json:"vocab_size"`
	Context       int      `json:"max_position_embeddings"`
	Types         int      `json:"type_vocab_size"`
	Pad           *int     `json:"pad_token_id"`
	Eps           float64  `json:"layer_norm_eps"`
	Act           string   `json:"hidden_act"`
	Positions     string   `json:"position_embedding_type"`
	Decoder       bool     `json:"is_decoder"`

	// DistilBERT's names.
	DimD    int    `json:"dim"`
	HiddenD int    `json:"hidden_dim"`
	LayersD int    `json:"n_layers"`
	HeadsD  int    `json:"n_heads"`
	ActD    string `json:"activation"`

	// ModernBERT's.
	NormEps       float64    `json:"norm_eps"`
	NormBias      bool       `json:"norm_bias"`
	AttentionBias bool       `json:"attention_bias"`
	MLPBias       bool       `json:"mlp_bias"`
	ActM          string     `json:"hidden_activation"`
	Local         int        `json:"local_attention"`
	Every         int        `json:"global_attn_every_n_layers"`
	Kinds         []string   `json:"layer_types"`
	GlobalBase    float64    `json:"global_rope_theta"`
	LocalBase     float64    `json:"local_rope_theta"`
	Rope          *jsonRopes `json:"rope_parameters"`
	HeadPooling   string     `json:"classifier_pooling"`
	HeadBias      bool       `json:"classifier_bias"`
	HeadAct       string     `json:"classifier_activation"`

	// Those of Nomic's first files.
	DimN     int      `json:"n_embd"`
	HiddenN  int      `json:"n_inner"`
	LayersN  int      `json:"n_layer"`
	HeadsN   int      `json:"n_head"`
	ContextN int      `json:"n_positions"`
	EpsN     float64  `json:"layer_norm_epsilon"`
	RopeN    float64  `json:"rotary_emb_base"`
	Scaling  *float64 `json:"rotary_scaling_factor"`
	Fraction *float64 `json:"rotary_emb_fraction"`
	ActN     string   `json:"activation_function"`
	PreNorm  bool     `json:"prenorm"`
	RmsNorm  bool     `json:"use_rms_norm"`
	Parallel bool     `json:"parallel_block"`
	Pairs    bool     `json:"rotary_emb_interleaved"`

	LabelNames map[string]string `json:"id2label"`
}

var encoderDefaults = map[string]Config{"modernbert": {Eps: 1e-5}, "nomic_bert": {Activation: "silu"}}

// config translates sizes, and checks them.
func (j *jsonEncoder) config(c *Config) error {
	*c = Config{
		ModelType: j.ModelType, Dim: parts.FirstOf(j.Dim, j.DimD, j.DimN), Hidden: parts.FirstOf(j.Hidden, j.HiddenD, j.HiddenN),
		Layers: parts.FirstOf(j.Layers, j.LayersD, j.LayersN), Heads: parts.FirstOf(j.Heads, j.HeadsD, j.HeadsN), Vocab: j.Vocab,
		Context: parts.FirstOf(j.Context, j.ContextN), Eps: parts.FirstOf(j.Eps, j.NormEps, j.EpsN),
		Activation: parts.FirstOf(j.Act, j.ActD, j.ActM, j.ActN),
	}
	usual := encoderDefaults[j.ModelType] // of transformers, for what files leave out
	c.Eps = parts.FirstOf(c.Eps, usual.Eps, 1e-12)
	if c.Activation = parts.FirstOf(c.Activation, usual.Activation, "gelu"); c.Activation == "swiglu" {
		c.Activation = "silu"
	}
	for _, n := range []int{c.Dim, c.Hidden, c.Layers, c.Heads, c.Vocab, c.Context} {
		if n < 1 || n > 1<<30 {
			return fmt.Errorf("models: an encoder of these sizes is not possible: %+v", *c)
		}
	}
	if c.Context > mostPositions {
		return fmt.Errorf("models: the encoder has %d positions (max_position_embeddings): want at most %d", c.Context,
			mostPositions)
	}
	if c.Dim%c.Heads != 0 || c.Layers > 1<<12 {
		return fmt.Errorf("models: %d heads do not divide a width of %d, or %d layers are too many", c.Heads, c.Dim, c.Layers)
	}
	if j.Positions != "" && j.Positions != "absolute" || j.Decoder {
		return fmt.Errorf("models: position_embedding_type %q, with is_decoder %v, is not supported", j.Positions, j.Decoder)
	}
	_, err := nn.ParseActivation(c.Activation)
	return err
}

// mostPositions bounds tables of a rotary embedding, which no file has.
const mostPositions = 1 << 20

// count is about how many weights there are, at least.
func (c *Config) count() float64 {
	dim := float64(c.Dim)
	return dim * (float64(c.Vocab) + float64(c.Layers)*float64(4*c.Dim+2*c.Hidden))
}

// classifies reports whether the model was saved with a classifier of texts, and lists the labels.
func (j *jsonEncoder) classifies() (labels []string, yes bool) {
	for _, a := range j.Architectures {
		yes = yes || strings.HasSuffix(a, "ForSequenceClassification")
	}
	if !yes {
		return nil, false
	}
	return parts.Labels(j.LabelNames), true
}

// readSentence reads how sentence-transformers makes vectors with the model: modules.json and what it names.
func (e *Encoder) readSentence(folder string) error {
	var tokenizer struct {
		Length float64 `json:"model_max_length"` // 1e30 for none
	}
	if _, err := parts.OptionalJSON(filepath.Join(folder, "tokenizer_config.json"), &tokenizer); err != nil {
		return err
	}
	if n := tokenizer.Length; n >= 1 && n < 1<<30 {
		e.limit = int(n)
	}
	var modules []struct{ Path, Type string }
	if there, err := parts.OptionalJSON(filepath.Join(folder, "modules.json"), &modules); !there || err != nil {
		return err
	}
	for i, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		switch {
		case kind == "Transformer" && i == 0:
			if m.Path != "" {
				return fmt.Errorf("models: the weights of a sentence transformer in a folder of their own (%s) are not supported", m.Path)
			}
		case kind == "Pooling":
			if filepath.Base(m.Path) != m.Path || m.Path == ".." {
				return fmt.Errorf("models: modules.json names %q, which is not a folder beside it", m.Path)
			}
			if err := e.readPooling(filepath.Join(folder, m.Path, "config.json")); err != nil {
				return err
			}
		case kind == "Normalize":
			e.Pooling.Normalize = true
		default:
			return fmt.Errorf("models: the module %s of a sentence transformer is not supported", m.Type)
		}
	}
	var limits struct {
		Length int  `json:"max_seq_length"`
		Small  bool `json:"do_lower_case"`
	}
	if _, err := parts.OptionalJSON(filepath.Join(folder, "sentence_bert_config.json"), &limits); err != nil {
		return err
	}
	if e.small = limits.Small; limits.Length > 0 {
		e.limit = limits.Length
	}
	var own struct {
		Prompts map[string]string
		Default *string `json:"default_prompt_name"`
	}
	if _, err := parts.OptionalJSON(filepath.Join(folder, "config_sentence_transformers.json"), &own); err != nil {
		return err
	}
	if e.Prompts = own.Prompts; own.Default != nil {
		text, ok := own.Prompts[*own.Default]
		if !ok {
			return fmt.Errorf("models: config_sentence_transformers.json has no prompt %q, which is the default", *own.Default)
		}
		e.prompt = text
	}
	return nil
}

// readPooling reads the config of the module Pooling, of older or newer files.
func (e *Encoder) readPooling(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	if string(fields["include_prompt"]) == "false" {
		return fmt.Errorf("models: pooling with include_prompt false is not supported")
	}
	var modes []string
	if raw, ok := fields["pooling_mode"]; ok {
		var one string
		if json.Unmarshal(raw, &one) == nil {
			modes = []string{one}
		} else if err := json.Unmarshal(raw, &modes); err != nil {
			return fmt.Errorf("models: the pooling mode %s is not supported", raw)
		}
	}
	for name, mode := range map[string]string{"cls_token": "cls", "mean_tokens": "mean", "max_tokens": "max",
		"mean_sqrt_len_tokens": "mean_sqrt_len", "weightedmean_tokens": "weightedmean", "lasttoken": "lasttoken"} {
		if string(fields["pooling_mode_"+name]) == "true" {
			modes = append(modes, mode)
		}
	}
	if len(modes) != 1 || modes[0] != "cls" && modes[0] != "mean" && modes[0] != "max" {
		return fmt.Errorf("models: the pooling modes %q are not supported: want one of cls, mean and max", modes)
	}
	e.Pooling.Mode = modes[0]
	return nil
}

// jsonRopes is one rotary embedding, or one for each kind of layers.
type jsonRopes struct {
	jsonRope
	Full  *jsonRope `json:"full_attention"`
	Local *jsonRope `json:"sliding_attention"`
}

// jsonRope is a rotary embedding of rope_parameters.
type jsonRope struct {
	Type    string  `json:"rope_type"`
	OldType string  `json:"type"`
	Theta   float64 `json:"rope_theta"`
}

func (r *jsonRope) kind() string { return parts.FirstOf(r.Type, r.OldType) }
