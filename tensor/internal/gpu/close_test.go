package gpu_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestReductionClosesChain: a chain and the reduction of its result are one kernel, with the bits of the operations one
// by one, however rows lie.
func TestReductionClosesChain(t *testing.T) {
	for _, kind := range []string{"rocm", "cuda"} {
		t.Run(kind, func(t *testing.T) {
			dev, launched := fusingOn(t, kind, gpu.FuseWait)
			testReductionClosesChain(t, dev, launched)
		})
	}
}

func testReductionClosesChain(t *testing.T, dev *tensor.Device, launched *[]string) {
	a := backendOf(dev)
	special := a.Specializes()
	x, y := dev.Randn(tensor.F32, 40, 96), dev.Randn(tensor.F32, 40, 96)
	mean, row := x.MeanKeepDim(-1), dev.Randn(tensor.F32, 96)
	half, double, long := x.ToDType(tensor.F16), x.ToDType(tensor.F64),
		dev.Randn(tensor.F32, 3, 1<<15)
	cube := dev.Randn(tensor.F32, 6, 5, 32)
	ten := dev.Randn(tensor.F32, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	dev.Synchronize()
	tests := []struct {
		name string
		f    func() *tensor.Tensor
		want []string
	}{
		{"error", func() *tensor.Tensor { return x.Sub(y).Sqr().Mean(-1) }, []string{"fused_sub_sqr_mean"}},
		{"one operation", func() *tensor.Tensor { return x.Exp().Sum(-1) }, []string{"fused_exp_sum"}},
		{"a column", func() *tensor.Tensor { return x.Sub(mean).Sqr().Sum(-1) }, []string{"fused_sub_sqr_sum"}},
		{"a row", func() *tensor.Tensor { return x.Add(row).Relu().Max(-1) }, []string{"fused_add_relu_max"}},
		{"a position", func() *tensor.Tensor { return x.Add(row).Mul(mean).ArgMax(-1) },
			[]string{"fused_add_mul_argmax"}},
		{"not in packs", func() *tensor.Tensor { return x.Narrow(1, 1, 93).Sub(mean).Min(1) },
			[]string{"fused_sub_min"}},
		{"an input not in packs", func() *tensor.Tensor {
			return x.T().Mul(cube.Narrow(2, 1, 4).Reshape(120).Narrow(0, 0, 40)).Sum(-1)
		}, nil},
		{"side by side", func() *tensor.Tensor { return x.Sub(mean).Add(row).Sum(0) }, []string{"fused_sub_add_sum"}},
		{"side by side, not in packs", func() *tensor.Tensor { return x.Narrow(1, 1, 93).Sub(mean).Mean(0) },
			[]string{"fused_sub_mean"}},
		{"in the middle", func() *tensor.Tensor { return cube.Abs().Log().Sum(1) }, []string{"fused_abs_log_sum"}},
		{"two dims", func() *tensor.Tensor { return cube.Neg().Exp().Sum(0, 2) }, []string{"fused_neg_exp", "sum_f32"}},
		// copied by several kernels
		{"every other dim of ten", func() *tensor.Tensor { return ten.Neg().Sqr().Sum(0, 2, 4, 6, 8) }, nil},
		{"all", func() *tensor.Tensor { return x.Sub(mean).Sqr().Sum() }, []string{"fused_sub_sqr_sum"}},
		{"a transposed result", func() *tensor.Tensor { return x.Sub(mean).T().Max() }, []string{"fused_sub_max"}},
		{"counting", func() *tensor.Tensor { return x.Gt(mean).ToDType(tensor.I64).Sum() },
			[]string{"fused_gt_i64_sum"}},
		{"bytes of doubles", func() *tensor.Tensor { return double.Gt(0).Sum(-1) }, []string{"fused_gt_sum"}},
		{"f16", func() *tensor.Tensor { return half.Mul(2).Sub(half).Mean(-1) }, []string{"fused_mul_sub_mean"}},
		{"f16 as f32", func() *tensor.Tensor { return half.Norm() }, []string{"fused_f32_sqr_sum", "fused_sqrt_f16"}},
		{"parts", func() *tensor.Tensor { return long.Sqr().Sub(long).Sum(-1) }, []string{"fused_sqr_sub_sum"}},
		{"means of parts", func() *tensor.Tensor { return long.Sub(1).Sqr().Mean() },
			[]string{"fused_sub_sqr_mean"}},
		{"a position in parts", func() *tensor.Tensor { return long.Sqr().Neg().ArgMin(-1) },
			[]string{"fused_sqr_neg_argmin"}},
		{"part of a result", func() *tensor.Tensor { return x.Exp().Narrow(0, 0, 20).Sum(-1) },
			[]string{"exp_f32", "sum_f32"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a.FuseAs(gpu.FuseWait)
			a.Specialize(special)
			test.f() // the numbers are there
			*launched = nil
			got := test.f().Float64s()
			if test.want != nil && !special {
				expectLaunches(t, launched, test.want...)
			}
			a.FuseAs(gpu.FuseNever)
			a.Specialize(false)
			if want := test.f().Float64s(); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	a.FuseAs(gpu.FuseWait)
	a.Specialize(special)
	if err := a.FusionError(); err != nil {
		t.Error(err)
	}
}

// TestLongChainsOfFewRows: what is much work is not given to a few blocks.
func TestLongChainsOfFewRows(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	long := func(rows int) {
		x := dev.Zeros(tensor.F32, rows, 256)
		y := x.Add(1).Sqr().Add(1).Sqr().Add(1)
		*launched = nil
		y.Sum(-1)
	}
	long(8)
	expectLaunches(t, launched, "fused_add_sqr_add_sqr_add", "sum_f32")
	long(2 * gpu.BusyEnough * gpu.Block / 64)
	expectLaunches(t, launched, "fused_add_sqr_add_sqr_add_sum")
}

// TestReductionsOfEveryType closes chains of every type, by two reductions each.
func TestReductionsOfEveryType(t *testing.T) {
	thorough.Slow(t)
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	for i, dt := range kernels.Numbers {
		x := dev.Randn(tensor.F32, 3, 16).Mul(30).Abs().Clamp(0, 100).ToDType(dt)
		y := x.Copy()
		dev.Synchronize()
		for _, k := range []int{i, i + 3} {
			op := kernels.Reduce[k%len(kernels.Reduce)]
			if !slices.Contains(op.Kernels(), dt) {
				continue
			}
			f := func() []float64 {
				return access.Reduce(x.Add(y), op.Name, []int{1},
					false).(*tensor.Tensor).Float64s()
			}
			a.FuseAs(gpu.FuseWait)
			*launched = nil
			got := f()
			expectLaunches(t, launched, "fused_add_"+op.Name)
			a.FuseAs(gpu.FuseNever)
			if want := f(); !slices.Equal(got, want) {
				t.Errorf("%s of %v: got %v, want %v", op.Name, dt, got, want)
			}
		}
	}
}

// TestClosedChainUsedElsewhere: what was reduced is computed again for others, and kept for those that come often.
func TestClosedChainUsedElsewhere(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	y := x.Add(1).Sqr()
	*launched = nil
	numbersAre(t, y.Sum(), 30)
	expectLaunches(t, launched, "fused_add_sqr_sum")
	numbersAre(t, y.Neg(), -1, -4, -9, -16)
	expectLaunches(t, launched, "fused_add_sqr_neg")
	numbersAre(t, y.Max(), 16)
	numbersAre(t, y.Min(), 1)
	expectLaunches(t, launched, "fused_add_sqr", "max_f32", "min_f32")

	z := x.Add(1).Sqr()
	numbersAre(t, z.Sum(), 30)
	*launched = nil
	dev.Synchronize() // z is somebody's, but likely wanted by nobody
	expectLaunches(t, launched)
	x.ConstSet(7)
	expectLaunches(t, launched, "fill_b32")
	numbersAre(t, z, 1, 4, 9, 16)
}

// TestClosedChainFreed: a result that only a reduction was made of takes no memory, and does not keep what it was made
// of once it is freed.
func TestClosedChainFreed(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	y := x.Sqr()
	sum := y.Sum()
	y.Free()
	*launched = nil
	x.Free()
	expectLaunches(t, launched)
	numbersAre(t, sum, 14)
	if err := gpu.BufferOf(access.Operand(x).Store).Download(make([]byte, 16), 0); err == nil {
		t.Error("the memory of x is still there")
	}
	runtime.KeepAlive(y)
}

// TestClosedLater: the operations run one by one until the kernel with the reduction is compiled, which another process
// finds on the disk.
func TestClosedLater(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_CACHE", t.TempDir())
	dev, launched := fusing(t, gpu.FuseLater)
	a := backendOf(dev)
	x := dev.Arange(tensor.F32, 4)
	sum := func() { numbersAre(t, x.Sqr().Abs().Sqr().Sum(), 98) }
	for range gpu.OftenMet {
		*launched = nil
		sum()
		expectLaunches(t, launched, "sqr_f32", "abs_f32", "sqr_f32", "sum_f32")
	}
	for compiling := true; compiling; time.Sleep(time.Millisecond) {
		compiling = a.Compiling()
	}
	if _, n, _ := a.Fused(); n != 1 {
		t.Errorf("%d kernels were compiled, want one alone", n)
	}
	sum()
	expectLaunches(t, launched, "fused_sqr_abs_sqr_sum")

	again, launched := fusing(t, gpu.FuseLater)
	x = again.Arange(tensor.F32, 4)
	*launched = nil
	sum()
	expectLaunches(t, launched, "fused_sqr_abs_sqr_sum")
}

// TestReductionInCapture: what was put off before a capture is computed before it, and in it reductions have their own
// kernels.
func TestReductionInCapture(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x := dev.Arange(tensor.F32, 4)
	before := x.Add(1)
	var y *tensor.Tensor
	g, err := a.Device().Capture(func() {
		*launched = nil
		y = before.Sqr().Sum()
		expectLaunches(t, launched, "sqr_f32", "sum_f32")
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []float64{30, 100} {
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		numbersAre(t, y, want)
		before.ConstSet(5)
	}
}

// TestClosedInProfile: a profile names the kernel after the operations and the reduction.
func TestClosedInProfile(t *testing.T) {
	dev, _ := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x, y := dev.Randn(tensor.F32, 64, 64), dev.Randn(tensor.F32, 64, 64)
	if err := a.Device().StartProfile(); err != nil {
		t.Fatal(err)
	}
	x.Sub(y).Sqr().Mean(-1)
	list, err := a.Device().StopProfile()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range list {
		names = append(names, fmt.Sprint(k.Launches, " ", k.Kernel))
	}
	if !slices.Equal(names, []string{"1 fused_sub_sqr_mean"}) {
		t.Errorf("profile of %v", names)
	}
}
