//go:build unix

package worker

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"os/signal"
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

// watchStops notes when the process is stopped and when it goes on, until it has ended.
func (p *process) watchStops() {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGCHLD)
	defer signal.Stop(changes)
	for told := false; ; {
		select {
		case <-p.ended:
			return
		case <-changes:
		}
		p.mu.Lock()
		was := told
		if told = isStopped(p.cmd.Process.Pid); told && !was {
			close(p.stop)
		} else if !told && was {
			p.stop = make(chan struct{})
		}
		p.mu.Unlock()
		if told && !was {
			go p.tellStop()
		}
	}
}

// alike is how far apart the signals of one Ctrl-Z, which stops this process too, may come to two processes.
const alike = 150 * time.Millisecond

// tellStop tells of a stopped process, unless it was stopped together with this one: where this one was, it is itself
// going on again by the first of the two looks, or by the second.
func (p *process) tellStop() {
	for range 2 {
		select {
		case <-p.ended:
			return
		case <-time.After(alike):
		}
		if !isStopped(p.cmd.Process.Pid) {
			return
		}
	}
	p.emit(p.stopNotice())
}

// resume lets a stopped process go on. A test has it do nothing.
var resume = func(p *process) {
	if pid := p.cmd.Process.Pid; isStopped(pid) {
		_ = syscall.Kill(pid, syscall.SIGCONT) // one that has just ended needs nothing
	}
}
