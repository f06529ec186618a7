package onnx

import (
	"archive/zip"
	"io/fs"
	"path"
	"testing"

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
