package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (Backend) IndexSelect(
	ids, in backend.Operand, left, size, count, right int, _ backend.IndexErrorFunc,
) (backend.Storage, error) {
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
