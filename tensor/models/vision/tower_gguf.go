package vision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// OpenGGUFTower reads the part of a vision-language model that reads images from an mmproj file of llama.cpp, for a
// language model of a width: of Qwen2-VL and Qwen2.5-VL. Its image token is that of Qwen's tokenizers. The error names
// what is not supported, and is a *nn.ParamsError when weights are missing, or are more than the model has.
func OpenGGUFTower(path string, width int, dtype tensor.DType, dev *tensor.Device) (*Tower, error) {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := towerOfGGUF(f, width)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list, err := t.namedAsFolder(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := nn.ParamsOf(list, dtype, dev)
	if err := p.Build(func() { t.Take(p) }); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ggufTowers are the model types of config.json by clip.projector_type.
var ggufTowers = map[string]string{"qwen2vl_merger": "qwen2_vl", "qwen2.5vl_merger": "qwen2_5_vl"}

// GGUFWidth returns the width of the language model that an mmproj file is for, 0 for a file that is none.
func GGUFWidth(path string) int {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, _ := f.Metadata["clip.vision.projection_dim"].(uint64)
	return int(n)
}

// towerOfGGUF reads the sizes. What a file does not say is as llama.cpp has it: 2 × 2 patches become one row, and
// windows have 112 pixels.
func towerOfGGUF(f *formats.GGUF, width int) (*Tower, error) {
	kind, _ := f.Metadata["clip.projector_type"].(string)
	j := &jsonTower{ModelType: ggufTowers[kind]}
	if j.ModelType == "" {
		return nil, fmt.Errorf("vision: clip.projector_type %q is not supported: want one of %s", kind, names(ggufTowers))
	}
	number := func(key string) int {
		n, _ := f.Metadata["clip.vision."+key].(uint64)
		return int(min(n, maxWidth+1))
	}
	prepare := &jsonProcessor{Type: "Qwen2VLImageProcessor"}
	v := &j.Image
	v.Depth, v.NumHeads, v.Hidden = number("block_count"), number("attention.head_count"), number("feed_forward_length")
	v.Embed, v.Out = number("embedding_length"), number("projection_dim")
	v.Patch = pair{number("patch_size"), number("patch_size")}
	v.Window, v.Merge = number("window_size"), number("spatial_merge_size")
	if v.Dim = v.Out; j.qwen25() {
		v.Dim = v.Embed
		pattern := number("n_wa_pattern")
		if pattern < 1 {
			return nil, fmt.Errorf("vision: there is no clip.vision.n_wa_pattern, which says what layers see all of an image")
		}
		v.Full = []int{}
		for i := pattern - 1; i < v.Depth && i < maxLayers; i += pattern {
			v.Full = append(v.Full, i)
		}
	}
	for key, name := range map[string]string{"clip.use_silu": "silu", "clip.use_gelu": "gelu"} {
		if is, _ := f.Metadata[key].(bool); is {
			v.Act = name
		}
	}
	for key, to := range map[string]*[]float64{"image_mean": &prepare.Mean, "image_std": &prepare.Std} {
		list, _ := f.Metadata["clip.vision."+key].([]any)
		for _, x := range list {
			x, _ := x.(float64)
			*to = append(*to, x)
		}
	}
	patch, merge := v.Patch[0], parts.FirstOf(v.Merge, 2)
	prepare.Patch, prepare.Merge = &patch, &merge
	for key, to := range map[string]**int{"image_min_pixels": &prepare.Least, "image_max_pixels": &prepare.Most} {
		if n, ok := f.Metadata["clip.vision."+key].(uint64); ok {
			*to = new(int(min(n, 1<<40)))
		}
	}
	t := &Tower{Width: width, json: j, BeginID: -1, EndID: -1}
	return t, t.readQwen(prepare)
}

// ggufNames are parts of the names of weights, and what they are in a folder of Hugging Face.
var ggufNames = strings.NewReplacer("v.blk.", "visual.blocks.", "attn_out.", "attn.proj.", "ln1.", "norm1.",
	"ln2.", "norm2.", "v.post_ln.", "visual.merger.ln_q.", "mm.", "visual.merger.mlp.", "ffn_gate.", "mlp.gate_proj.")

// namedAsFolder are the weights of an mmproj file under the names of a folder. Queries, keys and values become one, and
// so do the patches of both frames.
func (t *Tower) namedAsFolder(f *formats.GGUF) (all []formats.Named, err error) {
	get := func(name string) *tensor.Tensor {
		q, e := f.Tensor(name)
		if e != nil {
			if err == nil {
				err = e
			}
			return nil
		}
		return q.Dequantize(tensor.CPU())
	}
	joined := func(to string, dim int, from ...string) {
		var list []*tensor.Tensor
		for _, name := range from {
			if x := get(name); x != nil {
				list = append(list, x)
			}
		}
		if len(list) < len(from) {
			return
		}
		e := tensor.Catch(func() error {
			if dim > 0 {
				for i := range list {
					list[i] = list[i].Unsqueeze(dim)
				}
			}
			all = append(all, formats.Named{Name: to, Tensor: tensor.Cat(list, dim)})
			return nil
		})
		if err == nil {
			err = e
		}
	}
	up, down := "fc1", "fc2"
	if t.json.qwen25() {
		up, down = "up_proj", "down_proj"
	}
	feed := strings.NewReplacer("ffn_up.", "mlp."+up+".", "ffn_down.", "mlp."+down+".")
	for _, name := range slices.Sorted(slices.Values(f.Names())) {
		at, last, _ := strings.Cut(name, ".attn_q.")
		switch {
		case last != "" && at != name:
			to := ggufNames.Replace(at + ".")
			joined(to+"attn.qkv."+last, 0, name, at+".attn_k."+last, at+".attn_v."+last)
		case strings.Contains(name, ".attn_k."), strings.Contains(name, ".attn_v."), name == "v.patch_embd.weight.1":
		case name == "v.patch_embd.weight":
			joined("visual.patch_embed.proj.weight", 2, name, name+".1")
		default:
			if x := get(name); x != nil {
				all = append(all, formats.Named{Name: feed.Replace(ggufNames.Replace(name)), Tensor: x})
			}
		}
	}
	return all, err
}
