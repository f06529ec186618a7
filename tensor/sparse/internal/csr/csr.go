// Package csr multiplies matrices in compressed rows with dense ones: on a GPU by the kernels of kernels/sparse.hip,
// on the host by loops over rows. Sums are made in F64, in an order that depends on shapes and rows alone.
package csr

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Matrix is a sparse matrix: the elements of row i are Values[k] in the columns Cols[k], for k from Offsets[i] to
// below Offsets[i+1].
type Matrix struct {
	Rows    int
	Offsets *tensor.Tensor // I64 [Rows+1]
	Cols    *tensor.Tensor // U32
	Values  *tensor.Tensor // one of kernels.Sparse
}

// MatMul returns the product with x [columns], or [columns n], of the type of the values.
func MatMul(op string, m Matrix, x *tensor.Tensor) *tensor.Tensor {
	shape := append([]int{m.Rows}, x.Dims()[1:]...)
	n := 1
	if x.Rank() == 2 {
		n = x.Dim(1)
	}
	if backend.Product(shape) == 0 || m.Cols.ElemCount() == 0 {
		return tensor.Zeros(shape, x.DType(), x.Device())
	}
	if !isGPU(x.Device()) {
		return hostMatMul(m, x, shape, n)
	}
	elements := m.Cols.ElemCount()
	if n == 1 {
		shift := shiftFor(elements / m.Rows)
		return launch(op, "csr_matvec", x, shape, m.Rows<<shift, func(a *arguments) {
			a.tensors(m.Offsets, m.Cols, m.Values, x).out().U64(uint64(m.Rows)).U64(uint64(shift))
		})
	}
	return launch(op, "csr_matmul", x, shape, m.Rows*n, func(a *arguments) {
		a.tensors(m.Offsets, m.Cols, m.Values, x).out().U64(uint64(m.Rows)).U64(uint64(n))
	})
}

// Sampled returns the products of row rows[k] of a and the conjugate of row cols[k] of b, for each k: elements of
// a·bᴴ. rows and cols are U32; a and b are matrices with rows of the same length.
func Sampled(op string, rows, cols, a, b *tensor.Tensor) *tensor.Tensor {
	count, n := rows.ElemCount(), a.Dim(1)
	if count == 0 || n == 0 {
		return tensor.Zeros([]int{count}, a.DType(), a.Device())
	}
	if !isGPU(a.Device()) {
		return hostSampled(rows, cols, a, b)
	}
	shift := shiftFor(n)
	return launch(op, "csr_sampled", a, []int{count}, count<<shift, func(x *arguments) {
		x.tensors(rows, cols, a, b).out().U64(uint64(count)).U64(uint64(n)).U64(uint64(shift))
	})
}

// shiftFor is the logarithm of the number of threads that share a sum of n products: up to 32.
func shiftFor(n int) (shift int) {
	for shift < 5 && 1<<shift < n {
		shift++
	}
	return shift
}

func isGPU(d *tensor.Device) bool {
	_, ok := extend.Backend(d).(backend.Launcher)
	return ok
}

// arguments are those of a kernel.
type arguments struct {
	*rocm.Args
	op     string
	result backend.Storage
}

// tensors adds tensors, dense.
func (a *arguments) tensors(list ...*tensor.Tensor) *arguments {
	for _, t := range list {
		o := extend.Dense(a.op, t)
		a.Buffer(buffer(o.Store), o.Layout.Offset*o.DType.Size())
	}
	return a
}

func (a *arguments) out() *arguments {
	a.Buffer(buffer(a.result), 0)
	return a
}

func buffer(s backend.Storage) *rocm.Buffer { return s.(backend.DeviceMemory).DeviceBuffer() }

// launch returns a tensor like x that a kernel with so many threads fills.
func launch(
	op, kernel string, x *tensor.Tensor, shape []int, threads int, fill func(a *arguments),
) *tensor.Tensor {
	b, dt := extend.Backend(x.Device()), x.DType()
	return extend.New(op, x.Device(), dt, shape, func() (backend.Storage, error) {
		out, err := b.Alloc(backend.Product(shape) * dt.Size())
		if err != nil {
			return nil, err
		}
		a := &arguments{Args: rocm.NewArgs(), op: op, result: out}
		fill(a)
		const block, maxBlocks = 256, 1 << 16
		grid := [3]int{min((threads+block-1)/block, maxBlocks), 1, 1}
		return out, b.(backend.Launcher).Launch(fmt.Sprintf("%s_%v", kernel, dt), grid, a.Args)
	})
}
