package host

import (
	"math/bits"
	"runtime"
	"sync"
	"unsafe"
)

// blockPool keeps large blocks of the Go heap for the next result: fresh ones cost more in page faults and zeroing
// than most operations take. Blocks are ordinary memory of the garbage collector, with a finalizer that returns them
// to the pool. So a block is never reused while anything still refers to it, not even a slice. Reuse allocates
// nothing, which the collector would notice, so the pool starts collections itself: see collect.go.
type blockPool struct {
	mu         sync.Mutex
	unused     map[int][]*uint64 // by size class
	idle       int               // bytes of unused blocks
	asked      map[int]int       // by size class, the number of the last request
	requests   int
	inUse      int           // bytes of blocks in use
	fresh      int           // bytes handed out since the last collection began
	freshSmall int           // the part of fresh in blocks that stay in the cache
	warm       uintptr       // the address of the block that was freed last; it keeps no block alive
	made       int           // bytes of all blocks that were allocated
	pace       pace          // of collections
	collecting chan struct{} // closed when the collection under way ends; nil if there is none
	resting    bool          // whether restAfter has a timer
}

const (
	minPooled  = 64 << 10
	largeBlock = 4 * streamed // bytes
	hugePage   = 2 << 20
	minIdle    = 256 << 20 // so much may be unused, or as much as is in use, or what one round of collections leaves
)

var heapBlocks = blockPool{unused: map[int][]*uint64{}, asked: map[int]int{}}

// sizeClass rounds n up to one of eight steps per doubling, which wastes an eighth at most.
func sizeClass(n int) int {
	step := 1 << (bits.Len(uint(n-1)) - 4)
	return (n + step - 1) / step * step
}

// get returns a block of at least n bytes with arbitrary contents. zeroed says that they are zeros, warm that the
// block was written a moment ago and is in the cache.
func (p *blockPool) get(n int) (block *uint64, zeroed, warm bool) {
	class := sizeClass(n)
	p.mu.Lock()
	p.requests++
	p.asked[class] = p.requests
	p.inUse += class
	p.fresh += class
	p.pace.total += class
	if class < largeBlock {
		p.freshSmall += class
	}
	if due, late := p.pace.due(p.freshSmall, p.fresh); due {
		p.collect(late)
	}
	if list := p.unused[class]; len(list) > 0 {
		last := len(list) - 1
		block, list[last] = list[last], nil
		p.unused[class] = list[:last]
		p.idle -= class
	}
	warm = block != nil && uintptr(unsafe.Pointer(block)) == p.warm
	if block == nil {
		p.made += class
	}
	p.mu.Unlock()
	if block == nil {
		block, zeroed = newBlock(class), true
	}
	runtime.SetFinalizer(block, func(b *uint64) { p.put(b, class) })
	return block, zeroed, warm
}

// newBlock returns zeroed memory of the Go heap. Blocks of a huge page and more have room to be aligned to one.
func newBlock(class int) *uint64 {
	if class < hugePage {
		return unsafe.SliceData(make([]uint64, class/8))
	}
	block := unsafe.SliceData(make([]uint64, (class+hugePage)/8))
	adviseHuge(blockStart(block, class), class)
	return block
}

// blockStart is the address of the first element in a block.
func blockStart(block *uint64, n int) unsafe.Pointer {
	if sizeClass(n) < hugePage {
		return unsafe.Pointer(block)
	}
	return unsafe.Add(unsafe.Pointer(block), -uintptr(unsafe.Pointer(block))%hugePage)
}

// free returns a block that nothing refers to any more, without a collection.
func (p *blockPool) free(block *uint64, class int) {
	runtime.SetFinalizer(block, nil)
	p.put(block, class)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.warm = uintptr(unsafe.Pointer(block))
	p.fresh -= class
	if class < largeBlock {
		p.freshSmall -= class
	}
}

// isWarm reports whether get would return a block that was written a moment ago.
func (p *blockPool) isWarm(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.unused[sizeClass(n)]
	return len(list) > 0 && uintptr(unsafe.Pointer(list[len(list)-1])) == p.warm
}

// put returns a block. Above a limit, unused blocks are left to the collector.
func (p *blockPool) put(block *uint64, class int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inUse -= class
	p.unused[class] = append(p.unused[class], block)
	p.idle += class
	p.drop(max(minIdle, p.inUse, p.pace.budget()))
	if p.idle > max(minIdle, p.inUse) && !p.resting {
		p.resting = true
		p.restAfter(p.requests)
	}
}

// drop leaves unused blocks above a limit to the collector, those of the least recently requested size first. The
// caller holds the mutex.
func (p *blockPool) drop(limit int) {
	for p.idle > limit {
		oldest := 0
		for c, list := range p.unused {
			if len(list) > 0 && (oldest == 0 || p.asked[c] < p.asked[oldest]) {
				oldest = c
			}
		}
		list := p.unused[oldest]
		last := len(list) - 1
		list[last] = nil
		p.unused[oldest] = list[:last]
		p.idle -= oldest
	}
}
