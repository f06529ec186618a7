package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/support"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Interpreted code knows no names of types; a value gets its own when it becomes an interface, and loses it when an
// assertion takes it out. Both are calls of functions that are made here, one for each pair of types.

// convert lowers an expression that is assigned to a type.
func (l *exprs) convert(x ast.Expr, to types.Type) ast.Expr {
	return l.sp.converted(l.expr(x), l.typeOf(x), to)
}

// converted is convert of a lowered expression.
func (l *speller) converted(r ast.Expr, from, to types.Type) ast.Expr {
	if from == nil || to == nil {
		return r
	}
	from, to = types.Unalias(l.subst(from)), types.Unalias(l.subst(to))
	if _, ok := from.(*types.Tuple); ok {
		return r
	}
	b, isBasic := from.(*types.Basic)
	if isBasic && b.Kind() == types.UntypedNil {
		if it, ok := to.Underlying().(*types.Interface); ok && !it.Empty() { // nil alone makes yaegi panic
			return &ast.CallExpr{Fun: l.typeExpr(to), Args: []ast.Expr{check.Ident("nil")}}
		}
		// nor does it know the nil of a recursive type
		if _, isFunc := to.Underlying().(*types.Signature); isFunc && l.scope.Inner(to).PkgPath() != "" {
			t := l.typeSource(to)
			return call(l.u.helper("nil", t, "func %s() "+t+" {\nvar f "+t+"\nreturn f\n}"))
		}
		return r
	}
	if types.IsInterface(from) {
		return r
	}
	if types.IsInterface(to) {
		from = types.Default(from)
		l.u.reach(from)
		_, isFunc := from.Underlying().(*types.Signature)
		if l.scope.Inner(from) == l.scope.Outer(from) && !isFunc {
			switch r.(type) {
			case *ast.BinaryExpr, *ast.UnaryExpr: // yaegi would store the result in the interface variable
				return &ast.ParenExpr{X: r}
			case *ast.CallExpr: // as it would that of a built-in function
				if id, ok := r.(*ast.CallExpr).Fun.(*ast.Ident); ok &&
					(id.Name == "len" || id.Name == "cap" || id.Name == "copy") {
					return call("int", r)
				}
			}
			return r
		}
		return call(l.u.funcs.Box(from, to), r)
	}
	if isBasic && b.Info()&types.IsUntyped != 0 || types.Identical(from, to) || l.types.IsCompiled(from) ||
		l.types.IsCompiled(to) {
		return r
	}
	if a, b := l.scope.Inner(from), l.scope.Inner(to); a != b {
		return call(l.u.funcs.Retype(a, b), r)
	}
	return r
}

func (l *exprs) assert(n *ast.TypeAssertExpr) ast.Expr {
	_, commaOk := l.typeOf(n).(*types.Tuple)
	return call(l.sp.assertion(l.typeOf(n.X), l.typeOf(n.Type), commaOk), l.expr(n.X))
}

// comparison lowers == and != between an interface and something else, and between nil and a conversion to an
// interface, of which yaegi compares the operand.
func (l *exprs) comparison(n *ast.BinaryExpr) (ast.Expr, bool) {
	x, y := l.typeOf(n.X), l.typeOf(n.Y)
	if x == nil || y == nil || types.IsInterface(x) == types.IsInterface(y) ||
		isNil(x) && !l.makesInterface(n.Y) || isNil(y) && !l.makesInterface(n.X) {
		return nil, false
	}
	anyType := types.Universe.Lookup("any").Type()
	same := func(x ast.Expr) ast.Expr {
		if isNil(l.typeOf(x)) {
			return check.Ident("nil")
		}
		return l.convert(x, anyType)
	}
	var r ast.Expr = call(run.RuntimePkg+".Same", same(n.X), same(n.Y))
	if n.Op == token.NEQ {
		r = &ast.UnaryExpr{Op: token.NOT, X: r}
	}
	return r, true
}

// makesInterface reports whether x converts a value of another type to an interface.
func (l *exprs) makesInterface(x ast.Expr) bool {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || !l.info.Types[c.Fun].IsType() || !types.IsInterface(l.typeOf(c)) {
		return false
	}
	t := l.typeOf(c.Args[0])
	return !isNil(t) && !types.IsInterface(t)
}

func isNil(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}

// inBlock puts statements into a block behind an init statement.
func (l *stmts) inBlock(init ast.Stmt, list ...ast.Stmt) ast.Stmt {
	if init != nil {
		s := l.stmt(init)
		if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
			list = append(append([]ast.Stmt(nil), b.List...), list...)
		} else {
			list = append([]ast.Stmt{s}, list...)
		}
	}
	r := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	for _, s := range list {
		if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
			r.List = append(r.List, b.List...)
		} else {
			r.List = append(r.List, s)
		}
	}
	return r
}

// typeSwitch lowers a type switch:
//
//	x := v
//	switch choose(x) {
//	case 0: v := assert(x); …
//	case 1: v := x; …
//	}
func (l *stmts) typeSwitch(n *ast.TypeSwitchStmt) ast.Stmt {
	defer l.x.fn.hooks.scoped()()
	hooks := l.x.fn.hooks.init(n.Init)
	var x ast.Expr
	name := ""
	switch a := n.Assign.(type) {
	case *ast.AssignStmt:
		name = a.Lhs[0].(*ast.Ident).Name
		x = a.Rhs[0]
	case *ast.ExprStmt:
		x = a.X
	}
	operand := ast.Unparen(x).(*ast.TypeAssertExpr).X
	from := l.typeOf(operand)
	v := check.Ident(l.u.fresh("x"))
	var clauses [][]*support.Dynamic // a nil target is case nil
	other := -1
	body := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	for i, c := range n.Body.List {
		c := c.(*ast.CaseClause)
		var ts []*support.Dynamic
		for _, x := range c.List {
			if l.info.Types[x].IsNil() {
				ts = append(ts, nil)
			} else {
				ts = append(ts, l.sp.dynamic(l.info.Types[x].Type))
			}
		}
		clauses = append(clauses, ts)
		if c.List == nil {
			other = i
		}
		r := &ast.CaseClause{Case: 1, List: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(i)}}}
		var declare func() []ast.Stmt
		if name != "" && name != "_" && l.info.Implicits[c] != nil && uses(l.info, c.Body, l.info.Implicits[c]) {
			var value ast.Expr = v
			if len(ts) == 1 && ts[0] != nil {
				value = call(l.sp.assertion(from, ts[0].Static, false), v)
			}
			r.Body = append(r.Body, &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(l.sp.local(l.info.Implicits[c]))},
				Tok: token.DEFINE, Rhs: []ast.Expr{value}})
			declare = func() []ast.Stmt { return l.x.fn.hooks.variable(l.info.Implicits[c].(*types.Var), c.Pos()) }
		}
		r.Body = append(r.Body, l.clause(c.Body, declare)...)
		body.List = append(body.List, r)
	}
	choose := l.u.funcs.Choose(clauses, other)
	return l.inBlock(n.Init, append(hooks, l.sp.varStmt(v, from),
		&ast.AssignStmt{Lhs: []ast.Expr{v}, Tok: token.ASSIGN, Rhs: []ast.Expr{l.x.expr(operand)}},
		&ast.SwitchStmt{Tag: call(choose, v), Body: body})...)
}

func uses(info *types.Info, list []ast.Stmt, o types.Object) bool {
	r := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && info.Uses[id] == o {
				r = true
			}
			return !r
		})
	}
	return r
}

// dynamic is a type that an interface value may have, whose methods may be asked for.
func (l *speller) dynamic(t types.Type) *support.Dynamic {
	t = l.subst(t)
	l.u.reach(t)
	return l.u.funcs.Dynamic(t)
}

// assertion is the function of an assertion from one type to another; commaOk says which of the two forms it has.
func (l *speller) assertion(from, to types.Type, commaOk bool) string {
	l.u.reach(l.subst(to))
	return l.u.funcs.Assertion(l.subst(from), l.subst(to), commaOk)
}

// raw is the function that passes a value of type t to a compiled function that takes anything; unraw takes one back.
func (l *speller) raw(t types.Type) string { return l.u.funcs.Raw(l.scope.Inner(l.subst(t))) }

func (l *speller) unraw(t types.Type) string { return l.u.funcs.Unraw(l.scope.Inner(l.subst(t))) }
