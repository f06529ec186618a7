package worker

import (
	"fmt"

	"github.com/gorocm/gorocm/repl"
)

// A worker can be stopped, as kill -STOP does: it answers nothing until it goes on. The front end tells so, questions
// do not wait for it, and an interrupt lets it go on.

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
