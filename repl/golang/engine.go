package golang

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/assist"
	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/modules"
	"github.com/traefik/yaegi/interp"
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

	in     *interp.Interpreter
	stdout io.Writer
	stderr io.Writer
	files  [2]*os.File // the process's standard output and error, as they were

	running sync.Mutex // held while a cell runs

	code     methodSlots
	generics map[*types.Func]*check.Function
	defined  []string // variables since Defined was called

	// yaegi's side of the session.
	names      map[types.Object]string
	slots      map[types.Object]*check.Slot
	freeSlots  map[string][]*check.Slot // of results, to use again, by type
	forwards   map[string]*forward
	versions   map[string]int
	older      map[*types.Func][]string // the current function to the names of every version of the same type
	made       map[string]string
	imported   map[string]string       // import path to alias
	boxed      map[string]reflect.Type // the types that the assertions in made ask for
	boxes      map[string]*box         // by type
	unexported map[string]reflect.Type // types of compiled packages
	typeSyms   map[reflect.Type]string
	retypes    map[[2]reflect.Type]string
	converts   map[[2]reflect.Type]string
	printed    map[string]bool // types whose methods yaegi has
	instances  *types.Context
	cellMark   *mark
	lasts      map[string]*types.Var
	keys       map[types.Object]int
	srcs       map[string]*sourcePackage
	pending    []*modules.Checked // packages that are not initialised yet

	packageFiles sync.Map // of packages from source: the name of a file to the package's path
	origins      sync.Map // of cells of scripts: the cell's name to its place in a file
	helpers      sync.Map // names of functions that tests have marked as helpers
	logDepths    sync.Map // of goroutines that call a logger's Output: which of their callers it is to name
	serial       int
	passing      []string // symbols for yaegi that no later code mentions: see instrument
	chunks       chunks   // what yaegi was given, for the places of panics

	shown      []any
	stops      stops
	memory     uint64 // that the session's values may take
	cancel     atomic.Pointer[context.CancelCauseFunc]
	trails     trails
	unwinding  unwinding
	wakers     wakers
	goMu       sync.Mutex
	goFailures []*check.Failure
	goFailed   chan struct{}
}

// New starts an interpreter.
func New(opt Options) (*Engine, error) {
	lib, err := library.New()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		opt: opt, scope: check.NewScope(lib, opt.Modules, opt.Input), stdout: opt.Stdout, stderr: opt.Stderr, generics: map[*types.Func]*check.Function{},
		slots: map[types.Object]*check.Slot{}, freeSlots: map[string][]*check.Slot{}, forwards: map[string]*forward{}, boxed: map[string]reflect.Type{}, boxes: map[string]*box{},
		unexported: map[string]reflect.Type{}, typeSyms: map[reflect.Type]string{}, retypes: map[[2]reflect.Type]string{},
		converts: map[[2]reflect.Type]string{}, printed: map[string]bool{}, instances: types.NewContext(), names: map[types.Object]string{},
		versions: map[string]int{}, older: map[*types.Func][]string{}, made: map[string]string{}, imported: map[string]string{},
		lasts: map[string]*types.Var{}, keys: map[types.Object]int{}, srcs: map[string]*sourcePackage{}, goFailed: make(chan struct{}, 1),
	}
	e.assist = &assist.Assistant{Scope: e.scope}
	if e.stdout == nil {
		e.stdout = io.Discard
	}
	if e.stderr == nil {
		e.stderr = io.Discard
	}
	e.code.keys = map[string]*methodFunc{}
	e.newWorld()
	e.files = [2]*os.File{os.Stdout, os.Stderr}
	e.in = interp.New(interp.Options{Stdout: standardOut{e}, Stderr: standardErr{e}, Unrestricted: true})
	e.takeLog()
	if err := e.symbols(opt.Symbols); err != nil {
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
	e.newCellMark()
	if err := e.start(); err != nil {
		return nil, err
	}
	return e, nil
}

// alias is the name of a package inside yaegi, which no variable of a cell can hide.
func (e *Engine) alias(importPath, name string) string {
	if a, ok := e.imported[importPath]; ok {
		return a
	}
	a := name + tick
	for _, other := range e.imported {
		if other == a {
			a = strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(importPath) + tick
		}
	}
	return a
}

// objectKey tells two objects of the same name apart.
func (e *Engine) objectKey(o types.Object) string {
	if _, ok := e.keys[o]; !ok {
		e.keys[o] = len(e.keys) + 1
	}
	return o.Name() + "#" + strconv.Itoa(e.keys[o])
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
	if out.Failure = e.pendingGoFailure(); out.Failure != nil && out.Failure.Name == check.ExitName {
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
	out.Notes = append(e.leftovers(), out.Notes...)
	if lw.first != "" {
		if f := e.callPlain(lw.first); f != nil {
			out.Failure = f
			return out
		}
	}
	e.shown = nil
	limit := token.Pos(1 << 60)
	if lw.run != "" {
		f := e.run(ctx, lw)
		if f != nil {
			out.Failure = f
			if f.Name == check.ExitName {
				out.Exit, out.Failure = check.ExitCode(f), nil
			}
			limit = e.reached(ck, lw)
		}
	}
	e.commitVars(ck, lw, limit)
	if out.Failure == nil && out.Exit == nil {
		for i, v := range e.shown {
			val := Value{V: plain(v)}
			if i < len(lw.types) {
				val.Type = check.Display(lw.types[i])
			}
			out.Values = append(out.Values, val)
		}
	}
	e.shown = nil
	return out
}

// compile checks and lowers a cell, gives it to yaegi, and binds what it declares.
func (e *Engine) compile(name, src string, keep bool) (ck *check.Checked, lw *lowered, out Outcome) {
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
		e.grown(check.ReceiverType(m))
	}
	e.place(ck)
	lw, l := e.lower(ck)
	e.hold(ck, l)
	if out.Failure = e.load(l, lw); out.Failure == nil {
		e.commitDecls(ck, l)
		return ck, lw, out
	}
	for _, m := range ck.Phantom {
		e.scope.Phantom[m] = true
		e.grown(check.ReceiverType(m))
	}
	return ck, lw, out
}

// load gives yaegi the lowered declarations.
func (e *Engine) load(l *lowerer, lw *lowered) *check.Failure {
	for p := range l.need {
		if _, ok := e.imported[p]; !ok {
			a := l.aliases[p]
			if _, err := e.declare("import " + a + " " + strconv.Quote(p)); err != nil {
				return e.internal(err, "import "+p)
			}
			e.imported[p] = a
		}
	}
	if lw.code == "" {
		return nil
	}
	file, err := e.declare(lw.code)
	if err != nil {
		return e.internal(err, lw.code)
	}
	e.instrument()
	e.locate(file, l)
	for o, n := range l.names {
		e.names[o] = n
	}
	for o, s := range l.slots {
		e.slots[o] = s
	}
	for k, n := range l.made {
		e.made[k] = n
	}
	for k := range l.reached {
		e.printed[k] = true
	}
	return nil
}

// declare gives declarations to yaegi, and returns them with the places that yaegi knows them by.
func (e *Engine) declare(code string) (*ast.File, error) {
	// The file name is yaegi's own: imports belong to a file.
	f, err := parser.ParseFile(e.in.FileSet(), interp.DefaultSourceName, "package main;"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	_, err = e.execute(f)
	return f, err
}

// valueOf is what yaegi makes of an expression.
func (e *Engine) valueOf(code string) (reflect.Value, error) {
	fset := e.in.FileSet()
	x, err := parser.ParseExprFrom(fset, interp.DefaultSourceName, code, parser.SkipObjectResolution)
	if err != nil {
		return reflect.Value{}, err
	}
	defer fset.RemoveFile(fset.File(x.Pos())) // nothing will ask for its position
	return e.execute(&ast.BlockStmt{Lbrace: x.Pos(), List: []ast.Stmt{&ast.ExprStmt{X: x}}, Rbrace: x.End()})
}

// execute gives a tree to yaegi, which panics over some code that it cannot compile.
func (e *Engine) execute(n ast.Node) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	p, err := e.in.CompileAST(n)
	if err != nil {
		return v, err
	}
	machine.Hasten(p, e.checkAlloc)
	machine.Grow(e.in)
	return e.in.Execute(p)
}

func (e *Engine) internal(err error, code string) *check.Failure {
	return &check.Failure{Name: "Unsupported", Message: "the interpreter does not run this: " + check.FirstLine(err.Error()), Trace: err.Error() + "\n\n" + code,
		Notes: []string{"the cell is valid Go; %trace shows what the interpreter was given"}}
}

// check checks a cell. Declarations of older cells that use a name which changes are checked again with it.
func (e *Engine) check(c *check.Cell) (*check.Checked, []string, []check.Problem) {
	ck, notes, ps := e.scope.Check(c)
	if len(ps) == 0 {
		notes = append(notes, e.follow(ck)...)
	}
	return ck, notes, ps
}
