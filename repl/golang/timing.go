package golang

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Loop compiles statements into a function that runs them n times, for measuring: what setup says runs once, before.
// The statements are checked as a cell is, with its conveniences; what they define is gone after each time. Nothing of
// the session changes before the function is called.
func (e *Engine) Loop(ctx context.Context, name, setup, src string) (loop func(n int), failure *check.Failure) {
	head, body, failure := e.loopCode(name, setup, src)
	if failure != nil {
		return nil, failure
	}
	var lines []string
	loops, line := unusedName("loops", setup+src), 1
	if setup != "" {
		lines = strings.Split(setup, "\n")
		line += len(lines)
	}
	place := func(line int) string { return fmt.Sprintf("\n/*line %s:%d:1*/", name, line) }
	code := "func(" + loops + " int) { for range " + loops + " {" + place(line) + body + "\n} }"
	if setup != "" {
		code = "func() func(int) {" + place(1) + head + "\nreturn " + code + "}()"
	}
	out := e.Expr(ctx, name, code)
	e.scope.KeepSource(name, append(lines, strings.Split(src, "\n")...))
	if out.Failure != nil {
		return nil, out.Failure
	}
	if len(out.Values) == 1 {
		if f, ok := out.Values[0].V.(func(int)); ok {
			return f, nil
		}
	}
	return nil, &check.Failure{Name: "InternalError", Message: "the loop is not a function"}
}

// unusedName is name, longer when text has it.
func unusedName(name, text string) string {
	for strings.Contains(text, name) {
		name += "_"
	}
	return name
}

// loopCode is the text of a cell's statements as they may stand in a function: those of setup and the others. Lines
// stay lines.
func (e *Engine) loopCode(name, setup, src string) (head, body string, failure *check.Failure) {
	if setup != "" {
		setup += "\n"
		src = setup + src
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			failure = check.BugFailure(r)
		}
	}()
	e.scope.Sources.Set(name, strings.Split(src, "\n"))
	c, ps := e.scope.Parse(name, src)
	if len(ps) > 0 {
		return "", "", e.scope.Failure(ps)
	}
	if len(c.Imports) > 0 || hasFunction(c) {
		return "", "", &check.Failure{Name: "SyntaxError", Message: "only statements can be timed",
			Notes: []string{"functions, methods and imports belong into a cell of their own"}}
	}
	k := e.scope.DryCheck(c)
	if len(k.Problems) > 0 {
		return "", "", e.scope.Failure(k.Problems)
	}
	if c.Body == nil {
		return "", "", nil
	}
	defers := false
	ed := check.NewEdits(e.scope, name, src)
	ed.Must = func(call *ast.CallExpr) (before, after string) { return mustInline(k.Result.Info, call) }
	ed.Walk(c.Body)
	for _, s := range c.Body.List {
		if leaves(s, &defers) {
			return "", "", &check.Failure{Name: "SyntaxError", Message: "return ends the measurement: leave it out"}
		}
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !check.IsOut(s.X) {
				continue
			}
			x := s.X.(*ast.CallExpr).Args[0]
			tv := k.Result.Info.Types[x]
			if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && !k.Result.Info.Types[call.Fun].IsType() &&
				!k.Result.Info.Types[call.Fun].IsBuiltin() || tv.IsVoid() {
				continue
			}
			ed.Insert(x.Pos(), "_ = ")
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				ed.InsertAfter(check.EndOf(s), blankUses(s.Lhs))
			}
		case *ast.DeclStmt:
			if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
				for _, sp := range g.Specs {
					var names []ast.Expr
					for _, n := range sp.(*ast.ValueSpec).Names {
						names = append(names, n)
					}
					if !g.Lparen.IsValid() {
						ed.InsertAfter(check.EndOf(s), blankUses(names))
					} else if uses := blankUses(names); uses != "" {
						ed.InsertAfter(check.EndOf(g), uses)
					}
				}
			}
		}
	}
	head, body = ed.Apply(0, len(setup)), ed.Apply(len(setup), len(src))
	if defers {
		body = "func() {" + body + "\n}()"
	}
	return head, body, nil
}

// blankUses makes variables used.
func blankUses(names []ast.Expr) string {
	var b strings.Builder
	for _, x := range names {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			b.WriteString("; _ = " + id.Name)
		}
	}
	return b.String()
}

func hasFunction(c *check.Cell) bool {
	for _, d := range c.Decls {
		if _, ok := d.Node.(*ast.FuncDecl); ok {
			return true
		}
	}
	return false
}

// leaves reports whether a statement returns from the cell; defers is set when it defers a call to its end.
func leaves(s ast.Stmt, defers *bool) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.DeferStmt:
			*defers = true
		}
		return true
	})
	return found
}

// mustInline is what stands around a call whose error panics.
func mustInline(info *types.Info, call *ast.CallExpr) (before, after string) {
	t, ok := info.Types[call].Type.(*types.Tuple)
	if !ok {
		return "", ""
	}
	var ts, vs []string
	for i := range t.Len() - 1 {
		ts = append(ts, check.Display(t.At(i).Type()))
		vs = append(vs, fmt.Sprintf("v%d", i))
	}
	names := strings.Join(vs, ", ")
	return fmt.Sprintf("func() (%s) { %s, err := ", strings.Join(ts, ", "), names),
		fmt.Sprintf("; if err != nil { panic(err) }; return %s }()", names)
}

// Call runs f as a cell runs: cancelling ctx ends what f calls in the session, and a panic becomes a failure.
func (e *Engine) Call(ctx context.Context, f func()) *Failure {
	e.running.Lock()
	defer e.running.Unlock()
	return e.rt.Call(ctx, f)
}
