package models_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/quant"
)

// roundedVision is a folder of testdata/vision_language whose weights are F32 as they are in an mmproj file: llama.cpp's
// converters write some of them in F16.
func roundedVision(t *testing.T, name string, rounded func(weight string, dims int) bool) string {
	t.Helper()
	folder := changedVision(t, name, nil, func(weight string) string { return weight })
	file := filepath.Join(folder, "model.safetensors")
	weights, err := formats.ReadSafetensors(file, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range weights {
		if rounded(w.Name, w.Tensor.Rank()) {
			weights[i].Tensor = w.Tensor.ToDType(tensor.F16).ToDType(tensor.F32)
		}
	}
	if err := formats.WriteSafetensors(file, weights, nil); err != nil {
		t.Fatal(err)
	}
	return folder
}

// mmprojFolder is the folder that a model of testdata/mmproj was made of, and whether rows and logits are exactly those
// that transformers computed.
func mmprojFolder(t *testing.T, name string) (folder string, same bool) {
	switch name {
	case "qwen25vl": // files do not say how large windows are
		return changedVision(t, name, map[string][]byte{"config.json": visionConfig(t, name, "config.json", map[string]any{"vision_config": map[string]any{"window_size": 112}})}, nil), false
	case "gemma3vl":
		return roundedVision(t, name, func(weight string, _ int) bool { return strings.HasSuffix(weight, "mm_input_projection_weight") }), false
	case "llava":
		return roundedVision(t, name, func(weight string, dims int) bool {
			return dims == 4 || dims == 2 && strings.Contains(weight, "multi_modal_projector.")
		}), false
	}
	return visionFolder(name), true
}

// TestMMProj: a GGUF file with an mmproj file beside it, which llama.cpp's converter made of a folder, is the model of
// the folder: pixels, tokens, rows and replies are those of transformers. The files do not say how many pixels images
// have.
func TestMMProj(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, name := range some(dev, []string{"qwen2vl", "qwen25vl", "gemma3vl", "smolvlm", "llava"}, 3) {
			m, err := models.OpenAs("testdata/mmproj/"+name+"/model.gguf", tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			if m.Vision.Range != nil {
				m.Vision.Range.Least, m.Vision.Range.Most = 256, 1600
			}
			folder, exact := mmprojFolder(t, name)
			other, err := models.OpenAs(folder, tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			all, golden := conversations(t, name)
			for i, s := range all[:2] {
				if i > 0 && dev.Emulated() {
					continue
				}
				messages, images := s.messages(t, dev)
				ids, read, err := m.EncodeMessages(messages, nil, nil)
				if err != nil {
					t.Fatal(name, err)
				}
				for _, image := range images {
					p, q := m.Vision.Prepare(image), other.Vision.Prepare(image)
					same(t, "pixels", p.Pixels, q.Pixels, 0)
					same(t, "rows", m.Vision.Rows(p), other.Vision.Rows(q).ToDevice(tensor.CPU()), 1e-5)
				}
				logits := func(m *models.Model, ids []int, read []*models.ImageTokens) *tensor.Tensor {
					d := m.Decoder()
					d.UseImages(read...)
					return d.ReadAll(ids)
				}
				want := golden["logits"+string(rune('0'+i))]
				if !exact {
					ids, read, err := other.EncodeMessages(messages, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					want = logits(other, ids, read).ToDevice(tensor.CPU())
				}
				same(t, name+" logits", logits(m, ids, read), want, 5e-5)
				for _, m := range []*models.Model{m, other} {
					m.Forget()
					m.Messages, m.MaxTokens = slices.Clone(messages), len(s.New)
				}
				got, err := m.Reply(nil)
				if err != nil {
					t.Fatal(err)
				}
				if want, err := other.Reply(nil); err != nil || got.Content != want.Content || exact && got.Content != s.Reply {
					t.Errorf("%s: %q, %v, want %q", name, got.Content, err, want.Content)
				}
				if got := m.Generator().Tokens(); !slices.Equal(got[:len(ids)], s.IDs) {
					t.Errorf("%s: tokens %v, want %v", name, got, s.IDs)
				}
			}
		}
	}
}

// TestMMProjFiles: without an mmproj file of its width a model reads text alone, and several are an error.
func TestMMProjFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, from string) {
		t.Helper()
		copyFile(t, "testdata/mmproj/"+from, filepath.Join(dir, name))
	}
	open := func() (*models.Model, error) { return models.Open(filepath.Join(dir, "a.gguf"), tensor.CPU()) }
	put("a.gguf", "qwen2vl/model.gguf")
	if err := os.WriteFile(filepath.Join(dir, "mmproj-none.gguf"), []byte("GGUF"), 0o666); err != nil {
		t.Fatal(err)
	}
	if m, err := open(); err != nil || m.Vision != nil {
		t.Error(err)
	}
	put("mmproj-a.gguf", "qwen25vl/mmproj-model-f32.gguf")
	if m, err := open(); err != nil || m.Vision == nil || m.Vision.Config.ModelType != "qwen2_5_vl" {
		t.Error(err)
	}
	put("b.mmproj-f32.gguf", "qwen2vl/mmproj-model-f32.gguf")
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "several mmproj files") {
		t.Error(err)
	}
	if _, err := vision.OpenGGUFTower(filepath.Join(dir, "mmproj-a.gguf"), 16, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), "rows have a width of 32 for a language model of 16") {
		t.Error(err)
	}
	if _, err := vision.OpenGGUFTower(filepath.Join(dir, "a.gguf"), 32, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), `clip.projector_type "" is not supported: want one of gemma3, idefics3, mlp, qwen2.5vl_merger, qwen2vl_merger`) {
		t.Error(err)
	}
}

// TestMMProjOfOthers: an mmproj file that is not that of the language model leaves it a model of texts, which says why it
// reads no images.
func TestMMProjOfOthers(t *testing.T) {
	other := changedGGUF(t, "testdata/mmproj/llava/mmproj-model-f32.gguf", map[string]any{"clip.projector_type": "pixtral", "clip.vision.projection_dim": uint32(16)}, nil)
	for _, c := range []struct{ model, mmproj, why string }{
		{"testdata/mmproj/llava/model.gguf", "testdata/mmproj/gemma3vl/mmproj-model-f32.gguf", "model reads no images: mmproj.gguf is for language models of the architecture gemma3, not llama"},
		{"testdata/mmproj/llava/model.gguf", other, `model reads no images: clip.projector_type "pixtral" of mmproj.gguf is not supported`},
		{"testdata/mmproj/gemma3vl/model.gguf", "testdata/mmproj/llava/mmproj-model-f32.gguf", "model reads no images: mmproj.gguf is for a tokenizer with the token <image>"},
		{"testdata/mmproj/llava/model.gguf", "testdata/mmproj/qwen2vl/mmproj-model-f32.gguf", "a GGUF file with its mmproj file in the same folder"},
	} {
		dir := t.TempDir()
		copyFile(t, c.model, filepath.Join(dir, "model.gguf"))
		copyFile(t, c.mmproj, filepath.Join(dir, "mmproj.gguf"))
		copyFile(t, c.model, filepath.Join(dir, "another.gguf"))
		m, err := models.Open(filepath.Join(dir, "model.gguf"), tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Ask("What?", picture(t, "small", tensor.CPU())); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%v, want …%s…", err, c.why)
		}
	}
}

// TestMMProjUnknown: the language model of LLaVA 1.5 has no image token, so that <unk> is it, where no other language
// model is in the folder.
func TestMMProjUnknown(t *testing.T) {
	const from = "testdata/mmproj/llava/"
	f, err := formats.OpenGGUF(from + "model.gguf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tokens := slices.Clone(f.Metadata["tokenizer.ggml.tokens"].([]any))
	tokens[3] = "<pad>"
	model := changedGGUF(t, from+"model.gguf", map[string]any{"tokenizer.ggml.tokens": tokens, "tokenizer.chat_template": nil}, nil)
	copyFile(t, from+"mmproj-model-f32.gguf", filepath.Join(filepath.Dir(model), "mmproj.gguf"))
	m, err := models.Open(model, tensor.CPU())
	if err != nil || m.Vision == nil || m.Vision.Token != "<unk>" {
		t.Fatal(err)
	}
	whole, err := models.Open(from+"model.gguf", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Ask("What?", picture(t, "small", tensor.CPU())); err == nil || !strings.Contains(err.Error(), "no chat template") {
		t.Error(err)
	}
	if m.Template, err = models.NewChatTemplate("{% for m in messages %}USER: {% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{{ '<unk>' if part.type == 'image' else part.text }}{% endfor %}{% endif %} {% endfor %}ASSISTANT:", nil); err != nil {
		t.Fatal(err)
	}
	if whole.Template, err = models.NewChatTemplate("{% for m in messages %}USER: {% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{{ '<image>' if part.type == 'image' else part.text }}{% endfor %}{% endif %} {% endfor %}ASSISTANT:", nil); err != nil {
		t.Fatal(err)
	}
	m.MaxTokens, whole.MaxTokens = 8, 8
	got, err := m.Ask("What?", picture(t, "small", tensor.CPU()))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := whole.Ask("What?", picture(t, "small", tensor.CPU())); err != nil || got != want {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	copyFile(t, from+"model.gguf", filepath.Join(filepath.Dir(model), "other.gguf"))
	if m, err := models.Open(model, tensor.CPU()); err != nil || m.Vision != nil {
		t.Error(err, m)
	}
}

// TestMMProjRefused: what a file does not say, or says and is not supported, is an error that names it.
func TestMMProjRefused(t *testing.T) {
	const hidden = "clip.vision.feed_forward_length"
	wide := func(name string, x *quant.QTensor) *quant.QTensor {
		if !strings.Contains(name, "ffn_") {
			return x
		}
		sides := slices.Repeat([]int{16}, len(x.Dims()))
		return quant.Quantize(tensor.Ones(sides...), quant.F32)
	}
	for _, c := range []struct {
		name, wrong string
		meta        map[string]any
		change      func(name string, x *quant.QTensor) *quant.QTensor
	}{
		{"llava", "clip.vision.image_grid_pinpoints), as of LLaVA 1.6, is not supported", map[string]any{"clip.vision.image_grid_pinpoints": []int32{16, 32}}, nil},
		{"llava", "clip.vision.feature_layer is [1 2] for 1 layers", map[string]any{"clip.vision.feature_layer": []uint32{1, 2}}, nil},
		{"llava", "there is no clip.vision.block_count", map[string]any{"clip.vision.block_count": nil}, nil},
		{"llava", "feed-forward parts as wide as the rows are not supported", map[string]any{hidden: uint32(16)}, wide},
		{"llava", "missing: multi_modal_projector.linear_2.bias", nil, func(name string, x *quant.QTensor) *quant.QTensor {
			if name == "mm.2.bias" {
				return nil
			}
			return x
		}},
		{"smolvlm", "there is no clip.vision.projector.scale_factor", map[string]any{"clip.vision.projector.scale_factor": nil}, nil},
		{"smolvlm", "a scale_factor of 3 does not divide 4 × 4 patches", map[string]any{"clip.vision.projector.scale_factor": uint32(3)}, nil},
		{"gemma3vl", "clip.vision.projector.scale_factor is 5 for 6 × 6 patches", map[string]any{"clip.vision.projector.scale_factor": uint32(5)}, nil},
		{"gemma3vl", "rows have a width of 16 for a language model of 32", map[string]any{}, nil},
		{"gemma3vl", "image_mean has 3 numbers and image_std 1", map[string]any{"clip.vision.image_std": []float32{1}}, nil},
	} {
		width := 16
		if strings.Contains(c.wrong, "model of 32") {
			width = 32
		}
		file := changedGGUF(t, "testdata/mmproj/"+c.name+"/mmproj-model-f32.gguf", c.meta, c.change)
		if _, err := vision.OpenGGUFTower(file, width, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want …%s…", c.name, err, c.wrong)
		}
	}
	// What older files do not say.
	file := changedGGUF(t, "testdata/mmproj/smolvlm/mmproj-model-f32.gguf", map[string]any{"clip.vision.preproc_image_size": nil}, nil)
	if tower, err := vision.OpenGGUFTower(file, 16, tensor.F32, tensor.CPU()); err != nil || tower.Tiles.Longest != 64 {
		t.Error(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
