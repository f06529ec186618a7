package repl

import (
	"context"
	"strings"
	"testing"
	"time"
)

// startLate has a goroutine of a cell do something after the cell has ended, and waits, as silent cells would, until
// the session knows of it.
func startLate(t *testing.T, s *Local, what string) (exit *int) {
	t.Helper()
	mustRun(t, s, "gate := make(chan int)\ngo func() { <-gate; "+what+" }()")
	gate, err := s.current().Var("gate")
	if err != nil {
		t.Fatal(err)
	}
	close(gate.(chan int))
	s.silent = true
	for ; exit == nil && s.late == nil; exit = s.tellLate(t.Context()) { // the test's own limit ends a wait in vain
		time.Sleep(time.Millisecond)
	}
	return exit
}

// TestLatePanic checks that the panic of a goroutine between two cells is shown when it happens, and that %trace has
// its stack.
func TestLatePanic(t *testing.T) {
	s := newSession(t)
	told := make(chan string, 10)
	reply := s.Eval(context.Background(), Request{Code: "gate := make(chan int)\ngo func() { <-gate; panic(\"late\") }()"},
		func(e Event) { told <- e.Text })
	if reply.Err != nil {
		t.Fatal(reply.Err)
	}
	gate, err := s.current().Var("gate")
	if err != nil {
		t.Fatal(err)
	}
	close(gate.(chan int))
	if got := <-told; !strings.HasPrefix(got, "Panic: late\n  cell[1], line 2") { // the test's own limit ends the wait
		t.Errorf("%q", got)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.Contains(s.trace, "goroutine") {
		t.Errorf("%%trace has %q", s.trace)
	}
}

// TestLateExit checks that os.Exit in a goroutine ends the session with the next cell, which does not run.
func TestLateExit(t *testing.T) {
	if exit := startLate(t, newSession(t), "os.Exit(3)"); exit == nil || *exit != 3 {
		t.Errorf("exit %v", exit)
	}
}
