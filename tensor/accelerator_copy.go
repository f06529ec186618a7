package tensor

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// copy writes in to out. What is one dense run in both is copied without a kernel.
func (a *accelerator) copy(in, out operand) error {
	in, out = inOrderOf(in, out)
	m := merge(in.layout.Shape, in.layout.Strides, out.layout.Strides)
	size := in.dtype.Size()
	if m.contiguous() {
		if a.launched != nil {
			a.launched("copy without a kernel")
		}
		return buffer(out.store).CopyFrom(out.layout.Offset*size, buffer(in.store), in.layout.Offset*size, m.count()*size)
	}
	if len(m.dims) > kernels.MaxDims {
		return a.copyParts(in, out)
	}
	n := m.count()
	args := pointer(pointer(rocm.NewArgs(), in), out).Struct(layout2(in, out)).U64(uint64(n))
	grid := blocks(n)
	grid[0] = min(grid[0], copyBlocks)
	return a.launch("copy_"+sized(in.dtype), grid, args)
}

// copyBlocks are enough for a large GPU: a block that turns tiles takes many elements at a time.
const copyBlocks = 1 << 12

// inOrderOf puts the dims of both in the order of out's strides, so that what is written is dense along the last dim, if along any.
func inOrderOf(in, out operand) (operand, operand) {
	order := make([]int, 0, len(out.layout.Shape))
	for d, n := range out.layout.Shape {
		if n != 1 {
			order = append(order, d)
		}
	}
	byStride := func(a, b int) int { return cmp.Compare(out.layout.Strides[b], out.layout.Strides[a]) }
	if !slices.IsSortedFunc(order, byStride) {
		slices.SortStableFunc(order, byStride)
		in.layout, out.layout = in.layout.permute(order), out.layout.permute(order)
	}
	return in, out
}

// copyParts copies what has more dims than a kernel takes, along its first dim.
func (a *accelerator) copyParts(in, out operand) error {
	for i := range in.layout.Shape[0] {
		from := operand{in.store, in.dtype, in.layout.narrow(0, i, 1).drop(0)}
		to := operand{out.store, out.dtype, out.layout.narrow(0, i, 1).drop(0)}
		if err := a.copy(from, to); err != nil {
			return err
		}
	}
	return nil
}
