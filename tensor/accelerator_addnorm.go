package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// addsRows reports whether a kernel takes dense rows of x and y and normalises their sums in one walk.
func addsRows(x, y, alpha operand) bool {
	n := x.layout.ElemCount()
	cols := x.layout.Shape[x.layout.Rank()-1]
	if n == 0 || cols > 4*kernels.HeldRow(x.dtype) || alpha.layout.Strides[0] != 1 || alpha.layout.Offset%rowPack != 0 {
		return false
	}
	for _, in := range []operand{x, y} {
		if o, stride := rowsOf(in); stride != 1 || !in.layout.IsContiguous() || !packedRows(o, cols) {
			return false
		}
	}
	return true
}

func (a *accelerator) addNorm(x, y, alpha operand, eps float64) (sum, normed storage, ok bool, err error) {
	if !addsRows(x, y, alpha) {
		return nil, nil, false, nil
	}
	n := x.layout.ElemCount()
	if sum, err = a.alloc(n * x.dtype.Size()); err != nil {
		return nil, nil, false, err
	}
	if normed, err = a.alloc(n * x.dtype.Size()); err != nil {
		return nil, nil, false, err
	}
	for _, o := range []operand{x, y, alpha} {
		if err := o.store.ready(); err != nil {
			return nil, nil, false, err
		}
	}
	cols := x.layout.Shape[x.layout.Rank()-1]
	rows := n / cols
	from, _ := rowsOf(x)
	p := kernels.Norm{Rows: int64(rows), Cols: int64(cols), Step: 1, AlphaStep: 1, Eps: eps}
	args := pointer(pointer(pointer(rocm.NewArgs(), from), y), alpha).Buffer(buffer(sum), 0).Buffer(buffer(normed), 0)
	args.Struct(layout1(from)).Struct(&p)
	kernel := "add_rms_norm_" + heldRows(x.dtype, cols, true) + x.dtype.String()
	return sum, normed, true, a.launch(kernel, rowBlocks(rows, (cols+7)/8), args)
}
