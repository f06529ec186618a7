package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
	"github.com/gorocm/gorocm/tensor/sparse"
)

// sparseRows are products with a matrix of 1 M rows with 20 random elements each; bytes are those of the matrix, the
// operand and the result, each read or written once.
func sparseRows() []row {
	const n, each = 1 << 20, 20
	product := func(columns ...int) func(o operands) job {
		return func(o operands) job {
			g := random.New(1)
			rows := o.dev.Arange(tensor.I64, n).Unsqueeze(1).BroadcastAs(n, each).FlattenAll()
			ids := g.Integers(0, n, []int{n * each}, tensor.I64, o.dev)
			m := sparse.FromCOO(rows, ids, g.Normal(0, 1, []int{n * each}, tensor.F32, o.dev), n, n)
			x := g.Normal(0, 1, append([]int{n}, columns...), tensor.F32, o.dev)
			return one(m.ElemCount()*8+n*8+2*x.Bytes(), 2*m.ElemCount()*x.ElemCount()/n, func() *tensor.Tensor {
				return m.MatMul(x)
			})
		}
	}
	return []row{
		{"sparse_matvec", f32, product()},
		{"sparse_matmul_8", f32, product(8)},
		{"sparse_matmul_64", f32, product(64)},
	}
}
