package mathlib

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

func TestRealHipSPARSEChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	lib, err := hipsparse.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("hipSPARSE %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	describes(t, lib)
}

// TestRealCuSPARSEChild asks NVIDIA's own library, where it is installed, without a GPU.
func TestRealCuSPARSEChild(t *testing.T) {
	childtest.Only(t)
	lib, err := cusparse.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("cuSPARSE %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	var text func(c driver.Code) string
	purego.RegisterLibFunc(&text, lib.File.Handle, "cusparseGetErrorName")
	for c, name := range cusparse.Statuses {
		if got := text(c); got != name {
			t.Errorf("status %d is %q, the library says %q", c, name, got)
		}
	}
	describes(t, lib)
}

// sparseDescriptor does not move.
var sparseDescriptor uintptr

// describes creates descriptors, whose arguments a library checks without a GPU.
func describes(t *testing.T, lib *sparseLibrary) {
	t.Helper()
	at, memory := uintptr(unsafe.Pointer(&sparseDescriptor)), uintptr(256)
	for _, c := range []struct {
		name     string
		create   driver.Call
		destroy  func(uintptr) driver.Code
		good     []uintptr
		mistakes [][]uintptr
	}{
		{"csr", lib.csr, lib.destroyCSR,
			[]uintptr{at, 4, 5, 6, memory, memory, memory, sparseIndex32, sparseIndex32, sparseBaseZero, sparseTypes["c64"]},
			[][]uintptr{{at, 4, 5, 6, memory, memory, memory, 99, sparseIndex32, sparseBaseZero, 0},
				{at, 4, 5, 6, memory, memory, memory, sparseIndex32, sparseIndex32, 7, 0}}},
		{"vector", lib.vector, lib.destroyVector, []uintptr{at, 5, memory, sparseTypes["f64"]}, nil},
		{"matrix", lib.matrix, lib.destroyMatrix, []uintptr{at, 5, 3, 3, memory, sparseTypes["f32"], sparseOrderRow},
			[][]uintptr{{at, 5, 3, 2, memory, sparseTypes["f32"], sparseOrderRow},
				{at, 5, 3, 3, memory, sparseTypes["f32"], 9}}},
	} {
		for i, words := range c.mistakes {
			if code := c.create(words...); code != 3 { // STATUS_INVALID_VALUE
				t.Errorf("%s: mistake %d gives %d", c.name, i, code)
			}
		}
		sparseDescriptor = 0
		if code := c.create(c.good...); code != 0 || sparseDescriptor == 0 {
			t.Errorf("%s: %d", c.name, code)
			continue
		}
		if code := c.destroy(sparseDescriptor); code != 0 {
			t.Errorf("%s: destroyed: %d", c.name, code)
		}
	}
}
