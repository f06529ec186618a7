package golang

import (
	"context"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// EvalBeside runs a cell of a subshell, beside the running cell and other such cells. It shares the session with
// them as goroutines do: variables are the same memory, without a lock, and a function that it declares anew is
// called by cells that run. A name that it defines again is its own variable for cells to come; those that run keep
// theirs. What it shows becomes neither _ nor a numbered result. It cannot import a third-party package that the
// session does not know while another cell runs. It may be called on several goroutines at once, and while Eval
// runs.
func EvalBeside(ctx context.Context, e *Engine, name, src string) (out Outcome) {
	defer func() { e.scope.Ended(name, src, out.Failure != nil) }()
	defer func() {
		if r := recover(); r != nil {
			out.Failure = failureOf(r)
		}
	}()
	c, left := unlessLeft(ctx, e, src, func(ctx context.Context) prepared {
		return prepare(ctx, e, name, src, false, true, func(ctx context.Context, c *check.Cell) *check.Failure {
			return importBeside(ctx, e, c)
		})
	})
	if left != nil {
		return Outcome{Failure: left}
	}
	defer func() {
		c.out = out
		discard(e, c)
	}()
	if out = c.out; out.Failure != nil {
		return out
	}
	limit := everything
	var shown []any
	if c.code.Run != "" {
		var f *check.Failure
		if shown, f = run.RunBeside(ctx, e.rt, c.code.Run, c.code.Mark); f != nil {
			out.Failure = f
			if f.Name == check.ExitName {
				out.Exit, out.Failure = check.ExitCode(f), nil
			}
			limit = reached(e, c.ck, c.code)
		}
	}
	e.commitVars(c.ck, c.code, limit)
	if out.Failure == nil && out.Exit == nil {
		out.Values = valuesOf(shown, c.code)
	}
	return out
}

// importBeside loads the third-party packages that a cell of a subshell imports, for which no other cell must run.
func importBeside(ctx context.Context, e *Engine, c *check.Cell) *check.Failure {
	list := e.moduleImports(c)
	if len(list) == 0 {
		return nil
	}
	if !e.running.TryLock() {
		return &check.Failure{Name: "ImportError",
			Message: importPath(list[0]) + " cannot be imported while a cell of the main shell runs",
			Notes:   []string{"import it in the main shell, or wait until its cell has ended"},
			Frames:  []check.Frame{e.scope.FrameOf(list[0])}}
	}
	defer e.running.Unlock()
	return e.importCell(ctx, c)
}

// SetShells says how many shells there are beside the main one: see run.SetShells.
func SetShells(e *Engine, n int) { run.SetShells(e.rt, n) }
