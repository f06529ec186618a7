package worker

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"github.com/gorocm/gorocm/internal/processes"
)

// childAttributes give a worker a console that nobody sees where this process has none, as under Jupyter: otherwise
// each console program that cells start would open a window.
func childAttributes() *syscall.SysProcAttr {
	if _, err := windows.GetConsoleOutputCP(); err != nil {
		return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
	}
	return nil
}

// workers is the job object of all workers. This process has its only handle, so that they end with it. What workers
// start is not in it: see package programs.
var workers = sync.OnceValues(func() (windows.Handle, error) {
	return processes.NewJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK)
})

// adopt makes the system end a worker with this process. Without that a worker ends when its requests end, which is
// late for one whose cell does not stop.
func adopt(pid int) {
	if job, err := workers(); err == nil {
		_ = processes.Enter(job, pid, false)
	}
}

func offerToKernel() {}

// readsStdin reports whether a thread of this process is in a read of standard input. It is not known here.
func readsStdin() (reads, known bool) { return false, false }

// killed reports whether a process was ended by another one. Windows does not tell: only what this process has done,
// ours, is known.
func killed(_ error, ours bool) bool { return ours }

// endedItself reports whether a process that is gone has ended with an exit status, and not by a fault, whose code has
// the highest bits set.
func endedItself(state *os.ProcessState) bool { return uint32(state.ExitCode()) < 0xc0000000 }

// timeLimit is how much processor time a worker may use, 0 for any amount: limits of job objects are not read.
var timeLimit = func() time.Duration { return 0 }

// watchTime has nothing to watch: see timeLimit.
func (s *server) watchTime() {}

// watchStops has nothing to watch: processes are not stopped by signals here.
func (p *process) watchStops() {}

// isStopped reports whether a process was stopped by a signal. None is here.
func isStopped(int) bool { return false }

// resume lets a stopped process go on. A test has it do nothing.
var resume = func(*process) {}
