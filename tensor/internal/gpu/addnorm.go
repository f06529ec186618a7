package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// addsRows reports whether the kernel takes rows of x and y: dense ones in whole packs, short enough to be held in
// registers.
func addsRows(x, y, alpha backend.Operand) bool {
	n := x.Layout.ElemCount()
	cols := x.Layout.Shape[x.Layout.Rank()-1]
	if n == 0 || cols > 4*kernels.HeldRow(x.DType) || alpha.Layout.Strides[0] != 1 || alpha.Layout.Offset%rowPack != 0 {
		return false
	}
	for _, in := range []backend.Operand{x, y} {
		if o, stride := rowsOf(in); stride != 1 || !in.Layout.IsContiguous() || !packedRows(o, cols) {
			return false
		}
	}
	return true
}

func (b *Backend) AddNorm(x, y, alpha backend.Operand, eps float64) (sum, normed backend.Storage, ok bool, err error) {
	if !addsRows(x, y, alpha) {
		return nil, nil, false, nil
	}
	n := x.Layout.ElemCount()
	if sum, err = b.Alloc(n * x.DType.Size()); err != nil {
		return nil, nil, false, err
	}
	if normed, err = b.Alloc(n * x.DType.Size()); err != nil {
		return nil, nil, false, err
	}
	for _, o := range []backend.Operand{x, y, alpha} {
		if err := o.Store.Materialize(); err != nil {
			return nil, nil, false, err
		}
	}
	cols := x.Layout.Shape[x.Layout.Rank()-1]
	rows := n / cols
	from, _ := rowsOf(x)
	p := kernels.Norm{Rows: int64(rows), Cols: int64(cols), Step: 1, AlphaStep: 1, Eps: eps}
	args := pointer(pointer(pointer(rocm.NewArgs(), from), y), alpha).Buffer(buffer(sum), 0).Buffer(buffer(normed), 0)
	args.Struct(layout1(from)).Struct(&p)
	kernel := "add_rms_norm_" + heldRows(x.DType, rows, cols, true) + x.DType.String()
	return sum, normed, true, b.Launch(kernel, rowBlocks(rows, (cols+7)/8), args)
}
