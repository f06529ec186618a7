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

// Offsets returns where each row begins among sorted rows, and their number: I64 [rows+1].
func Offsets(rowIDs *tensor.Tensor, rows int) *tensor.Tensor {
	dev := rowIDs.Device()
	switch {
	case rowIDs.ElemCount() == 0:
		return dev.Zeros(tensor.I64, rows+1)
	case isGPU(dev):
		return rowIDs.SearchSorted(dev.Arange(tensor.U32, float64(rows)+1), false).ToDType(tensor.I64)
	}
	out := dev.Empty(tensor.I64, rows+1)
	offsets, row := out.Data().([]int64), 0
	for i, id := range data[uint32](rowIDs) {
		for ; row <= int(id); row++ {
			offsets[row] = int64(i)
		}
	}
	for ; row <= rows; row++ {
		offsets[row] = int64(rowIDs.ElemCount())
	}
	return out
}

// Merged returns the positions of two matrices in one order, without repetition, on the host. slot says where each
// element of the first comes, and then each of the second, I64.
func Merged(p, q Positions) (merged Positions, slot *tensor.Tensor) {
	r1, c1, r2, c2 := data[uint32](p.RowIDs), data[uint32](p.ColIDs), data[uint32](q.RowIDs), data[uint32](q.ColIDs)
	dev, all := p.RowIDs.Device(), len(r1)+len(r2)
	slot = dev.Empty(tensor.I64, all)
	slots := slot.Data().([]int64)
	rowIDs, colIDs := dev.Empty(tensor.U32, all), dev.Empty(tensor.U32, all)
	r, c := rowIDs.Data().([]uint32), colIDs.Data().([]uint32)
	n := 0
	for i, j := 0, 0; i < len(r1) || j < len(r2); n++ {
		first, second := uint64(1<<64-1), uint64(1<<64-1) // no position is so great
		if i < len(r1) {
			first = uint64(r1[i])<<32 | uint64(c1[i])
		}
		if j < len(r2) {
			second = uint64(r2[j])<<32 | uint64(c2[j])
		}
		at := min(first, second)
		if first == at {
			slots[i] = int64(n)
			i++
		}
		if second == at {
			slots[len(r1)+j] = int64(n)
			j++
		}
		r[n], c[n] = uint32(at>>32), uint32(at)
	}
	merged = Positions{Rows: p.Rows, Cols: p.Cols, RowIDs: rowIDs.Narrow(0, 0, n), ColIDs: colIDs.Narrow(0, 0, n)}
	return merged, slot
}

// RowIDs returns the row of each of n elements, where rows begin at ascending offsets from 0 to n: the inverse of
// Offsets.
func RowIDs(offsets *tensor.Tensor, n int) *tensor.Tensor {
	dev := offsets.Device()
	if isGPU(dev) {
		return offsets.SearchSorted(dev.Arange(tensor.I64, float64(n)), true).Sub(1).ToDType(tensor.U32)
	}
	out := dev.Empty(tensor.U32, n)
	rows, at := out.Data().([]uint32), data[int64](offsets)
	for row := range len(at) - 1 {
		for i := at[row]; i < at[row+1]; i++ {
			rows[i] = uint32(row)
		}
	}
	return out
}
