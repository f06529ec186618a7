package vision

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// New makes a model to train, whose parameters p makes under the names of Hugging Face's files: those of a ModelType of
// Config with sizes of one's own, of which zeros are those of the family's first model. Labels are those of Logits; nil
// makes a model without a classifier. Its Processor resizes images to Config.Image, where that is set, and makes -1 to
// 1 of bytes; another can be set.
//
//	c := vision.Config{ModelType: "resnet", Stem: 16, Dims: []int{16, 32}, Depths: []int{1, 1}, Basic: true}
//	m, err := vision.New(c, []string{"cat", "dog"}, nn.NewParams(tensor.F32, dev))
//
// The error is about sizes that are not possible.
func New(c Config, labels []string, p *nn.Params) (*Model, error) { return newModel(c.json(labels), p) }

func newModel(j *jsonConfig, p *nn.Params) (*Model, error) {
	if !p.New() {
		return nil, errors.New("vision: New makes new parameters: want those of nn.NewParams; Open and Adapt read files")
	}
	take := families[j.ModelType]
	if take == nil {
		return nil, fmt.Errorf("vision: ModelType %q is not supported: want one of %s", j.ModelType, names(families))
	}
	full, err := j.config(j.ModelType)
	if err != nil {
		return nil, err
	}
	m := &Model{Name: j.ModelType, Config: full, dev: p.Device(), dtype: p.DType(), params: p,
		Processor: &Processor{Filter: Bilinear, Rescale: true, Factor: 1.0 / 255, Normalize: true, Mean: halves,
			Std: halves}}
	if !m.dtype.IsFloat() {
		return nil, fmt.Errorf("vision: a model computes in floats, not in %v", m.dtype)
	}
	if full.Image[0] > 0 {
		m.Processor.Resize, m.Processor.Height, m.Processor.Width = true, full.Image[0], full.Image[1]
	}
	return m, take(m, j, p)
}

// Adapt opens a model from a folder of Hugging Face, as Open does, to train it on: with parameters that p makes, and
// that begin as the folder has them, and a new classifier for labels, or with nil the classifier of the folder, if it
// has one. p.At("classifier") are the parameters of the classifier alone.
func Adapt(folder string, labels []string, p *nn.Params) (*Model, error) {
	m, err := adapt(folder, labels, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return m, nil
}

func adapt(folder string, labels []string, p *nn.Params) (*Model, error) {
	whole, err := OpenAs(folder, p.DType(), tensor.CPU()) // which checks all of it
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "config.json")
	var j jsonConfig
	if err := parts.ReadJSON(file, &j); err != nil {
		return nil, err
	}
	fresh := labels != nil
	if !fresh {
		labels = whole.Labels
	}
	j.LabelNames = labelNames(labels)
	m, err := newModel(&j, p)
	if err != nil {
		return nil, err
	}
	if err := parts.ReadJSON(file, &m.written); err != nil {
		return nil, err
	}
	m.Name, m.Processor = whole.Name, whole.Processor
	from, err := parts.OpenParams(folder, m.Config.count(), p.DType(), p.Device())
	if err != nil {
		return nil, err
	}
	defer from.Close()
	base := m.Config.ModelType + "."
	for _, named := range p.All() {
		name := named.Name
		if fresh && strings.HasPrefix(name, "classifier.") {
			continue
		}
		if !from.Has(name) {
			name = strings.TrimPrefix(name, base) // of a file without a head
		}
		var t *tensor.Tensor
		if err := tensor.Catch(func() error { t = from.Get(name, named.Tensor.Dims(), nil); return nil }); err != nil {
			return nil, err
		}
		named.Tensor.CopySet(t)
	}
	return m, nil
}

// Forward returns the scores of each label [n labels], in the model's dtype, of pixels [n 3 height width], as
// Processor.Pixels makes them. It records gradients, also with respect to pixels. It panics as Logits does.
func (m *Model) Forward(pixels *tensor.Tensor) *tensor.Tensor { return m.ForwardT(pixels, false) }

// ForwardT is Forward; to train, batch norms normalise with the numbers of the batch, and learn from them.
func (m *Model) ForwardT(pixels *tensor.Tensor, train bool) *tensor.Tensor {
	m.wantHead()
	return tensor.Scoped(func() *tensor.Tensor { return m.logits(pixels.ToDType(m.dtype), train) })
}

// Save writes a model of New or Adapt to a folder, which it makes: config.json, preprocessor_config.json and
// model.safetensors. Open and transformers read it.
func (m *Model) Save(folder string) error {
	if m.params == nil {
		return errors.New("vision: only models of New and Adapt are written: others are files as they are")
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	processor, err := m.Processor.json()
	if err != nil {
		return err
	}
	for name, what := range map[string]any{"config.json": m.json(), "preprocessor_config.json": processor} {
		if err := parts.WriteJSON(filepath.Join(folder, name), what); err != nil {
			return err
		}
	}
	return formats.WriteSafetensors(filepath.Join(folder, "model.safetensors"), m.params.All(),
		map[string]string{"format": "pt"})
}

// architectures are the classes of transformers.
var architectures = map[string]string{"vit": "ViT", "dinov2": "Dinov2", "dinov2_with_registers": "Dinov2WithRegisters",
	"resnet": "ResNet", "convnext": "ConvNext"}

// json is config.json: that of the folder, or what jsonConfig reads of one, with the labels.
func (m *Model) json() map[string]any {
	j := m.written
	if j == nil {
		j = m.Config.written()
	}
	class := "Model"
	if m.Labels != nil {
		class = "ForImageClassification"
		ids := map[string]int{}
		for i, label := range m.Labels {
			ids[label] = i
		}
		j["id2label"], j["label2id"] = labelNames(m.Labels), ids
	}
	j["architectures"] = []string{architectures[m.Config.ModelType] + class}
	return j
}

// written is config.json without labels.
func (c *Config) written() map[string]any {
	j := map[string]any{"model_type": c.ModelType, "hidden_act": c.Activation, "num_channels": 3}
	if c.Dims != nil {
		j["hidden_sizes"], j["depths"] = c.Dims, c.Depths
		if c.ModelType == "resnet" {
			j["embedding_size"], j["layer_type"] = c.Stem, c.layerType()
		} else {
			j["patch_size"], j["layer_norm_eps"] = c.Patch, c.Eps
		}
		return j
	}
	j["hidden_size"], j["num_hidden_layers"], j["num_attention_heads"] = c.Dim, c.Layers, c.Heads
	j["image_size"], j["patch_size"], j["layer_norm_eps"] = c.Image[0], c.Patch, c.Eps
	if c.Image[0] != c.Image[1] {
		j["image_size"] = c.Image
	}
	if c.dino() {
		j["mlp_ratio"] = float64(c.Hidden) / float64(c.Dim)
	} else {
		j["intermediate_size"] = c.Hidden
	}
	if c.Registers > 0 {
		j["num_register_tokens"] = c.Registers
	}
	return j
}

func (c *Config) layerType() string {
	if c.Basic {
		return "basic"
	}
	return "bottleneck"
}

// json is what a config.json of c says.
func (c *Config) json(labels []string) *jsonConfig {
	j := &jsonConfig{ModelType: c.ModelType, Dim: c.Dim, Hidden: c.Hidden, Layers: c.Layers, Heads: c.Heads,
		Image: pair(c.Image), Patch: pair{c.Patch, c.Patch}, Act: c.Activation, Stem: c.Stem, Dims: c.Dims,
		Depths: c.Depths, LayerType: c.layerType(), LabelNames: labelNames(labels)}
	if c.Eps != 0 {
		j.Eps = &c.Eps
	}
	if c.Registers != 0 {
		j.Registers = &c.Registers
	}
	if c.dino() && c.Hidden != 0 && c.Dim != 0 {
		ratio := float64(c.Hidden) / float64(c.Dim)
		j.Ratio = &ratio
	}
	return j
}

// labelNames are labels by number, as id2label has them.
func labelNames(labels []string) map[string]string {
	byNumber := map[string]string{}
	for i, label := range labels {
		byNumber[strconv.Itoa(i)] = label
	}
	return byNumber
}

// json is preprocessor_config.json.
func (p *Processor) json() (map[string]any, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	j := map[string]any{"do_resize": p.Resize, "resample": int(p.Filter), "do_center_crop": p.Crop,
		"do_rescale": p.Rescale, "rescale_factor": p.Factor, "do_normalize": p.Normalize}
	if p.Normalize {
		j["image_mean"], j["image_std"] = p.Mean, p.Std
	}
	kind := "ViT"
	switch {
	case p.CropPercent != 0:
		kind, j["crop_pct"] = "ConvNext", p.CropPercent
	case p.ShortestEdge != 0 || p.Crop:
		kind = "Bit"
	}
	if p.ShortestEdge != 0 {
		j["size"] = map[string]int{"shortest_edge": p.ShortestEdge}
	} else if p.Resize {
		j["size"] = map[string]int{"height": p.Height, "width": p.Width}
	}
	if p.Crop {
		j["crop_size"] = map[string]int{"height": p.CropHeight, "width": p.CropWidth}
	}
	j["image_processor_type"] = kind + "ImageProcessor"
	return j, nil
}
