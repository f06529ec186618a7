package golang

import (
	"fmt"
	"go/types"
	"io"
	"os"
	"reflect"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/assist"
	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/included"
	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/golang/lower"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
	"github.com/gorocm/gorocm/repl/modules"
)

// Options configure an engine.
type Options struct {
	// Stdout and Stderr take what cells write to os.Stdout and os.Stderr. Nil discards it.
	Stdout, Stderr io.Writer
	// Symbols are further compiled packages, as yaegi's Use takes them: "path/name" to symbol to value. Their types and
	// docs must be in the embedded library.
	Symbols map[string]map[string]reflect.Value
	// Dots are packages whose exported names cells see without a qualifier.
	Dots []string
	// Prefer maps package names to the import paths that they stand for without an import, before any other choice.
	Prefer map[string]string
	// Modules is the folder of the module that third-party packages are added to; without one there are none.
	Modules string
	// Elsewhere is asked before packages of modules are imported, by import path: whether the session goes on in
	// another program. The cell then ends, with nothing done. It may be nil.
	Elsewhere func(paths []string) bool
	// Imported is told of packages of modules that a cell has imported, or that cannot be interpreted; what it returns
	// becomes a note of that error. It may be nil.
	Imported func(Imported) (note string)
	// Interrupt is called when a cell is interrupted, to end compiled calls that can be ended.
	Interrupt func()
	// Exit ends the process, for a call of os.Exit in a goroutine of compiled code, where a panic would not reach the
	// session. Without it such a call panics.
	Exit func(code int)
	// GoPanic is called when a goroutine that a cell has started panics while no cell runs, on that goroutine. Without
	// it the failure waits for Late.
	GoPanic func(*Failure)
	// Programs follows the programs that cells start. It may be nil.
	Programs Programs
	// Wakes reports whether something outside the program may wake a goroutine of a cell, such as a message of the
	// front end.
	Wakes func() bool
	// Signals are those that do not end the process, even if a cell calls signal.Reset.
	Signals []os.Signal
	// Summary shows a variable's value in a line, for Inspect.
	Summary func(any) string
	// Holding tells what a value that is a pointer keeps in memory; false leaves that to the engine, which looks into
	// plain values only.
	Holding func(any) (Holding, bool)
	// Input is the text of a cell.
	Input func(n int) (text string, ok bool)
	// Describe names an error that a cell failed with and returns its message and notes; false leaves that to the
	// engine.
	Describe func(error) (name, message string, notes []string, ok bool)
}

// Engine is an interpreter with the session that its cells build up. Eval runs one cell at a time; the other methods
// may be called at any time.
type Engine struct {
	opt    Options
	scope  *check.Scope
	assist *assist.Assistant
	state  *lower.State
	rt     *run.Runtime

	running  sync.Mutex // held while a cell runs
	unvetted bool       // cells get no notes of go vet's

	defined   []string // variables since Defined was called
	instances map[*types.Var]instanceVar
	freeSlots map[string][]*check.Slot // of results, to use again, by type
	pending   []*modules.Checked       // packages that are not initialised yet
}

// New starts an interpreter.
func New(opt Options) (*Engine, error) {
	lib, err := library.New(included.Archive)
	if err != nil {
		return nil, err
	}
	e := &Engine{opt: opt, scope: check.NewScope(lib, opt.Modules, opt.Input), freeSlots: map[string][]*check.Slot{},
		instances: map[*types.Var]instanceVar{}}
	e.assist = &assist.Assistant{Scope: e.scope}
	e.rt = run.New(e.scope, run.Options{
		Stdout: opt.Stdout, Stderr: opt.Stderr, Interrupt: opt.Interrupt, Exit: opt.Exit, Programs: opt.Programs,
		GoPanic: opt.GoPanic,
		Wakes:   opt.Wakes, Signals: opt.Signals, Describe: opt.Describe,
	})
	e.state = lower.New(e.scope, e.rt)
	if err := e.rt.UseSymbols(opt.Symbols); err != nil {
		return nil, fmt.Errorf("golang: %w", err)
	}
	lib.Without(func(pkg string) bool { return e.scope.Compiled[pkg] == nil })
	e.scope.AutoImports = lib.ByName()
	for name, p := range opt.Prefer {
		e.scope.AutoImports[name] = p
	}
	for _, p := range opt.Dots {
		if err := e.scope.DotImport(p); err != nil {
			return nil, err
		}
	}
	if err := e.scope.DeclareWrappers(); err != nil {
		return nil, err
	}
	if err := rtype.Check(); err != nil {
		return nil, fmt.Errorf("golang: %w", err)
	}
	if err := e.rt.Start(); err != nil {
		return nil, err
	}
	return e, nil
}

// Failure is why a cell did not run to its end, and Frame a place in a cell.
type (
	Failure = check.Failure
	Frame   = check.Frame
)
