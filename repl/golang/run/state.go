package run

import (
	"context"
	"io"
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/debug"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
	"github.com/traefik/yaegi/interp"
)

// RuntimeOptions are what a session gives to its cells. All but Stdout and Stderr may be nil.
type Options struct {
	// Stdout and Stderr take what cells write to os.Stdout and os.Stderr. Nil discards it.
	Stdout, Stderr io.Writer
	// Interrupt is called when a cell is interrupted, to end compiled calls that can be ended.
	Interrupt func()
	// Exit ends the process, for a call of os.Exit in a goroutine of compiled code, where a panic would not reach the
	// session. Without it such a call panics.
	Exit func(code int)
	// GoPanic is called when a goroutine that a cell has started panics while no cell runs.
	GoPanic func(*check.Failure)
	// Programs follows the programs that cells start.
	Programs Programs
	// Wakes reports whether something outside the program may wake a goroutine of a cell, such as a message of the
	// front end.
	Wakes func() bool
	// Signals are those that do not end the process, whatever cells reset.
	Signals []os.Signal
	// Describe names an error that a cell failed with and returns its message and notes; false leaves that to the
	// runtime.
	Describe func(error) (name, message string, notes []string, ok bool)
}

// Runtime runs lowered code.
type Runtime struct {
	opt    Options
	scope  *check.Scope // for the text of cells and for positions
	interp *interp.Interpreter

	output   *output
	Traces   *Traces
	exits    *exits
	logs     *logs
	commands *commands
	tests    *tests
	Memory   *Memory

	// What lowered code has been given.
	redirects map[string]*Redirect
	natives   map[string]*native.Proc // of functions that GuardFunctions has not seen yet
	host      native.Host
	cellMark  *Mark
	serial    int
	passing   []string     // symbols for yaegi that no later code mentions: see GuardFunctions
	shown     []any        // the values that the running cell has shown
	called    bool         // Call has made its package known
	shells    atomic.Int32 // beside the main one

	goroutines atomic.Int32 // that cells have started and that have not ended
	foreign    atomic.Bool  // others have run functions of cells

	profile    atomic.Pointer[Profile] // that is being taken
	Debugger   *debug.Debugger
	stops      stops
	cancel     atomic.Pointer[context.CancelCauseFunc]
	panics     panicTraces
	unwinding  unwinding
	wakers     wakers
	goMu       sync.Mutex
	goFailures []*check.Failure
	goFailed   chan struct{}
}

// newRuntime makes a runtime with an interpreter that has no symbols yet.
func New(scope *check.Scope, opt Options) *Runtime {
	e := &Runtime{opt: opt, scope: scope, redirects: map[string]*Redirect{},
		natives: map[string]*native.Proc{}, goFailed: make(chan struct{}, 1),
		Memory: &Memory{}}
	e.output = &output{stdout: opt.Stdout, stderr: opt.Stderr, files: [2]*os.File{os.Stdout, os.Stderr}}
	if e.output.stdout == nil {
		e.output.stdout = io.Discard
	}
	if e.output.stderr == nil {
		e.output.stderr = io.Discard
	}
	e.Traces = &Traces{scope: scope}
	scope.HoldPositions(e.Traces.hold)
	e.exits = &exits{process: opt.Exit}
	e.logs = &logs{output: e.output, Traces: e.Traces, exits: e.exits}
	e.commands = &commands{follow: opt.Programs}
	e.Debugger = newDebugger(e)
	e.tests = &tests{Traces: e.Traces, rt: e}
	e.interp = interp.New(interp.Options{Stdin: standardIn{}, Stdout: standardOut{e.output},
		Stderr: standardErr{e.output}, Unrestricted: true})
	e.logs.takeLog()
	e.host = newHost(e)
	return e
}

// AddPackageFile notes that a file is of a package from source: runtime.Caller names its functions with the path.
func (t *Traces) AddPackageFile(file, path string) { t.packageFiles.Store(file, path) }

// AddForward makes the function of a name one that a newer version can take the place of.
func (rt *Runtime) AddRedirect(name string) { rt.redirects[name] = &Redirect{} }

// DropForward ends that: no newer version will be told to it.
func (rt *Runtime) DropRedirect(name string) { delete(rt.redirects, name) }

// TakeShown returns the values that the running cell has shown, once.
func (rt *Runtime) TakeShown() []any {
	shown := rt.shown
	rt.shown = nil
	return shown
}

// FuncOf is a function of lowered code as a Go function of type t that machine has made fast, invalid where there is
// none.
func (rt *Runtime) FuncOf(name string, t reflect.Type) reflect.Value {
	return machine.Value(rt.interp, name, t)
}

// Stderr is where cells write what is not their output.
func (rt *Runtime) Stderr() io.Writer { return rt.output.stderr }
