package ndimage_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/ndimage"
)

// TestLabelFlood compares with a flood from each element that has no label yet, for random structures.
func TestLabelFlood(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		dims := [][]int{{40}, {9, 11}, {5, 4, 7}, {3, 3, 2, 4}, {8, 1}, {1, 1}}[round%6]
		count, size := 1, 1
		for _, n := range dims {
			count, size = count*n, size*3
		}
		image, structure := make([]bool, count), make([]bool, size)
		for i := range image {
			image[i] = r.IntN(3) > round%3/2
		}
		for i := range size/2 + 1 {
			structure[i] = r.IntN(3) == 0
			structure[size-1-i] = structure[i]
		}
		structure[size/2] = true
		threes := make([]int, len(dims))
		for d := range threes {
			threes[d] = 3
		}
		got, n := ndimage.Label(tensor.CPU().FromSlice(image, dims...), tensor.CPU().FromSlice(structure, threes...))
		want, parts := flood(image, dims, structure)
		for i, v := range tensor.ToVec1[int64](got.FlattenAll()) {
			if v != want[i] || n != parts {
				t.Fatalf("%v with %v: the label of %d is %d of %d, want %d of %d", dims, structure, i, v, n, want[i], parts)
			}
		}
	}
}

func flood(image []bool, dims []int, structure []bool) (labels []int64, n int) {
	labels = make([]int64, len(image))
	for i, in := range image {
		if !in || labels[i] != 0 {
			continue
		}
		n++
		labels[i] = int64(n)
		for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
			for s, is := range structure {
				if !is {
					continue
				}
				other, ok, at, offset, stride := 0, true, queue[0], s, 1
				for d := len(dims) - 1; d >= 0; d-- {
					c := at%dims[d] + offset%3 - 1
					ok = ok && c >= 0 && c < dims[d]
					other += c * stride
					at, offset, stride = at/dims[d], offset/3, stride*dims[d]
				}
				if ok && image[other] && labels[other] == 0 {
					labels[other] = int64(n)
					queue = append(queue, other)
				}
			}
		}
	}
	return labels, n
}
