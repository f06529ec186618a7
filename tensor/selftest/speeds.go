package selftest

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// leastTime is how long a measurement goes on at least.
const leastTime = 150 * time.Millisecond

// speeds measures a device on sizes that suit it, and tells each result.
type speeds struct {
	dev     *tensor.Device
	gpu     *rocm.Device // whose group is measured; may be nil
	ownOnly bool         // only what libraries do
	tell    func(event)
}

func (s speeds) run() error {
	_, err := tensor.Try(func() *tensor.Tensor {
		if !s.ownOnly {
			s.moves()
		}
		s.products()
		s.convolutions()
		return nil
	})
	if err != nil || s.ownOnly || s.gpu == nil {
		return err
	}
	return s.group()
}

// moves measures what memory limits.
func (s speeds) moves() {
	n := 64 << 20
	switch {
	case s.dev.IsCPU():
		n = 4 << 20
	case s.dev.Emulated():
		n = 1 << 18
	}
	dev, bytes := s.dev, 4*float64(n)
	x, y := dev.Rand(tensor.F32, n), dev.Rand(tensor.F32, n)
	host := make([]float32, min(n, 16<<20))
	rate := func(name, of string, bytes float64, f func() *tensor.Tensor) {
		s.tell(event{Speed: &Speed{Name: name, Value: bytes / best(dev, f) / 1e9, Unit: "GB/s", Of: of}})
	}
	rate("copy f32", ofMemory, 2*bytes, func() *tensor.Tensor { return x.Copy() })
	rate("add f32", ofMemory, 3*bytes, func() *tensor.Tensor { return x.Add(y) })
	rate("gelu f32", ofMemory, 2*bytes, func() *tensor.Tensor { return x.Gelu() })
	rate("sum f32", ofMemory, bytes, func() *tensor.Tensor { return x.Sum() })
	rows := x.Reshape(n/1024, 1024)
	rate("softmax of rows of 1024, f32", ofMemory, 2*bytes, func() *tensor.Tensor { return rows.Softmax(1) })
	if !dev.IsCPU() {
		moved := 4 * float64(len(host))
		rate("host to device", "", moved, func() *tensor.Tensor { return dev.FromSlice(host, len(host)) })
		part := x.Narrow(0, 0, len(host))
		rate("device to host", "", moved, func() *tensor.Tensor { tensor.ToVec1[float32](part); return nil })
	}
	little := dev.Ones(tensor.F32, 16)
	const many = 100
	s.tell(event{Speed: &Speed{Name: "add of 16 elements, one after the other", Unit: "µs",
		Value: best(dev, func() *tensor.Tensor {
			for range many {
				compute(little.Add(little))
			}
			return nil
		}) / many * 1e6}})
}

// flops tells the speed of f, which takes so many operations and which a library may do.
func (s speeds) flops(name, of string, flops float64, f func() *tensor.Tensor) {
	s.tell(event{Speed: &Speed{Name: name, Value: flops / best(s.dev, f) / 1e9, Unit: "GFLOP/s", Of: of},
		Library: !s.dev.IsCPU() && !s.dev.Emulated()})
}

func (s speeds) products() {
	side := 4096
	switch {
	case s.dev.IsCPU():
		side = 512
	case s.dev.Emulated():
		side = 128
	}
	for _, c := range []struct {
		dt tensor.DType
		of string
	}{{tensor.F32, ofSingle}, {tensor.F16, ofHalf}, {tensor.BF16, ofHalf}} {
		a := s.dev.Rand(c.dt, side, side)
		n := float64(side)
		s.flops("matmul "+c.dt.String(), c.of, 2*n*n*n, func() *tensor.Tensor { return a.MatMul(a) })
	}
}

// convolutions are those of ResNet's blocks: 3×3 over images of 56×56 with 64 channels.
func (s speeds) convolutions() {
	images, channels, side := 32, 64, 56
	switch {
	case s.dev.IsCPU():
		images = 1
	case s.dev.Emulated():
		images, channels, side = 1, 16, 14
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F16} {
		x := s.dev.Rand(dt, images, channels, side, side)
		w := s.dev.Rand(dt, channels, channels, 3, 3)
		n := float64(images) * float64(side) * float64(side) * float64(channels) * float64(channels) * 9
		s.flops("convolution of 3×3, "+dt.String(), "", 2*n, func() *tensor.Tensor { return x.Conv2d(w, 1, 1, 1, 1) })
	}
}

// group measures the sum over all GPUs of the kind, if there are several: the bytes that each must send and receive in
// a second, whatever the algorithm.
func (s speeds) group() error {
	members, err := groupOf(s.gpu)
	if err != nil || len(members) < 2 {
		return err
	}
	g, err := rocm.NewGroup(members...)
	if err != nil {
		return err
	}
	n := 16 << 20
	if s.gpu.Emulated() {
		n = 1 << 16
	}
	var at []rocm.Place
	for _, m := range members {
		b, err := m.Alloc(4 * n)
		if err != nil {
			return err
		}
		if err := b.Upload(0, make([]byte, 4*n)); err != nil {
			return err
		}
		at = append(at, rocm.Place{Buffer: b})
	}
	least := time.Hour
	for begin := time.Now(); time.Since(begin) < leastTime; {
		start := time.Now()
		err := g.AllReduce(rocm.Sum, "f32", n, at, at)
		for _, m := range members {
			err = errors.Join(err, m.Synchronize())
		}
		if err != nil {
			return err
		}
		least = min(least, time.Since(start))
	}
	moved := 2 * float64(len(members)-1) / float64(len(members)) * 4 * float64(n)
	by := g.Library().Name
	if by == "" {
		by = "copies"
	}
	s.tell(event{Speed: &Speed{Name: fmt.Sprintf("sum over %d GPUs by %s", len(members), by),
		Value: moved / least.Seconds() / 1e9, Unit: "GB/s"}})
	return g.Close()
}

// best is the shortest time of f in seconds, in which its result is computed.
func best(dev *tensor.Device, f func() *tensor.Tensor) float64 {
	run := func() {
		t := f()
		compute(t) // loads or compiles the kernels
		dev.Synchronize()
		runtime.KeepAlive(t) // deferred operations are not computed for nobody
	}
	run()
	least := time.Hour
	for begin := time.Now(); time.Since(begin) < leastTime; {
		start := time.Now()
		run()
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
