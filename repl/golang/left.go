package golang

import (
	"context"
	"time"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// A cell of very many statements is checked and lowered in steps that last, above all yaegi's, which asks nobody
// whether it is to end. Where an interrupt would wait for such a step, the cell is left: it has ended for whoever has
// sent it, nothing of the session changes, and the next cell waits for the step.

// leavable is the length of a cell from which on its steps may last.
const leavable = 32 << 10

// leavePatience is how long an interrupt waits for a step.
const leavePatience = 300 * time.Millisecond

// unlessLeft has a cell prepared. left is the failure of a cell that is left; what has been prepared of it is discarded
// when it is there.
func unlessLeft(ctx context.Context, e *Engine, src string, prepare func(context.Context) prepared) (c prepared,
	left *check.Failure) {
	if len(src) < leavable {
		return prepare(ctx), nil
	}
	l := &check.Leavable{Context: ctx}
	done, gone := make(chan prepared), make(chan struct{})
	go func() {
		c := prepare(l)
		select {
		case done <- c:
		case <-gone:
			discard(e, c)
		}
	}()
	tick := time.NewTicker(leavePatience / 2)
	defer tick.Stop()
	for ticks := 0; ; {
		select {
		case c = <-done:
			return c, nil
		case <-tick.C:
		}
		if ctx.Err() == nil {
			continue
		}
		if ticks++; ticks > 2 && l.Leave() {
			close(gone)
			left = check.InterruptedFailure()
			left.Notes = []string{"it was still being compiled; the next cell waits until that has ended"}
			return c, left
		}
	}
}

// begin takes Engine.running for a cell, and reports whether it has: the cell may be interrupted before, while one that
// was left is compiled.
func begin(ctx context.Context, e *Engine) bool {
	for pause := 100 * time.Microsecond; !e.running.TryLock(); pause = min(2*pause, leavePatience) {
		if ctx.Err() != nil {
			return false
		}
		time.Sleep(pause)
	}
	return true
}
