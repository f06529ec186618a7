package tensor

func (hostBackend) indexSelect(ids, in operand, left, size, count, right int, _ badID) (storage, error) {
	switch ids.dtype {
	case U8:
		return pick[uint8](ids, in, left, size, count, right)
	case U32:
		return pick[uint32](ids, in, left, size, count, right)
	}
	return pick[int64](ids, in, left, size, count, right)
}

func pick[I uint8 | uint32 | int64](ids, in operand, left, size, count, right int) (storage, error) {
	index := elems[I](ids)[:count]
	for i, id := range index {
		if int64(id) < 0 || int64(id) >= int64(size) {
			return nil, &indexFault{i}
		}
	}
	bytes := right * in.dtype.Size()
	src := in.store.(*hostStorage).data[in.layout.Offset*in.dtype.Size():]
	out := unclearedHost(left * count * bytes)
	parallel(left*count, right, func(lo, hi int) {
		block, at := lo/count, lo%count
		for row := lo; row < hi; row++ {
			from := (block*size + int(index[at])) * bytes
			copy(out.data[row*bytes:(row+1)*bytes], src[from:from+bytes])
			if at++; at == count {
				block, at = block+1, 0
			}
		}
	})
	return out, nil
}
