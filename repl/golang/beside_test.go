package golang

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// beside runs a cell beside others.
func beside(t *testing.T, e *Engine, code string) Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return EvalBeside(ctx, e, "subshell[1]", code)
}

// TestBeside: a cell beside one that waits for it sees what the session has, changes it, declares, shows, and fails by
// itself.
func TestBeside(t *testing.T) {
	e, _ := newEngine(t)
	SetShells(e, 1)
	runCell(t, e, 1, `import "errors"
go1, done := make(chan int), make(chan int)
n := 1
func twice(x int) int { return 2 * x }
errors.New("shown")`)
	ended := make(chan Outcome)
	go func() { ended <- e.Eval(context.Background(), 2, "done <- 0\nfor x := range go1 { n += twice(x) }\nn") }()
	if out := beside(t, e, "<-done\nm := twice(n)\nm"); out.Failure != nil || fmt.Sprint(out.Values[0].V) != "2" {
		t.Fatalf("%+v", out)
	}
	for _, tt := range []struct{ code, value, failure string }{
		{"m + 1", "3", ""},
		{"Out[1]", "shown", ""},
		{"k := m\npanic(\"deliberate\")", "", "subshell[1]:2"},
		{"k", "2", ""}, // a statement before the panic had defined it
		{"undefinedName", "", "subshell[1]:1"},
		{"func thrice(x int) int { return 3 * x }\nthrice(m)", "6", ""},
		{"n, m = n+10, \"a\"", "", "subshell[1]:1"},
		{"m := \"text\"\nm", "text", ""},
		{"type T struct{ A int }\nT{4}", "{4}", ""},
		{"func twice(x int) int { return 100 * x }\ngo1 <- 1", "", ""},
		{"close(go1)", "", ""},
	} {
		out := beside(t, e, tt.code)
		var value, failure string
		if len(out.Values) > 0 {
			value = fmt.Sprint(out.Values[0].V)
		}
		if f := out.Failure; f != nil {
			failure = f.Message
			if len(f.Frames) > 0 {
				failure = fmt.Sprintf("%s:%d", f.Frames[0].Cell, f.Frames[0].Line)
			}
		}
		if value != tt.value || failure != tt.failure {
			t.Errorf("%s: value %q, failure %q, want %q and %q (%v)", tt.code, value, failure, tt.value, tt.failure, out.Failure)
		}
	}
	// The running cell calls the newer function, and its value is its own.
	if out := <-ended; out.Failure != nil || fmt.Sprint(out.Values[0].V) != "101" {
		t.Errorf("the running cell: %+v %v", out.Values, out.Failure)
	}
	if got := value(t, e, "_"); got != "101 int" {
		t.Errorf("_ is %s: a cell beside has changed it", got)
	}
	if got := value(t, e, "m + fmt.Sprint(T{thrice(2)})"); got != "text{6} string" {
		t.Errorf("declared beside: %s", got)
	}
}

// TestBesideKeeps: a variable that a name no longer stands for keeps its value for the cell that runs with it, and is
// released when that has ended.
func TestBesideKeeps(t *testing.T) {
	e, _ := newEngine(t)
	SetShells(e, 1)
	runCell(t, e, 1, "x, in, out := \"first\", make(chan int), make(chan string)")
	ended := make(chan Outcome)
	go func() {
		ended <- e.Eval(context.Background(), 2, "for range in { out <- x }")
	}()
	if out := beside(t, e, "x := 7\nin <- 1\n<-out"); out.Failure != nil || out.Values[0].V != "first" {
		t.Errorf("the running cell sees %v, %v", out.Values, out.Failure)
	}
	if out := beside(t, e, "close(in)\nx"); out.Failure != nil || out.Values[0].V != 7 {
		t.Errorf("a later cell sees %v, %v", out.Values, out.Failure)
	}
	<-ended
}

// TestBesideInterrupt: cancelling ends one cell, wherever it waits, and no other.
func TestBesideInterrupt(t *testing.T) {
	e, _ := newEngine(t)
	SetShells(e, 1)
	runCell(t, e, 1, "begun, stop := make(chan bool, 1), make(chan bool)\nvar mu sync.Mutex")
	ended := make(chan Outcome)
	go func() { ended <- e.Eval(context.Background(), 2, "<-stop\n\"to its end\"") }()
	for _, code := range []string{"for {}", "<-make(chan int)", "time.Sleep(time.Hour)", "select {}",
		"for i := 0; ; i++ { _ = i * i }", "mu.Lock()\ndefer mu.Unlock()\nfor { time.Sleep(time.Millisecond) }"} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			beside(t, e, "<-begun")
			cancel()
		}()
		out := EvalBeside(ctx, e, "subshell[2]", "begun <- true\n"+code)
		if out.Failure == nil || out.Failure.Name != "Interrupted" || len(out.Failure.Frames) == 0 {
			t.Errorf("%s: %+v", code, out.Failure)
		}
		cancel()
	}
	if out := beside(t, e, "close(stop)"); out.Failure != nil {
		t.Error(out.Failure)
	}
	if out := <-ended; out.Failure != nil || out.Values[0].V != "to its end" {
		t.Errorf("the main cell: %+v", out)
	}
}

// TestBesideMany: many cells at once, beside cells of the main shell that define and fail, keep their own values and
// places.
func TestBesideMany(t *testing.T) {
	e, _ := newEngine(t)
	SetShells(e, 4)
	runCell(t, e, 1, "import \"sync/atomic\"\nvar sum atomic.Int64\nfunc work(n int) (s int) { for i := range n { s += i }; return s }")
	const rounds = 25
	var wg sync.WaitGroup
	for shell := range 4 {
		wg.Go(func() {
			for i := range rounds {
				code := fmt.Sprintf("v%d := work(%d)\nsum.Add(1)\nv%d", shell, i, shell)
				if out := EvalBeside(t.Context(), e, fmt.Sprintf("subshell[%d]", 100*shell+i), code); out.Failure != nil ||
					fmt.Sprint(out.Values[0].V) != fmt.Sprint(i*(i-1)/2) {
					t.Errorf("%s: %+v %v", code, out.Values, out.Failure)
				}
				name := fmt.Sprintf("subshell[%d]", 1000+100*shell+i)
				out := EvalBeside(t.Context(), e, name, strings.Repeat("\n", shell)+"work(2)\n[]int{}[work(2)]++")
				if f := out.Failure; f == nil || len(f.Frames) == 0 || f.Frames[0].Cell != name || f.Frames[0].Line != shell+2 {
					t.Errorf("failure of shell %d: %+v", shell, f)
				}
			}
		})
	}
	for i := range rounds {
		if out := e.Eval(t.Context(), 10+i, fmt.Sprintf("m := %d\nsum.Add(1)\nm + work(3)", i)); out.Failure != nil ||
			fmt.Sprint(out.Values[0].V) != fmt.Sprint(i+3) {
			t.Errorf("main: %+v %v", out.Values, out.Failure)
		}
	}
	wg.Wait()
	if got := value(t, e, "sum.Load()"); got != fmt.Sprint(5*rounds)+" int64" {
		t.Errorf("sum is %s", got)
	}
}

// TestBesideDeadlock: with a subshell, a cell that waits for a channel is in no deadlock.
func TestBesideDeadlock(t *testing.T) {
	thorough.Slow(t)
	e, _ := newEngine(t)
	SetShells(e, 1)
	runCell(t, e, 1, "c := make(chan string)")
	ended := make(chan Outcome)
	go func() { ended <- e.Eval(context.Background(), 2, "<-c") }()
	beside(t, e, "time.Sleep(300 * time.Millisecond)") // several looks of the detector
	beside(t, e, "c <- \"from the other shell\"")
	if out := <-ended; out.Failure != nil || out.Values[0].V != "from the other shell" {
		t.Errorf("%+v", out)
	}
}
