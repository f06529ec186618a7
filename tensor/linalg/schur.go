package linalg

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Schur returns the Schur form of square matrices a [… n n]: a is z·t·z.H(), where z is unitary. Of complex matrices, t
// is upper triangular, with the eigenvalues on its diagonal in no order. Of real ones, t and z are real, and t has a
// block of 2 by 2 on its diagonal for each pair of conjugate eigenvalues: linalg.Schur(a.ToDType(tensor.C128)) is the
// triangular form. On GPUs the matrices are copied to the host. Gradients are errors of kind tensor.ErrGradient. It
// panics with ErrConvergence, as for elements that are not finite.
func Schur(a *tensor.Tensor) (t, z *tensor.Tensor) {
	const op = "schur"
	m := squareOf(op, a)
	if m.x.ElemCount() == 0 {
		return a.ToDType(m.dt), a.ToDType(m.dt)
	}
	p := m.plain()
	t, z, info := p.factorizer().schur(p)
	m.fail(info, ErrConvergence, noEigenvalues)
	return m.without(t).ToDType(m.dt), m.without(z).ToDType(m.dt)
}

// without is a result whose gradients are errors.
func (m matrices) without(y *tensor.Tensor) *tensor.Tensor {
	return m.by(y, func(_, _ *tensor.Tensor) *tensor.Tensor {
		extend.Fail(m.op, tensor.ErrGradient, []*tensor.Tensor{m.x}, "linalg.Eig and linalg.Eigh have gradients",
			"the Schur form has no gradient")
		return nil
	})
}
