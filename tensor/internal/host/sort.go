package host

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// sortItem is an element as an unsigned integer that sorts like the elements, and its position in its row.
type sortItem struct {
	key uint64
	at  uint32
}

func (b Backend) Sort(
	in backend.Operand, rows, cols, keep int, descending bool,
) (values, ids backend.Storage, err error) {
	defer timed("sort", in.DType, rows*keep*(in.DType.Size()+8), in)()
	bytes := 8 // bytes of a key
	var keys []uint64
	var short []uint32
	if in.DType.Size() < 8 {
		bytes = 4
		short, err = b.shortKeys(in, descending)
	} else {
		keys, err = b.sortKeys(in, descending)
	}
	if err != nil {
		return nil, nil, err
	}
	size := in.DType.Size()
	v, i := NewUninitialized(rows*keep*size), NewUninitialized(rows*keep*4)
	src, positions := in.Store.(*Storage).Data[in.Layout.Offset*size:], View[uint32](i.Data)
	if rows == 1 && cols >= longRow && keep*fewKept > cols {
		var sorted []sortItem
		if bytes == 4 {
			sorted = sortLong(short)
		} else {
			sorted = sortLong(keys)
		}
		Parallel(keep, 4, func(lo, hi int) {
			for c, x := range sorted[lo:hi] {
				positions[lo+c] = x.at
			}
			if !wholeKeys(v.Data, sorted, lo, hi, in.DType, descending) {
				pick(v.Data[lo*size:hi*size], src, sorted[lo:hi], size)
			}
		})
		return v, i, nil
	}
	Parallel(rows, cols*16, func(lo, hi int) {
		var items, spare []sortItem
		if keep*fewKept > cols {
			items, spare = make([]sortItem, cols), make([]sortItem, cols)
		} else {
			items = make([]sortItem, keep)
		}
		for r := lo; r < hi; r++ {
			sorted := items
			switch {
			case spare == nil && bytes == 4:
				firstItems(items, short[r*cols:(r+1)*cols])
			case spare == nil:
				firstItems(items, keys[r*cols:(r+1)*cols])
			default:
				for c := range items {
					items[c].at = uint32(c)
					if bytes == 4 {
						items[c].key = uint64(short[r*cols+c])
					} else {
						items[c].key = keys[r*cols+c]
					}
				}
				sorted = sortItems(items, spare, bytes)[:keep]
			}
			for c, x := range sorted {
				positions[r*keep+c] = x.at
			}
			pick(v.Data[r*keep*size:(r+1)*keep*size], src[r*cols*size:(r+1)*cols*size], sorted, size)
		}
	})
	return v, i, nil
}

// wholeKeys sets elements of 8 bytes from their keys, which are in order in memory, if they are integers.
func wholeKeys(data []byte, sorted []sortItem, lo, hi int, dt kernels.DType, descending bool) bool {
	var flip uint64
	switch dt {
	case kernels.U64:
	case kernels.I64:
		flip = 1 << 63
	default:
		return false
	}
	if descending {
		flip = ^flip
	}
	to := View[uint64](data)
	for i, x := range sorted[lo:hi] {
		to[lo+i] = x.key ^ flip
	}
	return true
}

// pick copies the elements of a row, of so many bytes, in the order of the items.
func pick(to, from []byte, sorted []sortItem, size int) {
	switch size {
	case 1:
		pickSorted[uint8](to, from, sorted)
	case 2:
		pickSorted[uint16](to, from, sorted)
	case 4:
		pickSorted[uint32](to, from, sorted)
	default:
		pickSorted[uint64](to, from, sorted)
	}
}

func pickSorted[B any](to, from []byte, sorted []sortItem) {
	out, src := View[B](to), View[B](from)
	for c, x := range sorted {
		out[c] = src[x.at]
	}
}

// sortItems sorts by keys of so many bytes and is stable. The result is in one of the two slices.
func sortItems(items, spare []sortItem, bytes int) []sortItem {
	const few = 64 // for so few, counting costs more than it saves
	if len(items) < few {
		slices.SortFunc(items, compareItems)
		return items
	}
	var counts [8][256]uint32
	for _, x := range items {
		for d := range counts[:bytes] {
			counts[d][byte(x.key>>(8*d))]++
		}
	}
	for d := range counts[:bytes] {
		next := &counts[d]
		if int(next[byte(items[0].key>>(8*d))]) == len(items) {
			continue // all have the same digit
		}
		at := uint32(0)
		for digit, n := range next {
			next[digit] = at
			at += n
		}
		for _, x := range items {
			p := &next[byte(x.key>>(8*d))]
			spare[*p] = x
			*p++
		}
		items, spare = spare, items
	}
	return items
}

// shortKeys is sortKeys for types of at most 4 bytes.
func (b Backend) shortKeys(in backend.Operand, descending bool) ([]uint32, error) {
	wide, flip := kernels.I64, uint32(0)
	switch {
	case in.DType.IsFloat():
		wide = kernels.F32
	case in.DType == kernels.U8 || in.DType == kernels.U16 || in.DType == kernels.U32:
		wide = kernels.U32
	default:
		wide, flip = kernels.I32, 1<<31
	}
	if in.DType != wide || !in.Layout.IsContiguous() {
		s, err := b.Cast(in, wide)
		if err != nil {
			return nil, err
		}
		in = backend.Operand{Store: s, DType: wide, Layout: backend.Dense(in.Layout.Shape)}
	}
	n := in.Layout.ElemCount()
	src := elems[uint32](in)[:n]
	_, keys := uninitElems[uint32](n, 4)
	Parallel(n, 1, func(lo, hi int) {
		const top = 1 << 31
		for i, k := range src[lo:hi] {
			switch {
			case wide != kernels.F32:
				k ^= flip
			case k&^top > 0x7f800000: // NaN comes last in both directions
				keys[lo+i] = math.MaxUint32
				continue
			case k&^top == 0:
				k = top
			case k&top != 0:
				k = ^k
			default:
				k |= top
			}
			if descending {
				k = ^k
			}
			keys[lo+i] = k
		}
	})
	return keys, nil
}

// sortKeys maps elements to integers: NaN to the maximum, and equal elements to equal integers.
func (b Backend) sortKeys(in backend.Operand, descending bool) ([]uint64, error) {
	wide, top := kernels.I64, uint64(1)<<63
	switch {
	case in.DType.IsFloat():
		wide = kernels.F64
	case in.DType == kernels.U64:
		wide, top = kernels.U64, 0
	}
	s, err := b.Cast(in, wide)
	if err != nil {
		return nil, err
	}
	keys := View[uint64](s.(*Storage).Data)
	floats := View[float64](s.(*Storage).Data)
	Parallel(len(keys), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			k := keys[i]
			switch {
			case wide != kernels.F64:
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
	})
	return keys, nil
}
