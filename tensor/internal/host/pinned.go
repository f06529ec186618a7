package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// PinnedPool keeps blocks of the Go heap whose pages are locked, for PinMemory. As in blockPool, a finalizer returns
// a block, so that none is reused while anything still refers to it. A block that is left to the collector is
// unlocked before.
type PinnedPool struct {
	mu     sync.Mutex
	unused map[pinnedClass][]*uint64
	locked map[uintptr]backend.Pages // by the address of the block, which whoever refers to it keeps alive
	asked  map[pinnedClass]int       // the number of the last request
	stuck  []*uint64                 // blocks that could not be unlocked

	requests    int
	inUse, idle int // bytes
	limit       int // of idle, or inUse if that is more
}

// pinnedClass tells blocks apart. Memory is locked for all devices of one driver.
type pinnedClass struct {
	scope string // of the driver
	bytes int
}

// pinnedMemory is the locked memory of a storage.
type pinnedMemory struct {
	on      string // the device that locked it
	pages   backend.Pages
	class   pinnedClass
	exposed atomic.Bool // the memory may be written to at any time: Data returned a slice of it
}

const (
	memoryPage    = 4096
	maxIdlePinned = 1 << 30
)

var PinnedBlocks = newPinnedPool()

func newPinnedPool() *PinnedPool {
	return &PinnedPool{unused: map[pinnedClass][]*uint64{}, locked: map[uintptr]backend.Pages{},
		asked: map[pinnedClass]int{}, limit: maxIdlePinned}
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
		_ = locked.Wait() // for copies from the tensor that was here before
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
	return &Storage{Data: BytesAt(pinnedStart(block, class.bytes), n), block: block,
		pinned: &pinnedMemory{on: location, pages: locked, class: class}}, nil
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

// pinnedStart is the address of the first element in a block: that of a page.
func pinnedStart(block *uint64, bytes int) unsafe.Pointer {
	if bytes >= hugePage {
		return blockStart(block, bytes)
	}
	return unsafe.Add(unsafe.Pointer(block), -uintptr(unsafe.Pointer(block))%memoryPage)
}

// free returns a block that nothing refers to any more.
func (p *PinnedPool) free(block *uint64, class pinnedClass) {
	runtime.SetFinalizer(block, nil)
	p.put(block, class)
}

// put returns a block. Above the limit, blocks of the least recently requested size are unlocked and left to the
// collector.
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
		// the driver would take other memory at this address for the block, so it must stay allocated
		if unused[i].Unpin() != nil {
			p.mu.Lock()
			p.stuck = append(p.stuck, surplus[i])
			p.mu.Unlock()
		}
	}
	runtime.KeepAlive(surplus)
}
