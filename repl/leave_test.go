package repl

import (
	"context"
	"testing"
)

// TestLeave: exit and quit end a session in Jupyter, unless they are names of its own.
func TestLeave(t *testing.T) {
	s := newSession(t)
	run := func(code string, pages bool) Reply {
		return s.Eval(context.Background(), Request{Code: code, Pages: pages}, func(Event) {})
	}
	for _, code := range []string{"exit", "quit", "exit()", " quit()\n"} {
		if r := run(code, true); r.Err != nil || r.Exit == nil || *r.Exit != 0 {
			t.Errorf("%q: %v, exit %v", code, r.Err, r.Exit)
		}
		if r := run(code, false); r.Err == nil || r.Exit != nil {
			t.Errorf("%q in a script: %v, exit %v", code, r.Err, r.Exit)
		}
	}
	mustRun(t, s, "quit := 1\nfunc exit() int { return 2 }")
	for _, code := range []string{"quit", "exit()"} {
		if r := run(code, true); r.Err != nil || r.Exit != nil {
			t.Errorf("%q of the session's own: %v, exit %v", code, r.Err, r.Exit)
		}
	}
}
