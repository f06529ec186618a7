package devicetest

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// topShapes are rows that share a tile, that a block looks through, that are cut into parts, and of which too much is
// wanted for that.
var topShapes = []struct {
	shape  []int
	dim, k int
}{
	{[]int{7}, 0, 3}, {[]int{1}, 0, 1}, {[]int{13, 5}, 1, 5}, {[]int{300, 3}, -1, 1}, {[]int{2, 512}, 1, 300},
	{[]int{3, 300}, 1, 20}, {[]int{128, 8}, 0, 2},
	{[]int{3, 600}, 1, 1}, {[]int{3, 513}, 1, 256}, {[]int{5003}, 0, 50}, {[]int{2, 4096}, 1, 256},
	{[]int{40009}, 0, 40}, {[]int{9000, 2}, 0, 100},
	{[]int{2, 1030, 9}, 1, 17}, {[]int{3, 700}, 1, 300}, {[]int{9001}, 0, 400}, {[]int{3, 4}, 1, 0},
	{[]int{0, 3}, 1, 2},
}

func (k kit) topK(t T) {
	for i, dt := range kernels.Numbers {
		for _, c := range some(k, topShapes, len(kernels.Numbers), i) {
			for _, largest := range []bool{true, false} {
				run(t, fmt.Sprintf("%v/%v dim %d/%d/%v", dt, c.shape, c.dim, c.k, largest), func(t T) {
					host, dev := k.input(dt, c.shape, 95, 3, true) // many equal ones among the special values
					checkTop(t, host, dev, c.k, c.dim, largest)
				})
			}
		}
	}
	for _, c := range []struct {
		name string
		row  func(i int) int
	}{
		{"equal elements", func(int) int { return 4 }},
		{"ascending", func(i int) int { return i }},
		{"descending", func(i int) int { return -i }},
		{"the largest ones in few threads", func(i int) int { return i%256/3*-10000 + i }},
	} {
		run(t, c.name, func(t T) {
			values := make([]int32, 9000)
			for i := range values {
				values[i] = int32(c.row(i))
			}
			for _, n := range []int{1, 60, 256} {
				host := tensor.CPU().FromSlice(values, 1, len(values))
				checkTop(t, host, host.ToDevice(k.dev), n, 1, true)
			}
		})
	}
}

// checkTop compares with the definition: what a sort begins with.
func checkTop(t T, host, dev *tensor.Tensor, n, dim int, largest bool) {
	t.Helper()
	values, ids := dev.TopK(n, dim, largest)
	shape, last := host.Dims(), host.Rank()-1
	dim = (dim + host.Rank()) % host.Rank()
	cols := shape[dim]
	shape[dim] = n
	expect(t, values, shape, host.DType())
	if !expect(t, ids, shape, tensor.U32) || ids.ElemCount() == 0 {
		return
	}
	var want []int64
	for row := range slices.Chunk(sortedIDs(host.Transpose(dim, last), !largest), cols) {
		want = append(want, row[:n]...)
	}
	sameInts(t, ids.Transpose(dim, last), want, func(i int) string { return fmt.Sprint("id ", i) })
	sameElements(t, values, host.Gather(ids.ToDevice(tensor.CPU()), dim))
}
