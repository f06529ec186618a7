package models_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

// TestHuggingFace: small models of each family, saved by transformers, give the logits that transformers computed: see
// testdata/golden.py.
func TestHuggingFace(t *testing.T) {
	for _, dev := range devices(t) {
		for _, name := range []string{"llama3", "mistral", "qwen2", "qwen3"} {
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				folder := filepath.Join("testdata", name)
				raw, err := os.ReadFile(filepath.Join(folder, "logits.json"))
				if err != nil {
					t.Fatal(err)
				}
				var golden struct {
					IDs    []int
					Logits [][]float64
				}
				if err := json.Unmarshal(raw, &golden); err != nil {
					t.Fatal(err)
				}
				m, _, err := models.OpenLlama(folder, tensor.F32, dev)
				if err != nil {
					t.Fatal(err)
				}
				for i, row := range m.Forward(golden.IDs).ToVec2() {
					near(t, row, golden.Logits[i], 5e-5)
				}
				d := m.Decoder()
				for i, id := range golden.IDs {
					near(t, d.Read([]int{id}).ToVec1(), golden.Logits[i], 5e-5)
				}
			})
		}
	}
}
