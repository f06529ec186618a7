//go:build linux || windows

package enter

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

const (
	regionBytes = 1 << 20 // of which only pages with code in them are in use
	codeAlign   = 64      // a line of the cache, which then has no code of two calls of Map
	trap        = 0xCC    // an instruction that ends the process, in the place of code that was freed
)

// region is memory for code. It is mapped twice, so that code can be added beside code that runs: no address can be
// written to and executed.
type region struct {
	view  []byte // to be written
	exec  uintptr
	free  []span // by their offsets, of which no two adjoin
	fresh int    // from where on it has never had code
}

type span struct{ at, size int }

var code struct {
	sync.Mutex
	regions []*region
}

// Map puts code into executable memory and returns its address.
func Map(blob []byte) (address uintptr, err error) {
	defer func() {
		if err == nil {
			mapped.Store(true)
		}
	}()
	code.Lock()
	defer code.Unlock()
	need := aligned(len(blob))
	if need > regionBytes/4 {
		return mapAlone(blob)
	}
	for _, r := range code.regions {
		if at, ok := r.put(blob, need); ok {
			return at, nil
		}
	}
	write, exec, err := mapTwice(regionBytes)
	if err != nil {
		return mapAlone(blob) // as where memory that a file stands for must not be executed
	}
	r := &region{view: write, exec: uintptr(unsafe.Pointer(unsafe.SliceData(exec))), free: []span{{0, regionBytes}}}
	code.regions = append(code.regions, r)
	at, _ := r.put(blob, need)
	return at, nil
}

func aligned(n int) int { return (n + codeAlign - 1) / codeAlign * codeAlign }

// put puts code where there is room for it.
func (r *region) put(blob []byte, need int) (address uintptr, ok bool) {
	at, ok := r.take(need)
	if !ok {
		return 0, false
	}
	copy(r.view[at:], blob)
	if at < r.fresh {
		refetch()
	}
	r.fresh = max(r.fresh, at+need)
	return r.exec + uintptr(at), true
}

// take takes memory from the first free span that has enough.
func (r *region) take(need int) (at int, ok bool) {
	for i := range r.free {
		s := &r.free[i]
		if s.size < need {
			continue
		}
		at = s.at
		if s.at, s.size = s.at+need, s.size-need; s.size == 0 {
			r.free = slices.Delete(r.free, i, i+1)
		}
		return at, true
	}
	return 0, false
}

// Free has Map use memory again whose code no goroutine is in, and which nothing can call any longer. Processors that
// may have fetched that code are told so when there is other code; where they cannot be told, the memory is not used
// again.
func Free(list []Memory) {
	if !canRefetch() {
		return
	}
	code.Lock()
	defer code.Unlock()
	for _, m := range list {
		for _, r := range code.regions {
			if m.At >= r.exec && m.At < r.exec+regionBytes {
				r.give(int(m.At-r.exec), aligned(m.Size))
			}
		}
	}
}

// give makes memory free.
func (r *region) give(at, size int) {
	for i := range size {
		r.view[at+i] = trap
	}
	i, _ := slices.BinarySearchFunc(r.free, at, func(s span, at int) int { return cmp.Compare(s.at, at) })
	r.free = slices.Insert(r.free, i, span{at, size})
	if i+1 < len(r.free) && at+size == r.free[i+1].at {
		r.free[i].size += r.free[i+1].size
		r.free = slices.Delete(r.free, i+1, i+2)
	}
	if i > 0 && r.free[i-1].at+r.free[i-1].size == at {
		r.free[i-1].size += r.free[i].size
		r.free = slices.Delete(r.free, i, i+1)
	}
}
