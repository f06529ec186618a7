package rocm

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// Pinned is memory of the host whose pages stay where they are, so that GPUs read and write it over the bus without help of the processor. Upload and
// Download find out themselves that a slice lies in such memory.
type Pinned struct {
	device *Device
	start  uintptr // the address alone: what keeps the memory alive is the caller's
	n      int

	mu     sync.Mutex
	moving map[*Device]uintptr // events of uploads that were not waited for
	gone   bool
}

// pinnedRanges are what a driver has pinned with Pin, by address.
type pinnedRanges struct {
	mu    sync.RWMutex
	list  []*Pinned
	bytes int64
}

func (r *pinnedRanges) search(at uintptr) (i int, found bool) {
	return slices.BinarySearchFunc(r.list, at, func(p *Pinned, at uintptr) int { return cmp.Compare(p.start, at) })
}

func (r *pinnedRanges) add(p *Pinned) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, _ := r.search(p.start)
	r.list = slices.Insert(r.list, i, p)
	r.bytes += int64(p.n)
}

func (r *pinnedRanges) remove(p *Pinned) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := r.search(p.start); found {
		r.list = slices.Delete(r.list, i, i+1)
		r.bytes -= int64(p.n)
	}
}

// holds reports whether all of b is pinned.
func (r *pinnedRanges) holds(b []byte) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	i, found := r.search(at)
	if !found {
		i--
	}
	return i >= 0 && r.list[i].holds(b)
}

// holds reports whether all of b lies in p.
func (p *Pinned) holds(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return at >= p.start && at+uintptr(len(b)) <= p.start+uintptr(p.n)
}

// Pin locks the pages of memory, for all devices of d's driver: a GPU then moves it to and from its own at the speed of the bus. To lock and to unlock takes the
// driver twice as long as to move the memory once, three times without huge pages. The memory should begin and end with pages, and must stay alive until Unpin: no reference to it is kept. Where
// the device is emulated, there is nothing to lock. It is an error of kind ErrUnsupported where the driver cannot do it.
func (d *Device) Pin(memory []byte) (*Pinned, error) {
	if d.drv.hostRegister == nil || d.drv.hostUnregister == nil {
		return nil, &Error{Op: "pin", Text: "the driver of " + d.String() + " locks no memory of the host", Kind: ErrUnsupported}
	}
	if len(memory) == 0 {
		return nil, invalid("pin", "there is no memory")
	}
	const portable = 1 // for all devices
	p := &Pinned{device: d, start: uintptr(unsafe.Pointer(unsafe.SliceData(memory))), n: len(memory)}
	err := d.do("hostRegister", func() code {
		return d.drv.hostRegister(unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory)), portable)
	})
	if err != nil {
		return nil, err
	}
	d.drv.pinned.add(p)
	return p, nil
}

// Unpin gives the pages back to the system, after what moves the memory. It may be called more than once.
func (p *Pinned) Unpin() error {
	_ = p.Wait() // a stream that has failed moves nothing more
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil
	}
	p.gone = true
	for d, event := range p.moving {
		_ = d.do("eventDestroy", func() code { return d.drv.eventDestroy(event) })
	}
	d := p.device
	d.drv.pinned.remove(p)
	return d.do("hostUnregister", func() code { return d.drv.hostUnregister(p.start) })
}

// Wait waits until the uploads that UploadPinned has begun from the memory are done. It returns the error of what failed on a device before that.
func (p *Pinned) Wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first error
	for d, event := range p.moving {
		if err := d.do("eventWait", func() code { return d.drv.eventWait(event) }); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// UploadPinned is Upload from memory in p without waiting: src must stay alive and as it is until p.Wait has returned. It waits where the driver has no events.
func (b *Buffer) UploadPinned(off int, src []byte, p *Pinned) error {
	d := b.device
	if d.drv.eventCreate == nil || d.drv.eventRecord == nil || d.drv.eventWait == nil || d.drv.eventDestroy == nil || d.drv != p.device.drv || !p.holds(src) {
		return b.Upload(off, src)
	}
	if err := b.check("upload", off, len(src)); err != nil || len(src) == 0 {
		return err
	}
	defer runtime.KeepAlive(b)
	if err := d.notCapturing("upload"); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return invalid("upload", "the memory was unpinned")
	}
	event, ok := p.moving[d]
	if !ok {
		const untimed = 2
		if err := d.do("eventCreate", func() code { return d.drv.eventCreate(&event, untimed) }); err != nil {
			return err
		}
		if p.moving == nil {
			p.moving = map[*Device]uintptr{}
		}
		p.moving[d] = event
	}
	err := d.do("upload", func() code {
		return d.drv.upload(b.Ptr()+uintptr(off), unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)), d.stream)
	})
	if err != nil {
		return err
	}
	if err = d.do("eventRecord", func() code { return d.drv.eventRecord(event, d.stream) }); err != nil {
		_ = d.wait() // src may be changed on return: nothing says when the copy is done
	}
	return err
}

// total is how many bytes are pinned.
func (r *pinnedRanges) total() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.bytes
}
