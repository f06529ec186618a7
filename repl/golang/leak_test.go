package golang

import (
	"container/list"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// counted makes an engine whose list.New counts what it makes and what is collected.
func counted(t *testing.T) (e *Engine, made, alive *atomic.Int64) {
	t.Helper()
	made, alive = new(atomic.Int64), new(atomic.Int64)
	e, err := New(Options{Symbols: map[string]map[string]reflect.Value{"container/list/list": {
		"New": reflect.ValueOf(func() *list.List {
			made.Add(1)
			alive.Add(1)
			l := list.New()
			runtime.AddCleanup(l, func(*atomic.Int64) { alive.Add(-1) }, alive)
			return l
		}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return e, made, alive
}

func runCell(t testing.TB, e *Engine, n int, code string) Outcome {
	t.Helper()
	out := e.Eval(context.Background(), n, code)
	if out.Failure != nil {
		t.Fatalf("%s\n%s: %s %v", code, out.Failure.Name, out.Failure.Message, out.Failure.Trace)
	}
	return out
}

// settle collects until the count is at most want, or gives up.
func settle(alive *atomic.Int64, want int64) int64 {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // cleanups run on a goroutine of their own
		if alive.Load() <= want {
			break
		}
	}
	return alive.Load()
}

// collected collects a few times and returns the count: where something must stay alive, settle would collect in vain.
func collected(alive *atomic.Int64) int64 {
	for range 3 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // as in settle
	}
	return alive.Load()
}

// TestNothingLeaks: what a session no longer reaches is collected. Device memory depends on it.
func TestNothingLeaks(t *testing.T) {
	cases := []struct {
		name        string
		once, every string
		times       int
		after       string
		most        int64
	}{
		{"variable defined again", "", "x := list.New()", 1000, "", 3},
		{"assigned", "x := list.New()", "x = list.New()", 200, "", 3},
		{"set to nil", "", "x := list.New()", 10, "x = nil", 2},
		{"type changed", "", "x := list.New()", 1, "x := 1", 0},
		{"type changed under a closure", "x := list.New()\nf := func() int { return x.Len() }", "f()", 3, "x := 1", 1},
		{"type changed under a function", "x := list.New()\nfunc f() int { return x.Len() }", "f()", 3, "x := 1", 1},
		{"temporaries of a chain", "", "list.New().Init().Init()", 200, "_ = 1\n2", 3},
		{"blank", "", "_ = list.New()", 200, "", 2},
		{"shown values", "", "list.New()", 200, "1", 3},
		{"slice", "", "s := []*list.List{}\nfor range 50 { s = append(s, list.New()) }", 4, "s = nil", 3},
		{"map", "", "m := map[int]*list.List{}\nfor i := range 50 { m[i] = list.New() }", 4, "clear(m)", 3},
		{"loop", "", "for range 100 { list.New() }", 4, "", 3},
		{"function", "func f() *list.List { return list.New() }", "f().Init()", 100, "1", 3},
		{"closure defined again", "", "x := list.New(); f := func() *list.List { return x }", 100, "f = nil; x = nil",
			3},
		{"goroutines", "", "c := make(chan *list.List); go func() { c <- list.New() }(); <-c", 50, "1", 3},
		{"panic", "func f() { x := list.New(); defer func() { recover() }(); panic(x) }", "f()", 50, "", 3},
		{"error unwrapped", "func f() (*list.List, error) { return list.New(), nil }", "x := f()", 100, "", 3},
		{"name becomes a function", "", "x := list.New()", 1, "func x() {}", 0},
		{"interface", "var v any", "v = list.New()", 100, "v = nil", 3},
		{"struct defined again", "type T struct{ L *list.List }", "x := T{list.New()}", 100, "x = T{}", 3},
		{"same type, other value", "x := list.New()", "x = list.New()\ny := x", 100, "x, y = nil, nil", 3},
		{"type changed to and fro", "", "x := list.New()\nx.Len()", 1, "x := 1\n_ = x", 1},
		{"variable of a declaration", "", "var x = list.New()", 100, "x = nil", 3},
		{"several at once", "", "x, y := list.New(), list.New()", 100, "x, y = nil, nil", 3},
		{"temporaries of arguments", "func f(a, b *list.List) int { return a.Len() + b.Len() }",
			"f(list.New(), list.New())", 100, "1", 3},
		{"temporaries of a composite", "", "n := len([]*list.List{list.New(), list.New()})", 100, "", 4},
		{"method values", "", "f := list.New().Len\nf()", 100, "f = nil", 3},
		{"slice element", "s := make([]*list.List, 3)", "s[1] = list.New()", 100, "s[1] = nil", 3},
		{"slice shortened and cleared", "", "s := []*list.List{list.New(), list.New()}\nclear(s)\ns = s[:0]", 50, "",
			3},
		{"slice defined again", "", "s := []*list.List{list.New(), list.New()}", 100, "s = nil", 3},
		{"array", "var a [4]*list.List", "for i := range a { a[i] = list.New() }", 50, "a = [4]*list.List{}", 3},
		{"map entry deleted", "m := map[string]*list.List{}", "m[\"k\"] = list.New()\ndelete(m, \"k\")", 100, "", 3},
		{"map entry replaced", "m := map[string]*list.List{}", "m[\"k\"] = list.New()", 100, "m[\"k\"] = nil", 3},
		{"map keys", "m := map[*list.List]int{}", "m[list.New()] = 1", 100, "m = nil", 3},
		{"channel drained", "c := make(chan *list.List, 4)", "for range 4 { c <- list.New() }; for range 4 { <-c }", 50,
			"1", 5},
		{"channel dropped", "", "c := make(chan *list.List, 4)\nc <- list.New()", 50, "c = nil", 3},
		{"struct field", "type T struct{ L, M *list.List }\nx := T{}", "x.L = list.New()\nx.M = x.L", 100,
			"x.L, x.M = nil, nil", 3},
		{"field through a pointer", "type T struct{ L *list.List }\nx := &T{}", "x.L = list.New()", 100, "x.L = nil",
			3},
		{"linked values", "type T struct{ next *T; L *list.List }", "x := &T{nil, list.New()}\nx.next = x", 100,
			"x = nil", 3},
		{"type defined again", "", "type T struct{ L *list.List }\nx := T{list.New()}", 30, "x := 1", 3},
		{"other type of the same name", "type T struct{ L *list.List }\nx := T{list.New()}", "x.L.Len()", 1,
			"type T int\nx := T(1)", 1},
		{"closure that captured", "", "func() { x := list.New(); f := func() int { return x.Len() }; f() }()", 100, "",
			3},
		{"closure kept and dropped", "var f func() int",
			"f = func() func() int { x := list.New(); return func() int { return x.Len() } }()", 100, "f = nil", 3},
		{"closures of a loop", "var fs []func() int",
			"for range 10 { x := list.New(); fs = append(fs, func() int { return x.Len() }) }", 10, "fs = nil", 3},
		{"nested loops", "", "for range 10 { for range 10 { x := list.New(); x.Len() } }", 10, "", 3},
		{"range over values", "", "for _, x := range []*list.List{list.New(), list.New()} { x.Len() }", 100, "", 4},
		{"switch and if", "", "if x := list.New(); x.Len() == 0 { switch y := list.New(); { case y != nil: } }", 100,
			"", 4},
		{"type switch", "", "switch x := any(list.New()).(type) { case *list.List: x.Len() }", 100, "", 4},
		{"deferred call", "func f() { x := list.New(); defer x.Len(); defer func(y *list.List) { y.Init() }(x) }",
			"f()", 100, "", 3},
		{"recovered panic", "func f() (err any) { defer func() { err = recover() }(); panic(list.New()) }", "f()", 100,
			"1", 3},
		{"recovered panic dropped", "func f() { defer func() { recover() }(); x := list.New(); panic(x.Len()) }", "f()",
			100, "1", 3},
		{"goroutine with an argument", "",
			"done := make(chan bool); go func(x *list.List) { x.Len(); done <- true }(list.New()); <-done", 50, "", 3},
		{"goroutine that captured", "", "x := list.New(); done := make(chan bool); go func() { x.Len(); close(done) }(); <-done", 50, "x = nil", 3},
		{"WaitGroup", "", "var wg sync.WaitGroup; for range 5 { x := list.New(); wg.Go(func() { x.Len() }) }; wg.Wait()", 20, "", 3},
		{"timer that fired", "", "c := make(chan int); x := list.New(); time.AfterFunc(0, func() { x.Len(); c <- 1 }); <-c", 20, "x = nil", 3},
		{"method of a type", "type T struct{ L *list.List }\nfunc (t T) Len() int { return t.L.Len() }",
			"T{list.New()}.Len()", 100, "", 3},
		{"embedded", "type T struct{ *list.List }", "x := T{list.New()}\nx.Len()", 100, "x = T{}", 3},
		{"generic function", "func same[T any](x T) T { return x }", "same(list.New()).Len()", 100, "1", 3},
		{"generic type", "type Box[T any] struct{ V T }", "b := Box[*list.List]{list.New()}", 100,
			"b = Box[*list.List]{}", 3},
		{"returned struct", "type T struct{ L *list.List }\nfunc f() T { return T{list.New()} }", "f().L.Len()", 100,
			"1", 3},
		{"variadic", "func f(xs ...*list.List) int { return len(xs) }", "f(list.New(), list.New(), list.New())", 50,
			"1", 4},
		{"printed", "", "fmt.Sprint(list.New())", 100, "1", 3},
		{"interface in a map", "m := map[string]any{}", "m[\"k\"] = list.New()", 100, "m = map[string]any{}", 3},
		{"function defined again", "", "x := list.New()\nfunc f() int { return x.Len() }", 30, "x = nil", 3},
		{"goto and labels", "", "again: for range 3 { x := list.New(); if x.Len() == 0 { continue again } }", 50, "",
			3},
		{"pointer to a variable", "", "x := list.New()\np := &x\n(*p).Len()", 50, "x = nil; p = nil", 3},
		{"iterator", "", "for x := range func(yield func(*list.List) bool) { for yield(list.New()) { break } } { x.Len() }", 50, "", 3},
	}
	for _, tt := range thorough.Sample(cases, 8, 0) {
		t.Run(tt.name, func(t *testing.T) {
			if thorough.Race && tt.name == "WaitGroup" {
				t.Skip("yaegi writes a closure into its place again at every call, while other goroutines read it")
			}
			e, made, alive := counted(t)
			n := 1
			if tt.once != "" {
				runCell(t, e, n, tt.once)
			}
			for range tt.times {
				n++
				runCell(t, e, n, tt.every)
			}
			if tt.after != "" {
				runCell(t, e, n+1, tt.after)
			}
			if made.Load() == 0 {
				t.Fatal("nothing was made")
			}
			if got := settle(alive, tt.most); got > tt.most {
				t.Errorf("%d of %d are alive, want at most %d", got, made.Load(), tt.most)
			}
			runtime.KeepAlive(e)
		})
	}
}

// TestFailedCellsLeakNothing: neither do cells that do not compile, that panic, that stop at an error, or that are
// interrupted: what stays is what the names that they have defined stand for.
func TestFailedCellsLeakNothing(t *testing.T) {
	thorough.Slow(t)
	// a cell that is left behind on a slow machine reads yaegi's root frame while the next one writes to it
	if thorough.Race {
		defer func(d time.Duration) { run.StopTimeout = d }(run.StopTimeout)
		run.StopTimeout = 5 * time.Second
	}
	for _, tt := range thorough.Sample([]struct {
		name, code string
		interrupt  bool
	}{
		{"panic", "y := list.New()\npanic(fmt.Sprint(y.Len()))", false},
		{"panic with the value", "panic(list.New())", false},
		{"panic in a function", "func() { x := list.New(); defer x.Len(); panic(x.Len()) }()", false},
		{"error", "x := list.New()\nx.Len()\nstrconv.Atoi(\"a\")", false},
		{"index", "s := []*list.List{list.New()}\ns[len(s)].Len()", false},
		{"exit", "x := list.New()\nx.Len()\nos.Exit(1)", false},
		{"interrupted loop", "for { z := list.New(); z.Init() }", true},
		{"interrupted function", "func() { z := list.New(); for { z.Len() } }()", true},
		{"interrupted receive", "func() { z := list.New(); <-make(chan int); z.Len() }()", true},
		{"interrupted sleep", "func() { z := list.New(); time.Sleep(time.Hour); z.Len() }()", true},
		{"interrupted deferred", "func() { z := list.New(); defer z.Len(); select {} }()", true},
		{"interrupted callback", "sort.Slice(make([]int, 100), func(i, j int) bool { z := list.New(); for { z.Len() }; return true })", true},
		{"interrupted range", "for range make(chan *list.List) { }; list.New()", true},
	}, 3, 0) {
		t.Run(tt.name, func(t *testing.T) {
			e, made, alive := counted(t)
			for i := range 20 {
				ctx, cancel := context.WithCancel(context.Background())
				if tt.interrupt {
					time.AfterFunc(3*time.Millisecond, cancel)
				}
				if out := e.Eval(ctx, i+1, tt.code); out.Failure == nil && out.Exit == nil {
					t.Fatalf("%+v", out)
				}
				cancel()
			}
			runCell(t, e, 1000, "x, y, s := 1, 1, 1\n_, _, _ = x, y, s\n1")
			awaitStopped(e)
			if got := settle(alive, 2); got > 2 {
				t.Errorf("%d of %d are alive", got, made.Load())
			}
			runtime.KeepAlive(e)
		})
	}
}

// TestShownValues: of what cells have shown, _ keeps the last value, and nothing keeps the others.
func TestShownValues(t *testing.T) {
	e, made, alive := counted(t)
	for i, code := range []string{"list.New()", "list.New()", "[]*list.List{list.New()}",
		"map[int]*list.List{1: list.New()}", "any(list.New())", "list.New()"} {
		runCell(t, e, i+1, code)
	}
	if got := settle(alive, 1); got != 1 {
		t.Errorf("%d of %d are alive, want the one that _ stands for", got, made.Load())
	}
	runCell(t, e, 10, "_.Len()")
	if got := settle(alive, 0); got != 0 {
		t.Errorf("%d of %d are alive, want none", got, made.Load())
	}
	runtime.KeepAlive(e)
}

// TestLeftBehindReleases: a goroutine that was left behind in a compiled call holds what it uses until the call
// returns.
func TestLeftBehindReleases(t *testing.T) {
	thorough.Slow(t)
	skipMarks(t)
	e, made, alive := counted(t)
	runCell(t, e, 1, "mu := &sync.Mutex{}\nmu.Lock()")
	ctx, begun := interruptedWhenBegun(t, e, "sync.(*Mutex).Lock")
	e.Eval(ctx, 2, "func() { x := list.New(); "+begun+"; mu.Lock(); x.Len() }()")
	runCell(t, e, 3, "mu.Unlock()\n1")
	awaitStopped(e)
	if got := settle(alive, 0); got != 0 || made.Load() == 0 {
		t.Errorf("%d of %d are alive", got, made.Load())
	}
	runtime.KeepAlive(e)
}

// TestResetReleases: an engine that nothing mentions any more takes its variables along, though the process keeps the
// code of its types' methods. What has one of its values by then cannot call their methods.
func TestResetReleases(t *testing.T) {
	skipMarks(t)
	e, made, alive := counted(t)
	runCell(t, e, 1, "type T struct{ n int }\nfunc (t T) String() string { return fmt.Sprint(t.n) }\nx, y := list.New(), fmt.Sprint(T{1})")
	left := runCell(t, e, 2, "fmt.Stringer(T{2})").Values[0].V.(fmt.Stringer)
	if got := left.String(); got != "2" {
		t.Errorf("the method gives %q", got)
	}
	e = nil
	if got := settle(alive, 0); got != 0 || made.Load() == 0 {
		t.Errorf("%d of %d are alive", got, made.Load())
	}
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "has been reset") {
			t.Errorf("the method panics with %v", err)
		}
	}()
	_ = left.String()
}

// TestDroppedFunctions: a variable whose name stands for something else is collected with the last function that uses
// it; the next cell then forgets what it was called.
func TestDroppedFunctions(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct{ name, define, drop string }{
		{"closure", "f := func() int { return x.Len() }", "f = nil"},
		{"pointer", "p := &x\nf := func() int { return (*p).Len() }", "p, f = nil, nil"},
		{"interpreted function", "func f() int { return x.Len() }", "func f() int { return 0 }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "interpreted function" { // what machine code refers to is kept
				t.Setenv("GOROCM_NATIVE", "0")
			}
			e, _, alive := counted(t)
			runCell(t, e, 1, "x := list.New()\n"+c.define)
			runCell(t, e, 2, "x := 1\nx + f()")
			if n := collected(alive); n != 1 {
				t.Fatalf("%d lists are alive, want the one that f uses", n)
			}
			runCell(t, e, 3, "f()")
			runCell(t, e, 4, c.drop)
			cell := 5
			for end := time.Now().Add(time.Minute); alive.Load() > 0 && time.Now().Before(end); cell++ {
				collected(alive)
				runCell(t, e, cell, "1")
			}
			if n := alive.Load(); n != 0 {
				t.Errorf("%d lists are alive, want none", n)
			}
		})
	}
}
