package gpu

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Copy writes in to out. Where both are one dense run it is a copy of memory, without a kernel.
func (b *Backend) Copy(in, out backend.Operand) error {
	if in.DType == kernels.C128 {
		in, out = in.Reals(), out.Reals()
	}
	in, out = inOrderOf(in, out)
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides, out.Layout.Strides)
	size := in.DType.Size()
	if m.IsContiguous() {
		if b.OnLaunch != nil {
			b.OnLaunch("copy without a kernel")
		}
		return buffer(out.Store).CopyFrom(out.Layout.Offset*size, buffer(in.Store), in.Layout.Offset*size,
			m.ElemCount()*size)
	}
	if len(m.Dims) > kernels.MaxDims {
		return copyParts(b, in, out)
	}
	n := m.ElemCount()
	args := pointer(pointer(rocm.NewArgs(), in), out).Struct(layout2(in, out)).U64(uint64(n))
	grid := blocks(n)
	grid[0] = min(grid[0], copyBlocks)
	return b.Launch("copy_"+bitsName(in.DType), grid, args)
}

// copyBlocks are enough for a large GPU: a block that transposes tiles takes many elements at a time.
const copyBlocks = 1 << 12

// inOrderOf permutes both operands to the order of out's strides, so that writes are dense along the last dim if
// along any.
func inOrderOf(in, out backend.Operand) (backend.Operand, backend.Operand) {
	order := make([]int, 0, len(out.Layout.Shape))
	for d, n := range out.Layout.Shape {
		if n != 1 {
			order = append(order, d)
		}
	}
	byStride := func(a, b int) int { return cmp.Compare(out.Layout.Strides[b], out.Layout.Strides[a]) }
	if !slices.IsSortedFunc(order, byStride) {
		slices.SortStableFunc(order, byStride)
		in.Layout, out.Layout = in.Layout.Permute(order), out.Layout.Permute(order)
	}
	return in, out
}

// copyParts copies operands of more dims than a kernel takes, one element of the first dim at a time.
func copyParts(b *Backend, in, out backend.Operand) error {
	for i := range in.Layout.Shape[0] {
		from := backend.Operand{Store: in.Store, DType: in.DType, Layout: in.Layout.Narrow(0, i, 1).DropDim(0)}
		to := backend.Operand{Store: out.Store, DType: out.DType, Layout: out.Layout.Narrow(0, i, 1).DropDim(0)}
		if err := b.Copy(from, to); err != nil {
			return err
		}
	}
	return nil
}
