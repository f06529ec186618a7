package rocm

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// hostCalls are the threads that run functions of LaunchHostFunc.
var hostCalls struct {
	running atomic.Int32
	threads sync.Map // their ids
}

// LaunchHostFunc puts a call of f on d's stream, as hipLaunchHostFunc and cuLaunchHostFunc do: f is called on the host
// when the work before it is done, and the work after it waits until f has returned. The call itself does not wait;
// launches that were deferred are made first. f must not use a device: its calls return an error of kind ErrInvalid,
// since the stream waits for f. If f panics, the next call that waits for d returns an error with the panic's value.
// Launches that are captured have no host functions. On an emulated device f has been called when LaunchHostFunc
// returns. The kind is ErrUnsupported where the driver lacks the call.
func LaunchHostFunc(d *Device, f func()) error {
	const op = "launch host function"
	if f == nil {
		return invalid(op, "the function is nil")
	}
	if err := d.launchDeferred(false); err != nil {
		return err
	}
	if err := d.notCapturing(op); err != nil {
		return err
	}
	if d.Emulated() {
		if err := d.wait(); err != nil {
			return err
		}
		runHostFunc(d, f)
		return nil
	}
	if d.drv.LaunchHostFunc == nil {
		return lacks(d, op, "LaunchHostFunc")
	}
	return d.call("LaunchHostFunc", func() driver.Code {
		return d.drv.OnStream(d.stream, func() { runHostFunc(d, f) })
	})
}

// runHostFunc calls f on a goroutine of its own, and waits for it.
func runHostFunc(d *Device, f func()) {
	done := make(chan bool)
	go func() {
		runtime.LockOSThread() // only f runs on the thread
		thread := threadID()
		hostCalls.threads.Store(thread, true)
		hostCalls.running.Add(1)
		returned := false
		defer func() {
			if v := recover(); !returned {
				text := "it ended its goroutine"
				if v != nil {
					text = fmt.Sprint(v)
				}
				d.hostFailure.CompareAndSwap(nil, &Error{Op: "host function", Kind: ErrInvalid,
					Text: "it panicked: " + text, Detail: "rocm.LaunchHostFunc put it on the stream of " + d.String()})
			}
			hostCalls.running.Add(-1)
			hostCalls.threads.Delete(thread)
			runtime.UnlockOSThread()
			close(done)
		}()
		f()
		returned = true
	}()
	<-done
}

// inHostFunc reports whether the calling goroutine runs a function of LaunchHostFunc.
func inHostFunc() bool {
	if hostCalls.running.Load() == 0 {
		return false
	}
	thread := threadID()
	_, found := hostCalls.threads.Load(thread)
	return found && thread != 0
}

// lacks is the error of an operation for which the driver has no call.
func lacks(d *Device, op, field string) error {
	return &Error{Op: op, Text: "the driver of " + d.String() + " lacks " + d.drv.CName(field), Kind: ErrUnsupported}
}
