package rocm

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestKernelInstances compiles instances of a template, by name and declared in the source, and launches them.
func TestKernelInstances(t *testing.T) {
	thorough.Slow(t)
	d := withCompiler(t)
	const source = `
template <typename T, int N = 2>
__global__ void __launch_bounds__(64 * N) scale(T a, const T *x, T *y, unsigned n) {
  __shared__ T part[64 * N];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  if (i >= n) return;
  y[i] = a * part[threadIdx.x] + N;
}
`
	k, err := Compile("scale<float, 4>", source)
	if err != nil {
		t.Fatal(err)
	}
	if got := k.String(); k.Name() != "scale_float_4" || !strings.Contains(got, "scale_float_4(float a, const float *x, float *y, unsigned n)") {
		t.Errorf("the instance is %s, named %s", got, k.Name())
	}
	x, y := alloc(t, d, 12), alloc(t, d, 12)
	if err := x.Upload(0, encode("f32", []float64{1, 2, 3})); err != nil {
		t.Fatal(err)
	}
	if err := k.LaunchGrid([3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, 10.0, x, y, 3); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 12)
	if err := y.Download(got, 0); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{14, 24, 34} {
		if v := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); v != want {
			t.Errorf("y[%d] is %v, want %v", i, v, want)
		}
	}
	list, err := CompileAll("cell", source+"template __global__ void scale<double>(double, const double *, double *, unsigned);\ntemplate __global__ void scale<int, 1>(int, const int *, int *, unsigned);\n")
	if err != nil || len(list) != 2 || list[0].Name() != "scale_double" || list[1].Name() != "scale_int_1" {
		t.Fatalf("declared instances: %v, %v", list, err)
	}
	if same, err := Compile("scale_int_1", source+"template __global__ void scale<int, 1>(int, const int *, int *, unsigned);"); err != nil || same.Name() != "scale_int_1" {
		t.Errorf("a declared instance by its name: %v, %v", same, err)
	}
	_, err = Compile("scale<float, 4>", strings.Replace(source, "a * part", "a * nope", 1))
	var e *Error
	if !errors.As(err, &e) || len(e.Messages()) == 0 || e.Messages()[0].Line != 9 {
		t.Errorf("a mistake in line 9: %v", err)
	}
	for name, want := range map[string]string{"scale<>": "templates only", "scale<float, 1, 2>": "3 arguments", "other<float>": "no kernel template other"} {
		if _, err := Compile(name, source); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestTemplates: the templates without an instance in the source have names, also those that can have no instance.
func TestTemplates(t *testing.T) {
	got := Templates(`
template <typename T, int N = 2> __global__ void power(T *x) {}
template <class T, int> __global__ void unnamed(T *x) {}
template <class... T> __global__ void pack(T *...x) {}
template <class T> __global__ void declared(T *x) {}
template <class T> __device__ T helper(T x) { return x; }
template __global__ void declared<float>(float *);
__global__ void plain(float *x) {}`)
	if want := []string{"power<T, N>", "unnamed<T, …>", "pack<…>"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
