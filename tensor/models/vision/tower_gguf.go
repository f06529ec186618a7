package vision

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// OpenGGUFTower reads the part of a vision-language model that reads images from an mmproj file of llama.cpp, for a
// language model of a width: of Qwen2-VL, Qwen2.5-VL, Gemma 3, SmolVLM, Idefics 3 and LLaVA 1.5. The file does not say
// what the image token is: TokenID is 0. The error names what is not supported, and is a *nn.ParamsError when weights
// are missing, or are more than the model has.
func OpenGGUFTower(path string, width int, dtype tensor.DType, dev *tensor.Device) (*Tower, error) {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := openGGUFTower(f, width, dtype, dev)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func openGGUFTower(f *formats.GGUF, width int, dtype tensor.DType, dev *tensor.Device) (*Tower, error) {
	m := &ggufMeta{file: f}
	kind := ggufProjector(f)
	of, ok := ggufTowers[kind]
	if !ok {
		return nil, fmt.Errorf("vision: clip.projector_type %q is not supported: want one of %s", kind, names(ggufTowers))
	}
	if there := ggufWidth(f, kind); there != width {
		return nil, fmt.Errorf("vision: rows have a width of %d for a language model of %d", there, width)
	}
	j, prepare := &jsonTower{ModelType: of.modelType, fromGGUF: true}, &jsonProcessor{}
	m.common(j, prepare)
	if err := of.read(m, j, prepare); err != nil {
		return nil, err
	}
	t := &Tower{Width: width, json: j, BeginID: -1, EndID: -1}
	if err := towerFamilies[j.ModelType].read(t, prepare); err != nil {
		return nil, err
	}
	t.TokenID, t.BeginID, t.EndID = 0, -1, -1
	list, err := of.named(t, f)
	if err != nil {
		return nil, err
	}
	p := nn.ParamsOf(list, dtype, dev)
	return t, p.Build(func() { t.Take(p) })
}

// ggufTower reads the mmproj files of one clip.projector_type.
type ggufTower struct {
	modelType string // of config.json
	read      func(m *ggufMeta, j *jsonTower, prepare *jsonProcessor) error
	named     func(t *Tower, f *formats.GGUF) ([]formats.Named, error) // the weights under the names of a folder
}

var ggufTowers = map[string]ggufTower{
	"qwen2vl_merger":   {"qwen2_vl", readQwenGGUF, (*Tower).qwenNamed},
	"qwen2.5vl_merger": {"qwen2_5_vl", readQwenGGUF, (*Tower).qwenNamed},
	"gemma3":           {"gemma3", readGemmaGGUF, gemmaGGUFNames.named},
	"idefics3":         {"idefics3", readSmolGGUF, smolGGUFNames.named},
	"mlp":              {"llava", readLlavaGGUF, llavaGGUFNames.named},
}

// GGUFProjector returns the clip.projector_type of an mmproj file and the width of the language model that it is for:
// "" and 0 for a file that is none.
func GGUFProjector(path string) (kind string, width int) {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return "", 0
	}
	defer f.Close()
	kind = ggufProjector(f)
	return kind, ggufWidth(f, kind)
}

func ggufProjector(f *formats.GGUF) string {
	kind, _ := f.Metadata["clip.projector_type"].(string)
	return kind
}

// ggufWidth is the width of rows: what the last product gives, or what the file says.
func ggufWidth(f *formats.GGUF, kind string) int {
	last := map[string]struct {
		name string
		dim  int
	}{"mlp": {"mm.2.weight", 0}, "gemma3": {"mm.input_projection.weight", 1}, "idefics3": {"mm.model.fc.weight", 0}}[kind]
	if q, err := f.Tensor(last.name); err == nil && len(q.Dims()) == 2 {
		return q.Dims()[last.dim]
	}
	n, _ := f.Metadata["clip.vision.projection_dim"].(uint64)
	return int(min(n, maxWidth+1))
}

// ggufMeta is the metadata of an mmproj file.
type ggufMeta struct{ file *formats.GGUF }

func (m *ggufMeta) value(key string) any { return m.file.Metadata["clip.vision."+key] }

func (m *ggufMeta) number(key string) int {
	n, _ := m.value(key).(uint64)
	return int(min(n, maxWidth+1))
}

func (m *ggufMeta) has(name string) bool {
	_, err := m.file.Tensor(name)
	return err == nil
}

// common reads the sizes that all files have, and how bytes become numbers.
func (m *ggufMeta) common(j *jsonTower, prepare *jsonProcessor) {
	v := &j.Image
	v.Dim, v.Hidden = m.number("embedding_length"), m.number("feed_forward_length")
	v.Layers, v.Heads = m.number("block_count"), m.number("attention.head_count")
	v.Image = pair{m.number("image_size"), m.number("image_size")}
	v.Patch = pair{m.number("patch_size"), m.number("patch_size")}
	if eps, ok := m.value("attention.layer_norm_epsilon").(float64); ok {
		v.Eps = &eps
	}
	for key, name := range map[string]string{"clip.use_silu": "silu", "clip.use_gelu": "gelu"} {
		if is, _ := m.file.Metadata[key].(bool); is {
			v.Act = name
		}
	}
	for key, to := range map[string]*[]float64{"image_mean": &prepare.Mean, "image_std": &prepare.Std} {
		list, _ := m.value(key).([]any)
		for _, x := range list {
			x, _ := x.(float64)
			*to = append(*to, x)
		}
	}
}

// siglip sets the activation, whose gelu is the approximation that llama.cpp computes and SigLIP was trained with, and
// returns an error when a size is missing: a folder may leave sizes out, a file may not.
func (m *ggufMeta) siglip(j *jsonTower) error {
	switch v := &j.Image; v.Act {
	case "gelu":
		v.Act = "gelu_pytorch_tanh"
	case "":
		v.Act = "quick_gelu"
	}
	for _, key := range []string{"embedding_length", "feed_forward_length", "block_count", "attention.head_count",
		"image_size", "patch_size"} {
		if m.number(key) < 1 {
			return fmt.Errorf("vision: there is no clip.vision.%s", key)
		}
	}
	return nil
}

func readGemmaGGUF(m *ggufMeta, j *jsonTower, prepare *jsonProcessor) error {
	if err := m.siglip(j); err != nil {
		return err
	}
	patches := m.number("image_size") / m.number("patch_size")
	factor := parts.FirstOf(m.number("projector.scale_factor"), 4)
	if patches%factor != 0 {
		return fmt.Errorf("vision: clip.vision.projector.scale_factor is %d for %d × %d patches", factor, patches, patches)
	}
	j.PerImage = new(patches / factor * (patches / factor))
	prepare.Type, prepare.Size = "Gemma3ImageProcessor", m.square()
	return nil
}

// square is the size of images of models of one size.
func (m *ggufMeta) square() *jsonSize {
	return &jsonSize{Height: m.number("image_size"), Width: m.number("image_size")}
}

// readSmolGGUF reads what an mmproj file of SmolVLM or Idefics 3 says. Older files do not say how large an image is
// before it is split: four tiles, as of all models of the family.
func readSmolGGUF(m *ggufMeta, j *jsonTower, prepare *jsonProcessor) error {
	if err := m.siglip(j); err != nil {
		return err
	}
	factor := m.number("projector.scale_factor")
	if factor < 1 {
		return fmt.Errorf("vision: there is no clip.vision.projector.scale_factor, which says how many rows become one")
	}
	edge := m.number("image_size")
	j.Shuffle = &factor
	prepare.Type, prepare.TileSize = "Idefics3ImageProcessor", &jsonSize{Longest: edge}
	prepare.Size = &jsonSize{Longest: parts.FirstOf(m.number("preproc_image_size"), 4*edge)}
	return nil
}

// readLlavaGGUF reads what an mmproj file of LLaVA 1.5 says. It has the layers that the projector reads: of CLIP
// without the last one. Images are prepared as those of a folder are.
func readLlavaGGUF(m *ggufMeta, j *jsonTower, prepare *jsonProcessor) error {
	if err := m.siglip(j); err != nil {
		return err
	}
	if m.value("image_grid_pinpoints") != nil || m.has("model.image_newline") {
		return fmt.Errorf("vision: an image in parts (clip.vision.image_grid_pinpoints), as of LLaVA 1.6, is not supported")
	}
	layers := m.number("block_count")
	if list, ok := m.value("feature_layer").([]any); ok && (len(list) != 1 || list[0] != uint64(layers)) {
		return fmt.Errorf("vision: clip.vision.feature_layer is %v for %d layers: want the last one", list, layers)
	}
	edge, bias := m.number("image_size"), m.has("mm.0.bias")
	j.Layer, j.Bias = fmt.Append(nil, layers), &bias
	if j.Image.ModelType, j.Strategy = "siglip_vision_model", "full"; m.has("v.class_embd") {
		j.Image.ModelType, j.Strategy = "clip_vision_model", "default"
	}
	if prepare.Type, prepare.Size = "SiglipImageProcessor", m.square(); j.Strategy == "default" {
		prepare.Type, prepare.Size = "CLIPImageProcessor", &jsonSize{Shortest: edge}
		prepare.CropSize = m.square()
	}
	return nil
}

// ggufNames are parts of the names of weights, and what they are in a folder of Hugging Face.
type ggufNames struct{ vision, projector *strings.Replacer }

func newGGUFNames(under string, projector ...string) ggufNames {
	vision := strings.NewReplacer("v.blk.", under+"encoder.layers.", "attn_q.", "self_attn.q_proj.",
		"attn_k.", "self_attn.k_proj.", "attn_v.", "self_attn.v_proj.", "attn_out.", "self_attn.out_proj.",
		"ln1.", "layer_norm1.", "ln2.", "layer_norm2.", "ffn_up.", "mlp.fc1.", "ffn_down.", "mlp.fc2.",
		"v.patch_embd.", under+"embeddings.patch_embedding.", "v.class_embd", under+"embeddings.class_embedding",
		"v.position_embd.", under+"embeddings.position_embedding.", "v.pre_ln.", under+"pre_layrnorm.",
		"v.post_ln.", under+"post_layernorm.")
	return ggufNames{vision, strings.NewReplacer(projector...)}
}

var (
	gemmaGGUFNames = newGGUFNames("vision_tower.", "mm.input_projection.", "multi_modal_projector.mm_input_projection_",
		"mm.soft_emb_norm.", "multi_modal_projector.mm_soft_emb_norm.")
	smolGGUFNames = newGGUFNames("model.vision_model.",
		"mm.model.fc.", "model.connector.modality_projection.proj.")
	llavaGGUFNames = newGGUFNames("vision_tower.", "mm.0.", "multi_modal_projector.linear_1.",
		"mm.2.", "multi_modal_projector.linear_2.")
)

// named are the weights of a file under the names of a folder. In older files the products of a feed-forward part have
// each other's name, which their shapes show.
func (n ggufNames) named(t *Tower, f *formats.GGUF) (all []formats.Named, err error) {
	if t.Config.Hidden == t.Config.Dim {
		return nil, fmt.Errorf("vision: feed-forward parts as wide as the rows are not supported: older files exchange " +
			"the names of their products, which only shapes show")
	}
	swap := strings.NewReplacer()
	if q, err := f.Tensor("v.blk.0.ffn_up.weight"); err == nil && len(q.Dims()) == 2 && q.Dims()[0] == t.Config.Dim {
		swap = strings.NewReplacer("ffn_up.", "ffn_down.", "ffn_down.", "ffn_up.")
	}
	for _, name := range f.Names() {
		q, err := f.Tensor(name)
		if err != nil {
			return nil, err
		}
		to := n.projector.Replace(name)
		if strings.HasPrefix(name, "v.") {
			to = n.vision.Replace(swap.Replace(name))
		}
		all = append(all, formats.Named{Name: to, Tensor: q.Dequantize(tensor.CPU())})
	}
	return all, nil
}
