package host

import (
	"math/bits"
	"runtime"
)

// longRow is the number of elements from which on a row is sorted by sortLong.
const longRow = 1 << 14

// sortLong returns the items of one row of keys, sorted and stable, on all cores: it distributes them by the highest
// bits in which keys differ, and then sorts each part in the caches.
func sortLong[K uint32 | uint64](keys []K) []sortItem {
	n := len(keys)
	items := make([]sortItem, n)
	var different uint64
	for _, k := range keys {
		different |= uint64(k ^ keys[0])
	}
	width := 8
	if n >= 1<<18 {
		width = 11
	}
	shift := max(bits.Len64(different)-width, 0)
	mask := uint64(1)<<width - 1
	cores := runtime.GOMAXPROCS(0)
	part := (n + cores - 1) / cores
	next := make([][]uint32, cores) // where each part of the row puts the next item with each digit
	each := func(f func(keys []K, at uint32, next []uint32)) {
		Parallel(cores, 4*part, func(lo, hi int) {
			for p := lo; p < hi; p++ {
				from, to := min(p*part, n), min((p+1)*part, n)
				f(keys[from:to], uint32(from), next[p])
			}
		})
	}
	for p := range next {
		next[p] = make([]uint32, mask+1)
	}
	each(func(keys []K, _ uint32, next []uint32) {
		for _, k := range keys {
			next[uint64(k)>>shift&mask]++
		}
	})
	ends := make([]uint32, mask+2)
	at := uint32(0)
	for d := range mask + 1 {
		for p := range next {
			next[p][d], at = at, at+next[p][d]
		}
		ends[d+1] = at
	}
	each(func(keys []K, at uint32, next []uint32) {
		for i, k := range keys {
			p := &next[uint64(k)>>shift&mask]
			items[*p] = sortItem{uint64(k), at + uint32(i)}
			*p++
		}
	})
	Parallel(int(mask)+1, 32*n>>width, func(lo, hi int) {
		longest := uint32(0)
		for d := lo; d < hi; d++ {
			longest = max(longest, ends[d+1]-ends[d])
		}
		spare := make([]sortItem, longest)
		for d := lo; d < hi; d++ {
			part := items[ends[d]:ends[d+1]]
			sortPart(part, spare[:len(part)], shift)
		}
	})
	return items
}

// sortPart sorts items that differ in the lowest bits alone, by the highest of them, and then each part of them.
func sortPart(items, spare []sortItem, low int) {
	const few = 48 // are sorted by insertion
	if len(items) <= few {
		insertItems(items)
		return
	}
	var different uint64
	for _, x := range items {
		different |= x.key ^ items[0].key
	}
	shift := max(bits.Len64(different&(1<<low-1))-8, 0)
	if different == 0 || low == 0 {
		return
	}
	var ends [256]uint32
	for _, x := range items {
		ends[byte(x.key>>shift)]++
	}
	at := uint32(0)
	for d, n := range ends {
		ends[d] = at
		at += n
	}
	for _, x := range items {
		p := &ends[byte(x.key>>shift)]
		spare[*p] = x
		*p++
	}
	copy(items, spare)
	for d, from := 0, uint32(0); d < 256 && shift > 0; d++ {
		if ends[d]-from > 1 {
			sortPart(items[from:ends[d]], spare[from:ends[d]], shift)
		}
		from = ends[d]
	}
}

func insertItems(items []sortItem) {
	for i := 1; i < len(items); i++ {
		x, j := items[i], i
		for ; j > 0 && items[j-1].key > x.key; j-- {
			items[j] = items[j-1]
		}
		items[j] = x
	}
}
