package csr

import "github.com/gorocm/gorocm/tensor"

// countable reports whether ids below size are sorted by counting them.
func countable(size int, ids *tensor.Tensor) bool {
	const room = 1 << 16 // counters that cost nothing
	return size <= 4*ids.ElemCount()+room
}

// countingSort sets order to the elements of before, or all of them if it is nil, sorted by their ids.
func countingSort(ids, before []uint32, size int, order []uint32) {
	next := make([]uint32, size+1) // where the next element with an id goes
	for _, id := range ids {
		next[id+1]++
	}
	for i := range size {
		next[i+1] += next[i]
	}
	if before == nil {
		for k, id := range ids {
			order[next[id]] = uint32(k)
			next[id]++
		}
		return
	}
	for _, k := range before {
		id := ids[k]
		order[next[id]] = k
		next[id]++
	}
}

// sortedOnHost is Sorted by loops.
func (p Positions) sortedOnHost() (sorted Positions, order, slot *tensor.Tensor) {
	rows, cols := data[uint32](p.RowIDs), data[uint32](p.ColIDs)
	inOrder, distinct := true, true
	for k := 1; k < len(rows) && inOrder; k++ {
		sameRow := rows[k] == rows[k-1]
		inOrder = rows[k] > rows[k-1] || sameRow && cols[k] >= cols[k-1]
		distinct = distinct && !(sameRow && cols[k] == cols[k-1])
	}
	if inOrder && distinct {
		return p, nil, nil
	}
	dev := p.RowIDs.Device()
	at := func(k int) int { return k }
	if !inOrder {
		order = dev.Empty(tensor.U32, p.RowIDs.Dims()...)
		list, byColumn := order.Data().([]uint32), make([]uint32, len(rows))
		countingSort(cols, nil, p.Cols, byColumn)
		countingSort(rows, byColumn, p.Rows, list)
		at = func(k int) int { return int(list[k]) }
	}
	slot = dev.Empty(tensor.I64, p.RowIDs.Dims()...)
	slots := slot.Data().([]int64)
	r, c := make([]uint32, 0, len(rows)), make([]uint32, 0, len(rows))
	for k := range rows {
		row, col := rows[at(k)], cols[at(k)]
		if n := len(r); n == 0 || r[n-1] != row || c[n-1] != col {
			r, c = append(r, row), append(c, col)
		}
		slots[k] = int64(len(r) - 1)
	}
	if len(r) == len(rows) {
		slot = nil
	}
	p.RowIDs, p.ColIDs = dev.FromSlice(r, len(r)), dev.FromSlice(c, len(c))
	return p, order, slot
}
