package limits_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/frame"
	"github.com/gorocm/gorocm/tensor/limits"
	"github.com/gorocm/gorocm/tensor/nn/train"
	"github.com/gorocm/gorocm/tensor/onnx"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// model is an ONNX model of one Identity.
const model = "\x08\x08\x3a\x2b\x0a\x10\x0a\x01x\x12\x01y\x22\x08Identity\x12\x01g\x5a\x09\x0a\x01x\x12\x04\x0a\x02\x08\x01" +
	"\x62\x09\x0a\x01y\x12\x04\x0a\x02\x08\x01\x42\x02\x10\x0d"

// TestEach reads a file with each limit lowered, and again after the line that the error proposes.
func TestEach(t *testing.T) {
	thorough.Slow(t)
	dir, dev := t.TempDir(), tensor.CPU()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	x := dev.Arange(tensor.F32, 4096).Reshape(64, 64)
	check(formats.WriteSafetensors(at("x.safetensors"), []formats.Named{{Name: "x", Tensor: x}}, nil))
	check(os.WriteFile(at("x.safetensors.index.json"), []byte(`{"weight_map": {"x": "x.safetensors"}}`), 0o600))
	check(formats.WriteNpy(at("x.npy"), x))
	check(formats.WriteImage(at("x.png"), dev.Zeros(tensor.U8, 1, 2000, 2000)))
	check(os.WriteFile(at("long.txt"), []byte(strings.Repeat("a", 1<<17)+"\n"), 0o600))
	f := frame.New("a", []float64{1}, "b", []float64{2})
	check(f.WriteArrow(at("x.arrow")))
	pth := func(name string) func() error {
		return func() error { _, err := formats.ReadPth("../formats/testdata/"+name, "", dev); return err }
	}
	decoded := func(text string) func() error {
		return func() error { _, err := frame.DecodeJSONL(strings.NewReader(text)); return err }
	}
	arrow := func() error { _, err := frame.ReadArrow(at("x.arrow")); return err }
	list := []struct {
		limit *limits.Limit
		to    int
		read  func() error
	}{
		{limits.SafetensorsHeader, 10, func() error { _, err := formats.OpenSafetensors(at("x.safetensors")); return err }},
		{limits.SafetensorsIndex, 30, func() error { _, err := formats.OpenSafetensors(at("x.safetensors.index.json")); return err }},
		{limits.PickleBytes, 30, pth("state.pt")},
		{limits.PickleValues, 2, pth("nested.pt")},
		{limits.NpyHeader, 60, func() error { _, err := formats.ReadNpy(at("x.npy"), dev); return err }},
		{limits.ImagePixels, 3999999, func() error { _, err := formats.ReadImage(at("x.png"), dev); return err }},
		{limits.ImageExpansion, 10, func() error { _, err := formats.ReadImage(at("x.png"), dev); return err }},
		{limits.Columns, 2, decoded(`{"a": 1, "b": 2, "c": 3}`)},
		{limits.Columns, 1, arrow},
		{limits.JSONLine, 1 << 16, decoded(`{"a": "` + strings.Repeat("a", 1<<16) + `"}`)},
		{limits.ArrowSchema, 50, arrow},
		{limits.CSVRow, 1 << 16, func() error {
			_, err := frame.DecodeCSV(strings.NewReader("a\n\"" + strings.Repeat("a\n", 3<<20) + "\""))
			return err
		}},
		{limits.ONNXBytes, 40, func() error { _, err := onnx.Read(strings.NewReader(model), dev); return err }},
		{limits.TextLine, 1 << 16, func() error { _, err := train.Lines(at("long.txt"), nil); return err }},
		{limits.TokenBytes, 3, func() error {
			_, err := tokenizers.ReadJSON("../tokenizers/testdata/llama3.json")
			return err
		}},
	}
	for _, c := range list {
		usual := c.limit.Value()
		check(c.read())
		if before := c.limit.Set(c.to); before != usual || c.limit.Value() != c.to {
			t.Errorf("%s: before %d, want %d", c.limit, before, usual)
		}
		for tries := 0; ; tries++ {
			err := c.read()
			if err == nil && tries > 0 {
				break
			}
			var n int
			name := strings.TrimSuffix(strings.Fields(c.limit.String())[0], ":")
			if err == nil || tries > 20 {
				t.Errorf("%s: %v", c.limit, err)
				break
			}
			_, after, _ := strings.Cut(err.Error(), name+".Set(")
			if _, e := fmt.Sscanf(after, "%d)", &n); e != nil || n <= c.limit.Value() {
				t.Errorf("%s: %v", c.limit, err)
				break
			}
			c.limit.Set(n)
		}
		if c.limit.Set(0); c.limit.Value() != usual {
			t.Errorf("%s: want %d again", c.limit, usual)
		}
	}
}

// TestPage: the table of docs/formats.md has every limit, with its usual value.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), ",", "")
	for _, l := range limits.All() {
		name, rest, _ := strings.Cut(strings.TrimPrefix(l.String(), "limits."), ": ")
		value, of, _ := strings.Cut(rest, " ")
		row := fmt.Sprintf("| `%s` | %s | %s |", name, value, strings.ReplaceAll(of, ",", ""))
		if !strings.Contains(text, row) {
			t.Errorf("docs/formats.md has no row %s", row)
		}
	}
	if rows := strings.Count(text[strings.Index(text, "| limit |"):], "\n| `"); rows != len(limits.All()) {
		t.Errorf("docs/formats.md has %d rows of limits, and All %d", rows, len(limits.All()))
	}
}
