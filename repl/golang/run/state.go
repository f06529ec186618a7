package run

import (
	"context"
	"io"
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
)

// RuntimeOptions are what a session gives to its cells. All but Stdout and Stderr may be nil.
type Options struct {
	// Stdout and Stderr take what cells write to os.Stdout and os.Stderr. Nil discards it.
	Stdout, Stderr io.Writer
	// Interrupt is called when a cell is interrupted, to end compiled calls that can be ended.
	Interrupt func()
	// Exit ends the process, for a call of os.Exit in a goroutine of compiled code, where a panic would not reach the session. Without it such a call
	// panics.
	Exit func(code int)
	// Programs follows the programs that cells start.
	Programs Programs
	// Wakes reports whether something outside the program may wake a goroutine of a cell, such as a message of the front end.
	Wakes func() bool
	// Describe names an error that a cell failed with and returns its message and notes; false leaves that to the runtime.
	Describe func(error) (name, message string, notes []string, ok bool)
}

// Runtime runs lowered code.
type Runtime struct {
	opt    Options
	scope  *check.Scope // for the text of cells and for positions
	interp *interp.Interpreter
	stdout io.Writer
	Stderr io.Writer
	files  [2]*os.File // the process's standard output and error, as they were

	// What lowered code has been given.
	forwards map[string]*Forward
	cellMark *Mark
	serial   int
	passing  []string // symbols for yaegi that no later code mentions: see instrument
	chunks   chunks   // for the places of panics
	shown    []any    // the values that the running cell has shown
	called   bool     // Call has made its package known

	packageFiles sync.Map // of packages from source: the name of a file to the package's path
	origins      sync.Map // of cells of scripts: the cell's name to its place in a file
	helpers      sync.Map // names of functions that tests have marked as helpers
	logDepths    sync.Map // of goroutines that call a logger's Output: which of their callers it is to name

	stops      stops
	Memory     uint64 // that the session's values may take
	cancel     atomic.Pointer[context.CancelCauseFunc]
	trails     trails
	unwinding  unwinding
	wakers     wakers
	goMu       sync.Mutex
	goFailures []*check.Failure
	goFailed   chan struct{}
}

// newRuntime makes a runtime with an interpreter that has no symbols yet.
func New(scope *check.Scope, opt Options) *Runtime {
	e := &Runtime{
		opt: opt, scope: scope, stdout: opt.Stdout, Stderr: opt.Stderr, files: [2]*os.File{os.Stdout, os.Stderr},
		forwards: map[string]*Forward{}, goFailed: make(chan struct{}, 1),
	}
	if e.stdout == nil {
		e.stdout = io.Discard
	}
	if e.Stderr == nil {
		e.Stderr = io.Discard
	}
	e.interp = interp.New(interp.Options{Stdout: standardOut{e}, Stderr: standardErr{e}, Unrestricted: true})
	e.takeLog()
	return e
}

// AddPackageFile notes that a file is of a package from source: runtime.Caller names its functions with the path.
func (e *Runtime) AddPackageFile(file, path string) { e.packageFiles.Store(file, path) }

// AddForward makes the function of a name one that a newer version can take the place of.
func (e *Runtime) AddForward(name string) { e.forwards[name] = &Forward{} }

// DropForward ends that: no newer version will be told to it.
func (e *Runtime) DropForward(name string) { delete(e.forwards, name) }

// TakeShown returns the values that the running cell has shown, once.
func (e *Runtime) TakeShown() []any {
	shown := e.shown
	e.shown = nil
	return shown
}

// MarkSymbol is what lowered code calls the mark of the running cell.
func (e *Runtime) MarkSymbol() string { return e.cellMark.Symbol }

// FuncOf is a function of lowered code as a Go function of type t that machine has made fast, invalid where there is none.
func (e *Runtime) FuncOf(name string, t reflect.Type) reflect.Value {
	return machine.Value(e.interp, name, t)
}
