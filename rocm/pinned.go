package rocm

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Pinned is page-locked memory of the host, which GPUs read and write directly. Upload and Download find out by
// themselves that a slice lies in such memory.
type Pinned struct {
	device *Device
	start  uintptr // the address alone: the caller keeps the memory alive
	n      int

	mu       sync.Mutex
	events   map[*Device]uintptr // after the last upload of each device
	unpinned bool
}

// holds reports whether all of b lies in p.
func (p *Pinned) holds(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return at >= p.start && at+uintptr(len(b)) <= p.start+uintptr(p.n)
}

// Pin page-locks memory, for all devices of d's driver: transfers then have the full speed of the bus. Pinning and
// unpinning take the driver twice as long as one transfer of the memory, three times without huge pages. The memory
// should begin and end at page boundaries. The caller keeps it alive until Unpin. On an emulated device Pin does
// nothing. The error has the kind ErrUnsupported where the driver cannot pin memory.
func (d *Device) Pin(memory []byte) (*Pinned, error) {
	if d.drv.HostRegister == nil || d.drv.HostUnregister == nil {
		return nil, &Error{Op: "pin", Text: "the driver of " + d.String() + " locks no memory of the host",
			Kind: ErrUnsupported}
	}
	if len(memory) == 0 {
		return nil, invalid("pin", "there is no memory")
	}
	const portable = 1 // hipHostRegisterPortable, CU_MEMHOSTREGISTER_PORTABLE: for all devices
	p := &Pinned{device: d, start: uintptr(unsafe.Pointer(unsafe.SliceData(memory))), n: len(memory)}
	err := d.call("HostRegister", func() driver.Code {
		return d.drv.HostRegister(unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory)), portable)
	})
	if err != nil {
		return nil, err
	}
	d.drv.Pinned.Add(p.start, p.n)
	return p, nil
}

// Unpin unlocks the pages, after the transfers of the memory. It may be called more than once.
func (p *Pinned) Unpin() error {
	_ = p.Wait() // after a failure nothing is in flight
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unpinned {
		return nil
	}
	p.unpinned = true
	for d, event := range p.events {
		_ = d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(event) })
	}
	d := p.device
	d.drv.Pinned.Remove(p.start)
	return d.call("HostUnregister", func() driver.Code { return d.drv.HostUnregister(p.start) })
}

// Wait waits for the uploads of UploadPinned from the memory. It returns the error of what has failed on a device
// before that.
func (p *Pinned) Wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first error
	for d, event := range p.events {
		if err := d.call("EventSynchronize", func() driver.Code { return d.drv.EventSynchronize(event) }); err != nil &&
			first == nil {
			first = err
		}
	}
	return first
}

// UploadPinned is Upload from memory in p without waiting: src must stay alive and unchanged until p.Wait has returned.
// It waits where the driver has no events.
func (b *Buffer) UploadPinned(off int, src []byte, p *Pinned) error {
	d := b.device
	if d.drv.EventCreate == nil || d.drv.EventRecord == nil || d.drv.EventSynchronize == nil ||
		d.drv.EventDestroy == nil || d.drv != p.device.drv || !p.holds(src) {
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
	if p.unpinned {
		return invalid("upload", "the memory was unpinned")
	}
	event, ok := p.events[d]
	if !ok {
		const untimed = 2 // hipEventDisableTiming, CU_EVENT_DISABLE_TIMING
		if err := d.call("EventCreate", func() driver.Code { return d.drv.EventCreate(&event, untimed) }); err != nil {
			return err
		}
		if p.events == nil {
			p.events = map[*Device]uintptr{}
		}
		p.events[d] = event
	}
	err := d.call("Upload", func() driver.Code {
		return d.drv.Upload(b.Ptr()+uintptr(off), unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)), d.stream)
	})
	if err != nil {
		return err
	}
	if err = d.call("EventRecord", func() driver.Code { return d.drv.EventRecord(event, d.stream) }); err != nil {
		_ = d.wait() // no event tells when src may be changed
	}
	return err
}
