package gradients

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// CrossEntropy are the operands of cross entropy: logits, rows at one stride of dense elements; targets of type U8, U32
// or I64, at one stride; and the weights of classes, in the compute type of the logits, or nil.
type CrossEntropy struct {
	Logits, Targets backend.Operand
	Weights         *backend.Operand
	Params          kernels.CrossEntropy
}

// computeType is the type of numbers in registers.
func computeType(dt kernels.DType) kernels.DType {
	if dt == kernels.F64 {
		return dt
	}
	return kernels.F32
}

func (c *CrossEntropy) grid() [3]int {
	const pack = 8
	return rowBlocks(int(c.Params.Rows), (int(c.Params.Classes)+pack-1)/pack)
}

// stateSize is the number of elements that the gradient needs of each row.
const stateSize = 4

// Each computes the losses of the rows, and what the gradient needs of each, both in the compute type. bad makes the
// error for a target that is not the number of a class.
func (c *CrossEntropy) Each(b Launcher, bad backend.IndexErrorFunc) (losses, states backend.Storage, err error) {
	size := int(c.Params.Rows) * computeType(c.Logits.DType).Size()
	if losses, err = b.Alloc(size); err != nil {
		return nil, nil, err
	}
	if states, err = b.Alloc(stateSize * size); err != nil {
		return nil, nil, err
	}
	args := optional(pointer(pointer(rocm.NewArgs(), c.Logits), c.Targets), c.Weights)
	args.Buffer(buffer(losses), 0).Buffer(buffer(states), 0).Struct(&c.Params)
	return losses, states, b.LaunchChecked("cross_entropy_"+c.Logits.DType.String(), c.grid(), args, c.Targets, bad)
}

// Total adds the losses of the rows, and divides them by the weights of their targets for a mean. The sum has the type
// of the logits; scale is the factor of the sum of the losses, in the compute type.
func (c *CrossEntropy) Total(
	b Launcher, losses, states backend.Storage, mean bool,
) (sum, scale backend.Storage, err error) {
	dt := c.Logits.DType
	if sum, err = b.Alloc(dt.Size()); err != nil {
		return nil, nil, err
	}
	if scale, err = b.Alloc(computeType(dt).Size()); err != nil {
		return nil, nil, err
	}
	args := rocm.NewArgs().Buffer(buffer(losses), 0).Buffer(buffer(states), 0).Buffer(buffer(sum), 0).
		Buffer(buffer(scale), 0).U64(uint64(c.Params.Rows))
	if mean {
		args.U64(1)
	} else {
		args.U64(0)
	}
	return sum, scale, b.Launch("cross_entropy_total_"+dt.String(), [3]int{1, 1, 1}, args)
}

// Gradient returns that of the logits, dense, from that of the losses, which has one element, or one for each row if
// scale, that of Total, is nil.
func (c *CrossEntropy) Gradient(
	b Launcher, states, scale backend.Storage, grad backend.Operand,
) (backend.Storage, error) {
	dt := c.Logits.DType
	out, err := b.Alloc(int(c.Params.Rows*c.Params.Classes) * dt.Size())
	if err != nil {
		return nil, err
	}
	args := optional(pointer(pointer(rocm.NewArgs(), c.Logits), c.Targets), c.Weights)
	args = pointer(args.Buffer(buffer(states), 0), grad)
	step := 0
	if scale == nil {
		args.U64(0)
		step = grad.Layout.Strides[0]
	} else {
		args.Buffer(buffer(scale), 0)
	}
	args.Buffer(buffer(out), 0).Struct(&c.Params).U64(uint64(step))
	return out, b.Launch("cross_entropy_gradient_"+dt.String(), c.grid(), args)
}
