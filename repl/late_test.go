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
	for ; exit == nil && s.late == nil; exit = s.tellLate() { // the test's own limit ends a wait in vain
		time.Sleep(time.Millisecond)
	}
	return exit
}

// TestLatePanic checks that the panic of a goroutine between two cells is told with the next one, which runs.
func TestLatePanic(t *testing.T) {
	s := newSession(t)
	startLate(t, s, `panic("late")`)
	var told []string
	reply := s.Eval(context.Background(), Request{Code: "6 * 7"},
		func(e Event) { told = append(told, e.Text+e.Data.Text()) })
	if reply.Err != nil || len(told) != 2 ||
		!strings.HasPrefix(told[0], "since the last cell: Panic: late\n  cell[1], line 2") || told[1] != "42" {
		t.Errorf("%v %q", reply.Err, told)
	}
}

// TestLateExit checks that os.Exit in a goroutine ends the session with the next cell, which does not run.
func TestLateExit(t *testing.T) {
	if exit := startLate(t, newSession(t), "os.Exit(3)"); exit == nil || *exit != 3 {
		t.Errorf("exit %v", exit)
	}
}
