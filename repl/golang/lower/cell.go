package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// cellFunc prints the function that holds the cell's statements.
func (l *Lowerer) cellFunc(r *Code) {
	b := l.ck.Body
	if l.mark = l.st.rt.MarkOf(l.ck.Cell.Name); l.ck.Beside {
		l.mark = run.NewMark(l.st.rt, l.ck.Cell.Name)
	}
	r.Mark = l.mark
	l.findEscaping(b)
	leave := l.enterDefers(b, nil)
	hooks, leaveHooks := l.enterHooks(nil, b.List[0].Pos())
	var list []ast.Stmt
	var values shown
	first := len(b.List) - max(1, l.ck.Cell.Values)
	for i, s := range b.List {
		list = append(list, l.markAt(s.Pos()))
		if at := l.atHook(s); at != nil {
			list = append(list, at)
		}
		var lowered []ast.Stmt
		if x, ok := s.(*ast.ExprStmt); ok {
			lowered = l.exprStmt(x, i >= first && l.ck.Shows && !l.ck.Quiet, &values)
		} else if name := l.plan.loop(s); name != "" {
			lowered = l.loopFunc(name, s)
		} else {
			lowered = l.stmts([]ast.Stmt{s})
		}
		l.recordOrigin(s.Pos(), lowered...)
		list = append(append(list, lowered...), l.declareHooks(s)...)
	}
	leaveHooks()
	list = append(list, l.show(&values, r)...)
	body := &ast.BlockStmt{Lbrace: 1, List: list, Rbrace: 1}
	l.Bodies[body] = new(string)
	if d := l.deferring; d != nil {
		body = d.wrap(l, body, "", b.Rbrace, hooks)
	} else {
		body.List = append(hooks, body.List...)
	}
	leave()
	l.print(&ast.FuncDecl{Name: check.Ident(r.Run), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: body})
}

// shown are the values at the end of a cell, in variables.
type shown struct {
	vars     []ast.Expr
	types    []types.Type
	assigned bool // the first one is a variable; nil is not
}

// show lowers the display of values. The first one becomes what _ stands for.
func (l *Lowerer) show(s *shown, r *Code) (list []ast.Stmt) {
	if len(s.vars) == 0 {
		return nil
	}
	r.Types = s.types
	if check.UnexportedIn(s.types[0]) == "" && s.assigned && l.ck.KeepsLast {
		r.Last, r.Key = l.lastSlot(s.types[0])
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{variableOf(l.slotOf(r.Last))}, Tok: token.ASSIGN,
			Rhs: []ast.Expr{s.vars[0]}})
	}
	out := call(run.RuntimePkg + ".Out")
	for i, v := range s.vars {
		out.Args = append(out.Args, l.converted(v, s.types[i], types.Universe.Lookup("any").Type()))
	}
	return append(list, &ast.ExprStmt{X: out})
}

// exprStmt lowers an expression that stands alone: at the end of the cell it becomes one of values, which are shown,
// and an error that a call returns, beside values or alone, stops the cell.
func (l *Lowerer) exprStmt(s *ast.ExprStmt, show bool, values *shown) []ast.Stmt {
	x := s.X
	if check.IsOut(x) {
		x = x.(*ast.CallExpr).Args[0]
	}
	var ts []types.Type
	switch t := l.typeOf(x).(type) {
	case nil:
	case *types.Tuple:
		for i := range t.Len() {
			ts = append(ts, t.At(i).Type())
		}
	default:
		if tv := l.info.Types[x]; !tv.IsVoid() {
			ts = []types.Type{types.Default(t)}
		}
	}
	if onlyError(l.info, x) {
		return []ast.Stmt{&ast.ExprStmt{X: call(run.RuntimePkg+".Check", l.expr(x))}}
	}
	if len(ts) == 0 || !show && len(ts) == 1 {
		if check.IsOut(s.X) {
			return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{check.Ident("_")}, Tok: token.ASSIGN,
				Rhs: []ast.Expr{l.expr(x)}}}
		}
		return []ast.Stmt{l.stmt(s)}
	}
	var vs []ast.Expr
	for range ts {
		vs = append(vs, check.Ident(l.fresh("v")))
	}
	var list []ast.Stmt
	if n := len(ts) - 1; n > 0 && check.IsError(ts[n]) {
		failing := &ast.ExprStmt{X: call(run.RuntimePkg+".Check", vs[n])}
		shown := show && !(n == 1 && isInt(ts[0]) && CountsBytes(x))
		lhs := append([]ast.Expr(nil), vs...)
		if !shown {
			for i := range n {
				lhs[i] = check.Ident("_")
			}
		}
		list = append(list, &ast.AssignStmt{Lhs: lhs, Tok: token.DEFINE, Rhs: []ast.Expr{l.expr(x)}}, failing)
		if !shown {
			return list
		}
		vs, ts = vs[:n], ts[:n]
	} else {
		if !show {
			return []ast.Stmt{l.stmt(s)}
		}
		list = append(list, &ast.AssignStmt{Lhs: vs, Tok: token.DEFINE, Rhs: []ast.Expr{l.expr(x)}})
		if len(ts) == 1 && types.Identical(ts[0], types.Typ[types.UntypedNil]) {
			ts[0] = types.Universe.Lookup("any").Type()
			list = nil
			vs = []ast.Expr{check.Ident("nil")}
		}
	}
	if len(values.vars) == 0 {
		values.assigned = len(list) > 0
	}
	values.vars, values.types = append(values.vars, vs...), append(values.types, ts...)
	return list
}

// onlyError reports whether x is a call for what it does, whose one result is an error. Calls that make errors are
// values.
func onlyError(info *types.Info, x ast.Expr) bool {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || check.IsCallOf(c, check.MustName) || info.Types[c.Fun].IsType() {
		return false
	}
	if t := info.Types[c].Type; t == nil || !check.IsError(t) {
		return false
	}
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if f, ok := info.Uses[s.Sel].(*types.Func); ok && f.Pkg() != nil {
			return f.Pkg().Path() != "errors" && f.FullName() != "fmt.Errorf" && f.FullName() != "context.Cause" &&
				f.Name() != "Unwrap" && f.Name() != "Err"
		}
	}
	return true
}

// CountsBytes reports whether a call is one like fmt.Println, whose count nobody wants to see.
func CountsBytes(x ast.Expr) bool {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	name := ""
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	for _, p := range []string{"Print", "Fprint", "Write", "Read", "Scan", "Fscan", "Sscan"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func isInt(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Int
}

// lastSlot is the variable that _ stands for, one for each type that a cell has shown.
func (l *Lowerer) lastSlot(t types.Type) (v *types.Var, key string) {
	key = l.st.Types.Key(t)
	if v := l.st.Lasts[key]; v != nil {
		return v, key
	}
	v = types.NewVar(token.NoPos, l.st.scope.Pkg, "_", t)
	l.slots[v] = l.st.NewSlot(t)
	return v, key
}
