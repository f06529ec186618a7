package rocm

import (
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	list := Probe()
	names := ""
	for _, l := range list {
		names += l.Name + "; "
		if l.Purpose == "" || l.Path == "" && l.Problem == "" {
			t.Errorf("says nothing: %+v", l)
		}
		if l.Path == "" && len(l.Tried) == 0 {
			t.Errorf("%s was not found, and does not say what was tried: %s", l.Name, l.Problem)
		}
		if l.Path != "" && l.Version == "" {
			t.Errorf("no version: %+v", l)
		}
	}
	if want := "HIP runtime; hiprtc; CUDA driver; NVRTC; rocBLAS; cuBLAS; hipBLASLt; cuBLASLt; hipFFT; cuFFT; hipSPARSE; cuSPARSE; MIOpen; cuDNN; rocSOLVER; cuSOLVER; RCCL; NCCL; clang; emulated gfx1100; "; names != want {
		t.Errorf("probed %q, want %q", names, want)
	}
}

func TestDevicesListsTheDefault(t *testing.T) {
	t.Setenv("GOROCM_EMULATE", "1")
	list := Devices()
	if len(list) == 0 || list[0].Platform != Emulated || list[0].Device() != "rocm:0" || list[0].TotalMemory <= 0 {
		t.Fatalf("Devices() = %+v", list)
	}
	if got := Default(); got != "rocm:0 emulated gfx1100 (GOROCM_EMULATE is set)" || got != list[0].Label() {
		t.Errorf("Default() = %q, Label() = %q", got, list[0].Label())
	}
	if got := (Info{Index: 1, Name: "NVIDIA H200", Arch: "sm_90", Platform: CUDA}).Label(); got != "cuda:1 NVIDIA H200 (sm_90)" {
		t.Errorf("Label() = %q", got)
	}
	t.Setenv("GOROCM_REQUIRE_GPU", "yes")
	if got := Default(); !strings.Contains(got, "both set") {
		t.Errorf("Default() = %q", got)
	}
}
