package tensor_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// onDevices runs a benchmark on the CPU and on the GPUs of this machine; an emulated one says nothing about speed.
func onDevices(b *testing.B, f func(b *testing.B, random func(shape ...int) *tensor.Tensor)) {
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil || dev.Emulated() {
			continue
		}
		random := func(shape ...int) *tensor.Tensor { return dev.Randn(tensor.F32, shape...) }
		b.Run(spec, func(b *testing.B) { f(b, random) })
	}
}

// computed has the elements of a result on a GPU computed: nobody looks at them, and elementwise operations are
// deferred until somebody does.
func computed(t *tensor.Tensor) {
	if !t.Device().IsCPU() && t.IsContiguous() {
		t.Buffer()
	}
}

// measure times f, with one wait for the device at the end: launches are asynchronous.
func measure(b *testing.B, name string, bytes int, flops int64, f func() *tensor.Tensor) {
	b.Run(name, func(b *testing.B) {
		first := f()
		computed(first)
		dev := first.Device()
		dev.Synchronize()
		b.ReportAllocs()
		if bytes > 0 {
			b.SetBytes(int64(bytes))
		}
		for b.Loop() {
			computed(f())
		}
		dev.Synchronize()
		if flops > 0 {
			b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		for _, n := range []int{16, 1 << 20, 1 << 24} {
			x, y := random(n), random(n)
			measure(b, fmt.Sprint(n), 12*n, 0, func() *tensor.Tensor { return x.Add(y) })
		}
		x, y := random(1024, 1024), random(1024)
		measure(b, "row", 8<<20, 0, func() *tensor.Tensor { return x.Add(y) })
		measure(b, "number", 8<<20, 0, func() *tensor.Tensor { return x.Add(1) })
		measure(b, "transposed", 12<<20, 0, func() *tensor.Tensor { return x.Add(x.T()) })
	})
}

func BenchmarkExp(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(1 << 20)
		measure(b, "1048576", 8<<20, 0, x.Exp)
	})
}

func BenchmarkCopy(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(1024, 1024)
		measure(b, "dense", 8<<20, 0, x.Copy)
		measure(b, "transposed", 8<<20, 0, x.T().Copy)
	})
}

func BenchmarkMatMul(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		for _, n := range []int{8, 128, 512} {
			x, y := random(n, n), random(n, n)
			measure(b, fmt.Sprint(n), 0, 2*int64(n)*int64(n)*int64(n), func() *tensor.Tensor { return x.MatMul(y) })
		}
	})
}

func BenchmarkSoftmax(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(1024, 1024)
		measure(b, "rows", 8<<20, 0, func() *tensor.Tensor { return x.Softmax(1) })
		measure(b, "columns", 8<<20, 0, func() *tensor.Tensor { return x.Softmax(0) })
	})
}

func BenchmarkSum(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(1024, 1024)
		measure(b, "all", 4<<20, 0, func() *tensor.Tensor { return x.Sum() })
		measure(b, "rows", 4<<20, 0, func() *tensor.Tensor { return x.Sum(1) })
		measure(b, "columns", 4<<20, 0, func() *tensor.Tensor { return x.Sum(0) })
	})
}

func BenchmarkRandn(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		measure(b, "1048576", 4<<20, 0, func() *tensor.Tensor { return random(1 << 20) })
	})
}

func BenchmarkToVec(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(1024, 1024)
		measure(b, "ToVec2", 4<<20, 0, func() *tensor.Tensor { x.ToVec2(); return x })
		measure(b, "String", 0, 0, func() *tensor.Tensor { _ = x.String(); return x })
	})
}
