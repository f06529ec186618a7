package golang

import (
	"container/list"
	"context"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
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

func run(t testing.TB, e *Engine, n int, code string) Outcome {
	t.Helper()
	out := e.Eval(context.Background(), n, code)
	if out.Failure != nil {
		t.Fatalf("%s\n%s: %s %v", code, out.Failure.Name, out.Failure.Message, out.Failure.Trace)
	}
	return out
}

// settle collects until the count is at most want, or gives up.
func settle(alive *atomic.Int64, want int64) int64 {
	for range 50 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // cleanups run on a goroutine of their own
		if alive.Load() <= want {
			break
		}
	}
	return alive.Load()
}

// TestNothingLeaks: what a session no longer reaches is collected. Device memory depends on it.
func TestNothingLeaks(t *testing.T) {
	for _, tt := range []struct {
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
		{"type changed under a closure", "x := list.New()\nf := func() int { return x.Len() }", "f()", 3, "x := 1", 0},
		{"temporaries of a chain", "", "list.New().Init().Init()", 200, "_ = 1\n2", 3},
		{"blank", "", "_ = list.New()", 200, "", 2},
		{"shown values", "", "list.New()", 200, "1", 3},
		{"slice", "", "s := []*list.List{}\nfor range 50 { s = append(s, list.New()) }", 4, "s = nil", 3},
		{"map", "", "m := map[int]*list.List{}\nfor i := range 50 { m[i] = list.New() }", 4, "clear(m)", 3},
		{"loop", "", "for range 100 { list.New() }", 4, "", 3},
		{"function", "func f() *list.List { return list.New() }", "f().Init()", 100, "1", 3},
		{"closure defined again", "", "x := list.New(); f := func() *list.List { return x }", 100, "f = nil; x = nil", 3},
		{"goroutines", "", "c := make(chan *list.List); go func() { c <- list.New() }(); <-c", 50, "1", 3},
		{"panic", "func f() { x := list.New(); defer func() { recover() }(); panic(x) }", "f()", 50, "", 3},
		{"error unwrapped", "func f() (*list.List, error) { return list.New(), nil }", "x := f()", 100, "", 3},
		{"name becomes a function", "", "x := list.New()", 1, "func x() {}", 0},
		{"interface", "var v any", "v = list.New()", 100, "v = nil", 3},
		{"struct defined again", "type T struct{ L *list.List }", "x := T{list.New()}", 100, "x = T{}", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, made, alive := counted(t)
			n := 1
			if tt.once != "" {
				run(t, e, n, tt.once)
			}
			for range tt.times {
				n++
				run(t, e, n, tt.every)
			}
			if tt.after != "" {
				run(t, e, n+1, tt.after)
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

// TestFailedCellsLeakNothing: neither do cells that panic or are interrupted.
func TestFailedCellsLeakNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("see TestAbandoned: so slow, an interrupted cell may be abandoned")
	}
	e, made, alive := counted(t)
	for i := range 50 {
		e.Eval(context.Background(), i+1, "y := list.New()\npanic(fmt.Sprint(y.Len()))")
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(2*time.Millisecond, cancel)
		e.Eval(ctx, i+1, "for { z := list.New(); z.Init() }")
		cancel()
	}
	run(t, e, 1000, "y := 1")
	if got := settle(alive, 4); got > 4 {
		t.Errorf("%d of %d are alive", got, made.Load())
	}
	runtime.KeepAlive(e)
}
