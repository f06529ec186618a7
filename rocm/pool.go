package rocm

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"weak"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// pool allocates device memory, and caches freed blocks by size class. Blocks are reused at once: every use of them is
// on the device's one stream, in order.
//
// Go's collector does not see device memory, so the pool starts collections itself: when memory in use has grown by
// half since the last one, and when the device is out of memory. Allocations wait when it has grown by as much again.
type pool struct {
	malloc      func(n int) (ptr uintptr, err error)
	free        func(ptr uintptr) error
	synchronize func() error // waits for the stream, before memory goes back to the driver
	unusedLimit int64        // unused bytes that are cached; 0 for no limit
	exactSizes  bool         // do not round sizes up
	share       int64        // reserved is at most this; 0 for no limit

	mu       sync.Mutex
	classes  map[int]*class // by size
	blocks   []*block       // those of live buffers
	inUse    int64          // bytes of live buffers, rounded up to their classes
	reserved int64          // inUse and unused bytes
	peak     int64          // of inUse
	watching bool           // afterCollection will be called
	ownersMu sync.Mutex     // held while owners are read; locked before mu

	minBytes int64         // memory in use grows at least by this from one collection to the next
	last     use           // after the last collection
	room     use           // for growth until the next one
	gcDone   chan struct{} // closed when the collection under way ends; nil when there is none
}

// use is what is in use.
type use struct {
	bytes   int64
	buffers int
}

// class is a size class.
type class struct {
	size   int
	unused []*block
	live   int // in use
}

// slab is memory from one driver call: count blocks of one class.
type slab struct {
	ptr    uintptr
	class  *class
	count  int
	unused int // of its blocks
}

// block is the memory of one buffer, reused by later ones. An empty block has no slab, and its ptr is 0.
type block struct {
	ptr   uintptr
	slab  *slab
	class *class
	owner weak.Pointer[Buffer]
	index int // in pool.blocks
}

const (
	minClass     = 512
	maxStep      = 32 << 20
	maxSlab      = 64 << 20 // bytes of a slab of more than one block
	maxSlabCount = 1024
	minGCBytes   = 64 << 20 // or this part of the device's memory, if that is more:
	minGCPart    = 32
	minGCBuffers = 16 << 10
)

// sizeClass rounds n up to 512 bytes, or to one of eight sizes per doubling that are at most 32 MiB apart. At most an
// eighth is wasted.
func sizeClass(n int) int {
	if n == 0 {
		return 0
	}
	if n <= minClass {
		return minClass
	}
	step := min(max(minClass, 1<<(bits.Len(uint(n-1))-4)), maxStep)
	return (n + step - 1) / step * step
}

// classSize is the size of the blocks for n bytes.
func (p *pool) classSize(n int) int {
	if p.exactSizes {
		return n
	}
	return sizeClass(n)
}

func (p *pool) init(total int64) {
	p.classes = map[int]*class{}
	p.minBytes = max(minGCBytes, total/minGCPart)
	p.room = use{p.minBytes, minGCBuffers}
}

// get returns a block of at least n bytes for a buffer. The caller keeps the buffer alive meanwhile.
func (p *pool) get(n int, owner weak.Pointer[Buffer]) (*block, error) {
	size := p.classSize(n)
	p.mu.Lock()
	var b *block
	if !p.due(1) && !p.full() { // the usual case
		b = p.take(size, owner)
	}
	p.mu.Unlock()
	if b != nil {
		return b, nil
	}
	p.pressure()
	p.keepLimit()
	if b := p.reuse(size, owner); b != nil {
		return b, nil
	}
	count := p.slabCount(size)
	b, err := p.grow(size, count, owner)
	if count > 1 && errors.Is(err, ErrOutOfMemory) {
		b, err = p.grow(size, 1, owner)
	}
	if errors.Is(err, ErrOutOfMemory) {
		p.trim()
		b, err = p.grow(size, 1, owner)
	}
	if errors.Is(err, ErrOutOfMemory) {
		p.collect()
		if b := p.reuse(size, owner); b != nil {
			return b, nil
		}
		p.trim()
		b, err = p.grow(size, 1, owner)
	}
	if err != nil {
		return nil, p.explain(n, err)
	}
	return b, nil
}

// slabCount is the number of blocks to allocate at once: half as many as are live, so that calls of the driver, of some
// 100 µs each, become rare.
func (p *pool) slabCount(size int) int {
	if p.exactSizes {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(1, min(p.class(size).live/2, maxSlab/size, maxSlabCount))
}

// class returns the class of a size. The mutex is held.
func (p *pool) class(size int) *class {
	c := p.classes[size]
	if c == nil {
		c = &class{size: size}
		p.classes[size] = c
	}
	return c
}

// grow allocates a slab. It returns its first block and caches the others.
func (p *pool) grow(size, count int, owner weak.Pointer[Buffer]) (*block, error) {
	n := int64(size * count)
	if err := p.reserve(n); err != nil {
		return nil, err
	}
	ptr, err := p.malloc(size * count)
	if err != nil {
		p.unreserve(n)
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.class(size)
	s := &slab{ptr, c, count, count}
	blocks := make([]block, count)
	for i := count - 1; i >= 0; i-- {
		blocks[i] = block{ptr: ptr + uintptr(i*size), slab: s, class: c}
		c.unused = append(c.unused, &blocks[i])
	}
	return p.take(size, owner), nil
}

// reuse is take without the mutex held.
func (p *pool) reuse(size int, owner weak.Pointer[Buffer]) *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(size, owner)
}

// take returns an unused block of a class, or nil. For size 0 it returns an empty block.
func (p *pool) take(size int, owner weak.Pointer[Buffer]) *block {
	c := p.class(size)
	var b *block
	if size == 0 {
		b = &block{class: c}
	} else {
		last := len(c.unused) - 1
		if last < 0 {
			return nil
		}
		b = c.unused[last]
		c.unused = c.unused[:last]
		b.slab.unused--
	}
	c.live++
	p.inUse += int64(size)
	p.peak = max(p.peak, p.inUse)
	b.owner, b.index = owner, len(p.blocks)
	p.blocks = append(p.blocks, b)
	if !p.watching {
		p.watching = true
		p.watchCollections()
	}
	return b
}

// put frees the block of a buffer. Only the first call for a buffer does anything. It reports whether more is cached
// than the limit.
func (p *pool) put(b *Buffer) (full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.isFreed.Swap(true) { // with the mutex held: the block of a second call is unused already
		return false
	}
	p.putBlock(b.block)
	return p.full()
}

func (p *pool) putBlock(b *block) {
	last := p.blocks[len(p.blocks)-1]
	p.blocks[b.index], last.index = last, b.index
	p.blocks[len(p.blocks)-1] = nil
	p.blocks = p.blocks[:len(p.blocks)-1]
	c := b.class
	c.live--
	p.inUse -= int64(c.size)
	b.owner = weak.Pointer[Buffer]{}
	if b.slab != nil {
		b.slab.unused++
		c.unused = append(c.unused, b)
	}
}

// full reports whether more is cached than the limit.
func (p *pool) full() bool { return p.unusedLimit > 0 && p.reserved-p.inUse > p.unusedLimit }

// keepLimit trims when more is cached than the limit.
func (p *pool) keepLimit() {
	p.mu.Lock()
	full := p.full()
	p.mu.Unlock()
	if full {
		p.trim()
	}
}

// trim returns slabs that no buffer uses to the driver.
func (p *pool) trim() {
	p.mu.Lock()
	var idle []*slab
	for size, c := range p.classes {
		used := c.unused[:0]
		for _, b := range c.unused {
			if b.slab.unused < b.slab.count {
				used = append(used, b)
			} else if b.ptr == b.slab.ptr {
				idle = append(idle, b.slab)
			}
		}
		clear(c.unused[len(used):])
		c.unused = used
		if len(used) == 0 && c.live == 0 { // with exact sizes there are many classes
			delete(p.classes, size)
		}
	}
	p.mu.Unlock()
	if idle == nil {
		return
	}
	// After a failure of the stream the driver frees nothing, and its errors say no more than the first.
	_ = p.synchronize()
	for _, s := range idle {
		_ = p.free(s.ptr)
		p.mu.Lock()
		p.reserved -= int64(s.class.size * s.count)
		p.mu.Unlock()
	}
}

// giveUnderPressure has the memory that no buffer uses returned when the host's memory is short.
func (p *pool) giveUnderPressure() {
	device := weak.Make(p)
	budget.OnPressure(driver.EmulatedBytes, func() (given, again bool) {
		p := device.Value()
		if p != nil {
			p.collect()
			p.trim()
		}
		return p != nil, p != nil
	})
}

// pressure starts a collection when memory in use has taken the room that the last one has left. It waits for the
// collection when it has taken as much again.
func (p *pool) pressure() {
	p.mu.Lock()
	if p.due(1) && p.gcDone == nil {
		p.gcDone = make(chan struct{})
		go p.collectDue()
	}
	wait := p.gcDone
	urgent := p.due(2)
	p.mu.Unlock()
	if urgent && wait != nil {
		<-wait
	}
}

// due reports whether memory in use has grown since the last collection by the room that it has left, or times as much.
func (p *pool) due(times int) bool {
	return p.inUse >= p.last.bytes+int64(times)*p.room.bytes || len(p.blocks) >= p.last.buffers+times*p.room.buffers
}

func (p *pool) collectDue() {
	p.collect()
	p.keepLimit()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = use{p.inUse, len(p.blocks)}
	p.room = use{max(p.minBytes, p.inUse/2), max(minGCBuffers, len(p.blocks)/2)}
	close(p.gcDone)
	p.gcDone = nil
}

// collect runs Go's collector and reclaims the blocks of all buffers that it has found unreachable. It holds ownersMu:
// reading a weak pointer while the collector marks would keep the buffer alive.
func (p *pool) collect() {
	p.ownersMu.Lock()
	defer p.ownersMu.Unlock()
	runtime.GC()
	p.reclaimDropped()
}

// reclaimDropped frees the blocks of the buffers that the last collection has found unreachable. It does not call the
// driver and does not block, so that a cleanup may call it. The caller holds ownersMu.
func (p *pool) reclaimDropped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.blocks) - 1; i >= 0; i-- { // the last block, which replaces a freed one, has been looked at
		if p.blocks[i].owner.Value() == nil {
			p.putBlock(p.blocks[i])
		}
	}
}

// collectionSentinel is unreachable as soon as it is created, so that its cleanup runs after the next collection.
type collectionSentinel struct{ *pool }

// watchCollections has afterCollection called after the next collection. One cleanup for each collection costs less
// than one for each buffer.
func (p *pool) watchCollections() {
	runtime.AddCleanup(&collectionSentinel{p}, (*pool).afterCollection, p)
}

// afterCollection reclaims unreachable buffers, unless collect is about to, and watches the next collection as long as
// there are buffers.
func (p *pool) afterCollection() {
	if p.ownersMu.TryLock() {
		p.reclaimDropped()
		p.ownersMu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watching = len(p.blocks) > 0; p.watching {
		p.watchCollections()
	}
}

// explain adds the use of memory to an out-of-memory error.
func (p *pool) explain(n int, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrOutOfMemory {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	largest := 0
	for size, c := range p.classes {
		if c.live > 0 {
			largest = max(largest, size)
		}
	}
	e.Text = fmt.Sprintf("no room for %s: %s in use by %d buffers (the largest has %s), %s reserved",
		byteText(int64(n)), byteText(p.inUse), len(p.blocks), byteText(int64(largest)), byteText(p.reserved))
	return e
}

// byteText formats a number of bytes for people: 512 B, 1.5 GiB.
func byteText(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/(1<<10), "KiB"
	for _, u := range []string{"MiB", "GiB", "TiB"} {
		if v < 1<<10 {
			break
		}
		v, unit = v/(1<<10), u
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}
