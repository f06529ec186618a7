package run

import (
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/debug"
	"github.com/gorocm/gorocm/repl/golang/machine"
)

// newDebugger makes the debugger of a session's goroutines.
func newDebugger(rt *Runtime) *debug.Debugger {
	return debug.New(debug.Runtime{
		Goroutine: func() uintptr {
			g, _ := goroutine()
			return g
		},
		Main: func(g uintptr) bool {
			r := rt.stops.cell.Load()
			return r != nil && r.g.Load() == g
		},
		Wait: func(done <-chan struct{}) {
			g, _ := goroutine()
			select {
			case <-done:
			case <-rt.stops.waking(g):
				rt.stops.woken(g)
				panic(interrupted{})
			}
		},
	})
}

// withFrames lets the debugger know of the calls of a function with hooks. It is not inlined: see isFramed.
//
//go:noinline
func withFrames(rt *Runtime, body machine.Step) machine.Step {
	return func(f *machine.Frame) machine.Step {
		if f.Debug != nil { // a loop that the function begins with has come back to the node
			return body(f)
		}
		defer rt.Debugger.Begin()()
		return body(f)
	}
}

// isFramed reports whether an exec is one that withFrames has made, as isGuard does of guard's.
func isFramed(x machine.Step) bool { return **(**uintptr)(unsafe.Pointer(&x)) == framedCode }

var framedCode = func() uintptr {
	x := withFrames(new(Runtime), nil)
	return **(**uintptr)(unsafe.Pointer(&x))
}()

// panicking tells the debugger of a panic that leaves its first function.
func panicking(rt *Runtime, v any) {
	switch Unwrap(v).(type) {
	case interrupted, exited:
		return
	}
	rt.Debugger.Panicking(Unwrap(v), func() string {
		f := rt.panicFailure(v, "", &panicTrace{})
		return f.Name + ": " + f.Message
	})
}

// Beside calls a function of lowered code on a goroutine of its own, beside a cell that is stopped, waits for it, and
// returns what it has shown. Closing stop ends it.
func Beside(rt *Runtime, fn string, stop <-chan struct{}) (shown []any, failure *check.Failure) {
	mark, before := *rt.cellMark.Value, rt.TakeShown()
	failure = runBeside(rt, fn, stop)
	shown = rt.TakeShown()
	*rt.cellMark.Value, rt.shown = mark, before
	return shown, failure
}

func runBeside(rt *Runtime, fn string, stop <-chan struct{}) *check.Failure {
	f, err := rt.function(fn)
	if err != nil {
		return rt.Unsupported(err, fn)
	}
	r := newRunner("the debugger")
	machine.Enter()
	go func() {
		defer close(r.done)
		defer machine.Leave()
		g, _ := goroutine()
		r.g.Store(g)
		close(r.ready)
		defer rt.stops.end(r)
		r.err = errGoexit
		rt.Debugger.Evaluate(func() { r.err = protect(f) })
	}()
	select {
	case <-r.done:
	case <-stop:
		<-r.ready
		rt.stops.add(r)
		select {
		case <-r.done:
		case <-time.After(StopTimeout + deferTimeout):
			return &check.Failure{Name: "Interrupted", Message: "the evaluation waits for something that does not come; " +
				"its goroutine is left behind"}
		}
	}
	if t := rt.panics.take(r.g.Load(), nil); r.err != nil {
		return rt.ended(r.err, t)
	}
	return nil
}
