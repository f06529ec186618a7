package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/driver"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// LibraryInfo says which library does a part of a device's work.
type LibraryInfo struct {
	Name, Version, Path string // empty where gorocm's own kernels do everything
	Problem             string // why there is no library
	// kinds of work that the library has failed in and is not used for, such as "bf16 in batches", and its errors
	Refused map[string]string
}

// libraryHost implements mathlib.Device.
type libraryHost struct{ d *Device }

func (h libraryHost) Platform() driver.Platform { return h.d.drv.Platform }
func (h libraryHost) Arch() string              { return h.d.info.Arch }
func (h libraryHost) TotalMemory() int64        { return h.d.info.TotalMemory }
func (h libraryHost) Recording() bool           { return h.d.recording() != nil }
func (h libraryHost) Stream() uintptr           { return h.d.stream }
func (h libraryHost) WorkStream() uintptr       { return h.d.workStream() }
func (h libraryHost) Trim()                     { h.d.pool.trim() }
func (h libraryHost) Wait() error               { return h.d.wait() }
func (h libraryHost) End(call string) error     { return h.d.synchronous(call) }

func (h libraryHost) Call(name string, f func() driver.Code) error { return h.d.call(name, f) }

func (h libraryHost) Alloc(n int) (mathlib.Memory, error) {
	b := new(Buffer)
	if err := allocOutside(h.d, b, n); err != nil { // libraries keep their memory
		return nil, err
	}
	return b, nil
}

// Scratch is memory of the capture under way, whose graph keeps it, or as that of Alloc.
func (h libraryHost) Scratch(n int) (mathlib.Memory, error) {
	b := new(Buffer)
	if err := h.d.AllocIn(b, n); err != nil {
		return nil, err
	}
	return b, nil
}

// Keep adds memory to the capture under way.
func (h libraryHost) Keep(m mathlib.Memory) {
	if c := h.d.recording(); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keep("a library", m.(*Buffer))
	}
}

// Begin wraps work of a library for timer and profiler, as Launch does with a kernel.
func (h libraryHost) Begin(call, label string, f func() driver.Code) (func() driver.Code, error) {
	d := h.d
	d.lastLaunched.Store(&Function{name: call})
	if d.recording() != nil { // events would be recorded, too
		return f, nil
	}
	if d.timer.armed.Load() {
		if err := d.call("EventRecord", d.timer.measured(d, func() driver.Code { return 0 })); err != nil {
			return nil, err
		}
	}
	p := d.profiler.Load()
	if p == nil {
		return f, nil
	}
	return func() (status driver.Code) {
		started := false
		_ = timeLaunch(d, p, timedLaunch{kernel: label},
			func() driver.Code { started, status = true, f(); return status })
		if !started { // no event could be made
			status = f()
		}
		return status
	}, nil
}
