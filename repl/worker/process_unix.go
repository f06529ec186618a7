//go:build unix

package worker

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// adopt has nothing to do: see childAttributes.
func adopt(pid int) {}

// killed reports whether a process was ended by SIGKILL, by whomever.
func killed(err error, _ bool) bool {
	var e *exec.ExitError
	if !errors.As(err, &e) {
		return false
	}
	ws, ok := e.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// endedItself reports whether a process that is gone has ended with an exit status, and not by a signal.
func endedItself(state *os.ProcessState) bool { return state.Exited() }

// timeLimit is how much processor time a worker may use, 0 for any amount. A test gives another.
var timeLimit = func() time.Duration {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_CPU, &l)
	if seconds := uint64(l.Max); err != nil || seconds > uint64(math.MaxInt64/time.Second) { // signed on some systems
		return 0
	}
	return time.Duration(l.Max) * time.Second
}
