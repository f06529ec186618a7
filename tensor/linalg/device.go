package linalg

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg/internal/gpu"
	"github.com/gorocm/gorocm/tensor/linalg/internal/host"
)

// factorizer computes what the functions of the package are made of. It takes plain matrices. info is 0 for each matrix
// that succeeded.
type factorizer interface {
	// lu may factor the transposes if rows is false.
	lu(m matrices, rows bool) luFactors
	// solveLU returns the solution x [… n k] of A·x = b, or Aᴴ·x = b with adjoint, where b has the batch of A.
	solveLU(f luFactors, b *tensor.Tensor, adjoint bool) *tensor.Tensor
	cholesky(m matrices) (l *tensor.Tensor, info []int32)
	qr(m matrices, full bool) (q, r *tensor.Tensor)
	// svd returns u and vh as nil without vectors.
	svd(m matrices, vectors, full bool) (u, s, vh *tensor.Tensor, info []int32)
	// eigh returns v as nil without vectors, as eig does.
	eigh(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32)
	eig(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32)
	schur(m matrices) (t, z *tensor.Tensor, info []int32)
	// solve returns x [… n k] with op(t)·x = b, where b has the batch of t.
	solve(t matrices, b *tensor.Tensor, f host.Form) *tensor.Tensor
}

// factorizer returns what factors the matrices on their device.
func (m matrices) factorizer() factorizer {
	if s, ok := gpu.On(extend.Backend(m.x.Device())); ok && m.x.ElemCount() > 0 {
		return onGPU{s, onHost(m.x.DType())}
	}
	return onHost(m.x.DType())
}

func onHost(dt tensor.DType) factorizer {
	switch dt {
	case tensor.F32:
		return hosted[float32]{}
	case tensor.F64:
		return hosted[float64]{}
	case tensor.C64:
		return hosted[complex64]{}
	}
	return hosted[complex128]{}
}

// hosted factors in the memory of the host, wherever the matrices are.
type hosted[T host.Number] struct{}

// here returns a tensor on the CPU with the elements of x, in row-major order. To change them, it is a copy.
func here(x *tensor.Tensor, change bool) *tensor.Tensor {
	y := x.ToDevice(tensor.CPU())
	if change && y == x {
		y = x.Copy()
	}
	return y.Contiguous()
}

// data are the elements of a tensor on the CPU.
func data[T host.Number](x *tensor.Tensor) []T { return x.Data().([]T) }

// zerosHere returns a batch of matrices of zeros on the CPU.
func (m matrices) zerosHere(rows, cols int) *tensor.Tensor {
	return tensor.CPU().Zeros(m.x.DType(), m.shape(rows, cols)...)
}

// back brings a result to the device of the matrices.
func (m matrices) back(x *tensor.Tensor) *tensor.Tensor { return x.ToDevice(m.x.Device()) }

func (hosted[T]) lu(m matrices, rows bool) (f luFactors) {
	a := here(m.x, true)
	p, info, transposed := host.LU(data[T](a), m.count, m.m, m.n, rows)
	order, inverse := host.Order(p, m.count, m.m, m.n)
	vectors := func(of []int64) *tensor.Tensor { return m.x.Device().FromSlice(of, m.shape(m.m)...) }
	return luFactors{of: m, packed: m.back(a), pivots: m.x.Device().FromSlice(p, m.shape(min(m.m, m.n))...),
		order: vectors(order), inverse: vectors(inverse), transposed: transposed, info: info}
}

func (hosted[T]) solveLU(f luFactors, b *tensor.Tensor, adjoint bool) *tensor.Tensor {
	x := here(b, true)
	order := tensor.ToVec1[int64](f.order.FlattenAll())
	host.SolveLU(data[T](here(f.packed, false)), data[T](x), order, f.of.count, f.of.n, b.Dim(-1), f.transposed,
		adjoint)
	return x.ToDevice(b.Device())
}

func (hosted[T]) cholesky(m matrices) (l *tensor.Tensor, info []int32) {
	a := here(m.x, true)
	info = host.Cholesky(data[T](a), m.count, m.n)
	return m.back(a), info
}

func (hosted[T]) qr(m matrices, full bool) (q, r *tensor.Tensor) {
	k := min(m.m, m.n)
	if full {
		k = m.m
	}
	q, r = m.zerosHere(m.m, k), m.zerosHere(k, m.n)
	host.QR(data[T](here(m.x, true)), data[T](q), data[T](r), m.count, m.m, m.n, k)
	return m.back(q), m.back(r)
}

func (hosted[T]) svd(m matrices, vectors, full bool) (u, s, vh *tensor.Tensor, info []int32) {
	a, k := data[T](here(m.x, true)), min(m.m, m.n)
	cols, rows := k, k
	if full {
		cols, rows = m.m, m.n
	}
	if !vectors {
		values, info := host.SVD(a, nil, nil, m.count, m.m, m.n, cols, rows)
		return nil, m.reals(values, k), nil, info
	}
	u, vh = m.zerosHere(m.m, cols), m.zerosHere(rows, m.n)
	values, info := host.SVD(a, data[T](u), data[T](vh), m.count, m.m, m.n, cols, rows)
	return m.back(u), m.reals(values, k), m.back(vh), info
}

// reals returns vectors of n values in the real type of the matrices.
func (m matrices) reals(values []float64, n int) *tensor.Tensor {
	return m.back(tensor.CPU().FromSlice(values, m.shape(n)...).ToDType(m.x.DType().Real()))
}

func (hosted[T]) eigh(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32) {
	a := here(m.x, true)
	values, info := host.Eigh(data[T](a), m.count, m.n, vectors)
	if vectors {
		v = m.back(a)
	}
	return m.reals(values, m.n), v, info
}

func (hosted[T]) eig(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32) {
	dt := tensor.C64
	if m.x.DType().Real() == tensor.F64 {
		dt = tensor.C128
	}
	values, columns, info := host.Eig(data[T](here(m.x, true)), m.count, m.n, vectors)
	put := func(z []complex128, shape []int) *tensor.Tensor {
		return m.back(tensor.CPU().FromSlice(z, shape...).ToDType(dt))
	}
	if w = put(values, m.shape(m.n)); vectors {
		v = put(columns, m.x.Dims())
	}
	return w, v, info
}

func (hosted[T]) schur(m matrices) (t, z *tensor.Tensor, info []int32) {
	a := here(m.x, true)
	columns, info := host.Schur(data[T](a), m.count, m.n)
	return m.back(a), m.back(tensor.CPU().FromSlice(columns, m.x.Dims()...)), info
}

func (hosted[T]) solve(t matrices, b *tensor.Tensor, f host.Form) *tensor.Tensor {
	x := here(b, true)
	host.SolveTriangular(data[T](here(t.x, false)), data[T](x), t.count, t.n, b.Dim(-1), f)
	return x.ToDevice(b.Device())
}
