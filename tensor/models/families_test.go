package models_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// openWith opens the model of a folder of testdata with further weights.
func openWith(t *testing.T, folder string, more ...formats.Named) error {
	t.Helper()
	weights, err := formats.ReadSafetensors(filepath.Join("testdata", folder, "model.safetensors"), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join("testdata", folder, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	if err := os.WriteFile(filepath.Join(into, "config.json"), config, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteSafetensors(filepath.Join(into, "model.safetensors"), append(weights, more...), nil); err != nil {
		t.Fatal(err)
	}
	_, _, err = models.OpenLlama(into, tensor.F32, tensor.CPU())
	return err
}

// TestNextTokenLayers: layers that guess further tokens are left out.
func TestNextTokenLayers(t *testing.T) {
	more := formats.Named{Name: "model.layers.2.eh_proj.weight", Tensor: tensor.Zeros(16, 32)}
	if err := openWith(t, "deepseek3", more); err != nil {
		t.Error(err)
	}
}
