package formats_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// same compares a tensor.
func same(t *testing.T, got *tensor.Tensor, dt tensor.DType, shape []int, want []float64) {
	t.Helper()
	if got == nil || got.DType() != dt || !slices.Equal(got.Dims(), shape) || !slices.Equal(got.Float64s(), want) {
		t.Errorf("got %v\nwant %v of %v, %v", got, shape, dt, want)
	}
}

// upTo is 0, 1, … below n.
func upTo(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i)
	}
	return list
}

// The files in testdata were written by NumPy and PyTorch: see testdata/make.py.

func TestReadNpy(t *testing.T) {
	dev := tensor.CPU()
	for name, dt := range map[string]tensor.DType{
		"f2": tensor.F16, "f4": tensor.F32, "f8": tensor.F64, "u1": tensor.U8, "u4": tensor.U32, "i2": tensor.I16,
		"i4": tensor.I32, "i8": tensor.I64,
	} {
		x, err := formats.ReadNpy("testdata/"+name+".npy", dev)
		if err != nil {
			t.Fatal(err)
		}
		same(t, x, dt, []int{2, 3}, upTo(6))
	}
	for _, c := range []struct {
		file  string
		dt    tensor.DType
		shape []int
		want  []float64
	}{
		{"b1", tensor.Bool, []int{2, 3}, []float64{0, 1, 0, 1, 0, 1}},
		{"fortran", tensor.F32, []int{2, 3, 4}, upTo(24)},
		{"big_endian", tensor.F32, []int{2, 3}, upTo(6)},
		{"scalar", tensor.F32, []int{}, []float64{3.5}},
		{"empty", tensor.F32, []int{0, 4}, []float64{}},
		{"version2", tensor.I64, []int{4}, upTo(4)},
		{"i1", tensor.I8, []int{2, 3}, []float64{-128, -1, 0, 1, 2, 127}},
		{"u2", tensor.U16, []int{2, 3}, []float64{0, 1, 2, 3, 40000, 65535}},
		{"u8", tensor.U64, []int{2, 3}, []float64{0, 1, 2, 3, 4, 1 << 53}},
	} {
		x, err := formats.ReadNpy("testdata/"+c.file+".npy", dev)
		if err != nil {
			t.Fatal(err)
		}
		same(t, x, c.dt, c.shape, c.want)
	}
}

func TestReadNpz(t *testing.T) {
	for _, file := range []string{"testdata/stored.npz", "testdata/deflated.npz"} {
		list, err := formats.ReadNpz(file, tensor.CPU())
		if err != nil || len(list) != 2 || list[0].Name != "x" || list[1].Name != "y" {
			t.Fatal(list, err)
		}
		same(t, list[0].Tensor, tensor.F32, []int{3}, upTo(3))
		same(t, list[1].Tensor, tensor.I64, []int{2, 2}, upTo(4))
	}
	two, err := formats.ReadNpzByName("testdata/stored.npz", tensor.CPU(), "y", "x")
	if err != nil {
		t.Fatal(err)
	}
	same(t, two[0], tensor.I64, []int{2, 2}, upTo(4))
	if _, err := formats.ReadNpzByName("testdata/stored.npz", tensor.CPU(), "z"); err == nil ||
		!strings.Contains(err.Error(), `["x" "y"]`) {
		t.Errorf("an array that does not exist: %v", err)
	}
}

func TestReadPth(t *testing.T) {
	list, err := formats.ReadPth("testdata/state.pt", "", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*tensor.Tensor{}
	for _, n := range list {
		byName[n.Name] = n.Tensor
	}
	same(t, byName["base"], tensor.F32, []int{4, 6}, upTo(24))
	same(t, byName["turned"], tensor.F32, []int{6, 4},
		tensor.FromSlice(upTo(24), 4, 6).T().Float64s())
	same(t, byName["part"], tensor.F32, []int{2, 3}, []float64{6, 8, 10, 12, 14, 16})
	same(t, byName["stretched"], tensor.F32, []int{3}, []float64{7, 7, 7})
	same(t, byName["scalar"], tensor.F32, []int{}, []float64{2.5})
	same(t, byName["none"], tensor.F32, []int{0, 3}, []float64{})
	for name, dt := range map[string]tensor.DType{
		"float64": tensor.F64, "float16": tensor.F16, "bfloat16": tensor.BF16, "uint8": tensor.U8, "int16": tensor.I16,
		"int32": tensor.I32, "int64": tensor.I64, "int8": tensor.I8, "bool": tensor.Bool,
	} {
		same(t, byName[name], dt, []int{3}, []float64{1, 0, 1})
	}
	list, err = formats.ReadPth("testdata/nested.pt", "state_dict", tensor.CPU())
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	same(t, list[1].Tensor, tensor.F32, []int{2, 2}, []float64{1, 1, 1, 1})
	if _, err := formats.ReadPth("testdata/nested.pt", "model", tensor.CPU()); err == nil ||
		!strings.Contains(err.Error(), "state_dict") {
		t.Errorf("a key that does not exist: %v", err)
	}
	list, err = formats.ReadPth("testdata/nested.pt", "", tensor.CPU())
	if err != nil || len(list) != 2 || list[0].Name != "state_dict.w" || list[1].Name != "state_dict.p" {
		t.Errorf("tensors a level below: %v, %v", list, err)
	}
	list, err = formats.ReadPth("testdata/alone.pt", "", tensor.CPU())
	if err != nil || len(list) != 1 || list[0].Name != "" {
		t.Fatal(list, err)
	}
	same(t, list[0].Tensor, tensor.F32, []int{4, 6}, upTo(24))
	list, err = formats.ReadPth("testdata/list.pt", "", tensor.CPU())
	if err != nil || len(list) != 2 || list[0].Name != "0" || list[1].Name != "1" {
		t.Fatal(list, err)
	}
	same(t, list[1].Tensor, tensor.F32, []int{2}, []float64{1, 1})
	list, err = formats.ReadPth("testdata/module.pt", "", tensor.CPU())
	if err != nil || len(list) != 2 || list[0].Name != "weight" || list[0].Tensor.Rank() != 2 ||
		list[1].Name != "bias" {
		t.Fatal(list, err)
	}
	if _, err := formats.ReadPth("testdata/legacy.pt", "", tensor.CPU()); err == nil ||
		!strings.Contains(err.Error(), "1.6") {
		t.Errorf("an old file: %v", err)
	}
}

// everyType is a tensor of each element type.
func everyType() (list []formats.Named) {
	for _, dt := range []tensor.DType{tensor.F32, tensor.U8, tensor.F64, tensor.F16, tensor.BF16, tensor.I16,
		tensor.U32, tensor.I32, tensor.I64, tensor.F8E4M3} {
		list = append(list, formats.Named{Name: dt.String(),
			Tensor: tensor.FromSlice(upTo(15), 3, 5).ToDType(dt).T()})
	}
	return append(list,
		formats.Named{Name: "empty", Tensor: tensor.Zeros(0, 2)},
		formats.Named{Name: "scalar", Tensor: tensor.Full(2)})
}

func TestSafetensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.safetensors")
	written := everyType()
	if err := formats.WriteSafetensors(path, written, map[string]string{"made": "here"}); err != nil {
		t.Fatal(err)
	}
	s, err := formats.OpenSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Metadata["made"] != "here" || len(s.Names()) != len(written) {
		t.Errorf("metadata %v, names %v", s.Metadata, s.Names())
	}
	for _, w := range written {
		got, err := s.Tensor(w.Name, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, w.Tensor.DType(), w.Tensor.Dims(), w.Tensor.Float64s())
	}
	if _, err := s.Tensor("other", tensor.CPU()); err == nil {
		t.Error("a tensor that does not exist was read")
	}
	twice := []formats.Named{written[0], written[0]}
	if err := formats.WriteSafetensors(path, twice, nil); err == nil {
		t.Error("two tensors of one name were written")
	}
	if err := formats.WriteNpz(filepath.Join(t.TempDir(), "twice.npz"), twice); err == nil || !strings.Contains(err.Error(), "two tensors are named") {
		t.Errorf("two arrays of one name: %v", err)
	}
}

func TestNpyRoundTrip(t *testing.T) {
	folder := t.TempDir()
	var plain []formats.Named
	for _, n := range everyType() {
		path := filepath.Join(folder, n.Name+".npy")
		err := formats.WriteNpy(path, n.Tensor)
		if dt := n.Tensor.DType(); dt == tensor.BF16 || dt == tensor.F8E4M3 {
			if err == nil {
				t.Errorf("NumPy has no %v, and it was written", dt)
			}
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s was left behind", path)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := formats.ReadNpy(path, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, n.Tensor.DType(), n.Tensor.Dims(), n.Tensor.Float64s())
		plain = append(plain, n)
	}
	path := filepath.Join(folder, "all.npz")
	if err := formats.WriteNpz(path, plain); err != nil {
		t.Fatal(err)
	}
	list, err := formats.ReadNpz(path, tensor.CPU())
	if err != nil || len(list) != len(plain) {
		t.Fatal(list, err)
	}
	for i, n := range list {
		same(t, n.Tensor, plain[i].Tensor.DType(), plain[i].Tensor.Dims(), plain[i].Tensor.Float64s())
	}
}
