package models_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// converted are models that llama.cpp's converter has written, with the logits of transformers: see testdata/gguf.py.
func converted(t *testing.T) (all []golden) {
	t.Helper()
	files, err := filepath.Glob("testdata/gguf/*.gguf")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		g := golden{name: strings.TrimSuffix(filepath.Base(file), ".gguf"), folder: file}
		if strings.HasPrefix(g.name, "gemma") {
			continue // which has a tokenizer: TestGemmaGGUF
		}
		raw, err := os.ReadFile(filepath.Join("testdata/gguf", g.name+".json"))
		if err != nil {
			raw, err = os.ReadFile(filepath.Join("testdata", g.name, "logits.json"))
		}
		if err == nil {
			err = json.Unmarshal(raw, &g)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// TestGGUFFamilies: models that llama.cpp's converter has written give the logits of transformers, for a text at once
// and token by token.
func TestGGUFFamilies(t *testing.T) {
	for _, dev := range devices(t) {
		for i, g := range converted(t) {
			if dev.Emulated() && i%4 != 0 && !thorough.On() {
				continue
			}
			t.Run(dev.Location()+"/"+g.name, func(t *testing.T) {
				m := g.open(t, dev)
				ids := g.IDs[:min(len(g.IDs), m.Config.Context)]
				for i, row := range m.Forward(ids).ToVec2() {
					near(t, row, g.Logits[i], 5e-5)
				}
				d := m.Decoder()
				for i, id := range ids {
					near(t, d.Read([]int{id}).ToVec1(), g.Logits[i], 5e-5)
				}
			})
		}
	}
}
