package host

import (
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// TestMultiplyDoubles compares products of many forms with the definition. Elements are small integers, so sums are
// exact; one NaN of each operand must reach its row or column and nothing else.
func TestMultiplyDoubles(t *testing.T) {
	thorough.Slow(t)
	if simd.Fast.Doubles.Tile == nil {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, size := range [][3]int{{8, 8, 64}, {8, 16, 32}, {9, 17, 27}, {70, 49, 300}, {64, 200, 513}, {130, 100, 7},
		{264, 40, 3}, {15, 300, 260}, {200, 9, 256}} {
		for form := range 8 {
			for _, batch := range []int64{1, 3} {
				t.Run(fmt.Sprint(size, form, batch), func(t *testing.T) {
					testMultiplyDoubles(t, int64(size[0]), int64(size[1]), int64(size[2]), form, batch)
				})
			}
		}
	}
}

func testMultiplyDoubles(t *testing.T, m, n, k int64, form int, batch int64) {
	matrices := func(rows, cols int64, transposed, wide bool, seed int) (backend.Operand, int64, int64, int64) {
		row, col := cols, int64(1)
		if transposed {
			row, col = 1, rows
		}
		if wide { // neither rows nor columns are dense
			row, col = 2*row, 2*col
		}
		bat := 2*rows*cols + 5
		h, data := newElems[float64](int(3+batch*bat), 8)
		for i := range data {
			data[i] = float64((i*seed)%7 - 3)
		}
		data[3+batch/2*bat] = math.NaN()
		return backend.Operand{Store: h, DType: kernels.F64, Layout: backend.Layout{Offset: 3}}, row, col, bat
	}
	p := kernels.MatMul{M: m, N: n, K: k, Batch: batch, CRow: n, CBat: m * n}
	var x, y backend.Operand
	x, p.ARow, p.ACol, p.ABat = matrices(m, k, form&1 != 0, form == 4 || form == 6, 5)
	y, p.BRow, p.BCol, p.BBat = matrices(k, n, form&2 != 0, form == 5 || form == 6, 3)
	if form == 7 {
		p.BBat = 0 // one matrix for all of the batch
	}
	if !doublesTiled(p) {
		t.Fatal("the product is too small for tiles")
	}
	got := View[float64](multiplyDoubles(x, y, p).Data)
	want := make([]float64, m*n)
	for b := range batch {
		multiplyNaive(elems[float64](x)[b*p.ABat:], elems[float64](y)[b*p.BBat:], want, p)
		for i, w := range want {
			if g := got[b*p.CBat+int64(i)]; g != w && (g == g || w == w) {
				t.Fatalf("matrix %d, row %d, column %d is %v, want %v", b, int64(i)/n, int64(i)%n, g, w)
			}
		}
	}
}
