package vision_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

// mistakes calls functions, which are to panic with an error that has these words.
func mistakes(t *testing.T, all map[string]func()) {
	t.Helper()
	for want, f := range all {
		if err := tensor.Catch(func() error { f(); return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// changed is a copy of a folder of testdata with another file, or without it for an empty text.
func changed(t testing.TB, folder, file, text string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS("testdata/"+folder)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to, file)
	os.Remove(path)
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// with is a file of a folder of JSON with other fields.
func with(t testing.TB, folder, file string, fields map[string]any) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", folder, file))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for key, value := range fields {
		if all[key] = value; value == nil {
			delete(all, key)
		}
	}
	data, err = json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRefused: what is not supported, or not there, is an error that names it.
func TestRefused(t *testing.T) {
	const config, processor = "config.json", "preprocessor_config.json"
	type fields = map[string]any
	for _, c := range []struct {
		folder, file string
		fields       fields
		want         string
	}{
		{"vit", config, fields{"model_type": "swin"}, `"swin" is not supported: want one of convnext, dinov2, dinov2_with_registers, resnet, vit; OpenCLIP reads clip, siglip`},
		{"vit", config, fields{"model_type": "clip"}, "OpenCLIP opens it"},
		{"vit", config, fields{"hidden_size": -1}, "sizes is not possible"},
		{"vit", config, fields{"hidden_size": 1 << 15, "num_attention_heads": 1}, "config.json declares about"},
		{"vit", config, fields{"num_hidden_layers": 1 << 12}, "layers are more than"},
		{"vit", config, fields{"num_attention_heads": 3}, "heads do not divide"},
		{"vit", config, fields{"patch_size": []int{4, 2}}, "want squares"},
		{"vit", config, fields{"patch_size": 17}, "has no patch of 17"},
		{"vit", config, fields{"image_size": "x"}, "want a number or two"},
		{"vit", config, fields{"num_channels": 1}, "num_channels is 1"},
		{"dinov2registers", config, fields{"num_register_tokens": -1}, "num_register_tokens is -1"},
		{"vit", config, fields{"hidden_act": "maxout"}, "maxout"},
		{"vit", config, fields{"num_hidden_layers": 3}, "missing: vit.encoder.layer.2."},
		{"vit", config, fields{"num_hidden_layers": 1}, "unexpected: vit.encoder.layer.1."},
		{"resnet", config, fields{"layer_type": "wide"}, `"wide" is not supported`},
		{"resnet", config, fields{"depths": []int{1}}, "want as many"},
		{"resnet", config, fields{"hidden_sizes": []int{8, 16, 0}}, "are not possible"},
		{"resnet", config, fields{"embedding_size": 1 << 20}, "embedding_size"},
		{"vit", processor, fields{"image_processor_type": "SamImageProcessor"}, `"SamImageProcessor" is not supported: want one of Bit, CLIP,`},
		{"vit", processor, fields{"size": fields{"longest_edge": 3}}, "want height and width, or shortest_edge"},
		{"vit", processor, fields{"size": fields{"height": 1 << 20, "width": 3}}, "is not possible"},
		{"vit", processor, fields{"size": "large"}, "want a number"},
		{"vit", processor, fields{"resample": 6}, "resample is 6"},
		{"vit", processor, fields{"image_mean": []int{1}}, "image_mean has 1 numbers"},
		{"vit", processor, fields{"image_std": []int{1, 0, 1}}, "above 0"},
		{"vit", processor, fields{"do_pad": true}, "do_pad"},
		{"resnet", processor, fields{"crop_pct": 0}, "crop_pct is 0"},
		{"resnet", processor, fields{"size": fields{"height": 3, "width": 3}}, "wants a shortest_edge"},
		{"dinov2", processor, fields{"crop_size": fields{"height": -3, "width": 3}}, "crop_size"},
		{"clip", config, fields{"model_type": "vit"}, "Open reads convnext"},
		{"clip", config, fields{"text_config_dict": fields{"hidden_size": 1 << 20}, "vision_config_dict": nil}, "text_config of these sizes"},
		{"clip", config, fields{"vision_config_dict": fields{"hidden_act": "maxout"}}, "maxout"},
		{"clip", config, fields{"projection_dim": -5}, "vectors of -5 numbers"},
		{"clip", config, fields{"text_config": fields{"hidden_size": 1 << 20}}, "text_config of these sizes"},
		{"clip", config, fields{"text_config": fields{"vocab_size": 10}}, "the tokenizer has 93 tokens, and the model 10"},
		{"clip", config, fields{"vision_config": fields{"hidden_size": 768}}, "config.json declares"},
		{"siglip", config, fields{"vision_config": fields{"vision_use_head": false}}, "vision_use_head"},
	} {
		folder := changed(t, c.folder, c.file, with(t, c.folder, c.file, c.fields))
		if err := openAny(c.folder, folder); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want an error with %q", c.folder, c.fields, err, c.want)
		}
	}
	for _, c := range [][3]string{{"vit", config, config}, {"vit", processor, "there is no preprocessor_config.json"},
		{"vit", "model.safetensors", "neither a .safetensors"}, {"clip", "tokenizer.json", "tokenizer.json"}} {
		folder := changed(t, c[0], c[1], "")
		os.Remove(filepath.Join(folder, "golden.safetensors"))
		if err := openAny(c[0], folder); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("without %s: %v, want an error with %q", c[1], err, c[2])
		}
	}
}

// openAny opens a copy of a folder of testdata.
func openAny(name, folder string) error {
	if strings.HasPrefix(name, "clip") || name == "siglip" {
		_, err := vision.OpenCLIP(folder, tensor.CPU())
		return err
	}
	_, err := vision.Open(folder, tensor.CPU())
	return err
}

// TestOlderProcessors: older files have numbers for sizes, and names of their own.
func TestOlderProcessors(t *testing.T) {
	for _, c := range []struct {
		text          string
		height, width int // of the picture "wide" of 37 × 52
	}{
		{`{"feature_extractor_type": "ViTFeatureExtractor", "size": 20, "resample": 2}`, 20, 20},
		{`{"image_processor_type": "ViTImageProcessorFast"}`, 224, 224},
		{`{"feature_extractor_type": "CLIPFeatureExtractor", "size": 20, "crop_size": 18, "do_center_crop": true}`, 18, 18},
		{`{"feature_extractor_type": "CLIPFeatureExtractor", "size": 20, "do_center_crop": false}`, 20, 28},
		{`{"feature_extractor_type": "ConvNextFeatureExtractor", "size": 28, "crop_pct": 0.875}`, 28, 28},
		{`{"image_processor_type": "ViTImageProcessor", "do_resize": false}`, 37, 52},
	} {
		m, err := vision.Open(changed(t, "vit", "preprocessor_config.json", c.text), tensor.CPU())
		if err != nil {
			t.Error(c.text, err)
			continue
		}
		if x := m.Processor.Pixels(picture(t, "wide", tensor.CPU())); x.Dim(1) != c.height || x.Dim(2) != c.width {
			t.Errorf("%s: %v", c.text, x.Dims())
		}
	}
	processor := with(t, "clip", "preprocessor_config.json", nil)
	folder := changed(t, "clip", "processor_config.json", `{"image_processor": `+processor+`}`)
	os.Remove(filepath.Join(folder, "preprocessor_config.json"))
	if _, err := vision.OpenCLIP(folder, tensor.CPU()); err != nil {
		t.Error(err)
	}
}

// TestMistakes: images that are none, and questions that a model cannot answer, are errors that say so.
func TestMistakes(t *testing.T) {
	dev := tensor.CPU()
	open := func(name string) *vision.Model {
		m, err := vision.Open("testdata/"+name, dev)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	base, plain := open("vitbase"), open("vit")
	plain.Processor.Resize = false
	image := picture(t, "wide", dev)
	mistakes(t, map[string]func(){
		"vitbase has no classifier": func() { base.Logits(image) },
		"at least one image":        func() { base.Features() },
		"is not an image":           func() { base.Features(dev.Zeros(tensor.U8, 2, 4, 4)) },
		"the image is of f32":       func() { base.Features(image.ToDType(tensor.F32)) },
		"images of several sizes":   func() { plain.Hidden(image, picture(t, "high", dev)) },
		"an image of 0 × 4 pixels":  func() { vision.Resize(image, 4, 0, vision.Bicubic) },
		"there is no Filter(9)":     func() { vision.Resize(image, 4, 4, 9) },
		"image_mean has 0 numbers":  func() { (&vision.Processor{Normalize: true}).Pixels(image) },
		"want at least one, and at": func() { vision.Resize(image, 1<<20, 1<<20, vision.Bicubic) },
	})
}

// FuzzConfigs: a config and a processor of any bytes are an error, or a model that reads an image.
func FuzzConfigs(f *testing.F) {
	for _, folder := range []string{"vit", "dinov2gated", "resnet", "convnextbase", "clip", "siglip"} {
		f.Add(folder, with(f, folder, "config.json", nil), with(f, folder, "preprocessor_config.json", nil))
	}
	f.Add("vit", `{"model_type": "vit", "image_size": [1, 65536], "patch_size": 1}`, `{"image_processor_type": "BitImageProcessor", "size": 1}`)
	image := picture(f, "small", tensor.CPU())
	f.Fuzz(func(t *testing.T, name, config, processor string) {
		if filepath.Base(name) != name || len(config)+len(processor) == 0 {
			t.Skip()
		}
		if info, err := os.Stat("testdata/" + name); err != nil || !info.IsDir() {
			t.Skip()
		}
		folder := changed(t, name, "config.json", config)
		if err := os.WriteFile(filepath.Join(folder, "preprocessor_config.json"), []byte(processor), 0o666); err != nil {
			t.Fatal(err)
		}
		use := func() error {
			if m, err := vision.Open(folder, tensor.CPU()); err == nil && small(m.Processor) {
				m.Features(image)
			}
			if m, err := vision.OpenCLIP(folder, tensor.CPU()); err == nil && small(m.Processor) {
				m.Classify(image, "a", "cat")
			}
			return nil
		}
		tensor.Catch(use) // an error of a tensor is allowed, as of an image that has no patch
	})
}

// small reports whether images are quickly read.
func small(p *vision.Processor) bool {
	return p.Resize && p.Height <= 64 && p.Width <= 64 && p.ShortestEdge <= 64 && p.CropHeight <= 64 && p.CropWidth <= 64
}
