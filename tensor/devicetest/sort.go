package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// sortShapes are rows that share a tile, that a block holds, and that are sorted in several passes over memory.
var sortShapes = []struct {
	shape []int
	dim   int
}{
	{[]int{7}, 0}, {[]int{1}, 0}, {[]int{13, 5}, 1}, {[]int{300, 3}, -1}, {[]int{3, 1024}, 1}, {[]int{2, 1025}, 1},
	{[]int{5003}, 0},
	{[]int{3, 600}, 1}, {[]int{8192}, 0}, {[]int{2, 8193}, 1}, {[]int{40009}, 0}, {[]int{12000, 2}, 0},
	{[]int{2, 1030, 9}, 1},
	{[]int{7, 5, 3}, 0}, {[]int{5, 33, 2}, 1}, {[]int{3, 0}, 1}, {[]int{0, 3}, 1},
}

func (k kit) sort(t T) {
	for i, dt := range kernels.Numbers {
		for _, c := range some(k, sortShapes, len(kernels.Numbers), i) {
			for _, asc := range []bool{true, false} {
				run(t, fmt.Sprintf("%v/%v dim %d/%v", dt, c.shape, c.dim, asc), func(t T) {
					host, dev := k.input(dt, c.shape, 90, 3, true) // many equal ones among the special values
					values, ids := dev.Sort(c.dim, asc)
					expect(t, values, c.shape, dt)
					if !expect(t, ids, c.shape, tensor.U32) {
						return
					}
					last := host.Rank() - 1
					dim := (c.dim + host.Rank()) % host.Rank()
					rows := host.Transpose(dim, last)
					want := sortedIDs(rows, asc)
					sameInts(t, ids.Transpose(dim, last), want, func(i int) string { return fmt.Sprint("id ", i) })
					picked := host.Gather(ids.ToDevice(tensor.CPU()), c.dim)
					sameElements(t, values, picked)
					if got := dev.ArgSort(c.dim, asc); !slices.Equal(ints(got), ints(ids)) {
						t.Error("ArgSort gives other ids than Sort")
					}
				})
			}
		}
	}
}

// sameElements checks elements bit by bit, but for those of NaN.
func sameElements(t T, got, want *tensor.Tensor) {
	t.Helper()
	if want.DType().IsInt() {
		sameInts(t, got, ints(want), func(i int) string { return fmt.Sprint("value ", i) })
		return
	}
	w := want.Float64s()
	for i, v := range got.Float64s() {
		if math.Float64bits(v) != math.Float64bits(w[i]) && (v == v || w[i] == w[i]) {
			t.Fatalf("element %d: got %v, want %v", i, v, w[i])
		}
	}
}

// sortedIDs is the definition: a stable sort with NaN last.
func sortedIDs(rows *tensor.Tensor, asc bool) (ids []int64) {
	cols := rows.Dim(-1)
	order := func(n int, compare func(i, j int64) int) {
		row := make([]int64, n)
		for i := range row {
			row[i] = int64(i)
		}
		slices.SortStableFunc(row, compare)
		ids = append(ids, row...)
	}
	sign := 1
	if !asc {
		sign = -1
	}
	if rows.DType().IsInt() {
		top := int64(0)
		if rows.DType() == tensor.U64 {
			top = math.MinInt64 // bits in the order of signed integers
		}
		for row := range slices.Chunk(ints(rows), cols) {
			order(cols, func(i, j int64) int {
				x, y := row[i]^top, row[j]^top
				return sign * less(x < y, y < x)
			})
		}
		return ids
	}
	for row := range slices.Chunk(rows.Float64s(), cols) {
		order(cols, func(i, j int64) int {
			x, y := row[i], row[j]
			if x != x || y != y {
				return less(x == x, y == y)
			}
			return sign * less(x < y, y < x)
		})
	}
	return ids
}

func less(before, after bool) int {
	switch {
	case before == after:
		return 0
	case before:
		return -1
	}
	return 1
}

func (k kit) cumsum(t T) {
	for i, dt := range kernels.Numbers {
		for _, c := range some(k, reductions, len(kernels.Numbers), i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				host, dev := k.input(dt, c.shape, 91, 3, false)
				host, dev = c.view(host), c.view(dev)
				last := host.Rank() - 1
				dim := (c.dim + host.Rank()) % host.Rank()
				got := dev.CumSum(c.dim)
				out := dt
				if dt.IsInt() && dt != tensor.U64 {
					out = tensor.I64
				}
				if !expect(t, got, host.Dims(), out) {
					return
				}
				rows := host.Transpose(dim, last)
				cols := rows.Dim(-1)
				got = got.Transpose(dim, last)
				describe := func(i int) string { return fmt.Sprintf("row %d, %d", i/cols, i%cols) }
				if dt.IsInt() {
					var want []int64
					for row := range slices.Chunk(ints(rows), cols) {
						sum := int64(0)
						for _, v := range row {
							sum += v
							want = append(want, sum)
						}
					}
					sameInts(t, got, want, describe)
					return
				}
				eps := math.Ldexp(1, -53)
				if dt.IsSmallFloat() {
					eps = math.Ldexp(1, -24)
				}
				var want, sizes []float64
				for row := range slices.Chunk(rows.Float64s(), cols) {
					sum, low, size := 0.0, 0.0, 0.0
					for _, v := range row { // with what rounding takes away (Neumaier)
						next := sum + v
						if math.Abs(sum) >= math.Abs(v) {
							low += (sum - next) + v
						} else {
							low += (v - next) + sum
						}
						sum, size = next, size+math.Abs(v)
						want, sizes = append(want, sum+low), append(sizes, size)
					}
				}
				closeTo(t, got, want, 1, func(i int) float64 { return 32 * eps * sizes[i] }, describe)
			})
		}
	}
}
