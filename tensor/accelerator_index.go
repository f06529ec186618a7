package tensor

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

func (a *accelerator) indexSelect(ids, in operand, left, size, count, right int, bad badID) (storage, error) {
	s, err := a.alloc(left * count * right * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(pointer(rocm.NewArgs(), ids), in).Buffer(buffer(s), 0).I64(int64(ids.layout.Strides[0])).
		U64(uint64(left)).U64(uint64(size)).U64(uint64(count)).U64(uint64(right))
	kernel := fmt.Sprintf("index_select_%v_%s", ids.dtype, sized(in.dtype))
	grid := blocks(left * count * right)
	if wide, at := right*in.dtype.Size(), in.layout.Offset*in.dtype.Size(); wide%16 == 0 { // in packs
		packs := wide / 16
		grid = blocks(left * count * packs)
		const piece, rows = block / 2, 4 // of each of so many rows; index.hip says the same
		if packs >= piece && (int(buffer(in.store).Ptr())+at)%16 == 0 && left*count*packs < 1<<31 {
			grid = [3]int{(left*count + rows - 1) / rows, min((packs+piece-1)/piece, 1<<15), 1}
		}
	}
	return s, a.launchChecked(kernel, grid, args, ids, bad)
}

func (a *accelerator) gather(ids, in operand, dim int, bad badID) (storage, error) {
	n := ids.layout.ElemCount()
	s, err := a.alloc(n * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	still := func() operand { // in, in the shape of ids, with stride 0 along dim
		strides := slices.Clone(in.layout.Strides)
		strides[dim] = 0
		return operand{in.store, in.dtype, strided{ids.layout.Shape, strides, in.layout.Offset}}
	}
	if tooManyDims(ids.layout.Shape, ids.layout.Strides, still().layout.Strides) {
		if ids, err = a.densed(ids); err != nil {
			return nil, err
		}
		if in, err = a.densed(in); err != nil {
			return nil, err
		}
		if v := still(); tooManyDims(ids.layout.Shape, ids.layout.Strides, v.layout.Strides) {
			return nil, dimsError(ids.layout.Shape)
		}
	}
	v := still()
	args := pointer(pointer(rocm.NewArgs(), ids), v).Buffer(buffer(s), 0).Struct(layout2(ids, v)).
		U64(uint64(n)).U64(uint64(in.layout.Shape[dim])).I64(int64(in.layout.Strides[dim]))
	return s, a.launchChecked(fmt.Sprintf("gather_%v_%s", ids.dtype, sized(in.dtype)), blocks(n), args, ids, bad)
}

func tooManyDims(shape []int, strides ...[]int) bool {
	return len(merge(shape, strides...).dims) > kernels.MaxDims
}

func dimsError(shape []int) error {
	return &shapeError{shape, fmt.Sprintf("shape %v has more dims than the %d that kernels take", shape, kernels.MaxDims)}
}
