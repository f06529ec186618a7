package devicetest_test

import (
	"fmt"
	"math"
	"os"
	"strings"
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
	t.Setenv("GOROCM_EMULATED_ARCH", "")
	t.Setenv("GOROCM_EMULATED_WAVE", "64")
	dev := emulated(t, 1) // other tests have rocm:0
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
		t.Run(name, func(t *testing.T) { compare(t, dev, op.in, op.of) })
	}
}

// TestMatrixCores runs products and attention as the matrix cores of GPUs that are not here compute them: in the layout
// of their registers, lane by lane. Shapes leave tiles incomplete. All of the kit's products run so with
//
//	GOROCM_TEST=thorough GOROCM_EMULATED_CORES=gfx1250 go test ./tensor/devicetest -run 'TestROCm/.*(matmul|attention)'
func TestMatrixCores(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles kernels")
	}
	half := tensor.CPU().Randn(tensor.F16, 1, 1, 70, 40)
	for i, gpu := range []string{"gfx942", "gfx950", "gfx1200", "gfx1250"} {
		t.Run(gpu, func(t *testing.T) {
			t.Setenv("GOROCM_EMULATED_ARCH", "")
			t.Setenv("GOROCM_EMULATED_CORES", gpu)
			dev := emulated(t, 2+i)
			compare(t, dev, half, func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(x.Transpose(2, 3)) })
			compare(t, dev, half, func(x *tensor.Tensor) *tensor.Tensor { return nn.Attention(x, x, x, nn.Attend{}) })
		})
	}
}

// TestInstinct runs kernels on an emulated MI300X, whose machine code is executed: matrix cores, scans of rows, sorts.
// All of the kit runs so with
//
//	GOROCM_EMULATE=1 GOROCM_EMULATED_ARCH=gfx942 go test ./tensor/devicetest -run TestROCm
func TestInstinct(t *testing.T) { testArchitecture(t, "gfx942", 6) }

// TestRDNA4 does the same on an emulated gfx1200.
func TestRDNA4(t *testing.T) { testArchitecture(t, "gfx1200", 7) }

// testArchitecture runs kernels on an emulated GPU of an architecture.
func testArchitecture(t *testing.T, arch string, index int) {
	if testing.Short() {
		t.Skip("compiles kernels")
	}
	t.Setenv("GOROCM_EMULATED_WAVE", "")
	t.Setenv("GOROCM_EMULATED_CORES", "")
	t.Setenv("GOROCM_EMULATED_ARCH", arch)
	dev := emulated(t, index)
	if d, err := rocm.Open(fmt.Sprintf("rocm:%d", index)); err != nil || !strings.HasPrefix(d.Info().Arch, arch) {
		t.Fatalf("the device is no %s (%v)", arch, err)
	}
	half := tensor.CPU().Randn(tensor.F16, 1, 2, 70, 64)
	x := tensor.Randn(7, 300)
	for name, op := range map[string]struct {
		in *tensor.Tensor
		of func(x *tensor.Tensor) *tensor.Tensor
	}{
		"product":   {half, func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(x.Transpose(2, 3)) }},
		"attention": {half, func(x *tensor.Tensor) *tensor.Tensor { return nn.Attention(x, x, x, nn.Attend{}) }},
		"sums":      {x, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(1) }},
		"order":     {x, func(x *tensor.Tensor) *tensor.Tensor { return x.ArgSort(1, true) }},
	} {
		t.Run(name, func(t *testing.T) { compare(t, dev, op.in, op.of) })
	}
}

// emulated opens an emulated device of its own for a test, for which a compiler must be there.
func emulated(t *testing.T, index int) *tensor.Device {
	t.Helper()
	for k, v := range map[string]string{"GOROCM_EMULATE": "1", "GOROCM_REQUIRE_GPU": "", "GOROCM_EMULATED_DEVICES": "8"} {
		t.Setenv(k, v)
	}
	name := fmt.Sprintf("rocm:%d", index)
	dev, err := tensor.NewDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := rocm.Open(name)
	if err != nil || !d.CanCompile() {
		t.Skipf("no compiler (%v)", err)
	}
	if arch, cores := d.Info().Arch, strings.TrimPrefix(os.Getenv("GOROCM_EMULATED_CORES"), "gfx"); !strings.Contains(arch, cores) {
		t.Fatalf("%s is a %s, whose matrix cores are not those of gfx%s", name, arch, cores)
	}
	return dev
}

// compare compares what a device and the host compute of a tensor.
func compare(t *testing.T, dev *tensor.Device, in *tensor.Tensor, of func(x *tensor.Tensor) *tensor.Tensor) {
	t.Helper()
	want, got := of(in), of(in.ToDevice(dev)).ToDevice(tensor.CPU())
	w := want.Float64s()
	for i, g := range got.Float64s() { // f16 has eleven bits
		if d := math.Abs(g - w[i]); !(d <= 4e-3*max(1, math.Abs(w[i]))) {
			t.Fatalf("element %d is %v, want %v", i, g, w[i])
		}
	}
}
