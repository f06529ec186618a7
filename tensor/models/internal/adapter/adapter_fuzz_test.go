package adapter_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/adapter"
	"github.com/gorocm/gorocm/tensor/nn"
)

// parameters are those of a small model, some with names of a UNet.
func parameters() *nn.Params {
	var all []formats.Named
	for _, name := range []string{"model.layers.0.self_attn.q_proj.weight", "blk.0.attn_q.weight", "mid_block.attentions.0.proj_in.weight"} {
		all = append(all, formats.Named{Name: name, Tensor: tensor.Ones(16, 16)})
	}
	return nn.ParamsOf(all, tensor.F32, tensor.CPU())
}

// apply reads all parameters with what a set does to them.
func apply(s *adapter.Set) {
	if s.Empty() {
		return
	}
	p := parameters()
	q, _, err := s.Apply(p, adapter.Model{Find: adapter.Flat(p.Names(), 1)})
	if err != nil {
		return
	}
	for _, name := range p.Names() {
		_, _ = tensor.Try(func() *tensor.Tensor { return q.Get(name, []int{16, 16}, nil) })
	}
}

// FuzzFiles: adapters in anybody's files are read, or an error, and parameters take them, or an error.
func FuzzFiles(f *testing.F) {
	peft := filepath.Join("..", "..", "testdata", "adapters")
	for _, files := range [][2]string{{"plain/0/adapter_config.json", "plain/0/adapter_model.safetensors"}, {"dora/0/adapter_config.json", "dora/0/adapter_model.safetensors"},
		{"plain/0/adapter_config.json", "gguf/0.gguf"}, {"plain/0/adapter_config.json", "../../diffusion/testdata/adapters/kohya.safetensors"}} {
		config, err := os.ReadFile(filepath.Join(peft, files[0]))
		weights, err2 := os.ReadFile(filepath.Join(peft, filepath.FromSlash(files[1])))
		if err := errors.Join(err, err2); err != nil {
			f.Fatal(err)
		}
		f.Add(config, weights)
	}
	f.Fuzz(func(t *testing.T, config, weights []byte) {
		folder := t.TempDir()
		file := filepath.Join(folder, "adapter_model.safetensors")
		if err := errors.Join(os.WriteFile(filepath.Join(folder, "adapter_config.json"), config, 0o600), os.WriteFile(file, weights, 0o600),
			os.WriteFile(filepath.Join(folder, "a.gguf"), weights, 0o600)); err != nil {
			t.Fatal(err)
		}
		if s, err := adapter.PEFT([]adapter.Adapter{{Path: folder}}); err == nil {
			apply(s)
		}
		if s, err := adapter.GGUF([]adapter.Adapter{{Path: filepath.Join(folder, "a.gguf")}}, "llama"); err == nil {
			apply(s)
		}
		sets, err := adapter.Pictures([]adapter.Adapter{{Path: file}})
		if err != nil {
			return
		}
		for _, s := range sets {
			apply(s)
		}
	})
}

// TestTwoNames: a parameter of one adapter under two names is an error.
func TestTwoNames(t *testing.T) {
	folder := t.TempDir()
	var all []formats.Named
	for _, layer := range []string{"unet.mid_block.attentions.0.proj_in", "lora_unet_mid_block_attentions_0_proj_in"} {
		ends := []string{".lora_A.weight", ".lora_B.weight"}
		if strings.HasPrefix(layer, "lora_") {
			ends = []string{".lora_down.weight", ".lora_up.weight"}
		}
		all = append(all, formats.Named{Name: layer + ends[0], Tensor: tensor.Ones(1, 16)}, formats.Named{Name: layer + ends[1], Tensor: tensor.Ones(16, 1)})
	}
	file := filepath.Join(folder, "a.safetensors")
	if err := formats.WriteSafetensors(file, all, nil); err != nil {
		t.Fatal(err)
	}
	sets, err := adapter.Pictures([]adapter.Adapter{{Path: file}})
	if err != nil {
		t.Fatal(err)
	}
	p := parameters()
	if _, _, err := sets["unet"].Apply(p, adapter.Model{Find: adapter.Flat(p.Names(), 1)}); err == nil || !strings.Contains(err.Error(), "twice, under two names") {
		t.Error(err)
	}
}
