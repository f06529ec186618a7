package compile

import (
	"strings"
	"testing"
)

func TestDeclarations(t *testing.T) {
	source := `
#include <hip/hip_runtime.h>
#define REAL float
#define N 4
typedef unsigned long long u64; // __global__ void comment(int x) {}
using index = u64;
/* __global__ void other(int x) {} */
const char *text = "__global__ void quoted(int x) {}";
struct Pair { float a; int b; };
__device__ float helper(float x) { return x; }
__global__ void declared(int x);
extern "C" __global__ void __launch_bounds__(128) plain(float a, const float *__restrict__ x, float *y, unsigned n) { }
__global__ __launch_bounds__(256) void attributes(REAL *x, index n, Pair p, const Pair *ps, float4 v, uint2 const *w, int) {}
namespace inside { __global__ void spaced(void) {} }
extern "C" {
__global__ void linked(unsigned long long int *p, long q, signed char r, volatile unsigned *flag, double x[], size_t s, void *any, float **rows) {}
}
template <class T, int K> __global__ void generic(T *x) {}
`
	want := []struct {
		text     string
		linkage  bool
		template bool
		elems    string
	}{
		{"plain(float a, const float *x, float *y, unsigned n)", true, false, "f32 f32* f32* u32"},
		{"attributes(float *x, unsigned long long n, Pair p, const Pair *ps, float4 v, const uint2 *w, int)", false, false, "f32* u64 ? ?* f32x4 u32x2* i32"},
		{"spaced()", false, false, ""},
		{"linked(unsigned long long int *p, long q, signed char r, unsigned *flag, double *x, size_t s, void *any, float * *rows)", true, false, "u64* i64 i8 u32* f64* u64 void* ?*"},
		{"generic(T *x)", false, true, "?*"},
	}
	got := Declarations(source)
	if len(got) != len(want) {
		t.Fatalf("%d kernels, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		var list []string
		for _, p := range got[i].Params {
			list = append(list, p.String())
		}
		if text := got[i].Name + "(" + strings.Join(list, ", ") + ")"; text != w.text {
			t.Errorf("got %s, want %s", text, w.text)
		}
		if got[i].linkage != w.linkage || got[i].Template != w.template {
			t.Errorf("%s: linkage %v, template %v", w.text, got[i].linkage, got[i].Template)
		}
		var elems []string
		for _, p := range got[i].Params {
			e := p.Elem
			if e == "" {
				e = "?"
			}
			if p.Lanes > 1 {
				e += "x" + string(rune('0'+p.Lanes))
			}
			if p.Pointer {
				e += "*"
			}
			elems = append(elems, e)
		}
		if e := strings.Join(elems, " "); e != w.elems {
			t.Errorf("%s: types %s, want %s", w.text, e, w.elems)
		}
	}
}

func TestLinked(t *testing.T) {
	source := "int a; __global__ void one(int x) {}\n  extern \"C\" __global__ void two(int x) {}\n\tstatic int b; __global__ void three(int x) {}"
	want := "int a; \nextern \"C\"\n#line 1\n       __global__ void one(int x) {}\n  extern \"C\" __global__ void two(int x) {}\n\tstatic int b; \nextern \"C\"\n#line 3\n               __global__ void three(int x) {}"
	if got := WithCLinkage(source, Declarations(source)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	source = "static __global__ void k(int x) {}" // C has no static kernels
	want = "\nextern \"C\"\n#line 1\n       __global__ void k(int x) {}"
	if got := WithCLinkage(source, Declarations(source)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzDeclarations: any text is taken.
func FuzzDeclarations(f *testing.F) {
	f.Add("__global__ void f(int x) {}")
	f.Add("extern \"C\" { __global__ void f(const float *x, int n) {} }")
	f.Add("#define A \\\n b\n__global__ __launch_bounds__(")
	f.Fuzz(func(t *testing.T, source string) {
		list := Declarations(source)
		_ = WithCLinkage(source, list)
		for _, d := range list {
			if d.Name == "" {
				t.Errorf("a kernel without a name in %q", source)
			}
		}
	})
}
