package repl

import (
	"context"
	"encoding/json"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/debugger"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// newDebugger is the debugger of the session's cells.
func newDebugger(s *Local) *debugger.Debugger {
	return debugger.New(debugger.Host{
		Engine:    func() *golang.Engine { return s.current() },
		Cells:     func() map[string]string { return cellTexts(s) },
		Emit:      func(e json.RawMessage) { s.sink.event(Event{Kind: Debug, Message: e}) },
		Print:     func(text string) { s.print("%s", text) },
		Ask:       func(prompt string) (string, error) { return askUser(s, prompt) },
		Interrupt: s.Interrupt,
		Leaf:      isLeaf,
		Summary:   summary,
		Render: func(vs []golang.Value) (display.Bundle, error) {
			data, failure := render(vs)
			if failure != nil {
				return nil, failure
			}
			return data, nil
		},
	})
}

// isLeaf reports whether a debugger shows a value as a whole.
func isLeaf(v any) bool {
	switch v.(type) {
	case *tensor.Tensor, *tensor.Device, *rocm.Device:
		return true
	}
	return false
}

// cellTexts are the cells since the session has begun anew, by the names that they have in errors.
func cellTexts(s *Local) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := map[string]string{}
	for _, p := range s.history.Values() {
		if p.Life == s.life {
			r[cellLabel(p.Number)] = p.Code
		}
	}
	return r
}

// askUser asks as the running cell would.
func askUser(s *Local, prompt string) (string, error) {
	s.sink.flush()
	ask := s.ask.Load()
	if ask == nil || *ask == nil {
		return "", ErrNoInput
	}
	return (*ask)(prompt, false)
}

// debugging is the debugger of a session.
type debugging struct{ debugger *debugger.Debugger }

// Debug answers a request of the debug adapter protocol.
func (d debugging) Debug(ctx context.Context, request json.RawMessage) []json.RawMessage {
	return d.debugger.Handle(ctx, request)
}

// Detach ends debugging for a client that has gone away: what is stopped goes on.
func (d debugging) Detach() { d.debugger.Detach() }

var _ Debuggable = (*Local)(nil)
