package main

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// Matrices of factorisations: a large one, smaller where iterations take some hundred times as long; and many small
// ones.
const (
	largeFactor  = 4096
	largeSVD     = 1024
	smallFactor  = 32
	smallFactors = 10_000
)

// linalgRows are factorisations of a large matrix, which are the work of the maker's library, and of many small ones,
// which are that of kernels.
func linalgRows() (list []row) {
	for _, r := range []struct {
		name  string
		side  int
		flops float64 // over side³; 0 where iterations decide
		f     func(a *tensor.Tensor) []*tensor.Tensor
	}{
		{"solve", largeFactor, 2. / 3, func(a *tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{linalg.Solve(a, a.Narrow(-1, 0, 1))}
		}},
		{"cholesky", largeFactor, 1. / 3, func(a *tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{linalg.Cholesky(a)}
		}},
		{"qr", largeFactor, 8. / 3, func(a *tensor.Tensor) []*tensor.Tensor {
			q, r := linalg.QR(a)
			return []*tensor.Tensor{q, r}
		}},
		{"svd", largeSVD, 0, func(a *tensor.Tensor) []*tensor.Tensor {
			u, s, vh := linalg.SVD(a)
			return []*tensor.Tensor{u, s, vh}
		}},
		{"eigh", largeSVD, 0, func(a *tensor.Tensor) []*tensor.Tensor {
			w, v := linalg.Eigh(a)
			return []*tensor.Tensor{w, v}
		}},
	} {
		for _, size := range []struct {
			name        string
			batch, side int
		}{{fmt.Sprint(r.name, "_", r.side), 1, r.side}, {r.name + "_batch", smallFactors, smallFactor}} {
			list = append(list, row{size.name, []tensor.DType{tensor.F32, tensor.F64}, func(o operands) job {
				a := positive(o, size.batch, size.side)
				flops := r.flops * float64(size.batch) * float64(size.side*size.side) * float64(size.side)
				return job{bytes: 2 * a.Bytes(), flops: int(flops), run: func() []*tensor.Tensor { return r.f(a) }}
			}})
		}
	}
	return list
}

// positive is a batch of symmetric positive definite matrices, which all factorisations take.
func positive(o operands, batch, n int) *tensor.Tensor {
	g := o.randn(batch, n, n)
	return g.MatMul(g.Transpose(-1, -2)).Add(o.dev.Eye(o.dt, n).Mul(n))
}
