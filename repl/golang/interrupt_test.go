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
)

// interruptAfter interrupts a cell once it has called list.New, as its last statement before it hangs, and tells how
// long the cell took to end after that. With in, it waits first until the cell is blocked in that compiled function.
func interruptAfter(t *testing.T, e *Engine, started chan struct{}, n int, code, in string) (Outcome, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at atomic.Int64
	go func() {
		<-started
		if in != "" {
			awaitBlocked(in)
		} else {
			time.Sleep(10 * time.Millisecond) // for what comes after the call: it may have come to that, or not
		}
		at.Store(time.Now().UnixNano())
		cancel()
	}()
	out := e.Eval(ctx, n, code)
	return out, time.Duration(time.Now().UnixNano() - at.Load())
}

// awaitBlocked waits until the goroutine of a cell is blocked in a compiled function. The test's own limit ends a wait
// in vain, here and below.
func awaitBlocked(in string) {
	for buf := make([]byte, 1<<20); ; time.Sleep(time.Millisecond) {
		for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			head, stack, _ := strings.Cut(g, "\n")
			// running, runnable
			if strings.Contains(stack, "golang/run.(*Runtime).Run.func") && strings.Contains(stack, in) &&
				!strings.Contains(head, "[runn") {
				return
			}
		}
	}
}

// awaitStopped waits until all goroutines that are to be stopped have ended: on a busy machine a cell may be left
// behind, and ends later.
func awaitStopped(e *Engine) {
	for e.Goroutines().Stopping() {
		time.Sleep(time.Millisecond)
	}
}

// interruptible makes an engine whose list.New tells that the cell has come to it, and whose list.List.Len… waits for a
// device.
func interruptible(t *testing.T) (e *Engine, started chan struct{}) {
	t.Helper()
	started = make(chan struct{}, 1)
	device := make(chan struct{}, 1)
	e, err := New(Options{
		Interrupt: func() {
			select {
			case device <- struct{}{}:
			default:
			}
		},
		Symbols: map[string]map[string]reflect.Value{
			"container/list/list": {"New": reflect.ValueOf(func() *list.List {
				started <- struct{}{}
				return list.New()
			})},
			// It stands for a call that waits for a device.
			"runtime/runtime": {"GC": reflect.ValueOf(func() { <-device })},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e, started
}

// skipMarks skips a test that leaves a goroutine behind: where it is, is read from the interpreter's plain variable.
func skipMarks(t *testing.T) {
	t.Helper()
	if thorough.Race {
		t.Skip("the line of a goroutine that is left behind is read without synchronisation")
	}
}

// TestInterruptTable: whatever a cell does, an interrupt ends it, and leaves everything else as it is.
func TestInterruptTable(t *testing.T) {
	thorough.Slow(t)
	const before = `
n := 41
add := func(k int) int { n += k; return n }
func spin() { for { n = n } }
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
type loop struct{ on bool }
func (l *loop) run() { for l.on { } }
type slow struct{}
func (slow) String() string { for i := 0; i < 1000; i++ { }; return "slow" }
quiet := make(chan int)
wait := func() int { return <-quiet }
var ticks, busy atomic.Int64
var quit atomic.Bool
go func() { for !quit.Load() { ticks.Add(1); time.Sleep(time.Millisecond) } }()
go func() { for !quit.Load() { busy.Add(1) } }()
in, out := make(chan int), make(chan int)
go func() { for v := range in { out <- 2 * v } }()
pick := make(chan int)
go func() { for { select { case v, ok := <-pick: if !ok { return }; out <- v + 1; case v := <-quiet: out <- v } } }()
asleep := make(chan string)
go func() { time.Sleep(100 * time.Millisecond); asleep <- "slept" }()
mu, wg := &sync.Mutex{}, &sync.WaitGroup{}
mu.Lock()
wg.Add(1)
cond := sync.NewCond(&sync.Mutex{})
ln, _ := net.Listen("tcp", "127.0.0.1:0")
`
	cases := []struct {
		name, code string
		left       string // the compiled function that the goroutine stays behind in
	}{
		{"empty loop", "for {}", ""},
		{"loop in a literal", "func() { for {} }()", ""},
		{"counting loop", "for i := 0; i >= 0; i++ { }", ""},
		{"loop with a closure", "f := func() { n = n }; for { f() }", ""},
		{"loops in each other", "for { for i := range 10 { _ = i } }", ""},
		{"goto", "again: n = n; goto again", ""},
		{"loop over compiled calls", "for { time.Now() }", ""},
		{"loop over an older closure", "for { add(0) }", ""},
		{"function of an older cell", "spin()", ""},
		{"method", "l := &loop{true}; l.run()", ""},
		{"recursion", "fib(90)", ""},
		{"range over a function", "for range func(yield func(int) bool) { for yield(1) { } } { }", ""},
		{"callback of a compiled function",
			"sort.Slice(make([]int, 1000), func(i, j int) bool { for {}; return false })", ""},
		{"endless compiled callbacks", "strings.IndexFunc(strings.Repeat(\"a\", 1<<24), func(rune) bool { return false })", ""},
		{"String methods", "for { fmt.Sprint(slow{}) }", ""},
		{"deferred calls", "for { func() { defer func() { n = n }() }() }", ""},
		{"panics", "for { func() { defer func() { recover() }(); panic(1) }() }", ""},
		{"endless deferred call", "defer func() { for {} }(); for {}", ""},
		{"select of nothing", "select {}", ""},
		{"receive", "<-quiet", ""},
		{"receive with ok", "v, ok := <-quiet; _, _ = v, ok", ""},
		{"receive from nil", "var c chan int; <-c", ""},
		{"send", "c := make(chan int); c <- 1", ""},
		{"select", "c := make(chan int); select { case c <- 1: case <-c: }", ""},
		{"range over a channel", "for range make(chan int) { }", ""},
		{"polling select", "for { select { case <-quiet: default: } }", ""},
		{"older closure that receives", "wait()", ""},
		{"sleep", "time.Sleep(time.Hour)", ""},
		{"short sleeps", "for { time.Sleep(time.Millisecond) }", ""},
		{"timer", "<-time.After(time.Hour)", ""},
		{"context", "ctx, cancel := context.WithCancel(context.Background()); _ = cancel; <-ctx.Done()", ""},
		{"device", "runtime.GC()", ""},
		{"Mutex", "mu.Lock()", "sync.(*Mutex).Lock"},
		{"WaitGroup", "wg.Wait()", "sync.(*WaitGroup).Wait"},
		{"Cond", "cond.L.Lock(); cond.Wait()", "sync.(*Cond).Wait"},
		{"network", "ln.Accept()", "net.(*TCPListener).Accept"},
		{"program", "exec.Command(\"sleep\", \"20\").Run()", "os/exec.(*Cmd).Wait"},
	}
	for _, tt := range thorough.Sample(cases, 3, 0) {
		t.Run(tt.name, func(t *testing.T) {
			if tt.left != "" {
				skipMarks(t)
			}
			e, started := interruptible(t)
			runCell(t, e, 1, before)
			defer runCell(t, e, 100, "quit.Store(true)\nclose(in)\nclose(pick)") // goroutines would keep the session
			out, took := interruptAfter(t, e, started, 2, "made := 7\nlist.New()\n"+tt.code+"\nmade = 8", tt.left)
			if out.Failure == nil || out.Failure.Name != "Interrupted" {
				t.Fatalf("%+v", out.Failure)
			}
			t.Log("ended after", took)
			if left := len(out.Failure.Notes) > 0; tt.left == "" {
				awaitStopped(e)
			} else if !left {
				t.Error("the cell was not left behind")
			}
			if f := out.Failure.Frames; len(f) == 0 || f[len(f)-1].Cell != "cell[2]" {
				t.Errorf("frames %v", f)
			}
			for _, c := range []struct{ code, want string }{
				{"made", "7 int"},
				{"add(1)", "42 int"},
				{"n", "42 int"},
				{"fib(10)", "55 int"},
				{"in <- 21; <-out", "42 int"},
				{"pick <- 6; <-out", "7 int"},
				{"quiet <- 3; <-out", "3 int"},
				{"a, b := ticks.Load(), busy.Load(); for ticks.Load() == a || busy.Load() == b { time.Sleep(time.Millisecond) }; true", "true bool"},
				{"<-asleep", "slept string"},
			} {
				if got := value(t, e, c.code); got != c.want {
					t.Errorf("afterwards %s is %s, want %s", c.code, got, c.want)
				}
			}
		})
	}
}

// TestGoroutinesOfAnInterruptedCell: what the cell itself has started lives on.
func TestGoroutinesOfAnInterruptedCell(t *testing.T) {
	for _, code := range []string{"go serve(1)", "go func() { serve(1) }()", "f := serve; go f(1)",
		"for k := range 1 { go func() { serve(k + 1) }() }"} {
		e, started := interruptible(t)
		runCell(t, e, 1, "in, out := make(chan int), make(chan int)\nfunc serve(k int) { for v := range in { out <- v + k } }")
		interruptAfter(t, e, started, 2, code+"\nlist.New()\nfor {}", "")
		if got := value(t, e, "in <- 1; <-out"); got != "2 int" {
			t.Errorf("%s: %s", code, got)
		}
	}
}

// TestInterruptRunsDeferredCalls: an interrupted cell unlocks what it has locked, and cannot recover.
func TestInterruptRunsDeferredCalls(t *testing.T) {
	for _, code := range []string{
		"mu.Lock()\ndefer mu.Unlock()\nlist.New()\nfor {}",
		"func() { mu.Lock(); defer mu.Unlock(); list.New(); select {} }()",
		"func() { defer func() { recover() }(); mu.Lock(); defer mu.Unlock(); list.New(); for {} }()\nrecovered = true",
		"sort.Slice([]int{1, 2}, func(i, j int) bool { mu.Lock(); defer mu.Unlock(); list.New(); for {}; return true })",
	} {
		e, started := interruptible(t)
		runCell(t, e, 1, "var mu sync.Mutex\nrecovered := false")
		if out, _ := interruptAfter(t, e, started, 2, code, ""); out.Failure == nil ||
			out.Failure.Name != "Interrupted" {
			t.Errorf("%s: %+v", code, out.Failure)
		}
		awaitStopped(e)
		if got := value(t, e, "mu.TryLock()"); got != "true bool" {
			t.Errorf("%s: the mutex is still locked", code)
		}
		if got := value(t, e, "recovered"); got != "false bool" {
			t.Errorf("%s: recovered", code)
		}
	}
}

// TestLeftBehind: a goroutine that an interrupt left in a compiled call does nothing more when the call returns, and
// the session tells what became of it.
func TestLeftBehind(t *testing.T) {
	thorough.Slow(t)
	skipMarks(t)
	e, _ := newEngine(t)
	runCell(t, e, 1, "mu := &sync.Mutex{}\nmu.Lock()\ndone, deferred := 0, false")
	ctx, begun := interruptedWhenBegun(t, e, "sync.(*Mutex).Lock")
	if o := e.Eval(ctx, 2, "defer func() { deferred = true }()\n"+begun+"\nmu.Lock()\ndone = 1\nfmt.Print()\ndone = 2"); o.Failure == nil || len(o.Failure.Notes) == 0 {
		t.Fatalf("%+v", o.Failure)
	}
	told := func(n int, code string) string { return strings.Join(runCell(t, e, n, code).Notes, "\n") }
	if notes := told(3, "1"); !strings.Contains(notes, "cell[2] is still blocked") {
		t.Errorf("the next cell tells %q", notes)
	}
	if notes := told(4, "1"); notes != "" {
		t.Errorf("the cell after it tells %q", notes)
	}
	runCell(t, e, 5, "mu.Unlock()")
	awaitStopped(e)
	if notes := told(6, "1"); !strings.Contains(notes, "cell[2]: the call that it was blocked in has returned") {
		t.Errorf("afterwards a cell tells %q", notes)
	}
	if got := value(t, e, "done"); got != "0 int" {
		t.Errorf("it went on: done is %s", got)
	}
	if got := value(t, e, "deferred"); got != "true bool" {
		t.Errorf("its deferred call has not run")
	}
}

// interruptedWhenBegun gives a context that is cancelled when a cell has run the statement begun and is blocked in a
// compiled function.
func interruptedWhenBegun(t *testing.T, e *Engine, in string) (ctx context.Context, begun string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	cell, ok := runCell(t, e, 999, "begun := make(chan int, 1)\nbegun").Values[0].V.(chan int)
	if !ok {
		t.Fatal("no channel")
	}
	go func() {
		<-cell
		awaitBlocked(in)
		cancel()
	}()
	return ctx, "begun <- 1"
}

// TestInterruptOften: a session takes any number of interrupts, at any time.
func TestInterruptOften(t *testing.T) {
	thorough.Slow(t)
	times := 40
	if thorough.On() {
		times = 400
	}
	e, _ := newEngine(t)
	runCell(t, e, 1, "n := new(atomic.Int64)\nc := make(chan int)\ngo func() { for v := range c { n.Add(int64(v)) } }()")
	for i := range times {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(i%40)*50*time.Microsecond, cancel)
		e.Eval(ctx, i+2, "func() { defer func() { recover() }(); for i := range 1000 { fmt.Sprint(i) }; for {} }()")
		cancel()
		runCell(t, e, i+2, "c <- 1")
	}
	if got := value(t, e, fmt.Sprintf("close(c); n.Load() >= %d", times-1)); got != "true bool" {
		t.Error(fmt.Sprint("n is ", value(t, e, "n.Load()")))
	}
	awaitStopped(e)
}
