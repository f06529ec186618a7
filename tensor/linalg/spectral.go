package linalg

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// SVD returns the singular value decomposition of matrices a [… m n]: u [… m k] and vh [… k n], whose columns and rows
// are orthonormal, and the singular values s [… k], descending and real, with k = min(m, n). a is u·diag(s)·vh. It
// panics with ErrConvergence, as for elements that are not finite.
//
//	u, s, vh := linalg.SVD(a)
//	low := u.Narrow(-1, 0, 5).Mul(s.Narrow(-1, 0, 5)).MatMul(vh.Narrow(-2, 0, 5)) // the nearest matrix of rank 5
func SVD(a *tensor.Tensor) (u, s, vh *tensor.Tensor) {
	m := matricesOf("svd", a)
	u, s, vh = m.svd(false)
	return u.ToDType(m.dt), s.ToDType(m.real()), vh.ToDType(m.dt)
}

// SVDFull is SVD with all vectors: u [… m m] and vh [… n n]. The gradients of u and vh are errors of kind
// tensor.ErrGradient unless the matrices are square.
func SVDFull(a *tensor.Tensor) (u, s, vh *tensor.Tensor) {
	m := matricesOf("svd", a)
	u, s, vh = m.svd(true)
	return u.ToDType(m.dt), s.ToDType(m.real()), vh.ToDType(m.dt)
}

// real is the type of real results.
func (m matrices) real() tensor.DType {
	if m.dt.IsComplex() {
		return m.dt.Real()
	}
	return m.dt
}

func (m matrices) svd(full bool) (u, s, vh *tensor.Tensor) {
	k := min(m.m, m.n)
	full = full && m.m != m.n
	if m.x.ElemCount() == 0 {
		u, vh = m.eye(m.m), m.eye(m.n)
		if !full {
			u, vh = u.Narrow(-1, 0, k), vh.Narrow(-2, 0, k)
		}
		return m.empty(u), m.empty(m.x.Device().Zeros(m.x.DType().Real(), m.shape(k)...)), m.empty(vh)
	}
	p := m.plain()
	u, s, vh, info := p.factorizer().svd(p, true, full)
	m.fail(info, ErrConvergence, noSingularValues)
	grads := func(gu, gs, gvh *tensor.Tensor) *tensor.Tensor {
		if full && gs == nil {
			extend.Fail(m.op, tensor.ErrGradient, []*tensor.Tensor{m.x}, "linalg.SVD has one",
				"all vectors of %d by %d matrices have no gradient", m.m, m.n)
		}
		return svdGradient(u.Narrow(-1, 0, k), s, vh.Narrow(-2, 0, k), gu, gs, gvh)
	}
	return m.by(u, func(g, _ *tensor.Tensor) *tensor.Tensor { return grads(g, nil, nil) }),
		m.by(s, func(g, _ *tensor.Tensor) *tensor.Tensor { return grads(nil, g, nil) }),
		m.by(vh, func(g, _ *tensor.Tensor) *tensor.Tensor { return grads(nil, nil, g) })
}

// SVDVals returns the singular values of SVD alone, which is faster.
func SVDVals(a *tensor.Tensor) *tensor.Tensor {
	m := matricesOf("svdvals", a)
	if m.x.ElemCount() == 0 || extend.Tracked(a) {
		_, s, _ := m.svd(false)
		return s.ToDType(m.real())
	}
	p := m.plain()
	_, s, _, info := p.factorizer().svd(p, false, false)
	m.fail(info, ErrConvergence, noSingularValues)
	return s.ToDType(m.real())
}

// Eigh returns the eigenvalues w [… n], ascending and real, and the eigenvectors of Hermitian matrices a [… n n], which
// are the orthonormal columns of v [… n n]: a is v·diag(w)·v.H(). It reads the lower triangles. It panics with
// ErrConvergence, as for elements that are not finite.
func Eigh(a *tensor.Tensor) (w, v *tensor.Tensor) {
	m := squareOf("eigh", a)
	w, v = m.eigh()
	return w.ToDType(m.real()), v.ToDType(m.dt)
}

func (m matrices) eigh() (w, v *tensor.Tensor) {
	if m.x.ElemCount() == 0 {
		return m.empty(m.x.Device().Zeros(m.x.DType().Real(), m.shape(m.n)...)), m.x
	}
	p := m.plain()
	w, v, info := p.factorizer().eigh(p, true)
	m.fail(info, ErrConvergence, noEigenvalues)
	return m.by(w, func(g, _ *tensor.Tensor) *tensor.Tensor { return eighGradient(w, v, g, nil) }),
		m.by(v, func(g, _ *tensor.Tensor) *tensor.Tensor { return eighGradient(w, v, nil, g) })
}

// EigValsH returns the eigenvalues of Eigh alone, which is faster.
func EigValsH(a *tensor.Tensor) *tensor.Tensor {
	m := squareOf("eigvalsh", a)
	if m.x.ElemCount() == 0 || extend.Tracked(a) {
		w, _ := m.eigh()
		return w.ToDType(m.real())
	}
	p := m.plain()
	w, _, info := p.factorizer().eigh(p, false)
	m.fail(info, ErrConvergence, noEigenvalues)
	return w.ToDType(m.real())
}

// Eig returns the eigenvalues w [… n] of square matrices a [… n n], in no order, and their eigenvectors of length 1,
// which are the columns of v [… n n]: a·v is v·diag(w). Both are complex: C128 for F64 and C128, else C64. On GPUs the
// matrices are copied to the host. It panics with ErrConvergence, as for elements that are not finite.
func Eig(a *tensor.Tensor) (w, v *tensor.Tensor) { return squareOf("eig", a).eig() }

func (m matrices) eig() (w, v *tensor.Tensor) {
	if m.x.ElemCount() == 0 {
		dt, err := tensor.Promote(m.x.DType(), tensor.C64)
		extend.Check(m.op, m.x.Device(), err)
		return m.empty(m.x.Device().Zeros(dt, m.shape(m.n)...)), m.empty(m.x.Device().Zeros(dt, m.x.Dims()...))
	}
	p := m.plain()
	w, v, info := p.factorizer().eig(p, true)
	m.fail(info, ErrConvergence, noEigenvalues)
	values, vectors := w, v
	back := func(gw, gv *tensor.Tensor) *tensor.Tensor {
		g := eigGradient(values, vectors, gw, gv)
		if !m.x.DType().IsComplex() {
			g = g.Real().Contiguous()
		}
		return g
	}
	return m.by(values, func(g, _ *tensor.Tensor) *tensor.Tensor { return back(g, nil) }),
		m.by(vectors, func(g, _ *tensor.Tensor) *tensor.Tensor { return back(nil, g) })
}

// EigVals returns the eigenvalues of Eig alone, which is faster.
func EigVals(a *tensor.Tensor) *tensor.Tensor {
	m := squareOf("eigvals", a)
	if m.x.ElemCount() == 0 || extend.Tracked(a) {
		w, _ := m.eig()
		return w
	}
	p := m.plain()
	w, _, info := p.factorizer().eig(p, false)
	m.fail(info, ErrConvergence, noEigenvalues)
	return w
}
