package decode

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// Matrix is the matrix of a linear layer, of Rows rows, one for each result, and Cols columns.
type Matrix struct {
	Rows, Cols int
	Dense      *tensor.Tensor // [rows cols] of F16 or BF16, or
	Packed     *tensor.Tensor // the blocks of a format, U8
	Format     string         // of Packed: one of kernels.BlockFormats
}

// Linear is what is computed from one row x: with h = x, or rms_norm(x)·Norm, it is M·h, or M·h + Plus, or, Gated,
// silu(M₀·h)·(M₁·h) for the upper half M₀ of the rows of M and the lower one.
type Linear struct {
	M     Matrix
	Norm  *tensor.Tensor // [cols], or nil
	Eps   float64
	Plus  *tensor.Tensor // as many elements as there are results, or nil; not with Gated
	Gated bool
}

// results is how many elements the result has.
func (l *Linear) results() int {
	if l.Gated {
		return l.M.Rows / 2
	}
	return l.M.Rows
}

// Takes reports whether there is a kernel for rows of a type on a device: on a GPU, for dense operands of one type,
// which a dense matrix has, too, and rows of up to kernels.LinearLongest elements.
func (l *Linear) Takes(d *tensor.Device, dt tensor.DType) bool {
	_, gpu := on(d)
	_, known := kernels.BlockResult(dt)
	if !gpu || !known || l.M.Rows == 0 || l.M.Cols > kernels.LinearLongest {
		return false
	}
	for _, t := range []*tensor.Tensor{l.Norm, l.Plus} {
		if t != nil && (t.DType() != dt || !dense(t)) {
			return false
		}
	}
	if m := l.M.Dense; m != nil {
		return m.DType() == dt && dt != tensor.F32 && l.M.Cols%8 == 0 && dense(m)
	}
	return l.M.Packed != nil && dense(l.M.Packed)
}

// Of computes the result [1 results] from the row x. Where plus is not nil, it takes the place of Plus.
func (l *Linear) Of(x, plus *tensor.Tensor) *tensor.Tensor {
	const op = "linear"
	if plus == nil {
		plus = l.Plus
	}
	r, _ := on(x.Device())
	y := x.Device().Empty(x.DType(), 1, l.results())
	m, kernel := l.M.Packed, kernelOf("linear", l.M.Format)
	if l.M.Dense != nil {
		m, kernel = l.M.Dense, kernelOf("linear", x.DType())
	}
	args := rocm.NewArgs()
	for _, t := range []*tensor.Tensor{m, x.Contiguous(), l.Norm, plus, y} {
		args = pointer(op, args, t)
	}
	p := kernels.Linear{Rows: uint64(l.results()), Cols: uint64(l.M.Cols), Eps: l.Eps}
	p.Type, _ = kernels.BlockResult(x.DType())
	if l.Gated {
		p.Gated = 1
	}
	launch(op, r, x.Device(), kernel, l.grid(r.dev), args.Struct(&p))
	return y
}

// grid is how many blocks take the rows of a matrix in pairs, each equally often, or once less: no more than run at the
// same time.
func (l *Linear) grid(d *rocm.Device) int {
	pairs := (l.results() + 1) / 2
	if l.Gated {
		pairs = l.results()
	}
	pieces, together := l.M.Cols/8, denseTogether // pieces of a row that a thread takes
	if l.M.Packed != nil {
		pieces, together = l.M.Cols/32, packedTogether
	}
	of := block / lanes // pairs of a block
	for ; block/of/2 >= max(pieces, 1); of *= 2 {
	}
	all := (pairs + of - 1) / of
	most := max(d.Info().Multiprocessors, 1) * together
	turns := (all + most - 1) / most
	return (all + turns - 1) / turns
}
