package rocm

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// pool hands out device memory and keeps what comes back, by size class, for the next request. Blocks are reused at once:
// every use of them is on the device's one stream, in order.
//
// Go's collector does not see device memory, so the pool asks for collections itself: when live memory has doubled since
// the last one, and when the device has no more.
type pool struct {
	malloc  func(n int) (uintptr, error)
	free    func(ptr uintptr) error
	drain   func() error // waits for the stream, before memory goes back to the driver
	putBack func(*block) // put, made once for all cleanups
	limit   int64        // unused bytes kept; 0 for no limit
	exact   bool         // do not round sizes up

	mu       sync.Mutex
	unused   map[int][]piece // by class
	live     map[int]int     // buffers by class
	blocks   []*block        // those of live buffers
	inUse    int64           // bytes of live buffers, rounded up to their classes
	reserved int64           // inUse and unused bytes
	peak     int64           // of inUse

	minBytes  int64         // no collection below it
	gcBytes   int64         // collect when inUse reaches it
	gcBuffers int           // or buffers this
	gcDone    chan struct{} // closed when the collection under way ends; nil when there is none
}

// slab is memory from one driver call: count blocks of one class.
type slab struct {
	ptr          uintptr
	class, count int
	unused       int // of its blocks
}

// piece is one block's share of a slab.
type piece struct {
	ptr  uintptr
	slab *slab
}

// block is the memory of one buffer. Its ptr is 0 and it has no slab when its class is 0.
type block struct {
	piece
	class int
	owner weak.Pointer[Buffer]
	index int // in pool.blocks
	freed atomic.Bool
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

// sizeClass rounds n up to 512 bytes or to one of eight steps per doubling, in steps of at most 32 MiB: an eighth is wasted at worst.
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

func (p *pool) init(total int64) {
	p.unused, p.live = map[int][]piece{}, map[int]int{}
	p.putBack = p.put
	p.minBytes = max(minGCBytes, total/minGCPart)
	p.gcBytes, p.gcBuffers = p.minBytes, minGCBuffers
}

// get returns a block of at least n bytes for a buffer. The caller keeps the buffer alive meanwhile.
func (p *pool) get(n int, owner weak.Pointer[Buffer]) (*block, error) {
	class := sizeClass(n)
	if p.exact {
		class = n
	}
	p.pressure()
	p.keepLimit()
	if b := p.take(class, owner); b != nil {
		return b, nil
	}
	count := p.slabCount(class)
	b, err := p.grow(class, count, owner)
	if count > 1 && errors.Is(err, ErrOutOfMemory) {
		b, err = p.grow(class, 1, owner)
	}
	if errors.Is(err, ErrOutOfMemory) {
		p.trim()
		b, err = p.grow(class, 1, owner)
	}
	if errors.Is(err, ErrOutOfMemory) {
		p.collect()
		if b := p.take(class, owner); b != nil {
			return b, nil
		}
		p.trim()
		b, err = p.grow(class, 1, owner)
	}
	if err != nil {
		return nil, p.explain(n, err)
	}
	return b, nil
}

// slabCount is how many blocks to ask the driver for at once: half as many as there are, so that calls to it get rare.
// A driver takes some 100 µs for a call.
func (p *pool) slabCount(class int) int {
	if p.exact {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(1, min(p.live[class]/2, maxSlab/class, maxSlabCount))
}

// grow gets a slab from the driver. It returns the first of its blocks and keeps the others.
func (p *pool) grow(class, count int, owner weak.Pointer[Buffer]) (*block, error) {
	ptr, err := p.malloc(class * count)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &slab{ptr, class, count, count}
	p.reserved += int64(class * count)
	for i := count - 1; i > 0; i-- {
		p.unused[class] = append(p.unused[class], piece{ptr + uintptr(i*class), s})
	}
	return p.count(piece{ptr, s}, class, owner), nil
}

// take reuses an unused block of the class, or makes the empty block of class 0.
func (p *pool) take(class int, owner weak.Pointer[Buffer]) *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	if class == 0 {
		return p.count(piece{}, 0, owner)
	}
	list := p.unused[class]
	if len(list) == 0 {
		return nil
	}
	p.unused[class] = list[:len(list)-1]
	if p.exact && len(list) == 1 { // exact sizes are many, classes few
		delete(p.unused, class)
	}
	return p.count(list[len(list)-1], class, owner)
}

func (p *pool) count(from piece, class int, owner weak.Pointer[Buffer]) *block {
	if from.slab != nil {
		from.slab.unused--
	}
	p.live[class]++
	p.inUse += int64(class)
	p.peak = max(p.peak, p.inUse)
	b := &block{piece: from, class: class, owner: owner, index: len(p.blocks)}
	p.blocks = append(p.blocks, b)
	return b
}

// put takes a block back; only the first call for a block does anything. It calls no driver and waits for nothing, so that
// cleanups may call it.
func (p *pool) put(b *block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.freed.Swap(true) { // under the lock: who comes second finds the block among the unused
		return
	}
	if p.live[b.class]--; p.live[b.class] == 0 {
		delete(p.live, b.class)
	}
	last := p.blocks[len(p.blocks)-1]
	p.blocks[b.index], last.index = last, b.index
	p.blocks[len(p.blocks)-1] = nil
	p.blocks = p.blocks[:len(p.blocks)-1]
	p.inUse -= int64(b.class)
	if b.slab != nil {
		b.slab.unused++
		p.unused[b.class] = append(p.unused[b.class], b.piece)
	}
}

// keepLimit trims when more is kept than the limit.
func (p *pool) keepLimit() {
	p.mu.Lock()
	full := p.limit > 0 && p.reserved-p.inUse > p.limit
	p.mu.Unlock()
	if full {
		p.trim()
	}
}

// trim gives the memory of slabs that no buffer uses back to the driver.
func (p *pool) trim() {
	p.mu.Lock()
	var idle []*slab
	for class, list := range p.unused {
		used := list[:0]
		for _, from := range list {
			if from.slab.unused < from.slab.count {
				used = append(used, from)
			} else if from.ptr == from.slab.ptr {
				idle = append(idle, from.slab)
			}
		}
		clear(list[len(used):])
		p.unused[class] = used
		if len(used) == 0 {
			delete(p.unused, class)
		}
	}
	p.mu.Unlock()
	if idle == nil {
		return
	}
	// A stream that has failed frees nothing more; what the driver then says about each slab is of no use.
	_ = p.drain()
	for _, s := range idle {
		_ = p.free(s.ptr)
		p.mu.Lock()
		p.reserved -= int64(s.class * s.count)
		p.mu.Unlock()
	}
}

// pressure starts a collection when live memory has doubled since the last one, and waits for it when it has doubled again meanwhile.
func (p *pool) pressure() {
	p.mu.Lock()
	due := p.inUse >= p.gcBytes || len(p.blocks) >= p.gcBuffers
	if due && p.gcDone == nil {
		p.gcDone = make(chan struct{})
		go p.collectDue()
	}
	wait := p.gcDone
	urgent := p.inUse >= 2*p.gcBytes || len(p.blocks) >= 2*p.gcBuffers
	p.mu.Unlock()
	if urgent && wait != nil {
		<-wait
	}
}

func (p *pool) collectDue() {
	p.collect()
	p.keepLimit()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gcBytes = max(p.minBytes, 2*p.inUse)
	p.gcBuffers = max(minGCBuffers, 2*len(p.blocks))
	close(p.gcDone)
	p.gcDone = nil
}

// collect runs Go's collector and takes back the blocks of all buffers that it found dropped. It does not wait for
// their cleanups, which run at some later time.
func (p *pool) collect() {
	runtime.GC()
	p.mu.Lock()
	var dropped []*block
	for _, b := range p.blocks {
		if b.owner.Value() == nil {
			dropped = append(dropped, b)
		}
	}
	p.mu.Unlock()
	for _, b := range dropped {
		p.put(b)
	}
}

// explain adds to an out-of-memory error what the memory is used for.
func (p *pool) explain(n int, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrOutOfMemory {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	largest := 0
	for class := range p.live {
		largest = max(largest, class)
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
