//go:build unix

package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
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
