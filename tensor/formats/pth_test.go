package formats_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// rewritten is a zip archive with the entries of another, changed, and one more.
func rewritten(t *testing.T, file string, change func(name string, data []byte) []byte, more string,
	data string) string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, data []byte) {
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = e.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		add(f.Name, change(f.Name, data))
	}
	if more != "" {
		add(more, []byte(data))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPthByteOrder: a file of a machine whose numbers begin with the greater byte says so.
func TestPthByteOrder(t *testing.T) {
	turned := func(name string, data []byte) []byte {
		if strings.Contains(name, "/data/") {
			for i := 0; i+4 <= len(data); i += 4 {
				slices.Reverse(data[i : i+4])
			}
		}
		return data
	}
	path := rewritten(t, "testdata/alone.pt", turned, "alone/byteorder", "big")
	list, err := formats.ReadPth(path, "", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	same(t, list[0].Tensor, tensor.F32, []int{4, 6}, upTo(24))
	path = rewritten(t, "testdata/alone.pt", func(_ string, data []byte) []byte { return data }, "alone/byteorder",
		"little")
	list, err = formats.ReadPth(path, "", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	same(t, list[0].Tensor, tensor.F32, []int{4, 6}, upTo(24))
}

// TestPthShared: a pickle of a few kilobytes that names one storage thousands of times does not take gigabytes.
func TestPthShared(t *testing.T) {
	thorough.Slow(t)
	text := func(s string) string { return fmt.Sprintf("X%c\x00\x00\x00%s", len(s), s) }
	rebuild := "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" + text("0") +
		text("cpu") +
		"I1\ntQI0\n(I4000000\nt(I0\ntI00\nN}t" // 16 MB of one number
	var pickle strings.Builder
	pickle.WriteString("(lp0\n")
	for range 100 {
		fmt.Fprintf(&pickle, "%sRa", rebuild)
	}
	pickle.WriteString(".")
	path := rewritten(t, "testdata/alone.pt", func(name string, data []byte) []byte {
		switch {
		case strings.HasSuffix(name, "data.pkl"):
			return []byte(pickle.String())
		case strings.HasSuffix(name, "data/0"):
			return make([]byte, 4)
		}
		return data
	}, "", "")
	if _, err := formats.ReadPth(path, "", tensor.CPU()); err == nil ||
		!strings.Contains(err.Error(), "limits.PickleExpansion.Set") {
		t.Errorf("a storage of four bytes, stretched a hundred times: %v", err)
	}
}

// TestSafetensorsIntegers reads Bool and the integer types that Candle lacks.
func TestSafetensorsIntegers(t *testing.T) {
	header := `{"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]},"c":{"dtype":"I8","shape":[2],"data_offsets":[2,4]},` +
		`"d":{"dtype":"U16","shape":[1],"data_offsets":[4,6]},"e":{"dtype":"I64","shape":[1],"data_offsets":[6,14]},"f":{"dtype":"U64","shape":[1],"data_offsets":[14,22]}}`
	path := filepath.Join(t.TempDir(), "x.safetensors")
	data := append([]byte{byte(len(header)), byte(len(header) >> 8), 0, 0, 0, 0, 0, 0}, header...)
	data = append(data, 1, 0, 0xFF, 2, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 9, 0, 0, 0, 0, 0, 0,
		0)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := formats.ReadSafetensors(path, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		dt   tensor.DType
		want []float64
	}{{tensor.Bool, []float64{1, 0}}, {tensor.I8, []float64{-1, 2}}, {tensor.U16, []float64{65535}},
		{tensor.I64, []float64{-2}}, {tensor.U64, []float64{9}}} {
		same(t, list[i].Tensor, c.dt, []int{len(c.want)}, c.want)
	}
	data[len(data)-1], data[0+8+len(header)] = 0x80, 7
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err = formats.ReadSafetensors(path, tensor.CPU()); err != nil {
		t.Fatal(err)
	}
	if got := list[4].Tensor.Data().([]uint64)[0]; got != 1<<63+9 {
		t.Errorf("beyond 63 bits: %d", got)
	}
	same(t, list[0].Tensor.ToDType(tensor.U8), tensor.U8, []int{2}, []float64{1, 0}) // 7 is true
}

// TestPthComplex reads complex tensors, one of which PyTorch conjugates when it is read.
func TestPthComplex(t *testing.T) {
	list, err := formats.ReadPth("testdata/complex.pt", "", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]complex128{"single": {1 + 2i, -3 + 0.5i, -1i}, "conjugate": {-3 - 0.5i, 1i},
		"double": {1e300 - 2i, 0.25 + 7i}}
	if len(list) != len(want) {
		t.Fatalf("%d tensors, want %d", len(list), len(want))
	}
	for _, x := range list {
		got := tensor.ToVec1[complex128](x.Tensor.FlattenAll().ToDType(tensor.C128))
		if !slices.Equal(got, want[x.Name]) {
			t.Errorf("%s: got %v, want %v", x.Name, got, want[x.Name])
		}
	}
	if dt := list[0].Tensor.DType(); dt != tensor.C64 {
		t.Errorf("the type of single precision is %v", dt)
	}
	swapped := rewritten(t, "testdata/complex.pt", func(name string, data []byte) []byte {
		switch {
		case strings.HasSuffix(name, "byteorder"):
			return []byte("big")
		case strings.HasSuffix(name, "data/0"):
			for i := 0; i < len(data); i += 4 {
				slices.Reverse(data[i : i+4])
			}
		case strings.HasSuffix(name, "data/1"):
			for i := 0; i < len(data); i += 8 {
				slices.Reverse(data[i : i+8])
			}
		}
		return data
	}, "", "")
	other, err := formats.ReadPth(swapped, "", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range other {
		if !x.Tensor.Equal(list[i].Tensor) {
			t.Errorf("%s with the greater byte first: %v, want %v", x.Name, x.Tensor, list[i].Tensor)
		}
	}
}
