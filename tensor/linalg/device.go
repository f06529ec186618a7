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
	// lu returns the factors [m n] and, for the rows of each product, the row with which it was swapped: I32
	// [min(m,n)].
	lu(m matrices) (factors, pivots *tensor.Tensor, info []int32)
	cholesky(m matrices) (l *tensor.Tensor, info []int32)
	qr(m matrices, full bool) (q, r *tensor.Tensor)
	// svd returns u and vh as nil without vectors.
	svd(m matrices, vectors, full bool) (u, s, vh *tensor.Tensor, info []int32)
	// eigh returns v as nil without vectors, as eig does.
	eigh(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32)
	eig(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32)
	// solve returns x [batch n k] with op(t)·x = b, where b has the batch of t.
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

// elements returns a copy of the elements of a tensor, in row-major order.
func elements[T host.Number](x *tensor.Tensor) []T {
	here := x.ToDevice(tensor.CPU())
	if here == x {
		here = x.Copy()
	}
	return here.Contiguous().Data().([]T)
}

func (hosted[T]) lu(m matrices) (factors, pivots *tensor.Tensor, info []int32) {
	a := elements[T](m.x)
	p, info := host.LU(a, m.count, m.m, m.n)
	dev := m.x.Device()
	return tensor.FromSlice(a, m.x.Dims(), dev), tensor.FromSlice(p, m.shape(min(m.m, m.n)), dev), info
}

func (hosted[T]) cholesky(m matrices) (l *tensor.Tensor, info []int32) {
	a := elements[T](m.x)
	info = host.Cholesky(a, m.count, m.n)
	return tensor.FromSlice(a, m.x.Dims(), m.x.Device()), info
}

func (hosted[T]) qr(m matrices, full bool) (q, r *tensor.Tensor) {
	k := min(m.m, m.n)
	if full {
		k = m.m
	}
	x, y := host.QR(elements[T](m.x), m.count, m.m, m.n, full)
	dev := m.x.Device()
	return tensor.FromSlice(x, m.shape(m.m, k), dev), tensor.FromSlice(y, m.shape(k, m.n), dev)
}

func (hosted[T]) svd(m matrices, vectors, full bool) (u, s, vh *tensor.Tensor, info []int32) {
	k := min(m.m, m.n)
	x, values, y, info := host.SVD(elements[T](m.x), m.count, m.m, m.n, vectors, full)
	s = m.reals(values, k)
	if !vectors {
		return nil, s, nil, info
	}
	cols, rows := k, k
	if full {
		cols, rows = m.m, m.n
	}
	dev := m.x.Device()
	return tensor.FromSlice(x, m.shape(m.m, cols), dev), s, tensor.FromSlice(y, m.shape(rows, m.n), dev), info
}

// reals returns vectors of n values in the real type of the matrices.
func (m matrices) reals(values []float64, n int) *tensor.Tensor {
	return tensor.FromSlice(values, m.shape(n), tensor.CPU()).ToDType(m.x.DType().Real()).ToDevice(m.x.Device())
}

func (hosted[T]) eigh(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32) {
	a := elements[T](m.x)
	values, info := host.Eigh(a, m.count, m.n, vectors)
	if w = m.reals(values, m.n); vectors {
		v = tensor.FromSlice(a, m.x.Dims(), m.x.Device())
	}
	return w, v, info
}

func (hosted[T]) eig(m matrices, vectors bool) (w, v *tensor.Tensor, info []int32) {
	dt := tensor.C64
	if m.x.DType().Real() == tensor.F64 {
		dt = tensor.C128
	}
	values, columns, info := host.Eig(elements[T](m.x), m.count, m.n, vectors)
	put := func(z []complex128, shape []int) *tensor.Tensor {
		return tensor.FromSlice(z, shape, tensor.CPU()).ToDType(dt).ToDevice(m.x.Device())
	}
	if w = put(values, m.shape(m.n)); vectors {
		v = put(columns, m.x.Dims())
	}
	return w, v, info
}

func (hosted[T]) solve(t matrices, b *tensor.Tensor, f host.Form) *tensor.Tensor {
	x := elements[T](b)
	host.SolveTriangular(elements[T](t.x), x, t.count, t.n, b.Dim(-1), f)
	return tensor.FromSlice(x, b.Dims(), b.Device())
}
