package gpu_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestFirstChain: where kernels have to be compiled, a chain of operations that were never used waits for one kernel,
// its own. An operation alone has its kernel.
func TestFirstChain(t *testing.T) {
	thorough.Slow(t)
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
	device.AssumeCompiler() // it is looked for in the background, and until then nothing is deferred
	dev := access.NewDevice("rocm", "rocm:0 (first chain)", b).(*tensor.Device)
	x := dev.Zeros(tensor.F32, 5000)
	var launched []string
	device.OnLaunch = func(kernel string) { launched = append(launched, kernel) }
	x.Erf().Floor().Maximum(x).Buffer() // not of kernels.FirstPages, which have code objects
	x.Exp().Buffer()
	if want := []string{"fused_erf_floor_maximum", "exp_f32"}; !slices.Equal(launched, want) {
		t.Errorf("launches %q, want %q", launched, want)
	}
}
