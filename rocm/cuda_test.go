package rocm

import (
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// cudaDevice opens cuda:0, or skips the test.
func cudaDevice(t testing.TB) *Device {
	t.Helper()
	d, err := Open("cuda")
	if errors.Is(err, ErrNoLibrary) || errors.Is(err, ErrNoDevice) {
		t.Skipf("no NVIDIA GPU: %v", firstLine(err))
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNoCUDA(t *testing.T) {
	if _, err := driver.LoadCUDA(); err == nil {
		t.Skip("there is a CUDA driver")
	}
	_, err := Open("cuda")
	if !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "rocm: load "+childtest.File("libcuda.so.1")+": not found\n  tried ") {
		t.Errorf("Open(cuda): %v", err)
	}
}

// cudaModule has the kernels of testProgram, compiled by NVRTC.
func cudaModule(t *testing.T, d *Device) *Module {
	t.Helper()
	t.Setenv("GOROCM_CACHE", t.TempDir())
	m, err := d.Load(testProgram(t))
	if errors.Is(err, ErrNoLibrary) {
		t.Skipf("no NVRTC: %v", firstLine(err))
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCUDAKernels(t *testing.T) {
	d := cudaDevice(t)
	t.Logf("%+v", d.Info())
	if i := d.Info(); i.Platform != CUDA || !strings.HasPrefix(i.Arch, "sm_") || i.Wave != 32 || i.ComputeUnits < 1 || i.TotalMemory < 1<<30 || d.String() != "cuda:0" {
		t.Errorf("%v: %+v", d, i)
	}
	testKernels(t, d, cudaModule(t, d))
}

func TestCUDAPTX(t *testing.T) {
	d := cudaDevice(t)
	r, err := compile.LoadNVRTC()
	if err != nil {
		t.Skipf("no NVRTC: %v", firstLine(err))
	}
	source, err := testProgram(t).Source()
	if err != nil {
		t.Fatal(err)
	}
	// What a GPU newer than NVRTC gets.
	image, err := r.Compile("kernels.hip", source, []string{"--gpu-architecture=compute_75", "--std=c++17", "--fmad=false"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(image), ".target sm_75") {
		t.Fatal("no PTX")
	}
	m, err := d.load("kernels", image)
	if err != nil {
		t.Fatal(err)
	}
	testKernels(t, d, m)
}

func TestCUDAErrors(t *testing.T) {
	d := cudaDevice(t)
	if _, err := d.load("junk", []byte("junk")); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "rocm: cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200): ") {
		t.Errorf("error %v", err)
	}
	if _, err := d.Alloc(1 << 50); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "rocm: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): no room for 1024 TiB") {
		t.Errorf("error %v", err)
	}
	if _, err := d.Compile("bad.hip", "extern \"C\" __global__ void bad(int *p) {\n  *p = nope;\n}"); !errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), `bad.hip(2): error: identifier "nope" is undefined`) {
		t.Errorf("error %v", err)
	}
	m, err := d.Compile("good.hip", `#include <hip/hip_runtime.h>
extern "C" __global__ void good(int *p) { *p = 1; }`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Function("nope"); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "rocm: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500)") {
		t.Errorf("error %v", err)
	}
	if m := d.Memory(); m.Total < 1<<30 || m.Free < 1 || m.Free > m.Total {
		t.Errorf("Memory() = %+v", m)
	}
}

// TestCUDAFault runs in a process of its own: the fault ends the use of the GPU by it.
func TestCUDAFault(t *testing.T) {
	cudaDevice(t)
	childtest.Run(t, "TestCUDAFaultChild")
}

func TestCUDAFaultChild(t *testing.T) {
	childtest.Only(t)
	d := cudaDevice(t)
	m, err := d.Compile("wild.hip", `extern "C" __global__ void wild(unsigned long long at) { *(int *)at = 1; }`)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(kernel(t, m, "wild"), [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, NewArgs().U64(64)); err != nil {
		t.Errorf("a launch does not wait: %v", err)
	}
	err = d.Synchronize()
	if !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS (700)") || !strings.Contains(err.Error(), "the last kernel launched on cuda:0 was wild") {
		t.Errorf("error %v", err)
	}
}

func TestCUDACopyBetweenGPUs(t *testing.T) {
	d := cudaDevice(t)
	e, err := Open("cuda:1")
	if errors.Is(err, ErrNoDevice) {
		t.Skip("one NVIDIA GPU only")
	}
	if err != nil {
		t.Fatal(err)
	}
	want := []byte(strings.Repeat("between devices ", 100_000))
	a, b := alloc(t, d, len(want)), alloc(t, e, len(want))
	got := make([]byte, len(want))
	if err := errors.Join(a.Upload(0, want), b.CopyFrom(0, a, 0, len(want)), b.Download(got, 0)); err != nil || string(got) != string(want) {
		t.Errorf("copied wrongly (%v)", err)
	}
}

// TestCUDADroppedBuffers asks for eight times the GPU's memory, in buffers that nobody keeps.
func TestCUDADroppedBuffers(t *testing.T) {
	d := cudaDevice(t)
	free := int(d.Memory().Free)
	for i := range 64 {
		b, err := d.Alloc(free/8 - i<<20)
		if err != nil {
			t.Fatalf("buffer %d: %v", i, err)
		}
		if err := b.Upload(b.Len()-3, []byte{1, 2, byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	d.Trim()
}

func TestCUDAConcurrent(t *testing.T) {
	d := cudaDevice(t)
	t.Setenv("GOROCM_CACHE", t.TempDir())
	m, err := d.Compile("count.hip", `extern "C" __global__ void count(unsigned *n, unsigned by) { atomicAdd(n, by); }`)
	if err != nil {
		t.Fatal(err)
	}
	f := kernel(t, m, "count")
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			b, err := d.Alloc(4)
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Free()
			got := make([]byte, 4)
			if err := b.Upload(0, got); err != nil {
				t.Error(err)
			}
			for range 200 {
				if err := d.Launch(f, [3]int{2, 1, 1}, [3]int{64, 1, 1}, 0, NewArgs().Buffer(b, 0).U32(uint32(g))); err != nil {
					t.Error(err)
				}
			}
			if err := b.Download(got, 0); err != nil || binary.LittleEndian.Uint32(got) != uint32(200*128*g) {
				t.Errorf("goroutine %d counted % x (%v)", g, got, err)
			}
		})
	}
	wg.Wait()
}
