package compile

import (
	"encoding/binary"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestEmptyArchitectures: the ends of kernels in the code of other GPUs, from clang.
func TestEmptyArchitectures(t *testing.T) {
	thorough.Slow(t)
	c, err := FindClang()
	if err != nil {
		t.Skip(err)
	}
	for _, arch := range []string{"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"} {
		options, err := c.Options(arch)
		if err != nil {
			t.Fatal(err)
		}
		image, err := c.Compile("k.hip", `extern "C" __global__ void none(float *x) { float y = *x; }  extern "C" __global__ void some(float *x) { *x = 1; }`, options)
		if err != nil {
			t.Fatal(err)
		}
		none, some := DoesNothing(driver.HIP, image, "none"), DoesNothing(driver.HIP, image, "some")
		if !none || some {
			t.Errorf("%s: none does nothing: %v; some does nothing: %v", arch, none, some)
		}
	}
}

func TestEmptyPTX(t *testing.T) {
	const text = ".version 8.0\n.visible .entry none(\n\t.param .u64 none_param_0\n)\n{\n\n\t.loc\t1 1 1\n\tret;\n\n}\n" +
		".visible .entry some(\n\t.param .u64 some_param_0\n)\n{\n\t.reg .b64 %rd<3>;\n\n\tst.global.u32 [%rd2], 1;\n\tret;\n\n}\n"
	if !ptxEnds(text, "none") || ptxEnds(text, "some") || ptxEnds(text, "missing") {
		t.Errorf("none %v, some %v, missing %v", ptxEnds(text, "none"), ptxEnds(text, "some"), ptxEnds(text, "missing"))
	}
}

// TestEmptyBundle: hiprtc of some versions gives a bundle of code objects, with one for the GPU.
func TestEmptyBundle(t *testing.T) {
	thorough.Slow(t)
	c, err := FindClang()
	if err != nil {
		t.Skip(err)
	}
	options, err := c.Options("gfx90a")
	if err != nil {
		t.Fatal(err)
	}
	image, err := c.Compile("k.hip", `extern "C" __global__ void none(float *x) { float y = *x; }`, options)
	if err != nil {
		t.Fatal(err)
	}
	bundle := []byte("__CLANG_OFFLOAD_BUNDLE__")
	word := func(n int) { bundle = binary.LittleEndian.AppendUint64(bundle, uint64(n)) }
	const host, target, at = "host-x86_64-unknown-linux", "hipv4-amdgcn-amd-amdhsa--gfx90a", 4096
	word(2)
	for _, id := range []string{host, target} {
		word(at)
		word(map[string]int{host: 0, target: len(image)}[id])
		word(len(id))
		bundle = append(bundle, id...)
	}
	bundle = append(append(bundle, make([]byte, at-len(bundle))...), image...)
	if !DoesNothing(driver.HIP, bundle, "none") {
		t.Error("none does something")
	}
}
