package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// copyShared is how many rows or columns must share a matrix before copying it for the library pays: a copy takes as
// long as gorocm's own kernel takes for about so many.
const copyShared = 16

// float8Forms brings F8E4M3 operands into the form that libraries take, dense rows of x and dense columns of y, if
// that needs no copy or the copy pays. It sets the strides of p. It reports false where the operands stay as they
// are.
func float8Forms(
	b *Backend, x, y backend.Operand, p *kernels.MatMul,
) (left, right backend.Operand, ok bool, err error) {
	transposed := func(o backend.Operand) backend.Operand {
		last := len(o.Layout.Shape) - 1
		return backend.Operand{Store: o.Store, DType: o.DType, Layout: o.Layout.Transpose(last-1, last)}
	}
	if left, ok, err = float8Rows(b, x, p.N); !ok || err != nil {
		return x, y, false, err
	}
	if right, ok, err = float8Rows(b, transposed(y), p.M); !ok || err != nil {
		return x, y, false, err
	}
	right = transposed(right)
	p.ARow, p.ACol = lastStrides(left.Layout)
	p.BRow, p.BCol = lastStrides(right.Layout)
	return left, right, true, nil
}

// float8Rows returns matrices whose rows a library takes: o itself, or a copy that so many rows or columns share.
func float8Rows(b *Backend, o backend.Operand, shared int64) (backend.Operand, bool, error) {
	if takesRows(o.Layout) {
		return o, true, nil
	}
	if shared < copyShared || o.Layout.MayOverlap() {
		return o, false, nil
	}
	c, err := b.makeDense(o)
	if backend.IsOutOfMemory(err) {
		return o, false, nil // gorocm's kernels need no copy
	}
	return c, err == nil, err
}

// takesRows reports whether a library takes the rows of F8E4M3 matrices in this layout.
func takesRows(l backend.Layout) bool {
	last := len(l.Shape) - 2
	m := rocm.Matrix{Offset: l.Offset, Row: l.Strides[last], Col: l.Strides[last+1]}
	for d, n := range l.Shape[:last] {
		if n > 1 {
			m.Batch |= l.Strides[d] // a multiple of a power of two if all of them are
		}
	}
	return m.Float8Rows(l.Shape[last], l.Shape[last+1], 2)
}

func lastStrides(l backend.Layout) (row, col int64) {
	last := len(l.Strides) - 2
	return int64(l.Strides[last]), int64(l.Strides[last+1])
}
