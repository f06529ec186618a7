package rocm

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// keepWarnings collects warnings of the compiler.
func keepWarnings(t *testing.T) *[]string {
	t.Helper()
	list, before := new([]string), printWarning
	printWarning = func(text string) { *list = append(*list, text) }
	t.Cleanup(func() { printWarning = before })
	return list
}

func TestEmptyKernels(t *testing.T) {
	d := withCompiler(t)
	warnings := keepWarnings(t)
	said := func(line, kernel string) []string {
		return []string{"cell[1], line " + line + " of the source: warning: kernel " + kernel + " does nothing on " + d.info.Arch +
			": its source has statements, its compiled code has none. Did #if or #ifdef leave them out, or does no result reach memory?"}
	}
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"a name that is not defined", "\n__global__ void a(float *x) {\n#ifdef NO_SUCH_PLATFORM\n  x[0] = 1;\n#endif\n}", said("2", "a")},
		{"once for a source", "__global__ void a(float *x) {\n#ifdef NO_SUCH_PLATFORM\n  x[0] = 1;\n#endif\n}", nil},
		{"AMD's name", "__global__ void b(float *x) {\n#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_NVIDIA__)\n  x[0] = 1;\n#endif\n}", nil},
		{"no result", "__global__ void c(const float *x) { float y = x[0]; y += 1; }", said("1", "c")},
		{"empty", "__global__ void e(float *x) {}", nil},
		{"empty, with a return and a comment", "__global__ void f(float *x) { /* x[0] = 1; */ return; }", nil},
		{"one of two", "__global__ void g(float *x) { x[0] = 1; }\n__global__ void h(float *x) { if (false) { x[0] = 1; } }", said("2", "h")},
		{"a condition", "__global__ void i(float *x, int n) { if (n > 0) x[0] = 1; }", nil},
		{"printf alone", "__global__ void j() { printf(\"x\"); }", nil},
		{"a barrier alone", "__global__ void l() { __syncthreads(); }", nil},
	} {
		*warnings = nil
		if _, err := CompileAll("cell[1]", c.source); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !slices.Equal(*warnings, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, *warnings, c.want)
		}
	}
}

// TestNVRTC compiles with NVIDIA's compiler, which needs no GPU: the names that sources choose by, and the ends of kernels in its code.
func TestNVRTC(t *testing.T) {
	r, err := compile.LoadNVRTC()
	if err != nil {
		t.Skip(err)
	}
	compile.InChildren.Store(true)
	defer compile.InChildren.Store(false)
	for _, arch := range []string{"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"} {
		options, err := r.Options(arch)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Compile("platform.hip", platformSource, options); err != nil {
			t.Errorf("%s: %v", arch, err)
		}
		image, err := r.Compile("k.hip", `extern "C" __global__ void none(float *x) { float y = *x; }
extern "C" __global__ void some(float *x) { *x = 1; }
extern "C" __global__ void waits() { __syncthreads(); }
extern "C" __global__ void asks(float *x, int n) { if (n) *x = 1; }`, options)
		if err != nil {
			t.Errorf("%s: %v", arch, err)
			continue
		}
		for name, want := range map[string]bool{"none": true, "some": false, "waits": false, "asks": false} {
			if got := compile.DoesNothing(driver.CUDA, image, name); got != want {
				t.Errorf("%s: %s does nothing: %v, want %v", arch, name, got, want)
			}
		}
	}
}
