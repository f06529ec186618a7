package rocm

import (
	"encoding/binary"
	"slices"
	"testing"
)

// keepWarnings collects warnings of the compiler.
func keepWarnings(t *testing.T) *[]string {
	t.Helper()
	list, before := new([]string), warn
	warn = func(text string) { *list = append(*list, text) }
	t.Cleanup(func() { warn = before })
	return list
}

func TestEmptyKernels(t *testing.T) {
	d := withCompiler(t)
	warnings := keepWarnings(t)
	said := func(line, kernel string) []string {
		return []string{"cell[1], line " + line + ": warning: kernel " + kernel + " does nothing on " + d.info.Arch +
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

// TestEmptyArchitectures: the ends of kernels in the code of other GPUs, from clang.
func TestEmptyArchitectures(t *testing.T) {
	c, err := findClang()
	if err != nil {
		t.Skip(err)
	}
	for _, arch := range []string{"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"} {
		options, err := c.options(arch)
		if err != nil {
			t.Fatal(err)
		}
		image, err := c.compile("k.hip", `extern "C" __global__ void none(float *x) { float y = *x; }  extern "C" __global__ void some(float *x) { *x = 1; }`, options)
		if err != nil {
			t.Fatal(err)
		}
		f := &Function{module: &Module{object: image}}
		none, some := &Kernel{name: "none"}, &Kernel{name: "some"}
		if d := (&Device{info: Info{Platform: HIP}}); !none.doesNothing(d, f) || some.doesNothing(d, f) {
			t.Errorf("%s: none does nothing: %v; some does nothing: %v", arch, none.doesNothing(d, f), some.doesNothing(d, f))
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
	c, err := findClang()
	if err != nil {
		t.Skip(err)
	}
	options, err := c.options("gfx90a")
	if err != nil {
		t.Fatal(err)
	}
	image, err := c.compile("k.hip", `extern "C" __global__ void none(float *x) { float y = *x; }`, options)
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
	f := &Function{module: &Module{object: bundle}}
	if !(&Kernel{name: "none"}).doesNothing(&Device{info: Info{Platform: HIP}}, f) {
		t.Error("none does something")
	}
}

// TestNVRTC compiles with NVIDIA's compiler, which needs no GPU: the names that sources choose by, and the ends of kernels in its code.
func TestNVRTC(t *testing.T) {
	r, err := loadNVRTC()
	if err != nil {
		t.Skip(err)
	}
	inChildren.Store(true)
	defer inChildren.Store(false)
	for _, arch := range []string{"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"} {
		options, err := r.options(arch)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.compile("platform.hip", platformSource, options); err != nil {
			t.Errorf("%s: %v", arch, err)
		}
		image, err := r.compile("k.hip", `extern "C" __global__ void none(float *x) { float y = *x; }
extern "C" __global__ void some(float *x) { *x = 1; }
extern "C" __global__ void waits() { __syncthreads(); }
extern "C" __global__ void asks(float *x, int n) { if (n) *x = 1; }`, options)
		if err != nil {
			t.Errorf("%s: %v", arch, err)
			continue
		}
		d, f := &Device{info: Info{Platform: CUDA}}, &Function{module: &Module{object: image}}
		for name, want := range map[string]bool{"none": true, "some": false, "waits": false, "asks": false} {
			if got := (&Kernel{name: name}).doesNothing(d, f); got != want {
				t.Errorf("%s: %s does nothing: %v, want %v", arch, name, got, want)
			}
		}
	}
}
