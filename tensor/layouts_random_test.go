package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// viewed is a view, and which elements of the tensor below it it has, in order.
type viewed struct {
	x     *tensor.Tensor
	shape []int
	at    []int
	steps string // how it was made
}

// pick keeps the elements of a dim whose numbers are given.
func (v viewed) pick(dim int, ids []int) (shape, at []int) {
	shape = slices.Clone(v.shape)
	inner, n := 1, shape[dim]
	for _, s := range shape[dim+1:] {
		inner *= s
	}
	shape[dim] = len(ids)
	for outer := 0; outer*n*inner < len(v.at); outer++ {
		for _, id := range ids {
			from := (outer*n + id) * inner
			at = append(at, v.at[from:from+inner]...)
		}
	}
	return shape, at
}

// step takes a random view of the view.
func (v viewed) step(r *rand.Rand) viewed {
	rank := len(v.shape)
	if rank == 0 {
		return v
	}
	d := r.IntN(rank)
	n := v.shape[d]
	switch kind := r.IntN(6); kind {
	case 0: // permuted
		order := r.Perm(rank)
		w := viewed{x: v.x.Permute(order...), steps: fmt.Sprintf("%s.Permute(%v)", v.steps, order)}
		strides := make([]int, rank)
		for i, s := rank-1, 1; i >= 0; i-- {
			strides[i], s = s, s*v.shape[i]
		}
		for _, k := range order {
			w.shape = append(w.shape, v.shape[k])
		}
		w.at = make([]int, len(v.at))
		for i := range w.at {
			from, rest := 0, i
			for k := rank - 1; k >= 0; k-- {
				from, rest = from+rest%w.shape[k]*strides[order[k]], rest/w.shape[k]
			}
			w.at[i] = v.at[from]
		}
		return w
	case 1: // a part, which may be empty
		from := r.IntN(n + 1)
		count := r.IntN(n - from + 1)
		if r.IntN(8) > 0 {
			from, count = from/2, max(count, min(1, n-from/2))
		}
		var ids []int
		for i := range count {
			ids = append(ids, from+i)
		}
		v.steps += fmt.Sprintf(".Narrow(%d, %d, %d)", d, from, count)
		v.shape, v.at = v.pick(d, ids)
		v.x = v.x.Narrow(d, from, count)
		return v
	case 2, 3: // every so many elements, in either direction
		by := []int{2, 3, -1, -2, -3}[r.IntN(5)]
		var ids []int
		for i := 0; i < n; i += max(by, -by) {
			if by > 0 {
				ids = append(ids, i)
			} else {
				ids = append(ids, n-1-i)
			}
		}
		index := make([]any, d+1)
		for i := range index {
			index[i] = tensor.All
		}
		index[d] = tensor.All.By(by)
		v.steps += fmt.Sprintf(".By(%d) of dim %d", by, d)
		v.shape, v.at = v.pick(d, ids)
		v.x = v.x.I(index...)
		return v
	case 4: // repeated by broadcasting
		if rank > 3 {
			return v
		}
		times := 1 + r.IntN(3)
		v.steps += fmt.Sprintf(".BroadcastLeft(%d)", times)
		v.at = slices.Repeat(v.at, times)
		v.shape = append([]int{times}, v.shape...)
		v.x = v.x.Unsqueeze(0).BroadcastAs(v.shape...)
		return v
	default: // one element of a dim
		if n == 0 || rank < 2 {
			return v
		}
		id := r.IntN(n)
		v.steps += fmt.Sprintf(".GetOnDim(%d, %d)", d, id)
		v.shape, v.at = v.pick(d, []int{id})
		v.shape = slices.Delete(v.shape, d, d+1)
		v.x = v.x.GetOnDim(d, id)
		return v
	}
}

// layoutOps are operations that take views in ways of their own. dims are some of the dims of x.
var layoutOps = map[string]func(x, y *tensor.Tensor, dims []int) *tensor.Tensor{
	"Neg":      func(x, _ *tensor.Tensor, _ []int) *tensor.Tensor { return x.Neg() },
	"Abs":      func(x, _ *tensor.Tensor, _ []int) *tensor.Tensor { return x.Abs() },
	"Sigmoid":  func(x, _ *tensor.Tensor, _ []int) *tensor.Tensor { return x.Sigmoid() },
	"Affine":   func(x, _ *tensor.Tensor, _ []int) *tensor.Tensor { return x.Affine(2, 1) },
	"Add":      func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return x.Add(y) },
	"Sub":      func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return y.Sub(x) },
	"Mul":      func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return x.Mul(y) },
	"Maximum":  func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return x.Maximum(y) },
	"Lt":       func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return x.Lt(y) },
	"chain":    func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return x.Add(y).Mul(x).Sub(1) },
	"Where":    func(x, y *tensor.Tensor, _ []int) *tensor.Tensor { return x.Gt(0).WhereCond(x, y) },
	"Sum":      func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.Sum(dims...) },
	"sum of a": func(x, y *tensor.Tensor, dims []int) *tensor.Tensor { return x.Mul(y).SumKeepDim(dims...) },
	"Mean":     func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.Mean(dims...) },
	"Max":      func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.Max(dims...) },
	"Min":      func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.MinKeepDim(dims...) },
	"Any":      func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.Gt(2).Any(dims...) },
	"ArgMax":   func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.ArgMax(dims[0]) },
	"CumSum":   func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.CumSum(dims[0]) },
	"Sort":     func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { y, _ := x.Sort(dims[0], true); return y },
	"Reshape":  func(x, _ *tensor.Tensor, _ []int) *tensor.Tensor { return x.FlattenAll() },
	"ToDType":  func(x, _ *tensor.Tensor, _ []int) *tensor.Tensor { return x.ToDType(tensor.I64) },
	"Cat": func(x, y *tensor.Tensor, dims []int) *tensor.Tensor {
		return tensor.Cat([]*tensor.Tensor{x, y}, dims[0])
	},
	"Flip": func(x, _ *tensor.Tensor, dims []int) *tensor.Tensor { return x.Flip(dims[0]) },
}

// TestRandomLayouts: operations on random views of views have the results of dense tensors of the same elements, which
// Go picks. The elements are small whole numbers, so that sums are exact in any order.
func TestRandomLayouts(t *testing.T) {
	names := make([]string, 0, len(layoutOps))
	for name := range layoutOps {
		names = append(names, name)
	}
	slices.Sort(names)
	types := []tensor.DType{tensor.Bool, tensor.U8, tensor.I8, tensor.U16, tensor.I16, tensor.U32, tensor.I32, tensor.U64,
		tensor.I64, tensor.F16, tensor.BF16, tensor.F32, tensor.F64, tensor.C64, tensor.C128}
	for spec, cases := range map[string]int{"cpu": 150, "rocm": 30} {
		dev := device(t, spec)
		if thorough.On() {
			cases *= 20
		}
		for seed := range uint64(cases) {
			r := rand.New(rand.NewPCG(seed, 11))
			dt := types[r.IntN(len(types))]
			base := make([]int, 1+r.IntN(4))
			count := 1
			for i := range base {
				base[i] = 1 + r.IntN(6)
				count *= base[i]
			}
			values := make([]float64, count)
			for i := range values {
				values[i] = float64(r.IntN(15) - 4)
			}
			of := func(shape []int, values []float64) *tensor.Tensor { return dev.FromSlice(values, shape...).ToDType(dt) }
			v := viewed{x: of(base, values), shape: slices.Clone(base), steps: fmt.Sprint(base)}
			for i := range values {
				v.at = append(v.at, i)
			}
			for range r.IntN(5) {
				v = v.step(r)
			}
			picked := make([]float64, len(v.at))
			for i, at := range v.at {
				picked[i] = values[at]
			}
			dense := of(v.shape, picked)
			y, other := v.x, dense
			if len(v.shape) > 0 && r.IntN(2) == 0 { // beside another layout of the same shape
				d := r.IntN(len(v.shape))
				y, other = v.x.Flip(d), dense.Flip(d).Contiguous()
			}
			var dims []int
			for d := range v.shape {
				if r.IntN(2) == 0 {
					dims = append(dims, d)
				}
			}
			if len(dims) == 0 {
				dims = []int{max(0, len(v.shape)-1)}
			}
			name := names[r.IntN(len(names))]
			got, err := outcome(layoutOps[name], v.x, y, dims)
			want, wantErr := outcome(layoutOps[name], dense, other, dims)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Errorf("%s, seed %d: %s over %v of %v %s: %s, %v; of a dense tensor %s, %v", spec, seed, name, dims, dt,
					v.steps, got, err, want, wantErr)
			}
		}
	}
}

// outcome is the result of an operation as text, or its error.
func outcome(f func(x, y *tensor.Tensor, dims []int) *tensor.Tensor, x, y *tensor.Tensor, dims []int) (text string, err error) {
	err = tensor.Catch(func() error {
		z := f(x, y, dims)
		text = fmt.Sprint(z.Dims(), z.DType())
		if z.DType().IsComplex() {
			text += fmt.Sprint(z.Real().FlattenAll().Float64s(), z.Imag().FlattenAll().Float64s())
		} else {
			text += fmt.Sprint(z.FlattenAll().ToDType(tensor.F64).Float64s())
		}
		return nil
	})
	return text, err
}
