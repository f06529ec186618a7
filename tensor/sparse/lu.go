package sparse

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/host"
	"github.com/gorocm/gorocm/tensor/linalg"
	"github.com/gorocm/gorocm/tensor/sparse/internal/direct"
)

// Factors are the triangular factors of a square matrix, with which equations are solved.
type Factors struct {
	a   *Matrix
	run solver
}

// solver solves equations in the memory of the host, for x [n k] on the CPU in the type of the factors.
type solver interface {
	solve(x *tensor.Tensor, adjoint bool)
	count() int
}

// LU returns the factors of a square matrix, by Gaussian elimination in an order of the columns that keeps them
// sparse (approximate minimum degree), with pivots of at least a tenth of the greatest element of a column. It
// computes in F64 or C128 on the host, to which the matrix is copied from a GPU. For a grid of n points in two dims,
// the factors take about 31·n·log2(n) elements and the time of n^1.5 steps; in three dims, CG and GMRES take less. It
// panics with ErrShape for a matrix that is not square, and with linalg.ErrSingular for one without an inverse.
func LU(a *Matrix) *Factors {
	const op = "sparse lu"
	rows, cols := a.Dims()
	if rows != cols {
		extend.Shape(op, []*tensor.Tensor{a.values}, "want a square matrix, not [%d %d]", rows, cols)
	}
	plain := a.With(a.values.Detach()).T().ToDevice(tensor.CPU())
	var run solver
	if a.DType().IsComplex() {
		run = factored[complex128](op, rows, plain.ToDType(tensor.C128))
	} else {
		run = factored[float64](op, rows, plain.ToDType(tensor.F64))
	}
	return &Factors{a, run}
}

// hosted are factors with elements of a type.
type hosted[T direct.Number] struct {
	n       int
	factors *direct.Factors[T]
	columns direct.Columns[T] // the matrix
}

// factored takes the transposed matrix, whose rows are the columns.
func factored[T direct.Number](op string, n int, m *Matrix) solver {
	columns := direct.Columns[T]{Offsets: m.at.offsets.Contiguous().Data().([]int64),
		Rows: m.at.colIDs.Contiguous().Data().([]uint32), Values: m.values.Contiguous().Data().([]T)}
	f, singular := direct.Factor(n, columns)
	if singular >= 0 {
		extend.Fail(op, linalg.ErrSingular, []*tensor.Tensor{m.values}, "",
			"the matrix is singular, or not finite: no pivot is left after %d of %d columns", singular, n)
	}
	return &hosted[T]{n, f, columns}
}

func (h *hosted[T]) count() int { return h.factors.Count() }

// solve solves for each column, and once more for what is left of it, as pivots are not the greatest ones.
func (h *hosted[T]) solve(x *tensor.Tensor, adjoint bool) {
	k, all := x.Dim(1), x.Data().([]T)
	host.Parallel(k, 8*h.factors.Count(), func(lo, hi int) {
		b, r, scratch := make([]T, h.n), make([]T, h.n), make([]T, h.n)
		for col := lo; col < hi; col++ {
			for i := range b {
				b[i] = all[i*k+col]
			}
			copy(r, b)
			h.factors.Solve(b, scratch, adjoint)
			h.columns.Residual(r, b, adjoint)
			h.factors.Solve(r, scratch, adjoint)
			for i := range b {
				all[i*k+col] = b[i] + r[i]
			}
		}
	})
}

// ElemCount returns the number of elements that both factors store.
func (f *Factors) ElemCount() int { return f.run.count() }

// Solve returns the solution x of a·x = b, for a vector b [n] or columns [n k] of the type of the matrix. It computes
// on the host. It has gradients with respect to b and the values of the matrix. It panics with ErrShape for another
// shape.
func (f *Factors) Solve(b *tensor.Tensor) *tensor.Tensor { return f.solve("sparse solve", b, false) }

func (f *Factors) solve(op string, b *tensor.Tensor, adjoint bool) *tensor.Tensor {
	n, _ := f.a.Dims()
	extend.SameDevice(op, f.a.values, b)
	if r := b.Rank(); r != 1 && r != 2 || b.Dim(0) != n {
		extend.Shape(op, []*tensor.Tensor{b}, "want a vector of %d elements, or columns of them, not shape %v", n, b.Dims())
	}
	f.a.sameType(op, b)
	y := b.Detach()
	if n > 0 && b.ElemCount() > 0 {
		wide := tensor.F64
		if b.DType().IsComplex() {
			wide = tensor.C128
		}
		x := y.ToDevice(tensor.CPU()).ToDType(wide).Reshape(n, b.ElemCount()/n).Copy()
		f.run.solve(x, adjoint)
		y = x.Reshape(b.Dims()...).ToDType(b.DType()).ToDevice(b.Device())
	}
	return extend.ByOperations(y, op, []*tensor.Tensor{f.a.values, b},
		func(g, y *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor {
			h := (&Factors{f.a.With(operands[0]), f.run}).solve(op, g, !adjoint)
			if adjoint {
				return []*tensor.Tensor{f.a.at.sampled(op, y, h).Neg(), h}
			}
			return []*tensor.Tensor{f.a.at.sampled(op, h, y).Neg(), h}
		})
}

// Solve returns the solution x of a·x = b by LU(a): b is a vector [n] or has columns [n k].
func Solve(a *Matrix, b *tensor.Tensor) *tensor.Tensor { return LU(a).Solve(b) }
