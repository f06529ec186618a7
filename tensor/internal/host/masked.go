package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// maskBlock is how many elements of a mask are counted at a time.
const maskBlock = 1 << 14

func (Backend) Masked(mask backend.Operand, in *backend.Operand) (backend.Storage, int, error) {
	defer timed("masked", mask.DType, 0)()
	ends := maskEnds(mask)
	count := ends[len(ends)-1]
	if in == nil {
		return maskedIndices(mask, ends), count, nil
	}
	switch in.DType.Size() {
	case 1:
		return maskedElems[uint8](mask, *in, ends), count, nil
	case 2:
		return maskedElems[uint16](mask, *in, ends), count, nil
	case 4:
		return maskedElems[uint32](mask, *in, ends), count, nil
	}
	return maskedElems[uint64](mask, *in, ends), count, nil
}

// maskEnds returns the number of selected elements up to the end of each block.
func maskEnds(mask backend.Operand) []int {
	n := mask.Layout.ElemCount()
	ends := make([]int, (n+maskBlock-1)/maskBlock)
	m := backend.Coalesce(mask.Layout.Shape, mask.Layout.Strides)
	eachMaskBlock(n, func(s, lo, hi int) {
		eachSelected(mask, m, lo, hi, func(int, backend.Run) { ends[s]++ })
	})
	for s := 1; s < len(ends); s++ {
		ends[s] += ends[s-1]
	}
	return ends
}

func eachMaskBlock(n int, f func(s, lo, hi int)) {
	Parallel((n+maskBlock-1)/maskBlock, maskBlock, func(first, last int) {
		for s := first; s < last; s++ {
			f(s, s*maskBlock, min((s+1)*maskBlock, n))
		}
	})
}

// eachSelected calls f for the elements from lo to hi that a mask selects: element i of a run. The mask is the first
// operand of m.
func eachSelected(mask backend.Operand, m backend.Coalesced, lo, hi int, f func(i int, r backend.Run)) {
	bytes, step := elems[uint8](mask), m.Strides[0][len(m.Dims)-1]
	m.EachRun(lo, hi, func(r backend.Run) {
		from := bytes[r.Offsets[0]:]
		for i := range r.Len {
			if from[i*step] != 0 {
				f(i, r)
			}
		}
	})
}

func maskedElems[B any](mask, in backend.Operand, ends []int) backend.Storage {
	h, out := uninitElems[B](ends[len(ends)-1], sizeOf[B]())
	src := elems[B](in)
	m := backend.Coalesce(mask.Layout.Shape, mask.Layout.Strides, in.Layout.Strides)
	step := m.Strides[1][len(m.Dims)-1]
	eachMaskBlock(mask.Layout.ElemCount(), func(s, lo, hi int) {
		to := out[maskStart(ends, s):ends[s]]
		eachSelected(mask, m, lo, hi, func(i int, r backend.Run) {
			to[0] = src[r.Offsets[1]+i*step]
			to = to[1:]
		})
	})
	return h
}

func maskedIndices(mask backend.Operand, ends []int) backend.Storage {
	shape := mask.Layout.Shape
	rank := len(shape)
	h, out := uninitElems[uint32](ends[len(ends)-1]*rank, kernels.U32.Size())
	m := backend.Coalesce(shape, mask.Layout.Strides)
	eachMaskBlock(mask.Layout.ElemCount(), func(s, lo, hi int) {
		to := out[maskStart(ends, s)*rank : ends[s]*rank]
		eachSelected(mask, m, lo, hi, func(i int, r backend.Run) {
			rest := r.Index + i
			for d := rank - 1; d >= 0; d-- {
				to[d] = uint32(rest % shape[d])
				rest /= shape[d]
			}
			to = to[rank:]
		})
	})
	return h
}

// maskStart is the position in the result of the first element of a block.
func maskStart(ends []int, s int) int {
	if s == 0 {
		return 0
	}
	return ends[s-1]
}
