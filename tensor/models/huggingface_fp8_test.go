package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// TestFloat8Folder: FP8 in other dtypes; scales that are not there, or of another shape.
func TestFloat8Folder(t *testing.T) {
	for _, name := range []string{"qwen3_fp8", "deepseek3_fp8"} {
		for _, dev := range devices(t) {
			g := goldenOf(t, name)
			m, _, err := models.OpenLlama(g.folder, tensor.F64, dev)
			if err != nil {
				t.Fatal(err)
			}
			near(t, m.Forward(g.IDs[:3]).ToDType(tensor.F32).ToVec2()[2], g.Logits[2], 5e-5)
			if m, _, err = models.OpenLlama(g.folder, tensor.BF16, dev); err != nil || m.DType() != tensor.BF16 {
				t.Fatal(err)
			}
			m.Forward(g.IDs[:3])
		}
	}
	const weight = "model.layers.0.self_attn.q_proj.weight"
	for _, c := range []struct {
		change func(folder string, w []formats.Named) []formats.Named
		want   []string
	}{
		{func(_ string, w []formats.Named) []formats.Named { return without(w, weight+"_scale_inv") },
			[]string{weight + ": its elements, of shape [32 136], are f8e4m3, and there are no scales " + weight + "_scale_inv"}},
		{func(_ string, w []formats.Named) []formats.Named { return without(w, weight) },
			[]string{"1 missing: " + weight, "1 unexpected: " + weight + "_scale_inv"}},
		{func(_ string, w []formats.Named) []formats.Named {
			return append(without(w, weight+"_scale_inv"), formats.Named{Name: weight + "_scale_inv", Tensor: tensor.CPU().Ones(tensor.F32, 2, 1)})
		}, []string{weight + "_scale_inv have shape [2 1]: want [1 2], for shape [32 136] in blocks of [128 128]"}},
		{func(folder string, w []formats.Named) []formats.Named {
			file := filepath.Join(folder, "config.json")
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			put(t, folder, "config.json", strings.Replace(string(raw), `"quantization_config"`, `"no"`, 1))
			return w
		}, []string{"6 unexpected: model.layers.0."}},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("testdata/qwen3_fp8")); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "model.safetensors")
		w, err := formats.ReadSafetensors(file, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		if err := formats.WriteSafetensors(file, c.change(folder, w), nil); err != nil {
			t.Fatal(err)
		}
		_, _, err = models.OpenLlama(folder, tensor.F32, tensor.CPU())
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want …%s…", err, want)
			}
		}
	}
}

func without(list []formats.Named, name string) (rest []formats.Named) {
	for _, n := range list {
		if n.Name != name {
			rest = append(rest, n)
		}
	}
	return rest
}

func goldenOf(t *testing.T, name string) golden {
	t.Helper()
	for _, g := range goldens(t) {
		if g.name == name {
			return g
		}
	}
	t.Fatalf("there is no %s", name)
	return golden{}
}
