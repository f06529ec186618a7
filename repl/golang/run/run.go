package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	godebug "runtime/debug"
	"strconv"
	"time"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/debug"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
)

// StopTimeout is how long an interrupted cell may take to end before it is left behind.
var StopTimeout = 250 * time.Millisecond // tests give it more

// Start makes the interpreter ready for cells.
func (rt *Runtime) Start() error {
	err := machine.Check()
	if err != nil {
		return fmt.Errorf("golang: this is not the yaegi that the session was made for (v0.16.1): %w", err)
	}
	if rt.Memory.Limit, err = limit(); err != nil {
		return fmt.Errorf("golang: %w", err)
	}
	rt.newCellMark()
	rt.stops.init(rt)
	if err := rt.interp.Use(rt.Memory.limited()); err != nil {
		return fmt.Errorf("golang: %w", err)
	}
	for name, path := range map[string]string{RuntimePkg: "gorocm/session", cellPkg: cellPath} {
		// With a context, yaegi makes channel operations that can be ended from now on.
		if _, err := rt.interp.EvalWithContext(context.Background(),
			"import "+name+" "+strconv.Quote(path)); err != nil {
			return fmt.Errorf("golang: %w", err)
		}
	}
	return rt.selfTest()
}

// CallPlain calls a function that lowering has made and that cannot block. It needs Scope.Mu.
func (rt *Runtime) CallPlain(fn string) *check.Failure {
	f, err := rt.compiled(fn)
	if err == nil {
		err = protect(f)
	}
	if err != nil {
		return rt.Unsupported(err, fn)
	}
	return nil
}

// Alone reports whether no goroutine of a cell runs beside the running cell.
func Alone() bool { return machine.Alone() }

// Interrupt stops the running cell, if one runs.
func (rt *Runtime) Interrupt() {
	if c := rt.cancel.Load(); c != nil {
		(*c)(context.Canceled)
	}
}

// Run calls the function that holds a cell's statements. m is where the cell is, nil when that is not known.
func (rt *Runtime) Run(outer context.Context, fn string, m *Mark) *check.Failure {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	rt.cancel.Store(&cancel)
	defer rt.cancel.Store(nil)
	f, err := rt.function(fn)
	if err != nil {
		return rt.Unsupported(err, fn)
	}
	r := newRunner(m.name())
	unwatch := rt.watchMemory(ctx, r, cancel)
	defer unwatch()
	go func() { // it inherits the profiler's labels, by which a worker knows whose output something is
		defer close(r.done)
		rt.stops.begin(r)
		defer rt.stops.end(r) // while the goroutine still has its number
		r.err = errGoexit     // unless f returns, or panics
		r.call(rt, f)
	}()

	var goFailure *check.Failure
	select {
	case <-r.done:
		if outer.Err() != nil { // the cell can have been told so, by what it waited for, a moment before ctx
			<-ctx.Done()
		}
	case <-ctx.Done():
	case <-rt.goFailed:
		goFailure = rt.TakeGoFailure()
		cancel(context.Canceled)
	}
	ended := true
	if ctx.Err() != nil {
		ended = rt.stop(r)
	}
	return rt.outcome(ctx, m, r, ended, goFailure)
}

// outcome makes a failure of how a cell's goroutine has ended, nil of success.
func (rt *Runtime) outcome(ctx context.Context, m *Mark, r *runner, ended bool,
	goFailure *check.Failure) (f *check.Failure) {
	var memory *memoryError
	var asleep *deadlock
	t := &panicTrace{}
	if ended && r.trace != nil {
		t = r.trace
	}
	switch cause := context.Cause(ctx); {
	case goFailure != nil:
		return goFailure
	case r.overflow.Load():
		f = overflowFailure()
	case cause == nil && r.beside && r.err == nil: // goroutines that have failed are the running cell's to tell
		return nil
	case cause == nil:
		f = rt.ended(r.err, t)
		if errors.Is(r.err, errGoexit) {
			f.Frames = rt.Traces.where(m)
		}
		if f != nil && errors.As(panicValue(r.err), &memory) {
			f.Notes = append(append(f.Notes, memoryNote(memory.limit)), rt.reclaim()...)
		}
		return f
	case errors.As(cause, &memory):
		f = memory.failure()
		if ended {
			f.Notes = append(f.Notes, rt.reclaim()...)
		}
	case errors.As(cause, &asleep):
		f = rt.deadlocked(asleep, r)
	default:
		f = check.InterruptedFailure()
	}
	if frames := rt.Traces.frames(t.points); len(frames) > 0 {
		f.Frames = frames
	}
	if len(f.Frames) == 0 {
		f.Frames = rt.Traces.where(m)
	}
	if r.storm.Load() != nil {
		f.Notes = append(f.Notes, stormNote)
	}
	if !ended {
		f.Notes = append(f.Notes, "a compiled call goes on in the background; its goroutine ends when the call returns")
	}
	return f
}

// function gives the Go function of one that lowering has made. What calls it needs nothing of yaegi that other
// goroutines use.
func (rt *Runtime) function(name string) (func(), error) {
	rt.scope.Mu.Lock()
	defer rt.scope.Mu.Unlock()
	return rt.compiled(name)
}

// compiled is function where Scope.Mu is held.
func (rt *Runtime) compiled(name string) (func(), error) {
	defer rt.Forget(name)
	rt.GuardFunctions()
	if rt.shells.Load() > 0 { // yaegi's own functions read what it writes while it compiles another cell
		if v := rt.FuncOf(name, reflect.TypeFor[func()]()); v.IsValid() {
			return v.Interface().(func()), nil
		}
	}
	v, err := rt.valueOf(name)
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
			err = interp.Panic{Value: r, Stack: godebug.Stack()}
		}
	}()
	f()
	return nil
}

// stop ends the cell's goroutine and reports whether it has ended. No other goroutine notices.
func (rt *Runtime) stop(r *runner) bool {
	select {
	case <-r.done: // by itself just now, or since the watcher has stopped it: what it has started goes on
		r.interruptOthers(rt)
		return true
	case <-r.ready:
	}
	rt.stops.add(r)
	if stopped := rt.Debugger.Stopped(); stopped != nil && !r.beside { // which may be another goroutine
		stopped.Resume(debug.Continue)
	}
	interrupt.Stop(r.id)
	r.interruptOthers(rt)
	if !r.beside {
		rt.tests.stop(r.done)
	}
	const steps = 10 // each is one of the scheduler's: on a busy machine the goroutine has its turns, too
	for range steps {
		select {
		case <-r.done:
			return true
		case <-time.After(StopTimeout / steps):
			interrupt.Stop(r.id) // it may have entered a compiled call since
		}
	}
	if r.noticed.Load() { // it runs deferred calls, or returns from deep down
		select {
		case <-r.done:
			return true
		case <-time.After(2 * deferTimeout):
		}
	}
	if r.outlast(rt) {
		return true
	}
	// It is inside a compiled call that cannot be woken. The session goes on without it.
	rt.stops.abandon(r)
	return false
}

// interruptOthers ends what devices and programs do for the running cell.
func (r *runner) interruptOthers(rt *Runtime) {
	if rt.opt.Interrupt != nil && !r.beside {
		rt.opt.Interrupt()
	}
}

func (rt *Runtime) TakeGoFailure() *check.Failure {
	rt.goMu.Lock()
	defer rt.goMu.Unlock()
	select {
	case <-rt.goFailed:
	default:
	}
	if len(rt.goFailures) == 0 {
		return nil
	}
	f := rt.goFailures[0]
	rt.goFailures = nil
	return f
}

var errGoexit = errors.New("the goroutine was ended by runtime.Goexit")

// ended makes a failure of what a cell's call returned.
func (rt *Runtime) ended(err error, t *panicTrace) *check.Failure {
	if err == nil {
		if f := rt.TakeGoFailure(); f != nil {
			return f
		}
		return nil
	}
	if errors.Is(err, errGoexit) {
		return &check.Failure{Name: "Goexit", Message: "the cell has called runtime.Goexit, which ends its goroutine"}
	}
	var p interp.Panic
	if !errors.As(err, &p) {
		return rt.Unsupported(err, "")
	}
	return rt.panicFailure(p.Value, string(p.Stack), t)
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
		err, _ = Unwrap(v).(error)
	}
	return err
}

// callPath is the package through which Call enters yaegi.
const callPath = "gorocm/call"

// Call runs f as Run runs a function of lowered code.
func (rt *Runtime) Call(ctx context.Context, f func()) *check.Failure {
	use := func(f func()) error {
		rt.scope.Mu.Lock()
		defer rt.scope.Mu.Unlock()
		return rt.interp.Use(interp.Exports{callPath + "/call": {"Call": reflect.ValueOf(f)}})
	}
	if err := use(f); err != nil {
		return rt.Unsupported(err, "")
	}
	defer use(func() {}) // f may hold what should be collected
	const alias = "call" + Tick
	if !rt.called {
		if err := rt.declareAlone("import " + alias + ` "` + callPath + `"`); err != nil {
			return rt.Unsupported(err, "")
		}
		rt.called = true
	}
	return rt.Run(ctx, alias+".Call", nil)
}
