package devicetest_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

func TestCPU(t *testing.T) { devicetest.RunSample(t, tensor.CPU()) }

func TestROCm(t *testing.T) { run(t, "rocm") }

func TestCUDA(t *testing.T) { run(t, "cuda") }

func run(t *testing.T, spec string) {
	dev, err := tensor.NewDevice(spec)
	if err != nil {
		t.Skipf("no %s device: %v", spec, err)
	}
	t.Log(dev.Info())
	if dev.Emulated() {
		devicetest.RunSample(t, dev)
	} else {
		devicetest.Run(t, dev)
	}
}
