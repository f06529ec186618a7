package formats_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

func TestNpyComplex(t *testing.T) {
	x, err := formats.ReadNpy("testdata/c8.npy", tensor.CPU())
	if err != nil || x.DType() != tensor.C64 || !slices.Equal(tensor.ToVec1[complex64](x), []complex64{0, 0}) {
		t.Errorf("what NumPy wrote: %v, %v", x, err)
	}
	want := []complex128{1 + 2i, -3.5i, 1e300, 4 - 5i}
	var file bytes.Buffer
	if err := formats.EncodeNpy(&file, tensor.New(want)); err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) []complex128 {
		t.Helper()
		x, err := formats.DecodeNpy(bytes.NewReader(data), tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ToVec1[complex128](x)
	}
	if got := read(file.Bytes()); !slices.Equal(got, want) {
		t.Errorf("written and read: %v, want %v", got, want)
	}
	big := bytes.Replace(file.Bytes(), []byte("<c16"), []byte(">c16"), 1)
	for at := len(big) - 16*len(want); at < len(big); at += 8 {
		slices.Reverse(big[at : at+8])
	}
	if got := read(big); !slices.Equal(got, want) {
		t.Errorf("big-endian: %v, want %v", got, want)
	}
	text := bytes.Replace(file.Bytes(), []byte("'<c16'"), []byte("'<U16'"), 1)
	if _, err := formats.DecodeNpy(bytes.NewReader(text), tensor.CPU()); err == nil ||
		!strings.Contains(err.Error(), `"<U16" are not read as a tensor: frame.ReadNpy`) {
		t.Errorf("texts: %v", err)
	}
}

func TestSafetensorsComplex(t *testing.T) {
	path := t.TempDir() + "/complex.safetensors"
	x := tensor.New([]complex64{1 + 2i, 3})
	if err := formats.WriteSafetensors(path, []formats.Named{{Name: "x", Tensor: x}}, nil); err != nil {
		t.Fatal(err)
	}
	list, err := formats.ReadSafetensors(path, tensor.CPU())
	if err != nil || len(list) != 1 || !list[0].Tensor.Equal(x) || list[0].Tensor.DType() != tensor.C64 {
		t.Errorf("written and read: %v, %v", list, err)
	}
	wide := []formats.Named{{Name: "x", Tensor: x.ToDType(tensor.C128)}}
	if err := formats.WriteSafetensors(path, wide, nil); err == nil || !strings.Contains(err.Error(), "hold no c128") {
		t.Errorf("c128: %v", err)
	}
}
