package rocm

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// timer measures how long a device works: on a GPU between two events of its stream, the first of them just before the
// first kernel.
type timer struct {
	mu         sync.Mutex
	begin, end uintptr      // events, reused
	armed      atomic.Bool  // the next kernel is the first
	running    atomic.Bool  // of an emulated device
	kernels    atomic.Int64 // nanoseconds of an emulated device
}

// StartTimer begins to measure the device's work, until StopTimer. It fails with ErrUnsupported where the driver has no
// events.
func (d *Device) StartTimer() error {
	if err := d.launchDeferred(false); err != nil {
		return err
	}
	t := &d.timer
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.drv.Emulator != nil {
		t.kernels.Store(0)
		t.running.Store(true)
		return nil
	}
	if d.drv.EventCreate == nil || d.drv.EventRecord == nil || d.drv.EventElapsed == nil {
		return &Error{Op: "measure time", Text: "the driver has no events", Kind: ErrUnsupported}
	}
	for _, e := range []*uintptr{&t.begin, &t.end} {
		if *e != 0 {
			continue
		}
		if err := d.call("EventCreate", func() driver.Code { return d.drv.EventCreate(e, 0) }); err != nil {
			return err
		}
	}
	t.armed.Store(true)
	return nil
}

// StopTimer waits for the device and returns its time since StartTimer: on a GPU from the start of the first kernel to
// the end of the work, by the GPU's clock; on an emulated device the sum of its kernels' times. It is 0 when there was
// no kernel.
func (d *Device) StopTimer() (time.Duration, error) {
	if err := d.launchDeferred(false); err != nil {
		return 0, err
	}
	t := &d.timer
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.drv.Emulator != nil {
		t.running.Store(false)
		return time.Duration(t.kernels.Load()), d.wait()
	}
	if t.armed.Swap(false) || t.end == 0 {
		return 0, d.wait()
	}
	if err := d.call("EventRecord", func() driver.Code { return d.drv.EventRecord(t.end, d.stream) }); err != nil {
		return 0, err
	}
	if err := d.wait(); err != nil {
		return 0, err
	}
	var ms float32
	elapsed := func() driver.Code { return d.drv.EventElapsed(&ms, t.begin, t.end) }
	if err := d.call("EventElapsed", elapsed); err != nil {
		return 0, err
	}
	return time.Duration(float64(ms) * float64(time.Millisecond)), nil
}

// active reports whether the timer runs.
func (t *timer) active() bool { return t.armed.Load() || t.running.Load() }

// measured wraps a launch for the timer, if it runs. The result is called where the device is current.
func (t *timer) measured(d *Device, launch func() driver.Code) func() driver.Code {
	switch {
	case t.armed.Load() && t.armed.CompareAndSwap(true, false):
		return func() driver.Code {
			if c := d.drv.EventRecord(t.begin, d.stream); c != 0 {
				return c
			}
			return launch()
		}
	case t.running.Load():
		return func() driver.Code {
			start := time.Now()
			defer func() { t.kernels.Add(int64(time.Since(start))) }()
			return launch()
		}
	}
	return launch
}
