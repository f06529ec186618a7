package golang

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestInterruptStorm: an interrupt ends a cell that starts goroutines without end, all of which compute, and these; the
// session goes on.
func TestInterruptStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("keeps all processors busy for seconds")
	}
	e, _ := newEngine(t)
	for i, cell := range []string{
		"for { go func() { for {} }() }",
		"var f func(); f = func() { go f(); for { f = f } }; f()",
		"m := map[int]int{}; for { go func() { n := 0; for { n += len(m); select { default: } } }() }",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second/2, cancel)
		out := e.Eval(ctx, 2*i+1, cell)
		cancel()
		if out.Failure == nil || out.Failure.Name != "Interrupted" {
			t.Fatalf("%s: %v", cell, out.Failure)
		}
		if text := strings.Join(out.Failure.Notes, "\n"); strings.Contains(text, "compiled call") {
			t.Errorf("%s: %s", cell, text)
		}
		if out := e.Eval(context.Background(), 2*i+2, "1 + 1"); out.Failure != nil || out.Values[0].V != 2 {
			t.Errorf("%s, then %v", cell, out.Failure)
		}
	}
}
