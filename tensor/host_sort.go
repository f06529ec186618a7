package tensor

import (
	"cmp"
	"math"
	"slices"
)

// sortItem is an element as an unsigned integer in the order of the elements, and where it is in its row.
type sortItem struct {
	key uint64
	at  uint32
}

func (b hostBackend) sort(in operand, rows, cols int, descending bool) (values, ids storage, err error) {
	keys, err := b.sortKeys(in, descending)
	if err != nil {
		return nil, nil, err
	}
	size := in.dtype.Size()
	v, i := newHost(rows*cols*size), newHost(rows*cols*4)
	src, positions := in.store.(*hostStorage).data[in.layout.offset*size:], hostView[uint32](i.data)
	parallel(rows, cols*16, func(lo, hi int) {
		items := make([]sortItem, cols)
		for r := lo; r < hi; r++ {
			for c := range items {
				items[c] = sortItem{keys[r*cols+c], uint32(c)}
			}
			slices.SortFunc(items, func(a, b sortItem) int {
				return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
			})
			for c, x := range items {
				to, from := (r*cols+c)*size, (r*cols+int(x.at))*size
				copy(v.data[to:to+size], src[from:from+size])
				positions[r*cols+c] = x.at
			}
		}
	})
	return v, i, nil
}

// sortKeys maps elements to integers: NaN to the greatest one, and equal elements to equal ones.
func (b hostBackend) sortKeys(in operand, descending bool) ([]uint64, error) {
	wide, top := I64, uint64(1)<<63
	if in.dtype.IsFloat() {
		wide = F64
	}
	s, err := b.cast(in, wide)
	if err != nil {
		return nil, err
	}
	keys := hostView[uint64](s.(*hostStorage).data)
	floats := hostView[float64](s.(*hostStorage).data)
	for i, k := range keys {
		switch {
		case wide == I64:
			k ^= top
		case floats[i] != floats[i]:
			keys[i] = math.MaxUint64
			continue
		case floats[i] == 0:
			k = top
		case k&top != 0:
			k = ^k
		default:
			k |= top
		}
		if descending {
			k = ^k
		}
		keys[i] = k
	}
	return keys, nil
}

func (b hostBackend) cumsum(in operand, rows, cols int) (storage, error) {
	switch in.dtype {
	case U8:
		return runningSums[uint8, uint8](in, rows, cols), nil
	case U32:
		return runningSums[uint32, uint32](in, rows, cols), nil
	case I16:
		return runningSums[int16, int16](in, rows, cols), nil
	case I32:
		return runningSums[int32, int32](in, rows, cols), nil
	case I64:
		return runningSums[int64, int64](in, rows, cols), nil
	case F32:
		return runningSums[float32, float64](in, rows, cols), nil
	case F64:
		return runningSums[float64, float64](in, rows, cols), nil
	}
	return b.viaF32(in.dtype, false, []operand{in}, func(in []operand) (storage, error) { return b.cumsum(in[0], rows, cols) })
}

// runningSums adds elements of T in S.
func runningSums[T, S element](in operand, rows, cols int) storage {
	h, out := newElems[T](rows*cols, kernelSize[T]())
	src := elems[T](in)
	m := merge(in.layout.shape, in.layout.strides)
	step := m.strides[0][len(m.dims)-1]
	parallel(rows, cols, func(lo, hi int) {
		var sum S
		m.each(lo*cols, hi*cols, func(r run) {
			for i := range r.n {
				if (r.at+i)%cols == 0 {
					sum = 0
				}
				sum += S(src[r.off[0]+i*step])
				out[r.at+i] = T(sum)
			}
		})
	})
	return h
}
