package linalg

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Cholesky returns the lower triangular factors l with real positive diagonals of Hermitian positive definite matrices
// a [… n n]: a is l·l.H(). It reads the lower triangles. It panics with ErrNotPositiveDefinite.
func Cholesky(a *tensor.Tensor) *tensor.Tensor {
	m := squareOf("cholesky", a)
	return m.cholesky().ToDType(m.dt)
}

func (m matrices) cholesky() *tensor.Tensor {
	if m.x.ElemCount() == 0 {
		return m.x
	}
	p := m.plain()
	l, info := p.factorizer().cholesky(p)
	m.fail(info, ErrNotPositiveDefinite, notPositive)
	return m.by(l, func(g, _ *tensor.Tensor) *tensor.Tensor { return choleskyGradient(l, g) })
}

// by returns a result y of the matrices with the way to its gradient: from that of y, and from the matrices. back may
// use results that were given to by: they are plain, and have gradients where its own has some.
func (m matrices) by(y *tensor.Tensor, back func(g, a *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	return extend.ByOperations(y, m.op, []*tensor.Tensor{m.x},
		func(g, _ *tensor.Tensor, from []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{back(g, from[0])}
		})
}

// empty returns a result y of matrices without elements, on which it depends as other results do.
func (m matrices) empty(y *tensor.Tensor) *tensor.Tensor {
	return m.by(y, func(_, a *tensor.Tensor) *tensor.Tensor { return a.ZerosLike() })
}

// plain returns the matrices without the way to their gradients, contiguous.
func (m matrices) plain() matrices {
	m.x = m.x.Detach().Contiguous()
	return m
}

// QR returns factors of matrices a [… m n]: q [… m k], whose columns are orthonormal, and r [… k n], which is upper
// triangular, with k = min(m, n). a is q·r. The signs, or phases, of the columns are arbitrary.
func QR(a *tensor.Tensor) (q, r *tensor.Tensor) {
	m := matricesOf("qr", a)
	q, r = m.qr(false)
	return q.ToDType(m.dt), r.ToDType(m.dt)
}

// QRFull is QR with all columns: q [… m m] and r [… m n]. Below square matrices, its gradient is an error of kind
// tensor.ErrGradient.
func QRFull(a *tensor.Tensor) (q, r *tensor.Tensor) {
	m := matricesOf("qr", a)
	q, r = m.qr(true)
	return q.ToDType(m.dt), r.ToDType(m.dt)
}

func (m matrices) qr(full bool) (q, r *tensor.Tensor) {
	k := min(m.m, m.n)
	if full {
		k = m.m
	}
	if m.x.ElemCount() == 0 {
		return m.empty(m.eye(m.m).Narrow(-1, 0, k)), m.empty(m.zeros(k, m.n))
	}
	p := m.plain()
	q, r = p.factorizer().qr(p, full)
	grads := func(gq, gr *tensor.Tensor) *tensor.Tensor {
		if k > m.n {
			extend.Fail(m.op, tensor.ErrGradient, []*tensor.Tensor{m.x}, "linalg.QR has one",
				"full factors of %d by %d matrices have no gradient", m.m, m.n)
		}
		return qrGradient(q, r, gq, gr)
	}
	return m.by(q, func(g, _ *tensor.Tensor) *tensor.Tensor { return grads(g, nil) }),
		m.by(r, func(g, _ *tensor.Tensor) *tensor.Tensor { return grads(nil, g) })
}

// zeros returns matrices of zeros in the type of m.
func (m matrices) zeros(rows, cols int) *tensor.Tensor {
	return m.x.Device().Zeros(m.x.DType(), m.shape(rows, cols)...)
}

// LU returns factors of matrices a [… m n] by elimination with partial pivoting: permutations p [… m m], l [… m k],
// lower triangular with ones on the diagonal, and u [… k n], upper triangular, with k = min(m, n). a is p·l·u.
func LU(a *tensor.Tensor) (p, l, u *tensor.Tensor) {
	m := matricesOf("lu", a)
	if m.x.ElemCount() == 0 {
		k, p := min(m.m, m.n), m.eye(m.m)
		l, u = m.empty(p.Narrow(-1, 0, k)), m.empty(m.zeros(k, m.n))
		return p.ToDType(m.dt), l.ToDType(m.dt), u.ToDType(m.dt)
	}
	f := m.lu(true)
	lower, upper := f.triangles()
	p = f.permutation()
	l = m.by(lower, func(g, _ *tensor.Tensor) *tensor.Tensor { return luGradient(p, lower, upper, g, nil) })
	u = m.by(upper, func(g, _ *tensor.Tensor) *tensor.Tensor { return luGradient(p, lower, upper, nil, g) })
	return p.ToDType(m.dt), l.ToDType(m.dt), u.ToDType(m.dt)
}
