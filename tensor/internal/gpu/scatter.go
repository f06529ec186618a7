package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// So many indices per line, in fewer lines than a GPU has threads, are sorted first.
const (
	sortedIDs   = 256
	sortedLines = 1 << 14
)

func (b *Backend) Scatter(ids, src, out backend.Operand, dim int, join string, bad backend.IndexErrorFunc) error {
	if join == backend.Permute { // each element is a line of its own, and all lines have the same result
		n := ids.Layout.Shape[0]
		for _, o := range []*backend.Operand{&ids, &src} {
			o.Layout.Shape, o.Layout.Strides = []int{n, 1}, []int{o.Layout.Strides[0], 0}
		}
		out.Layout.Shape, out.Layout.Strides = []int{n, out.Layout.Shape[0]}, []int{0, out.Layout.Strides[0]}
		dim, join = 1, ""
	}
	count, lineShape := ids.Layout.Shape[dim], slices.Delete(slices.Clone(ids.Layout.Shape), dim, dim+1)
	lines := func(o backend.Operand) backend.Operand { // o without dim, in the shape of ids
		return backend.Operand{Store: o.Store, DType: o.DType,
			Layout: backend.Layout{Shape: lineShape, Strides: backend.StridesWithout(o.Layout, dim),
				Offset: o.Layout.Offset}}
	}
	tooMany := func() bool {
		return tooManyDims(lineShape, backend.StridesWithout(ids.Layout, dim), backend.StridesWithout(src.Layout, dim),
			backend.StridesWithout(out.Layout, dim))
	}
	if tooMany() {
		var err error
		if ids, err = b.makeDense(ids); err != nil {
			return err
		}
		if src, err = b.makeDense(src); err != nil {
			return err
		}
		if tooMany() {
			return dimsError(ids.Layout.Shape)
		}
	}
	p := kernels.Scatter{
		Count: int64(count), Size: int64(out.Layout.Shape[dim]),
		IDsStep: int64(ids.Layout.Strides[dim]), SrcStep: int64(src.Layout.Strides[dim]),
		OutStep: int64(out.Layout.Strides[dim]),
	}
	inOrder := func(position int) error {
		right := backend.Product(ids.Layout.Shape[dim+1:]) // kernels count along lines, callers in row-major order
		line, c := position/count, position%count
		return bad((line/right*count+c)*right + line%right)
	}
	n := backend.Product(lineShape)
	if n < sortedLines && count >= sortedIDs && uint64(count) <= math.MaxUint32 {
		return scatterSorted(b, ids, dim, lines(src), lines(out), p, join, inOrder)
	}
	x, y, z := lines(ids), lines(src), lines(out)
	args := pointer(pointer(pointer(rocm.NewArgs(), x), y), z).Struct(layout3(x, y, z)).U64(uint64(n)).Struct(&p)
	kernel := fmt.Sprintf("scatter_%v_%s", ids.DType, bitsName(src.DType))
	if join != "" {
		kernel = fmt.Sprintf("scatter_%s_%v_%v", join, ids.DType, src.DType)
	}
	return b.LaunchChecked(kernel, [3]int{min((n+block-1)/block, maxBlocks), 1, 1}, args, ids, inOrder)
}

// scatterSorted sorts the indices of each line first, so that one thread writes each element of the result. src and
// out come without dim.
func scatterSorted(
	b *Backend, ids backend.Operand, dim int, src, out backend.Operand, p kernels.Scatter, join string,
	bad backend.IndexErrorFunc,
) error {
	count, n := int(p.Count), src.Layout.ElemCount()
	rows := backend.Operand{Store: ids.Store, DType: ids.DType,
		Layout: backend.Layout{Shape: append(slices.Clone(src.Layout.Shape), count),
			Strides: append(backend.StridesWithout(ids.Layout, dim), int(p.IDsStep)), Offset: ids.Layout.Offset}}
	p.IDsStep = p.Count
	// all lines share their indices
	if !slices.ContainsFunc(backend.StridesWithout(ids.Layout, dim), func(stride int) bool { return stride != 0 }) {
		rows.Layout = backend.Layout{Shape: []int{count}, Strides: rows.Layout.Strides[len(rows.Layout.Strides)-1:],
			Offset: rows.Layout.Offset}
		p.IDsStep = 0
	}
	sorted, from, err := b.Sort(rows, rows.Layout.ElemCount()/count, count, count, false)
	if err != nil {
		return err
	}
	args := pointer(pointer(rocm.NewArgs().Buffer(buffer(sorted), 0).Buffer(buffer(from), 0), src), out).
		Struct(layout2(src, out)).U64(uint64(n)).Struct(&p)
	kernel := fmt.Sprintf("scatter_sorted_%v_%s", ids.DType, bitsName(src.DType))
	if join != "" {
		kernel = fmt.Sprintf("scatter_%s_sorted_%v_%v", join, ids.DType, src.DType)
	}
	return b.LaunchChecked(kernel, blocks(n*count), args, ids, bad)
}
