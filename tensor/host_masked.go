package tensor

// maskStretch is how many elements of a mask are counted at a time.
const maskStretch = 1 << 14

func (hostBackend) masked(mask operand, in *operand) (storage, int, error) {
	ends := maskEnds(mask)
	count := ends[len(ends)-1]
	if in == nil {
		return maskedPlaces(mask, ends), count, nil
	}
	switch in.dtype.Size() {
	case 1:
		return maskedElems[uint8](mask, *in, ends), count, nil
	case 2:
		return maskedElems[uint16](mask, *in, ends), count, nil
	case 4:
		return maskedElems[uint32](mask, *in, ends), count, nil
	}
	return maskedElems[uint64](mask, *in, ends), count, nil
}

// maskEnds returns how many elements a mask keeps up to the end of each stretch.
func maskEnds(mask operand) []int {
	n := mask.layout.ElemCount()
	ends := make([]int, (n+maskStretch-1)/maskStretch)
	m := merge(mask.layout.Shape, mask.layout.Strides)
	eachStretch(n, func(s, lo, hi int) {
		eachKept(mask, m, lo, hi, func(int, run) { ends[s]++ })
	})
	for s := 1; s < len(ends); s++ {
		ends[s] += ends[s-1]
	}
	return ends
}

func eachStretch(n int, f func(s, lo, hi int)) {
	parallel((n+maskStretch-1)/maskStretch, maskStretch, func(first, last int) {
		for s := first; s < last; s++ {
			f(s, s*maskStretch, min((s+1)*maskStretch, n))
		}
	})
}

// eachKept calls f for the elements from lo to hi that a mask keeps: element i of a run. The mask is the first operand of m.
func eachKept(mask operand, m merged, lo, hi int, f func(i int, r run)) {
	bytes, step := elems[uint8](mask), m.strides[0][len(m.dims)-1]
	m.each(lo, hi, func(r run) {
		from := bytes[r.off[0]:]
		for i := range r.n {
			if from[i*step] != 0 {
				f(i, r)
			}
		}
	})
}

func maskedElems[B any](mask, in operand, ends []int) storage {
	h, out := unclearedElems[B](ends[len(ends)-1], kernelSize[B]())
	src := elems[B](in)
	m := merge(mask.layout.Shape, mask.layout.Strides, in.layout.Strides)
	step := m.strides[1][len(m.dims)-1]
	eachStretch(mask.layout.ElemCount(), func(s, lo, hi int) {
		to := out[start(ends, s):ends[s]]
		eachKept(mask, m, lo, hi, func(i int, r run) {
			to[0] = src[r.off[1]+i*step]
			to = to[1:]
		})
	})
	return h
}

func maskedPlaces(mask operand, ends []int) storage {
	shape := mask.layout.Shape
	rank := len(shape)
	h, out := unclearedElems[uint32](ends[len(ends)-1]*rank, U32.Size())
	m := merge(shape, mask.layout.Strides)
	eachStretch(mask.layout.ElemCount(), func(s, lo, hi int) {
		to := out[start(ends, s)*rank : ends[s]*rank]
		eachKept(mask, m, lo, hi, func(i int, r run) {
			rest := r.at + i
			for d := rank - 1; d >= 0; d-- {
				to[d] = uint32(rest % shape[d])
				rest /= shape[d]
			}
			to = to[rank:]
		})
	})
	return h
}

// start is where the elements of a stretch begin.
func start(ends []int, s int) int {
	if s == 0 {
		return 0
	}
	return ends[s-1]
}
