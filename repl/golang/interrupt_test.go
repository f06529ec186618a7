package golang

import (
	"context"
	"testing"
	"time"
)

// TestAbandoned: a goroutine that Interrupt left in a compiled call does nothing more when the call returns.
func TestAbandoned(t *testing.T) {
	e, _ := newEngine(t)
	run(t, e, 1, "mu := &sync.Mutex{}\nmu.Lock()\ndone := 0")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if out := e.Eval(ctx, 2, "mu.Lock()\ndone = 1\nfmt.Print()\ndone = 2"); out.Failure == nil || len(out.Failure.Notes) == 0 {
		t.Fatalf("%+v", out.Failure)
	}
	run(t, e, 3, "mu.Unlock()")
	for range 1000 {
		if e.stops.any.Load() == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := value(t, e, "done"); got != "0 int" {
		t.Errorf("the abandoned goroutine went on: done is %s", got)
	}
}
