package tensor

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standIns compiles the stand-ins for AMD's libraries and runs a test with them, in a process of its own.
func standIns(t *testing.T, test string, env ...string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	const sources = "../rocm/testdata/"
	for _, l := range []struct{ file, source string }{
		{"libamdhip64.so.6", "fakehip.c"}, {"librocblas.so.4", "fakerocblas.c"}, {"libhipblaslt.so.0", "fakehipblaslt.c"}, {"libMIOpen.so.1", "fakemiopen.c"},
	} {
		args := []string{"-shared", "-fPIC", "-O1", "-o", filepath.Join(dir, l.file), sources + l.source}
		if l.source != "fakehip.c" {
			args = append(args, "-L"+dir, "-l:libamdhip64.so.6", "-Wl,-rpath,"+dir, "-lm")
		}
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("cc: %v\n%s", err, out)
		}
	}
	for name, arch := range map[string]string{"rocblas": "gfx1100", "hipblaslt": "gfx1201"} {
		library := filepath.Join(dir, name, "library")
		if err := os.MkdirAll(library, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(library, "Kernels_"+arch+".hsaco"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), "GOROCM_LIBRARY_PATH="+dir, "GOROCM_CACHE="+dir, "GOROCM_EMULATE=", "GOROCM_REQUIRE_GPU=1", "GOROCM_BLAS=", "GOROCM_DNN=",
		"GOROCM_TEST_STAND_INS="+test)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// onStandIns opens the GPU of the stand-ins. What it launches is added to the list.
func onStandIns(t *testing.T) (dev *Device, launched *[]string) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_STAND_INS") != t.Name() {
		t.Skip("run by another test, in a child process")
	}
	dev, err := NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	launched = new([]string)
	dev.backend.(*accelerator).launched = func(kernel string) { *launched = append(*launched, kernel) }
	return dev, launched
}

// smallNumbers are whole numbers that all types of floats hold, as do the sums of their products.
func smallNumbers(shape []int, seed int, dt DType) *Tensor {
	values := make([]float64, product(shape))
	for i := range values {
		values[i] = float64(i*seed%5 - 2)
	}
	return FromSlice(values, shape, CPU()).ToDType(dt)
}

// TestBLAS multiplies through the stand-ins.
func TestBLAS(t *testing.T) { standIns(t, "TestBLASChild") }

func TestBLASChild(t *testing.T) {
	dev, launched := onStandIns(t)
	swap := func(x *Tensor) *Tensor { return x.T() }
	heads := func(x *Tensor) *Tensor { return x.Transpose(1, 2) }
	as := func(x *Tensor) *Tensor { return x }
	for _, c := range []struct {
		name   string
		a, b   []int
		va, vb func(*Tensor) *Tensor
	}{
		{"plain", []int{5, 4}, []int{4, 6}, as, as},
		{"transposed left", []int{4, 5}, []int{4, 6}, swap, as},
		{"transposed right", []int{5, 4}, []int{6, 4}, as, swap},
		{"narrowed", []int{7, 8}, []int{9, 7}, func(x *Tensor) *Tensor { return x.Narrow(1, 2, 4).Narrow(0, 1, 5) }, func(x *Tensor) *Tensor { return x.Narrow(0, 3, 4) }},
		{"batch", []int{3, 5, 4}, []int{3, 4, 6}, as, as},
		{"one left matrix", []int{6, 4}, []int{3, 4, 5}, as, as},
		{"heads", []int{2, 5, 3, 4}, []int{2, 6, 3, 4}, heads, func(x *Tensor) *Tensor { return heads(x).T() }},
		{"stretched batch", []int{2, 1, 5, 4}, []int{3, 4, 6}, as, as},
		{"vector", []int{4}, []int{4}, as, as},
	} {
		for _, dt := range []DType{F32, F64, F16, BF16} {
			if c.name == "vector" && dt.IsSmallFloat() { // for which there is a kernel of our own
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", c.name, dt), func(t *testing.T) {
				a, b := smallNumbers(c.a, 3, dt), smallNumbers(c.b, 7, dt)
				*launched = nil
				got := c.va(a.ToDevice(dev)).MatMul(c.vb(b.ToDevice(dev)))
				if want := "[gemm_" + dt.String() + "]"; fmt.Sprint(*launched) != want {
					t.Errorf("launched %v, want %s", *launched, want)
				}
				want := c.va(a).MatMul(c.vb(b)).ToDType(F64)
				if g, w := fmt.Sprint(got.Dims(), got.Float64s()), fmt.Sprint(want.Dims(), want.Float64s()); g != w {
					t.Errorf("got %s, want %s", g, w)
				}
			})
		}
	}
}

// TestProductsOnGPU compares products on GPUs, by the library there is or by the kernels with GOROCM_BLAS=go, with those of F64 on the host.
func TestProductsOnGPU(t *testing.T) {
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := NewDevice(spec)
			if err != nil || dev.Emulated() {
				t.Skipf("no GPU: %v", err)
			}
			t.Logf("%+v", dev.backend.(*accelerator).dev.BLAS())
			for _, dt := range []DType{F32, F64, F16, BF16} {
				const m, k, n = 513, 1031, 257
				a := Randn(0, 1, []int{2, m, k}, F64, CPU()).ToDType(dt)
				b := Randn(0, 1, []int{2, n, k}, F64, CPU()).ToDType(dt)
				got := a.ToDevice(dev).MatMul(b.ToDevice(dev).T()).Float64s()
				want := a.ToDType(F64).MatMul(b.ToDType(F64).T()).Float64s()
				// Sums of k products of about 1 lie about √k from 0. They are rounded k times on the way, for TF32 by 2⁻¹¹ of a product, and once at the end.
				sum, end := 0x1p-24, map[DType]float64{F32: 0x1p-24, F64: 0x1p-53, F16: 0x1p-11, BF16: 0x1p-8}[dt]
				if dt == F64 {
					sum = 0x1p-53
				}
				for i, w := range want {
					if limit := 8*32*32*sum + 1.01*end*math.Abs(w); !(math.Abs(got[i]-w) <= limit) {
						t.Fatalf("%v: element %d is %v, want %v, off by %.3g of %.3g", dt, i, got[i], w, math.Abs(got[i]-w), limit)
					}
				}
			}
		})
	}
}
