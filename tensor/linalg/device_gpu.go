package linalg

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg/internal/gpu"
	"github.com/gorocm/gorocm/tensor/linalg/internal/host"
)

// onGPU factors with kernels and libraries of a GPU, and on the host what they do not take.
type onGPU struct {
	solver *gpu.Solver
	factorizer
}

// result is a tensor [batch dims] of what a solver has computed.
func (m matrices) result(s backend.Storage, dt tensor.DType, dims ...int) *tensor.Tensor {
	return extend.New(m.op, m.x.Device(), dt, m.shape(dims...), func() (backend.Storage, error) { return s, nil })
}

// failures brings the numbers of the matrices that failed to the host.
func (m matrices) failures(s backend.Storage) []int32 {
	return tensor.ToVec1[int32](m.result(s, tensor.I32).FlattenAll())
}

func (g onGPU) lu(m matrices, rows bool) luFactors {
	f, p, failed, ok, err := g.solver.LU(extend.Dense(m.op, m.x), m.count, m.m, m.n)
	extend.Check(m.op, m.x.Device(), err)
	if !ok {
		return g.factorizer.lu(m, rows)
	}
	order, inverse, err := g.solver.Order(p, m.count, m.m, m.n)
	extend.Check(m.op, m.x.Device(), err)
	return luFactors{of: m, packed: m.result(f, m.x.DType(), m.m, m.n), pivots: m.result(p, tensor.I32, min(m.m, m.n)),
		order: m.result(order, tensor.I64, m.m), inverse: m.result(inverse, tensor.I64, m.m), info: m.failures(failed)}
}

func (g onGPU) solveLU(f luFactors, b *tensor.Tensor, adjoint bool) *tensor.Tensor {
	t := f.of
	t.x = f.packed
	first, second, before := host.LUForms(f.transposed, adjoint)
	if before {
		return g.solve(t, g.solve(t, permuted(b, f.order), first), second)
	}
	return permuted(g.solve(t, g.solve(t, b, first), second), f.inverse)
}

func (g onGPU) cholesky(m matrices) (l *tensor.Tensor, info []int32) {
	f, failed, ok, err := g.solver.Cholesky(extend.Dense(m.op, m.x), m.count, m.n)
	extend.Check(m.op, m.x.Device(), err)
	if !ok {
		return g.factorizer.cholesky(m)
	}
	return m.result(f, m.x.DType(), m.n, m.n), m.failures(failed)
}

func (g onGPU) qr(m matrices, full bool) (q, r *tensor.Tensor) {
	x, y, ok, err := g.solver.QR(extend.Dense(m.op, m.x), m.count, m.m, m.n, full)
	extend.Check(m.op, m.x.Device(), err)
	if !ok {
		return g.factorizer.qr(m, full)
	}
	k := min(m.m, m.n)
	if full {
		k = m.m
	}
	return m.result(x, m.x.DType(), m.m, k), m.result(y, m.x.DType(), k, m.n)
}

func (g onGPU) svd(m matrices, vectors, full bool) (u, s, vh *tensor.Tensor, info []int32) {
	x, values, y, failed, ok, err := g.solver.SVD(extend.Dense(m.op, m.x), m.count, m.m, m.n, vectors, full)
	extend.Check(m.op, m.x.Device(), err)
	if !ok {
		return g.factorizer.svd(m, vectors, full)
	}
	k := min(m.m, m.n)
	s, info = m.result(values, m.x.DType().Real(), k), m.failures(failed)
	if !vectors {
		return nil, s, nil, info
	}
	cols, rows := k, k
	if full {
		cols, rows = m.m, m.n
	}
	return m.result(x, m.x.DType(), m.m, cols), s, m.result(y, m.x.DType(), rows, m.n), info
}

func (g onGPU) eigh(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32) {
	values, x, failed, ok, err := g.solver.Eigh(extend.Dense(m.op, m.x), m.count, m.n, vectors)
	extend.Check(m.op, m.x.Device(), err)
	if !ok {
		return g.factorizer.eigh(m, vectors)
	}
	if w = m.result(values, m.x.DType().Real(), m.n); vectors {
		v = m.result(x, m.x.DType(), m.n, m.n)
	}
	return w, v, m.failures(failed)
}

func (g onGPU) solve(t matrices, b *tensor.Tensor, f host.Form) *tensor.Tensor {
	x, ok, err := g.solver.SolveTriangular(extend.Dense(t.op, t.x), extend.Dense(t.op, b), t.count, t.n, b.Dim(-1),
		f.Upper, f.Transposed, f.Conjugated, f.Unit)
	extend.Check(t.op, b.Device(), err)
	if !ok {
		return g.factorizer.solve(t, b, f)
	}
	return t.result(x, b.DType(), t.n, b.Dim(-1))
}
