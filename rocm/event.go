package rocm

import (
	"runtime"
	"sync"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Event is a mark on the stream of a device, which says when the work before it is done: a hipEvent_t or CUevent. Its
// methods may be called by several goroutines.
type Event struct {
	device *Device
	handle uintptr // 0 on an emulated device

	mu       sync.Mutex
	recorded bool
	at       time.Time // on an emulated device
}

// NewEvent returns an event of d's stream. It is destroyed when it is collected. The error has the kind ErrUnsupported
// where the driver has no events.
func NewEvent(d *Device) (*Event, error) {
	e := &Event{device: d}
	if d.Emulated() {
		return e, nil
	}
	for _, call := range []struct {
		field   string
		missing bool
	}{{"EventCreate", d.drv.EventCreate == nil}, {"EventRecord", d.drv.EventRecord == nil},
		{"EventQuery", d.drv.EventQuery == nil}, {"EventSynchronize", d.drv.EventSynchronize == nil},
		{"EventElapsed", d.drv.EventElapsed == nil}, {"EventDestroy", d.drv.EventDestroy == nil}} {
		if call.missing {
			return nil, lacks(d, "make event", call.field)
		}
	}
	if err := d.call("EventCreate", func() driver.Code { return d.drv.EventCreate(&e.handle, 0) }); err != nil {
		return nil, err
	}
	runtime.AddCleanup(e, func(handle uintptr) {
		_ = d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(handle) }) // nobody needs it
	}, e.handle)
	return e, nil
}

// Record puts the event on its device's stream, after the work that is there. Launches that were deferred are made
// first. Recording again moves the event. During a capture it is an error of kind ErrInvalid.
func (e *Event) Record() error {
	d := e.device
	if err := d.launchDeferred(false); err != nil {
		return err
	}
	if err := d.notCapturing("record event"); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !d.Emulated() {
		record := func() driver.Code { return d.drv.EventRecord(e.handle, d.stream) }
		if err := d.call("EventRecord", record); err != nil {
			return err
		}
	}
	e.recorded, e.at = true, time.Now()
	return nil
}

// check fails for an event that was not recorded.
func (e *Event) check(op string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.recorded {
		return invalid(op, "the event was not recorded: call its Record first")
	}
	return nil
}

// Query reports whether the work before the event is done. It does not wait. Work that failed is an error.
func (e *Event) Query() (done bool, err error) {
	if err := e.check("query event"); err != nil || e.device.Emulated() {
		return err == nil, err
	}
	defer runtime.KeepAlive(e)
	d := e.device
	return query(d, "EventQuery", func() driver.Code { return d.drv.EventQuery(e.handle) })
}

// Wait waits until the work before the event is done, while work after it goes on. Work that failed is an error.
func (e *Event) Wait() error {
	if err := e.check("wait for event"); err != nil || e.device.Emulated() {
		return err
	}
	defer runtime.KeepAlive(e)
	d := e.device
	return d.call("EventSynchronize", func() driver.Code { return d.drv.EventSynchronize(e.handle) })
}

// Since waits until the work before e is done, and returns the time from start to e: by the GPU's clock, with a
// resolution of about half a microsecond; by the host's on an emulated device. Both must be events of one GPU.
func (e *Event) Since(start *Event) (time.Duration, error) {
	const op = "time between events"
	if start == nil || !sameGPU(e.device, start.device) {
		return 0, invalid(op, "the other event is not one of %v", e.device)
	}
	if err := start.check(op); err != nil {
		return 0, err
	}
	if err := e.Wait(); err != nil {
		return 0, err
	}
	if err := start.Wait(); err != nil {
		return 0, err
	}
	d := e.device
	if d.Emulated() {
		return e.at.Sub(start.at), nil
	}
	defer runtime.KeepAlive(e)
	defer runtime.KeepAlive(start)
	var ms float32
	elapsed := func() driver.Code { return d.drv.EventElapsed(&ms, start.handle, e.handle) }
	if err := d.call("EventElapsed", elapsed); err != nil {
		return 0, err
	}
	return time.Duration(float64(ms) * float64(time.Millisecond)), nil
}

// query makes a call that returns CodeNotReady before something is done.
func query(d *Device, field string, call func() driver.Code) (done bool, err error) {
	done = true
	err = d.call(field, func() driver.Code {
		c := call()
		if c == driver.CodeNotReady {
			done, c = false, 0
		}
		return c
	})
	return done && err == nil, err
}

// QueryStream reports whether all work on d's stream is done, deferred launches included, which are made first. It does
// not wait. Work that failed is an error. The kind is ErrUnsupported where the driver lacks the call.
func QueryStream(d *Device) (done bool, err error) {
	if err := d.launchDeferred(false); err != nil {
		return false, err
	}
	if err := d.notCapturing("query stream"); err != nil || d.Emulated() {
		return err == nil, err
	}
	if d.drv.StreamQuery == nil {
		return false, lacks(d, "query stream", "StreamQuery")
	}
	return query(d, "StreamQuery", func() driver.Code { return d.drv.StreamQuery(d.stream) })
}
