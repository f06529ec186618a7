package gpu_test

import (
	"reflect"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// backendOf is what computes on a GPU, or an emulated one.
func backendOf(dev *tensor.Device) *gpu.Backend { return access.Backend(dev).(*gpu.Backend) }

// operandOf is a tensor as backends see it, with its elements in memory.
func operandOf(t *testing.T, x *tensor.Tensor) backend.Operand {
	t.Helper()
	o := access.Operand(x)
	if err := o.Store.Materialize(); err != nil {
		t.Fatal(err)
	}
	return o
}

// call calls the method that a row of the op table names.
func call(x *tensor.Tensor, method string, args ...any) *tensor.Tensor {
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
	}
	return reflect.ValueOf(x).MethodByName(method).Call(in)[0].Interface().(*tensor.Tensor)
}

// onGPUs is devicetest.OnGPUs. Packages over this one are compiled once more for its tests, those that nothing here
// imports are not.
func onGPUs(t *testing.T, f func(t *testing.T, dev *tensor.Device, d *rocm.Device)) {
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := tensor.NewDevice(spec)
			if err != nil {
				t.Skip(err)
			}
			d, err := rocm.Open(dev.Location())
			if err != nil {
				t.Fatal(err)
			}
			f(t, dev, d)
		})
	}
}
