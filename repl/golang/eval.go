package golang

import (
	"context"
	"go/parser"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower"
	"github.com/gorocm/gorocm/repl/golang/run"
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

// Late tells what has become, since the last cell has ended, of goroutines that cells have started: the first one that
// has panicked or called os.Exit. It is to be called before a cell, which ends otherwise when it begins.
func (e *Engine) Late(ctx context.Context) (out Outcome) {
	if !begin(ctx, e) {
		return Outcome{}
	}
	defer e.running.Unlock()
	if out.Failure = e.rt.TakeGoFailure(); out.Failure != nil && out.Failure.Name == check.ExitName {
		out.Exit, out.Failure = check.ExitCode(out.Failure), nil
	}
	return out
}

// Expr evaluates an expression. It leaves _ and every other name of the session as they are.
func (e *Engine) Expr(ctx context.Context, name, src string) Outcome {
	if _, err := parser.ParseExpr(src); err != nil {
		return Outcome{Failure: &check.Failure{Name: "SyntaxError",
			Message: "not an expression: " + strings.TrimPrefix(check.FirstLine(err.Error()), "1:")}}
	}
	return e.evalCell(ctx, name, src, false)
}

// prepared is a cell on its way to run, or the outcome of one that does not come to that.
type prepared struct {
	ck   *check.Checked
	code *lower.Code
	out  Outcome
	end  func() // is called when the cell has ended, with Mu not held
}

// evalCell takes a cell through its phases. keep says that _ becomes what it shows.
func (e *Engine) evalCell(ctx context.Context, name, src string, keep bool) (out Outcome) {
	defer func() { e.scope.Ended(name, src, out.Failure != nil) }()
	if !begin(ctx, e) {
		return Outcome{Failure: check.InterruptedFailure()}
	}
	c, left := unlessLeft(ctx, e, src, func(ctx context.Context) prepared {
		c := prepare(ctx, e, name, src, keep, false, e.importCell)
		ended := c.end
		c.end = func() { ended(); e.running.Unlock() }
		return c
	})
	if left != nil {
		return Outcome{Failure: left}
	}
	defer func() {
		if r := recover(); r != nil {
			out.Failure = failureOf(r)
		}
		c.out = out
		discard(e, c)
	}()
	if out = c.out; out.Failure != nil {
		return out
	}
	out.Notes = append(e.rt.AbandonedCells(), out.Notes...)
	e.execute(ctx, c.ck, c.code, &out)
	return out
}

// prepare takes a cell through all phases but the last. load brings the modules that it imports.
func prepare(ctx context.Context, e *Engine, name, src string, keep, beside bool,
	load func(context.Context, *check.Cell) *check.Failure) (p prepared) {
	p.end = func() {}
	defer func() {
		if r := recover(); r != nil { // a bug in checking or lowering must not take the session along
			p.out.Failure = failureOf(r)
		}
	}()
	c, f := e.parse(name, src)
	if f == nil {
		f = load(ctx, c)
	}
	if f != nil {
		p.out.Failure = f
		return p
	}
	p.end = count(e)
	p.ck, p.code, p.out = e.compile(ctx, c, keep, beside)
	return p
}

// discard lets go of what a cell has used, once it has ended.
func discard(e *Engine, c prepared) {
	if c.ck != nil {
		e.returnSlots(c.ck, c.out.Failure == nil)
	}
	c.end()
}

// failureOf is the failure of a panic in checking or lowering.
func failureOf(r any) *check.Failure {
	if _, ok := r.(check.Interrupted); ok {
		return check.InterruptedFailure()
	}
	return check.BugFailure(r)
}

// parse splits and parses a cell, once for all phases, and keeps its text for the places of errors.
func (e *Engine) parse(name, src string) (*check.Cell, *check.Failure) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	e.scope.Results.Begin(check.CellNumber(name))
	e.scope.Sources.Set(name, strings.Split(src, "\n"))
	c, problems := e.scope.Parse(name, src)
	if len(problems) > 0 {
		return nil, e.scope.Failure(problems)
	}
	return c, nil
}

// compile checks and lowers a cell, loads it, and binds what it declares. Nothing of the session has changed where it
// fails.
func (e *Engine) compile(
	ctx context.Context, c *check.Cell, keep, beside bool,
) (ck *check.Checked, code *lower.Code, out Outcome) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	defer check.Interruptible(e.scope, ctx)()
	given := false
	defer func() {
		if given && code == nil { // lowering has panicked
			e.setPhantom(ck.Phantom, true)
			takeSlots(e, ck, false)
		}
	}()
	e.scope.OrderVariables(c)
	ck, notes, problems := e.scope.Check(c)
	if len(problems) > 0 {
		return nil, nil, Outcome{Failure: e.scope.Failure(problems)}
	}
	if out.Failure = e.state.Refuse(ck); out.Failure != nil {
		return nil, nil, out
	}
	out.Notes = append(notes, e.state.Follow(ck)...)
	ck.KeepsLast, ck.Beside = keep, beside
	out.Notes = append(out.Notes, e.vet(ck)...)
	out.Notes = append(out.Notes, olderInstances(e, ck)...)
	out.Notes = append(out.Notes, addMethods(e, ck.Phantom)...)
	e.giveSlots(ck)
	given = true
	code = e.state.Lower(ck)
	e.pinSlots(ck, code)
	if out.Failure = e.state.Load(code); out.Failure != nil {
		e.setPhantom(ck.Phantom, true)
		return ck, code, out
	}
	e.state.CommitDecls(ck)
	return ck, code, out
}

// count counts the cell that is compiled and run until what it returns is called.
func count(e *Engine) (ended func()) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	e.state.Enter()
	return func() {
		e.scope.Mu.Lock()
		defer e.scope.Mu.Unlock()
		e.state.Leave()
	}
}

// setPhantom says whether methods that were added to types of older cells belong to a cell that failed.
func (e *Engine) setPhantom(methods []*types.Func, failed bool) {
	for _, m := range methods {
		if failed {
			e.scope.Phantom[m] = true
		} else {
			delete(e.scope.Phantom, m)
		}
		e.state.MethodsChanged(check.ReceiverType(m))
	}
}

// execute runs a compiled cell, and binds the variables that it has come to define.
func (e *Engine) execute(ctx context.Context, ck *check.Checked, code *lower.Code, out *Outcome) {
	e.rt.TakeShown()
	limit := everything
	if code.Run != "" {
		f := e.rt.Run(ctx, code.Run, code.Mark)
		if f != nil {
			out.Failure = f
			if f.Name == check.ExitName {
				out.Exit, out.Failure = check.ExitCode(f), nil
			}
			limit = reached(e, ck, code)
		}
	}
	e.commitVars(ck, code, limit)
	noteInstances(e, ck)
	shown := e.rt.TakeShown()
	if out.Failure != nil || out.Exit != nil {
		return
	}
	out.Values = valuesOf(shown, code)
}

// valuesOf are the values that code has shown.
func valuesOf(shown []any, code *lower.Code) (list []Value) {
	for i, v := range shown {
		val := Value{V: run.Unwrap(v)}
		if i < len(code.Types) {
			val.Type = check.Display(code.Types[i])
		}
		list = append(list, val)
	}
	return list
}
