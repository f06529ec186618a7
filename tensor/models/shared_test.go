package models_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// shared returns the path of a file of real models, which are not part of the repository: below models in
// GOROCM_SHARED, or in a folder shared beside the repository. Without it the test is skipped.
func shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("GOROCM_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(root, "models", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is no %s; GOROCM_SHARED names the folder that has it", path)
	}
	return path
}

// devices are the host and a GPU, the emulated one where there is none.
func devices(t testing.TB) []*tensor.Device {
	t.Helper()
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	all := []*tensor.Device{tensor.CPU(), gpu}
	if nvidia, err := tensor.NewDevice("cuda"); err == nil {
		all = append(all, nvidia)
	}
	return all
}

// some returns what is tried of a list on a device: all of it, or a sample on an emulated one, where the rest use the
// same kernels.
func some[T any](dev *tensor.Device, list []T, offset int) []T {
	if !dev.Emulated() {
		return list
	}
	return thorough.Sample(list, 2, offset)
}
