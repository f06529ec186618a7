package worker

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// childAttributes make the kernel end a worker whose front end is gone.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// offerToKernel makes this process the first that the kernel ends when memory runs out, before the front end and
// others.
func offerToKernel() {
	// where that is not allowed, the kernel chooses by size
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
}

// readsStdin reports whether a thread of this process is in a read of descriptor 0. It is not known where /proc does
// not tell.
func readsStdin() (reads, known bool) {
	const tasks = "/proc/self/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return false, false
	}
	read := fmt.Sprintf("%d 0x0 ", syscall.SYS_READ)
	for _, t := range threads {
		call, err := os.ReadFile(tasks + t.Name() + "/syscall") // running, or its number and arguments
		known = known || err == nil
		if strings.HasPrefix(string(call), read) {
			return true, true
		}
	}
	return false, known
}

// isStopped reports whether a process was stopped by a signal. A debugger's stop is another state.
func isStopped(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, ok := strings.Cut(string(b), ") ") // what is before it is the name of the program
	return err == nil && ok && strings.HasPrefix(state, "T")
}
