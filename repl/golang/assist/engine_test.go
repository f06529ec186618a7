package assist_test

import (
	"context"
	"testing"

	"github.com/gorocm/gorocm/repl/golang"
)

// run evaluates a cell, which must not fail.
func run(t testing.TB, e *golang.Engine, n int, code string) golang.Outcome {
	t.Helper()
	out := e.Eval(context.Background(), n, code)
	if out.Failure != nil {
		t.Fatalf("%s\n%s: %s\n%s", code, out.Failure.Name, out.Failure.Message, out.Failure.Trace)
	}
	return out
}
