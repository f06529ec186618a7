package golang

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// How long an interrupted cell may take to end before it is abandoned, and the stack that a cell may use: the
// runtime ends the process at 1 GB.
const (
	patience   = 60 * time.Millisecond
	stackLimit = 256 << 20
	stackEvery = 5 * time.Millisecond
)

var errStack = errors.New("stack overflow")

// privates are the fields of yaegi's Interpreter that interrupting needs: v0.16.1, the last release, has no other way
// to stop a cell that keeps the closures of earlier cells alive (yaegi #1686).
type privates struct {
	id   *uint64        // frames with another id stop
	done *chan struct{} // closing it ends channel operations
}

func (e *Engine) privates() privates {
	t := reflect.TypeFor[interp.Interpreter]()
	id, ok1 := t.FieldByName("id")
	done, ok2 := t.FieldByName("done")
	if !ok1 || !ok2 || id.Type.Kind() != reflect.Uint64 || done.Type != reflect.TypeFor[chan struct{}]() {
		panic("golang: this yaegi is not v0.16.1")
	}
	p := unsafe.Pointer(e.in)
	return privates{(*uint64)(unsafe.Add(p, id.Offset)), (*chan struct{})(unsafe.Add(p, done.Offset))}
}

// start makes channel operations of cells cancellable, and the flag that stops abandoned goroutines.
func (e *Engine) start() error {
	for _, code := range []string{"import " + runtimePkg + ` "gorocm/session"`, "var " + abandonedVar + " bool", "var " + cellMark + " int", "func bind" + tick + "() { " + runtimePkg + ".Bind(&" + abandonedVar + ") }", "bind" + tick + "()"} {
		if _, err := e.in.EvalWithContext(context.Background(), code); err != nil {
			return fmt.Errorf("golang: %s: %w", code, err)
		}
	}
	if e.abandonedFlag == nil {
		return errors.New("golang: yaegi did not run the start code")
	}
	e.privates()
	return nil
}

// callPlain calls a function that lowering has made and that cannot block.
func (e *Engine) callPlain(fn string) *Failure {
	if err := e.eval(fn + "()"); err != nil {
		return e.internal(err, fn)
	}
	return nil
}

// wake is closed when the running cell is interrupted.
func (e *Engine) wake() <-chan struct{} {
	e.wakeMu.Lock()
	defer e.wakeMu.Unlock()
	return e.wakeCh
}

// Interrupt stops the running cell, if one runs.
func (e *Engine) Interrupt() {
	if c := e.cancel.Load(); c != nil {
		(*c)(context.Canceled)
	}
}

// run calls the function that holds a cell's statements.
func (e *Engine) run(ctx context.Context, lw *lowered) *Failure {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.cancel.Store(&cancel)
	defer e.cancel.Store(nil)
	pr := e.privates()
	*pr.done = make(chan struct{})
	e.yerr.take()
	e.abandonedMu.Lock()
	if some := len(e.abandoned) > 0; *e.abandonedFlag != some {
		*e.abandonedFlag = some
	}
	e.abandonedMu.Unlock()

	var err error
	var id atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		id.Store(goroutineID())
		err = e.eval(lw.run + "()")
	}()
	stop := make(chan struct{})
	defer close(stop)
	go watchStack(stop, cancel)

	var goFailure *Failure
	select {
	case <-done:
	case <-ctx.Done():
	case <-e.goFailed:
		goFailure = e.pendingGoFailure()
		cancel(context.Canceled)
	}
	if ctx.Err() == nil {
		return e.ended(err)
	}
	ended := e.stop(pr, done, &id)
	switch {
	case goFailure != nil:
		return goFailure
	case errors.Is(context.Cause(ctx), errStack):
		f := &Failure{Name: "RuntimeError", Message: "stack overflow: the cell used more than " + strconv.Itoa(stackLimit>>20) + " MB of stack", Notes: []string{"a function that calls itself without an end?"}}
		f.Frames = e.where(lw)
		return f
	}
	f := &Failure{Name: "Interrupted", Message: "interrupted", Frames: e.where(lw)}
	if !ended {
		f.Notes = []string{"a compiled call goes on in the background; its goroutine ends when the call returns"}
	}
	return f
}

// stop ends the cell's goroutine and reports whether it did. Every other closure keeps working afterwards.
func (e *Engine) stop(pr privates, done chan struct{}, id *atomic.Int64) bool {
	select {
	case <-done:
		return true // it ended by itself just now
	default:
	}
	old := atomic.AddUint64(pr.id, 1) - 1
	close(*pr.done)
	e.wakeMu.Lock()
	close(e.wakeCh)
	e.wakeCh = make(chan struct{})
	e.wakeMu.Unlock()
	if e.opt.Interrupt != nil {
		e.opt.Interrupt()
	}
	defer func() {
		*pr.done = make(chan struct{})
		atomic.StoreUint64(pr.id, old)
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
	}
	// It is inside a compiled call that cannot be woken. The interpreter goes on without it; lowered code ends the
	// goroutine as soon as the call returns.
	g := id.Load()
	e.abandonedMu.Lock()
	e.abandoned[g] = true
	*e.abandonedFlag = true
	e.abandonedMu.Unlock()
	go func() {
		<-done
		e.abandonedMu.Lock()
		delete(e.abandoned, g) // the next cell takes the flag back
		e.abandonedMu.Unlock()
	}()
	return false
}

// abandonedStop ends an abandoned goroutine.
type abandonedStop struct{}

func (e *Engine) stopAbandoned() {
	e.abandonedMu.Lock()
	gone := e.abandoned[goroutineID()]
	e.abandonedMu.Unlock()
	if gone {
		panic(abandonedStop{})
	}
}

// watchStack interrupts a cell whose recursion does not end, before the runtime ends the process.
func watchStack(stop chan struct{}, cancel context.CancelCauseFunc) {
	t := time.NewTicker(stackEvery)
	defer t.Stop()
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	least := s[0].Value.Uint64() // an earlier cell's stack may not have been given back yet
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			metrics.Read(s)
			now := s[0].Value.Uint64()
			if least = min(least, now); now-least > stackLimit {
				cancel(errStack)
				return
			}
		}
	}
}

func stack() string { return string(debug.Stack()) }

func (e *Engine) pendingGoFailure() *Failure {
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

// ended makes a failure of what a cell's call returned.
func (e *Engine) ended(err error) *Failure {
	if err == nil {
		if f := e.pendingGoFailure(); f != nil {
			return f
		}
		return nil
	}
	var p interp.Panic
	if !errors.As(err, &p) {
		return e.internal(err, "")
	}
	return e.panicFailure(p.Value, string(p.Stack))
}
