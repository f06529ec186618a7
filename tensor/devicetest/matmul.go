package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

func (k kit) matmul(t T) {
	swap := func(t *tensor.Tensor) *tensor.Tensor { return t.T() }
	inner := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(-1, 1, t.Dim(-1)-2).Narrow(-2, 1, t.Dim(-2)-2) }
	cases := []struct {
		name   string
		a, b   []int
		va, vb func(*tensor.Tensor) *tensor.Tensor
	}{
		{"small", []int{2, 3}, []int{3, 5}, asIs, asIs},
		{"odd", []int{65, 33}, []int{33, 71}, asIs, asIs},
		{"transposed left", []int{33, 13}, []int{33, 7}, swap, asIs},
		{"transposed right", []int{13, 33}, []int{7, 33}, asIs, swap},
		{"both transposed", []int{33, 13}, []int{7, 33}, swap, swap},
		{"narrowed", []int{15, 9}, []int{9, 13}, inner, inner},
		{"batch", []int{5, 7, 11}, []int{5, 11, 13}, asIs, asIs},
		{"one right matrix", []int{5, 7, 11}, []int{11, 13}, asIs, asIs},
		{"one left matrix", []int{7, 11}, []int{5, 11, 13}, asIs, asIs},
		{"broadcast batch", []int{3, 1, 5, 7}, []int{2, 7, 5}, asIs, asIs},
		{"vectors", []int{101}, []int{101}, asIs, asIs},
		{"matrix and vector", []int{9, 31}, []int{31}, asIs, asIs},
		{"vector and batch", []int{11}, []int{3, 11, 5}, asIs, asIs},
		{"single", []int{1, 1}, []int{1, 1}, asIs, asIs},
		{"broadcast", []int{1, 17}, []int{17, 5},
			func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs(4, 17) }, asIs},
		{"few rows", []int{3, 1000}, []int{1000, 72}, asIs, asIs},
		{"few rows, transposed right", []int{3, 1000}, []int{72, 1000}, asIs, swap},
		{"few rows, odd", []int{5, 1001}, []int{77, 1001}, asIs, swap},
		{"few columns", []int{77, 1000}, []int{1000, 2}, asIs, asIs},
		{"few columns, transposed left", []int{1000, 77}, []int{1000, 2}, swap, asIs},
		{"few long rows", []int{1, 9000}, []int{5, 9000}, asIs, swap},
		{"batch of rows", []int{3, 1, 40}, []int{3, 40, 24}, asIs, asIs},
		{"batch of rows, transposed right", []int{2, 3, 1, 40}, []int{2, 1, 24, 40}, asIs, swap},
		{"row of apart elements", []int{40, 3}, []int{40, 24},
			func(t *tensor.Tensor) *tensor.Tensor { return t.T().Narrow(0, 1, 1) }, asIs},
		{"no inner", []int{3, 0}, []int{0, 2}, asIs, asIs},
		{"no rows", []int{0, 3}, []int{3, 2}, asIs, asIs},
	}
	for i, dt := range kernels.Numbers {
		for _, c := range some(k, cases, len(kernels.Numbers), i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				a, da := k.input(dt, c.a, 60, 1, false)
				b, db := k.input(dt, c.b, 61, 1, false)
				a, b = c.va(a), c.vb(b)
				want, sizes, shape := product(near0(a), near0(b))
				got := c.va(da).MatMul(c.vb(db))
				if !expect(t, got, shape, dt) {
					return
				}
				eps := ulp(tensor.F32, 1)
				if dt == tensor.F64 {
					eps = ulp(dt, 1)
				}
				depth := 8 + math.Sqrt(float64(a.Dim(-1)))
				closeTo(t, got, want, 1, func(i int) float64 { return eps * depth * sizes[i] },
					func(i int) string { return fmt.Sprint("product ", i) })
			})
		}
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
		for _, rows := range []int{1, 16} { // few, and enough for matrix cores
			a := k.dev.New([][]float32{{0, 1}}).ToDType(dt).BroadcastAs(rows, 2)
			b := k.dev.New([][]float64{{math.Inf(1), math.NaN(), 3}, {1, 1, 2}}).ToDType(dt).Repeat(1, 5)
			for _, v := range a.MatMul(b).ToVec2() {
				if v[0] == v[0] || v[1] == v[1] || v[2] != 2 {
					t.Errorf("%v: 0·Inf, 0·NaN and 0·3 + 2 gave %v, want NaN, NaN, 2", dt, v[:3])
				}
			}
		}
	}
	// sums are beyond f16, and then what is taken from them brings them back
	big := k.dev.Full(tensor.F16, 300, 16, 16)
	if v := big.MatMul(tensor.Cat([]*tensor.Tensor{big.Narrow(0, 0, 8), big.Narrow(0, 8, 8).Neg()},
		0)).Float64s(); v[0] != 0 || v[255] != 0 {
		t.Errorf("sums of f16 beyond its range gave %v and %v, want 0", v[0], v[255])
	}
}

// integerProducts multiplies integers of any size: sums keep their low bits.
func (k kit) integerProducts(t T) {
	const m, n, depth = 9, 70, 33
	for _, dt := range kernels.Ints {
		run(t, dt.String(), func(t T) {
			a, da := k.input(dt, []int{m, depth}, 62, 0, true)
			b, db := k.input(dt, []int{depth, n}, 63, 0, true)
			x, y := ints(a), ints(b)
			want := make([]int64, m*n)
			for i := range want {
				for q := range depth {
					want[i] += x[i/n*depth+q] * y[q*n+i%n]
				}
				want[i] = wrap(dt, want[i])
			}
			where := func(i int) string { return fmt.Sprint("product ", i) }
			sameInts(t, da.MatMul(db), want, where)
			sameInts(t, da.T().Contiguous().T().MatMul(db.T().Contiguous().T()), want, where)
			image := db.Unsqueeze(0).Unsqueeze(2)
			sameInts(t, image.Conv2d(da.Unsqueeze(2).Unsqueeze(3), 0, 1, 1, 1), want, where)
		})
	}
}

// near0 gives integers that wrap to the same ones and whose products are exact in float64.
func near0(t *tensor.Tensor) *tensor.Tensor {
	if t.DType() == tensor.U32 {
		return t.ToDType(tensor.I32)
	}
	return t
}

// product is the definition of a batched product, on the host in float64, with the sum of the sizes of its terms.
func product(a, b *tensor.Tensor) (want, sizes []float64, shape []int) {
	x, y := a, b
	if a.Rank() == 1 {
		x = a.Unsqueeze(0)
	}
	if b.Rank() == 1 {
		y = b.Unsqueeze(1)
	}
	zeros := func(of *tensor.Tensor) *tensor.Tensor {
		return tensor.CPU().Zeros(tensor.U8, of.Dims()[:of.Rank()-2]...)
	}
	batch := zeros(x).Add(zeros(y)).Dims()
	m, n, depth := x.Dim(-2), y.Dim(-1), x.Dim(-1)
	xs := x.BroadcastAs(append(slices.Clone(batch), m, depth)...).Float64s()
	ys := y.BroadcastAs(append(slices.Clone(batch), depth, n)...).Float64s()
	count := 1
	for _, d := range batch {
		count *= d
	}
	for p := range count {
		for i := range m {
			for j := range n {
				sum, size := 0.0, 0.0
				for q := range depth {
					v := xs[(p*m+i)*depth+q] * ys[(p*depth+q)*n+j]
					sum += v
					size += math.Abs(v)
				}
				want, sizes = append(want, sum), append(sizes, size)
			}
		}
	}
	shape = batch
	if a.Rank() > 1 {
		shape = append(shape, m)
	}
	if b.Rank() > 1 {
		shape = append(shape, n)
	}
	return want, sizes, shape
}
