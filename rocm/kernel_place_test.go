package rocm

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestFaultPlaces: a fault of any kernel of a source has the line in it, and the name under which the kernel was
// compiled, although the code is that of the first one.
func TestFaultPlaces(t *testing.T) {
	thorough.Slow(t)
	withCompiler(t)
	source := `
__global__ void first(float *x, unsigned n) {
  x[0] = 1;
}
__global__ void second(float *x, unsigned n) {
  float y = 2;
  x[(1ull << 40) + n] = y;
}
template <class T> __global__ void third(T *x, unsigned n) {
  T y = 2;
  x[(1ull << 40) + n] = y;
}
template __global__ void third<float>(float *, unsigned);
`
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if !d.Emulated() {
		t.Skip("a GPU does not say where a kernel has failed")
	}
	x := alloc(t, d, 16)
	for _, k := range []struct {
		name string
		line int
		text string
	}{{"first", 0, ""}, {"second", 7, "second:7: "}, {"third_float", 11, "third_float:11: "}} {
		kernel, err := Compile(k.name, source)
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		if err = kernel.Launch(4, x, uint32(4)); k.line == 0 {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.As(err, &e) || e.Line != k.line || e.Source != source || !strings.Contains(e.Text, k.text) {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}
