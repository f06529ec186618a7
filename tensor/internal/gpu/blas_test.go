package gpu_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu/gputest"
)

// onStandIns opens the GPU of the stand-ins. What it launches is added to the list.
func onStandIns(t *testing.T) (dev *tensor.Device, launched *[]string) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_STAND_INS") != t.Name() {
		t.Skip("run by another test, in a child process")
	}
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	launched = new([]string)
	backendOf(dev).OnLaunch = func(kernel string) { *launched = append(*launched, kernel) }
	return dev, launched
}

// smallNumbers are whole numbers that all types of floats hold, as do the sums of their products.
func smallNumbers(shape []int, seed int, dt tensor.DType) *tensor.Tensor {
	values := make([]float64, backend.Product(shape))
	for i := range values {
		values[i] = float64(i*seed%5 - 2)
	}
	return tensor.FromSlice(values, shape...).ToDType(dt)
}

// TestBLAS multiplies through the stand-ins.
func TestBLAS(t *testing.T) { gputest.StandIns(t, "../../..", "TestBLASChild") }

func TestBLASChild(t *testing.T) {
	dev, launched := onStandIns(t)
	swap := func(x *tensor.Tensor) *tensor.Tensor { return x.T() }
	heads := func(x *tensor.Tensor) *tensor.Tensor { return x.Transpose(1, 2) }
	as := func(x *tensor.Tensor) *tensor.Tensor { return x }
	for _, c := range []struct {
		name   string
		a, b   []int
		va, vb func(*tensor.Tensor) *tensor.Tensor
	}{
		{"plain", []int{5, 4}, []int{4, 6}, as, as},
		{"transposed left", []int{4, 5}, []int{4, 6}, swap, as},
		{"transposed right", []int{5, 4}, []int{6, 4}, as, swap},
		{"narrowed", []int{7, 8}, []int{9, 7},
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 2, 4).Narrow(0, 1, 5) },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(0, 3, 4) }},
		{"batch", []int{3, 5, 4}, []int{3, 4, 6}, as, as},
		{"one left matrix", []int{6, 4}, []int{3, 4, 5}, as, as},
		{"heads", []int{2, 5, 3, 4}, []int{2, 6, 3, 4}, heads,
			func(x *tensor.Tensor) *tensor.Tensor { return heads(x).T() }},
		{"broadcast batch", []int{2, 1, 5, 4}, []int{3, 4, 6}, as, as},
		{"vector", []int{4}, []int{4}, as, as},
	} {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
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
				want := c.va(a).MatMul(c.vb(b)).ToDType(tensor.F64)
				if g, w := fmt.Sprint(got.Dims(), got.Float64s()), fmt.Sprint(want.Dims(), want.Float64s()); g != w {
					t.Errorf("got %s, want %s", g, w)
				}
			})
		}
	}
}

// TestProductsOnGPU compares products on GPUs, by the library there is or by the kernels with GOROCM_BLAS=go, with
// those of F64 on the host.
func TestProductsOnGPU(t *testing.T) {
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := tensor.NewDevice(spec)
			if err != nil || dev.Emulated() {
				t.Skipf("no GPU: %v", err)
			}
			t.Logf("%+v", backendOf(dev).Device().BLAS())
			for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
				const m, k, n = 513, 1031, 257
				a := tensor.CPU().Randn(tensor.F64, 2, m, k).ToDType(dt)
				b := tensor.CPU().Randn(tensor.F64, 2, n, k).ToDType(dt)
				got := a.ToDevice(dev).MatMul(b.ToDevice(dev).T()).Float64s()
				want := a.ToDType(tensor.F64).MatMul(b.ToDType(tensor.F64).T()).Float64s()
				// Sums of k products of about 1 lie about √k from 0. They are rounded k times on the way, for TF32 by
				// 2⁻¹¹ of a product, and once at the end.
				sum, end := 0x1p-24, map[tensor.DType]float64{tensor.F32: 0x1p-24, tensor.F64: 0x1p-53,
					tensor.F16: 0x1p-11, tensor.BF16: 0x1p-8}[dt]
				if dt == tensor.F64 {
					sum = 0x1p-53
				}
				for i, w := range want {
					if limit := 8*32*32*sum + 1.01*end*math.Abs(w); !(math.Abs(got[i]-w) <= limit) {
						t.Fatalf("%v: element %d is %v, want %v, off by %.3g of %.3g", dt, i, got[i], w,
							math.Abs(got[i]-w), limit)
					}
				}
			}
		})
	}
}
