package formats_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestContents: an open file is shown as the list of its tensors.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.safetensors")
	list := []formats.Named{{"a", tensor.Of(1, 2)}, {"long.\x1b\n", tensor.CPU().Zeros(tensor.F16, 2, 3)}}
	if err := formats.WriteSafetensors(path, list, nil); err != nil {
		t.Fatal(err)
	}
	s, err := formats.OpenSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, want := s.String(), "safetensors, "+path+": tensors: 2, bytes: 20\n  a            [2] F32\n  long.\\x1b\\n  [2, 3] F16"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var packed []formats.Packed
	for i := range 50 {
		q := quant.Quantize(tensor.CPU().Zeros(tensor.F32, 1, 32), quant.Q8_0)
		packed = append(packed, formats.Packed{Name: fmt.Sprint("blk.", i), Tensor: q})
	}
	path = filepath.Join(dir, "x.gguf")
	if err := formats.WriteGGUF(path, packed, map[string]any{"general.architecture": "llama"}); err != nil {
		t.Fatal(err)
	}
	g, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	got := g.String()
	if !strings.HasPrefix(got, "GGUF 3, "+path+", \"llama\", 1 entries of metadata: tensors: 50, bytes: 1700\n  blk.0   [1, 32] Q8_0\n") ||
		!strings.Contains(got, "\n  … 18 more\n  blk.42  ") || !strings.HasSuffix(got, "\n  blk.49  [1, 32] Q8_0") {
		t.Error(got)
	}
	if err := g.Close(); err != nil || g.String() != "GGUF, closed" {
		t.Error(err, g)
	}
}
