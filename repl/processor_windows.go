package repl

import (
	"time"

	"golang.org/x/sys/windows"
)

// processorTime is what this process has used of its processors.
func processorTime() (user, sys time.Duration) {
	var created, ended, kernel, used windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &used) != nil {
		return 0, 0
	}
	return duration(used), duration(kernel)
}

// duration is a time in units of 100 ns; Filetime's own method takes it for a date.
func duration(t windows.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}
