package gpu_test

import (
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestFirstObjects: a GPU that loads kernels one by one compiles none of those that first pages need. The emulated one
// loads those of gfx11-generic, which is code for its relatives, too.
func TestFirstObjects(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOROCM_CACHE", cache)
	t.Setenv("GOROCM_FUSE", "0")
	gpu.CompileSingly(t)
	b, err := gpu.Open("rocm:0")
	if err != nil || !b.(*gpu.Backend).Device().Emulated() {
		t.Skip("needs the emulated GPU: ", err)
	}
	var launched []string
	b.(*gpu.Backend).OnLaunch = func(kernel string) { launched = append(launched, kernel) }
	dev := access.NewDevice("rocm", "rocm:0 (first objects)", b).(*tensor.Device)
	host := tensor.CPU().Arange(tensor.F32, 96*80).Mul(0.001).Sin().Reshape(96, 80)
	run := func(x *tensor.Tensor) []float64 {
		product := x.MatMul(x.T())
		half := x.ToDType(tensor.F16).MatMul(x.ToDType(tensor.F16).T()).ToDType(tensor.F32)
		return product.Add(half).Sqr().Tanh().Sum(0).Sub(x.Cos().Sum()).Float64s()
	}
	got, want := run(host.ToDevice(dev)), run(host)
	for i := range want {
		if d := got[i] - want[i]; !(d < 2e-2 && d > -2e-2) {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
	for _, kernel := range launched {
		if !slices.Contains(kernels.FirstPages, kernel) {
			t.Errorf("%s is of no first page", kernel)
		}
	}
	if !slices.Contains(launched, "matmul_f16") || len(launched) < 8 {
		t.Errorf("launched %q", launched)
	}
	if files, err := os.ReadDir(cache); err != nil || len(files) > 0 {
		t.Errorf("%d kernels were compiled: %v", len(files), err)
	}
}
