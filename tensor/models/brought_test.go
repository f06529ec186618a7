package models_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// TestBroughtFiles: files as people have them, beside those that a model was saved with.
func TestBroughtFiles(t *testing.T) {
	copied := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	write := func(text string, parts ...string) {
		t.Helper()
		if err := os.WriteFile(at(parts...), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const source = "testdata/llama3/"
	config, err := os.ReadFile(source + "config.json")
	if err != nil {
		t.Fatal(err)
	}
	copied(source+"config.json", at("odd é", "config.json"))
	copied(source+"model.safetensors", at("odd é", "my weights (1).safetensors"))
	copied(source+"config.json", at("models--me--tiny", "snapshots", "ab12", "config.json"))
	copied(source+"model.safetensors", at("models--me--tiny", "snapshots", "ab12", "model.safetensors"))
	copied(source+"config.json", at("models--me--tiny", "refs", "x"))
	write("ab12\n", "models--me--tiny", "refs", "main")
	copied("testdata/gguf/llama3.gguf", at("weights.bin"))
	copied(source+"model.safetensors", at("mark", "model.safetensors"))
	write("\ufeff"+string(config), "mark", "config.json")
	copied(source+"config.json", at("pointer", "config.json"))
	write("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 1\n", "pointer", "model.safetensors")
	copied(source+"model.safetensors", at("alone", "model.safetensors"))

	var g golden
	raw, err := os.ReadFile(source + "logits.json")
	if err == nil {
		err = json.Unmarshal(raw, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"odd é": "odd é", "models--me--tiny": "tiny", "weights.bin": "weights", "mark": "mark",
		"pointer": "error: model.safetensors is a pointer of Git LFS", "alone": "error: there is no config.json",
		"alone/model.safetensors": "error: has weights alone: want its folder",
	} {
		m, err := models.OpenAs(at(path), tensor.F32, tensor.CPU())
		if wrong, ok := strings.CutPrefix(want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %v, want %s", path, err, wrong)
			}
			continue
		}
		if err != nil || m.Name != want {
			t.Errorf("%s: %v, %v, want %s", path, m, err, want)
			continue
		}
		for i, row := range m.Forward(g.IDs).ToVec2() {
			g.near(t, row, i)
		}
	}
}

// TestSplitGGUF: a model in several files, as llama-gguf-split makes of one.
func TestSplitGGUF(t *testing.T) {
	f, err := formats.OpenGGUF("testdata/gguf/llama3.gguf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("big-%05d-of-00003.gguf", i+1)) }
	names := f.Names()
	for i := range 3 {
		meta := map[string]any{}
		if i == 0 {
			meta = maps.Clone(f.Metadata)
		}
		maps.Copy(meta, map[string]any{"split.no": uint32(i), "split.count": uint32(3), "split.tensors.count": int32(len(names))})
		var list []formats.Packed
		for k, name := range names {
			if k*3/len(names) != i {
				continue
			}
			x, err := f.Tensor(name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, formats.Packed{Name: name, Tensor: x})
		}
		if err := formats.WriteGGUF(name(i), list, meta); err != nil {
			t.Fatal(err)
		}
	}
	whole, _, err := models.OpenLlama("testdata/gguf/llama3.gguf", tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := models.OpenLlama(name(0), tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	ids := []int{1, 7, 3, 19}
	if got, want := fmt.Sprint(m.Forward(ids).ToVec2()), fmt.Sprint(whole.Forward(ids).ToVec2()); got != want {
		t.Errorf("logits %.80s, want %.80s", got, want)
	}
	wrong := func(path, want string) {
		t.Helper()
		if _, _, err := models.OpenLlama(path, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	wrong(name(1), "file 2 of the 3 of a model: want the first one")
	if err := os.Rename(name(1), name(3)); err != nil {
		t.Fatal(err)
	}
	wrong(name(0), "file 2 of the 3 of a model: open")
	data, err := os.ReadFile(name(2))
	if err == nil {
		err = os.WriteFile(name(1), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	wrong(name(0), "big-00002-of-00003.gguf is not file 2 of 3")
}
