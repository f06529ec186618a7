package signal

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// operand is a signal as it is computed: its dim is the last one.
type operand struct {
	x    *tensor.Tensor
	dim  int
	dt   tensor.DType // of the result
	rank int
}

// along returns x in the type in which it is computed, with dim as the last one, and the way back.
func along(op string, x *tensor.Tensor, dim int) operand {
	extend.SameDevice(op, x)
	rank := x.Rank()
	if dim < -rank || dim >= rank {
		note := "x.Unsqueeze(0) is a signal of one element"
		if rank > 0 {
			note = fmt.Sprintf("dims are %d to %d; %d to -1 count from the end", 0, rank-1, -rank)
		}
		extend.ShapeNoting(op, []*tensor.Tensor{x}, note, "no dim %d in a tensor of shape %v", dim, x.Dims())
	}
	dt := x.DType()
	if !dt.IsFloat() && !dt.IsComplex() {
		dt = tensor.DefaultDType()
		x = x.ToDType(dt)
	}
	return operand{x: extend.Wide(x).Transpose(dim, -1), dim: dim, dt: dt, rank: rank}
}

// back returns a result with its dim in its place, in the type of results.
func (o operand) back(y *tensor.Tensor) *tensor.Tensor {
	return extend.Own(y.Transpose(o.dim, -1).ToDType(o.dt), o.x)
}

// n is the length of the signal.
func (o operand) n() int { return o.x.Dim(-1) }

// notComplex panics for complex signals.
func notComplex(op string, x *tensor.Tensor) {
	if x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x}, "x.Real() and x.Imag() are its parts",
			"the signal is complex: %v", x.DType())
	}
}

// vector returns Go numbers as a tensor of the type and on the device of x.
func vector(list []float64, x *tensor.Tensor) *tensor.Tensor {
	return x.Device().FromSlice(list, len(list)).ToDType(x.DType().Real())
}

// rows returns x [… n] as [count n], and the dims before the last one.
func rows(x *tensor.Tensor) (flat *tensor.Tensor, batch []int) {
	batch = x.Dims()[:x.Rank()-1]
	count := 1
	for _, n := range batch {
		count *= n
	}
	return x.Reshape(count, x.Dim(-1)), batch
}

// shaped returns the last dims of y below the dims of a batch.
func shaped(y *tensor.Tensor, batch []int) *tensor.Tensor {
	return y.Reshape(append(append([]int{}, batch...), y.Dim(-1))...)
}
