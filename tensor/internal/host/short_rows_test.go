package host

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// TestTwofoldRows: rows and columns that are added side by side have the sums that each has alone.
func TestTwofoldRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, cols := range []int{1, 2, 3, 7, 8, 31, shortRow} {
		for _, rows := range []int{1, 3, 4, 9, 700} {
			x := make([]float64, rows*cols)
			for i := range x {
				x[i] = math.Ldexp(r.NormFloat64(), r.IntN(80))
				if r.IntN(500) == 0 {
					x[i] = math.Inf(1 - 2*r.IntN(2))
				}
			}
			same := func(what string, i int, got float64, row []float64) {
				var sum twofold
				for _, v := range row {
					sum.add(v)
				}
				if want := sum.value() / 3; math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
					t.Fatalf("%s %d of [%d %d] is %v, want %v", what, i, rows, cols, got, want)
				}
			}
			out := make([]float64, rows)
			twofoldEach(out, x, cols, 3)
			for i, got := range out {
				same("row", i, got, x[i*cols:(i+1)*cols])
			}
			if rows > 512 { // parts of 512 rows are added separately
				continue
			}
			out = make([]float64, cols)
			twofoldColumns(out, x, rows, cols, 3)
			for i, got := range out {
				column := make([]float64, rows)
				for k := range column {
					column[k] = x[k*cols+i]
				}
				same("column", i, got, column)
			}
		}
	}
}

// TestZipShortRows: operations of short rows with rows, with one row, with a number for each row, and with elements
// that are apart give what they give for each element.
func TestZipShortRows(t *testing.T) {
	src := make([]float64, 40_000)
	for i := range src {
		src[i] = float64(i*i%1013) - 500
	}
	store := &Storage{Data: BytesOf(src)}
	for _, cols := range []int{1, 2, 5, 8, 16, 47, shortRow} {
		for _, rows := range []int{1, 2, 63, 400} {
			operand := func(down, along int) backend.Operand {
				o := backend.Operand{Store: store, DType: kernels.F64, Layout: backend.Dense([]int{rows, cols})}
				o.Layout.Strides = []int{down, along}
				return o
			}
			kinds := [][2]int{{cols, 1}, {0, 1}, {1, 0}, {0, 0}, {2 * cols, 1}, {1, rows}, {2 * cols, 2}, {3, 0}}
			for _, a := range kinds {
				for _, b := range kinds {
					sub := func(out, x, y []float64) {
						for i := range out {
							out[i] = x[i] - y[i]
						}
					}
					got := View[float64](zipElems(operand(a[0], a[1]), operand(b[0], b[1]), sub).(*Storage).Data)
					for i := range rows {
						for k := range cols {
							if want := src[i*a[0]+k*a[1]] - src[i*b[0]+k*b[1]]; got[i*cols+k] != want {
								t.Fatalf("[%d %d], strides %v and %v: element %d %d is %v, want %v", rows, cols, a, b, i, k, got[i*cols+k], want)
							}
						}
					}
				}
			}
		}
	}
}
