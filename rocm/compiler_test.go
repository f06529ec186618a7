package rocm

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestDebianHIP checks the HIP 5.2 that Debian packages: no GPU, and a compiler that needs none.
func TestDebianHIP(t *testing.T) {
	if !thorough.On() {
		t.Skip("compiles with Debian's hiprtc, which takes seconds: set GOROCM_TEST=thorough")
	}
	if found, _ := filepath.Glob("/usr/lib/*/libamdhip64.so.5"); found == nil {
		t.Skip("no libamdhip64.so.5 (Debian's libamdhip64-5)")
	}
	childtest.Run(t, "TestDebianHIPChild", "GOROCM_LIBRARY_PATH=", "ROCM_PATH=", "GOROCM_CACHE="+t.TempDir())
}

func TestDebianHIPChild(t *testing.T) {
	childtest.Only(t)
	drv, err := driver.LoadHIP()
	if err != nil {
		t.Fatal(err)
	}
	if drv.Major != 5 {
		t.Skipf("the loader finds %s first, which is %s", drv.Library.Path, drv.Runtime)
	}
	n, err := drv.CountDevices()
	if err != nil {
		t.Fatalf("counting GPUs: %v", err)
	}
	if n == 0 {
		d, err := Open("rocm")
		if err != nil || !d.Emulated() {
			t.Errorf("Open(rocm) without a GPU: %v, %v", d, err)
		}
		if drv.Malloc(new(uintptr), 4096) == 0 {
			t.Error("hipMalloc gives memory without a GPU")
		}
	}
	r, err := compile.LoadHIPRTC()
	if err != nil {
		t.Fatal(err)
	}
	source := `#include <hip/hip_runtime.h>
extern "C" __global__ void twice(float *p) { p[threadIdx.x] *= 2.0f; }`
	compile.InChildren.Store(true)
	// It ends its process for what it has no device library for, which is why checkArch refuses it.
	_, err = r.Compile("twice.hip", source, []string{"--offload-arch=gfx1100", "-O3"})
	if !errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), "fatal error of the compiler itself") {
		t.Errorf("a compiler that ends its process: %v", err)
	}
	for arch, mach := range map[string]byte{"gfx906": 0x2f, "gfx90a": 0x3f, "gfx1030": 0x36} {
		options, err := r.Options(arch)
		if err != nil {
			t.Fatal(err)
		}
		image, err := r.Compile("twice.hip", source, options)
		if err != nil {
			t.Errorf("%s: %v", arch, err)
			continue
		}
		// A bundle or an ELF file, as the version likes; the low byte of e_flags is the machine.
		at := bytes.Index(image, []byte("\x7fELF\x02\x01\x01\x40"))
		if at < 0 || len(image) < at+64 || image[at+48] != mach || !bytes.Contains(image, []byte("twice.kd")) {
			t.Errorf("%s: %d bytes that are not a code object for it", arch, len(image))
		}
	}
	options, err := r.Options("gfx90a")
	if err != nil {
		t.Fatal(err)
	}
	// Headers that sources for other compilers include.
	if _, err := r.Compile("grouped.hip", groupedSource, options); err != nil {
		t.Error(err)
	}
	if _, err := r.Compile("platform.hip", platformSource, options); err != nil {
		t.Error(err)
	}
	_, err = r.Compile("bad.hip", `extern "C" __global__ void bad(float *p) { *p = nope; }`, options)
	if !errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), "nope") {
		t.Errorf("a source with a mistake: %v", err)
	}
}

const groupedSource = `#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_cooperative_groups.h>
#include <cmath>
#include <cstdint>
namespace cg = cooperative_groups;
extern "C" __global__ void grouped(float *p, uint32_t n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  float sum = cg::reduce(tile, p[block.thread_rank()], cg::plus<float>());
  block.sync(), tile.sync();
  if (tile.all(sum > 0) && block.thread_rank() < n) p[block.thread_rank()] = __half2float(__float2half(expf(-sum)));
}`

// platformSource compiles where the names are there by which kernels choose what they do.
const platformSource = `#include <hip/hip_runtime.h>
#include <hip/hip_version.h>
#include <hip/hip_common.h>
#if defined(__HIP_PLATFORM_AMD__) == defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_AMD__) != defined(__HIP_PLATFORM_HCC__)
#error "the platform"
#endif
#if defined(__HIP_PLATFORM_AMD__) && (!defined(__HIP__) || !defined(__AMDGCN__))
#error "the platform AMD"
#endif
#if !__HIP_DEVICE_COMPILE__ || !__HIPCC_RTC__ || !__HIPCC__
#error "the compiler"
#endif
#if HIP_VERSION < 50200000 || HIP_VERSION != HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH
#error "the version"
#endif
#if !__HIP_ARCH_HAS_DOUBLES__ || !__HIP_ARCH_HAS_WARP_SHUFFLE__ || __HIP_ARCH_HAS_DYNAMIC_PARALLEL__
#error "what the GPU has"
#endif
extern "C" __global__ void platform(int *p) { *p = HIP_VERSION; }`

// TestPlatformNames: see platformSource. TestDebianHIP has AMD's hiprtc compile it.
func TestPlatformNames(t *testing.T) {
	d := withCompiler(t)
	if _, err := d.Compile("platform.hip", platformSource); err != nil {
		t.Error(err)
	}
}
