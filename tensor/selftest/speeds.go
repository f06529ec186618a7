package selftest

import (
	"time"

	"github.com/gorocm/gorocm/tensor"
)

// leastTime is how long a measurement goes on at least.
const leastTime = 150 * time.Millisecond

// measureSpeeds times a few operations, on sizes that suit the device, and reports each.
func measureSpeeds(dev *tensor.Device, tell func(Speed)) error {
	n, side := 64<<20, 4096 // elements of a vector, rows of a matrix
	switch {
	case dev.IsCPU():
		n, side = 4<<20, 512
	case dev.Emulated():
		n, side = 1<<18, 128
	}
	_, err := tensor.Try(func() *tensor.Tensor {
		x, y := dev.Rand(tensor.F32, n), dev.Rand(tensor.F32, n)
		bytes := 4 * float64(n)
		host := make([]float32, min(n, 16<<20))
		rate := func(name string, bytes float64, f func() *tensor.Tensor) {
			tell(Speed{name, bytes / best(dev, f) / 1e9, "GB/s"})
		}
		rate("copy f32", 2*bytes, func() *tensor.Tensor { return x.Copy() })
		rate("add f32", 3*bytes, func() *tensor.Tensor { return x.Add(y) })
		rate("gelu f32", 2*bytes, func() *tensor.Tensor { return x.Gelu() })
		rate("sum f32", bytes, func() *tensor.Tensor { return x.Sum() })
		rows := x.Reshape(n/1024, 1024)
		rate("softmax of rows of 1024, f32", 2*bytes, func() *tensor.Tensor { return rows.Softmax(1) })
		if !dev.IsCPU() {
			moved := 4 * float64(len(host))
			rate("host to device", moved,
				func() *tensor.Tensor { return dev.FromSlice(host, len(host)) })
			part := x.Narrow(0, 0, len(host))
			rate("device to host", moved, func() *tensor.Tensor { tensor.ToVec1[float32](part); return nil })
		}
		for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
			a := dev.Rand(dt, side, side)
			flops := 2 * float64(side) * float64(side) * float64(side)
			tell(Speed{"matmul " + dt.String(), flops / best(dev, func() *tensor.Tensor { return a.MatMul(a) }) / 1e9,
				"GFLOP/s"})
		}
		little := dev.Ones(tensor.F32, 16)
		const many = 100
		tell(Speed{"add of 16 elements, one after the other", best(dev, func() *tensor.Tensor {
			for range many {
				compute(little.Add(little))
			}
			return nil
		}) / many * 1e6, "µs"})
		return x
	})
	return err
}

// best is the shortest time of f in seconds, in which its result is computed.
func best(dev *tensor.Device, f func() *tensor.Tensor) float64 {
	compute(f()) // loads or compiles the kernels
	dev.Synchronize()
	least := time.Hour
	for begin := time.Now(); time.Since(begin) < leastTime; {
		start := time.Now()
		compute(f())
		dev.Synchronize()
		least = min(least, time.Since(start))
	}
	return max(least.Seconds(), 1e-9)
}

// compute has a result on a GPU computed. Elementwise operations are deferred, and one whose result is collected is
// never launched.
func compute(t *tensor.Tensor) {
	if t != nil && !t.Device().IsCPU() {
		t.Buffer()
	}
}
