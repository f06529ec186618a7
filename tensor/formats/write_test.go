package formats_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestWriteMistakes: what cannot be written is an error about the file and the tensor that were given, and leaves no
// file.
func TestWriteMistakes(t *testing.T) {
	folder := t.TempDir()
	x := tensor.Zeros(2, 2)
	one := []formats.Named{{Name: "x", Tensor: x}}
	writers := map[string]func(path string) error{
		"safetensors": func(path string) error { return formats.WriteSafetensors(path, one, nil) },
		"npz":         func(path string) error { return formats.WriteNpz(path, one) },
		"npy":         func(path string) error { return formats.WriteNpy(path, x) },
		"csv":         func(path string) error { return formats.WriteCSV(path, nil, x) },
		"png":         func(path string) error { return formats.WriteImage(path, x) },
		"wav":         func(path string) error { return formats.WriteWAV(path, x, 8000) },
		"gguf": func(path string) error {
			return formats.WriteGGUF(path, []formats.Packed{{Name: "x", Tensor: quant.Quantize(x, quant.F32)}}, nil)
		},
	}
	for ending, write := range writers {
		path := filepath.Join(folder, "nowhere", "x."+ending)
		err := write(path)
		if want := "open " + path + ": "; err == nil || !strings.HasPrefix(err.Error(), want) ||
			!errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s in a folder that does not exist: %v, want %s…", ending, err, want)
		}
		taken := filepath.Join(folder, "taken."+ending)
		if err := os.Mkdir(taken, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := write(taken); err == nil || !strings.HasPrefix(err.Error(), "write "+taken+": ") {
			t.Errorf("%s in place of a folder: %v", ending, err)
		}
	}
	for name, err := range map[string]error{
		"safetensors": formats.WriteSafetensors(filepath.Join(folder, "nil"), append(one, formats.Named{Name: "y"}),
			nil),
		"npz": formats.WriteNpz(filepath.Join(folder, "nil"), append(one, formats.Named{Name: "y"})),
		"gguf": formats.WriteGGUF(filepath.Join(folder, "nil"),
			[]formats.Packed{{Name: "x", Tensor: quant.Quantize(x, quant.F32)}, {Name: "y"}}, nil),
	} {
		if err == nil || !strings.HasSuffix(err.Error(), `nil: tensor 1, "y", is nil`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(writers) {
		t.Errorf("there are %v (%v), want the folders alone", entries, err)
	}
}
