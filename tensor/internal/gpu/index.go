package gpu

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b *Backend) IndexSelect(
	ids, in backend.Operand, left, size, count, right int, bad backend.IndexErrorFunc,
) (backend.Storage, error) {
	s, err := b.Alloc(left * count * right * in.DType.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(pointer(rocm.NewArgs(), ids), in).Buffer(buffer(s), 0).I64(int64(ids.Layout.Strides[0])).
		U64(uint64(left)).U64(uint64(size)).U64(uint64(count)).U64(uint64(right))
	kernel := fmt.Sprintf("index_select_%v_%s", ids.DType, bitsName(in.DType))
	grid := blocks(left * count * right)
	if wide, at := right*in.DType.Size(), in.Layout.Offset*in.DType.Size(); wide%16 == 0 { // in packs
		packs := wide / 16
		grid = blocks(left * count * packs)
		// a block takes so many packs of each of so many rows; index.hip has the same numbers
		const piece, rows = block / 2, 4
		if packs >= piece && (int(buffer(in.Store).Ptr())+at)%16 == 0 && int64(left*count*packs) < 1<<31 {
			grid = [3]int{(left*count + rows - 1) / rows, min((packs+piece-1)/piece, 1<<15), 1}
		}
	}
	return s, b.LaunchChecked(kernel, grid, args, ids, bad)
}

func (b *Backend) Gather(ids, in backend.Operand, dim int, bad backend.IndexErrorFunc) (backend.Storage, error) {
	n := ids.Layout.ElemCount()
	s, err := b.Alloc(n * in.DType.Size())
	if err != nil {
		return nil, err
	}
	still := func() backend.Operand { // in, in the shape of ids, with stride 0 along dim
		strides := slices.Clone(in.Layout.Strides)
		strides[dim] = 0
		return backend.Operand{Store: in.Store, DType: in.DType,
			Layout: backend.Layout{Shape: ids.Layout.Shape, Strides: strides, Offset: in.Layout.Offset}}
	}
	if tooManyDims(ids.Layout.Shape, ids.Layout.Strides, still().Layout.Strides) {
		if ids, err = b.makeDense(ids); err != nil {
			return nil, err
		}
		if in, err = b.makeDense(in); err != nil {
			return nil, err
		}
		if v := still(); tooManyDims(ids.Layout.Shape, ids.Layout.Strides, v.Layout.Strides) {
			return nil, dimsError(ids.Layout.Shape)
		}
	}
	v := still()
	args := pointer(pointer(rocm.NewArgs(), ids), v).Buffer(buffer(s), 0).Struct(layout2(ids, v)).
		U64(uint64(n)).U64(uint64(in.Layout.Shape[dim])).I64(int64(in.Layout.Strides[dim]))
	return s, b.LaunchChecked(fmt.Sprintf("gather_%v_%s", ids.DType, bitsName(in.DType)), blocks(n), args, ids, bad)
}

func tooManyDims(shape []int, strides ...[]int) bool {
	return len(backend.Coalesce(shape, strides...).Dims) > kernels.MaxDims
}

func dimsError(shape []int) error {
	return &backend.ShapeError{Shape: shape,
		Message: fmt.Sprintf("shape %v has more dims than the %d that kernels take", shape, kernels.MaxDims)}
}
