//go:build unix

package repl

import (
	"syscall"
	"time"
)

// processorTime is what this process has used of its processors.
func processorTime() (user, sys time.Duration) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}
