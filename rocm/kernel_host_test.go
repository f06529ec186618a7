package rocm

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// pasted is a program as it stands in samples.
const pasted = `#include <hip/hip_runtime.h>
__global__ void scale(float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;  // hipFree( in a comment
}
int main() {
  float *x;
  hipMalloc(&x, 4096);
  hipMemcpy(x, x, 4096, hipMemcpyHostToDevice);
  scale<<<4, 256>>>(x, 2.0f, 1024);
  hipDeviceSynchronize();
  hipFree(x);
}
`

func TestPastedProgram(t *testing.T) {
	thorough.Slow(t)
	withCompiler(t)
	_, err := CompileAll("cell[1]", pasted)
	want := `rocm: compile cell[1]: the source has a part for the host, which is Go here: main (line 6 of the source), hipMalloc (line 8), hipMemcpy (line 9), scale<<<…>>> (line 10), hipDeviceSynchronize (line 11), hipFree (line 12)
  keep the kernels and what they use, delete the rest, and write it in Go, in a cell of its own:
  memory is a tensor: dev := Device("rocm"), then dev.Zeros(tensor.F32, n) or tensor.Of(1, 2, 3).To("rocm"); a kernel takes it for a pointer, and showing it copies it back
  scale<<<grid, block>>>(arguments) is scale.LaunchGrid([3]int{grid, 1, 1}, [3]int{block, 1, 1}, 0, arguments), or scale.Launch(n, arguments) with a thread for each of n elements
  showing a tensor waits for its kernels; Synchronize of the device does, too`
	if !errors.Is(err, ErrUnsupported) || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	var said []string
	defer func(f func(string)) { printWarning = f }(printWarning)
	printWarning = func(text string) { said = append(said, text) }
	if _, err := CompileAll("cell[2]", "__global__ void k(int *x) { *x = 1; }\nint main() { return 0; }"); err != nil ||
		strings.Join(said, "") != "cell[2], line 2 of the source: warning: main is not run: the host is Go here, and kernels are launched by it" {
		t.Errorf("a main that compiles: %v, %q", err, said)
	}
	if _, err := Compile("k", "\n__global__ void k(int *x) { *x = 1; }\nint main() { return 0; }\n"); err != nil || len(said) != 1 {
		t.Errorf("the same main once more: %v, %q", err, said)
	}
	static := "static __global__ void k(int *x) { *x = 1; }\n__global__ static inline void l(int *x) { *x = 1; }"
	if _, err := CompileAll("cell[3]", static); err != nil {
		t.Errorf("kernels that are static: %v", err)
	}
	over := "__global__ void k(int *x) {}\n__global__ void k(float *x) {}"
	if _, err := CompileAll("cell[3]", over); !errors.Is(err, ErrUnsupported) ||
		!strings.Contains(err.Error(), "two kernels k (lines 1 and 2 of the source)") {
		t.Errorf("overloaded kernels: %v", err)
	}
	// A mistake in a kernel alone is the compiler's message.
	if _, err := CompileAll("cell[3]", "__global__ void k(int *x) { *x = nope; }"); !errors.Is(err, ErrCompile) {
		t.Errorf("a mistake: %v", err)
	}
	// A host part that the source itself leaves out does not matter.
	source := "__global__ void k(int *x) { *x = 1; }\n#ifndef __HIPCC_RTC__\nint start() { hipMalloc(0, 0); return 0; }\n#endif"
	if _, err := CompileAll("cell[4]", source); err != nil {
		t.Errorf("a host part that is left out: %v", err)
	}
}

func TestTextures(t *testing.T) {
	thorough.Slow(t)
	withCompiler(t)
	for _, source := range []string{
		"__global__ void blur(hipTextureObject_t image, float *y) {\n  y[0] = tex2D<float>(image, 1, 2);\n}",
		"__global__ void blur(float *y) {\n  y[0] = tex1Dfetch(nope, 1);\n}",
	} {
		_, err := Compile("blur", source)
		if !errors.Is(err, ErrUnsupported) || !strings.HasPrefix(err.Error(), "rocm: compile blur: gorocm has no textures and surfaces: the source uses ") || !strings.Contains(err.Error(), "(line 2)") {
			t.Errorf("%s: %v", source, err)
		}
	}
	if _, err := Compile("mine", "__device__ float tex2D(const float *x) { return x[0]; }\n__global__ void mine(float *x) { x[1] = tex2D(x); }"); err != nil {
		t.Errorf("a function of the source's own: %v", err)
	}
}
