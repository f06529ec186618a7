package sparse

import (
	"math"
	"math/cmplx"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// GMRES returns the solution x of a·x = b by the generalised minimal residual method (Saad and Schultz, 1986), and
// the number of steps. a [n n] has an inverse, b [n] its type. The norm of b - a·x is at most tolerance times the
// norm of b. A step takes one product with a, and two with the vectors of the steps since the last restart; restart
// is how many these are at most, such as 30. It waits for the device.
//
// Gradients are solutions of the same equations, not derivatives of the steps. GMRES panics with ErrShape or ErrDType
// for other operands, and with ErrConvergence after limit steps.
func GMRES(a *Matrix, b *tensor.Tensor, restart int, tolerance float64, limit int) (x *tensor.Tensor, steps int) {
	const op = "gmres"
	if restart < 1 {
		extend.Fail(op, tensor.ErrValue, nil, "", "want at least one step between restarts, not %d", restart)
	}
	return a.iterated(op, b, func(a *Matrix, b *tensor.Tensor) (*tensor.Tensor, int) {
		return gmres(op, a, b, restart, tolerance, limit)
	})
}

// BiCGSTAB returns the solution x of a·x = b by the stabilised method of biconjugate gradients (van der Vorst, 1992),
// and the number of steps. It is as GMRES, but keeps few vectors, and takes two products with a in each step; its
// residuals vary.
func BiCGSTAB(a *Matrix, b *tensor.Tensor, tolerance float64, limit int) (x *tensor.Tensor, steps int) {
	const op = "bicgstab"
	return a.iterated(op, b, func(a *Matrix, b *tensor.Tensor) (*tensor.Tensor, int) {
		return bicgstab(op, a, b, tolerance, limit)
	})
}

// iterated checks the operands of an iteration, and returns its result with gradients.
func (a *Matrix) iterated(
	op string, b *tensor.Tensor, run func(a *Matrix, b *tensor.Tensor) (*tensor.Tensor, int),
) (x *tensor.Tensor, steps int) {
	rows, cols := a.Dims()
	extend.SameDevice(op, a.values, b)
	if rows != cols || b.Rank() != 1 || b.Dim(0) != rows {
		extend.Shape(op, []*tensor.Tensor{b}, "want a square matrix and a vector of its size, not [%d %d] and %v", rows,
			cols, b.Dims())
	}
	a.sameType(op, b)
	y, steps := run(a.With(a.values.Detach()), b.Detach())
	return extend.ByOperations(y, op, []*tensor.Tensor{a.values, b},
		func(g, y *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor {
			h, _ := a.With(operands[0]).H().iterated(op, g, run)
			return []*tensor.Tensor{a.at.sampled(op, h, y).Neg(), h}
		}), steps
}

// noSolution panics after too many steps.
func noSolution(op string, b *tensor.Tensor, residual float64, steps int, tolerance float64) {
	extend.Fail(op, ErrConvergence, []*tensor.Tensor{b}, "", "the relative residual is %.3g after %d steps, not yet %g",
		residual, steps, tolerance)
}

// norm is the norm of a vector.
func norm(x *tensor.Tensor) float64 { return math.Sqrt(inner(x, x).ToScalar()) }

// numbers are the elements of a vector as complex numbers.
func numbers(x *tensor.Tensor) []complex128 { return tensor.ToVec1[complex128](x.ToDType(tensor.C128)) }

// vectorOf are numbers as a vector of the type of x.
func vectorOf(list []complex128, x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsComplex() {
		return x.Device().New(list).ToDType(x.DType())
	}
	parts := make([]float64, len(list))
	for i, c := range list {
		parts[i] = real(c)
	}
	return x.Device().New(parts).ToDType(x.DType())
}

// basis are orthonormal vectors, the rows of a matrix.
type basis struct {
	rows  *tensor.Tensor // [most n]
	count int
}

func newBasis(most int, like *tensor.Tensor) *basis {
	return &basis{rows: like.Device().Zeros(like.DType(), most, like.Dim(0))}
}

// add adds a vector of length 1.
func (v *basis) add(x *tensor.Tensor) {
	v.rows.SliceSet(x.Unsqueeze(0), 0, v.count)
	v.count++
}

// all are the vectors that were added.
func (v *basis) all() *tensor.Tensor { return v.rows.Narrow(0, 0, v.count) }

// reduce subtracts from w its components along the vectors, twice for its rounding errors, and returns them and the
// norm of what is left. It waits for the device.
func (v *basis) reduce(w *tensor.Tensor) (left *tensor.Tensor, h []complex128, size float64) {
	rows := v.all()
	h1 := rows.Conj().MatMul(w)
	w = w.Sub(h1.MatMul(rows))
	h2 := rows.Conj().MatMul(w)
	w = w.Sub(h2.MatMul(rows))
	square := inner(w, w)
	both := tensor.Cat([]*tensor.Tensor{h1.Add(h2), square.Unsqueeze(0).ToDType(w.DType())}, 0)
	list := numbers(both) // one copy to the host
	return w, list[:v.count], math.Sqrt(real(list[v.count]))
}

// gmres restarts from the residual until it is small enough.
func gmres(op string, a *Matrix, b *tensor.Tensor, restart int, tolerance float64, limit int) (*tensor.Tensor, int) {
	x, size, steps := b.ZerosLike(), norm(b), 0
	for r := b; ; r = b.Sub(a.MatMul(x)) {
		left := norm(r)
		if left <= tolerance*size {
			return x, steps
		}
		if steps >= limit || math.IsNaN(left) {
			noSolution(op, b, left/size, steps, tolerance)
		}
		y, vectors, taken := arnoldi(a, r, left, min(restart, limit-steps, b.Dim(0)), tolerance*size)
		steps += taken
		if len(y) > 0 {
			x = x.Add(vectorOf(y, b).MatMul(vectors))
		}
	}
}

// arnoldi returns the combination y of orthonormal vectors that makes the residual r - a·(y·vectors) least, in at
// most so many steps. Rotations bring the matrix of a in the basis to triangular form, and tell the residual.
func arnoldi(a *Matrix, r *tensor.Tensor, size float64, most int, enough float64) ([]complex128, *tensor.Tensor, int) {
	v := newBasis(most+1, r)
	v.add(r.Mul(1 / size))
	var columns, rotations [][]complex128
	rest := []complex128{complex(size, 0)}
	for k := 0; k < most; k++ {
		w, h, below := v.reduce(a.MatMul(v.rows.Get(k)))
		for i, g := range rotations {
			h[i], h[i+1] = g[0]*h[i]+g[1]*h[i+1], -cmplx.Conj(g[1])*h[i]+g[0]*h[i+1]
		}
		length := math.Hypot(cmplx.Abs(h[k]), below)
		if length == 0 || math.IsNaN(length) { // a is singular for these vectors
			break
		}
		c, s := complex(1, 0), complex(0, 0)
		if top := cmplx.Abs(h[k]); top == 0 {
			c, s = 0, 1
		} else {
			c, s = complex(top/length, 0), h[k]/complex(top, 0)*complex(below/length, 0)
		}
		rotations = append(rotations, []complex128{c, s})
		h[k] = c*h[k] + s*complex(below, 0)
		columns = append(columns, h[:k+1])
		rest = append(rest, -cmplx.Conj(s)*rest[k])
		rest[k] *= c
		if below <= 1e-14*length || cmplx.Abs(rest[k+1]) <= enough {
			break
		}
		v.add(w.Mul(1 / below))
	}
	n := len(columns)
	y := make([]complex128, n)
	for i := n - 1; i >= 0; i-- {
		y[i] = rest[i]
		for j := i + 1; j < n; j++ {
			y[i] -= columns[j][i] * y[j]
		}
		y[i] /= columns[i][i]
	}
	return y, v.rows.Narrow(0, 0, n), max(n, 1)
}

func bicgstab(op string, a *Matrix, b *tensor.Tensor, tolerance float64, limit int) (*tensor.Tensor, int) {
	x, size := b.ZerosLike(), norm(b)
	dot := func(x, y *tensor.Tensor) *tensor.Tensor { return x.Conj().Mul(y).Sum() }
	r := b
	shadow, p, rho := r, r, dot(r, r)
	left := size
	for steps := 0; ; steps++ {
		if left <= tolerance*size {
			if r = b.Sub(a.MatMul(x)); norm(r) <= tolerance*size { // and not by updates alone
				return x, steps
			}
			shadow, p, rho = r, r, dot(r, r)
		}
		if steps >= limit {
			noSolution(op, b, left/size, steps, tolerance)
		}
		v := a.MatMul(p)
		alpha := rho.Div(dot(shadow, v))
		s := r.Sub(v.Mul(alpha))
		t := a.MatMul(s)
		omega := dot(t, s).Div(dot(t, t))
		next := x.Add(p.Mul(alpha)).Add(s.Mul(omega))
		q := s.Sub(t.Mul(omega))
		before := rho
		rho = dot(shadow, q)
		state := tensor.Stack([]*tensor.Tensor{inner(q, q).ToDType(q.DType()), inner(s, s).ToDType(q.DType()), rho}, 0)
		list := numbers(state)
		square, half := real(list[0]), math.Sqrt(real(list[1]))
		switch {
		case half <= tolerance*size: // s is the residual: omega may be 0/0
			x, r, left = x.Add(p.Mul(alpha)), s, half
			shadow, p, rho = r, r, dot(r, r)
			continue
		case math.IsNaN(square) || math.IsInf(square, 0):
			extend.Fail(op, ErrConvergence, []*tensor.Tensor{b}, "",
				"the iteration breaks down after %d steps, at a relative residual of %.3g", steps, left/size)
		case cmplx.Abs(list[2]) <= 1e-28*size*size: // the shadow has nothing of the residual: begin again with it
			x = next
			r = b.Sub(a.MatMul(x))
			shadow, p, rho, left = r, r, dot(r, r), norm(r)
			continue
		}
		x, r, left = next, q, math.Sqrt(square)
		p = r.Add(p.Sub(v.Mul(omega)).Mul(rho.Div(before).Mul(alpha.Div(omega))))
	}
}
