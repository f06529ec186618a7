package repl

import (
	"context"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/internal/monitor"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/repl/session"
)

// publish passes on what display shows in the middle of a cell.
func (s *Local) publish(m display.Message) {
	showEvent(s, Event{Kind: EventKind(m.Kind), Data: m.Data, Meta: m.Meta, ID: m.ID, Wait: m.Wait})
}

// sender is how packets of cells reach a front end that knows comms.
func (s *Local) sender(known bool) func(comm.Packet) {
	if !known {
		return nil
	}
	return func(p comm.Packet) { showEvent(s, Event{Kind: Comm, Packet: &p}) }
}

// showEvent passes on an event of a cell, that of the calling goroutine where it can be told, otherwise the running
// one.
func showEvent(s *Local, e Event) {
	if s.opt.Beside != nil {
		if emit := s.opt.Beside(); emit != nil {
			emit(e)
			return
		}
	}
	s.sink.event(e)
}

// Deliver takes a packet for a comm of the session's cells.
func (s *Local) Deliver(p comm.Packet) { comm.Deliver(p) }

// asker is how cells ask for input: with nil, as the process does.
func asker(ctx context.Context, input func(context.Context, Prompt) (string, error)) session.Asker {
	if input == nil {
		return nil
	}
	return func(prompt string, secret bool) (string, error) { return input(ctx, Prompt{prompt, secret}) }
}

// connect directs what a cell shows, asks and sends to its front end. Goroutines that earlier cells have left behind
// reach the same one. It returns where events went before, and an error while another session has the process.
func (s *Local) connect(ctx context.Context, req Request, emit func(Event)) (before func(Event), err *Error) {
	if req.Silent {
		show := emit
		emit = func(e Event) {
			if e.Kind == Comm || e.Kind == Debug { // widgets of other cells go on
				show(e)
			}
		}
	}
	err = process.begin(s, func() {
		before = s.sink.open(emit)
		printing.SetColumns(req.Columns)
		display.SetPublisher(s.publish)
		monitor.Set(func(title string) monitor.Monitor { return display.NewMonitor(title) })
		ask := asker(ctx, req.Input)
		s.ask.Store(&ask)
		session.SetAsker(ask)
		session.SetRunner(s.runner(ctx))
		session.SetOutput(s.opt.Stdout, s.opt.Stderr)
		comm.SetSender(s.sender(req.Comms))
		opened.Watch(nil)
		if !req.Silent {
			opened.Watch(s.noteDevices)
		}
	})
	return before, err
}

// disconnect flushes what a cell has shown. After a silent cell, what goroutines print goes on to the last cell that
// shows something.
func (s *Local) disconnect(req Request, before func(Event)) {
	defer process.end(s)
	comm.Flush()
	if req.Silent {
		s.sink.open(before)
		return
	}
	s.noteDevices()
	s.sink.close()
}
