package rocm

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// pool hands out device memory and keeps what comes back, by size class, for the next request. Blocks are reused at once:
// every use of them is on the device's one stream, in order.
//
// Go's collector does not see device memory, so the pool asks for collections itself: when live memory has doubled since
// the last one, and when the device has no more.
type pool struct {
	malloc func(n int) (uintptr, error)
	free   func(ptr uintptr) error
	drain  func() error // waits for the stream, before memory goes back to the driver
	limit  int64        // unused bytes kept; 0 for no limit
	exact  bool         // do not round sizes up

	mu       sync.Mutex
	unused   map[int][]uintptr // by class
	live     map[int]int       // buffers by class
	buffers  int
	inUse    int64 // bytes of live buffers, rounded up to their classes
	reserved int64 // inUse and unused bytes
	peak     int64 // of inUse

	minBytes  int64         // no collection below it
	gcBytes   int64         // collect when inUse reaches it
	gcBuffers int           // or buffers this
	gcDone    chan struct{} // closed when the collection under way ends; nil when there is none
}

// block is the memory of one buffer. Its ptr is 0 when its class is.
type block struct {
	ptr   uintptr
	class int
	freed atomic.Bool
}

const (
	minClass     = 512
	minGCBytes   = 64 << 20 // or this part of the device's memory, if that is more:
	minGCPart    = 32
	minGCBuffers = 16 << 10
)

// sizeClass rounds n up to 512 bytes or to one of eight steps per doubling: at most an eighth is wasted.
func sizeClass(n int) int {
	if n == 0 {
		return 0
	}
	if n <= minClass {
		return minClass
	}
	step := max(minClass, 1<<(bits.Len(uint(n-1))-4))
	return (n + step - 1) / step * step
}

func (p *pool) init(total int64) {
	p.unused, p.live = map[int][]uintptr{}, map[int]int{}
	p.minBytes = max(minGCBytes, total/minGCPart)
	p.gcBytes, p.gcBuffers = p.minBytes, minGCBuffers
}

// get returns a block of at least n bytes.
func (p *pool) get(n int) (*block, error) {
	class := sizeClass(n)
	if p.exact {
		class = n
	}
	p.pressure()
	p.keepLimit()
	if b := p.take(class); b != nil {
		return b, nil
	}
	ptr, err := p.malloc(class)
	if errors.Is(err, ErrOutOfMemory) {
		p.trim()
		ptr, err = p.malloc(class)
	}
	if errors.Is(err, ErrOutOfMemory) {
		p.collect()
		if b := p.take(class); b != nil {
			return b, nil
		}
		p.trim()
		ptr, err = p.malloc(class)
	}
	if err != nil {
		return nil, p.explain(n, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved += int64(class)
	return p.count(ptr, class), nil
}

// take reuses an unused block of the class, or makes the empty block of class 0.
func (p *pool) take(class int) *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	if class == 0 {
		return p.count(0, 0)
	}
	list := p.unused[class]
	if len(list) == 0 {
		return nil
	}
	p.unused[class] = list[:len(list)-1]
	if p.exact && len(list) == 1 { // exact sizes are many, classes few
		delete(p.unused, class)
	}
	return p.count(list[len(list)-1], class)
}

func (p *pool) count(ptr uintptr, class int) *block {
	p.live[class]++
	p.buffers++
	p.inUse += int64(class)
	p.peak = max(p.peak, p.inUse)
	return &block{ptr: ptr, class: class}
}

// put takes a block back; only the first call for a block does anything. It calls no driver and waits for nothing, so that
// cleanups may call it.
func (p *pool) put(b *block) {
	if b.freed.Swap(true) {
		return
	}
	p.mu.Lock()
	if p.live[b.class]--; p.live[b.class] == 0 {
		delete(p.live, b.class)
	}
	p.buffers--
	p.inUse -= int64(b.class)
	if b.ptr != 0 {
		p.unused[b.class] = append(p.unused[b.class], b.ptr)
	}
	p.mu.Unlock()
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

// trim gives all unused memory back to the driver.
func (p *pool) trim() {
	p.mu.Lock()
	unused := p.unused
	p.unused = map[int][]uintptr{}
	p.mu.Unlock()
	if len(unused) == 0 {
		return
	}
	// A stream that has failed frees nothing more; what the driver then says about each block is of no use.
	_ = p.drain()
	for class, list := range unused {
		for _, ptr := range list {
			_ = p.free(ptr)
		}
		p.mu.Lock()
		p.reserved -= int64(class * len(list))
		p.mu.Unlock()
	}
}

// pressure starts a collection when live memory has doubled since the last one, and waits for it when it has doubled again meanwhile.
func (p *pool) pressure() {
	p.mu.Lock()
	due := p.inUse >= p.gcBytes || p.buffers >= p.gcBuffers
	if due && p.gcDone == nil {
		p.gcDone = make(chan struct{})
		go p.collectDue()
	}
	wait := p.gcDone
	urgent := p.inUse >= 2*p.gcBytes || p.buffers >= 2*p.gcBuffers
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
	p.gcBuffers = max(minGCBuffers, 2*p.buffers)
	close(p.gcDone)
	p.gcDone = nil
}

// collect runs Go's collector and waits until the cleanups of dropped buffers have run.
func (p *pool) collect() {
	ran := make(chan struct{})
	mark(ran)
	runtime.GC()
	select {
	case <-ran:
	case <-time.After(time.Second): // something still refers to the mark; the buffers' cleanups need not wait for it
	}
	// Cleanups run in no order, so those of buffers may come after the mark's: wait until the number of buffers settles.
	for still, before := 0, -1; still < 3; {
		p.mu.Lock()
		now := p.buffers
		p.mu.Unlock()
		if now == before {
			still++
		} else {
			still = 0
		}
		before = now
		time.Sleep(200 * time.Microsecond)
	}
}

// mark drops an object whose cleanup closes ran.
//
//go:noinline
func mark(ran chan struct{}) {
	object := new([64]byte)
	runtime.AddCleanup(object, func(ran chan struct{}) { close(ran) }, ran)
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
		byteText(int64(n)), byteText(p.inUse), p.buffers, byteText(int64(largest)), byteText(p.reserved))
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
