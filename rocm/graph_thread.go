package rocm

import (
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// CaptureAlone is Capture of what f launches and copies on the calling goroutine. Work of other goroutines, those that
// f starts among them, is not captured and runs at once. So a library can capture without its callers noticing. The
// error has the kind ErrUnsupported on systems other than Linux, where threads cannot be told apart.
func (d *Device) CaptureAlone(f func()) (*Graph, error) {
	return captureAlone(d, false, f)
}

// CaptureStep is Device.CaptureAlone for a function of which several captures are compared, by Graph.Difference. So it
// may do what a replay does not repeat: what it uploads to memory of its own becomes a constant of the graph, whose
// bytes are compared, and packages may defer launches to the end of the capture.
func CaptureStep(d *Device, f func()) (*Graph, error) { return captureAlone(d, true, f) }

func captureAlone(d *Device, compared bool, f func()) (*Graph, error) {
	runtime.LockOSThread() // only this goroutine runs on the thread
	defer runtime.UnlockOSThread()
	thread := threadID()
	if thread == 0 {
		return nil, &Error{Op: "capture", Text: "threads cannot be told apart on this system", Kind: ErrUnsupported}
	}
	if err := beginCapturing(d); err != nil {
		return nil, err
	}
	defer d.capturing.Unlock()
	if d.recorder == 0 && !d.Emulated() {
		if err := d.call("StreamCreate",
			func() driver.Code { return d.drv.StreamCreate(&d.recorder, nonBlocking) }); err != nil {
			return nil, err
		}
	}
	c := newRecording(d, d.recorder, thread)
	c.compared = compared
	return captureOn(d, c, f)
}

// recording returns the capture that the work of the calling thread goes to, or nil.
func (d *Device) recording() *Recording {
	c := d.capture.Load()
	if c != nil && c.thread != 0 && c.thread != threadID() {
		return nil
	}
	return c
}

// workStream is the stream of the calling thread's work: that of its capture, or the device's own.
func (d *Device) workStream() uintptr {
	if c := d.recording(); c != nil {
		return c.stream
	}
	return d.stream
}
