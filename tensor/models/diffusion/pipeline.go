package diffusion

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/internal/adapter"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Pipeline makes pictures of texts. It is not for several goroutines at the same time.
type Pipeline struct {
	Name        string // of its folder
	UNet        *UNet  // nil for Stable Diffusion 3 and FLUX
	Transformer *Transformer
	VAE         *VAE
	Scheduler   *Scheduler // As has another one
	Options     Options    // of the next pictures

	family     family
	texts      []*textEncoder // one, or two with SDXL and SD3
	long       *longText      // with SD3, if it is there, and FLUX; else nil
	zeros      bool           // with SDXL, no negative text is zeros, and not the empty text
	withLong   bool           // with SD3, the folder has a T5
	unfiltered bool           // the folder has a safety checker, which is not read
	dtype      tensor.DType
	dev        *tensor.Device
	noise      func(k int, dims []int) *tensor.Tensor // the k-th noise of a picture; nil is that of the seed
}

// family is a kind of pipelines.
type family int

const (
	ofSD family = iota + 1 // Stable Diffusion 1 and 2
	ofXL
	ofSD3
	ofFlux
)

// pipelineKinds are the classes of diffusers whose folders are read.
var pipelineKinds = map[string]family{
	"StableDiffusionPipeline": ofSD, "StableDiffusionImg2ImgPipeline": ofSD, "StableDiffusionInpaintPipeline": ofSD,
	"StableDiffusionXLPipeline": ofXL, "StableDiffusionXLImg2ImgPipeline": ofXL, "StableDiffusionXLInpaintPipeline": ofXL,
	"StableDiffusion3Pipeline": ofSD3, "StableDiffusion3Img2ImgPipeline": ofSD3,
	"FluxPipeline": ofFlux, "FluxImg2ImgPipeline": ofFlux,
}

// Open reads a folder of Hugging Face's diffusers onto a device: Stable Diffusion 1, 2, XL and 3, and FLUX.1. It
// computes in models.DefaultDType.
//
// The error names what is not supported, such as a key of a config that may change pictures; it is a *nn.ParamsError
// when weights are missing, or are more than the model has. The safety checker that some folders have is not read.
func Open(path string, dev *tensor.Device, adapters ...Adapter) (*Pipeline, error) {
	return OpenAs(path, models.DefaultDType(dev), dev, adapters...)
}

// Adapter is a LoRA adapter for the UNet and the text encoders of a pipeline: a safetensors file, or the folder that
// has it, as diffusers or kohya's programs write it. Its Scale multiplies what it adds; 0 is 1.
type Adapter = adapter.Adapter

// OpenAs is Open for a pipeline that computes in dtype. A VAE whose config has force_upcast, as by default, computes in
// F32 all the same.
func OpenAs(path string, dtype tensor.DType, dev *tensor.Device, adapters ...Adapter) (*Pipeline, error) {
	p := &Pipeline{Name: filepath.Base(filepath.Clean(path)), dtype: dtype, dev: dev}
	if err := p.read(path, adapters); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// IsPipeline reports whether a folder has a pipeline that Open knows, by its model_index.json.
func IsPipeline(path string) bool {
	var j struct {
		Kind string `json:"_class_name"`
	}
	if parts.ReadJSON(filepath.Join(path, "model_index.json"), &j) != nil {
		return false
	}
	_, ok := pipelineKinds[j.Kind]
	return ok
}

func (p *Pipeline) read(folder string, adapters []Adapter) (err error) {
	if !p.dtype.IsFloat() {
		return fmt.Errorf("diffusion: a pipeline computes in floats, not in %v", p.dtype)
	}
	if err := p.readIndex(folder); err != nil {
		return err
	}
	if p.Scheduler, err = readScheduler(folder); err != nil {
		return err
	}
	if p.family == ofSD3 || p.family == ofFlux {
		return p.readFlow(folder, adapters)
	}
	unet, err := readUNet(folder)
	if err != nil {
		return err
	}
	vae, err := readVAE(folder)
	if err != nil {
		return err
	}
	numbers := []string{""}
	if p.family == ofXL {
		numbers = append(numbers, "_2")
	}
	for _, number := range numbers {
		t, err := readText(folder, number, number == "_2")
		if err != nil {
			return err
		}
		p.texts = append(p.texts, t)
	}
	if err := p.fit(unet, vae); err != nil {
		return err
	}
	p.Options = defaults[p.family]
	sets, err := adapter.Pictures(adapters)
	if err != nil {
		return err
	}
	return p.take(folder, unet, vae, sets)
}

// The classes of the parts of pipelines.
var (
	clipTokenizers = []string{"CLIPTokenizer", "CLIPTokenizerFast"}
	t5Tokenizers   = []string{"T5TokenizerFast", "T5Tokenizer"}
	clipProjected  = []string{"CLIPTextModelWithProjection"}
)

// partsOf are the classes that the parts of a pipeline may have, nil for any.
func (f family) partsOf() map[string][]string {
	all := map[string][]string{"vae": {"AutoencoderKL"}, "text_encoder": {"CLIPTextModel"}, "tokenizer": clipTokenizers,
		"scheduler": nil}
	switch f {
	case ofSD, ofXL:
		all["unet"] = []string{"UNet2DConditionModel"}
		if f == ofXL {
			all["text_encoder_2"], all["tokenizer_2"] = clipProjected, clipTokenizers
		}
	case ofSD3:
		all["transformer"], all["text_encoder"] = []string{"SD3Transformer2DModel"}, clipProjected
		all["text_encoder_2"], all["tokenizer_2"] = clipProjected, clipTokenizers
		all["text_encoder_3"], all["tokenizer_3"] = []string{"T5EncoderModel"}, t5Tokenizers
	case ofFlux:
		all["transformer"] = []string{"FluxTransformer2DModel"}
		all["text_encoder_2"], all["tokenizer_2"] = []string{"T5EncoderModel"}, t5Tokenizers
	}
	return all
}

// readIndex reads model_index.json, and which family it is of.
func (p *Pipeline) readIndex(folder string) error {
	c, err := readConfig(folder, "model_index.json")
	if err != nil {
		return fmt.Errorf("diffusion: want a folder of diffusers, with a model_index.json: %w", err)
	}
	kind, ok := value(c, "_class_name", ""), false
	if p.family, ok = pipelineKinds[kind]; !ok {
		return fmt.Errorf("diffusion: a %q is not supported: want %s", kind,
			strings.Join(slices.Sorted(maps.Keys(pipelineKinds)), ", "))
	}
	for name, kinds := range p.family.partsOf() {
		part := value(c, name, []*string{nil, nil})
		there := len(part) == 2 && part[1] != nil
		if p.family == ofSD3 && name == "text_encoder_3" {
			p.withLong = there
		}
		if strings.HasSuffix(name, "_3") && !there { // pictures are made without it, too
			continue
		}
		if !there {
			c.fail("there is no %s, which is not supported", name)
		} else if kinds != nil && !slices.Contains(kinds, *part[1]) {
			c.fail("%s is a %s: want %s", name, *part[1], strings.Join(kinds, " or "))
		}
	}
	if image := value(c, "image_encoder", []*string{nil, nil}); len(image) == 2 && image[1] != nil {
		c.fail("image_encoder is a %s, which is not supported", *image[1])
	}
	checker := value(c, "safety_checker", []*string{nil, nil})
	p.unfiltered = len(checker) == 2 && checker[1] != nil
	p.zeros = p.family == ofXL && value(c, "force_zeros_for_empty_prompt", true)
	c.only("requires_aesthetics_score", false)
	c.ignore("feature_extractor", "requires_safety_checker", "add_watermarker", "is_distilled")
	return c.end()
}

// fit returns an error when the parts do not fit each other.
func (p *Pipeline) fit(u *UNetConfig, v *VAEConfig) error {
	width, added := 0, 0
	for _, t := range p.texts {
		width += t.config.Dim
		if t.projected > 0 {
			added = t.projected + sizeNumbers*u.AddedTime
		}
		if t.context != p.texts[0].context {
			return fmt.Errorf("diffusion: the text encoders read %d and %d tokens", p.texts[0].context, t.context)
		}
	}
	switch {
	case v.Shift != 0:
		return fmt.Errorf("diffusion: shift_factor of the VAE is %v, which is not supported with a UNet", v.Shift)
	case width != u.Text:
		return fmt.Errorf("diffusion: text encoders give rows of width %d, and cross_attention_dim of the UNet is %d", width, u.Text)
	case u.Outputs != v.Latents || u.Inputs != v.Latents && u.Inputs != 2*v.Latents+1:
		return fmt.Errorf("diffusion: a UNet of in_channels %d and out_channels %d does not fit a VAE of latent_channels %d: "+
			"want as many, or %d in_channels", u.Inputs, u.Outputs, v.Latents, 2*v.Latents+1)
	case added != u.Added:
		return fmt.Errorf("diffusion: projection_class_embeddings_input_dim of the UNet is %d, and the text encoders give %d",
			u.Added, added)
	}
	return nil
}

// take takes the weights of all parts.
func (p *Pipeline) take(folder string, unet *UNetConfig, vae *VAEConfig, sets map[string]*adapter.Set) error {
	if len(p.texts) == 1 && sets[textNames[1]] != nil {
		return fmt.Errorf("diffusion: an adapter is for %s too, which Stable Diffusion XL has: this pipeline has none", textNames[1])
	}
	if err := p.takeTexts(folder, sets); err != nil {
		return err
	}
	err := open(folder, "unet", weightStems, unet.count(), p.dtype, p.dev, sets["unet"], unet.Layers[0],
		func(w *nn.Params) { p.UNet = newUNet(unet, w) })
	if err != nil {
		return err
	}
	return p.takeVAE(folder, vae)
}

// weightStems are how names of weight files of diffusers begin, textStems those of transformers.
var weightStems, textStems = []string{"diffusion_pytorch_model"}, []string{"model", "pytorch_model"}

// takeTexts takes the weights of the encoders of CLIP.
func (p *Pipeline) takeTexts(folder string, sets map[string]*adapter.Set) error {
	for i, t := range p.texts {
		name := textNames[i]
		err := open(folder, name, textStems, t.count(), p.dtype, p.dev, sets[name], 0, func(w *nn.Params) {
			t.take(w)
			if t.projected == 0 {
				parts.IgnoreUnder(w, "text_projection.")
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takeVAE takes the weights of the VAE.
func (p *Pipeline) takeVAE(folder string, vae *VAEConfig) error {
	dtype := p.dtype
	if vae.upcast && dtype.Size() < tensor.F32.Size() {
		dtype = tensor.F32
	}
	take := func(w *nn.Params) { p.VAE = newVAE(vae, w) }
	return open(folder, "vae", weightStems, vae.count(), dtype, p.dev, nil, 0, take)
}

// textNames are the folders of text encoders.
var textNames = []string{"text_encoder", "text_encoder_2"}

// open takes the weights of a part of a pipeline, with what adapters do to them. A block of a UNet has so many layers.
func open(folder, name string, stems []string, count float64, dtype tensor.DType, dev *tensor.Device,
	set *adapter.Set, layers int, take func(w *nn.Params),
) error {
	files, err := weightFiles(filepath.Join(folder, name), stems)
	if err != nil {
		return fmt.Errorf("diffusion: %s: %w", name, err)
	}
	if err := parts.CheckFiles(files, count); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w, err := nn.OpenParamFiles(files, dtype, dev)
	if err != nil {
		return err
	}
	defer w.Close()
	if !set.Empty() {
		if w, _, err = set.Apply(w, adapter.Model{Find: adapter.Flat(w.Names(), layers)}); err != nil {
			return fmt.Errorf("diffusion: %s: %w", name, err)
		}
	}
	if err := w.Build(func() { take(w) }); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// weightFiles are those of a part: of several forms, safetensors before PyTorch's, and whole numbers before halves.
func weightFiles(folder string, stems []string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	var names []string
	for _, e := range entries {
		there[e.Name()] = true
		names = append(names, e.Name())
	}
	for _, form := range []string{"%s.safetensors", "%s.fp16.safetensors", "%s.bin", "%s.fp16.bin"} {
		for _, stem := range stems {
			name := fmt.Sprintf(form, stem)
			index := fmt.Sprintf(strings.Replace(form, ".fp16", "", 1), stem) + ".index"
			if strings.Contains(form, ".fp16") {
				index += ".fp16"
			}
			if index += ".json"; there[index] {
				return parts.IndexedFiles(filepath.Join(folder, index))
			}
			if there[name] {
				return []string{filepath.Join(folder, name)}, nil
			}
		}
	}
	return nil, fmt.Errorf("there is neither a %s.safetensors nor a .bin of that name: the folder has %s", stems[0],
		strings.Join(names, ", "))
}

// String says what the pipeline is, in a line.
func (p *Pipeline) String() string {
	var kind string
	if p.Transformer != nil {
		kind = p.Transformer.Config.String()
	} else if kind = "Stable Diffusion"; p.family == ofXL {
		kind += " XL"
	}
	if p.UNet != nil {
		kind += fmt.Sprintf(", blocks of %v channels", p.UNet.Config.Channels)
	}
	text := fmt.Sprintf("%s: %s, pictures of %d pixels, %v, %v on %s", p.Name, kind,
		p.latentSide()*p.VAE.Config.Factor(), p.Scheduler.Kind, p.dtype, p.dev.Location())
	if p.fills() {
		text += ", which fills parts of pictures"
	}
	if p.unfiltered {
		text += ", without its safety checker"
	}
	return text
}

// Device returns where the weights are.
func (p *Pipeline) Device() *tensor.Device { return p.dev }

// fills reports whether the UNet reads a mask and the picture around it.
func (p *Pipeline) fills() bool { return p.UNet != nil && p.UNet.Config.Inputs > p.UNet.Config.Outputs }

// latentSide is the side of the pictures of the training, in latents.
func (p *Pipeline) latentSide() int {
	if p.UNet != nil {
		return p.UNet.Config.Size
	}
	return p.Transformer.Config.Size
}

// factor is the number that divides the sides of pictures.
func (p *Pipeline) factor() int {
	if p.UNet != nil {
		return p.VAE.Config.Factor()
	}
	return p.VAE.Config.Factor() * p.Transformer.Config.Patch
}

// pauses has f called between parts of the work.
func (p *Pipeline) pauses(f func()) {
	if p.VAE.pause = f; p.UNet != nil {
		p.UNet.pause = f
	} else {
		p.Transformer.pause = f
	}
}

// forward asks the UNet or the Transformer.
func (p *Pipeline) forward(x *tensor.Tensor, time float64, o Condition) *tensor.Tensor {
	if p.UNet != nil {
		return p.UNet.Forward(x, time, o)
	}
	return p.Transformer.Forward(x, time, o)
}
