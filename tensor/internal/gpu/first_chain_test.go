package gpu_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/gpu/gputest"
)

// TestFirstChain: on a GPU whose kernels have to be compiled, a chain of operations that were never used waits for one
// kernel, its own. An operation alone has its kernel.
func TestFirstChain(t *testing.T) {
	gputest.StandIns(t, "../../..", "TestFirstChainChild", "FAKEHIP_ARCH=gfx1201")
}

func TestFirstChainChild(t *testing.T) {
	dev, launched := onStandIns(t)
	if !backendOf(dev).Device().CanCompile() {
		t.Skip("no compiler of kernels")
	}
	x := dev.Zeros(tensor.F32, 5000)
	*launched = nil
	x.Affine(2, 1).Sqr().Sub(x).Buffer()
	x.Exp().Buffer()
	if want := []string{"fused_affine_sqr_sub", "exp_f32"}; !slices.Equal(*launched, want) {
		t.Errorf("launches %q, want %q", *launched, want)
	}
}
