package repl

import (
	"os"
	"sync"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/internal/monitor"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl/session"
)

// process has the session that the packages display, comm, session and train show, ask and send to. User code calls
// their functions without a session and on any goroutine, so they know the process only, and it has one session at a
// time: the one whose cell began last. After a cell it stays, for the goroutines that the cell has left behind, until
// another session's cell begins or it is closed.
var process owner

type owner struct {
	mu      sync.Mutex
	session *Local // nil before the first cell, and after the session was closed
	running bool   // a cell of session
}

// begin makes s the session of the process, by connect. It fails while a cell of another one runs: what the two show
// would mix.
func (o *owner) begin(s *Local, connect func()) *Error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session != s && o.running {
		return &Error{Name: "SessionError", Message: "a cell of another session of this process is running",
			Notes: []string{"display, comm and session have one front end in a process: run the cell when the other one " +
				"has ended, or each session in a process of its own (package worker)"}}
	}
	o.session, o.running = s, true
	connect()
	return nil
}

// end says that the cell has ended.
func (o *owner) end(s *Local) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session == s {
		o.running = false
	}
}

// leave lets a session that is closed receive nothing any more: what goroutines that it has left behind show and ask
// goes where it goes in a program outside a session.
func (o *owner) leave(s *Local) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session != s {
		return
	}
	o.session, o.running = nil, false
	display.SetPublisher(nil)
	comm.SetSender(nil)
	session.SetAsker(nil)
	session.SetRunner(nil)
	session.SetOutput(os.Stdout, os.Stderr)
	monitor.Set(nil)
	printing.SetColumns(0)
}
