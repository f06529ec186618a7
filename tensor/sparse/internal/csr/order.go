package csr

import "github.com/gorocm/gorocm/tensor"

// Order returns which of some ids, U32 below size, comes at each position when they are sorted; equal ones stay in
// order.
func Order(ids *tensor.Tensor, size int) *tensor.Tensor {
	const room = 1 << 16 // counters that cost nothing
	if n := ids.ElemCount(); isGPU(ids.Device()) || size > 4*n+room {
		return ids.ArgSortLastDim(true)
	}
	out := tensor.Empty(ids.Dims(), tensor.U32, ids.Device())
	countingSort(data[uint32](ids), size, out.Data().([]uint32))
	return out
}

func countingSort(ids []uint32, size int, order []uint32) {
	next := make([]uint32, size+1) // where the next element with an id goes
	for _, id := range ids {
		next[id+1]++
	}
	for i := range size {
		next[i+1] += next[i]
	}
	for k, id := range ids {
		order[next[id]] = uint32(k)
		next[id]++
	}
}
