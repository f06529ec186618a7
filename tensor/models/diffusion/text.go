package diffusion

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/cliptext"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// textEncoder is the part of a CLIP that reads texts, with its tokenizer.
type textEncoder struct {
	config    cliptext.Config
	projected int  // width of the row of a whole text; 0 for an encoder without one
	pooled    bool // the row of a whole text is that of the last norm: with projected of 0
	eos, pad  int
	context   int // tokens of a text, which is filled up or cut off

	tokenizer *tokenizers.Tokenizer
	encoder   *cliptext.Encoder
	project   *nn.Linear
	dtype     tensor.DType
}

// readText reads what a folder has of a text encoder: text_encoder and tokenizer, or, with SDXL, those of number 2.
func readText(folder, number string, projects bool) (*textEncoder, error) {
	c, err := readConfig(folder, "text_encoder"+number, "config.json")
	if err != nil {
		return nil, err
	}
	c.only("model_type", "clip_text_model")
	t := &textEncoder{eos: value(c, "eos_token_id", 49407)}
	t.config = cliptext.Config{Dim: c.between("hidden_size", 512, 1, maxWidth),
		Hidden: c.between("intermediate_size", 2048, 1, 1<<17), Layers: c.between("num_hidden_layers", 12, 2, 1<<10),
		Heads: c.between("num_attention_heads", 8, 1, maxWidth), Vocab: c.between("vocab_size", 49408, 1, 1<<24),
		Context: c.between("max_position_embeddings", 77, 2, maxWidth), Eps: value(c, "layer_norm_eps", 1e-5),
		Activation: value(c, "hidden_act", "quick_gelu")}
	c.activation("hidden_act", "quick_gelu")
	if t.config.Dim%t.config.Heads != 0 {
		c.fail("num_attention_heads is %d, which does not divide hidden_size, %d", t.config.Heads, t.config.Dim)
	}
	if width := c.between("projection_dim", 512, 0, maxWidth); projects {
		t.projected = width
	}
	c.only("use_attention_mask", false)
	c.only("is_decoder", false)
	// of training, or of what reading a config does not depend on
	c.ignore("architectures", "attention_dropout", "dropout", "initializer_factor", "initializer_range", "bos_token_id",
		"pad_token_id", "torch_dtype", "dtype", "transformers_version", "output_attentions", "output_hidden_states",
		"return_dict", "use_cache", "gradient_checkpointing")
	if err := c.end(); err != nil {
		return nil, err
	}
	return t, t.readTokenizer(filepath.Join(folder, "tokenizer"+number))
}

// readTokenizer reads the tokenizer, how long texts are, and which token fills them up.
func (t *textEncoder) readTokenizer(folder string) (err error) {
	if t.tokenizer, err = openTokenizer(folder); err != nil {
		return fmt.Errorf("diffusion: %s: %w", filepath.Base(folder), err)
	}
	if n := t.tokenizer.Size(); n > t.config.Vocab {
		return fmt.Errorf("diffusion: %s has %d tokens, and the text encoder %d", filepath.Base(folder), n, t.config.Vocab)
	}
	var j struct {
		Longest float64 `json:"model_max_length"` // which may be 1e30
	}
	if err := parts.ReadJSON(filepath.Join(folder, "tokenizer_config.json"), &j); err != nil {
		return err
	}
	if t.context = t.config.Context; j.Longest >= 2 && j.Longest < float64(t.context) {
		t.context = int(j.Longest)
	}
	special, err := parts.SpecialTokens(folder)
	if err != nil {
		return err
	}
	pad := parts.FirstOf(special["pad_token"], "<|endoftext|>")
	id, ok := t.tokenizer.ID(pad)
	if !ok {
		return fmt.Errorf("diffusion: %s has no %q, which fills texts up", filepath.Base(folder), pad)
	}
	t.pad = id
	return nil
}

// count is about how many weights there are.
func (t *textEncoder) count() float64 {
	c := &t.config
	return float64(c.Layers)*float64(c.Dim)*float64(4*c.Dim+2*c.Hidden) + float64(c.Vocab+c.Context)*float64(c.Dim)
}

// take takes the weights, inside of a Build.
func (t *textEncoder) take(p *nn.Params) {
	at, _ := parts.Under(p, "text_model", "final_layer_norm.weight")
	t.encoder, t.dtype = cliptext.New(&t.config, at), p.DType()
	if t.projected > 0 {
		t.project = nn.NewLinearNoBias(t.config.Dim, t.projected, p.At("text_projection"))
	}
}

// ids are the tokens of a text.
func (t *textEncoder) ids(text string) []int {
	ids := slices.Clone(t.tokenizer.Shorten(t.tokenizer.Encode(text), t.context))
	for len(ids) < t.context {
		ids = append(ids, t.pad)
	}
	return ids
}

// rows are those of a text [1 tokens width]: of the last layer, or, with SDXL, of that before, and the row of the whole
// text [1 width], or nil.
func (t *textEncoder) rows(text string, beforeLast bool) (rows, whole *tensor.Tensor) {
	ids := t.ids(text)
	x := t.encoder.Embed([][]int{ids}, t.context, t.pad)
	for i, l := range t.encoder.Layers {
		if i == t.config.Layers-1 {
			rows = x
		}
		x = l.Forward(x, nn.Attend{Causal: true})
	}
	x = t.encoder.Norm.Forward(x)
	if !beforeLast {
		rows = x
	}
	if t.project != nil || t.pooled {
		whole = cliptext.RowOf(x, []int{cliptext.End(ids, t.eos)})
	}
	if t.project != nil {
		whole = t.project.Forward(whole)
	}
	return rows, whole
}
