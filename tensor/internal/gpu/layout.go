package gpu

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Layout arguments of kernels: the coalesced dims of the operands, and flags that allow short cuts.

// layouts adds the layout argument of a kernel that walks operands of one shape, up to three.
func layouts(args *rocm.Args, os []backend.Operand) *rocm.Args {
	if !slices.ContainsFunc(os, func(o backend.Operand) bool { return !o.Layout.IsContiguous() }) {
		return denseLayouts(args, os[0].Layout.ElemCount(), len(os))
	}
	switch len(os) {
	case 1:
		return args.Struct(layout1(os[0]))
	case 2:
		return args.Struct(layout2(os[0], os[1]))
	}
	return args.Struct(layout3(os[0], os[1], os[2]))
}

// denseLayouts adds the layout argument of n elements that are dense in every operand.
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

func layout1(a backend.Operand) *kernels.Layout1 {
	m := backend.Coalesce(a.Layout.Shape, a.Layout.Strides)
	l := &kernels.Layout1{Rank: int32(len(m.Dims)), Flags: flags(m)}
	setDims(&l.Dims, m.Dims)
	setStrides(&l.A, m.Strides[0])
	return l
}

func layout2(a, b backend.Operand) *kernels.Layout2 {
	m := backend.Coalesce(a.Layout.Shape, a.Layout.Strides, b.Layout.Strides)
	l := &kernels.Layout2{Rank: int32(len(m.Dims)), Flags: flags(m)}
	setDims(&l.Dims, m.Dims)
	setStrides(&l.A, m.Strides[0])
	setStrides(&l.B, m.Strides[1])
	return l
}

func layout3(a, b, c backend.Operand) *kernels.Layout3 {
	m := backend.Coalesce(a.Layout.Shape, a.Layout.Strides, b.Layout.Strides, c.Layout.Strides)
	l := &kernels.Layout3{Rank: int32(len(m.Dims)), Flags: flags(m)}
	setDims(&l.Dims, m.Dims)
	setStrides(&l.A, m.Strides[0])
	setStrides(&l.B, m.Strides[1])
	setStrides(&l.C, m.Strides[2])
	return l
}

// layoutOfRows is layout1 with the dims of rows and those of their cols elements, the last ones, coalesced apart. The
// last dim is then a whole row if its elements are at one stride.
func layoutOfRows(a backend.Operand, cols int) *kernels.Layout1 {
	if m := backend.Coalesce(a.Layout.Shape, a.Layout.Strides); m.IsContiguous() {
		return layout1(a)
	}
	split, n := len(a.Layout.Shape), 1
	for split > 0 && n < cols {
		split--
		n *= a.Layout.Shape[split]
	}
	rows := backend.Coalesce(a.Layout.Shape[:split], a.Layout.Strides[:split])
	each := backend.Coalesce(a.Layout.Shape[split:], a.Layout.Strides[split:])
	if len(rows.Dims)+len(each.Dims) > kernels.MaxDims {
		return layout1(a)
	}
	m := backend.Coalesced{Dims: slices.Concat(rows.Dims, each.Dims),
		Strides: [][]int{slices.Concat(rows.Strides[0], each.Strides[0])}}
	l := &kernels.Layout1{Rank: int32(len(m.Dims)), Flags: flags(m)}
	setDims(&l.Dims, m.Dims)
	setStrides(&l.A, m.Strides[0])
	return l
}

// firsts is the operand of the first elements along a dim, which is dropped.
func firsts(o backend.Operand, dim int) backend.Operand {
	return backend.Operand{Store: o.Store, DType: o.DType, Layout: o.Layout.DropDim(dim)}
}

// rowsOf splits off the last dim: rows has the first element of each row, and stride is the distance of a row's
// elements.
func rowsOf(o backend.Operand) (rows backend.Operand, stride int) {
	last := len(o.Layout.Shape) - 1
	return firsts(o, last), o.Layout.Strides[last]
}

// planesOf splits off the last two dims: planes has the first element of each image.
func planesOf(o backend.Operand) (planes backend.Operand, s *kernels.Steps) {
	rows, col := rowsOf(o)
	planes, row := rowsOf(rows)
	return planes, &kernels.Steps{Row: int64(row), Col: int64(col)}
}

// fitLeadingDims returns the operand, or a dense copy if it has more dims before its last n than a kernel takes.
func (b *Backend) fitLeadingDims(o backend.Operand, n int) (backend.Operand, error) {
	lead := len(o.Layout.Shape) - n
	if len(backend.Coalesce(o.Layout.Shape[:lead], o.Layout.Strides[:lead]).Dims) <= kernels.MaxDims {
		return o, nil
	}
	return b.makeDense(o)
}

// rowsDense copies interleaved rows, such as the columns of a matrix, to dense ones: transposing costs less than
// reading them one by one.
func rowsDense(b *Backend, in backend.Operand) (backend.Operand, error) {
	last := len(in.Layout.Shape) - 1
	if interleavedRows(in, in.Layout.Shape[last]) == 0 || in.Layout.ElemCount() < minTransposed {
		return in, nil
	}
	return b.makeDense(in)
}

// minTransposed is how many elements justify a launch for the copy.
const minTransposed = 1 << 14

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

func flags(m backend.Coalesced) uint32 {
	f := uint32(0)
	if m.IsContiguous() {
		f |= kernels.FlagContiguous
	}
	if fits32(m) {
		f |= kernels.FlagIndex32
	}
	return f
}

// fits32 reports whether the element count and every offset are below 2³¹.
func fits32(m backend.Coalesced) bool {
	if m.ElemCount() > math.MaxInt32 {
		return false
	}
	for _, strides := range m.Strides {
		end := 0
		for d, s := range strides {
			end += (m.Dims[d] - 1) * s
		}
		if end > math.MaxInt32 {
			return false
		}
	}
	return true
}

// fitDims returns the operand, or a dense copy if it has more dims than a kernel takes.
func (b *Backend) fitDims(o backend.Operand) (backend.Operand, error) {
	if len(backend.Coalesce(o.Layout.Shape, o.Layout.Strides).Dims) <= kernels.MaxDims {
		return o, nil
	}
	return b.makeDense(o)
}

func (b *Backend) makeDense(o backend.Operand) (backend.Operand, error) {
	s, err := b.Alloc(o.Layout.ElemCount() * o.DType.Size())
	if err != nil {
		return o, err
	}
	d := backend.Operand{Store: s, DType: o.DType, Layout: backend.Dense(o.Layout.Shape)}
	return d, b.Copy(o, d)
}

// fitDimsTogether replaces operands by dense copies if together they have more dims than a kernel takes.
func (b *Backend) fitDimsTogether(os []backend.Operand) error {
	if len(os[0].Layout.Shape) <= kernels.MaxDims {
		return nil
	}
	strides := make([][]int, len(os))
	for i, o := range os {
		strides[i] = o.Layout.Strides
	}
	if len(backend.Coalesce(os[0].Layout.Shape, strides...).Dims) <= kernels.MaxDims {
		return nil
	}
	for i := range os {
		var err error
		if os[i], err = b.makeDense(os[i]); err != nil {
			return err
		}
	}
	return nil
}
