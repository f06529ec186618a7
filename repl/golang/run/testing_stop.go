package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
)

// Package testing runs a test in a goroutine of its own, waits for it, and has no way to end it. So what a cell has
// written runs in yet another goroutine, which can be stopped, or left behind in a call that nothing wakes: package
// testing then goes on, and ends. Once its tests have been stopped no other begins.

// tests stand in for what package testing finds out about its callers, and follow the tests that run.
type tests struct {
	*Traces
	rt      *Runtime
	helpers sync.Map // names of functions that tests have marked as helpers

	mu      sync.Mutex
	ctx     context.Context // of the tests that run, nil while none do
	list    []*runner       // in the order in which they have begun
	stopped time.Time       // when they were stopped
	fast    bool            // none is to begin after a failure
	failed  bool            // one of them has ended, and failed
}

// TestsTimedOut is why the context of tests is cancelled that have not ended in time.
type TestsTimedOut struct{ After time.Duration }

func (e TestsTimedOut) Error() string { return fmt.Sprintf("test timed out after %v", e.After) }

// CallTests is Call for a function that runs tests.
func CallTests(ctx context.Context, rt *Runtime, f func()) *check.Failure {
	ts := rt.tests
	begin := func(ctx context.Context) {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		ts.ctx, ts.list, ts.stopped, ts.fast, ts.failed = ctx, nil, time.Time{}, false, false
	}
	begin(ctx)
	defer begin(nil)
	return rt.Call(ctx, f)
}

// deadline is when the tests that run are to have ended.
func (ts *tests) deadline() (t time.Time, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.ctx == nil {
		return t, false
	}
	return ts.ctx.Deadline()
}

// cleanupTime is how long after a stop functions of t.Cleanup still begin.
const cleanupTime = 3 * deferTimeout

// enter has a goroutine among those that are to be stopped with the tests. It reports whether it is to run.
func (ts *tests) enter(r *runner, cleanup bool) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.stopped.IsZero() && (!cleanup || time.Since(ts.stopped) > cleanupTime) {
		return false
	}
	ts.list = append(ts.list, r)
	return true
}

func (ts *tests) leave(r *runner) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.list = slices.DeleteFunc(ts.list, func(x *runner) bool { return x == r })
}

// newest is the goroutine that has begun last of those that run: it waits for no other one. It is nil without any.
func (ts *tests) newest() *runner {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.list) == 0 {
		return nil
	}
	return ts.list[len(ts.list)-1]
}

// close has no other test begin, and lists the goroutines of those that run, if tests do.
func (ts *tests) close() (list []*runner, running bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.ctx == nil {
		return nil, false
	}
	ts.stopped = time.Now()
	return slices.Clone(ts.list), true
}

// stop ends the tests that run. done is closed when package testing has ended, too.
func (ts *tests) stop(done <-chan struct{}) {
	list, running := ts.close()
	waits, _ := machine.Waits()
	for _, r := range list {
		<-r.ready
		for _, w := range waits {
			if w.Goroutine == r.g.Load() && w.Interpreter == unsafe.Pointer(ts.rt.interp) {
				r.waits = []check.Frame{ts.waitFrame(w)}
			}
		}
		ts.rt.stops.add(r)
	}
	for running {
		r := ts.newest()
		if r == nil {
			select {
			case <-done:
			case <-time.After(StopTimeout):
				r = ts.newest()
			}
		}
		switch {
		case r == nil:
			return
		case !slices.Contains(list, r): // it cleans up
			select {
			case <-r.done:
			case <-time.After(deferTimeout):
			}
		}
		if !ts.rt.stop(r) {
			ts.leave(r)
			close(r.left)
		}
	}
}

// apart runs a function of a cell in a goroutine of its own, until it has ended or is left behind. It is nil where the
// tests were stopped before.
func (ts *tests) apart(name string, cleanup bool, f func()) *runner {
	r := newRunner(name)
	r.beside, r.left, r.err = true, make(chan struct{}), errLeft
	if !ts.enter(r, cleanup) {
		return nil
	}
	machine.Enter()
	ended := make(chan error, 1)
	go func() {
		defer close(r.done)
		defer machine.Leave()
		ts.rt.stops.beginBeside(r)
		defer ts.rt.stops.end(r)
		defer ts.leave(r)
		err := errGoexit
		defer func() { ended <- err }()
		if err = protect(f); err != nil {
			r.trace = ts.rt.panics.take(r.g.Load(), nil)
		}
	}()
	select {
	case err := <-ended:
		<-r.done
		r.err = err
	case <-r.left:
	}
	return r
}

var errLeft = errors.New("is blocked in a call that cannot be ended")

// why says why the tests were stopped.
func (ts *tests) why() string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var late TestsTimedOut
	if ts.ctx != nil && errors.As(context.Cause(ts.ctx), &late) {
		return late.Error()
	}
	return "interrupted"
}

// ending tells how a function of a cell has ended that has neither returned nor called runtime.Goexit.
func (ts *tests) ending(r *runner) string {
	var frames []check.Frame
	text := ts.why() + ": it " + errLeft.Error()
	if !errors.Is(r.err, errLeft) {
		f := ts.rt.ended(r.err, r.trace)
		text, frames = "panic: "+f.Message, f.Frames
	}
	switch {
	case r.overflow.Load():
		text = "panic: " + overflowText()
	case isInterrupted(Unwrap(panicRaw(r.err))):
		text = ts.why()
	}
	if len(frames) == 0 {
		frames = r.waits
	}
	for _, x := range frames {
		text += fmt.Sprintf("\n    %s:%d", x.Cell, x.Line)
	}
	return text
}

// guard runs a function of a test, which fails where that panics or is stopped.
func (ts *tests) guard(t testing.TB, f func()) {
	defer ts.ended(t)
	ts.run(t, false, f)
}

// ended notes a test that fails where package testing counts it: its parallel subtests still run.
func (ts *tests) ended(t testing.TB) {
	if _, benchmark := t.(*testing.B); benchmark || !t.Failed() {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.failed = true
}

// FailFast has no test begin, of those of CallTests, after one has failed.
func FailFast(rt *Runtime) {
	rt.tests.mu.Lock()
	defer rt.tests.mu.Unlock()
	rt.tests.fast = true
}

// FailedFast reports whether a test has failed since FailFast, and its function ended.
func FailedFast(rt *Runtime) bool { return rt.tests.failedFast() }

func (ts *tests) failedFast() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.fast && ts.failed
}

// guardCleanup does so with one that cleans up, and may begin after a stop.
func (ts *tests) guardCleanup(t testing.TB, f func()) { ts.run(t, true, f) }

func (ts *tests) run(t testing.TB, cleanup bool, f func()) {
	r := ts.apart(t.Name(), cleanup, f)
	switch {
	case r == nil:
		if fmt.Fprintln(t.Output(), ts.why()+" before it began"); !cleanup {
			t.SkipNow()
		}
	case r.err == nil:
	case !errors.Is(r.err, errGoexit):
		fmt.Fprintln(t.Output(), ts.ending(r))
		t.Fail()
	case finished(t):
		runtime.Goexit()
	default:
		fmt.Fprintln(t.Output(), "the test has called runtime.Goexit, which ends its goroutine")
		t.FailNow() // package testing takes what ends otherwise for a panic
	}
}

func (ts *tests) guardTest(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { ts.guard(t, func() { f(t) }) }
}

// guardBenchmark leaves the goroutine out of what is measured.
func (ts *tests) guardBenchmark(f func(*testing.B)) func(*testing.B) {
	return func(b *testing.B) {
		b.StopTimer()
		ts.guard(b, func() {
			b.StartTimer()
			f(b)
			b.StopTimer()
		})
	}
}

// GuardTest makes a test fail that panics or is stopped. Package testing runs it in a goroutine whose panics end the
// process.
func (rt *Runtime) GuardTest(f func(*testing.T)) func(*testing.T) { return rt.tests.guardTest(f) }

// GuardBenchmark does the same for a benchmark.
func (rt *Runtime) GuardBenchmark(f func(*testing.B)) func(*testing.B) {
	return rt.tests.guardBenchmark(f)
}

// GuardFuzz does the same for a fuzz test.
func GuardFuzz(rt *Runtime, f func(*testing.F)) func(*testing.F) {
	return func(t *testing.F) { rt.tests.guard(t, func() { f(t) }) }
}

// GuardExample has an example panic as it does, or because it is stopped.
func GuardExample(rt *Runtime, name string, f func()) func() {
	return func() {
		r := rt.tests.apart(name, false, f)
		switch {
		case r == nil, errors.Is(r.err, errLeft):
			panic(interrupted{})
		case errors.Is(r.err, errGoexit):
			runtime.Goexit()
		case r.err != nil:
			v := panicRaw(r.err)
			g, _ := goroutine()
			rt.panics.put(g, v, r.trace)
			panic(v)
		}
	}
}

// GuardMain has a TestMain return the status that it ends with: by os.Exit, or 2 where it panics or is stopped, which
// is told on w. ended is false where it returns, and the status is that of the tests.
func GuardMain(rt *Runtime, f func(*testing.M), w io.Writer) func(*testing.M) (code int, ended bool) {
	return func(m *testing.M) (code int, ended bool) {
		r := rt.tests.apart("TestMain", false, func() { f(m) })
		switch {
		case r == nil:
			return 2, true
		case r.err == nil:
			return 0, false
		case errors.Is(r.err, errGoexit):
			fmt.Fprintln(w, "TestMain has called runtime.Goexit, which ends its goroutine")
			return 2, true
		}
		if x, ok := Unwrap(panicRaw(r.err)).(exited); ok {
			return x.code, true
		}
		fmt.Fprintln(w, rt.tests.ending(r))
		return 2, true
	}
}
