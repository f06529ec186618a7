// Package csr multiplies matrices in compressed rows with dense ones: on a GPU by the kernels of kernels/sparse.hip,
// on the host by loops over rows. Sums are made in F64, in an order that depends on shapes and rows alone. Large
// products on a GPU are those of its maker's library, where there is one.
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
	Offsets *tensor.Tensor        // I64 [Rows+1]
	Short   func() *tensor.Tensor // Offsets as I32, for libraries
	Cols    *tensor.Tensor        // U32
	Values  *tensor.Tensor        // one of kernels.Sparse
}

// MatMul returns the product with x [columns], or [columns n], of the type of the values.
func MatMul(op string, m Matrix, x *tensor.Tensor) *tensor.Tensor {
	shape := append([]int{m.Rows}, x.Dims()[1:]...)
	n := 1
	if x.Rank() == 2 {
		n = x.Dim(1)
	}
	if backend.Product(shape) == 0 || m.Cols.ElemCount() == 0 {
		return x.Device().Zeros(x.DType(), shape...)
	}
	if !isGPU(x.Device()) {
		return hostMatMul(m, x, shape, n)
	}
	return computed(op, x, shape, func(b backend.Backend, out backend.Storage) error {
		if done, err := byLibrary(op, m, x, out, n); done || err != nil {
			return err
		}
		a := &arguments{Args: rocm.NewArgs(), op: op, result: out}
		a.tensors(m.Offsets, m.Cols, m.Values, x).out().U64(uint64(m.Rows))
		if n == 1 {
			shift := shiftFor(m.Cols.ElemCount() / m.Rows)
			return a.U64(uint64(shift)).launch(b, "csr_matvec", x.DType(), m.Rows<<shift)
		}
		return a.U64(uint64(n)).launch(b, "csr_matmul", x.DType(), m.Rows*n)
	})
}

// Sampled returns the products of row rows[k] of a and the conjugate of row cols[k] of b, for each k: elements of
// a·bᴴ. rows and cols are U32; a and b are matrices with rows of the same length.
func Sampled(op string, rows, cols, a, b *tensor.Tensor) *tensor.Tensor {
	count, n := rows.ElemCount(), a.Dim(1)
	if count == 0 || n == 0 {
		return a.Device().Zeros(a.DType(), count)
	}
	if !isGPU(a.Device()) {
		return hostSampled(rows, cols, a, b)
	}
	return computed(op, a, []int{count}, func(on backend.Backend, out backend.Storage) error {
		shift, x := shiftFor(n), &arguments{Args: rocm.NewArgs(), op: op, result: out}
		x.tensors(rows, cols, a, b).out().U64(uint64(count)).U64(uint64(n))
		return x.U64(uint64(shift)).launch(on, "csr_sampled", a.DType(), count<<shift)
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

// U64 adds a number.
func (a *arguments) U64(n uint64) *arguments {
	a.Args.U64(n)
	return a
}

// launch runs a kernel with so many threads.
func (a *arguments) launch(b backend.Backend, kernel string, dt tensor.DType, threads int) error {
	const block, maxBlocks = 256, 1 << 16
	grid := [3]int{min((threads+block-1)/block, maxBlocks), 1, 1}
	return b.(backend.Launcher).Launch(fmt.Sprintf("%s_%v", kernel, dt), grid, a.Args)
}

// computed returns a tensor like x whose elements run computes.
func computed(
	op string, x *tensor.Tensor, shape []int, run func(b backend.Backend, out backend.Storage) error,
) *tensor.Tensor {
	b, dt := extend.Backend(x.Device()), x.DType()
	return extend.New(op, x.Device(), dt, shape, func() (backend.Storage, error) {
		out, err := b.Alloc(backend.Product(shape) * dt.Size())
		if err != nil {
			return nil, err
		}
		return out, run(b, out)
	})
}
