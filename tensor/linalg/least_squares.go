package linalg

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// PInv returns the pseudo-inverses [… n m] of Moore and Penrose of matrices a [… m n], from their singular values:
// those up to max(m, n)·eps times the largest one count as 0, where eps is the distance from 1 to the next number of
// the type.
func PInv(a *tensor.Tensor) *tensor.Tensor { return PInvWith(a, 0) }

// PInvWith is PInv where singular values up to rtol times the largest one count as 0. For 0 it is PInv.
func PInvWith(a *tensor.Tensor, rtol float64) *tensor.Tensor {
	m := matricesOf("pinv", a)
	if m.x.ElemCount() == 0 {
		return m.empty(m.zeros(m.n, m.m)).ToDType(m.dt)
	}
	y := m.pinv(rtol)
	return m.by(y, func(g, a *tensor.Tensor) *tensor.Tensor { return pinvGradient(a, y, g) }).ToDType(m.dt)
}

func (m matrices) pinv(rtol float64) *tensor.Tensor {
	p := m.plain()
	u, s, vh, info := p.factorizer().svd(p, true, false)
	m.fail(info, ErrConvergence, noSingularValues)
	return vh.H().Mul(m.recipOrZero(s, rtol).Unsqueeze(-2)).MatMul(u.H())
}

// recipOrZero returns 1/s, and 0 for singular values that count as 0.
func (m matrices) recipOrZero(s *tensor.Tensor, rtol float64) *tensor.Tensor {
	counts := s.Gt(m.least(s, rtol))
	return counts.WhereCond(counts.WhereCond(s, 1).Recip(), 0)
}

// least is what singular values s [… k] must exceed to count.
func (m matrices) least(s *tensor.Tensor, rtol float64) *tensor.Tensor {
	if rtol == 0 {
		rtol = float64(max(m.m, m.n)) * epsilon(s.DType())
	}
	return s.Narrow(-1, 0, 1).Mul(rtol)
}

// epsilon is the distance from 1 to the next number of a type.
func epsilon(dt tensor.DType) float64 {
	if dt.Real() == tensor.F64 {
		return 0x1p-52
	}
	return 0x1p-23
}

// MatrixRank returns how many singular values of matrices a [… m n] exceed max(m, n)·eps times the largest one, as I64
// [… ]. See PInv.
func MatrixRank(a *tensor.Tensor) *tensor.Tensor { return MatrixRankWith(a, 0) }

// MatrixRankWith is MatrixRank for singular values above rtol times the largest one. For 0 it is MatrixRank.
func MatrixRankWith(a *tensor.Tensor, rtol float64) *tensor.Tensor {
	m := matricesOf("matrix_rank", a)
	if m.x.ElemCount() == 0 {
		return m.x.Device().Zeros(tensor.I64, m.batch...)
	}
	s := SVDVals(m.x.Detach())
	return s.Gt(m.least(s, rtol)).Sum(-1)
}

// LstSq returns the solutions x of least squares: of all x for which the squares of a·x - b have the smallest sum, the
// one of smallest norm, for matrices a [… m n] and columns b [… m k], or a vector b [m]. Singular values count as in
// PInv, so a may have any rank.
//
//	line := linalg.LstSq(tensor.Stack([]*tensor.Tensor{x, x.OnesLike()}, 1), y) // slope and offset
func LstSq(a, b *tensor.Tensor) *tensor.Tensor {
	const op = "lstsq"
	extend.SameDevice(op, a, b)
	dt, err := tensor.Promote(a.DType(), b.DType())
	if err != nil {
		extend.DType(op, []*tensor.Tensor{a, b}, "%v and %v have no common type", a.DType(), b.DType())
	}
	m := matricesOf(op, a.ToDType(dt))
	y, _ := extend.Precise(b.ToDType(dt))
	if b.Rank() == 1 {
		y = y.Unsqueeze(-1)
	}
	if b.Rank() == 0 || y.Dim(-2) != m.m {
		extend.ShapeNoting(op, []*tensor.Tensor{a, b}, "b.Unsqueeze(-1) is a batch of vectors as columns",
			"matrices of shape %v need columns of %d elements, not shape %v", a.Dims(), m.m, b.Dims())
	}
	x := m.lstsq(y)
	if b.Rank() == 1 {
		x = x.Squeeze(-1)
	}
	return x.ToDType(m.dt)
}

// lstsq multiplies the columns by the factors of the pseudo-inverse one after another. With gradients it multiplies
// by the pseudo-inverse.
func (m matrices) lstsq(y *tensor.Tensor) *tensor.Tensor {
	if extend.Tracked(m.x) || m.x.ElemCount() == 0 {
		return PInv(m.x).MatMul(y)
	}
	p := m.plain()
	u, s, vh, info := p.factorizer().svd(p, true, false)
	m.fail(info, ErrConvergence, noSingularValues)
	return vh.H().MatMul(u.H().MatMul(y).Mul(m.recipOrZero(s, 0).Unsqueeze(-1)))
}

// Cond returns the condition numbers [… ] of matrices a [… m n]: the quotients of their largest and smallest singular
// values, infinite where the smallest is 0.
func Cond(a *tensor.Tensor) *tensor.Tensor {
	s := SVDVals(a)
	if s.Dim(-1) == 0 {
		extend.Shape("cond", []*tensor.Tensor{a}, "a matrix of shape %v has no singular values", a.Dims())
	}
	least := s.GetOnDim(-1, s.Dim(-1)-1)
	return least.Eq(0).WhereCond(math.Inf(1), s.GetOnDim(-1, 0).Div(least)) // of zeros, too
}

// MatrixNorm returns norms [… ] of matrices a [… m n] by their kind p: 2 and -2 for the largest and the smallest
// singular value, 1 and -1 for the largest and smallest sum of absolute values in a column, and math.Inf(1) and
// math.Inf(-1) for those in a row. a.Norm(-2, -1) is the norm of Frobenius, and NuclearNorm the sum of the singular
// values.
func MatrixNorm(a *tensor.Tensor, p float64) *tensor.Tensor {
	const op = "matrix_norm"
	m := matricesOf(op, a)
	if m.m == 0 || m.n == 0 {
		extend.Shape(op, []*tensor.Tensor{a}, "a matrix of shape %v has no norm of this kind", a.Dims())
	}
	var of *tensor.Tensor
	switch math.Abs(p) {
	case 1:
		of = m.x.Abs().Sum(-2)
	case 2:
		of = SVDVals(m.x)
	case math.Inf(1):
		of = m.x.Abs().Sum(-1)
	default:
		extend.Shape(op, []*tensor.Tensor{a}, "%v is no kind of matrix norm: want 1, 2 or math.Inf(1), or the negative",
			p)
	}
	if p > 0 {
		return of.Max(-1).ToDType(m.real())
	}
	return of.Min(-1).ToDType(m.real())
}

// NuclearNorm returns the sums [… ] of the singular values of matrices a [… m n].
func NuclearNorm(a *tensor.Tensor) *tensor.Tensor { return SVDVals(a).Sum(-1) }
