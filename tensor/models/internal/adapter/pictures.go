package adapter

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/internal/peft"
)

// Pictures reads adapters for pipelines of pictures, and returns what they have for each part of those: unet,
// text_encoder and text_encoder_2. Names of kohya's files have "_" in the place of ".", and do not say which part of a
// name is a number: Flat finds them.
func Pictures(all []Adapter) (map[string]*Set, error) {
	sets := map[string]*Set{}
	for i := range all {
		if err := readPictures(sets, &all[i], i); err != nil {
			return nil, fmt.Errorf("adapter %s: %w", all[i].Path, err)
		}
	}
	for _, s := range sets {
		if err := s.check(); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// pictureFile is the file of an adapter, which a folder may have.
func pictureFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, name := range []string{"pytorch_lora_weights.safetensors", "pytorch_lora_weights.bin"} {
		if file := filepath.Join(path, name); exists(file) {
			return file, nil
		}
	}
	files, err := filepath.Glob(filepath.Join(path, "*.safetensors"))
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("there is no pytorch_lora_weights.safetensors, and %d other safetensors files: want one", len(files))
	}
	if err != nil {
		return "", err
	}
	return files[0], nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// readTensors reads a file, and the note that diffusers leaves in it.
func readTensors(path string) (list []formats.Named, note string, err error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".bin" || ext == ".pt" || ext == ".ckpt" {
		list, err = formats.ReadPth(path, "", tensor.CPU())
		return list, "", err
	}
	f, err := formats.OpenSafetensors(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	for _, name := range f.Names() {
		t, err := f.Tensor(name, tensor.CPU())
		if err != nil {
			return nil, "", err
		}
		list = append(list, formats.Named{Name: name, Tensor: t})
	}
	return list, f.Metadata["lora_adapter_metadata"], nil
}

type (
	prefix struct{ begin, part string }
	ending struct{ end, what string }
)

// The beginnings of names, and the parts of pipelines that they are for.
var prefixes = []prefix{
	{"lora_unet_", "unet"}, {"lora_te1_", "text_encoder"}, {"lora_te2_", "text_encoder_2"}, {"lora_te_", "text_encoder"},
	{"unet.", "unet"}, {"text_encoder_2.", "text_encoder_2"}, {"text_encoder.", "text_encoder"},
	{"down_blocks.", "unet"}, {"mid_block.", "unet"}, {"up_blocks.", "unet"}, // of the first files of diffusers
}

// endings are those of names, in several forms, and what the tensors are.
var endings = []ending{
	{".lora_A.weight", "A"}, {".lora_B.weight", "B"}, {".lora_magnitude_vector", "magnitude"},
	{".lora_magnitude_vector.weight", "magnitude"}, {".dora_scale", "magnitude"}, {".alpha", "alpha"},
	{".lora_down.weight", "A"}, {".lora_up.weight", "B"}, {".lora.down.weight", "A"}, {".lora.up.weight", "B"},
	{".lora_linear_layer.down.weight", "A"}, {".lora_linear_layer.up.weight", "B"},
	{"_lora.down.weight", "A"}, {"_lora.up.weight", "B"}, {"_lora.alpha", "alpha"},
}

// processors are the names of layers of attention in older files, and newer ones.
var processors = strings.NewReplacer(".processor.to_out", ".to_out.0", ".processor.", ".",
	".to_out.weight", ".to_out.0.weight", ".self_attn.to_q.", ".self_attn.q_proj.",
	".self_attn.to_k.", ".self_attn.k_proj.", ".self_attn.to_v.", ".self_attn.v_proj.",
	".self_attn.to_out.0.", ".self_attn.out_proj.", ".self_attn.to_out.", ".self_attn.out_proj.")

func readPictures(sets map[string]*Set, a *Adapter, number int) error {
	file, err := pictureFile(a.Path)
	if err != nil {
		return err
	}
	list, note, err := readTensors(file)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("it has no tensors")
	}
	configs, err := noted(note)
	if err != nil {
		return err
	}
	alphas := map[*part]float64{}
	layers := map[*part]string{}
	var by float64
	for _, named := range list {
		of, name, what, err := placed(named.Name)
		if err != nil {
			return err
		}
		s := sets[of]
		if s == nil {
			s = &Set{}
			sets[of] = s
		}
		if s.number != number+1 {
			s.number = number
			if by, err = s.begin(a); err != nil {
				return err
			}
		}
		p := s.at(name+".weight", by)
		layers[p] = of + "." + name
		switch what {
		case "A":
			p.a = named.Tensor
		case "B":
			p.b = named.Tensor
		case "magnitude":
			p.magnitude = named.Tensor
		default:
			if named.Tensor.ElemCount() != 1 {
				return fmt.Errorf("%s has shape %v: want a number", named.Name, named.Tensor.Dims())
			}
			alphas[p] = named.Tensor.ToDType(tensor.F64).FlattenAll().ToVec1()[0]
		}
	}
	for p, layer := range layers {
		if p.a == nil || p.a.Rank() == 0 { // which check says
			continue
		}
		scale := 1.0
		of, name, _ := strings.Cut(layer, ".")
		if alpha, ok := alphas[p]; ok {
			scale = alpha / float64(p.a.Dim(0))
		} else if c := configs[of]; c != nil {
			if scale, err = c.Scale(name, p.a.Dim(0)); err != nil {
				return fmt.Errorf("%s: %w", layer, err)
			}
		}
		p.scale = by * scale
	}
	return nil
}

// placed says for which part of a pipeline and which of its layers a tensor is, and what of it.
func placed(full string) (of, layer, what string, err error) {
	i := slices.IndexFunc(prefixes, func(p prefix) bool { return strings.HasPrefix(full, p.begin) })
	j := slices.IndexFunc(endings, func(e ending) bool { return strings.HasSuffix(full, e.end) })
	if i < 0 || j < 0 {
		return "", "", "", fmt.Errorf("the tensor %s is not supported: want pairs of LoRA, as diffusers, PEFT and kohya name them, for "+
			"the UNet and text encoders of Stable Diffusion", full)
	}
	of, layer = prefixes[i].part, strings.TrimSuffix(full, endings[j].end)
	if begin := prefixes[i].begin; strings.HasPrefix(begin, "lora_") || strings.HasPrefix(full, of+".") {
		layer = strings.TrimPrefix(layer, begin)
	}
	if of == "unet" && strings.HasPrefix(layer, "unet.") { // said twice
		layer = strings.TrimPrefix(layer, "unet.")
	}
	layer = strings.TrimSuffix(processors.Replace(layer+".weight"), ".weight")
	return of, layer, endings[j].what, nil
}

// noted are the configs of PEFT in the note of diffusers, by the parts of the pipeline.
func noted(note string) (map[string]*peft.Config, error) {
	if note == "" {
		return nil, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(note), &all); err != nil {
		return nil, fmt.Errorf("lora_adapter_metadata: %w", err)
	}
	of := map[string]map[string]json.RawMessage{}
	for key, value := range all {
		name, rest, ok := strings.Cut(key, ".")
		if !ok {
			return nil, fmt.Errorf("lora_adapter_metadata has %q, which names no part of a pipeline", key)
		}
		if of[name] == nil {
			of[name] = map[string]json.RawMessage{"peft_type": json.RawMessage(`"LORA"`)}
		}
		if rest != "peft_type" {
			of[name][rest] = value
		}
	}
	configs := map[string]*peft.Config{}
	for name, keys := range of {
		text, err := json.Marshal(keys)
		if err != nil {
			return nil, err
		}
		if configs[name], err = peft.Parse(text); err != nil {
			return nil, fmt.Errorf("lora_adapter_metadata: %s: %w", name, err)
		}
	}
	return configs, nil
}

// Flat finds names of kohya's files among those of a UNet or text encoder. A block of the UNet has so many layers; its
// names may be those of the released checkpoints, too.
func Flat(names []string, layers int) func(name string) []string {
	of := map[string][]string{}
	for _, name := range names {
		layer, ok := strings.CutSuffix(name, ".weight")
		if !ok {
			continue
		}
		if layers == 0 { // a text encoder, whose names may have this beginning or not
			layer = textModel + strings.TrimPrefix(layer, textModel)
		}
		for _, other := range []string{layer, strings.TrimPrefix(layer, textModel), released(layer, layers)} {
			if other != "" {
				of[strings.ReplaceAll(other, ".", "_")] = []string{name}
			}
		}
	}
	return func(name string) []string {
		return of[strings.ReplaceAll(strings.TrimSuffix(name, ".weight"), ".", "_")]
	}
}

const textModel = "text_model."

// inBlock are the names of what is in a residual block of released checkpoints.
var inBlock = strings.NewReplacer("conv_shortcut", "skip_connection", "time_emb_proj", "emb_layers_1",
	"norm1", "in_layers_0", "norm2", "out_layers_0", "conv1", "in_layers_2", "conv2", "out_layers_3")

// outside are names outside of blocks.
var outside = map[string]string{"conv_in": "input_blocks_0_0", "conv_out": "out_2", "conv_norm_out": "out_0",
	"time_embedding.linear_1": "time_embed_0", "time_embedding.linear_2": "time_embed_2",
	"add_embedding.linear_1": "label_emb_0_0", "add_embedding.linear_2": "label_emb_0_2"}

// released is the name of a layer of a UNet in checkpoints as they were released, with "_" between its parts, or "".
func released(layer string, layers int) string {
	if name := outside[layer]; name != "" {
		return name
	}
	var side, kind, rest string
	var block, n int
	if middle, ok := strings.CutPrefix(layer, "mid_block."); ok {
		side, layer = "mid", middle
	} else if _, err := fmt.Sscanf(layer, "down_blocks.%d.", &block); err == nil {
		side, layer = "input_blocks", strings.SplitN(layer, ".", 3)[2]
	} else if _, err := fmt.Sscanf(layer, "up_blocks.%d.", &block); err == nil {
		side, layer = "output_blocks", strings.SplitN(layer, ".", 3)[2]
	}
	words := strings.SplitN(layer, ".", 3)
	if side == "" || len(words) < 3 {
		return ""
	}
	if kind, rest = words[0], words[2]; len(words[1]) != 1 {
		return ""
	}
	n = int(words[1][0] - '0')
	if kind == "resnets" {
		rest = inBlock.Replace(rest)
	}
	rest = strings.ReplaceAll(rest, ".", "_")
	at := map[string]int{"resnets": 0, "attentions": 1, "upsamplers": 2}
	switch {
	case side == "mid" && kind == "resnets":
		return fmt.Sprintf("middle_block_%d_%s", 2*n, rest)
	case side == "mid":
		return fmt.Sprintf("middle_block_1_%s", rest)
	case kind == "downsamplers":
		return fmt.Sprintf("input_blocks_%d_0_op", (block+1)*(layers+1))
	case side == "input_blocks":
		return fmt.Sprintf("input_blocks_%d_%d_%s", block*(layers+1)+n+1, at[kind], rest)
	case kind == "upsamplers":
		return fmt.Sprintf("output_blocks_%d_2_%s", block*(layers+1)+layers, rest)
	default:
		return fmt.Sprintf("output_blocks_%d_%d_%s", block*(layers+1)+n, at[kind], rest)
	}
}
