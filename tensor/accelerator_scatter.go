package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// So many ids in a line, in fewer lines than a GPU has threads, are sorted first.
const (
	sortedIDs   = 256
	sortedLines = 1 << 14
)

func (a *accelerator) scatter(ids, src, out operand, dim int, add bool, bad badID) error {
	count, lineShape := ids.layout.Shape[dim], slices.Delete(slices.Clone(ids.layout.Shape), dim, dim+1)
	lines := func(o operand) operand { // without dim, in the shape of ids
		return operand{o.store, o.dtype, strided{lineShape, without(o.layout, dim), o.layout.Offset}}
	}
	tooMany := func() bool {
		return tooManyDims(lineShape, without(ids.layout, dim), without(src.layout, dim), without(out.layout, dim))
	}
	if tooMany() {
		var err error
		if ids, err = a.densed(ids); err != nil {
			return err
		}
		if src, err = a.densed(src); err != nil {
			return err
		}
		if tooMany() {
			return dimsError(ids.layout.Shape)
		}
	}
	p := kernels.Scatter{
		Count: int64(count), Size: int64(out.layout.Shape[dim]),
		IDsStep: int64(ids.layout.Strides[dim]), SrcStep: int64(src.layout.Strides[dim]), OutStep: int64(out.layout.Strides[dim]),
	}
	inOrder := func(position int) error {
		right := product(ids.layout.Shape[dim+1:]) // kernels count along lines, the caller in the order of ids
		line, c := position/count, position%count
		return bad((line/right*count+c)*right + line%right)
	}
	n := product(lineShape)
	if n < sortedLines && count >= sortedIDs && count <= math.MaxUint32 {
		return a.scatterSorted(ids, dim, lines(src), lines(out), p, add, inOrder)
	}
	x, y, z := lines(ids), lines(src), lines(out)
	args := pointer(pointer(pointer(rocm.NewArgs(), x), y), z).Struct(layout3(x, y, z)).U64(uint64(n)).Struct(&p)
	kernel := fmt.Sprintf("scatter_%v_%s", ids.dtype, sized(src.dtype))
	if add {
		kernel = fmt.Sprintf("scatter_add_%v_%v", ids.dtype, src.dtype)
	}
	return a.launchChecked(kernel, [3]int{min((n+block-1)/block, maxBlocks), 1, 1}, args, ids, inOrder)
}

// scatterSorted sorts the ids of each line first, so that each place of the result is the work of one thread. src and out are
// without dim.
func (a *accelerator) scatterSorted(ids operand, dim int, src, out operand, p kernels.Scatter, add bool, bad badID) error {
	count, n := int(p.Count), src.layout.ElemCount()
	rows := operand{ids.store, ids.dtype, strided{append(slices.Clone(src.layout.Shape), count), append(without(ids.layout, dim), int(p.IDsStep)), ids.layout.Offset}}
	p.IDsStep = p.Count
	if !slices.ContainsFunc(without(ids.layout, dim), func(stride int) bool { return stride != 0 }) { // all lines have the same ids
		rows.layout = strided{[]int{count}, rows.layout.Strides[len(rows.layout.Strides)-1:], rows.layout.Offset}
		p.IDsStep = 0
	}
	sorted, from, err := a.sort(rows, rows.layout.ElemCount()/count, count, count, false)
	if err != nil {
		return err
	}
	args := pointer(pointer(rocm.NewArgs().Buffer(buffer(sorted), 0).Buffer(buffer(from), 0), src), out).
		Struct(layout2(src, out)).U64(uint64(n)).Struct(&p)
	kernel := fmt.Sprintf("scatter_sorted_%v_%s", ids.dtype, sized(src.dtype))
	if add {
		kernel = fmt.Sprintf("scatter_add_sorted_%v_%v", ids.dtype, src.dtype)
	}
	return a.launchChecked(kernel, blocks(n*count), args, ids, bad)
}
