package vision

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Model is a model that reads images: ViT, DINOv2, ResNet or ConvNeXt. Features makes a vector of an image; Classify
// tells what is on it, where the model was trained to.
type Model struct {
	Name      string // of its folder
	Config    Config
	Processor *Processor // which prepares images
	Labels    []string   // of Logits; nil for a model without a classifier

	dev    *tensor.Device
	dtype  tensor.DType
	params *nn.Params // of New and Adapt, or nil
	// the config.json of Adapt, or nil
	written map[string]any
	// [n 3 h w] to rows [n rows dim], or channels [n dim h w]
	hidden func(pixels *tensor.Tensor, train bool) *tensor.Tensor
	pool   func(hidden *tensor.Tensor) *tensor.Tensor         // to [n dim]
	head   func(hidden, pooled *tensor.Tensor) *tensor.Tensor // to [n labels]; nil without Labels
}

// families take the weights of a model_type.
var families = map[string]func(m *Model, j *jsonConfig, p *nn.Params) error{
	"vit": vit, "dinov2": dinov2, "dinov2_with_registers": dinov2, "resnet": resnet, "convnext": convnext,
}

// Open reads a model from a folder of Hugging Face onto a device, to compute in F32: config.json,
// preprocessor_config.json and the weights. Its model_type is one of convnext, dinov2, dinov2_with_registers, resnet
// and vit.
//
// The error names what is not supported; it is a *nn.ParamsError when weights are missing or are more than the model
// has.
func Open(path string, dev *tensor.Device) (*Model, error) { return OpenAs(path, tensor.F32, dev) }

// OpenAs is Open for a model that computes in dtype. Results are F32.
func OpenAs(path string, dtype tensor.DType, dev *tensor.Device) (*Model, error) {
	m := &Model{Name: filepath.Base(filepath.Clean(path)), dev: dev, dtype: dtype}
	if err := m.read(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func (m *Model) read(path string) (err error) {
	if !m.dtype.IsFloat() {
		return fmt.Errorf("vision: a model computes in floats, not in %v", m.dtype)
	}
	var j jsonConfig
	if err := parts.ReadJSON(filepath.Join(path, "config.json"), &j); err != nil {
		return err
	}
	take := families[j.ModelType]
	if take == nil {
		if pairFamilies[j.ModelType] != nil {
			return fmt.Errorf("vision: model_type %q reads images and texts: OpenCLIP opens it", j.ModelType)
		}
		return fmt.Errorf("vision: model_type %q is not supported: want one of %s; OpenCLIP reads %s, and package models "+
			"language models", j.ModelType, names(families), names(pairFamilies))
	}
	if m.Config, err = j.config(j.ModelType); err != nil {
		return err
	}
	if m.Processor, err = readProcessor(path); err != nil {
		return err
	}
	p, err := parts.OpenParams(path, m.Config.count(), m.dtype, m.dev)
	if err != nil {
		return err
	}
	defer p.Close()
	return take(m, &j, p)
}

// IsModel reports whether a folder has a model that Open knows, by its config.json.
func IsModel(path string) bool {
	var j jsonConfig
	return parts.ReadJSON(filepath.Join(path, "config.json"), &j) == nil && families[j.ModelType] != nil
}

// String says what the model is, in a line.
func (m *Model) String() string {
	c := &m.Config
	text := fmt.Sprintf("%s: %s, ", m.Name, c.ModelType)
	if c.Dims != nil {
		text += fmt.Sprintf("stages of %v layers, width %d", c.Depths, c.Dim)
	} else {
		text += fmt.Sprintf("%d layers, width %d, patches of %d", c.Layers, c.Dim, c.Patch)
	}
	text += fmt.Sprintf(", %v on %s", m.dtype, m.dev.Location())
	if m.Labels != nil {
		text += fmt.Sprintf(", %d labels", len(m.Labels))
	}
	return text
}

// Device returns where the weights are.
func (m *Model) Device() *tensor.Device { return m.dev }

// batchImages bounds how many images are read at once.
const batchImages = 16

// inBatches reads images, U8 of shape [channels height width], and returns what f makes of their pixels, one after the
// other along dim 0.
func inBatches(
	op string, p *Processor, dtype tensor.DType, dev *tensor.Device, images []*tensor.Tensor, f tensor.Func,
) *tensor.Tensor {
	if len(images) == 0 {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrShape, Message: "want at least one image"})
	}
	var out []*tensor.Tensor
	for some := range slices.Chunk(images, batchImages) {
		out = append(out, tensor.Scoped(func() *tensor.Tensor {
			pixels := make([]*tensor.Tensor, len(some))
			for i, image := range some {
				if pixels[i] = p.Pixels(image).ToDevice(dev); !slices.Equal(pixels[i].Dims(), pixels[0].Dims()) {
					panic(&tensor.Error{Op: op, Kind: tensor.ErrShape,
						Shapes:  [][]int{pixels[0].Dims(), pixels[i].Dims()},
						Message: "the processor makes images of several sizes: want one call for each size"})
				}
			}
			return f(tensor.Stack(pixels, 0).ToDType(dtype)).ToDType(tensor.F32)
		}))
	}
	return tensor.Cat(out, 0)
}

func (m *Model) each(images []*tensor.Tensor, f tensor.Func) *tensor.Tensor {
	return inBatches(m.Config.ModelType, m.Processor, m.dtype, m.dev, images, f)
}

// Hidden returns what the last layer gives, of ViT and DINOv2 after a norm: F32 [images rows dim] of ViT and DINOv2,
// whose first row is of the image as a whole and the others of its patches; [images dim height width] of ResNet and
// ConvNeXt. Images are U8 of shape [channels height width]; it panics for others as Processor.Pixels does, and with
// ErrShape for none.
func (m *Model) Hidden(images ...*tensor.Tensor) *tensor.Tensor {
	return m.each(images, func(x *tensor.Tensor) *tensor.Tensor { return m.hidden(x, false) })
}

// Features returns a vector of each image, F32 [images dim]: the first row of Hidden, or the mean of each channel.
// Images of like content have vectors of a small angle: models.NewIndex finds them. It panics as Hidden does.
func (m *Model) Features(images ...*tensor.Tensor) *tensor.Tensor {
	return m.each(images, func(x *tensor.Tensor) *tensor.Tensor { return m.pool(m.hidden(x, false)) })
}

// Logits returns the scores of each label, F32 [images labels]. It panics as Hidden does, and with ErrValue when the
// model has no classifier.
func (m *Model) Logits(images ...*tensor.Tensor) *tensor.Tensor {
	m.wantHead()
	return m.each(images, func(x *tensor.Tensor) *tensor.Tensor { return m.logits(x, false) })
}

// wantHead panics without a classifier.
func (m *Model) wantHead() {
	if m.head == nil {
		panic(&tensor.Error{Op: m.Config.ModelType, Kind: tensor.ErrValue, Message: m.Name + " has no classifier",
			Notes: []string{"Features makes vectors of images"}})
	}
}

func (m *Model) logits(pixels *tensor.Tensor, train bool) *tensor.Tensor {
	hidden := m.hidden(pixels, train)
	return m.head(hidden, m.pool(hidden))
}

// Class is a label of an image.
type Class struct {
	Label string
	Score float64 // the probability
}

// Classify returns the five likeliest labels of an image, the likeliest first. It panics as Logits does.
func (m *Model) Classify(image *tensor.Tensor) []Class { return m.ClassifyTop(image, 5) }

// ClassifyTop returns the k likeliest labels of an image, the likeliest first; all for k of 0. It panics as Logits
// does.
func (m *Model) ClassifyTop(image *tensor.Tensor, k int) []Class {
	return likeliest(m.Labels, m.Logits(image).Softmax(-1), k)
}

// likeliest are the k labels of the highest scores [1 labels].
func likeliest(labels []string, scores *tensor.Tensor, k int) []Class {
	all := make([]Class, len(labels))
	for i, score := range scores.FlattenAll().ToVec1() {
		all[i] = Class{labels[i], score}
	}
	slices.SortStableFunc(all, func(a, b Class) int { return cmp.Compare(b.Score, a.Score) })
	if k > 0 {
		all = all[:min(k, len(all))]
	}
	return all
}

// classifier takes the layer that ends a classifier, if the file has one beside the model.
func (m *Model) classifier(j *jsonConfig, headed bool, inputs int, at *nn.Params, p *nn.Params) *nn.Linear {
	if headed && (at.New() && len(j.LabelNames) > 0 || at.Has("weight")) {
		m.Labels = parts.Labels(j.LabelNames)
		return nn.NewLinear(inputs, len(m.Labels), at)
	}
	parts.IgnoreUnder(p, "decoder.") // of training
	return nil
}
