package optim

import (
	"fmt"
	"iter"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// table is the part of a batch that a launch takes.
type table []row

// tables returns the tables of a batch.
func (b *batch) tables() iter.Seq[table] {
	return func(yield func(table) bool) {
		for at := 0; at < len(b.rows); at += kernels.OptimTensors {
			if !yield(b.rows[at:min(at+kernels.OptimTensors, len(b.rows))]) {
				return
			}
		}
	}
}

func chunks(n int) int { return (n + kernels.OptimChunk - 1) / kernels.OptimChunk }

// blocks is the number of chunks of all rows, one for each block.
func (t table) blocks() (n int) {
	for _, r := range t {
		n += chunks(r.n)
	}
	return n
}

// add adds the struct Tensors of optim.hip.
func (t table) add(args *rocm.Args) {
	args.U64(uint64(len(t)))
	for i := range kernels.OptimTensors {
		n := 0
		if i < len(t) {
			n = t[i].n
		}
		args.U64(uint64(n))
	}
	for column := range columnCount {
		for i := range kernels.OptimTensors {
			if i < len(t) && t[i].at[column].Store != nil {
				pointer(args, t[i].at[column])
			} else {
				args.U64(0)
			}
		}
	}
	end := 0
	for i := range kernels.OptimTensors {
		if i < len(t) {
			end += chunks(t[i].n)
		}
		args.U32(uint32(end))
	}
}

func pointer(args *rocm.Args, o backend.Operand) *rocm.Args {
	return args.Buffer(o.Store.(backend.DeviceMemory).DeviceBuffer(), o.Layout.Offset*o.DType.Size())
}

// optional adds the address of a tensor, or 0 for nil.
func optional(args *rocm.Args, op string, t *tensor.Tensor) *rocm.Args {
	if t == nil {
		return args.U64(0)
	}
	return pointer(args, extend.InMemory(op, t))
}

// rows adds the address of a row of a matrix, which is written to from there on.
func rows(args *rocm.Args, op string, t *tensor.Tensor, first int) {
	o := extend.Written(op, t)
	o.Layout.Offset += first * t.Dim(1)
	pointer(args, o)
}

// launch runs a kernel of optim.hip for a type.
func launch(op string, dev *tensor.Device, kernel string, dt tensor.DType, blocks int, fill func(args *rocm.Args)) {
	launchKernel(op, dev, fmt.Sprintf("%s_%v", kernel, dt), blocks, fill)
}

func launchKernel(op string, dev *tensor.Device, kernel string, blocks int, fill func(args *rocm.Args)) {
	const maxBlocks = 1 << 20
	args := rocm.NewArgs()
	fill(args)
	extend.Check(op, dev, extend.Backend(dev).(backend.Launcher).Launch(kernel, [3]int{min(blocks, maxBlocks), 1, 1},
		args))
}
