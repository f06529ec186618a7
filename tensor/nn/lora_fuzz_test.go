package nn_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// FuzzOpenLoRA: adapters in a folder of anybody's are read, or an error; layers take them, or panic with an error.
func FuzzOpenLoRA(f *testing.F) {
	config, _ := os.ReadFile("testdata/lora/adapter_config.json")
	weights, _ := os.ReadFile("testdata/lora/adapter_model.safetensors")
	f.Add(config, weights)
	f.Add([]byte(`{"peft_type":"LORA","r":4096,"target_modules":"all-linear"}`), weights)
	f.Fuzz(func(t *testing.T, config, weights []byte) {
		folder := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(folder, "adapter_config.json"), config, 0o600),
			os.WriteFile(filepath.Join(folder, "adapter_model.safetensors"), weights, 0o600)); err != nil {
			t.Fatal(err)
		}
		l, err := nn.OpenLoRA(folder, tensor.F32, tensor.CPU())
		if err != nil {
			return
		}
		_ = tensor.Catch(func() error {
			nn.NewLinear(6, 5, nn.NewParams(tensor.F32, tensor.CPU()).Adapt(l).At("first"))
			return l.Check()
		})
	})
}
