package vision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// readQwenGGUF reads the sizes of Qwen2-VL and Qwen2.5-VL. What a file does not say is as llama.cpp has it: 2 × 2
// patches become one row, and windows have 112 pixels.
func readQwenGGUF(m *ggufMeta, j *jsonTower, prepare *jsonProcessor) error {
	v := &j.Image
	v.Depth, v.NumHeads, v.Embed, v.Out = v.Layers, v.Heads, v.Dim, m.number("projection_dim")
	v.Window, v.Merge = m.number("window_size"), m.number("spatial_merge_size")
	if v.Dim = v.Out; j.qwen25() {
		v.Dim = v.Embed
		pattern := m.number("n_wa_pattern")
		if pattern < 1 {
			return fmt.Errorf("vision: there is no clip.vision.n_wa_pattern, which says what layers see all of an image")
		}
		v.Full = []int{}
		for i := pattern - 1; i < v.Depth && i < maxLayers; i += pattern {
			v.Full = append(v.Full, i)
		}
	}
	patch, merge := v.Patch[0], parts.FirstOf(v.Merge, 2)
	prepare.Type, prepare.Patch, prepare.Merge = "Qwen2VLImageProcessor", &patch, &merge
	for key, to := range map[string]**int{"image_min_pixels": &prepare.Least, "image_max_pixels": &prepare.Most} {
		if n, ok := m.value(key).(uint64); ok {
			*to = new(int(min(n, 1<<40)))
		}
	}
	return nil
}

// qwenGGUFNames are parts of the names of weights, and what they are in a folder of Hugging Face.
var qwenGGUFNames = strings.NewReplacer("v.blk.", "visual.blocks.", "attn_out.", "attn.proj.", "ln1.", "norm1.",
	"ln2.", "norm2.", "v.post_ln.", "visual.merger.ln_q.", "mm.", "visual.merger.mlp.", "ffn_gate.", "mlp.gate_proj.")

// qwenNamed are the weights of an mmproj file under the names of a folder. Queries, keys and values become one, and
// so do the patches of both frames.
func (t *Tower) qwenNamed(f *formats.GGUF) (all []formats.Named, err error) {
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
			to := qwenGGUFNames.Replace(at + ".")
			joined(to+"attn.qkv."+last, 0, name, at+".attn_k."+last, at+".attn_v."+last)
		case strings.Contains(name, ".attn_k."), strings.Contains(name, ".attn_v."), name == "v.patch_embd.weight.1":
		case name == "v.patch_embd.weight":
			joined("visual.patch_embed.proj.weight", 2, name, name+".1")
		default:
			if x := get(name); x != nil {
				all = append(all, formats.Named{Name: feed.Replace(qwenGGUFNames.Replace(name)), Tensor: x})
			}
		}
	}
	return all, err
}
