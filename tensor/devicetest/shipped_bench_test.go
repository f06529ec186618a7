//go:build unix

package devicetest_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// processorTime is what this process has used of its cores, which other programs on the machine hardly change.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// computed has the elements of a result computed, which may be deferred, and frees them.
func computed(t *tensor.Tensor) {
	t.Buffer()
	t.Free()
}

// BenchmarkShipped runs operations on tensors, and reports what the emulated GPU executes: lane instructions a second, on as many cores as GOMAXPROCS
// says, and on one core. The instructions are counted in a run of their own; launches are counted in all, so that no figure is of work that did not happen.
func BenchmarkShipped(b *testing.B) {
	b.Setenv("GOROCM_EMULATE", "1")
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		b.Fatal(err)
	}
	d, err := rocm.Open("rocm")
	if err != nil {
		b.Fatal(err)
	}
	random := func(dtype tensor.DType, shape ...int) *tensor.Tensor { return dev.Randn(dtype, shape...) }
	x, y, square := random(tensor.F32, 1024, 1024), random(tensor.F32, 1024, 1024), random(tensor.F32, 256, 256)
	half := random(tensor.F16, 256, 256)
	image, filters := random(tensor.F32, 1, 64, 56, 56), random(tensor.F32, 64, 64, 3, 3)
	gain, bias := random(tensor.F32, 1024), random(tensor.F32, 1024)
	for _, op := range []struct {
		name string
		run  func() *tensor.Tensor
	}{
		{"add", func() *tensor.Tensor { return x.Add(y) }},
		{"exp", func() *tensor.Tensor { return x.Exp() }},
		{"gelu", func() *tensor.Tensor { return x.Gelu() }},
		{"sum of rows", func() *tensor.Tensor { return x.Sum(1) }},
		{"softmax of rows", func() *tensor.Tensor { return x.Softmax(1) }},
		{"layer norm", func() *tensor.Tensor { return x.LayerNorm(gain, bias, 1e-5) }},
		{"matmul 256 f32", func() *tensor.Tensor { return square.MatMul(square) }},
		{"matmul 256 f16", func() *tensor.Tensor { return half.MatMul(half) }},
		{"conv 3x3, 64 channels of 56x56", func() *tensor.Tensor { return image.Conv2d(filters, 1, 1, 1, 1) }},
		{"transposed copy", func() *tensor.Tensor { return x.T().Contiguous() }},
		{"argsort of rows", func() *tensor.Tensor { return x.ArgSort(1, true) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			if err := d.StartProfile(); err != nil {
				b.Fatal(err)
			}
			computed(op.run())
			list, err := d.StopProfile()
			if err != nil {
				b.Fatal(err)
			}
			executed, launches := uint64(0), uint64(0)
			for i := range list {
				executed += list[i].Executed()
				launches += list[i].Launches
			}
			before, begin := d.Launches(), processorTime(b)
			for b.Loop() {
				computed(op.run())
			}
			if got, want := d.Launches()-before, launches*uint64(b.N); got != want || executed == 0 {
				b.Fatalf("%d launches in %d iterations, want %d: the time is not that of the work", got, b.N, want)
			}
			lanes := float64(executed) * 32 * float64(b.N) / 1e9
			b.ReportMetric(lanes/b.Elapsed().Seconds(), "Glane-inst/s")
			b.ReportMetric(lanes/(processorTime(b)-begin).Seconds(), "Glane-inst/core-s")
		})
	}
}
