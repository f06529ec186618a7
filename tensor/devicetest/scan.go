package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// scanned calls check with rows of every layout: those of the host, and what scan gives for them on the device.
func scanned(
	k kit, t T, on []tensor.DType, spread float64, special bool, scan func(x *tensor.Tensor, dim int) *tensor.Tensor,
	check func(t T, dt tensor.DType, rows, got *tensor.Tensor),
) {
	for i, dt := range on {
		for _, c := range some(k, reductions, len(on), i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				host, dev := k.input(dt, c.shape, 92, spread, special)
				host, dev = c.view(host), c.view(dev)
				got := scan(dev, c.dim)
				if !slices.Equal(got.Dims(), host.Dims()) {
					t.Fatalf("shape %v, want %v", got.Dims(), host.Dims())
				}
				if host.ElemCount() > 0 {
					check(t, dt, host.Transpose(c.dim, -1), got.Transpose(c.dim, -1))
				}
			})
		}
	}
}

func inRow(cols int) func(i int) string {
	return func(i int) string { return fmt.Sprintf("row %d, %d", i/cols, i%cols) }
}

func cumProd(k kit, t T) {
	// Products of elements of this spread stay near 1.
	scanned(k, t, kernels.Numbers, 1.887, false, (*tensor.Tensor).CumProd,
		func(t T, dt tensor.DType, rows, got *tensor.Tensor) {
			cols := rows.Dim(-1)
			if dt.IsInt() {
				out := tensor.I64
				if dt == tensor.U64 {
					out = dt
				}
				expect(t, got, rows.Dims(), out)
				var want []int64
				for row := range slices.Chunk(ints(rows), cols) {
					product := int64(1)
					for _, v := range row {
						product *= v
						want = append(want, product)
					}
				}
				sameInts(t, got, want, inRow(cols))
				return
			}
			expect(t, got, rows.Dims(), dt)
			var want []float64
			for row := range slices.Chunk(rows.Float64s(), cols) {
				product := 1.0
				for _, v := range row {
					product *= v
					want = append(want, product)
				}
			}
			closeTo(t, got, want, 1, func(i int) float64 {
				return math.Ldexp(math.Abs(want[i])*float64(i%cols+1), -53)
			}, inRow(cols))
		})
	zeros := k.dev.New([]float64{2, 0, 3, math.Inf(1), 1}).CumProd(0).Float64s()
	if got := fmt.Sprint(zeros); got != "[2 0 0 NaN NaN]" {
		t.Errorf("products with a zero and an infinity: %s", got)
	}
}

func cumExtremes(k kit, t T) {
	for _, least := range []bool{false, true} {
		name, both := "CumMax", (*tensor.Tensor).CumMax
		if least {
			name, both = "CumMin", (*tensor.Tensor).CumMin
		}
		run(t, name, func(t T) {
			var values *tensor.Tensor
			scan := func(x *tensor.Tensor, dim int) *tensor.Tensor {
				v, ids := both(x, dim)
				values = v.Transpose(dim, -1)
				return ids
			}
			scanned(k, t, kernels.All, 3, true, scan, func(t T, dt tensor.DType, rows, got *tensor.Tensor) {
				cols := rows.Dim(-1)
				expect(t, got, rows.Dims(), tensor.U32)
				expect(t, values, rows.Dims(), dt)
				sameInts(t, got, lastBest(rows, least), inRow(cols))
				ids := got.ToDevice(tensor.CPU()).Contiguous()
				sameElements(t, values, rows.Contiguous().Gather(ids, -1))
			})
		})
	}
}

// lastBest is the definition of the indices of CumMax and CumMin: of equal elements the last, and a NaN before all
// others.
func lastBest(rows *tensor.Tensor, least bool) (ids []int64) {
	cols := rows.Dim(-1)
	walk := func(takes func(v, best int) bool) {
		for r := range rows.ElemCount() / cols {
			at := r * cols
			for i := at; i < (r+1)*cols; i++ {
				if takes(i, at) {
					at = i
				}
				ids = append(ids, int64(at%cols))
			}
		}
	}
	if rows.DType().IsInt() {
		x, top := ints(rows), int64(0)
		if rows.DType() == tensor.U64 {
			top = math.MinInt64 // bits in the order of signed integers
		}
		walk(func(v, best int) bool {
			a, b := x[v]^top, x[best]^top
			return !least && a >= b || least && a <= b
		})
		return ids
	}
	x := rows.Float64s()
	walk(func(v, best int) bool {
		a, b := x[v], x[best]
		return a != a || b == b && (!least && a >= b || least && a <= b)
	})
	return ids
}

func logCumSumExp(k kit, t T) {
	scanned(k, t, kernels.Floats, 3, false, (*tensor.Tensor).LogCumSumExp,
		func(t T, dt tensor.DType, rows, got *tensor.Tensor) {
			expect(t, got, rows.Dims(), dt)
			cols := rows.Dim(-1)
			var want []float64
			for row := range slices.Chunk(rows.Float64s(), cols) {
				top, sum, lost := slices.Max(row), 0.0, 0.0
				for _, v := range row {
					term := math.Exp(v-top) - lost // with Kahan's compensation
					next := sum + term
					lost = next - sum - term
					sum = next
					want = append(want, top+math.Log(sum))
				}
			}
			closeTo(t, got, want, 4, func(i int) float64 { return 64 * 0x1p-53 * (1 + math.Abs(want[i])) }, inRow(cols))
		})
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{1000, 1000, -1000}, []float64{1000, 1000 + math.Ln2, 1000 + math.Ln2}},
		{[]float64{-inf, -inf, 2, -inf}, []float64{-inf, -inf, 2, 2}},
		{[]float64{1, inf, inf, 2}, []float64{1, inf, inf, inf}},
		{[]float64{1, nan, inf}, []float64{1, nan, nan}},
		{[]float64{-30, 0, -80}, []float64{-30, math.Log1p(math.Exp(-30)), math.Log1p(math.Exp(-30) + math.Exp(-80))}},
	} {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64} {
			got := k.dev.New(c.x).ToDType(dt).LogCumSumExp(0)
			closeTo(t, got, c.want, 4, nil, func(i int) string { return fmt.Sprintf("%v: element %d", c.x, i) })
		}
	}
}
