package worker

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/gorocm/gorocm/repl"
)

// A worker can be stopped, as kill -STOP does: it answers nothing until it goes on. The front end tells so, questions
// do not wait for it, and an interrupt lets it go on.

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
			p.emit(p.stopNotice())
		}
	}
}

// stopped is closed while the process is stopped.
func (p *process) stopped() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stop
}

func (p *process) stopNotice() repl.Event {
	pid := p.cmd.Process.Pid
	return trouble(fmt.Sprintf("the worker, process %d, was stopped, and runs nothing: an interrupt lets it go on, "+
		"and so does kill -CONT %d", pid, pid))
}

// resume lets a stopped process go on. A test has it do nothing.
var resume = func(p *process) {
	if pid := p.cmd.Process.Pid; isStopped(pid) {
		_ = syscall.Kill(pid, syscall.SIGCONT) // one that has just ended needs nothing
	}
}
