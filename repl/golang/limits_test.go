package golang

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// TestRecursion: recursion without an end, of any kind, ends the cell and not the process.
func TestRecursion(t *testing.T) {
	if !run.KnowsStack {
		t.Skip("the use of stacks is not known on " + runtime.GOARCH)
	}
	defer run.StackLimit.Store(run.StackLimit.Swap(32 << 20))
	cases := []struct{ name, code string }{
		{"function", "func f(n int) int { return f(n+1) + 1 }\nf(0)"},
		{"no results", "func f() { f() }\nf()"},
		{"two functions", "func f(n int) int { return g(n) + 1 }\nfunc g(n int) int { return f(n) + 1 }\nf(0)"},
		{"method", "type T struct{ n int }\nfunc (t T) f() int { return t.f() + 1 }\nT{}.f()"},
		{"method of a pointer", "type T struct{ n int }\nfunc (t *T) f() int { return t.f() + 1 }\n(&T{}).f()"},
		{"method through an interface", "type I interface{ F(I) int }\ntype T struct{ n int }\nfunc (t T) F(i I) int { return i.F(i) + 1 }\nT{}.F(T{})"},
		{"closure", "var f func(int) int\nf = func(n int) int { return f(n+1) + 1 }\nf(0)"},
		{"String method", "type T struct{ n int }\nfunc (t T) String() string { return fmt.Sprintf(\"%v\", t) }\nfmt.Println(T{})"},
		{"Error method", "type T struct{ n int }\nfunc (t T) Error() string { return fmt.Sprint(t) }\nfmt.Sprint(T{})"},
		{"compiled callback", "func f() { sort.Slice([]int{2, 1}, func(i, j int) bool { f(); return true }) }\nf()"},
		{"deferred call", "func f() { defer f() }\nf()"},
		{"deferred closure", "func f(n int) { defer func() { n++ }(); f(n) }\nf(0)"},
		{"recovering", "func f() { defer func() { recover() }(); f() }\nf()"},
		{"generic function", "func f[T any](x T) T { return f(x) }\nf(1)"},
		{"large frames", "func f(a [64]int) int { return f(a) + a[1] }\nf([64]int{})"},
		{"goroutine", "func f(n int) int { return f(n+1) + 1 }\ngo f(0)\nselect {}"},
		{"goroutine of a closure", "var f func(int) int\nf = func(n int) int { return f(n+1) + 1 }\ngo func() { f(0) }()\nselect {}"},
		{"goroutine with callbacks", "func f() { sort.Slice([]int{2, 1}, func(i, j int) bool { f(); return true }) }\ngo f()\nselect {}"},
	}
	for _, tt := range thorough.Sample(cases, 5, 0) {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := newEngine(t)
			runCell(t, e, 1, "kept := 5\nadd := func() int { kept++; return kept }\nc := make(chan int)\ngo func() { for v := range c { c <- v + 1 } }()")
			start := time.Now()
			out := e.Eval(t.Context(), 2, tt.code)
			if out.Failure == nil || out.Failure.Name != "RuntimeError" ||
				!strings.HasPrefix(out.Failure.Message, "stack overflow") {
				t.Fatalf("%+v", out.Failure)
			}
			t.Log("ended after", time.Since(start))
			if len(out.Failure.Frames) == 0 {
				t.Error("no frames")
			}
			awaitStopped(e)             // another goroutine may have to end
			e.Eval(t.Context(), 3, "0") // which a cell may have to tell
			if got := value(t, e, "add()"); got != "6 int" {
				t.Error(got)
			}
			if got := value(t, e, "c <- 1; <-c"); got != "2 int" {
				t.Error(got)
			}
			runCell(t, e, 100, "close(c)") // its goroutine would keep the session
		})
	}
}

// TestDeepRecursion: recursion that has an end gets far.
func TestDeepRecursion(t *testing.T) {
	e, _ := newEngine(t)
	if got := value(t, e, "func sum(n int) int { if n == 0 { return 0 }; return n + sum(n-1) }\nsum(30000)"); got != "450015000 int" {
		t.Error(got)
	}
}

// limited makes an engine whose cells may use n bytes more than what is in use now.
func limitedEngine(t *testing.T, n uint64) *Engine {
	t.Helper()
	e, _ := newEngine(t)
	runtime.GC()
	e.rt.Memory.Limit = run.InUse() + n
	before := debug.SetMemoryLimit(int64(e.rt.Memory.Limit / 10 * 9)) // as limit does
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	return e
}

// TestMemoryLimit: a cell that allocates without an end is ended, what it has defined stays, and the session goes on.
func TestMemoryLimit(t *testing.T) {
	thorough.Slow(t)
	cases := []struct{ name, code, free string }{
		{"slices", "s := [][]byte{}\nfor { s = append(s, make([]byte, 1<<20)) }", "s = nil"},
		{"in a function", "func() { s := [][]byte{}; for { s = append(s, make([]byte, 1<<20)) } }()", ""},
		{"appending", "s := []int{}\nfor { s = append(s, 1, 2, 3, 4, 5, 6, 7, 8) }", "s = nil"},
		{"map", "m := map[int][]byte{}\nfor i := 0; i >= 0; i++ { m[i] = make([]byte, 1<<16) }", "m = nil"},
		{"linked list", "type T struct { next *T; data [4096]byte }\nvar l *T\nfor { l = &T{next: l} }", "l = nil"},
		{"strings", "ss := []string{}\nfor { ss = append(ss, strings.Repeat(\"a\", 1<<20)) }", "ss = nil"},
		{"compiled calls", "b := &bytes.Buffer{}\nfor { b.WriteString(\"some text that is written again and again and again and again\"); b.Write(make([]byte, 1<<18)) }", "b = nil"},
		{"one repetition", "s := strings.Repeat(\"ab\", 1<<40)", ""},
		{"one repetition of bytes", "b := bytes.Repeat([]byte(\"ab\"), 1<<40)", ""},
	}
	for _, tt := range thorough.Sample(cases, 5, 0) {
		t.Run(tt.name, func(t *testing.T) {
			if thorough.Race && tt.name == "appending" {
				t.Skip("too slow under the race detector")
			}
			defer func(d time.Duration) { run.StopTimeout = d }(run.StopTimeout)
			// on a busy machine a compiled call takes long, and the next cell would race with what is left behind
			run.StopTimeout = 10 * time.Second
			e := limitedEngine(t, 192<<20)
			runCell(t, e, 1, "kept := 5")
			out := e.Eval(t.Context(), 2, tt.code)
			if out.Failure == nil || out.Failure.Name != "RuntimeError" ||
				!strings.HasPrefix(out.Failure.Message, "out of memory") || len(out.Failure.Frames) == 0 {
				t.Fatalf("%+v", out.Failure)
			}
			if !strings.Contains(strings.Join(out.Failure.Notes, "\n"), run.MemoryVar+"=") {
				t.Errorf("the notes do not tell how to raise the limit: %q", out.Failure.Notes)
			}
			t.Log(out.Failure.Message, out.Failure.Notes)
			if tt.free != "" {
				runCell(t, e, 3, tt.free) // although the limit is exceeded when the cell begins
			}
			if got := value(t, e, "kept"); got != "5 int" {
				t.Error(got)
			}
			runtime.GC()
			if now := run.InUse(); now > e.rt.Memory.Limit {
				t.Errorf("%s are still in use", budget.SizeText(now))
			}
			runCell(t, e, 4, "for range 50 { b := make([]byte, 8<<20); _ = b }") // garbage does not count as memory in use
		})
	}
}

// TestMemoryOfGoroutines: a goroutine that allocates without an end is ended when cells have no memory any more.
func TestMemoryOfGoroutines(t *testing.T) {
	thorough.Slow(t)
	e := limitedEngine(t, 192<<20)
	runCell(t, e, 1, "kept := 5\nc := make(chan int)\ngo func() { for v := range c { c <- v + 1 } }()")
	out := e.Eval(t.Context(), 2, "go func() { s := [][]byte{}; for { s = append(s, make([]byte, 1<<20)) } }()\nselect {}")
	if out.Failure == nil || !strings.HasPrefix(out.Failure.Message, "out of memory") ||
		!strings.Contains(strings.Join(out.Failure.Notes, "\n"), "goroutines") {
		t.Fatalf("%+v", out.Failure)
	}
	if now := run.InUse(); now > e.rt.Memory.Limit {
		t.Errorf("%s are still in use", budget.SizeText(now))
	}
	if got := value(t, e, "c <- kept; <-c"); got != "6 int" { // it has waited all the time
		t.Error(got)
	}
}

func TestCheckMake(t *testing.T) {
	e := limitedEngine(t, 64<<20)
	for _, tt := range []struct {
		n, elem int
		want    string
	}{
		{0, 8, ""},
		{1 << 20, 8, ""},
		{1 << 62, 0, ""},
		{-1, 8, "runtime error: makeslice: len out of range"},
		{math.MaxInt, 1, "runtime error: makeslice: len out of range"},
		{1 << 60, 1 << 10, "runtime error: makeslice: len out of range"},
		{1 << 40, 1, "out of memory"},
		{1 << 30, 8, "out of memory"},
	} {
		got := ""
		func() {
			defer func() {
				if err, ok := recover().(runtime.Error); ok {
					got = err.Error()
				}
			}()
			e.rt.Memory.CheckMake(tt.n, tt.elem)
		}()
		if (got == "") != (tt.want == "") || !strings.HasPrefix(got, tt.want) {
			t.Errorf("make of %d × %d bytes: %q, want %q", tt.n, tt.elem, got, tt.want)
		}
	}
}
