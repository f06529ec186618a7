package models_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

// TestMMProj: a GGUF file with an mmproj file beside it, which llama.cpp's converter made of a folder, is the model of
// the folder: pixels, tokens, rows and replies are those of transformers. The files do not say how many pixels images
// have, nor of Qwen2.5-VL how large windows are.
func TestMMProj(t *testing.T) {
	for _, dev := range devices(t) {
		for _, name := range []string{"qwen2vl", "qwen25vl"} {
			m, err := models.Open("testdata/mmproj/"+name+"/model.gguf", dev)
			if err != nil {
				t.Fatal(err)
			}
			m.Vision.Range.Least, m.Vision.Range.Most = 256, 1600
			folder := visionFolder(name)
			if name == "qwen25vl" {
				folder = changedVision(t, name, map[string][]byte{"config.json": visionConfig(t, name, "config.json", map[string]any{"vision_config": map[string]any{"window_size": 112}})}, nil)
			}
			other, err := models.Open(folder, dev)
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
					t.Fatal(err)
				}
				for _, image := range images {
					p, q := m.Vision.Prepare(image), other.Vision.Prepare(image)
					same(t, "pixels", p.Pixels, q.Pixels, 0)
					same(t, "rows", m.Vision.Rows(p), other.Vision.Rows(q).ToDevice(tensor.CPU()), 1e-5)
				}
				d := m.Decoder()
				d.UseImages(read...)
				logits := d.ReadAll(ids)
				if name == "qwen2vl" {
					same(t, "logits", logits, golden["logits"+string(rune('0'+i))], 5e-5)
				}
				for _, m := range []*models.Model{m, other} {
					m.Forget()
					m.Messages, m.MaxTokens = slices.Clone(messages), len(s.New)
				}
				got, err := m.Reply(nil)
				if err != nil {
					t.Fatal(err)
				}
				if want, err := other.Reply(nil); err != nil || got.Content != want.Content || name == "qwen2vl" && got.Content != s.Reply {
					t.Errorf("%s: %q, %v, want %q", name, got.Content, err, want.Content)
				}
				if got := m.Generator().Tokens(); !slices.Equal(got[:len(ids)], s.IDs) {
					t.Errorf("tokens %v, want %v", got, s.IDs)
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
		data, err := os.ReadFile("testdata/mmproj/" + from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
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
	if _, err := vision.OpenGGUFTower(filepath.Join(dir, "a.gguf"), 32, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), `clip.projector_type "" is not supported: want one of qwen2.5vl_merger, qwen2vl_merger`) {
		t.Error(err)
	}
}
