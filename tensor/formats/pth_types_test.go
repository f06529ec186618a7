package formats_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// TestPthUntyped reads the types that PyTorch keeps in untyped storages, in both orders of bytes.
func TestPthUntyped(t *testing.T) {
	for _, file := range []string{"unsigned.pt", "unsigned_big.pt"} {
		list, err := formats.ReadPth("testdata/"+file, "", tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 5 {
			t.Fatalf("%s: %d tensors: %v", file, len(list), list)
		}
		for i, c := range []struct {
			name string
			dt   tensor.DType
			want []float64
		}{{"w", tensor.F32, []float64{1, 2}}, {"uint16", tensor.U16, []float64{1, 65535}},
			{"uint32", tensor.U32, []float64{2, 1<<32 - 1}}, {"uint64", tensor.U64, nil},
			{"float8_e4m3fn", tensor.F8E4M3, []float64{1, -2}}} {
			if list[i].Name != c.name {
				t.Errorf("%s: tensor %d is %q, want %q", file, i, list[i].Name, c.name)
			}
			if c.want != nil {
				same(t, list[i].Tensor, c.dt, []int{2}, c.want)
			} else if v := list[i].Tensor.Data().([]uint64); v[0] != 3 || v[1] != 1<<64-1 {
				t.Errorf("%s: %s is %d", file, c.name, v)
			}
		}
	}
}

// TestPthBelow: tensors in dicts and lists below others are read with the names of all levels.
func TestPthBelow(t *testing.T) {
	list, err := formats.ReadPth("testdata/below.pt", "", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"w", "optimizer.state.0.mean", "optimizer.lists.0", "optimizer.lists.1.1"}
	for i, n := range list {
		if i >= len(want) || n.Name != want[i] {
			t.Fatalf("tensor %d is %q, want %q", i, n.Name, want)
		}
		same(t, n.Tensor, tensor.F32, []int{2}, []float64{float64(i), float64(i) + 0.5})
	}
	if len(list) != len(want) {
		t.Errorf("%d tensors, want %d", len(list), len(want))
	}
}

// TestPthUnread: a tensor that cannot be read is an error that names it, also beside others.
func TestPthUnread(t *testing.T) {
	for file, want := range map[string]string{
		"unread.pt":      `tensor "s": what "torch._utils"."_rebuild_sparse_tensor" makes is not read`,
		"unread_type.pt": `tensor "e": elements of type "torch"."float8_e5m2" are not read`,
	} {
		if list, err := formats.ReadPth("testdata/"+file, "", tensor.CPU()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", file, list, err, want)
		}
	}
}

// TestNpzOthers: an entry that is not an array is an error, unless arrays are read by name.
func TestNpzOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	var array bytes.Buffer
	if err := formats.EncodeNpy(&array, tensor.Of(1, 2)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range map[string][]byte{"x.npy": array.Bytes(), "weights.bin": {1, 2, 3}} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err := formats.ReadNpz(path, tensor.CPU()); err == nil || !strings.Contains(err.Error(), "weights.bin") {
		t.Errorf("%v, %v", list, err)
	}
	list, err := formats.ReadNpzByName(path, tensor.CPU(), "x")
	if err != nil {
		t.Fatal(err)
	}
	same(t, list[0], tensor.F32, []int{2}, []float64{1, 2})
}
