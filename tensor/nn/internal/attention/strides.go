package attention

import "github.com/gorocm/gorocm/tensor/internal/backend"

// FourStrides are the strides of a layout of rank 4, 0 for dims of size 1: theirs mean nothing, and may be any number.
func FourStrides(l backend.Layout) (s [4]int64) {
	for i, n := range l.Strides {
		if l.Shape[i] > 1 {
			s[i] = int64(n)
		}
	}
	return s
}

// ThreeStrides are the strides of a layout of rank 3.
func ThreeStrides(strides []int) (s [3]int64) {
	for i := range s {
		s[i] = int64(strides[i])
	}
	return s
}

// BlockStrides are those of a pool, in the order of kernels: block, group, position, element.
func BlockStrides(s []int) [4]int64 {
	return [4]int64{int64(s[0]), int64(s[2]), int64(s[1]), int64(s[3])}
}
