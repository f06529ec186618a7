package vision

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Config are the sizes of a model of images, or of the part of one that reads images. What a family has no use for is
// zero.
type Config struct {
	ModelType  string // vit, dinov2, …, as config.json names it
	Dim        int    // width of the rows, or the channels after the last stage
	Hidden     int    // width between the products of a feed-forward part
	Layers     int
	Heads      int
	Image      [2]int // height and width of the images that the positions are for
	Patch      int    // height and width of a patch
	Registers  int    // rows that are no patches, of DINOv2
	Dims       []int  // channels of each stage of a convolutional network
	Depths     []int  // its number of layers
	Stem       int    // of ResNet, the channels after its first convolution
	Basic      bool   // of ResNet, that its layers are two convolutions, not a bottleneck of three
	Eps        float64
	Activation string // by the names of nn.ParseActivation
}

// pair is a number, or two, in config.json.
type pair [2]int

func (p *pair) UnmarshalJSON(data []byte) error {
	var n int
	if json.Unmarshal(data, &n) == nil {
		*p = pair{n, n}
		return nil
	}
	var list []int
	if err := json.Unmarshal(data, &list); err != nil || len(list) != 2 {
		return fmt.Errorf("want a number or two, not %s", data)
	}
	*p = pair(list)
	return nil
}

// jsonConfig is config.json, or the part of it that is about images.
type jsonConfig struct {
	ModelType  string            `json:"model_type"`
	LabelNames map[string]string `json:"id2label"`

	Dim      int      `json:"hidden_size"`
	Hidden   int      `json:"intermediate_size"`
	Layers   int      `json:"num_hidden_layers"`
	Heads    int      `json:"num_attention_heads"`
	Image    pair     `json:"image_size"`
	Patch    pair     `json:"patch_size"`
	Channels *int     `json:"num_channels"`
	Eps      *float64 `json:"layer_norm_eps"`
	Act      string   `json:"hidden_act"`
	QKVBias  *bool    `json:"qkv_bias"`

	Ratio     *float64 `json:"mlp_ratio"` // of DINOv2
	Gated     bool     `json:"use_swiglu_ffn"`
	Registers *int     `json:"num_register_tokens"`

	Stem            int      `json:"embedding_size"` // of ResNet
	Dims            []int    `json:"hidden_sizes"`
	Depths          []int    `json:"depths"`
	LayerType       string   `json:"layer_type"`
	FirstSmaller    bool     `json:"downsample_in_first_stage"`
	SmallerInFirst  bool     `json:"downsample_in_bottleneck"`
	LayerScaleBegin *float64 `json:"layer_scale_init_value"` // of ConvNeXt

	UseHead *bool `json:"vision_use_head"` // of SigLIP
	jsonQwen
}

// usual are the sizes that transformers takes where config.json leaves them out.
var usual = map[string]Config{
	"vit":                   {Dim: 768, Hidden: 3072, Layers: 12, Heads: 12, Image: [2]int{224, 224}, Patch: 16, Eps: 1e-12, Activation: "gelu"},
	"dinov2":                {Dim: 768, Layers: 12, Heads: 12, Image: [2]int{224, 224}, Patch: 14, Eps: 1e-6, Activation: "gelu"},
	"dinov2_with_registers": {Dim: 768, Layers: 12, Heads: 12, Image: [2]int{224, 224}, Patch: 14, Registers: 4, Eps: 1e-6, Activation: "gelu"},
	"resnet":                {Dims: []int{256, 512, 1024, 2048}, Depths: []int{3, 4, 6, 3}, Stem: 64, Eps: 1e-5, Activation: "relu"},
	"convnext":              {Dims: []int{96, 192, 384, 768}, Depths: []int{3, 3, 9, 3}, Patch: 4, Eps: 1e-12, Activation: "gelu"},
	"clip": {Dim: 768, Hidden: 3072, Layers: 12, Heads: 12, Image: [2]int{224, 224}, Patch: 32, Eps: 1e-5,
		Activation: "quick_gelu"},
	"siglip": {Dim: 768, Hidden: 3072, Layers: 12, Heads: 12, Image: [2]int{224, 224}, Patch: 16, Eps: 1e-6,
		Activation: "gelu_pytorch_tanh"},
	"idefics3_vision": {Dim: 1152, Hidden: 3072, Layers: 12, Heads: 16, Image: [2]int{224, 224}, Patch: 32, Eps: 1e-6,
		Activation: "gelu_pytorch_tanh"},
}

// config fills up what is left out, and checks the sizes.
func (j *jsonConfig) config(modelType string) (Config, error) {
	c := usual[modelType]
	c.ModelType = modelType
	c.Dim, c.Hidden = parts.FirstOf(j.Dim, c.Dim), parts.FirstOf(j.Hidden, c.Hidden)
	c.Layers, c.Heads = parts.FirstOf(j.Layers, c.Layers), parts.FirstOf(j.Heads, c.Heads)
	c.Image, c.Patch = [2]int(parts.FirstOf(j.Image, pair(c.Image))), parts.FirstOf(j.Patch[0], c.Patch)
	c.Activation = parts.FirstOf(j.Act, c.Activation)
	set(&c.Eps, j.Eps)
	c.Stem, c.Basic = parts.FirstOf(j.Stem, c.Stem), j.LayerType == "basic"
	if j.Dims != nil {
		c.Dims = j.Dims
	}
	if j.Depths != nil {
		c.Depths = j.Depths
	}
	if j.Patch[0] != j.Patch[1] {
		return c, fmt.Errorf("vision: patches of %d × %d are not supported: want squares", j.Patch[0], j.Patch[1])
	}
	if j.Channels != nil && *j.Channels != 3 {
		return c, fmt.Errorf("vision: num_channels is %d: want 3, of red, green and blue", *j.Channels)
	}
	if c.Registers > 0 {
		if set(&c.Registers, j.Registers); c.Registers < 1 || c.Registers > maxWidth {
			return c, fmt.Errorf("vision: num_register_tokens is %d: want 1 or more", c.Registers)
		}
	}
	if c.dino() {
		ratio := 4.0
		set(&ratio, j.Ratio)
		if c.Hidden = int(float64(c.Dim) * ratio); j.Gated {
			c.Hidden = (int(float64(c.Hidden)*2/3) + 7) / 8 * 8
		}
	}
	if _, err := nn.ParseActivation(c.Activation); err != nil {
		return c, err
	}
	if c.Dims != nil {
		return c, c.checkStages()
	}
	return c, c.checkLayers()
}

// activation is the function of a name that config has checked.
func activation(name string) tensor.Func {
	f, err := nn.ParseActivation(name)
	if err != nil {
		panic(err)
	}
	return f
}

// Limits of what config.json may declare; with them numbers of weights cannot overflow.
const (
	maxWidth  = 1 << 16
	maxLayers = 1 << 10
)

func (c *Config) checkLayers() error {
	for _, n := range []int{c.Dim, c.Hidden, c.Layers, c.Heads, c.Image[0], c.Image[1], c.Patch} {
		if n < 1 || n > maxWidth {
			return fmt.Errorf("vision: a model of these sizes is not possible: %+v", *c)
		}
	}
	switch {
	case c.Layers > maxLayers:
		return fmt.Errorf("vision: %d layers are more than %d", c.Layers, maxLayers)
	case c.Dim%c.Heads != 0:
		return fmt.Errorf("vision: %d heads do not divide a width of %d", c.Heads, c.Dim)
	case c.Patch > c.Image[0] || c.Patch > c.Image[1]:
		return fmt.Errorf("vision: an image of %d × %d has no patch of %d", c.Image[0], c.Image[1], c.Patch)
	}
	return nil
}

func (c *Config) checkStages() error {
	if len(c.Dims) == 0 || len(c.Dims) != len(c.Depths) || len(c.Dims) > 16 {
		return fmt.Errorf("vision: hidden_sizes are %v, and depths %v: want as many", c.Dims, c.Depths)
	}
	for i, n := range c.Dims {
		if n < 1 || n > maxWidth || c.Depths[i] < 1 || c.Depths[i] > maxLayers {
			return fmt.Errorf("vision: stages of %v channels and %v layers are not possible", c.Dims, c.Depths)
		}
	}
	c.Dim = c.Dims[len(c.Dims)-1]
	return nil
}

// count is about how many weights the layers have.
func (c *Config) count() (n float64) {
	if c.Dims == nil {
		return float64(c.Layers)*float64(c.Dim)*float64(4*c.Dim+2*c.Hidden) + c.positions()*float64(c.Dim) +
			float64(3*c.Patch*c.Patch)*float64(c.Dim)
	}
	for i, d := range c.Dims {
		n += float64(c.Depths[i]) * float64(d) // at least: those of bottlenecks depend on the kind
	}
	return n + float64(c.Dim)
}

// positions are those of the patches of an image.
func (c *Config) positions() float64 {
	return float64(c.Image[0]/c.Patch) * float64(c.Image[1]/c.Patch)
}

func names[T any](table map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(table)), ", ")
}
