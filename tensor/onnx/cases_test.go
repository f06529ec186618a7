package onnx

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime"
	"testing"
	"weak"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// devices are those that tests run on.
func devices(t *testing.T) []*tensor.Device {
	t.Helper()
	var list []*tensor.Device
	for _, kind := range []string{"cpu", "rocm"} {
		dev, err := tensor.NewDevice(kind)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, dev)
	}
	if nvidia, err := tensor.NewDevice("cuda"); err == nil {
		list = append(list, nvidia)
	}
	return list
}

// TestOps compares every operator with onnxruntime and onnx's reference: testdata/ops.py has recorded them.
func TestOps(t *testing.T) { recorded(t, "testdata/ops.zip", 150) }

// TestModels compares whole models that torch.onnx has exported with onnxruntime: testdata/models.py has recorded them.
func TestModels(t *testing.T) { recorded(t, "testdata/models.zip", 8) }

// recorded runs the models of an archive.
func recorded(t *testing.T, file string, least int) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	names, err := fs.Glob(archive, "*/model.onnx")
	if err != nil || len(names) < least {
		t.Fatalf("%d models in %s: %v", len(names), file, err)
	}
	for _, dev := range devices(t) {
		for _, name := range names {
			folder, err := fs.Sub(archive, path.Dir(name))
			if err != nil {
				t.Fatal(err)
			}
			if err := runFolder(folder, dev); err != nil {
				t.Errorf("%v: %s: %v", dev, path.Dir(name), err)
			}
		}
	}
}

// recordedModels returns the models of single operators.
func recordedModels(t testing.TB) (models [][]byte) {
	t.Helper()
	archive, err := zip.OpenReader("testdata/ops.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	names, err := fs.Glob(archive, "*/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(archive, name)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, data)
	}
	return models
}

// TestHostileInputs gives recorded models sizes and positions that are not possible: each gives a result or an error.
func TestHostileInputs(t *testing.T) {
	thorough.Slow(t)
	archive, err := zip.OpenReader("testdata/ops.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	names, err := fs.Glob(archive, "*/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, name := range names {
		folder, err := fs.Sub(archive, path.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		for at := range 6 {
			for _, v := range []int64{-1, 0, 1 << 40, math.MaxInt64, math.MinInt64} {
				if !hostile(t, folder, at, v) {
					failed++
				}
			}
		}
	}
	if failed < 300 {
		t.Errorf("only %d runs gave an error", failed)
	}
}

// hostile runs a model with one of its integers changed, and reports whether that worked, or there is no such integer.
func hostile(t *testing.T, folder fs.FS, at int, v int64) bool {
	t.Helper()
	data, err := fs.ReadFile(folder, "model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	proto, err := parseModel(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := compile(proto, tensor.CPU(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []*value
	for i, in := range proto.graph.inputs {
		data, err := fs.ReadFile(folder, fmt.Sprintf("test_data_set_0/input_%d.pb", i))
		if err != nil {
			t.Fatal(err)
		}
		x, err := parseData(data, in.typ)
		if err != nil {
			t.Fatal(err)
		}
		if n := x.t.ElemCount(); x.t.DType() == tensor.I64 {
			if at >= 0 && at < n {
				list := tensor.ToVec1[int64](x.t.FlattenAll())
				list[at] = v
				x = valueOf(tensor.CPU().FromSlice(list, x.t.Dims()...))
			}
			at -= n
		}
		inputs = append(inputs, x)
	}
	if at >= 0 {
		return true
	}
	_, err = m.execute(inputs)
	return err == nil
}

// TestFileIsFreed: a model keeps nothing of the bytes that it was read from.
func TestFileIsFreed(t *testing.T) {
	thorough.Slow(t)
	models := recordedModels(t)
	for i, data := range models {
		models[i] = nil
		file := weak.Make(&data[0])
		proto, err := parseModel(data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := compile(proto, tensor.CPU(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if i%8 != 0 && len(m.program.steps) == 1 && m.ops["ConstantOfShape"] == 0 {
			continue // a collection takes a while
		}
		proto, data = nil, nil
		runtime.GC()
		if file.Value() != nil {
			t.Errorf("the file of a model with %v is kept", m.ops)
		}
		runtime.KeepAlive(m)
	}
}
