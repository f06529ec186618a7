package formats_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

func TestSafetensorsOfSeveralFiles(t *testing.T) {
	folder, dev := t.TempDir(), tensor.CPU()
	one, two := tensor.Of(1, 2), tensor.Of(3)
	for name, n := range map[string]formats.Named{"1.safetensors": {Name: "one", Tensor: one},
		"2.safetensors": {Name: "two", Tensor: two}} {
		if err := formats.WriteSafetensors(filepath.Join(folder, name), []formats.Named{n}, nil); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "model.safetensors.index.json")
	index := func(m map[string]string) {
		text, err := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": 12}, "weight_map": m})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index(map[string]string{"one": "1.safetensors", "two": "2.safetensors"})
	list, err := formats.ReadSafetensors(path, dev)
	if err != nil || len(list) != 2 || list[0].Name != "one" || list[1].Name != "two" {
		t.Fatal(list, err)
	}
	same(t, list[0].Tensor, tensor.F32, []int{2}, []float64{1, 2})
	same(t, list[1].Tensor, tensor.F32, []int{1}, []float64{3})
	s, err := formats.OpenSafetensors(path)
	if err != nil || s.Metadata["total_size"] != "12" {
		t.Fatal(s, err)
	}
	if _, err := s.Tensor("three", dev); err == nil || !strings.Contains(err.Error(), `"one", "two"`) {
		t.Errorf("a tensor that does not exist: %v", err)
	}
	for want, m := range map[string]map[string]string{
		"not one beside":     {"one": "../1.safetensors"},
		"3.safetensors":      {"one": "3.safetensors"}, // there is no such file
		`no tensor "two" in`: {"two": "1.safetensors"},
		"index.json":         {"one": ""},
	} {
		index(m)
		if _, err := formats.OpenSafetensors(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want an error with %q", m, err, want)
		}
	}
}

// TestMappedTensorsOutliveTheFile: packed blocks lie in the file, which stays mapped as long as there are some, on
// devices too.
func TestMappedTensorsOutliveTheFile(t *testing.T) {
	path, dev := filepath.Join(t.TempDir(), "x.gguf"), tensor.CPU()
	w := quant.Quantize(dev.Randn(tensor.F32, 16, 256), quant.Q4K)
	if err := formats.WriteGGUF(path, []formats.Packed{{Name: "w", Tensor: w}}, nil); err != nil {
		t.Fatal(err)
	}
	read := func() *quant.QTensor {
		g, err := formats.OpenGGUF(path)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		q, err := g.Tensor("w")
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	q := read()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		runtime.GC()
	}
	if string(q.Data()) != string(w.Data()) {
		t.Error("the blocks are others")
	}
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	if string(q.To(gpu).Data()) != string(w.Data()) {
		t.Error("the blocks on the device are others")
	}
}

func TestGGUFOverlap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gguf")
	f32 := func(name string, offset uint64) []any { return []any{name, uint32(1), uint64(4), uint32(0), offset} }
	for want, parts := range map[string][]any{
		"begins before": append(f32("a", 0), f32("b", 8)...),
		"two tensors":   append(f32("a", 0), f32("a", 32)...),
	} {
		file := gguf(append(append([]any{uint32(3), uint64(2), uint64(0)}, parts...), make([]byte, 200))...)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := formats.OpenGGUF(path); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "at byte") {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
