package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// addsRows reports whether a kernel takes dense rows of x and y and normalises their sums in one walk.
func addsRows(x, y, alpha *Tensor) bool {
	if x.ElemCount() == 0 || x.layout.Shape[x.Rank()-1] > 4*kernels.HeldRow(x.dtype) || alpha.layout.Strides[0] != 1 || alpha.layout.Offset%rowPack != 0 {
		return false
	}
	for _, t := range []*Tensor{x, y} {
		if o, step := rowsOf(operand{nil, t.dtype, t.layout}); step != 1 || !t.IsContiguous() || !packedRows(o, x.layout.Shape[x.Rank()-1]) {
			return false
		}
	}
	return true
}

// addNorm returns x + y and its rows divided by the root of their mean square, times alpha.
func (a *accelerator) addNorm(op string, x, y, alpha *Tensor, eps float64) (sum, normed *Tensor, err error) {
	if sum, err = empty(op, x.layout.Shape, x.dtype, x.dev); err != nil {
		return nil, nil, err
	}
	if normed, err = empty(op, x.layout.Shape, x.dtype, x.dev); err != nil {
		return nil, nil, err
	}
	cols := x.layout.Shape[x.Rank()-1]
	rows := x.ElemCount() / cols
	from, _ := rowsOf(x.operand())
	p := kernels.Norm{Rows: int64(rows), Cols: int64(cols), Step: 1, AlphaStep: 1, Eps: eps}
	args := rocm.NewArgs()
	for _, o := range []operand{from, y.operand(), alpha.operand(), sum.operand(), normed.operand()} {
		pointer(args, o)
	}
	args.Struct(layout1(from)).Struct(&p)
	kernel := "add_rms_norm_" + heldRows(x.dtype, cols, true) + x.dtype.String()
	return sum, normed, failure(op, x.dev, a.launch(kernel, rowBlocks(rows, (cols+7)/8), args))
}
