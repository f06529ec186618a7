package rocm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// A transfer between the host and a GPU goes one of four ways, by its size and memory.
//
//   - Small uploads are copied to a ring of pinned memory (staging.go), and neither wait nor stall the stream.
//   - Pinned memory (pinned.go) is transferred directly.
//   - Other large transfers go through chunks of pinned memory: while the GPU transfers one chunk, several goroutines
//     copy others. The driver's own transfers of pageable memory copy with one thread, and wait for each piece.
//   - Small downloads are left to the driver, and so is everything where it has no pinned memory or no events.
//
// The caller's slice is never pinned here: pinning and unpinning take the driver twice as long as one transfer.

// upload copies src to the device, in stream order. src may be changed when it returns.
func (d *Device) upload(dst uintptr, src []byte) error {
	var done bool
	var err error
	switch {
	case len(src) <= maxStaged:
		done, err = d.staging.upload(d, dst, src)
	case !d.drv.Pinned.Holds(src):
		done, err = d.transfers.upload(d, dst, src)
	}
	if done {
		return err
	}
	// The driver may read src until the stream is done.
	err = d.call("Upload", func() driver.Code {
		return d.drv.Upload(dst, unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)), d.stream)
	})
	if err == nil {
		err = d.wait()
	}
	runtime.KeepAlive(src)
	return err
}

// download copies from the device, after all work on the stream.
func (d *Device) download(dst []byte, src uintptr) error {
	if len(dst) > maxStaged && !d.drv.Pinned.Holds(dst) {
		if done, err := d.transfers.download(d, dst, src); done {
			return err
		}
	}
	err := d.call("Download", func() driver.Code {
		return d.drv.Download(unsafe.Pointer(unsafe.SliceData(dst)), src, uintptr(len(dst)), d.stream)
	})
	if err == nil {
		err = d.wait()
	}
	runtime.KeepAlive(dst)
	return err
}

const (
	maxChunk   = 2 << 20   // a bus of 55 GB/s idles for 3 µs between two transfers
	minChunk   = 512 << 10 // the driver takes some 5 µs for each, one at a time
	maxCopiers = 10
	pageSize   = 4096
)

// transfers moves large slices.
type transfers struct {
	mu          sync.Mutex // held during a transfer: two would share the bus
	maxCopiers  int        // maxCopiers, except in benchmarks
	maxChunk    int        // maxChunk, except in benchmarks
	copiers     []*copier
	firstMoved  uintptr // the event after a transfer's first chunk
	unavailable bool    // the driver has no pinned memory
}

// copier is the chunks of one goroutine: while the bus transfers one, it fills or empties the other.
type copier struct{ chunks [2]chunk }

// chunk is pinned memory, with the event after its last transfer.
type chunk struct {
	memory   []byte
	done     uintptr
	inFlight bool // its last transfer was not waited for
}

// transfer is the transfer of one slice.
type transfer struct {
	*transfers
	d           *Device
	n           int
	up          bool
	copiersUsed int
	chunkSize   int // bytes of their chunks
	offsetMu    sync.Mutex
	offset      int
	failed      atomic.Bool
	recorded    sync.Once // firstMoved
}

// next returns the next piece for a copier; 0 bytes when there is none left. Pieces grow during an upload and shrink
// during a download: the bus is idle while the first pieces of an upload are copied, and so are the copiers while the
// last pieces of a download are transferred.
func (t *transfer) next() (off, n int) {
	t.offsetMu.Lock()
	defer t.offsetMu.Unlock()
	if t.failed.Load() {
		return 0, 0
	}
	off = t.offset
	behind := off
	if !t.up {
		behind = t.n - off
	}
	n = min(t.piece(behind), t.n-off)
	t.offset += n
	return off, n
}

// piece is the size of the next piece, by the bytes before it in an upload, or from it on in a download.
func (t *transfer) piece(bytes int) int {
	return min(max(bytes/t.copiersUsed&^(pageSize-1), minChunk), t.chunkSize)
}

// upload copies src through pinned memory. done is false when src must go another way.
func (t *transfers) upload(d *Device, dst uintptr, src []byte) (done bool, err error) {
	return t.run(d, len(src), true, func(m *transfer, c *copier) error {
		for turn := 0; ; turn ^= 1 {
			off, n := m.next()
			if n == 0 {
				return nil
			}
			k := &c.chunks[turn]
			if err := m.wait(k); err != nil {
				return err
			}
			copyThroughCache(k.memory, src[off:off+n])
			err := d.call("Upload", func() driver.Code {
				return d.drv.Upload(dst+uintptr(off), unsafe.Pointer(unsafe.SliceData(k.memory)), uintptr(n), d.stream)
			})
			if err != nil {
				return err
			}
			if err := m.record(k); err != nil {
				return err
			}
		}
	})
}

// download copies to dst through pinned memory. done is false when it must go another way.
func (t *transfers) download(d *Device, dst []byte, src uintptr) (done bool, err error) {
	return t.run(d, len(dst), false, func(m *transfer, c *copier) error {
		var under [2][]byte // the destinations of the chunks that are in flight
		empty := func(turn int) error {
			if err := m.wait(&c.chunks[turn]); err != nil {
				return err
			}
			copy(under[turn], c.chunks[turn].memory)
			under[turn] = nil
			return nil
		}
		for turn := 0; ; turn ^= 1 {
			off, n := m.next()
			if n == 0 {
				return empty(turn ^ 1)
			}
			k := &c.chunks[turn]
			err := d.call("Download", func() driver.Code {
				return d.drv.Download(unsafe.Pointer(unsafe.SliceData(k.memory)), src+uintptr(off), uintptr(n),
					d.stream)
			})
			if err != nil {
				return err
			}
			if err := m.record(k); err != nil {
				return err
			}
			under[turn] = dst[off : off+n]
			if err := empty(turn ^ 1); err != nil {
				return err
			}
		}
	})
}

// run transfers n bytes with several goroutines.
func (t *transfers) run(d *Device, n int, up bool, work func(m *transfer, c *copier) error) (done bool, err error) {
	if d.Emulated() || d.drv.HostAlloc == nil || d.drv.HostFree == nil || d.drv.EventCreate == nil ||
		d.drv.EventRecord == nil || d.drv.EventSynchronize == nil || d.drv.EventDestroy == nil {
		return false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	m := &transfer{transfers: t, d: d, n: n, up: up}
	if t.maxCopiers == 0 {
		return false, nil
	}
	if m.prepare(min((n+minChunk-1)/minChunk, max(1, runtime.GOMAXPROCS(0)*3/4), t.maxCopiers)); m.copiersUsed == 0 {
		return false, nil
	}
	errs := make([]error, m.copiersUsed)
	run := func(i int) {
		if errs[i] = work(m, t.copiers[i]); errs[i] != nil {
			m.failed.Store(true)
		}
	}
	var others sync.WaitGroup
	for i := 1; i < m.copiersUsed; i++ {
		others.Go(func() { run(i) })
	}
	run(0)
	others.Wait()
	for _, err := range errs {
		if err != nil {
			_ = d.wait() // no chunk may be in flight when it is used again; the first error counts
			return true, err
		}
	}
	return true, nil
}

// prepare allocates count copiers with chunks for the largest piece, or as many and as large as pinned memory allows.
func (t *transfer) prepare(count int) {
	if t.firstMoved == 0 && !t.unavailable {
		t.unavailable = t.d.call("EventCreate",
			func() driver.Code { return t.d.drv.EventCreate(&t.firstMoved, sleeping|untimed) }) != nil
	}
	t.copiersUsed, t.chunkSize = count, t.maxChunk
	room := 1 << 20
	for room < t.piece(t.n) {
		room *= 2
	}
	for i := 0; i < count && !t.unavailable; i++ {
		if i < len(t.copiers) && t.copiers[i].size() >= room {
			continue
		}
		c, err := newCopier(t.d, room)
		switch t.unavailable = err != nil; {
		case t.unavailable:
		case i == len(t.copiers):
			t.copiers = append(t.copiers, c)
		default:
			for j := range t.copiers[i].chunks {
				_ = t.wait(&t.copiers[i].chunks[j]) // after a failure nothing is in flight
			}
			t.copiers[i].release(t.d)
			t.copiers[i] = c
		}
	}
	t.copiersUsed = min(count, len(t.copiers))
	for _, c := range t.copiers[:t.copiersUsed] {
		t.chunkSize = min(t.chunkSize, c.size())
	}
}

func (c *copier) size() int { return len(c.chunks[0].memory) }

// copyThroughCache is copy in pieces that stay in the cache. For more than a megabyte, copy uses non-temporal stores,
// and the bus would read from memory.
func copyThroughCache(dst, src []byte) {
	const piece = 256 << 10
	for len(src) > 0 {
		n := copy(dst, src[:min(piece, len(src))])
		dst, src = dst[n:], src[n:]
	}
}

func newCopier(d *Device, room int) (*copier, error) {
	c := new(copier)
	for i := range c.chunks {
		if err := c.chunks[i].make(d, room); err != nil {
			c.release(d)
			return nil, err
		}
	}
	return c, nil
}

// Flags of events.
const (
	sleeping = 1 // hipEventBlockingSync, CU_EVENT_BLOCKING_SYNC
	untimed  = 2 // hipEventDisableTiming, CU_EVENT_DISABLE_TIMING
)

func (k *chunk) make(d *Device, room int) error {
	memory, err := allocPinned(d, room)
	if err != nil {
		return err
	}
	k.memory = memory
	return d.call("EventCreate", func() driver.Code { return d.drv.EventCreate(&k.done, untimed) })
}

// wait waits until the chunk's last transfer is done. Until the first chunk of the transfer is done it sleeps, since
// the stream may have other work. After that it spins: the other chunks follow in microseconds, which is less than a
// wake-up takes.
func (t *transfer) wait(k *chunk) error {
	if !k.inFlight {
		return nil
	}
	k.inFlight = false
	for _, event := range [2]uintptr{t.firstMoved, k.done} {
		if err := t.d.call("EventSynchronize",
			func() driver.Code { return t.d.drv.EventSynchronize(event) }); err != nil {
			return err
		}
	}
	return nil
}

// record records the chunk's event, for wait.
func (t *transfer) record(k *chunk) error {
	k.inFlight = true
	err := t.d.call("EventRecord", func() driver.Code { return t.d.drv.EventRecord(k.done, t.d.stream) })
	t.recorded.Do(func() {
		if err == nil {
			err = t.d.call("EventRecord", func() driver.Code { return t.d.drv.EventRecord(t.firstMoved, t.d.stream) })
		}
	})
	return err
}

// release frees the pinned memory. No chunk may be in flight.
func (c *copier) release(d *Device) {
	for _, k := range c.chunks {
		if k.memory != nil {
			freePinned(d, k.memory)
		}
		if k.done != 0 {
			_ = d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(k.done) })
		}
	}
}

// trim frees the chunks, after all transfers.
func (t *transfers) trim(d *Device) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.firstMoved == 0 || d.wait() != nil {
		return
	}
	for _, c := range t.copiers {
		c.release(d)
	}
	_ = d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(t.firstMoved) })
	t.copiers, t.firstMoved, t.unavailable = nil, 0, false
}
