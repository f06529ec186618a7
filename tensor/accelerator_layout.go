package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// Layout arguments of kernels: the merged dims of the operands, and flags that allow short cuts.

// layouts adds the layout argument of a kernel that walks operands of one shape, up to three.
func layouts(args *rocm.Args, os []operand) *rocm.Args {
	if !slices.ContainsFunc(os, func(o operand) bool { return !o.layout.IsContiguous() }) {
		return denseLayouts(args, os[0].layout.ElemCount(), len(os))
	}
	switch len(os) {
	case 1:
		return args.Struct(layout1(os[0]))
	case 2:
		return args.Struct(layout2(os[0], os[1]))
	}
	return args.Struct(layout3(os[0], os[1], os[2]))
}

// denseLayouts adds the layout argument of n elements that lie densely in every operand.
func denseLayouts(args *rocm.Args, n, operands int) *rocm.Args {
	flags := uint32(kernels.FlagContiguous)
	if n <= math.MaxInt32 {
		flags |= kernels.FlagIndex32
	}
	args.I32(1).U32(flags).I64(int64(n))
	for range kernels.MaxDims - 1 {
		args.I64(1)
	}
	for range operands {
		args.I64(1)
		for range kernels.MaxDims - 1 {
			args.I64(0)
		}
	}
	return args
}

func layout1(a operand) *kernels.Layout1 {
	m := merge(a.layout.Shape, a.layout.Strides)
	l := &kernels.Layout1{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	return l
}

func layout2(a, b operand) *kernels.Layout2 {
	m := merge(a.layout.Shape, a.layout.Strides, b.layout.Strides)
	l := &kernels.Layout2{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	setStrides(&l.B, m.strides[1])
	return l
}

func layout3(a, b, c operand) *kernels.Layout3 {
	m := merge(a.layout.Shape, a.layout.Strides, b.layout.Strides, c.layout.Strides)
	l := &kernels.Layout3{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	setStrides(&l.B, m.strides[1])
	setStrides(&l.C, m.strides[2])
	return l
}

// layoutOfRows is layout1 in which the dims of rows and those of their cols elements, the last ones, are merged apart, so that the
// last dim is a row where rows have one step.
func layoutOfRows(a operand, cols int) *kernels.Layout1 {
	if m := merge(a.layout.Shape, a.layout.Strides); m.contiguous() {
		return layout1(a)
	}
	split, n := len(a.layout.Shape), 1
	for split > 0 && n < cols {
		split--
		n *= a.layout.Shape[split]
	}
	rows := merge(a.layout.Shape[:split], a.layout.Strides[:split])
	each := merge(a.layout.Shape[split:], a.layout.Strides[split:])
	if len(rows.dims)+len(each.dims) > kernels.MaxDims {
		return layout1(a)
	}
	m := merged{slices.Concat(rows.dims, each.dims), [][]int{slices.Concat(rows.strides[0], each.strides[0])}}
	l := &kernels.Layout1{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	return l
}

// firsts has the first elements along a dim, which is dropped.
func firsts(o operand, dim int) operand { return operand{o.store, o.dtype, o.layout.drop(dim)} }

// rowsOf splits off the last dim: what is left has the first elements of the rows, whose elements are step apart.
func rowsOf(o operand) (rows operand, step int) {
	last := len(o.layout.Shape) - 1
	return firsts(o, last), o.layout.Strides[last]
}

// planesOf splits off the last two dims: what is left has the first elements of the images.
func planesOf(o operand) (planes operand, s *kernels.Steps) {
	rows, col := rowsOf(o)
	planes, row := rowsOf(rows)
	return planes, &kernels.Steps{Row: int64(row), Col: int64(col)}
}

// simpleBefore returns the operand, or a dense copy when it has more dims before its last n than a kernel takes.
func (a *accelerator) simpleBefore(o operand, n int) (operand, error) {
	lead := len(o.layout.Shape) - n
	if len(merge(o.layout.Shape[:lead], o.layout.Strides[:lead]).dims) <= kernels.MaxDims {
		return o, nil
	}
	return a.densed(o)
}

// rowsTogether makes rows dense that lie side by side, as the columns of a matrix: to turn them costs less than to walk along them apart.
func (a *accelerator) rowsTogether(in operand) (operand, error) {
	last := len(in.layout.Shape) - 1
	if sideBySide(in, in.layout.Shape[last]) == 0 || in.layout.ElemCount() < leastTurned {
		return in, nil
	}
	return a.densed(in)
}

// leastTurned is how many elements are worth a launch of their own.
const leastTurned = 1 << 14

func setDims(to *[kernels.MaxDims]int64, dims []int) {
	for i := range to {
		to[i] = 1
		if i < len(dims) {
			to[i] = int64(dims[i])
		}
	}
}

func setStrides(to *[kernels.MaxDims]int64, strides []int) {
	for i, s := range strides {
		to[i] = int64(s)
	}
}

func flags(m merged) uint32 {
	f := uint32(0)
	if m.contiguous() {
		f |= kernels.FlagContiguous
	}
	if fits32(m) {
		f |= kernels.FlagIndex32
	}
	return f
}

// fits32 reports whether the element count and every offset are below 2³¹.
func fits32(m merged) bool {
	if m.count() > math.MaxInt32 {
		return false
	}
	for _, strides := range m.strides {
		end := 0
		for d, s := range strides {
			end += (m.dims[d] - 1) * s
		}
		if end > math.MaxInt32 {
			return false
		}
	}
	return true
}
