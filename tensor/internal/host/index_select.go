package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (Backend) IndexSelect(
	ids, in backend.Operand, left, size, count, right int, _ backend.IndexErrorFunc,
) (backend.Storage, error) {
	defer timed("index_select", in.DType, 2*left*count*right*in.DType.Size(), ids)()
	switch ids.DType {
	case kernels.U8:
		return selectRows[uint8](ids, in, left, size, count, right)
	case kernels.U32:
		return selectRows[uint32](ids, in, left, size, count, right)
	}
	return selectRows[int64](ids, in, left, size, count, right)
}

func selectRows[I uint8 | uint32 | int64](
	ids, in backend.Operand, left, size, count, right int,
) (backend.Storage, error) {
	index := elems[I](ids)[:count]
	for i, id := range index {
		if int64(id) < 0 || int64(id) >= int64(size) {
			return nil, &backend.IndexFault{Position: i}
		}
	}
	bytes := right * in.DType.Size()
	src := in.Store.(*Storage).Data[in.Layout.Offset*in.DType.Size():]
	out := NewUninitialized(left * count * bytes)
	if left == 1 && selectElements(index, src, out.Data, bytes) {
		return out, nil
	}
	Parallel(left*count, right, func(lo, hi int) {
		block, at := lo/count, lo%count
		for row := lo; row < hi; row++ {
			from := (block*size + int(index[at])) * bytes
			copy(out.Data[row*bytes:(row+1)*bytes], src[from:from+bytes])
			if at++; at == count {
				block, at = block+1, 0
			}
		}
	})
	return out, nil
}

// selectElements selects rows that are as long as a machine word. It reports false, and has done nothing, for others.
func selectElements[I uint8 | uint32 | int64](index []I, src, out []byte, bytes int) bool {
	switch bytes {
	case 4:
		selectWords(index, View[uint32](src), View[uint32](out))
	case 8:
		selectWords(index, View[uint64](src), View[uint64](out))
	default:
		return false
	}
	return true
}

func selectWords[I uint8 | uint32 | int64, T uint32 | uint64](index []I, src, out []T) {
	Parallel(len(index), 2, func(lo, hi int) {
		for i, id := range index[lo:hi] {
			out[lo+i] = src[id]
		}
	})
}
