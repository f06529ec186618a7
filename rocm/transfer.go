package rocm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// What is moved between the host and a GPU goes one of four ways, chosen here by its size and place.
//
//   - Small uploads are copied to a ring of pinned memory (staging.go), and neither wait nor stall the stream.
//   - Pinned memory (pin.go) goes over the bus as it is.
//   - Other large transfers in either direction go through chunks of pinned memory: while the GPU moves one chunk over the bus, several goroutines copy
//     others. The driver's own way for memory that is not pinned has one thread do this, and waits for each piece.
//   - Small downloads, and everything where the driver gives no pinned memory or has no events, are left to the driver.
//
// The caller's slice is never pinned itself: to lock a slice's pages, page by page, takes the driver several times as long as to move it once.

// upload copies src to the device, in the order of the stream. It does not look at src afterwards.
func (d *Device) upload(dst uintptr, src []byte) error {
	var done bool
	var err error
	switch {
	case len(src) <= maxStaged:
		done, err = d.staging.upload(d, dst, src)
	case !d.drv.pinned.holds(src):
		done, err = d.transfers.upload(d, dst, src)
	}
	if done {
		return err
	}
	// Whether the driver is done with the source is known only when the stream is.
	err = d.do("upload", func() code {
		return d.drv.upload(dst, unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)), d.stream)
	})
	if err == nil {
		err = d.wait()
	}
	runtime.KeepAlive(src)
	return err
}

// download copies from the device, after all work on the stream.
func (d *Device) download(dst []byte, src uintptr) error {
	if len(dst) > maxStaged && !d.drv.pinned.holds(dst) {
		if done, err := d.transfers.download(d, dst, src); done {
			return err
		}
	}
	err := d.do("download", func() code {
		return d.drv.download(unsafe.Pointer(unsafe.SliceData(dst)), src, uintptr(len(dst)), d.stream)
	})
	if err == nil {
		err = d.wait()
	}
	runtime.KeepAlive(dst)
	return err
}

const (
	maxChunk   = 1 << 20 // few enough of them to stay in the processor's cache between the copy and the bus
	minChunk   = 256 << 10
	maxCopiers = 12
)

// transfers moves large slices.
type transfers struct {
	mu      sync.Mutex // one at a time: two would share the bus
	most    int        // copiers; maxCopiers, and other numbers for benchmarks
	copiers []*copier
	none    bool // the driver gives no pinned memory, or has no events
}

// copier is what one goroutine copies through: while the bus moves one chunk, it fills or empties the other.
type copier struct{ chunks [2]chunk }

// chunk is a piece of pinned memory, with the event that its last transfer is done.
type chunk struct {
	memory []byte
	done   uintptr
	moving bool // a transfer was begun and not waited for
}

// upload copies src through pinned memory. done is false when src must go another way.
func (t *transfers) upload(d *Device, dst uintptr, src []byte) (done bool, err error) {
	return t.run(d, len(src), func(c *copier, next func() (off, n int)) error {
		for turn := 0; ; turn ^= 1 {
			off, n := next()
			if n == 0 {
				return nil
			}
			k := &c.chunks[turn]
			if err := k.wait(d); err != nil {
				return err
			}
			copyCached(k.memory, src[off:off+n])
			err := d.do("upload", func() code {
				return d.drv.upload(dst+uintptr(off), unsafe.Pointer(unsafe.SliceData(k.memory)), uintptr(n), d.stream)
			})
			if err != nil {
				return err
			}
			if err := k.record(d); err != nil {
				return err
			}
		}
	})
}

// download copies to dst through pinned memory. done is false when it must go another way.
func (t *transfers) download(d *Device, dst []byte, src uintptr) (done bool, err error) {
	return t.run(d, len(dst), func(c *copier, next func() (off, n int)) error {
		var under [2][]byte // where the elements belong that are on the bus, by chunk
		empty := func(turn int) error {
			if err := c.chunks[turn].wait(d); err != nil {
				return err
			}
			copy(under[turn], c.chunks[turn].memory)
			under[turn] = nil
			return nil
		}
		for turn := 0; ; turn ^= 1 {
			off, n := next()
			if n == 0 {
				return empty(turn ^ 1)
			}
			k := &c.chunks[turn]
			err := d.do("download", func() code {
				return d.drv.download(unsafe.Pointer(unsafe.SliceData(k.memory)), src+uintptr(off), uintptr(n), d.stream)
			})
			if err != nil {
				return err
			}
			if err := k.record(d); err != nil {
				return err
			}
			under[turn] = dst[off : off+n]
			if err := empty(turn ^ 1); err != nil {
				return err
			}
		}
	})
}

// run has several goroutines work on n bytes: next gives each of them a piece of its own, and 0 bytes when there is none left.
func (t *transfers) run(d *Device, n int, work func(c *copier, next func() (off, n int)) error) (done bool, err error) {
	if d.Emulated() || d.drv.hostAlloc == nil || d.drv.hostFree == nil || d.drv.eventCreate == nil || d.drv.eventRecord == nil || d.drv.eventWait == nil || d.drv.eventDestroy == nil {
		return false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := min(max(n/(2*maxCopiers), minChunk), maxChunk)
	count := min((n+size-1)/size, max(1, runtime.GOMAXPROCS(0)*3/4), t.most)
	for len(t.copiers) < count && !t.none {
		c, err := newCopier(d)
		if t.none = err != nil; t.none {
			break
		}
		t.copiers = append(t.copiers, c)
	}
	if count = min(count, len(t.copiers)); count == 0 {
		return false, nil
	}
	var taken atomic.Int64
	var failed atomic.Bool
	next := func() (off, length int) {
		if failed.Load() {
			return 0, 0
		}
		off = int(taken.Add(int64(size))) - size
		return off, max(0, min(size, n-off))
	}
	errs := make([]error, count)
	run := func(i int) {
		if errs[i] = work(t.copiers[i], next); errs[i] != nil {
			failed.Store(true)
		}
	}
	var others sync.WaitGroup
	for i := 1; i < count; i++ {
		others.Go(func() { run(i) })
	}
	run(0)
	others.Wait()
	for _, err := range errs {
		if err != nil {
			_ = d.wait() // nothing may be on the bus when the chunks are used again; the first error is what counts
			return true, err
		}
	}
	return true, nil
}

// copyCached is copy in pieces that the runtime stores through the cache: beyond a megabyte it writes past it, to where the bus has to fetch it from.
func copyCached(dst, src []byte) {
	const piece = 256 << 10
	for len(src) > 0 {
		n := copy(dst, src[:min(piece, len(src))])
		dst, src = dst[n:], src[n:]
	}
}

func newCopier(d *Device) (*copier, error) {
	c := new(copier)
	for i := range c.chunks {
		if err := c.chunks[i].make(d); err != nil {
			c.release(d)
			return nil, err
		}
	}
	return c, nil
}

func (k *chunk) make(d *Device) error {
	var p unsafe.Pointer
	if err := d.do("hostAlloc", func() code { return d.drv.hostAlloc(&p, maxChunk, 0) }); err != nil {
		return err
	}
	k.memory = unsafe.Slice((*byte)(p), maxChunk)
	const sleeping, untimed = 1, 2 // who waits for it leaves the processor to others
	return d.do("eventCreate", func() code { return d.drv.eventCreate(&k.done, sleeping|untimed) })
}

// wait waits until the chunk's last transfer is done.
func (k *chunk) wait(d *Device) error {
	if !k.moving {
		return nil
	}
	k.moving = false
	return d.do("eventWait", func() code { return d.drv.eventWait(k.done) })
}

// record has later calls of wait wait for what is on the stream now.
func (k *chunk) record(d *Device) error {
	k.moving = true
	return d.do("eventRecord", func() code { return d.drv.eventRecord(k.done, d.stream) })
}

// release gives the pinned memory back. Nothing may be on the bus.
func (c *copier) release(d *Device) {
	for _, k := range c.chunks {
		if k.memory != nil {
			freePinned(d, k.memory)
		}
		if k.done != 0 {
			_ = d.do("eventDestroy", func() code { return d.drv.eventDestroy(k.done) })
		}
	}
}

// trim gives the chunks back, when nothing is on the bus any more.
func (t *transfers) trim(d *Device) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.copiers) == 0 || d.wait() != nil {
		return
	}
	for _, c := range t.copiers {
		c.release(d)
	}
	t.copiers, t.none = nil, false
}
