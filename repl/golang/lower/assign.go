package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// assigns lowers assignments and declarations in a function.
type assigns struct {
	*facts
	u  *unit
	sp *speller
	x  *exprs
}

// assign lowers an assignment or a short variable declaration. yaegi lets some operands write straight into the
// variable that is assigned to, and forgets which function owns it or that other assignments stand beside it; and it
// leaves the variable as it was when the comma-ok form of a lookup fails. So such operands write into a temporary: of
// yaegi's own, which parentheses ask for, or one that is declared here.
func (l *assigns) assign(n *ast.AssignStmt) ast.Stmt {
	switch {
	case n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN:
		return l.assignShift(n)
	case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
		return l.assignOp(n)
	case len(n.Lhs) == 2 && len(n.Rhs) == 1 && isCommaOk(n.Rhs[0]):
		return l.commaOk(n)
	case l.definesChan(n):
		id := l.sp.ident(n.Lhs[0].(*ast.Ident)).(*ast.Ident)
		set := &ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.ASSIGN,
			Rhs: []ast.Expr{separate(l.x.expr(n.Rhs[0]), false)}}
		return flat(l.sp.varStmt(id, l.typeOf(n.Lhs[0])), set)
	case len(n.Lhs) == len(n.Rhs) && (len(n.Lhs) == 1 || !l.needsTemps(n)):
		r := &ast.AssignStmt{Lhs: l.x.exprs(n.Lhs), Tok: l.defineTok(n)}
		if len(n.Lhs) == 1 && l.info.Types[n.Rhs[0]].Value != nil {
			l.hashFirst(n.Lhs[0], r.Lhs[0])
		}
		if len(n.Lhs) == 1 && readsPointer(n.Rhs[0]) && (isBlank(n.Lhs[0]) || l.isEntry(n.Lhs[0])) {
			r.Rhs = []ast.Expr{l.sp.converted(l.x.observed(n.Rhs[0]), l.typeOf(n.Rhs[0]), l.typeOf(n.Lhs[0]))}
			return r
		}
		if l.definesFunc(n) {
			r.Rhs = []ast.Expr{l.sp.through(n.Rhs[0], l.x.expr(n.Rhs[0]))}
			return r
		}
		for i, x := range n.Rhs {
			if isBlank(n.Lhs[i]) && readsPointer(x) {
				r.Rhs = append(r.Rhs, l.x.observed(x))
				continue
			}
			r.Rhs = append(r.Rhs, separate(l.x.convert(x, l.typeOf(n.Lhs[i])), len(n.Lhs) > 1 || isBlank(n.Lhs[i]) ||
				l.isImported(n.Lhs[i]) || l.setsFunc(n)))
		}
		return r
	case len(n.Lhs) != len(n.Rhs) && !l.needsTemps(n):
		return &ast.AssignStmt{Lhs: l.x.exprs(n.Lhs), Tok: l.defineTok(n), Rhs: l.x.exprs(n.Rhs)}
	}
	return l.assignTemps(n)
}

// hashFirst has the key of a map's entry hashed first, where it is an interface, and yaegi looks the entry up before it
// sets it: in an empty map, where a lookup says of a key that cannot be hashed something else.
func (l *assigns) hashFirst(x, lowered ast.Expr) {
	ix, ok := lowered.(*ast.IndexExpr)
	if !ok || !l.isEntry(x) {
		return
	}
	key := check.Underlying(l.typeOf(ast.Unparen(x).(*ast.IndexExpr).X)).(*types.Map).Key()
	if !types.IsInterface(key) {
		return
	}
	t := l.sp.typeSource(key)
	ix.Index = call(l.u.helper("hashed", t, "func %s(k "+t+") "+t+" {\n"+run.RuntimePkg+".Hash(k)\nreturn k\n}"),
		ix.Index)
}

// initialised is the assignment that a declaration of variables of the session is, nil where it gives them no values.
func (q *facts) initialised(n *ast.DeclStmt) *ast.AssignStmt {
	g := n.Decl.(*ast.GenDecl)
	if g.Tok != token.VAR || len(g.Specs) != 1 {
		return nil
	}
	spec := g.Specs[0].(*ast.ValueSpec)
	r := &ast.AssignStmt{Tok: token.ASSIGN, Rhs: spec.Values}
	for _, id := range spec.Names {
		if len(spec.Values) == 0 || !q.hoist[q.info.Defs[id]] {
			return nil
		}
		r.Lhs = append(r.Lhs, id)
	}
	return r
}

// setsFunc reports whether n assigns to a variable for a function. yaegi gives it a new place when the function comes
// out of compiled code, which closures do not see.
func (q *facts) setsFunc(n *ast.AssignStmt) bool {
	_, ok := check.Underlying(q.typeOf(n.Lhs[0])).(*types.Signature)
	return ok && q.defineTok(n) == token.ASSIGN
}

// definesChan reports whether n defines a variable for a channel that is not made here. What yaegi sees of the type of
// such a variable is not enough to send to it, unless it is declared with it.
func (q *facts) definesChan(n *ast.AssignStmt) bool {
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 || q.defineTok(n) != token.DEFINE {
		return false
	}
	if c, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr); ok {
		if b := q.builtinOf(c.Fun); b != nil && b.Name() == "make" {
			return false
		}
	}
	return !isBlank(n.Lhs[0]) && isChan(q.typeOf(n.Lhs[0]))
}

// definesFunc reports whether n defines a variable for a declared function. yaegi takes such a variable for another
// name of the function, and cannot return it, unless the function comes out of a call.
func (q *facts) definesFunc(n *ast.AssignStmt) bool {
	return n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 && q.defineTok(n) == token.DEFINE &&
		!isBlank(n.Lhs[0]) && q.namesFunc(n.Rhs[0])
}

// namesFunc reports whether x is the name of a declared function, or a conversion of one.
func (q *facts) namesFunc(x ast.Expr) bool {
	x = ast.Unparen(x)
	if c, ok := x.(*ast.CallExpr); ok {
		return len(c.Args) == 1 && q.info.Types[c.Fun].IsType() && q.namesFunc(c.Args[0])
	}
	return q.isFuncName(uninstantiated(x))
}

// readsPointer reports whether x is read through a pointer, which may be nil. yaegi reads nothing that it assigns
// to _, and deletes the entry of a map that it assigns nothing to.
func readsPointer(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.StarExpr)
	return ok
}

// isEntry reports whether x is an entry of a map.
func (q *facts) isEntry(x ast.Expr) bool {
	ix, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, ok = check.Underlying(q.typeOf(ix.X)).(*types.Map)
	return ok
}

// observed lowers an expression so that it is evaluated.
func (l *exprs) observed(x ast.Expr) ast.Expr {
	t := l.sp.typeSource(types.Default(l.typeOf(x)))
	return call(l.u.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), l.expr(x))
}

// assignOp lowers x += y. yaegi looks for x before it evaluates y and again afterwards. Where calls in y may change
// which place x is, variables in x are read after them, as compiled Go does, and what else is in x before them:
//
//	t := y      p := &x
//	x += t      *p += y
func (l *assigns) assignOp(n *ast.AssignStmt) ast.Stmt {
	x := n.Lhs[0]
	op := func(place, y ast.Expr) ast.Stmt {
		l.hashFirst(x, place)
		return &ast.AssignStmt{Lhs: []ast.Expr{place}, Tok: n.Tok, Rhs: []ast.Expr{y}}
	}
	switch {
	case l.isPure(n.Rhs[0]) || l.isStableAddress(x):
		return op(l.x.expr(x), l.x.expr(n.Rhs[0]))
	case l.ofVariables(x):
		t := check.Ident(l.u.fresh("t"))
		return flat(&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE,
			Rhs: []ast.Expr{separate(l.x.expr(n.Rhs[0]), true)}}, op(l.x.expr(x), t))
	}
	if l.isEntry(x) {
		m, k := check.Ident(l.u.fresh("m")), check.Ident(l.u.fresh("k"))
		lowered := l.x.expr(x).(*ast.IndexExpr)
		set := &ast.AssignStmt{Lhs: []ast.Expr{m, k}, Tok: token.DEFINE,
			Rhs: []ast.Expr{separate(lowered.X, true), separate(lowered.Index, true)}}
		return flat(set, op(&ast.IndexExpr{X: m, Index: k}, l.x.expr(n.Rhs[0])))
	}
	p := check.Ident(l.u.fresh("p"))
	return flat(&ast.AssignStmt{Lhs: []ast.Expr{p}, Tok: token.DEFINE, Rhs: []ast.Expr{address(l.x.expr(x))}},
		op(&ast.StarExpr{X: p}, l.x.expr(n.Rhs[0])))
}

// ofVariables reports whether x is a variable, or is reached from variables directly.
func (q *facts) ofVariables(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return isIdent(x.X)
	case *ast.SelectorExpr:
		_, ok := check.Underlying(q.typeOf(x.X)).(*types.Pointer)
		return ok && isIdent(x.X) || !ok && q.ofVariables(x.X)
	case *ast.IndexExpr:
		return isIdent(x.X) && (isIdent(x.Index) || q.info.Types[x.Index].Value != nil)
	}
	return false
}

func isIdent(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.Ident)
	return ok
}

// isStableAddress reports whether no call can change which place x is.
func (l *assigns) isStableAddress(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return l.isStable(x.X)
	case *ast.SelectorExpr:
		if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Pointer); ok {
			return l.isStable(x.X)
		}
		return l.info.Selections[x] == nil || l.isStableAddress(x.X)
	case *ast.IndexExpr:
		if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Array); ok {
			return l.isStableAddress(x.X) && l.isStable(x.Index)
		}
		return l.isStable(x.X) && l.isStable(x.Index)
	}
	return false
}

// isStable reports whether no call can change the value of x.
func (l *assigns) isStable(x ast.Expr) bool {
	if l.info.Types[x].Value != nil {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := l.info.Uses[x].(*types.Var)
		return ok && !l.escapes[v] && l.u.slotOf(v) == nil && v.Parent() != v.Pkg().Scope()
	case *ast.SelectorExpr:
		_, ok := check.Underlying(l.typeOf(x.X)).(*types.Pointer)
		return !ok && l.info.Selections[x] != nil && l.isStable(x.X)
	case *ast.BinaryExpr:
		return l.isStable(x.X) && l.isStable(x.Y)
	}
	return false
}

// assignShift lowers x <<= n. yaegi wants both to have the same type, and knows better in x = x << n.
func (l *assigns) assignShift(n *ast.AssignStmt) ast.Stmt {
	x, y := n.Lhs[0], n.Rhs[0]
	if tv := l.info.Types[y]; tv.Value != nil || types.Identical(l.typeOf(x), l.typeOf(y)) {
		return &ast.AssignStmt{Lhs: l.x.exprs(n.Lhs), Tok: n.Tok, Rhs: l.x.exprs(n.Rhs)}
	}
	op := map[token.Token]token.Token{token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR}[n.Tok]
	shifted := func(x ast.Expr) ast.Stmt {
		return &ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: token.ASSIGN,
			Rhs: []ast.Expr{&ast.BinaryExpr{X: x, Op: op, Y: l.x.shiftCount(y)}}}
	}
	if ix, ok := ast.Unparen(x).(*ast.IndexExpr); ok {
		if _, isMap := check.Underlying(l.typeOf(ix.X)).(*types.Map); isMap {
			m, k := check.Ident(l.u.fresh("m")), check.Ident(l.u.fresh("k"))
			lowered := l.x.expr(ix).(*ast.IndexExpr)
			return flat(&ast.AssignStmt{Lhs: []ast.Expr{m, k}, Tok: token.DEFINE,
				Rhs: []ast.Expr{lowered.X, lowered.Index}}, shifted(&ast.IndexExpr{X: m, Index: k}))
		}
	}
	if calls(x) {
		p := check.Ident(l.u.fresh("p"))
		return flat(&ast.AssignStmt{Lhs: []ast.Expr{p}, Tok: token.DEFINE, Rhs: []ast.Expr{address(l.x.expr(x))}},
			shifted(&ast.StarExpr{X: p}))
	}
	return shifted(l.x.expr(x))
}

// calls reports whether to evaluate x twice may be another thing than once.
func calls(x ast.Expr) bool {
	r := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			r = true
		case *ast.UnaryExpr:
			r = r || n.Op == token.ARROW
		}
		return !r
	})
	return r
}

// defineTok is = where a short declaration defines a variable of the cell, which has a slot.
func (q *facts) defineTok(n *ast.AssignStmt) token.Token {
	for _, x := range n.Lhs {
		if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE && q.hoist[q.info.ObjectOf(id)] {
			return token.ASSIGN
		}
	}
	return n.Tok
}

// separate gives a lowered operand its own temporary in yaegi, when it would write into the variable and does that
// wrongly.
func separate(x ast.Expr, several bool) ast.Expr {
	switch y := x.(type) {
	case *ast.CompositeLit:
		return &ast.ParenExpr{X: x}
	case *ast.UnaryExpr:
		if several || y.Op == token.ARROW {
			return &ast.ParenExpr{X: x}
		}
	case *ast.BinaryExpr:
		if several || isComparison(y.Op) {
			return &ast.ParenExpr{X: x}
		}
	case *ast.CallExpr, *ast.StarExpr, *ast.TypeAssertExpr:
		if several {
			return &ast.ParenExpr{X: x}
		}
	}
	return x
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// isImported reports whether x is a variable of an imported package.
func (q *facts) isImported(x ast.Expr) bool {
	s, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	_, ok = q.info.Uses[s.Sel].(*types.Var)
	return ok && q.info.Selections[s] == nil
}

func isCommaOk(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.ARROW
	}
	return false
}
