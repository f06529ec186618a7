package devicetest_test

import (
	"flag"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

var kit = flag.Bool("kit", false, "run the whole conformance kit with races and unwritten memory checked; it takes minutes")

// checkedDevice is the emulated device, checking all that it can.
func checkedDevice(t *testing.T) (*tensor.Device, *rocm.Device) {
	t.Setenv("GOROCM_EMULATE", "1")
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	d, err := rocm.Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SetChecks(rocm.Checks{Races: true, Init: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.SetChecks(rocm.Checks{}) }) // it has checked before
	return dev, d
}

// TestShippedKernels runs kernels of every kind that uses shared memory, lanes of other waves or atomic operations, in blocks of several waves, with
// races and unwritten memory checked. With -kit, all kernels run, on all types and layouts.
func TestShippedKernels(t *testing.T) {
	thorough.Slow(t)
	dev, d := checkedDevice(t)
	if *kit {
		devicetest.Run(t, dev)
		return
	}
	if err := d.StartProfile(); err != nil {
		t.Fatal(err)
	}
	random := func(shape ...int) *tensor.Tensor { return dev.Randn(tensor.F32, shape...) }
	x, wide, image := random(70, 300), random(3, 2100), random(1, 3, 20, 21)
	ids := dev.Rand(tensor.F32, 90).Mul(69.9).To(tensor.U32)
	places := dev.Rand(tensor.F32, 40, 300).Mul(69.9).To(tensor.I64)
	for name, run := range map[string]func() *tensor.Tensor{
		"sum":         func() *tensor.Tensor { return x.Sum(1).Add(x.Sum(0).Sum(0)) },
		"sum of all":  func() *tensor.Tensor { return wide.Sum() },
		"max":         func() *tensor.Tensor { return wide.Max(1) },
		"argmax":      func() *tensor.Tensor { return x.ArgMax(0) },
		"var":         func() *tensor.Tensor { return wide.Var(1) },
		"softmax":     func() *tensor.Tensor { return wide.Softmax(1) },
		"softmax 0":   func() *tensor.Tensor { return x.Softmax(0) },
		"logsumexp":   func() *tensor.Tensor { return x.LogSumExp(1) },
		"layer norm":  func() *tensor.Tensor { return x.LayerNorm(random(300), random(300), 1e-5) },
		"matmul":      func() *tensor.Tensor { return x.MatMul(random(300, 65)) },
		"batches":     func() *tensor.Tensor { return random(3, 33, 40).MatMul(random(3, 40, 35)) },
		"product f16": func() *tensor.Tensor { return x.To(tensor.F16).MatMul(random(300, 65).To(tensor.F16)) },
		"transpose":   func() *tensor.Tensor { return x.T().Contiguous() },
		"bytes":       func() *tensor.Tensor { return x.To(tensor.U8).T().Contiguous() },
		"cumsum":      func() *tensor.Tensor { return wide.CumSum(1) },
		"argsort":     func() *tensor.Tensor { return x.ArgSort(1, true) },
		"long sort":   func() *tensor.Tensor { return wide.ArgSort(1, false) },
		"select":      func() *tensor.Tensor { return x.IndexSelect(ids, 0) },
		"gather":      func() *tensor.Tensor { return x.Gather(places, 0) },
		"scatter add": func() *tensor.Tensor { return x.ScatterAdd(places, random(40, 300), 0) },
		"index add":   func() *tensor.Tensor { return x.IndexAdd(ids, random(90, 300), 0) },
		"conv":        func() *tensor.Tensor { return image.Conv2d(random(8, 3, 3, 3), 1, 1, 1, 1) },
		"pool":        func() *tensor.Tensor { return image.MaxPool2dWithStride(3, 3, 2, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%v", r)
				}
			}()
			run()
			if err := d.Synchronize(); err != nil {
				t.Error(err)
			}
		})
	}
	list, err := d.StopProfile()
	if err != nil || len(list) < 20 {
		t.Errorf("%d kernels ran (%v)", len(list), err)
	}
	shared := 0
	for _, p := range list {
		if p.LDSWritten > 0 && p.Waves > p.Blocks {
			shared++
		}
	}
	if shared < 10 {
		t.Errorf("%d kernels used shared memory in blocks of several waves", shared)
	}
	t.Logf("%d kernels, %d of them with shared memory", len(list), shared)
}
