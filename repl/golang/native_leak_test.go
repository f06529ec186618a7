package golang

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestNativeSessionEnds: what is known of machine code, which lives for ever, does not keep a session.
func TestNativeSessionEnds(t *testing.T) {
	thorough.Slow(t)
	ended := make(chan bool, 1)
	func() {
		e, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := e.Eval(context.Background(), 1, `type named struct{ s string }
func (n named) String() string { return n.s }
func show(list []fmt.Stringer, m map[string]int) (s string) {
	n := m["a"]
	for _, x := range list {
		s += x.String() + strings.ToUpper(fmt.Sprint(x, n))
	}
	if n, ok := list[0].(named); ok {
		s += n.s
	}
	return s
}
show([]fmt.Stringer{named{"a"}}, nil)`)
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		for _, n := range e.Natives() {
			if n.Why != "" && e.Interprets() == "" {
				t.Error(n)
			}
		}
		runtime.AddCleanup(e.state, func(c chan bool) { c <- true }, ended)
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the session is kept")
}
