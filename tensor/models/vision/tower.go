package vision

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Tower is the part of a vision-language model that reads images: a vision transformer, and a projection of its rows to
// the width of a language model. It makes of an image the text that stands for it in a prompt, and a row for each image
// token of that text. models.Open reads it with its language model.
type Tower struct {
	Config    Config      // of the vision transformer
	Processor *Processor  // which prepares images; with Tiles, only what their bytes become
	Tiles     *Tiles      // how images are split; nil for models that do not
	Range     *PixelRange // how large images are; nil for models of one size
	Width     int         // of the rows
	BeginID   int         // of the token before those of an image, which templates have in their place; -1 for none
	EndID     int         // and of that after them
	Begin     string      // their texts
	End       string
	Whole     bool   // the tokens of an image see each other, also those that follow
	TokenID   int    // of the image token
	Token     string // its text: TokenID in the tokenizer

	json    *jsonTower
	forward tensor.Func // pixels [n 3 h w] to rows [n tokens width]
	dtype   tensor.DType
	dev     *tensor.Device
}

// towerFamilies are those of a model_type.
var towerFamilies = map[string]towerFamily{
	"idefics3": smolTower, "smolvlm": smolTower, "llava": {(*Tower).readLlava, (*Tower).llava},
	"qwen2_vl": qwenTower, "qwen2_5_vl": qwenTower, "gemma3": {(*Tower).readGemma, (*Tower).gemma},
}

// towerFamily reads the sizes of models, and takes their weights, inside of a Build.
type towerFamily struct {
	read func(t *Tower, prepare *jsonProcessor) error
	take func(t *Tower, p *nn.Params)
}

var (
	smolTower = towerFamily{(*Tower).readSmol, (*Tower).smol}
	qwenTower = towerFamily{(*Tower).readQwen, (*Tower).qwen}
)

// jsonTower is config.json of a vision-language model.
type jsonTower struct {
	ModelType string     `json:"model_type"`
	Image     jsonConfig `json:"vision_config"`
	Token     *int       `json:"image_token_id"`
	OldToken  *int       `json:"image_token_index"`
	Shuffle   *int       `json:"scale_factor"` // of Idefics 3

	Act      string          `json:"projector_hidden_act"` // of LLaVA
	Strategy string          `json:"vision_feature_select_strategy"`
	Layer    json.RawMessage `json:"vision_feature_layer"`
	Bias     *bool           `json:"multimodal_projector_bias"`

	PerImage *int `json:"mm_tokens_per_image"` // of Gemma 3
	Begin    *int `json:"boi_token_index"`
	End      *int `json:"eoi_token_index"`

	clip   bool // the vision transformer is CLIP's: with a class, and a norm before the layers
	layers int  // that are computed

	fromGGUF bool // weights are those of an mmproj file, with 1 added to norms that lack it
}

// IsTower reports whether a model_type of config.json is a vision-language model whose Tower can be read.
func IsTower(modelType string) bool { return towerFamilies[modelType].read != nil }

// ReadTower reads what a folder of Hugging Face says of images, for a language model of a width: config.json and
// preprocessor_config.json. Take takes the weights. The error names what is
// not supported.
func ReadTower(folder string, width int) (*Tower, error) {
	j := &jsonTower{}
	if err := parts.ReadJSON(filepath.Join(folder, "config.json"), j); err != nil {
		return nil, err
	}
	if !IsTower(j.ModelType) {
		return nil, fmt.Errorf("vision: model_type %q is not a vision-language model that is supported: want one of %s",
			j.ModelType, names(towerFamilies))
	}
	if width < 1 || width > maxWidth {
		return nil, fmt.Errorf("vision: rows of a width of %d are not possible", width)
	}
	t := &Tower{Width: width, json: j, BeginID: -1, EndID: -1}
	prepare, name, err := readJSONProcessor(folder)
	if err != nil {
		return nil, err
	}
	if err := towerFamilies[j.ModelType].read(t, prepare); err != nil {
		return nil, fmt.Errorf("config.json or %s: %w", name, err)
	}
	for _, id := range []*int{j.OldToken, j.Token} {
		set(&t.TokenID, id)
	}
	return t, parts.CheckSize(folder, t.Config.count())
}

// Take takes the weights from those of the whole model, inside of a Build.
func (t *Tower) Take(p *nn.Params) {
	t.dtype, t.dev = p.DType(), p.Device()
	towerFamilies[t.json.ModelType].take(t, p)
}

// tokens is how many image tokens an image, or a tile, has.
func (t *Tower) tokens() int {
	rows := t.Config.Image[0] / t.Config.Patch * (t.Config.Image[1] / t.Config.Patch)
	if s := t.json.Shuffle; t.Tiles != nil {
		return rows / *s / *s
	}
	if n := t.json.PerImage; n != nil {
		return *n
	}
	if t.json.clip && t.json.Strategy == "full" {
		rows++
	}
	return rows
}

// Prepared is an image as a Tower reads it.
type Prepared struct {
	Text   string         // what stands for it in a prompt
	Pixels *tensor.Tensor // F32 [tiles 3 height width], on the host
	Grid   [2]int         // rows and columns of image tokens, of models for images of any size; else 0
}

// Prepare returns what is read of an image, U8 of shape [channels height width] with 1, 3 or 4 channels, as
// formats.ReadImage gives it. Grey becomes red, green and blue; what is transparent is laid over white. It panics as
// Processor.Pixels does.
func (t *Tower) Prepare(image *tensor.Tensor) *Prepared {
	if err := t.check(); err != nil {
		panic(&tensor.Error{Op: "image processor", Kind: tensor.ErrValue, Message: err.Error()})
	}
	q := pictureOf("image processor", image).onWhite()
	p := &Prepared{}
	var pictures []picture
	switch {
	case t.Range != nil:
		q = t.Range.sized(q, t.Processor.Filter)
		pictures, p.Grid = []picture{q}, t.grid(q.h, q.w)
		p.Text = t.text(p.Grid[0] * p.Grid[1])
	case t.Tiles == nil:
		pictures = []picture{t.Processor.cut(q)}
		p.Text = t.text(t.tokens())
	default:
		all, rows, columns := t.Tiles.of(q, t.Processor.Filter)
		pictures, p.Text = all, t.Tiles.text(t.Token, t.tokens(), rows, columns)
	}
	first := &pictures[0]
	numbers := make([]float32, 0, len(pictures)*len(first.pix))
	for i := range pictures {
		numbers = append(numbers, t.Processor.numbers(pictures[i])...)
	}
	p.Pixels = tensor.CPU().FromSlice(numbers, len(pictures), 3, first.h, first.w)
	return p
}

// check returns an error when images would not come out with the size of the model.
func (t *Tower) check() error {
	if err := t.Processor.check(); err != nil {
		return err
	}
	switch {
	case t.Range != nil:
		return t.checkRange()
	case t.Tiles != nil:
		return t.checkTiles()
	}
	return t.checkWhole()
}

// Rows returns the rows of an image, [tokens width] in the dtype of the model, one for each image token of the text. It
// panics with ErrValue when the cell that has called it is interrupted.
func (t *Tower) Rows(p *Prepared) *tensor.Tensor {
	var all []*tensor.Tensor
	var stopped atomic.Bool
	defer interrupt.Watch(func() { stopped.Store(true) })() // by the session
	// Where a tile keeps all cores busy, several only take more memory.
	batch := 1
	if !t.dev.IsCPU() && !t.dev.Emulated() {
		batch = batchImages
	}
	for at := 0; at < p.Pixels.Dim(0); at += batch {
		if stopped.Load() {
			panic(&tensor.Error{Op: "vision", Kind: tensor.ErrValue, Message: "reading the image was interrupted"})
		}
		some := p.Pixels.Narrow(0, at, min(batch, p.Pixels.Dim(0)-at))
		all = append(all, tensor.Scoped(func() *tensor.Tensor {
			return t.forward(some.ToDevice(t.dev).ToDType(t.dtype)).Flatten(0, 1)
		}))
	}
	return tensor.Cat(all, 0)
}

// vision takes the patches and so many layers of the vision transformer. What follows them is not needed.
func (t *Tower) vision(at *nn.Params) func(pixels *tensor.Tensor) *tensor.Tensor {
	c, j := &t.Config, t.json
	e, act := newTablePatches(c, at, j.clip), activation(c.Activation)
	var before *nn.LayerNormLayer
	if j.clip {
		before = nn.NewLayerNorm(c.Dim, c.Eps, at.At("pre_layrnorm"))
	}
	var layers []*parts.Layer
	for i := range j.layers {
		layers = append(layers, newLayer(c, act, &clipNames, true, at.At("encoder", "layers", i)))
	}
	for i := j.layers; i < c.Layers; i++ {
		parts.IgnoreUnder(at, fmt.Sprintf("encoder.layers.%d.", i))
	}
	return func(pixels *tensor.Tensor) *tensor.Tensor {
		x := e.forward(pixels)
		if before != nil {
			x = before.Forward(x)
		}
		return rowsOf(layers, x, nn.Attend{})
	}
}

// within returns where the first of these paths is that has a parameter, or the last one.
func within(p *nn.Params, probe string, paths ...string) (at *nn.Params) {
	for _, path := range paths {
		if at = p.At(path); at.Has(probe) {
			break
		}
	}
	return at
}
