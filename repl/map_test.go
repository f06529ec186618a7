package repl

import (
	"context"
	"testing"
)

// TestMapInterrupt: an interrupt ends a function over elements that does not return, on whichever core it is, as machine
// code and interpreted.
func TestMapInterrupt(t *testing.T) {
	for name, c := range map[string]string{
		"all":         "func(i int) int { for i >= 0 { i ^= 1 }; return i }, tensor.CPU().Arange(tensor.I64, 1<<20)",
		"last":        "func(i int) int { for i == 1<<20-1 { n := i; i = n }; return i }, tensor.CPU().Arange(tensor.I64, 1<<20)",
		"few":         "func(i int) int { for i >= 0 { i ^= 1 }; return i }, tensor.New([]int{1, 2})",
		"interpreted": "func(i int) int { for i >= 0 { i ^= 1; kept++ }; return i }, tensor.New([]int{1, 2})",
	} {
		s := newSession(t)
		mustRun(t, s, "kept := 7")
		r := s.Eval(context.Background(), Request{Code: "fmt.Println(kept)\ntensor.Map(" + c + ")"},
			func(Event) { s.Interrupt() })
		if r.Err == nil || r.Err.Name != "Interrupted" {
			t.Errorf("%s: %+v", name, r.Err)
		}
		mustRun(t, s, "kept > 6")
	}
}
