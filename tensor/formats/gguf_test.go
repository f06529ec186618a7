package formats_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

func TestGGUFRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.gguf")
	var tensors []formats.Packed
	x := tensor.Arange(1024).Affine(0.01, -3).Reshape(4, 256)
	for _, format := range quant.Types() {
		if format.CanEncode() {
			tensors = append(tensors, formats.Packed{Name: format.String(), Tensor: quant.Quantize(x, format)})
			continue
		}
		q, err := quant.New(format, []int{4, 256},
			bytes.Repeat([]byte{0x21}, 1024/format.BlockSize()*format.BlockBytes()))
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, formats.Packed{Name: format.String(), Tensor: q})
	}
	metadata := map[string]any{
		"general.architecture": "llama", "general.alignment": uint32(64), "i32": int32(-1), "i64": int64(-1 << 40),
		"u64": uint64(1 << 63), "yes": true,
		"f32": float32(0.5), "f64": 0.1, "words": []string{"a", "", "ä"}, "ints": []int32{1, -2}, "uints": []uint32{3},
		"floats": []float32{0.25},
		"wide":   []int64{1, 1 << 40}, "none": []string{},
		"nested": []any{[]any{uint64(1)}, []any{uint64(2), uint64(3)}},
		"byte":   uint8(7), "int": -3,
	}
	if err := formats.WriteGGUF(path, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	g, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	want := map[string]any{
		"general.architecture": "llama", "general.alignment": uint64(64), "i32": int64(-1), "i64": int64(-1 << 40),
		"u64": uint64(1 << 63), "yes": true,
		"f32": 0.5, "f64": 0.1, "words": []any{"a", "", "ä"}, "ints": []any{int64(1), int64(-2)},
		"uints": []any{uint64(3)}, "floats": []any{0.25},
		"wide": []any{int64(1), int64(1 << 40)}, "none": []any{},
		"nested": []any{[]any{uint64(1)}, []any{uint64(2), uint64(3)}}, "byte": uint64(7), "int": int64(-3),
	}
	if !reflect.DeepEqual(g.Metadata, want) || g.Version != 3 || len(g.Names()) != len(tensors) {
		t.Errorf("version %d, metadata %v, names %v", g.Version, g.Metadata, g.Names())
	}
	for _, w := range tensors {
		got, err := g.Tensor(w.Name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Type() != w.Tensor.Type() || !reflect.DeepEqual(got.Dims(), []int{4, 256}) ||
			!bytes.Equal(got.Data(), w.Tensor.Data()) {
			t.Errorf("%s came back as %v", w.Name, got)
		}
	}
	again := filepath.Join(t.TempDir(), "again.gguf")
	if err := formats.WriteGGUF(again, nil, g.Metadata); err != nil {
		t.Fatal(err)
	}
	same, err := formats.OpenGGUF(again)
	if err != nil || !reflect.DeepEqual(same.Metadata, want) {
		t.Errorf("metadata that was read and written is %v, %v", same, err)
	}
	for what, metadata := range map[string]map[string]any{
		"an unknown type": {"x": struct{}{}}, "mixed elements": {"x": []any{"a", true}},
		"a false alignment": {"general.alignment": "32"}, "no alignment": {"general.alignment": 0},
	} {
		if err := formats.WriteGGUF(again, nil, metadata); err == nil {
			t.Errorf("metadata with %s was written", what)
		}
	}
}

// gguf builds a file: numbers little-endian, strings with their length.
func gguf(parts ...any) []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	for _, p := range parts {
		if s, ok := p.(string); ok {
			binary.Write(&b, binary.LittleEndian, uint64(len(s)))
			b.WriteString(s)
			continue
		}
		binary.Write(&b, binary.LittleEndian, p)
	}
	return b.Bytes()
}

func TestHostileFiles(t *testing.T) {
	const v3 = uint32(3)
	none, one := uint64(0), uint64(1)
	tensorOf := func(dims uint32, size uint64, kind uint32, offset uint64) []byte {
		return gguf(v3, one, none, "w", dims, size, kind, offset, make([]byte, 64))
	}
	nested := []any{v3, none, one, "k", uint32(9)}
	for range 100 {
		nested = append(nested, uint32(9), uint64(1<<10))
	}
	safe := func(header string, data int) []byte {
		return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...),
			make([]byte, data)...)
	}
	npy := func(header string, data int) []byte {
		return append(append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8)),
			append([]byte(header), make([]byte, data)...)...)
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"magic.gguf", "GGUF", []byte("GGML\x03\x00\x00\x00")},
		{"version.gguf", "version 9", gguf(uint32(9), none, none)},
		{"tensors.gguf", "tensor_count", gguf(v3, uint64(1<<60), none)},
		{"pairs.gguf", "metadata_kv_count", gguf(v3, none, uint64(1<<60))},
		{"key.gguf", "string length", gguf(v3, none, one, uint64(1<<60), make([]byte, 64))},
		{"array.gguf", "array length", gguf(v3, none, one, "k", uint32(9), uint32(0), uint64(1<<50), make([]byte, 64))},
		{"nested.gguf", "nesting depth", append(gguf(nested...), make([]byte, 1<<12)...)},
		{"value.gguf", "type 77", gguf(v3, none, one, "k", uint32(77), make([]byte, 64))},
		{"dims.gguf", "dimensions", tensorOf(1000, 1, 0, 0)},
		{"kind.gguf", "unknown", tensorOf(1, 1, 4, 0)},
		{"huge.gguf", "not possible", tensorOf(1, 1<<63-1, 0, 0)},
		{"far.gguf", "remaining", tensorOf(1, 4, 0, 1<<40)},
		{"long.gguf", "remaining", tensorOf(1, 1<<40, 0, 0)},
		{"blocks.gguf", "whole blocks", tensorOf(1, 33, 2, 0)},
		{"align.gguf", "alignment", gguf(v3, none, one, "general.alignment", uint32(4), uint32(0))},
		{"cut.gguf", "missing", gguf(v3, none, one, "k")},
		{"short.safetensors", "header", []byte{1, 2, 3}},
		{"header.safetensors", "not possible", binary.LittleEndian.AppendUint64(nil, 1<<40)},
		{"json.safetensors", "header", safe(`{"a":`, 0)},
		{"overlap.safetensors", "ends at",
			safe(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, 6)},
		{"gap.safetensors", "belong to no", safe(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 8)},
		{"beyond.safetensors", "bytes", safe(`{"a":{"dtype":"U8","shape":[400],"data_offsets":[0,400]}}`, 8)},
		{"shape.safetensors", "do not fit",
			safe(`{"a":{"dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,4]}}`, 4)},
		{"negative.safetensors", "do not fit", safe(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4)},
		{"dtype.safetensors", "F4", safe(`{"a":{"dtype":"F4","shape":[4],"data_offsets":[0,4]}}`, 4)},
		{"magic.npy", "begins with", []byte("\x93NUMBY\x01\x00")},
		{"version.npy", "version", []byte("\x93NUMPY\x07\x00")},
		{"header.npy", "limits.NpyHeader.Set", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff")},
		{"fields.npy", "plain array", npy("{'descr': [('a', '<f4')], }", 0)},
		{"shape.npy", "not possible", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9), }", 8)},
		{"data.npy", "ends after", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }", 8)},
		{"no.npz", "zip", []byte("PK")},
		{"no.pt", "zip", []byte("PK")},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := read(path); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// read reads a file by its ending.
func read(path string) (err error) {
	switch filepath.Ext(path) {
	case ".gguf":
		var g *formats.GGUF
		if g, err = formats.OpenGGUF(path); err == nil {
			for _, name := range g.Names() {
				if _, err = g.Tensor(name); err != nil {
					break
				}
			}
			g.Close()
		}
	case ".safetensors":
		_, err = formats.ReadSafetensors(path, tensor.CPU())
	case ".npy":
		_, err = formats.ReadNpy(path, tensor.CPU())
	case ".npz":
		_, err = formats.ReadNpz(path, tensor.CPU())
	case ".pt":
		_, err = formats.ReadPth(path, "", tensor.CPU())
	case ".json":
		_, err = formats.ReadSafetensors(path, tensor.CPU())
	case ".png", ".jpg", ".gif", ".webp", ".bmp", ".tiff":
		_, err = formats.ReadImage(path, tensor.CPU())
	case ".wav":
		_, _, err = formats.ReadWAV(path, tensor.CPU())
	case ".csv":
		_, _, err = formats.ReadCSV(path, tensor.CPU())
	}
	return err
}
