package host

import (
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// TestMultiplyTiles compares products of many forms with the definition. Elements are small integers, so sums are
// exact.
func TestMultiplyTiles(t *testing.T) {
	thorough.Slow(t)
	if !hasTiles() {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, size := range [][3]int{{5, 5, 1}, {8, 32, 4}, {9, 33, 7}, {70, 49, 300}, {64, 200, 513}, {1, 1100, 9},
		{3, 70, 66}, {90, 1, 70}, {40, 4, 5}, {2, 2, 2}, {72, 96, 300}, {130, 100, 70}, {264, 40, 3}} {
		for form := range 8 {
			for _, batch := range []int{1, 3} {
				t.Run(fmt.Sprint(size, form, batch),
					func(t *testing.T) { testMultiply(t, size[0], size[1], size[2], form, batch) })
			}
		}
	}
}

func testMultiply(t *testing.T, m, n, k, form, batch int) {
	matrices := func(rows, cols int, transposed, wide bool, seed int) (backend.Operand, int64, int64, int64) {
		row, col := cols, 1
		if transposed {
			row, col = 1, rows
		}
		if wide { // neither rows nor columns are dense
			row, col = 2*row, 2*col
		}
		bat := 2*rows*cols + 5
		h, data := newElems[float32](3+batch*bat, 4)
		for i := range data {
			data[i] = float32((i*seed)%7 - 3)
		}
		return backend.Operand{Store: h, DType: kernels.F32, Layout: backend.Layout{Offset: 3}}, int64(row), int64(col),
			int64(bat)
	}
	p := kernels.MatMul{M: int64(m), N: int64(n), K: int64(k), Batch: int64(batch), CRow: int64(n), CBat: int64(m * n)}
	var x, y backend.Operand
	x, p.ARow, p.ACol, p.ABat = matrices(m, k, form&1 != 0, form == 4 || form == 6, 5)
	y, p.BRow, p.BCol, p.BBat = matrices(k, n, form&2 != 0, form == 5 || form == 6, 3)
	if form == 7 {
		p.BBat = 0 // one matrix for all of the batch
	}
	got := View[float32](multiplyTiles(x, y, p).(*Storage).Data)
	want := make([]float32, m*n)
	for b := range int64(batch) {
		multiplyNaive(elems[float32](x)[b*p.ABat:], elems[float32](y)[b*p.BBat:], want, p)
		for i, w := range want {
			if g := got[b*p.CBat+int64(i)]; g != w {
				t.Fatalf("matrix %d, row %d, column %d is %v, want %v", b, i/n, i%n, g, w)
			}
		}
	}
}

// TestMultiplyTilesNaN checks that 0·NaN and 0·Inf are not lost, and that zeros which fill a tile meet none of them.
func TestMultiplyTilesNaN(t *testing.T) {
	if !hasTiles() {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	const m, n, k = 9, 35, 20
	hx, x := newElems[float32](m*k, 4)
	hy, y := newElems[float32](k*n, 4)
	x[0], y[n+1], y[2*n+2] = 1, float32(math.NaN()), float32(math.Inf(1))
	p := kernels.MatMul{M: m, N: n, K: k, Batch: 1, ARow: k, ACol: 1, BRow: n, BCol: 1, CRow: n, CBat: m * n}
	out := View[float32](multiplyTiles(backend.Operand{Store: hx, DType: kernels.F32, Layout: backend.Layout{}},
		backend.Operand{Store: hy, DType: kernels.F32, Layout: backend.Layout{}}, p).(*Storage).Data)
	for i, v := range out[:m*n] {
		if column := i % n; (column == 1 || column == 2) != (v != v) {
			t.Errorf("row %d, column %d is %v", i/n, column, v)
		}
	}
}
