package frame

import (
	"runtime"
	"slices"
)

// entry is a row with its key.
type entry struct {
	key uint64
	row int32
}

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// radixSort returns the rows in ascending order of their keys; rows with equal keys keep the order of rows, or if that
// is nil, ascending order. Parts are sorted on all cores, by their digits from the lowest on, and merged.
func radixSort(keys []uint64, rows []int32) []int32 {
	n := len(keys)
	entries := make([]entry, n)
	blocks(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := int32(i)
			if rows != nil {
				row = rows[i]
			}
			entries[i] = entry{keys[row], row}
		}
	})
	parts := max(1, min(runtime.GOMAXPROCS(0), n>>16))
	bounds := make([]int, parts+1)
	for p := range bounds {
		bounds[p] = int(int64(n) * int64(p) / int64(parts))
	}
	spare := make([]entry, n)
	each(parts, func(p int) { sortDigits(entries[bounds[p]:bounds[p+1]], spare[bounds[p]:bounds[p+1]]) })
	for len(bounds) > 2 {
		pairs := (len(bounds) - 1) / 2
		each(pairs, func(p int) {
			lo, mid, hi := bounds[2*p], bounds[2*p+1], bounds[2*p+2]
			mergeEntries(spare[lo:hi], entries[lo:mid], entries[mid:hi])
		})
		if len(bounds)%2 == 0 { // a part without a neighbour
			lo := bounds[len(bounds)-2]
			copy(spare[lo:], entries[lo:])
		}
		merged := []int{}
		for p := 0; p < len(bounds); p += 2 {
			merged = append(merged, bounds[p])
		}
		if last := bounds[len(bounds)-1]; merged[len(merged)-1] != last {
			merged = append(merged, last)
		}
		bounds = merged
		entries, spare = spare, entries
	}
	out := make([]int32, n)
	blocks(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = entries[i].row
		}
	})
	return out
}

func mergeEntries(to, a, b []entry) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0].key <= b[0].key {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}

// sortDigits sorts entries, which stay where they are.
func sortDigits(entries, spare []entry) {
	if len(entries) < 64 {
		slices.SortStableFunc(entries, func(a, b entry) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return 0
		})
		return
	}
	var counts [(64 + digitBits - 1) / digitBits][digits]int32
	for _, e := range entries {
		for d := range counts {
			counts[d][e.key>>(d*digitBits)&(digits-1)]++
		}
	}
	from, to := entries, spare
	for d := range counts {
		if counts[d][entries[0].key>>(d*digitBits)&(digits-1)] == int32(len(entries)) {
			continue // all have this digit
		}
		next := int32(0)
		for i, c := range counts[d] {
			counts[d][i] = next
			next += c
		}
		for _, e := range from {
			at := &counts[d][e.key>>(d*digitBits)&(digits-1)]
			to[*at] = e
			*at++
		}
		from, to = to, from
	}
	if &from[0] != &entries[0] {
		copy(entries, from)
	}
}
