package driver

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// pinnedRanges are the ranges of the host's memory that are pinned, sorted by address.
type pinnedRanges struct {
	mu    sync.RWMutex
	list  []pinnedRange
	bytes int64
}

type pinnedRange struct {
	start uintptr
	n     int
}

func (r *pinnedRanges) search(at uintptr) (i int, found bool) {
	return slices.BinarySearchFunc(r.list, at, func(p pinnedRange, at uintptr) int { return cmp.Compare(p.start, at) })
}

// Add adds n bytes from start.
func (r *pinnedRanges) Add(start uintptr, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, _ := r.search(start)
	r.list = slices.Insert(r.list, i, pinnedRange{start, n})
	r.bytes += int64(n)
}

// Remove removes the range from start.
func (r *pinnedRanges) Remove(start uintptr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := r.search(start); found {
		r.bytes -= int64(r.list[i].n)
		r.list = slices.Delete(r.list, i, i+1)
	}
}

// Holds reports whether all of b is pinned.
func (r *pinnedRanges) Holds(b []byte) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	i, found := r.search(at)
	if !found {
		i--
	}
	return i >= 0 && at >= r.list[i].start && at+uintptr(len(b)) <= r.list[i].start+uintptr(r.list[i].n)
}

// Total is the number of bytes that are pinned.
func (r *pinnedRanges) Total() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.bytes
}
