package gradients

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Softmax returns the gradient of the operand of Softmax, or of LogSoftmax, from the results y, rows of cols elements,
// and their gradient.
func Softmax(b Launcher, y, grad backend.Operand, rows, cols int, log bool) (backend.Storage, error) {
	out, err := b.Alloc(rows * cols * y.DType.Size())
	if err != nil {
		return nil, err
	}
	name := "softmax_gradient_"
	if log {
		name = "logsoftmax_gradient_"
	}
	p := kernels.RowGradient{Rows: int64(rows), Cols: int64(cols)}
	args := pointer(pointer(rocm.NewArgs(), y), grad).Buffer(buffer(out), 0).Struct(&p)
	const pack = 8
	return out, b.Launch(name+y.DType.String(), rowBlocks(rows, (cols+pack-1)/pack), args)
}
