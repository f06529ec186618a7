package rocm

import "sync/atomic"

// activity is what the device does for calls that have not returned.
type activity struct {
	calls     atomic.Int32           // of the driver
	compiling atomic.Pointer[string] // a kernel
}

// Busy names what calls that have not returned are working on: the kernel that was launched last, or "compiling" and a
// kernel. It is empty when there are none. It does not wait, and may be called by any goroutine.
func (d *Device) Busy() string {
	if name := d.activity.compiling.Load(); name != nil {
		return "compiling " + *name
	}
	if f := d.lastLaunched.Load(); f != nil && d.activity.calls.Load() > 0 {
		return f.name
	}
	return ""
}
