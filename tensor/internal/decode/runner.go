package decode

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

const (
	block  = 256 // threads
	lanes  = 32  // threads that share a pair of rows, at most
	access = 16  // bytes that kernels load at a time

	// Blocks of a multiprocessor that run together, as in linear.hip.
	denseTogether, packedTogether = 4, 3
)

// runner launches kernels on the GPU of a backend.
type runner struct {
	backend.Launcher
	dev *rocm.Device
}

// on returns the runner of a device, and false for one that is not a GPU.
func on(d *tensor.Device) (runner, bool) {
	b := extend.Backend(d)
	g, gpu := b.(backend.GPU)
	l, launches := b.(backend.Launcher)
	if !gpu || !launches {
		return runner{}, false
	}
	return runner{l, g.Device()}, true
}

// dense reports whether a tensor is one dense stretch of memory that is aligned for kernels, and has no gradient.
func dense(t *tensor.Tensor) bool {
	o := extend.Operand(t)
	return o.Layout.IsContiguous() && o.Layout.Offset*o.DType.Size()%access == 0 && !extend.Tracked(t)
}

// pointer adds the address of a tensor's first element to arguments, or null for nil.
func pointer(op string, args *rocm.Args, t *tensor.Tensor) *rocm.Args {
	if t == nil {
		return args.U64(0)
	}
	o := extend.InMemory(op, t)
	return args.Buffer(o.Store.(backend.DeviceMemory).DeviceBuffer(), o.Layout.Offset*o.DType.Size())
}

func launch(op string, r runner, d *tensor.Device, kernel string, grid int, args *rocm.Args) {
	extend.Check(op, d, r.Launch(kernel, [3]int{grid, 1, 1}, args))
}

// kernelOf is the name of a kernel for a type or a format.
func kernelOf(name string, of any) string { return fmt.Sprintf("%s_%v", name, of) }
