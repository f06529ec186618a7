package devicetest_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestWavesOf64 runs kernels in which work-items of a wave speak to each other on an emulated GPU with waves of 64, for
// which a compiler makes them anew. All of the kit runs so with
//
//	GOROCM_TEST=thorough GOROCM_EMULATED_WAVE=64 go test ./tensor/devicetest -run TestROCm
func TestWavesOf64(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles kernels")
	}
	for k, v := range map[string]string{"GOROCM_EMULATE": "1", "GOROCM_REQUIRE_GPU": "", "GOROCM_EMULATED_DEVICES": "2",
		"GOROCM_EMULATED_WAVE": "64"} {
		t.Setenv(k, v)
	}
	dev, err := tensor.NewDevice("rocm:1") // other tests have rocm:0
	if err != nil {
		t.Fatal(err)
	}
	if d, err := rocm.Open("rocm:1"); err != nil || !d.CanCompile() {
		t.Skipf("no compiler (%v)", err)
	}
	x := tensor.Randn(70, 300)
	long := tensor.Randn(3, 5000)
	half := tensor.CPU().Randn(tensor.F16, 1, 2, 80, 64)
	for name, op := range map[string]struct {
		in *tensor.Tensor
		of func(x *tensor.Tensor) *tensor.Tensor
	}{
		"sums of rows":       {x, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(1) }},
		"sum of all":         {long, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }},
		"running sums":       {long, func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(1) }},
		"softmax":            {long, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(1) }},
		"order":              {x, func(x *tensor.Tensor) *tensor.Tensor { return x.ArgSort(1, true) }},
		"order of long rows": {long, func(x *tensor.Tensor) *tensor.Tensor { return x.ArgSort(1, false) }},
		"product":            {x, func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(x.T()) }},
		"product of f16":     {half, func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(x.Transpose(2, 3)) }},
		"attention": {half, func(x *tensor.Tensor) *tensor.Tensor {
			return nn.Attention(x, x, x, nn.Attend{})
		}},
		"gradient of attention": {half, func(x *tensor.Tensor) *tensor.Tensor {
			if x.Device().IsCPU() {
				x = x.ToDType(tensor.F32) // operations in F16 round every step
			}
			v := tensor.NewVar(x.Mul(0.5))
			return nn.Attention(v, v, v, nn.Attend{}).Backward().Get(v)
		}},
		"product by a row": {x, func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(x.Narrow(0, 0, 1).T()) }},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := op.of(op.in), op.of(op.in.ToDevice(dev)).ToDevice(tensor.CPU())
			w := want.Float64s()
			for i, g := range got.Float64s() { // f16 has eleven bits
				if d := math.Abs(g - w[i]); !(d <= 4e-3*max(1, math.Abs(w[i]))) {
					t.Fatalf("element %d is %v, want %v", i, g, w[i])
				}
			}
		})
	}
}
