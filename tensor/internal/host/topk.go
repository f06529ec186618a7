package host

import (
	"cmp"
	"slices"
)

// If less than one in fewKept elements of a row is kept, rows are not sorted.
const fewKept = 8

// firstItems fills kept with the first items of a row, sorted. It keeps them in a heap with the last one on top.
func firstItems[K uint32 | uint64](kept []sortItem, keys []K) {
	for i := range kept {
		kept[i] = sortItem{uint64(keys[i]), uint32(i)}
	}
	for i := len(kept)/2 - 1; i >= 0; i-- {
		sink(kept, i)
	}
	last := K(kept[0].key)
	for i, k := range keys[len(kept):] {
		if k < last { // of equal items the earlier one stays
			kept[0] = sortItem{uint64(k), uint32(len(kept) + i)}
			sink(kept, 0)
			last = K(kept[0].key)
		}
	}
	slices.SortFunc(kept, compareItems)
}

// sink moves an item down in a heap until none below it comes later.
func sink(heap []sortItem, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && compareItems(heap[child], heap[child+1]) < 0 {
			child++
		}
		if compareItems(heap[i], heap[child]) >= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

func compareItems(a, b sortItem) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
}
