package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
)

// Layout arguments of kernels: the merged dims of the operands, and flags that allow short cuts.

func layout1(a operand) *kernels.Layout1 {
	m := merge(a.layout.shape, a.layout.strides)
	l := &kernels.Layout1{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	return l
}

func layout2(a, b operand) *kernels.Layout2 {
	m := merge(a.layout.shape, a.layout.strides, b.layout.strides)
	l := &kernels.Layout2{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	setStrides(&l.B, m.strides[1])
	return l
}

func layout3(a, b, c operand) *kernels.Layout3 {
	m := merge(a.layout.shape, a.layout.strides, b.layout.strides, c.layout.strides)
	l := &kernels.Layout3{Rank: int32(len(m.dims)), Flags: flags(m)}
	setDims(&l.Dims, m.dims)
	setStrides(&l.A, m.strides[0])
	setStrides(&l.B, m.strides[1])
	setStrides(&l.C, m.strides[2])
	return l
}

func setDims(to *[kernels.MaxDims]int64, dims []int) {
	for i := range to {
		to[i] = 1
		if i < len(dims) {
			to[i] = int64(dims[i])
		}
	}
}

func setStrides(to *[kernels.MaxDims]int64, strides []int) {
	for i, s := range strides {
		to[i] = int64(s)
	}
}

func flags(m merged) uint32 {
	f := uint32(0)
	if m.contiguous() {
		f |= kernels.FlagContiguous
	}
	if fits32(m) {
		f |= kernels.FlagIndex32
	}
	return f
}

// fits32 reports whether the element count and every offset are below 2³¹.
func fits32(m merged) bool {
	if m.count() > math.MaxInt32 {
		return false
	}
	for _, strides := range m.strides {
		end := 0
		for d, s := range strides {
			end += (m.dims[d] - 1) * s
		}
		if end > math.MaxInt32 {
			return false
		}
	}
	return true
}

// matmulGrid has a block for every tile of the result, within what devices take in y and z; kernels stride over the rest.
func matmulGrid(p kernels.MatMul) [3]int {
	const tile, most = 64, 1 << 15
	tiles := func(n int64) int { return int(min((n+tile-1)/tile, most)) }
	return [3]int{tiles(p.N), tiles(p.M), int(min(p.Batch, most))}
}
