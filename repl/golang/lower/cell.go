package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// cell lowers the statements of a cell, which are the body of a function that is called once.
type cell struct {
	u    *unit
	l    *stmts
	mark *run.Mark
}

// lowerCell prints the function that holds the cell's statements.
func (u *unit) lowerCell(r *Code) {
	b := u.ck.Body
	c := &cell{u: u, l: u.body(u.ck.Info, nil), mark: u.st.rt.MarkOf(u.ck.Cell.Name)}
	if u.ck.Beside {
		c.mark = run.NewMark(u.st.rt, u.ck.Cell.Name)
	}
	r.Mark = c.mark
	c.l.prepare(b)
	c.l.enterDefers(b, nil)
	hooks := c.l.enterHooks(nil, b, b.List[0].Pos())
	list, values := c.statements(b.List)
	c.l.x.fn.hooks.leave()
	list = append(list, c.show(values, r)...)
	body := &ast.BlockStmt{Lbrace: 1, List: list, Rbrace: 1}
	u.out.Bodies[body] = new(string)
	if c.l.x.fn.deferring != nil {
		body = c.l.deferBody(body, b.Rbrace, hooks)
	} else {
		body.List = append(hooks, body.List...)
	}
	u.out.print(&ast.FuncDecl{Name: check.Ident(r.Run), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: body})
}

// statements lowers the statements, each behind the mark of its place, but for the display of values.
func (c *cell) statements(all []ast.Stmt) (list []ast.Stmt, values *shown) {
	values = &shown{}
	hooks, ck := c.l.x.fn.hooks, c.u.ck
	first := len(all) - max(1, ck.Cell.Values)
	for i, s := range all {
		list = append(list, c.markAt(s.Pos()))
		if at := hooks.at(s); at != nil {
			list = append(list, at)
		}
		var lowered []ast.Stmt
		if _, ok := s.(*ast.ExprStmt); ok {
			lowered = c.l.ordered(s, func(s ast.Stmt) []ast.Stmt {
				if x, ok := s.(*ast.ExprStmt); ok {
					return c.exprStmt(x, i >= first && ck.Shows && !ck.Quiet, values)
				}
				return c.l.stmts([]ast.Stmt{s})
			})
		} else if name := c.u.plan.loop(s); name != "" {
			lowered = c.loopFunc(name, s)
		} else {
			lowered = c.l.stmts([]ast.Stmt{s})
		}
		c.u.out.recordOrigin(s.Pos(), lowered...)
		list = append(append(list, lowered...), hooks.declared(s)...)
	}
	return list, values
}

// shown are the values at the end of a cell, in variables.
type shown struct {
	vars     []ast.Expr
	types    []types.Type
	assigned bool // the first one is a variable; nil is not
}

// show lowers the display of values. The first one becomes what _ stands for.
func (c *cell) show(s *shown, r *Code) (list []ast.Stmt) {
	if len(s.vars) == 0 {
		return nil
	}
	r.Types = s.types
	if check.UnexportedIn(s.types[0]) == "" && s.assigned && c.u.ck.KeepsLast {
		r.Last, r.Key = c.lastSlot(s.types[0])
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{variableOf(c.u.slotOf(r.Last))}, Tok: token.ASSIGN,
			Rhs: []ast.Expr{s.vars[0]}})
	}
	out := call(run.RuntimePkg + ".Out")
	for i, v := range s.vars {
		out.Args = append(out.Args, c.l.sp.converted(v, s.types[i], types.Universe.Lookup("any").Type()))
	}
	return append(list, &ast.ExprStmt{X: out})
}

// exprStmt lowers an expression that stands alone: at the end of the cell it becomes one of values, which are shown,
// and an error that a call returns, beside values or alone, stops the cell.
func (c *cell) exprStmt(s *ast.ExprStmt, show bool, values *shown) []ast.Stmt {
	x := s.X
	if check.IsOut(x) {
		x = x.(*ast.CallExpr).Args[0]
	}
	var ts []types.Type
	switch t := c.l.typeOf(x).(type) {
	case nil:
	case *types.Tuple:
		for i := range t.Len() {
			ts = append(ts, t.At(i).Type())
		}
	default:
		if tv := c.l.info.Types[x]; !tv.IsVoid() {
			ts = []types.Type{types.Default(t)}
		}
	}
	if OnlyError(c.l.info, x) {
		return []ast.Stmt{&ast.ExprStmt{X: call(run.RuntimePkg+".Check", c.l.x.expr(x))}}
	}
	if len(ts) == 0 || !show && len(ts) == 1 {
		if check.IsOut(s.X) {
			return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{check.Ident("_")}, Tok: token.ASSIGN,
				Rhs: []ast.Expr{c.l.x.expr(x)}}}
		}
		return []ast.Stmt{c.l.stmt(s)}
	}
	var vs []ast.Expr
	for range ts {
		vs = append(vs, check.Ident(c.u.fresh("v")))
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
		list = append(list, &ast.AssignStmt{Lhs: lhs, Tok: token.DEFINE, Rhs: []ast.Expr{c.l.x.expr(x)}}, failing)
		if !shown {
			return list
		}
		vs, ts = vs[:n], ts[:n]
	} else {
		if !show {
			return []ast.Stmt{c.l.stmt(s)}
		}
		list = append(list, &ast.AssignStmt{Lhs: vs, Tok: token.DEFINE, Rhs: []ast.Expr{c.l.x.expr(x)}})
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

// OnlyError reports whether x is a call for what it does, whose one result is an error. Calls that make errors are
// values.
func OnlyError(info *types.Info, x ast.Expr) bool {
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
func (c *cell) lastSlot(t types.Type) (v *types.Var, key string) {
	key = c.l.types.Key(t)
	if v := c.u.st.Lasts[key]; v != nil {
		return v, key
	}
	v = types.NewVar(token.NoPos, c.u.st.scope.Pkg, "_", t)
	c.u.slots[v] = c.u.st.NewSlot(t)
	return v, key
}

func (c *cell) markAt(pos token.Pos) ast.Stmt {
	p := c.u.st.scope.Fset.Position(pos)
	v := p.Line*run.MarkColumns + min(p.Column, run.MarkColumns-1)
	return &ast.AssignStmt{Lhs: []ast.Expr{&ast.StarExpr{X: source(c.mark.Symbol)}}, Tok: token.ASSIGN,
		Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(v)}}}
}
