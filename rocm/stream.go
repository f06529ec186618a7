package rocm

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// streams counts the streams of NewStream, by device.
var streams = map[string]int{}

// NewStream returns another Device of the same GPU, with a stream of its own: the work of two streams may overlap. It
// has its own memory pool, too, which reuses freed memory without waiting for other streams. So a launch takes buffers
// of its own Device only; Buffer.CopyFrom copies between streams, on the GPU, in the right order. A stream lives as
// long as the process, so there should be few. On an emulated device nothing overlaps: its calls return when the work
// is done.
func (d *Device) NewStream() (*Device, error) {
	return newStream(d, func(s *Device) error {
		return s.call("StreamCreate", func() driver.Code { return s.drv.StreamCreate(&s.stream, nonBlocking) })
	})
}

// newStream is NewStream of a stream that a function creates.
func newStream(d *Device, create func(*Device) error) (*Device, error) {
	registry.Lock()
	defer registry.Unlock()
	s, err := newDeviceOn(d.drv, d.info, create)
	if err != nil {
		return nil, err
	}
	name := d.info.Device()
	streams[name]++
	s.name = fmt.Sprintf("%s (stream %d)", name, streams[name])
	if registry.devices == nil {
		registry.devices = map[string]*Device{}
	}
	registry.devices[s.name] = s
	return s, nil
}

// sameGPU reports whether two handles are streams of one GPU.
func sameGPU(d *Device, other *Device) bool {
	return d.drv == other.drv && d.info.Index == other.info.Index && d.info.Platform == other.info.Platform
}

// WaitStream orders work that is put on d's stream from now on after all that is on the stream of other, a Device of
// the same platform. The call itself does not wait where the driver has events.
func (d *Device) WaitStream(other *Device) error {
	if d == other {
		return nil
	}
	if err := other.launchDeferred(false); err != nil {
		return err
	}
	return d.waitStream(other)
}

// waitStream is WaitStream without launching what was deferred.
func (d *Device) waitStream(other *Device) error {
	if d.drv != other.drv || d.drv.StreamWaitEvent == nil || d.drv.EventCreate == nil || d.drv.EventRecord == nil ||
		d.drv.EventDestroy == nil {
		return other.wait()
	}
	for _, h := range []*Device{d, other} {
		if err := h.notCapturing("wait for a stream"); err != nil {
			return err
		}
	}
	const untimed = 2 // hipEventDisableTiming, CU_EVENT_DISABLE_TIMING
	var event uintptr
	if err := other.call("EventCreate", func() driver.Code { return d.drv.EventCreate(&event, untimed) }); err != nil {
		return err
	}
	err := other.call("EventRecord", func() driver.Code { return d.drv.EventRecord(event, other.stream) })
	if err == nil {
		err = d.call("StreamWaitEvent", func() driver.Code { return d.drv.StreamWaitEvent(d.stream, event, 0) })
	}
	// The driver keeps an event that streams wait for.
	if gone := other.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(event) }); err == nil {
		err = gone
	}
	return err
}

// copyOverStreams copies between handles of one GPU. The source's stream waits for the copy, too: its memory may be
// reused as soon as it is freed.
func copyOverStreams(d *Device, from *Device, to, source uintptr, n int) error {
	if err := d.waitStream(from); err != nil {
		return err
	}
	if err := d.call("Copy", func() driver.Code { return d.drv.Copy(to, source, uintptr(n), d.stream) }); err != nil {
		return err
	}
	return from.waitStream(d)
}

// enablePeerAccess lets the device read another's memory directly, where it can: the driver would otherwise copy
// through the host. It tries once for each peer.
func enablePeerAccess(d *Device, peer *Device) {
	if _, tried := d.peers.LoadOrStore(peer.handle, true); tried || d.drv.CanAccessPeer == nil ||
		d.drv.EnablePeerAccess == nil {
		return
	}
	var can int32
	_ = d.call("EnablePeerAccess", func() driver.Code {
		if c := d.drv.CanAccessPeer(&can, int32(d.info.Index), int32(peer.info.Index)); c != 0 || can == 0 {
			return 0
		}
		return d.drv.EnablePeerAccess(peer.handle, 0)
	}) // another library may have done it already; copies work in any case
}
