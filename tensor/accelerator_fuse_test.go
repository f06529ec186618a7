package tensor

import (
	"strings"
	"testing"
)

// fusing is a device of its own that computes chains with one kernel, and tells what it launches.
func fusing(t *testing.T, mode fuseMode) (dev *Device, launched *[]string) {
	t.Helper()
	t.Setenv("GOROCM_FUSE", map[fuseMode]string{fuseWait: "wait", fuseNever: "0"}[mode])
	b, err := openAccelerator("rocm:0")
	if err != nil {
		t.Skipf("no rocm device: %v", err)
	}
	a := b.(*accelerator)
	if !a.dev.CanCompile() {
		t.Skip("no compiler for the device: clang 17 or newer, or hiprtc")
	}
	launched = new([]string)
	a.launched = func(kernel string) { *launched = append(*launched, kernel) }
	return newDevice("rocm", "rocm:0", a), launched
}

func TestChainIsOneKernel(t *testing.T) {
	dev, launched := fusing(t, fuseWait)
	x, y := Randn(0, 1, []int{5, 12}, F32, dev), Randn(0, 1, []int{5, 12}, F32, dev)
	b := Randn(0, 1, []int{12}, F32, dev)
	f := func() *Tensor { return x.Mul(2).Add(1).Tanh().Mul(y).Add(b).Gelu() }
	f()
	*launched = nil
	got := f().Float64s()
	if strings.Join(*launched, " ") != "fused_mul_add_tanh_mul_add_gelu" {
		t.Errorf("launched %v", *launched)
	}
	dev.backend.(*accelerator).fusion.mode = fuseNever
	want := f().Float64s()
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}
