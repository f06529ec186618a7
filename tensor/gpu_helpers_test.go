package tensor

import (
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// watched is a device of its own that tells which kernels and copies f asks of it.
func watched(t *testing.T) (dev *Device, watch func(f func() *Tensor) (*Tensor, []string)) {
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skipf("no rocm device: %v", err)
	}
	a := b.(*gpu.Backend)
	return newDevice("rocm", "rocm:0", a), func(f func() *Tensor) (*Tensor, []string) {
		var names []string
		a.OnLaunch = func(kernel string) { names = append(names, kernel) }
		defer func() { a.OnLaunch = nil }()
		return f(), names
	}
}

// onStandIns opens the GPU of the stand-ins. What it launches is added to the list.
func onStandIns(t *testing.T) (dev *Device, launched *[]string) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_STAND_INS") != t.Name() {
		t.Skip("run by another test, in a child process")
	}
	dev, err := NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	launched = new([]string)
	dev.backend.(*gpu.Backend).OnLaunch = func(kernel string) { *launched = append(*launched, kernel) }
	return dev, launched
}

// smallNumbers are whole numbers that all types of floats hold, as do the sums of their products.
func smallNumbers(shape []int, seed int, dt DType) *Tensor {
	values := make([]float64, backend.Product(shape))
	for i := range values {
		values[i] = float64(i*seed%5 - 2)
	}
	return CPU().FromSlice(values, shape...).ToDType(dt)
}
