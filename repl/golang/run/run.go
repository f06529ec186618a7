package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
)

// patience is how long an interrupted cell may take to end before it is left behind.
var Patience = 250 * time.Millisecond // tests give it more

// start makes the interpreter ready for cells.
func (e *Runtime) Start() error {
	err := machine.Check()
	if err != nil {
		return fmt.Errorf("golang: this is not the yaegi that the session was made for (v0.16.1): %w", err)
	}
	if e.Memory, err = limit(); err != nil {
		return fmt.Errorf("golang: %w", err)
	}
	e.newCellMark()
	e.stops.init(e)
	if err := e.interp.Use(e.limited()); err != nil {
		return fmt.Errorf("golang: %w", err)
	}
	for name, path := range map[string]string{RuntimePkg: "gorocm/session", cellPkg: cellPath} {
		// With a context, yaegi makes channel operations that can be ended from now on.
		if _, err := e.interp.EvalWithContext(context.Background(), "import "+name+" "+strconv.Quote(path)); err != nil {
			return fmt.Errorf("golang: %w", err)
		}
	}
	return e.selfTest()
}

// callPlain calls a function that lowering has made and that cannot block.
func (e *Runtime) CallPlain(fn string) *check.Failure {
	f, err := e.function(fn)
	if err == nil {
		err = protect(f)
	}
	if err != nil {
		return e.Unsupported(err, fn)
	}
	return nil
}

// Interrupt stops the running cell, if one runs.
func (e *Runtime) Interrupt() {
	if c := e.cancel.Load(); c != nil {
		(*c)(context.Canceled)
	}
}

// run calls the function that holds a cell's statements. m is where the cell is, nil when that is not known.
func (e *Runtime) Run(outer context.Context, fn string, m *Mark) *check.Failure {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	e.cancel.Store(&cancel)
	defer e.cancel.Store(nil)
	f, err := e.function(fn)
	if err != nil {
		return e.Unsupported(err, fn)
	}
	r := newRunner(m.name())
	unwatch := e.watchMemory(r, cancel)
	defer unwatch()
	go func() { // it inherits the profiler's labels, by which a worker knows whose output something is
		defer close(r.done)
		e.stops.begin(r)
		defer e.stops.end(r) // while the goroutine still has its number
		r.err = errGoexit    // unless f returns, or panics
		r.err = protect(f)
	}()

	var goFailure *check.Failure
	select {
	case <-r.done:
		if outer.Err() != nil { // the cell can have been told so, by what it waited for, a moment before ctx
			<-ctx.Done()
		}
	case <-ctx.Done():
	case <-e.goFailed:
		goFailure = e.TakeGoFailure()
		cancel(context.Canceled)
	}
	ended := true
	if ctx.Err() != nil {
		ended = e.stop(r)
	}
	return e.outcome(ctx, m, r, ended, goFailure)
}

// outcome makes a failure of how a cell's goroutine has ended, nil of success.
func (e *Runtime) outcome(ctx context.Context, m *Mark, r *runner, ended bool, goFailure *check.Failure) (f *check.Failure) {
	var memory *memoryError
	var asleep *deadlock
	t := &trail{}
	if ended {
		t = e.trails.take(r.g, nil)
	}
	switch cause := context.Cause(ctx); {
	case goFailure != nil:
		return goFailure
	case r.overflow.Load():
		f = overflowFailure()
	case cause == nil:
		f = e.ended(r.err, t)
		if errors.Is(r.err, errGoexit) {
			f.Frames = e.where(m)
		}
		if f != nil && errors.As(panicValue(r.err), &memory) {
			f.Notes = append(append(f.Notes, memoryNote(memory.limit)), e.reclaim()...)
		}
		return f
	case errors.As(cause, &memory):
		f = memory.failure()
		if ended {
			f.Notes = append(f.Notes, e.reclaim()...)
		}
	case errors.As(cause, &asleep):
		f = e.deadlocked(asleep, r)
	default:
		f = &check.Failure{Name: "Interrupted", Message: "the cell was interrupted"}
	}
	if frames := e.frames(t.places); len(frames) > 0 {
		f.Frames = frames
	}
	if len(f.Frames) == 0 {
		f.Frames = e.where(m)
	}
	if !ended {
		f.Notes = append(f.Notes, "a compiled call goes on in the background; its goroutine ends when the call returns")
	}
	return f
}

// function gives the Go function of one that lowering has made. What calls it needs nothing of yaegi that other goroutines
// use.
func (e *Runtime) function(name string) (func(), error) {
	defer e.Forget(name)
	e.Instrument()
	v, err := e.valueOf(name)
	if err != nil {
		return nil, err
	}
	f, ok := v.Interface().(func())
	if !ok {
		return nil, fmt.Errorf("yaegi gave a %s for the function %s", v.Type(), name)
	}
	return f, nil
}

// protect calls f and returns its panic as yaegi would.
func protect(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = interp.Panic{Value: r, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}

// stop ends the cell's goroutine and reports whether it has ended. No other goroutine notices.
func (e *Runtime) stop(r *runner) bool {
	select {
	case <-r.done:
		return true // it ended by itself just now
	case <-r.ready:
	}
	e.stops.add(r)
	if e.opt.Interrupt != nil {
		e.opt.Interrupt()
	}
	select {
	case <-r.done:
		return true
	case <-time.After(Patience):
	}
	if r.noticed.Load() { // it runs deferred calls, or returns from deep down
		select {
		case <-r.done:
			return true
		case <-time.After(2 * grace):
		}
	}
	// It is inside a compiled call that cannot be woken. The session goes on without it.
	e.stops.leave(r)
	return false
}

func (e *Runtime) TakeGoFailure() *check.Failure {
	e.goMu.Lock()
	defer e.goMu.Unlock()
	select {
	case <-e.goFailed:
	default:
	}
	if len(e.goFailures) == 0 {
		return nil
	}
	f := e.goFailures[0]
	e.goFailures = nil
	return f
}

var errGoexit = errors.New("the goroutine was ended by runtime.Goexit")

// ended makes a failure of what a cell's call returned.
func (e *Runtime) ended(err error, t *trail) *check.Failure {
	if err == nil {
		if f := e.TakeGoFailure(); f != nil {
			return f
		}
		return nil
	}
	if errors.Is(err, errGoexit) {
		return &check.Failure{Name: "Goexit", Message: "the cell has called runtime.Goexit, which ends its goroutine"}
	}
	var p interp.Panic
	if !errors.As(err, &p) {
		return e.Unsupported(err, "")
	}
	return e.panicFailure(p.Value, string(p.Stack), t)
}

// panicRaw is what a cell's call has panicked with, if it did.
func panicRaw(err error) any {
	var p interp.Panic
	if errors.As(err, &p) {
		return p.Value
	}
	return nil
}

// panicValue is the error that a cell's call has panicked with, if it was one.
func panicValue(err error) error {
	if v := panicRaw(err); v != nil {
		err, _ = Plain(v).(error)
	}
	return err
}

// callPath is the package through which Call enters yaegi.
const callPath = "gorocm/call"

// Call runs f as Run runs a function of lowered code.
func (e *Runtime) Call(ctx context.Context, f func()) *check.Failure {
	use := func(f func()) error {
		return e.interp.Use(interp.Exports{callPath + "/call": {"Call": reflect.ValueOf(f)}})
	}
	if err := use(f); err != nil {
		return e.Unsupported(err, "")
	}
	defer use(func() {}) // f may hold what should be collected
	const alias = "call" + Tick
	if !e.called {
		if _, err := e.Declare("import " + alias + ` "` + callPath + `"`); err != nil {
			return e.Unsupported(err, "")
		}
		e.called = true
	}
	return e.Run(ctx, alias+".Call", nil)
}
