//go:build !windows

package jupyter

import (
	"context"
	"os"
	"strconv"
	"time"
)

const parentPoll = 500 * time.Millisecond

// watchParent closes the channel that it returns when the parent process has ended. See Options.ParentPID.
func watchParent(ctx context.Context, pid int) <-chan struct{} {
	ended := make(chan struct{})
	if pid == 0 {
		pid, _ = strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	}
	if pid <= 0 {
		return ended
	}
	// A direct parent that ends is replaced by init or a subreaper, whose pid need not be 1. With a launcher in
	// between, only the existence of the pid can be checked.
	direct := os.Getppid() == pid
	go func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for {
			if direct && os.Getppid() != pid || !direct && gone(pid) {
				close(ended)
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ended
}

// watchInterrupts has nothing to do: interrupts are messages or signals.
func watchInterrupts(context.Context, chan<- os.Signal) {}
