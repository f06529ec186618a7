package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// identity is two expressions with the same bits, of x and y [4 6 10] and of a permutation of 6 ids.
type identity struct {
	name string
	on   []tensor.DType
	a, b func(x, y, ids *tensor.Tensor) *tensor.Tensor
}

var identities = []identity{
	{"sums commute", kernels.Numbers,
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Add(y) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return y.Add(x) }},
	{"products commute", kernels.Numbers,
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Mul(y) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return y.Mul(x) }},
	{"a difference is the other one transposed round", kernels.Floats,
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Sub(y) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return y.Sub(x).Neg() }},
	{"a square is a product", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Sqr() },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Mul(x) }},
	{"maximum and minimum add up to the sum", kernels.Numbers,
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Maximum(y).Add(x.Minimum(y)) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Add(y) }},
	{"a comparison chooses the maximum", kernels.Numbers,
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Gt(y).WhereCond(x, y) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Maximum(y) }},
	{"sign and size make the number", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Sign().Mul(x.Abs()) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"flips undo each other", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Flip(0, 2).Flip(2).Flip(0) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"rolls undo each other", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Roll(7, 1).Roll(-7, 1) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"parts make the whole", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return tensor.Cat(x.Chunk(3, 2), 2) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"slices make the whole", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor {
			return tensor.Stack([]*tensor.Tensor{x.Get(0), x.Get(1), x.Get(2), x.Get(3)}, 0)
		}, func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"a permutation scattered and gathered", kernels.Numbers,
		func(x, y, ids *tensor.Tensor) *tensor.Tensor {
			all := ids.Reshape(1, 6, 1).BroadcastAs(4, 6, 10)
			return x.Scatter(all, y, 1).Gather(all, 1)
		}, func(_, y, _ *tensor.Tensor) *tensor.Tensor { return y }},
	{"slices are picked or gathered", kernels.Numbers,
		func(x, _, ids *tensor.Tensor) *tensor.Tensor { return x.IndexSelect(ids, 1) },
		func(x, _, ids *tensor.Tensor) *tensor.Tensor {
			return x.Gather(ids.Reshape(1, 6, 1).BroadcastAs(4, 6, 10), 1)
		}},
	{"what is added by a permutation", kernels.Numbers,
		func(x, y, ids *tensor.Tensor) *tensor.Tensor { return x.IndexAdd(ids, y.IndexSelect(ids, 1), 1) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Add(y) }},
	{"the maximum is where it is said to be", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Gather(x.ArgMaxKeepDim(1), 1) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.MaxKeepDim(1) }},
	{"the least comes first", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(1, true); return v.Narrow(1, 0, 1) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.MinKeepDim(1) }},
	{"an order transposed round", kernels.Ints,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(2, false); return v.Flip(2) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(2, true); return v }},
	{"the last running sum is the sum", kernels.Ints,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.CumSum(1).Narrow(1, 5, 1) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.SumKeepDim(1) }},
	{"sums over one dim after the other", kernels.Ints,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Sum(2).Sum(0) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Sum(0, 2) }},
	{"windows are runs", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.MaxPool2dWithStride(1, 3, 1, 2) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Unfold(2, 3, 2).Max(3) }},
	{"a triangle and the rest", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Tril(1).Add(x.Triu(2)) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"transposed products of whole numbers", kernels.Floats,
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return x.Round().MatMul(y.Round().T()) },
		func(x, y, _ *tensor.Tensor) *tensor.Tensor { return y.Round().MatMul(x.Round().T()).T() }},
	{"a product with one", kernels.Floats,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor {
			return x.MatMul(x.Device().Eye(x.DType(), 10))
		}, func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"widened and narrowed", []tensor.DType{tensor.F16, tensor.BF16, tensor.F8E4M3, tensor.U8, tensor.I16},
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F32).ToDType(x.DType()) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
	{"there and back", kernels.Numbers,
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F64).ToDType(x.DType()) },
		func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x }},
}

// identity checks that different expressions have the same elements, on views of every kind.
func (k kit) identity(t T) {
	layouts := []struct {
		name  string
		shape []int
		view  func(*tensor.Tensor) *tensor.Tensor
	}{
		{"dense", []int{4, 6, 10}, asIs},
		{"transposed", []int{10, 4, 6}, func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(1, 2, 0) }},
		{"part", []int{5, 13, 12}, func(t *tensor.Tensor) *tensor.Tensor { return t.I("1:, 1::2, 1:11") }},
		{"repeated", []int{4, 1, 10}, func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs(4, 6, 10) }},
	}
	ids := k.dev.New([]int64{3, 0, 5, 1, 4, 2})
	for i, c := range identities {
		for n, dt := range c.on {
			for _, l := range some(k, layouts, 4, i+n) {
				run(t, fmt.Sprintf("%s/%v/%s", c.name, dt, l.name), func(t T) {
					_, x := k.input(dt, l.shape, 110, 2, false)
					_, y := k.input(dt, l.shape, 111, 2, false)
					x, y = l.view(x), l.view(y)
					a, b := c.a(x, y, ids), c.b(x, y, ids)
					if !slices.Equal(a.Dims(), b.Dims()) || a.DType() != b.DType() {
						t.Fatalf("%v of %v, and %v of %v", a.Dims(), a.DType(), b.Dims(), b.DType())
					}
					p, q := a.Float64s(), b.Float64s()
					for i := range p {
						if p[i] != q[i] && !(math.IsNaN(p[i]) && math.IsNaN(q[i])) {
							t.Fatalf("element %d: %v and %v", i, p[i], q[i])
						}
					}
				})
			}
		}
	}
}
