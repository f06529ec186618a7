package golang

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/assist"
	"github.com/gorocm/gorocm/repl/golang/check"
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
	// Interrupt is called when a cell is interrupted, to end compiled calls that can be ended.
	Interrupt func()
	// Exit ends the process, for a call of os.Exit in a goroutine of compiled code, where a panic would not reach the session. Without it such a call
	// panics.
	Exit func(code int)
	// Programs follows the programs that cells start. It may be nil.
	Programs Programs
	// Wakes reports whether something outside the program may wake a goroutine of a cell, such as a message of the front end.
	Wakes func() bool
	// Summary shows a variable's value in a line, for Inspect.
	Summary func(any) string
	// Holding tells what a value that is a pointer keeps in memory; false leaves that to the engine, which looks into plain values only.
	Holding func(any) (Holding, bool)
	// Input is the text of a cell.
	Input func(n int) (text string, ok bool)
	// Describe names an error that a cell failed with and returns its message and notes; false leaves that to the engine.
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

	running sync.Mutex // held while a cell runs

	defined   []string                 // variables since Defined was called
	freeSlots map[string][]*check.Slot // of results, to use again, by type
	pending   []*modules.Checked       // packages that are not initialised yet
}

// New starts an interpreter.
func New(opt Options) (*Engine, error) {
	lib, err := library.New()
	if err != nil {
		return nil, err
	}
	e := &Engine{opt: opt, scope: check.NewScope(lib, opt.Modules, opt.Input), freeSlots: map[string][]*check.Slot{}}
	e.assist = &assist.Assistant{Scope: e.scope}
	e.rt = run.New(e.scope, run.Options{
		Stdout: opt.Stdout, Stderr: opt.Stderr, Interrupt: opt.Interrupt, Exit: opt.Exit, Programs: opt.Programs, Wakes: opt.Wakes, Describe: opt.Describe,
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

// Value is one shown value with its static type.
type Value struct {
	V    any
	Type string
}

// Outcome is how a cell ended.
type Outcome struct {
	Values  []Value
	Failure *check.Failure
	Exit    *int     // the cell called os.Exit
	Notes   []string // what the session has to tell, such as functions that no longer compile
}

// Eval runs a cell. Cancelling ctx interrupts it.
func (e *Engine) Eval(ctx context.Context, n int, src string) Outcome {
	return e.EvalNamed(ctx, check.CellLabel(n), src)
}

// EvalNamed runs a cell under the name that its errors give as its place.
func (e *Engine) EvalNamed(ctx context.Context, name, src string) (out Outcome) {
	return e.evalCell(ctx, name, src, true)
}

// Late tells what has become, since the last cell has ended, of goroutines that cells have started: the first one that has panicked
// or called os.Exit. It is to be called before a cell, which ends otherwise when it begins.
func (e *Engine) Late() (out Outcome) {
	e.running.Lock()
	defer e.running.Unlock()
	if out.Failure = e.rt.TakeGoFailure(); out.Failure != nil && out.Failure.Name == check.ExitName {
		out.Exit, out.Failure = check.ExitCode(out.Failure), nil
	}
	return out
}

// Expr evaluates an expression. It leaves _ and every other name of the session as they are.
func (e *Engine) Expr(ctx context.Context, name, src string) Outcome {
	if _, err := parser.ParseExpr(src); err != nil {
		return Outcome{Failure: &check.Failure{Name: "SyntaxError", Message: "not an expression: " + strings.TrimPrefix(check.FirstLine(err.Error()), "1:")}}
	}
	return e.evalCell(ctx, name, src, false)
}

func (e *Engine) evalCell(ctx context.Context, name, src string, keep bool) (out Outcome) {
	e.running.Lock()
	defer e.running.Unlock()
	defer func() {
		// A bug in checking or lowering must not take the session along.
		if r := recover(); r != nil {
			out.Failure = &check.Failure{Name: "InternalError", Message: fmt.Sprint(r), Trace: check.Stack(), Notes: []string{"this is a bug in gorocm: please report it with the cell"}}
		}
	}()
	if f := e.importCell(ctx, name, src); f != nil {
		return Outcome{Failure: f}
	}
	e.scope.Results.Begin(check.CellNumber(name))
	ck, lw, out := e.compile(name, src, keep)
	if ck != nil {
		defer func() { e.unplace(ck, out.Failure == nil) }()
	}
	if out.Failure != nil {
		return out
	}
	out.Notes = append(e.rt.Leftovers(), out.Notes...)
	if lw.First != "" {
		if f := e.rt.CallPlain(lw.First); f != nil {
			out.Failure = f
			return out
		}
	}
	e.rt.TakeShown()
	limit := token.Pos(1 << 60)
	if lw.Run != "" {
		f := e.rt.Run(ctx, lw.Run, lw.Mark)
		if f != nil {
			out.Failure = f
			if f.Name == check.ExitName {
				out.Exit, out.Failure = check.ExitCode(f), nil
			}
			limit = e.reached(ck, lw)
		}
	}
	e.commitVars(ck, lw, limit)
	shown := e.rt.TakeShown()
	if out.Failure == nil && out.Exit == nil {
		for i, v := range shown {
			val := Value{V: run.Plain(v)}
			if i < len(lw.Types) {
				val.Type = check.Display(lw.Types[i])
			}
			out.Values = append(out.Values, val)
		}
	}
	return out
}

// compile checks and lowers a cell, gives it to yaegi, and binds what it declares.
func (e *Engine) compile(name, src string, keep bool) (ck *check.Checked, lw *lower.Code, out Outcome) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	e.scope.Sources[name] = strings.Split(src, "\n")
	c, ps := e.scope.Parse(name, src)
	if len(ps) > 0 {
		return nil, nil, Outcome{Failure: e.scope.Failure(ps)}
	}
	e.scope.Arrange(c)
	ck, out.Notes, ps = e.check(c)
	if len(ps) > 0 {
		return nil, nil, Outcome{Failure: e.scope.Failure(ps)}
	}
	ck.KeepsLast = keep
	for _, m := range ck.Phantom {
		delete(e.scope.Phantom, m)
		e.state.Grown(check.ReceiverType(m))
	}
	e.place(ck)
	lw, l := e.state.Lower(ck)
	e.hold(ck, l)
	if out.Failure = e.state.Load(l, lw); out.Failure == nil {
		e.state.CommitDecls(ck, l)
		return ck, lw, out
	}
	for _, m := range ck.Phantom {
		e.scope.Phantom[m] = true
		e.state.Grown(check.ReceiverType(m))
	}
	return ck, lw, out
}

// check checks a cell. Declarations of older cells that use a name which changes are checked again with it.
func (e *Engine) check(c *check.Cell) (*check.Checked, []string, []check.Problem) {
	ck, notes, ps := e.scope.Check(c)
	if len(ps) == 0 {
		notes = append(notes, e.state.Follow(ck)...)
	}
	return ck, notes, ps
}
