package devicetest_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

func TestCPU(t *testing.T) { devicetest.Run(t, tensor.CPU()) }

func TestROCm(t *testing.T) { run(t, "rocm") }

func TestCUDA(t *testing.T) { run(t, "cuda") }

func run(t *testing.T, spec string) {
	dev, err := tensor.NewDevice(spec)
	if err != nil {
		t.Skipf("no %s device: %v", spec, err)
	}
	t.Log(dev.Info())
	devicetest.Run(t, dev)
}
