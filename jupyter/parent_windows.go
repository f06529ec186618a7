package jupyter

import (
	"context"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/windows"
)

const parentPoll = 500 * time.Millisecond

// On Windows Jupyter hands a kernel two handles: that of the parent's process, in the variable that has its number
// elsewhere, and that of an event by which it interrupts a kernel whose kernelspec does not want messages for that.
const (
	parentVariable    = "JPY_PARENT_PID"
	interruptVariable = "JPY_INTERRUPT_EVENT"
)

// watchParent closes the channel that it returns when the parent process has ended. See Options.ParentPID.
func watchParent(ctx context.Context, pid int) <-chan struct{} {
	ended := make(chan struct{})
	parent := handleIn(parentVariable)
	switch {
	case pid < 0:
		return ended
	case pid > 0:
		var err error
		if parent, err = windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)); err != nil {
			close(ended) // there is none
			return ended
		}
	case parent == 0:
		return ended
	}
	go func() {
		if signalled(ctx, parent) {
			close(ended)
		}
	}()
	return ended
}

// watchInterrupts passes on the interrupts that Jupyter sends by an event.
func watchInterrupts(ctx context.Context, signals chan<- os.Signal) {
	event := handleIn(interruptVariable)
	if event == 0 {
		return
	}
	go func() {
		for signalled(ctx, event) { // which resets it
			select {
			case signals <- os.Interrupt:
			default: // the kernel has enough of them to take
			}
		}
	}()
}

// handleIn is the handle whose number a variable has, 0 without one.
func handleIn(variable string) windows.Handle {
	h, err := strconv.ParseUint(os.Getenv(variable), 10, 64)
	if err != nil {
		return 0
	}
	return windows.Handle(h)
}

// signalled waits for an object. It is false when ctx ends, and for what is no handle.
func signalled(ctx context.Context, object windows.Handle) bool {
	for ctx.Err() == nil {
		switch event, err := windows.WaitForSingleObject(object, uint32(parentPoll.Milliseconds())); {
		case err != nil:
			return false
		case event == windows.WAIT_OBJECT_0:
			return true
		}
	}
	return false
}
