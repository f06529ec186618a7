package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// PinnedPool keeps blocks of the Go heap whose pages are locked, for PinMemory. As those of blockPool they have a finalizer that brings them back, so that
// none is used again while anything still looks at it. A block that is left to the collector is unlocked before.
type PinnedPool struct {
	mu     sync.Mutex
	unused map[pinnedClass][]*uint64
	locked map[uintptr]backend.Pages // by the block's address: who refers to a block keeps it alive
	asked  map[pinnedClass]int       // the number of the last request
	stuck  []*uint64                 // those that could not be unlocked

	requests    int
	inUse, idle int // bytes
	limit       int // of idle, or inUse if that is more
}

// pinnedClass tells blocks apart: memory is locked for all devices of one driver.
type pinnedClass struct {
	scope string // of the driver
	bytes int
}

// pinnedMemory is what a storage knows of its locked memory.
type pinnedMemory struct {
	on      string // the device that locked it
	pages   backend.Pages
	class   pinnedClass
	exposed atomic.Bool // the memory may be written to at any time: Data gave it to somebody
}

const (
	memoryPage    = 4096
	maxIdlePinned = 1 << 30
)

var PinnedBlocks = newPinnedPool()

func newPinnedPool() *PinnedPool {
	return &PinnedPool{unused: map[pinnedClass][]*uint64{}, locked: map[uintptr]backend.Pages{}, asked: map[pinnedClass]int{}, limit: maxIdlePinned}
}

// Get returns n bytes of locked memory with arbitrary contents.
func (p *PinnedPool) Get(by backend.Pinner, location string, n int) (*Storage, error) {
	class := pinnedClass{by.PinScope(), (sizeClass(max(n, memoryPage)) + memoryPage - 1) / memoryPage * memoryPage}
	p.mu.Lock()
	p.requests++
	p.asked[class] = p.requests
	var block *uint64
	var locked backend.Pages
	if list := p.unused[class]; len(list) > 0 {
		last := len(list) - 1
		block, list[last] = list[last], nil
		p.unused[class] = list[:last]
		p.idle -= class.bytes
		locked = p.locked[uintptr(unsafe.Pointer(block))]
	}
	p.mu.Unlock()
	if block != nil {
		_ = locked.Wait() // for what is still on its way from the tensor that was here
	} else {
		var err error
		if block, locked, err = newPinned(by, class.bytes); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	p.inUse += class.bytes
	p.locked[uintptr(unsafe.Pointer(block))] = locked
	p.mu.Unlock()
	runtime.SetFinalizer(block, func(b *uint64) { p.put(b, class) })
	return &Storage{Data: BytesAt(pinnedStart(block, class.bytes), n), block: block, pinned: &pinnedMemory{on: location, pages: locked, class: class}}, nil
}

// newPinned locks memory of the Go heap.
func newPinned(by backend.Pinner, bytes int) (*uint64, backend.Pages, error) {
	var block *uint64
	if bytes < hugePage {
		block = unsafe.SliceData(make([]uint64, (bytes+memoryPage)/8))
	} else {
		block = newBlock(bytes)
	}
	locked, err := by.Pin(BytesAt(pinnedStart(block, bytes), bytes))
	return block, locked, err
}

// pinnedStart is where the elements of a block begin: with a page.
func pinnedStart(block *uint64, bytes int) unsafe.Pointer {
	if bytes >= hugePage {
		return blockStart(block, bytes)
	}
	return unsafe.Add(unsafe.Pointer(block), -uintptr(unsafe.Pointer(block))%memoryPage)
}

// free takes a block back that nothing looks at any more.
func (p *PinnedPool) free(block *uint64, class pinnedClass) {
	runtime.SetFinalizer(block, nil)
	p.put(block, class)
}

// put takes a block back. Beyond the limit, blocks of the size that was not asked for longest are unlocked and left to the collector.
func (p *PinnedPool) put(block *uint64, class pinnedClass) {
	p.mu.Lock()
	p.inUse -= class.bytes
	p.unused[class] = append(p.unused[class], block)
	p.idle += class.bytes
	var surplus []*uint64
	var unused []backend.Pages
	for p.idle > max(p.limit, p.inUse) {
		var oldest pinnedClass
		for c, list := range p.unused {
			if len(list) > 0 && (oldest.bytes == 0 || p.asked[c] < p.asked[oldest]) {
				oldest = c
			}
		}
		list := p.unused[oldest]
		last := len(list) - 1
		at := uintptr(unsafe.Pointer(list[last]))
		surplus, unused = append(surplus, list[last]), append(unused, p.locked[at])
		delete(p.locked, at)
		list[last] = nil
		p.unused[oldest] = list[:last]
		p.idle -= oldest.bytes
	}
	p.mu.Unlock()
	for i := range unused {
		if unused[i].Unpin() != nil { // nobody may get memory at this address that the driver takes for what was here
			p.mu.Lock()
			p.stuck = append(p.stuck, surplus[i])
			p.mu.Unlock()
		}
	}
	runtime.KeepAlive(surplus)
}
