package rocm

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Readback brings a few bytes of a buffer to the host while the GPU goes on with the work after them: Start asks for
// them, and Wait waits for them alone. Download would wait for all work. It must not be used by several goroutines at
// once.
type Readback struct {
	device *Device
	memory []byte
	flight *flight // nil where Start waits: on an emulated device, and for a driver without pinned memory or events
}

// flight is what a Readback has of the driver.
type flight struct {
	device *Device
	memory []byte // pinned
	event  uintptr
}

// NewReadback returns one for n bytes at a time, at least 1. The error has the kind ErrInvalid for fewer, and that of
// what the driver could not allocate.
func NewReadback(d *Device, n int) (*Readback, error) {
	if n < 1 {
		return nil, invalid("readback", "%d bytes: want at least 1", n)
	}
	v := d.drv
	if d.Emulated() || v.HostAlloc == nil || v.HostFree == nil || v.EventCreate == nil || v.EventRecord == nil ||
		v.EventSynchronize == nil || v.EventDestroy == nil {
		return &Readback{device: d, memory: make([]byte, n)}, nil
	}
	memory, err := allocPinned(d, n)
	if err != nil {
		return nil, err
	}
	f := &flight{device: d, memory: memory}
	if err := d.call("EventCreate", func() driver.Code { return v.EventCreate(&f.event, untimed) }); err != nil {
		freePinned(d, memory)
		return nil, err
	}
	r := &Readback{device: d, memory: memory, flight: f}
	runtime.AddCleanup(r, (*flight).end, f)
	return r, nil
}

// end gives back what the driver has, after the last transfer.
func (f *flight) end() {
	_ = f.wait() // of a transfer that nobody waits for
	_ = f.device.call("EventDestroy", func() driver.Code { return f.device.drv.EventDestroy(f.event) })
	freePinned(f.device, f.memory)
}

func (f *flight) wait() error {
	return f.device.call("EventSynchronize", func() driver.Code { return f.device.drv.EventSynchronize(f.event) })
}

// Start asks for the bytes of b from byte off on, as they are after the work that is on the stream now. Those of an
// earlier Start are lost. The error has the kind ErrInvalid for bytes outside of b, another device's buffer, and
// during a capture.
func (r *Readback) Start(b *Buffer, off int) error {
	const op = "readback"
	d, n := r.device, len(r.memory)
	if b.device != d {
		return invalid(op, "the buffer is on %v, the readback on %v", b.device, d)
	}
	if r.flight == nil {
		return b.Download(r.memory, off)
	}
	if err := b.check(op, off, n); err != nil {
		return err
	}
	if err := d.launchDeferred(false); err != nil {
		return err
	}
	if err := d.notCapturing(op); err != nil {
		return err
	}
	defer runtime.KeepAlive(b)
	defer runtime.KeepAlive(r)
	err := d.call("Download", func() driver.Code {
		return d.drv.Download(unsafe.Pointer(unsafe.SliceData(r.memory)), b.Ptr()+uintptr(off), uintptr(n), d.stream)
	})
	if err != nil {
		return err
	}
	return d.call("EventRecord", func() driver.Code { return d.drv.EventRecord(r.flight.event, d.stream) })
}

// Wait waits for the bytes of the last Start, and returns a copy of them. Work before them that failed is an error.
func (r *Readback) Wait() ([]byte, error) {
	defer runtime.KeepAlive(r)
	if r.flight != nil {
		if err := r.flight.wait(); err != nil {
			return nil, err
		}
	}
	return slices.Clone(r.memory), nil
}
