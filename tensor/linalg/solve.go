package linalg

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
	"github.com/gorocm/gorocm/tensor/linalg/internal/host"
)

// Triangle says which part of a triangular matrix is read: the other one may hold anything.
type Triangle int

// The triangles. The diagonals of the last two are taken as ones, and not read either.
const (
	Lower Triangle = iota
	Upper
	UnitLower
	UnitUpper
)

func (t Triangle) form(adjoint bool) host.Form {
	return host.Form{Upper: t == Upper || t == UnitUpper, Unit: t == UnitLower || t == UnitUpper, Transposed: adjoint,
		Conjugated: adjoint}
}

// Solve returns the solution x of a·x = b for square matrices a [… n n] and columns b [… n k], or a vector b [n]. It
// panics with ErrSingular.
//
//	a := dev.New([][]float64{{3, 1}, {1, 2}})
//	linalg.Solve(a, dev.New([]float64{9, 8})) // [2, 3] f64
func Solve(a, b *tensor.Tensor) *tensor.Tensor {
	m, y, out := system("solve", a, b)
	f := m.lu(false)
	m.fail(f.info, ErrSingular, singular)
	at := m.x.BroadcastAs(append(y.Dims()[:y.Rank()-2:y.Rank()-2], m.n, m.n)...)
	if y.ElemCount() == 0 {
		return out(extend.ByOperations(y.Detach(), m.op, []*tensor.Tensor{at, y},
			func(g, _ *tensor.Tensor, from []*tensor.Tensor) []*tensor.Tensor {
				return []*tensor.Tensor{from[0].ZerosLike(), g}
			}))
	}
	wide := f.expanded(y.Dims())
	x := wide.solve(y.Detach().Contiguous(), false)
	return out(extend.ByOperations(x, m.op, []*tensor.Tensor{at, y},
		func(g, x *tensor.Tensor, from []*tensor.Tensor) []*tensor.Tensor {
			gy := wide.solveAdjoint(from[0], g)
			return []*tensor.Tensor{gy.MatMul(x.H()).Neg(), gy}
		}))
}

// solveAdjoint solves A.H()·x = b. Where the result needs gradients, it does so by Solve of the matrices a.
func (f luFactors) solveAdjoint(a, b *tensor.Tensor) *tensor.Tensor {
	if extend.Tracked(a) || extend.Tracked(b) {
		return Solve(a.H(), b)
	}
	return f.solve(b.Contiguous(), true)
}

// system checks the operands of a system of equations a·x = b. y is b in the type of a, broadcast to the batch of both;
// out gives a solution the shape and type of the result.
func system(op string, a, b *tensor.Tensor) (m matrices, y *tensor.Tensor, out func(x *tensor.Tensor) *tensor.Tensor) {
	extend.SameDevice(op, a, b)
	dt, err := tensor.Promote(a.DType(), b.DType())
	if err != nil {
		extend.DType(op, []*tensor.Tensor{a, b}, "%v and %v have no common type", a.DType(), b.DType())
	}
	m = squareOf(op, a.ToDType(dt))
	y, _ = extend.Precise(b.ToDType(dt))
	vector := b.Rank() == 1
	if vector {
		y = y.Unsqueeze(-1)
	}
	if b.Rank() == 0 || y.Dim(-2) != m.n {
		extend.ShapeNoting(op, []*tensor.Tensor{a, b}, "b.Unsqueeze(-1) is a batch of vectors as columns",
			"matrices of shape %v need columns of %d elements, not shape %v", a.Dims(), m.n, b.Dims())
	}
	batch, ok := shapes.Broadcast(m.batch, y.Dims()[:y.Rank()-2])
	if !ok {
		extend.Shape(op, []*tensor.Tensor{a, b}, "batches of shapes %v and %v do not broadcast", a.Dims(), b.Dims())
	}
	y = y.BroadcastAs(append(batch, y.Dim(-2), y.Dim(-1))...)
	return m, y, func(x *tensor.Tensor) *tensor.Tensor {
		if vector {
			x = x.Squeeze(-1)
		}
		return x.ToDType(m.dt)
	}
}

// expanded returns the factors broadcast to the batch of columns of a shape.
func (f luFactors) expanded(columns []int) luFactors {
	batch := columns[: len(columns)-2 : len(columns)-2]
	f.of.x = f.of.x.BroadcastAs(append(batch, f.of.n, f.of.n)...)
	f.packed = f.packed.BroadcastAs(append(batch, f.of.n, f.of.n)...).Contiguous()
	f.order, f.inverse = f.order.BroadcastAs(append(batch, f.of.n)...), f.inverse.BroadcastAs(append(batch, f.of.n)...)
	f.of.batch, f.of.count = batch, 1
	for _, n := range batch {
		f.of.count *= n
	}
	return f
}

// SolveTriangular is Solve for triangular matrices a, of which it reads that triangle only. Where a number on the
// diagonal is 0, the elements of the result are infinite or NaN.
func SolveTriangular(a, b *tensor.Tensor, t Triangle) *tensor.Tensor {
	const op = "solve_triangular"
	m, y, out := system(op, a, b)
	at := m.x.BroadcastAs(append(y.Dims()[:y.Rank()-2:y.Rank()-2], m.n, m.n)...)
	plain := at.Detach().Contiguous()
	x := solveWith(op, plain, y.Detach(), t, false)
	return out(extend.ByOperations(x, op, []*tensor.Tensor{at, y},
		func(g, x *tensor.Tensor, from []*tensor.Tensor) []*tensor.Tensor {
			gy := solveWith(op, from[0], g, t, true)
			ga := gy.MatMul(x.H()).Neg()
			switch t {
			case Lower:
				ga = ga.Tril(0)
			case Upper:
				ga = ga.Triu(0)
			case UnitLower:
				ga = ga.Tril(-1)
			default:
				ga = ga.Triu(1)
			}
			return []*tensor.Tensor{ga, gy}
		}))
}

// solveWith solves t·x = b, or t.H()·x = b with adjoint, for triangular matrices and columns of the same batch.
func solveWith(op string, t, b *tensor.Tensor, which Triangle, adjoint bool) *tensor.Tensor {
	switch {
	case !extend.Tracked(t) && !extend.Tracked(b):
	case adjoint:
		return SolveTriangular(t.H(), b, [...]Triangle{Upper, Lower, UnitUpper, UnitLower}[which])
	default:
		return SolveTriangular(t, b, which)
	}
	m := squareOf(op, t.Contiguous())
	if b.ElemCount() == 0 {
		return b
	}
	return m.factorizer().solve(m, b.Contiguous(), which.form(adjoint))
}

// CholeskySolve is Solve for matrices whose factors l [… n n], of Cholesky, are known already.
func CholeskySolve(l, b *tensor.Tensor) *tensor.Tensor {
	return SolveTriangular(l.H(), SolveTriangular(l, b, Lower), Upper)
}

// Inv returns the inverses of square matrices a [… n n]. It panics with ErrSingular. To solve equations, Solve is
// faster and more precise.
func Inv(a *tensor.Tensor) *tensor.Tensor {
	m := squareOf("inv", a)
	if m.x.ElemCount() == 0 {
		return m.x.ToDType(m.dt)
	}
	f := m.lu(false)
	m.fail(f.info, ErrSingular, singular)
	y := f.solve(m.eye(m.n).Contiguous(), false)
	return m.by(y, func(g *tensor.Tensor, _ *tensor.Tensor) *tensor.Tensor {
		return y.H().MatMul(g).MatMul(y.H()).Neg()
	}).ToDType(m.dt)
}

// Det returns the determinants [… ] of square matrices a [… n n].
func Det(a *tensor.Tensor) *tensor.Tensor {
	m := squareOf("det", a)
	if m.n == 0 {
		return m.empty(m.x.Device().Ones(m.dt, m.batch...))
	}
	f := m.lu(false)
	d := Diagonal(f.packed, 0).Prod(-1).Mul(f.sign())
	return m.by(d, func(g, a *tensor.Tensor) *tensor.Tensor { return f.detGradient(a, d, g) }).ToDType(m.dt)
}

// detGradient: gA = g·conj(det)·A⁻ᴴ. Where a matrix is singular, that is g times the adjoint of the adjugate matrix, of
// the singular values.
func (f luFactors) detGradient(a, d, g *tensor.Tensor) *tensor.Tensor {
	for _, at := range f.info {
		if at == 0 {
			continue
		}
		u, s, vh := SVD(a)
		phases := Det(u).Mul(Det(vh)).Conj()
		others := productsOfOthers(s)
		return u.Mul(others.Unsqueeze(-2)).MatMul(vh).Mul(g.Mul(phases).Unsqueeze(-1).Unsqueeze(-1))
	}
	scale := g.Mul(d.Conj()).Unsqueeze(-1).Unsqueeze(-1)
	return f.solveAdjoint(a, f.of.eye(f.of.n)).Mul(scale)
}

// productsOfOthers returns, for each element along the last dim, the product of all others.
func productsOfOthers(s *tensor.Tensor) *tensor.Tensor {
	n := s.Dim(-1)
	before := s.Pad(-1, 1, 0, 1).CumProd(-1).Narrow(-1, 0, n)
	after := s.Pad(-1, 0, 1, 1).Flip(-1).CumProd(-1).Flip(-1).Narrow(-1, 1, n)
	return before.Mul(after)
}

// SlogDet returns the signs [… ] of the determinants of square matrices, -1, 0 or 1, or for complex matrices numbers of
// absolute value 1 or 0, and the logarithms [… ] of their absolute values: -Inf where the sign is 0. They do not
// overflow where Det does.
func SlogDet(a *tensor.Tensor) (sign, logAbs *tensor.Tensor) {
	m := squareOf("slogdet", a)
	dt := m.dt
	if dt.IsComplex() {
		dt = dt.Real()
	}
	if m.n == 0 {
		return m.empty(m.x.Device().Ones(m.dt, m.batch...)), m.empty(m.x.Device().Zeros(dt, m.batch...))
	}
	f := m.lu(false)
	d := Diagonal(f.packed, 0)
	sign, logAbs = d.Sign().Prod(-1).Mul(f.sign()), d.Abs().Log().Sum(-1)
	sign = logAbs.Detach().IsNaN().WhereCond(math.NaN(), sign)
	inverse := func(a *tensor.Tensor) *tensor.Tensor { return f.solveAdjoint(a, f.of.eye(m.n)) }
	if s := sign; m.dt.IsComplex() {
		sign = m.by(s, func(g, a *tensor.Tensor) *tensor.Tensor {
			turn := g.Conj().Mul(s).Imag().Neg().ToDType(m.x.DType()).Mul(1i)
			return inverse(a).Mul(turn.Unsqueeze(-1).Unsqueeze(-1))
		})
	}
	logAbs = m.by(logAbs, func(g, a *tensor.Tensor) *tensor.Tensor {
		return inverse(a).Mul(g.Unsqueeze(-1).Unsqueeze(-1).ToDType(m.x.DType()))
	})
	return sign.ToDType(m.dt), logAbs.ToDType(dt)
}
