package sparse

import (
	"errors"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// ErrConvergence is the kind of the error of an iteration that ends without a solution, for errors.Is.
var ErrConvergence = errors.New("no convergence")

// CG returns the solution x of a·x = b by conjugate gradients (Hestenes and Stiefel, 1952), and the number of steps. a
// [n n] is Hermitian positive definite, b [n] has the type of a. The norm of the residual b - a·x, as the iteration
// updates it, is at most tolerance times the norm of b. A step takes one product with a; it waits for the device.
//
// Gradients are solutions of the same equations, not derivatives of the steps. CG panics with ErrShape or ErrDType for
// other operands, and with ErrConvergence after limit steps, or when a is found not to be positive definite.
func CG(a *Matrix, b *tensor.Tensor, tolerance float64, limit int) (x *tensor.Tensor, steps int) {
	const op = "cg"
	rows, cols := a.Dims()
	extend.SameDevice(op, a.values, b)
	if rows != cols || b.Rank() != 1 || b.Dim(0) != rows {
		extend.Shape(op, []*tensor.Tensor{b}, "want a square matrix and a vector of its size, not [%d %d] and %v", rows,
			cols, b.Dims())
	}
	a.sameType(op, b)
	y, steps := iterate(op, a.With(a.values.Detach()), b.Detach(), tolerance, limit)
	return extend.ByOperations(y, op, []*tensor.Tensor{a.values, b},
		func(g, y *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor {
			h, _ := CG(a.With(operands[0]), g, tolerance, limit)
			return []*tensor.Tensor{a.at.sampled(op, h, y).Neg(), h}
		}), steps
}

// iterate makes the steps of CG.
func iterate(op string, a *Matrix, b *tensor.Tensor, tolerance float64, limit int) (x *tensor.Tensor, steps int) {
	x = b.ZerosLike()
	r, p := b, b
	rr := inner(r, r)
	first := rr.ToScalar() // squares of norms
	for left := first; !(left <= tolerance*tolerance*first); steps++ {
		q := a.MatMul(p)
		pq := inner(p, q)
		step := rr.Div(pq)
		switch {
		case steps == limit:
			extend.Fail(op, ErrConvergence, []*tensor.Tensor{b}, "",
				"the relative residual is %.3g after %d steps, not yet %g", math.Sqrt(left/first), limit, tolerance)
		case !(pq.ToScalar() > 0): // also of NaN
			extend.Fail(op, ErrConvergence, []*tensor.Tensor{b}, "", "the matrix is not positive definite, or not finite")
		}
		x, r = x.Add(p.Mul(step)), r.Sub(q.Mul(step))
		before := rr
		rr = inner(r, r)
		left = rr.ToScalar()
		p = r.Add(p.Mul(rr.Div(before)))
	}
	return x, steps
}

// inner returns the real part of xᴴ·y, a scalar.
func inner(x, y *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsComplex() {
		return x.Conj().Mul(y).Sum().Real()
	}
	return x.Dot(y)
}
