package gpu_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestFirstChain: where kernels have to be compiled, a chain of operations that were never used waits for one kernel,
// its own. An operation alone has its kernel, and so has the first one of a chain on a GPU that has nothing to do.
func TestFirstChain(t *testing.T) {
	t.Setenv("GOROCM_CACHE", t.TempDir())
	t.Setenv("GOROCM_AHEAD", "0")
	gpu.CompileSingly(t)
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skip(err)
	}
	device := b.(*gpu.Backend)
	if !device.Device().CanCompile() {
		t.Skip("no compiler of kernels")
	}
	dev := access.NewDevice("rocm", "rocm:0 (first chain)", b).(*tensor.Device)
	x := dev.Zeros(tensor.F32, 5000)
	var launched []string
	device.OnLaunch = func(kernel string) { launched = append(launched, kernel) }
	x.Erf().Floor().Maximum(x).Buffer() // not of kernels.FirstPages, which have code objects
	x.Exp().Buffer()
	if want := []string{"erf_f32", "fused_floor_maximum", "exp_f32"}; !slices.Equal(launched, want) {
		t.Errorf("launches %q, want %q", launched, want)
	}
}
