package vision

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/cliptext"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// CLIP is a model that reads images and texts, and gives vectors of a small angle to an image and a text that describes
// it: OpenAI's CLIP (Radford et al., 2021), or SigLIP (Zhai et al., 2023).
type CLIP struct {
	Name      string     // of its folder
	Config    Config     // of the part that reads images
	Text      TextConfig // of the part that reads texts
	Processor *Processor // which prepares images
	Tokenizer *tokenizers.Tokenizer

	dev          *tensor.Device
	dtype        tensor.DType
	image        tensor.Func                      // pixels [n 3 h w] to vectors [n dim]
	text         func(ids [][]int) *tensor.Tensor // to vectors [n dim]
	pad          int                              // the token that fills texts up
	eos          int                              // the token whose row is the text's, with CLIP
	scale, shift float64                          // of the products of vectors, for Logits
}

// TextConfig are the sizes of the part of a CLIP that reads texts.
type TextConfig struct {
	Dim, Hidden, Layers, Heads int
	Vocab, Context             int // tokens, and positions
	Eps                        float64
	Activation                 string
}

// pairFamilies take the weights of a model_type.
var pairFamilies = map[string]func(c *CLIP, j *jsonPair, p *nn.Params) error{"clip": clip, "siglip": siglip}

// jsonPair is config.json of a model of images and texts.
type jsonPair struct {
	ModelType  string     `json:"model_type"`
	Projection int        `json:"projection_dim"`
	Image      jsonConfig `json:"vision_config"`
	Text       struct {
		Dim        int      `json:"hidden_size"`
		Hidden     int      `json:"intermediate_size"`
		Layers     int      `json:"num_hidden_layers"`
		Heads      int      `json:"num_attention_heads"`
		Vocab      int      `json:"vocab_size"`
		Context    int      `json:"max_position_embeddings"`
		Eps        *float64 `json:"layer_norm_eps"`
		Act        string   `json:"hidden_act"`
		Pad        *int     `json:"pad_token_id"`
		EOS        *int     `json:"eos_token_id"`
		Projection int      `json:"projection_size"`
	} `json:"text_config"`
}

// readPair reads config.json. Older files have sizes twice, and those of the dicts are meant, as in transformers.
func readPair(path string) (*jsonPair, error) {
	j, dicts := &jsonPair{}, struct {
		Image json.RawMessage `json:"vision_config_dict"`
		Text  json.RawMessage `json:"text_config_dict"`
	}{}
	if err := parts.ReadJSON(path, j); err != nil {
		return nil, err
	}
	if err := parts.ReadJSON(path, &dicts); err != nil {
		return nil, err
	}
	for _, dict := range []struct {
		data json.RawMessage
		to   any
	}{{dicts.Image, &j.Image}, {dicts.Text, &j.Text}} {
		if dict.data == nil {
			continue
		}
		if err := json.Unmarshal(dict.data, dict.to); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return j, nil
}

var usualText = map[string]TextConfig{
	"clip":   {Dim: 512, Hidden: 2048, Layers: 12, Heads: 8, Vocab: 49408, Context: 77, Eps: 1e-5, Activation: "quick_gelu"},
	"siglip": {Dim: 768, Hidden: 3072, Layers: 12, Heads: 12, Vocab: 32000, Context: 64, Eps: 1e-6, Activation: "gelu_pytorch_tanh"},
}

// OpenCLIP reads CLIP or SigLIP from a folder of Hugging Face onto a device, to compute in F32: config.json,
// preprocessor_config.json (or processor_config.json), tokenizer.json and the weights. Its model_type is clip or
// siglip. The error is as that of Open.
func OpenCLIP(path string, dev *tensor.Device) (*CLIP, error) {
	return OpenCLIPAs(path, tensor.F32, dev)
}

// OpenCLIPAs is OpenCLIP for a model that computes in dtype. Results are F32.
func OpenCLIPAs(path string, dtype tensor.DType, dev *tensor.Device) (*CLIP, error) {
	c := &CLIP{Name: filepath.Base(filepath.Clean(path)), dev: dev, dtype: dtype}
	if err := c.read(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func (c *CLIP) read(path string) (err error) {
	if !c.dtype.IsFloat() {
		return fmt.Errorf("vision: a model computes in floats, not in %v", c.dtype)
	}
	j, err := readPair(filepath.Join(path, "config.json"))
	if err != nil {
		return err
	}
	take := pairFamilies[j.ModelType]
	if take == nil {
		return fmt.Errorf("vision: model_type %q does not read images and texts: want one of %s; Open reads %s",
			j.ModelType, names(pairFamilies), names(families))
	}
	if c.Config, err = j.Image.config(j.ModelType); err != nil {
		return err
	}
	if c.Text, err = j.text(); err != nil {
		return err
	}
	if c.Processor, err = readProcessor(path); err != nil {
		return err
	}
	if err := c.readTokenizer(path, j); err != nil {
		return err
	}
	t := &c.Text
	n := float64(t.Layers)*float64(t.Dim)*float64(4*t.Dim+2*t.Hidden) + float64(t.Vocab+t.Context)*float64(t.Dim)
	p, err := parts.OpenParams(path, c.Config.count()+n, c.dtype, c.dev)
	if err != nil {
		return err
	}
	defer p.Close()
	return take(c, j, p)
}

// text are the sizes of the part that reads texts.
func (j *jsonPair) text() (TextConfig, error) {
	t, of := usualText[j.ModelType], &j.Text
	t.Dim, t.Hidden = parts.FirstOf(of.Dim, t.Dim), parts.FirstOf(of.Hidden, t.Hidden)
	t.Layers, t.Heads = parts.FirstOf(of.Layers, t.Layers), parts.FirstOf(of.Heads, t.Heads)
	t.Vocab, t.Context = parts.FirstOf(of.Vocab, t.Vocab), parts.FirstOf(of.Context, t.Context)
	t.Activation = parts.FirstOf(of.Act, t.Activation)
	set(&t.Eps, of.Eps)
	for _, n := range []int{t.Dim, t.Hidden, t.Layers, t.Heads, t.Context} {
		if n < 1 || n > maxWidth {
			return t, fmt.Errorf("vision: a text_config of these sizes is not possible: %+v", t)
		}
	}
	if t.Vocab < 1 || t.Vocab > 1<<24 || t.Layers > maxLayers || t.Dim%t.Heads != 0 {
		return t, fmt.Errorf("vision: a text_config of these sizes is not possible: %+v", t)
	}
	for _, n := range []int{parts.FirstOf(j.Projection, 512), parts.FirstOf(j.Text.Projection, t.Dim)} {
		if n < 1 || n > maxWidth {
			return t, fmt.Errorf("vision: vectors of %d numbers are not possible", n)
		}
	}
	if j.Image.UseHead != nil && !*j.Image.UseHead {
		return t, fmt.Errorf("vision: vision_use_head false is not supported")
	}
	_, err := nn.ParseActivation(t.Activation)
	return t, err
}

// readTokenizer reads tokenizer.json, and which tokens fill texts up and end them.
func (c *CLIP) readTokenizer(path string, j *jsonPair) (err error) {
	if c.Tokenizer, err = tokenizers.ReadJSON(filepath.Join(path, "tokenizer.json")); err != nil {
		return err
	}
	if n := c.Tokenizer.Size(); n > c.Text.Vocab {
		return fmt.Errorf("vision: the tokenizer has %d tokens, and the model %d", n, c.Text.Vocab)
	}
	c.pad, c.eos = 1, 49407
	set(&c.pad, j.Text.Pad)
	set(&c.eos, j.Text.EOS)
	special, err := parts.SpecialTokens(path)
	if err != nil {
		return err
	}
	if id, ok := c.Tokenizer.ID(special["pad_token"]); ok {
		c.pad = id
	}
	if c.pad < 0 || c.pad >= c.Text.Vocab {
		return fmt.Errorf("vision: the token that fills texts up is %d, of %d", c.pad, c.Text.Vocab)
	}
	return nil
}

// String says what the model is, in a line.
func (c *CLIP) String() string {
	return fmt.Sprintf("%s: %s, images: %d layers, width %d, patches of %d; texts: %d layers, width %d, %d tokens; %v on %s",
		c.Name, c.Config.ModelType, c.Config.Layers, c.Config.Dim, c.Config.Patch, c.Text.Layers, c.Text.Dim,
		c.Text.Vocab,
		c.dtype, c.dev.Location())
}

// Device returns where the weights are.
func (c *CLIP) Device() *tensor.Device { return c.dev }

// Images returns the vectors of images, of length 1: F32 [images dim]. Images are U8 of shape [channels height width];
// it panics for others as Processor.Pixels does, and with ErrShape for none.
func (c *CLIP) Images(images ...*tensor.Tensor) *tensor.Tensor {
	return inBatches(c.Config.ModelType, c.Processor, c.dtype, c.dev, images, func(x *tensor.Tensor) *tensor.Tensor {
		return unit(c.image(x).ToDType(tensor.F32))
	})
}

// batchTexts bounds how many texts are read at once.
const batchTexts = 64

// Texts returns the vectors of texts, of length 1: F32 [texts dim]. Texts that are longer than the model has positions
// are cut off. It panics with ErrShape for no texts.
func (c *CLIP) Texts(texts ...string) *tensor.Tensor {
	if len(texts) == 0 {
		panic(&tensor.Error{Op: c.Config.ModelType, Kind: tensor.ErrShape, Message: "want at least one text"})
	}
	var out []*tensor.Tensor
	for at := 0; at < len(texts); at += batchTexts {
		var ids [][]int
		for _, text := range texts[at:min(at+batchTexts, len(texts))] {
			ids = append(ids, c.Tokenizer.Shorten(c.Tokenizer.Encode(text), c.Text.Context))
		}
		out = append(out, tensor.Scoped(func() *tensor.Tensor { return unit(c.text(ids).ToDType(tensor.F32)) }))
	}
	return tensor.Cat(out, 0)
}

// Logits returns how well texts describe images, F32 [images texts], from vectors of Images and Texts: their products
// with the model's factor, and with SigLIP its bias.
func (c *CLIP) Logits(images, texts *tensor.Tensor) *tensor.Tensor {
	return images.MatMul(texts.T()).Affine(c.scale, c.shift)
}

// Classify says which of the labels, which are texts such as "a photo of a cat", describes an image, the likeliest
// first. The probabilities of CLIP are those of one label among the others; SigLIP's are of each label alone.
func (c *CLIP) Classify(image *tensor.Tensor, labels ...string) []Class {
	scores := c.Logits(c.Images(image), c.Texts(labels...))
	if c.Config.ModelType == "siglip" {
		scores = scores.Sigmoid()
	} else {
		scores = scores.Softmax(-1)
	}
	return likeliest(labels, scores, 0)
}

var clipNames = layerNames{q: "self_attn.q_proj", k: "self_attn.k_proj", v: "self_attn.v_proj",
	out: "self_attn.out_proj",
	up:  "mlp.fc1", down: "mlp.fc2", norm1: "layer_norm1", norm2: "layer_norm2"}

// stack is the layers of a part that reads images or texts.
type stack struct {
	layers []*parts.Layer
	norm   *nn.LayerNormLayer // after the last layer
}

// newStack takes the layers of a part, and the norm of that name.
func newStack(c *Config, norm string, at *nn.Params) *stack {
	t, act := &stack{}, activation(c.Activation)
	for i := range c.Layers {
		t.layers = append(t.layers, newLayer(c, act, &clipNames, true, at.At("encoder", "layers", i)))
	}
	t.norm = nn.NewLayerNorm(c.Dim, c.Eps, at.At(norm))
	return t
}

// towers takes the two parts but for their ends, inside of a Build.
func (c *CLIP) towers(p *nn.Params) (e *patches, image *stack, texts *cliptext.Encoder) {
	at := p.At("vision_model")
	e = newTablePatches(&c.Config, at, c.Config.ModelType == "clip")
	return e, newStack(&c.Config, "post_layernorm", at),
		cliptext.New((*cliptext.Config)(&c.Text), p.At("text_model"))
}

// newTablePatches takes the projection of patches and the table of their positions. With CLIP there is a row for the
// image as a whole, and the projection has no bias.
func newTablePatches(c *Config, at *nn.Params, clip bool) *patches {
	e := newPatches(c, at.At("embeddings", "patch_embedding"), !clip)
	rows := e.grid[0] * e.grid[1]
	if clip {
		e.class = at.Get("embeddings.class_embedding", []int{c.Dim}, nil).Reshape(1, 1, c.Dim)
		rows++
	}
	e.positions = at.Get("embeddings.position_embedding.weight", []int{rows, c.Dim}, nil).Unsqueeze(0)
	at.Ignore("embeddings.position_ids") // of older files
	return e
}

// clip is OpenAI's CLIP. The row of a text is that of the token that ends it.
func clip(c *CLIP, j *jsonPair, p *nn.Params) error {
	size := parts.FirstOf(j.Projection, 512)
	return p.Build(func() {
		e, image, texts := c.towers(p)
		before := nn.NewLayerNorm(c.Config.Dim, c.Config.Eps, p.At("vision_model", "pre_layrnorm"))
		ofImage := nn.NewLinearNoBias(c.Config.Dim, size, p.At("visual_projection"))
		ofText := nn.NewLinearNoBias(c.Text.Dim, size, p.At("text_projection"))
		c.scale = math.Exp(p.Get("logit_scale", nil, nil).ToDType(tensor.F32).ToScalar())
		c.image = func(x *tensor.Tensor) *tensor.Tensor {
			rows := rowsOf(image.layers, before.Forward(e.forward(x)), nn.Attend{})
			return ofImage.Forward(image.norm.Forward(firstRow(rows)))
		}
		c.text = func(ids [][]int) *tensor.Tensor {
			n, at := 0, make([]int, len(ids))
			for i, text := range ids {
				n, at[i] = max(n, len(text)), cliptext.End(text, c.eos)
			}
			return ofText.Forward(cliptext.RowOf(texts.Rows(ids, n, c.pad, nn.Attend{Causal: true}), at))
		}
	})
}
