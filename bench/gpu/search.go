package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/linalg"
	"github.com/gorocm/gorocm/tensor/random"
)

// searchRows find numbers among many; bytes are those of the operands and results, each read or written once.
func searchRows() []row {
	const distinct = 1 << 20
	return []row{
		{"unique", f32, func(o operands) job {
			x := random.New(1).Integers(0, distinct, []int{long}, tensor.I64, o.dev)
			return job{bytes: 2 * x.Bytes(), run: func() []*tensor.Tensor {
				values, inverse, counts := x.Unique()
				return []*tensor.Tensor{values, inverse, counts}
			}}
		}},
		{"searchsorted", f32, func(o operands) job {
			sorted, x := o.dev.Arange(tensor.F32, distinct).Div(distinct), o.dev.Rand(tensor.F32, long)
			return one(3*x.Bytes(), 0, func() *tensor.Tensor { return sorted.SearchSorted(x, false) })
		}},
	}
}

// einsumRows are the two products of attention, whose heads lie between positions and elements, as a model's linear
// layers leave them.
func einsumRows() []row {
	const batch, length, heads, dim = 4, 512, 16, 64
	const flops = 2 * batch * heads * length * length * dim
	return []row{
		{"einsum_scores", floats, func(o operands) job {
			q, k := o.randn(batch, length, heads, dim), o.randn(batch, length, heads, dim)
			return one(0, flops, func() *tensor.Tensor { return linalg.Einsum("bqhd,bkhd->bhqk", q, k) })
		}},
		{"einsum_values", floats, func(o operands) job {
			w, v := o.randn(batch, heads, length, length), o.randn(batch, length, heads, dim)
			return one(0, flops, func() *tensor.Tensor { return linalg.Einsum("bhqk,bkhd->bqhd", w, v) })
		}},
	}
}
