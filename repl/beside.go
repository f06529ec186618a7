package repl

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
)

// besides are the cells of subshells. It is part of Local, whose methods it has.
type besides struct {
	session *Local
	count   atomic.Int32 // of those that have begun
	shells  atomic.Int32 // beside the main one
}

var _ Shells = (*Local)(nil)

// SetShells says how many shells there are beside the main one.
func (b *besides) SetShells(n int) {
	b.shells.Store(int32(n))
	golang.SetShells(b.session.current(), n)
}

// Beside runs a cell of a subshell beside those that run. It is Go, a line for the shell, or a command that looks at
// nothing that a running cell changes. Where its output is told apart from that of other cells is Options.Beside's and
// the writers' business.
func (b *besides) Beside(ctx context.Context, req Request, emit func(Event)) Reply {
	s, start := b.session, time.Now()
	reply := Reply{Count: int(b.count.Add(1))}
	if reply.Err = connectBeside(s, req); reply.Err != nil {
		return reply
	}
	name := fmt.Sprintf("subshell[%d]", reply.Count)
	cellBeside(ctx, s, name, req, emit, &reply)
	if reply.Err == nil && reply.Exit == nil && len(req.UserExpressions) > 0 {
		reply.UserExpressions = map[string]Value{}
		for what, src := range req.UserExpressions {
			reply.UserExpressions[what] = expressionBeside(ctx, s, src)
		}
	}
	reply.Elapsed = time.Since(start)
	return reply
}

// connectBeside does for cells of subshells what connect does for those of the main shell, while none of these has run.
// One that has just begun does so itself.
func connectBeside(s *Local, req Request) *Error {
	if s.ask.Load() != nil || !s.cells.TryLock() {
		return nil
	}
	defer s.cells.Unlock()
	if s.ask.Load() != nil {
		return nil
	}
	_, err := s.connect(context.Background(), Request{Comms: req.Comms,
		Input: func(context.Context, Prompt) (string, error) { return "", ErrInputBeside }}, func(Event) {})
	if err == nil {
		process.end(s) // it has only begun to receive
	}
	return err
}

// cellBeside runs the parts of a cell.
func cellBeside(ctx context.Context, s *Local, name string, req Request, emit func(Event), reply *Reply) {
	parts := s.parts(req.Code)
	for i, p := range parts {
		switch {
		case p.command != "" || p.whole:
			if c := commandNames[p.command]; c != nil && !c.Beside {
				reply.Err = &Error{Name: "CommandError", Message: "%" + c.Name + " runs in the main shell only",
					Notes: []string{"a cell of a subshell runs beside the main shell's, whose variables the command could change"}}
			} else {
				reply.Err = s.command(ctx, name, p, req.Pages, reply)
			}
		case p.shell != "":
			reply.Err = s.runShell(ctx, p.shell, s.opt.Stdout, s.opt.Stderr)
		default:
			out := golang.EvalBeside(ctx, s.current(), name, p.code)
			if i < len(parts)-1 {
				out.Values = nil // only the end of a cell is shown
			}
			for _, n := range out.Notes {
				emit(Event{Kind: Notice, Text: n})
			}
			if reply.Err, reply.Exit = toError(out.Failure), out.Exit; len(out.Values) > 0 {
				var data display.Bundle
				if data, reply.Err = render(out.Values); reply.Err == nil {
					emit(Event{Kind: Result, Data: data})
				}
			}
		}
		if reply.Err != nil || reply.Exit != nil {
			return
		}
	}
}

func expressionBeside(ctx context.Context, s *Local, src string) Value {
	var v Value
	out := golang.EvalBeside(ctx, s.current(), "expression", src)
	switch {
	case out.Failure != nil:
		v.Err = toError(out.Failure)
	case len(out.Values) == 0:
		v.Err = &Error{Name: "TypeError", Message: src + " has no value"}
	default:
		v.Data, v.Err = render(out.Values)
	}
	return v
}
