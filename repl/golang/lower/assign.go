package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// assign lowers an assignment or a short variable declaration. yaegi lets some operands write straight into the variable
// that is assigned to, and forgets which function owns it or that other assignments stand beside it; and it leaves the
// variable as it was when the comma-ok form of a lookup fails. So such operands write into a temporary: of yaegi's own, which
// parentheses ask for, or one that is declared here.
func (l *Lowerer) assign(n *ast.AssignStmt) ast.Stmt {
	switch {
	case n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN:
		return l.assignShift(n)
	case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
		return l.assignOp(n)
	case len(n.Lhs) == 2 && len(n.Rhs) == 1 && isCommaOk(n.Rhs[0]):
		return l.commaOk(n)
	case l.definesChan(n):
		id := l.ident(n.Lhs[0].(*ast.Ident)).(*ast.Ident)
		set := &ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.ASSIGN, Rhs: []ast.Expr{apart(l.expr(n.Rhs[0]), false)}}
		return flat(l.varStmt(id, l.typeOf(n.Lhs[0])), set)
	case len(n.Lhs) == len(n.Rhs) && (len(n.Lhs) == 1 || !l.needsTemps(n)):
		r := &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: l.defineTok(n)}
		if len(n.Lhs) == 1 && l.info.Types[n.Rhs[0]].Value != nil {
			l.hashFirst(n.Lhs[0], r.Lhs[0])
		}
		if len(n.Lhs) == 1 && readsPointer(n.Rhs[0]) && (isBlank(n.Lhs[0]) || l.isEntry(n.Lhs[0])) {
			r.Rhs = []ast.Expr{l.converted(l.observed(n.Rhs[0]), l.typeOf(n.Rhs[0]), l.typeOf(n.Lhs[0]))}
			return r
		}
		for i, x := range n.Rhs {
			if isBlank(n.Lhs[i]) && readsPointer(x) {
				r.Rhs = append(r.Rhs, l.observed(x))
				continue
			}
			r.Rhs = append(r.Rhs, apart(l.convert(x, l.typeOf(n.Lhs[i])), len(n.Lhs) > 1 || isBlank(n.Lhs[i]) || l.isImported(n.Lhs[i]) || l.setsFunc(n)))
		}
		return r
	case len(n.Lhs) != len(n.Rhs) && !l.needsTemps(n):
		return &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: l.defineTok(n), Rhs: l.exprs(n.Rhs)}
	}
	return l.assignTemps(n)
}

// hashFirst has the key of a map's entry hashed first, where it is an interface, and yaegi looks the entry up before it sets it: in
// an empty map, where a lookup says of a key that cannot be hashed something else.
func (l *Lowerer) hashFirst(x, lowered ast.Expr) {
	ix, ok := lowered.(*ast.IndexExpr)
	if !ok || !l.isEntry(x) {
		return
	}
	key := check.Underlying(l.typeOf(ast.Unparen(x).(*ast.IndexExpr).X)).(*types.Map).Key()
	if !types.IsInterface(key) {
		return
	}
	t := l.typeSource(key)
	ix.Index = call(l.helper("hashed", t, "func %s(k "+t+") "+t+" {\n"+run.RuntimePkg+".Hash(k)\nreturn k\n}"), ix.Index)
}

// initialised is the assignment that a declaration of variables of the session is, nil where it gives them no values.
func (l *Lowerer) initialised(n *ast.DeclStmt) *ast.AssignStmt {
	g := n.Decl.(*ast.GenDecl)
	if g.Tok != token.VAR || len(g.Specs) != 1 {
		return nil
	}
	spec := g.Specs[0].(*ast.ValueSpec)
	r := &ast.AssignStmt{Tok: token.ASSIGN, Rhs: spec.Values}
	for _, id := range spec.Names {
		if len(spec.Values) == 0 || !l.hoist[l.info.Defs[id]] {
			return nil
		}
		r.Lhs = append(r.Lhs, id)
	}
	return r
}

// setsFunc reports whether n assigns to a variable for a function. yaegi gives it a new place when the function comes out of compiled
// code, which closures do not see.
func (l *Lowerer) setsFunc(n *ast.AssignStmt) bool {
	_, ok := check.Underlying(l.typeOf(n.Lhs[0])).(*types.Signature)
	return ok && l.defineTok(n) == token.ASSIGN
}

// definesChan reports whether n defines a variable for a channel that is not made here. What yaegi sees of the type of such a
// variable is not enough to send to it, unless it is declared with it.
func (l *Lowerer) definesChan(n *ast.AssignStmt) bool {
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 || l.defineTok(n) != token.DEFINE {
		return false
	}
	if c, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr); ok {
		if b := l.builtinOf(c.Fun); b != nil && b.Name() == "make" {
			return false
		}
	}
	return !isBlank(n.Lhs[0]) && isChan(l.typeOf(n.Lhs[0]))
}

// readsPointer reports whether x is read through a pointer, which may be nil. yaegi reads nothing that it assigns
// to _, and deletes the entry of a map that it assigns nothing to.
func readsPointer(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.StarExpr)
	return ok
}

// isEntry reports whether x is an entry of a map.
func (l *Lowerer) isEntry(x ast.Expr) bool {
	ix, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, ok = check.Underlying(l.typeOf(ix.X)).(*types.Map)
	return ok
}

// observed lowers an expression so that it is evaluated.
func (l *Lowerer) observed(x ast.Expr) ast.Expr {
	t := l.typeSource(types.Default(l.typeOf(x)))
	return call(l.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), l.expr(x))
}

// assignOp lowers x += y. yaegi looks for x before it evaluates y and again afterwards. Where calls in y may change which place x
// is, variables in x are read after them, as compiled Go does, and what else is in x before them:
//
//	t := y      p := &x
//	x += t      *p += y
func (l *Lowerer) assignOp(n *ast.AssignStmt) ast.Stmt {
	x := n.Lhs[0]
	op := func(place, y ast.Expr) ast.Stmt {
		l.hashFirst(x, place)
		return &ast.AssignStmt{Lhs: []ast.Expr{place}, Tok: n.Tok, Rhs: []ast.Expr{y}}
	}
	switch {
	case l.calm(n.Rhs[0]) || l.steadyPlace(x):
		return op(l.expr(x), l.expr(n.Rhs[0]))
	case l.ofVariables(x):
		t := check.Ident(l.fresh("t"))
		return flat(&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE, Rhs: []ast.Expr{apart(l.expr(n.Rhs[0]), true)}}, op(l.expr(x), t))
	}
	if l.isEntry(x) {
		m, k := check.Ident(l.fresh("m")), check.Ident(l.fresh("k"))
		lowered := l.expr(x).(*ast.IndexExpr)
		set := &ast.AssignStmt{Lhs: []ast.Expr{m, k}, Tok: token.DEFINE, Rhs: []ast.Expr{apart(lowered.X, true), apart(lowered.Index, true)}}
		return flat(set, op(&ast.IndexExpr{X: m, Index: k}, l.expr(n.Rhs[0])))
	}
	p := check.Ident(l.fresh("p"))
	return flat(&ast.AssignStmt{Lhs: []ast.Expr{p}, Tok: token.DEFINE, Rhs: []ast.Expr{address(l.expr(x))}}, op(&ast.StarExpr{X: p}, l.expr(n.Rhs[0])))
}

// ofVariables reports whether x is a variable, or is reached from variables directly.
func (l *Lowerer) ofVariables(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return isIdent(x.X)
	case *ast.SelectorExpr:
		_, ok := check.Underlying(l.typeOf(x.X)).(*types.Pointer)
		return ok && isIdent(x.X) || !ok && l.ofVariables(x.X)
	case *ast.IndexExpr:
		return isIdent(x.X) && (isIdent(x.Index) || l.info.Types[x.Index].Value != nil)
	}
	return false
}

func isIdent(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.Ident)
	return ok
}

// steadyPlace reports whether no call can change which place x is.
func (l *Lowerer) steadyPlace(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return l.steady(x.X)
	case *ast.SelectorExpr:
		if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Pointer); ok {
			return l.steady(x.X)
		}
		return l.info.Selections[x] == nil || l.steadyPlace(x.X)
	case *ast.IndexExpr:
		if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Array); ok {
			return l.steadyPlace(x.X) && l.steady(x.Index)
		}
		return l.steady(x.X) && l.steady(x.Index)
	}
	return false
}

// steady reports whether no call can change the value of x.
func (l *Lowerer) steady(x ast.Expr) bool {
	if l.info.Types[x].Value != nil {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := l.info.Uses[x].(*types.Var)
		return ok && !l.Kept[v] && l.slotOf(v) == nil && v.Parent() != v.Pkg().Scope()
	case *ast.SelectorExpr:
		_, ok := check.Underlying(l.typeOf(x.X)).(*types.Pointer)
		return !ok && l.info.Selections[x] != nil && l.steady(x.X)
	case *ast.BinaryExpr:
		return l.steady(x.X) && l.steady(x.Y)
	}
	return false
}

// assignShift lowers x <<= n. yaegi wants both to have the same type, and knows better in x = x << n.
func (l *Lowerer) assignShift(n *ast.AssignStmt) ast.Stmt {
	x, y := n.Lhs[0], n.Rhs[0]
	if tv := l.info.Types[y]; tv.Value != nil || types.Identical(l.typeOf(x), l.typeOf(y)) {
		return &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: n.Tok, Rhs: l.exprs(n.Rhs)}
	}
	op := map[token.Token]token.Token{token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR}[n.Tok]
	shifted := func(x ast.Expr) ast.Stmt {
		return &ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: token.ASSIGN, Rhs: []ast.Expr{&ast.BinaryExpr{X: x, Op: op, Y: l.shiftCount(y)}}}
	}
	if ix, ok := ast.Unparen(x).(*ast.IndexExpr); ok {
		if _, isMap := check.Underlying(l.typeOf(ix.X)).(*types.Map); isMap {
			m, k := check.Ident(l.fresh("m")), check.Ident(l.fresh("k"))
			lowered := l.expr(ix).(*ast.IndexExpr)
			return flat(&ast.AssignStmt{Lhs: []ast.Expr{m, k}, Tok: token.DEFINE, Rhs: []ast.Expr{lowered.X, lowered.Index}}, shifted(&ast.IndexExpr{X: m, Index: k}))
		}
	}
	if calls(x) {
		p := check.Ident(l.fresh("p"))
		return flat(&ast.AssignStmt{Lhs: []ast.Expr{p}, Tok: token.DEFINE, Rhs: []ast.Expr{address(l.expr(x))}}, shifted(&ast.StarExpr{X: p}))
	}
	return shifted(l.expr(x))
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
func (l *Lowerer) defineTok(n *ast.AssignStmt) token.Token {
	for _, x := range n.Lhs {
		if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE && l.hoist[l.info.ObjectOf(id)] {
			return token.ASSIGN
		}
	}
	return n.Tok
}

// apart gives a lowered operand its own temporary in yaegi, when it would write into the variable and does that wrongly.
func apart(x ast.Expr, several bool) ast.Expr {
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
func (l *Lowerer) isImported(x ast.Expr) bool {
	s, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	_, ok = l.info.Uses[s.Sel].(*types.Var)
	return ok && l.info.Selections[s] == nil
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

// needsTemps reports whether an assignment of several values must be taken apart: yaegi cannot set an entry of a map among
// them or assign nil, and evaluates a variable that is declared again too late. It also looks where pointers point before it sets anything.
func (l *Lowerer) needsTemps(n *ast.AssignStmt) bool {
	for _, x := range n.Rhs {
		if l.info.Types[x].IsNil() {
			return true
		}
	}
	if t, ok := l.typeOf(n.Rhs[0]).(*types.Tuple); ok && len(n.Lhs) > 1 {
		for i, x := range n.Lhs { // values that become interfaces
			if to := l.typeOf(x); to != nil && i < t.Len() && types.IsInterface(to) && !types.IsInterface(t.At(i).Type()) {
				return true
			}
		}
	}
	for i, x := range n.Lhs {
		if l.changes(n.Lhs, x) || i > 0 && l.failsLate(n.Lhs[i-1], x) {
			return true
		}
		switch x := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Map); ok {
				return true
			}
		case *ast.Ident:
			if n.Tok == token.DEFINE && l.info.Defs[x] == nil && x.Name != "_" && (len(n.Rhs) > 1 || l.isOutside(x)) {
				return true
			}
		}
	}
	return false
}

// isOutside reports whether a name that a short declaration assigns to is that of a parameter or a result of a function that defers: its
// body becomes a function literal (see deferring.wrap), in which := would declare another variable.
func (l *Lowerer) isOutside(id *ast.Ident) bool {
	v, ok := l.info.Uses[id].(*types.Var)
	return ok && l.deferring != nil && v.Kind() != types.LocalVar
}

// failsLate reports whether x is behind a pointer that may be nil while the place before it can be assigned to.
func (l *Lowerer) failsLate(before, x ast.Expr) bool {
	p, q := l.pointer(before), l.pointer(x)
	return q != nil && (p == nil || types.ExprString(p) != types.ExprString(q))
}

// pointer is the pointer through which x is reached, nil for any other place.
func (l *Lowerer) pointer(x ast.Expr) ast.Expr {
	switch x := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return x.X
	case *ast.SelectorExpr:
		if l.info.Selections[x] == nil {
			return nil
		}
		if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Pointer); ok {
			return x.X
		}
		return l.pointer(x.X)
	}
	return nil
}

// changes reports whether an assignment to all of lhs may change, or call, what the place x depends on. yaegi evaluates the
// operands of a place when it assigns to it, after other places have changed.
func (l *Lowerer) changes(lhs []ast.Expr, x ast.Expr) bool {
	x = ast.Unparen(x)
	if _, ok := x.(*ast.Ident); ok {
		return false
	}
	r := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			r = true
		case *ast.UnaryExpr:
			r = r || n.Op == token.ARROW
		case *ast.Ident, *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr:
			for _, y := range lhs {
				r = r || n != ast.Node(x) && l.mayBe(n.(ast.Expr), ast.Unparen(y))
			}
		}
		return !r
	})
	return r
}

// mayBe reports whether an assignment to y may change the value of x.
func (l *Lowerer) mayBe(x, y ast.Expr) bool {
	a, isIdent := x.(*ast.Ident)
	switch y := y.(type) {
	case *ast.Ident:
		if isIdent {
			return y.Name != "_" && l.info.ObjectOf(a) == l.info.ObjectOf(y)
		}
	case *ast.StarExpr:
	default:
		if isIdent {
			return false
		}
	}
	s, t := l.typeOf(x), l.typeOf(y)
	return s != nil && t != nil && types.Identical(s, t)
}

// place evaluates the operands of a place that is assigned to, given as it was and lowered, into temporaries that it adds to
// list, and returns the place in terms of these.
func (l *Lowerer) place(x, lowered ast.Expr, list *[]ast.Stmt) ast.Expr {
	temp := func(x ast.Expr) ast.Expr {
		if _, ok := x.(*ast.BasicLit); ok {
			return x
		}
		t := check.Ident(l.fresh("t"))
		*list = append(*list, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE, Rhs: []ast.Expr{x}})
		return t
	}
	for {
		p, ok := lowered.(*ast.ParenExpr)
		if !ok {
			break
		}
		lowered = p.X
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		y, ok := lowered.(*ast.IndexExpr)
		if !ok {
			break
		}
		switch check.Underlying(l.typeOf(x.X)).(type) {
		case *types.Array:
			r := &ast.IndexExpr{X: l.place(x.X, y.X, list)}
			r.Index = temp(y.Index)
			return r
		case *types.Pointer:
			if s, ok := ast.Unparen(y.X).(*ast.StarExpr); ok {
				r := &ast.IndexExpr{X: &ast.ParenExpr{X: &ast.StarExpr{X: temp(s.X)}}}
				r.Index = temp(y.Index)
				return r
			}
		default:
			r := &ast.IndexExpr{X: temp(y.X)}
			r.Index = temp(y.Index)
			return r
		}
	case *ast.StarExpr:
		if y, ok := lowered.(*ast.StarExpr); ok {
			return &ast.StarExpr{X: temp(y.X)}
		}
	case *ast.SelectorExpr:
		y, ok := lowered.(*ast.SelectorExpr)
		if !ok || l.info.Selections[x] == nil {
			break
		}
		if _, isPtr := check.Underlying(l.typeOf(x.X)).(*types.Pointer); isPtr {
			if _, again := y.X.(*ast.SelectorExpr); !again || len(l.info.Selections[x].Index()) == 1 {
				return &ast.SelectorExpr{X: temp(y.X), Sel: y.Sel}
			}
		} else if len(l.info.Selections[x].Index()) == 1 {
			return &ast.SelectorExpr{X: l.place(x.X, y.X, list), Sel: y.Sel}
		}
	}
	return lowered
}

// assignTemps evaluates every operand before it assigns anything:
//
//	t1, t2 := x, y
//	a = t1
//	m[k] = t2
func (l *Lowerer) assignTemps(n *ast.AssignStmt) ast.Stmt {
	var list []ast.Stmt
	define := &ast.AssignStmt{Tok: token.DEFINE}
	lhs := make([]ast.Expr, len(n.Lhs))
	for i, x := range n.Lhs {
		lhs[i] = l.place(x, l.expr(x), &list)
	}
	var from []types.Type
	if len(n.Rhs) == len(n.Lhs) {
		for i, x := range n.Rhs {
			to := l.typeOf(n.Lhs[i])
			if to == nil { // blank
				to = types.Default(l.typeOf(x))
			}
			t := check.Ident(l.fresh("t"))
			list = append(list, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{t}, Type: l.typeExpr(to)}}}},
				&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{apart(l.convert(x, to), true)}})
			define.Lhs, from = append(define.Lhs, t), append(from, to)
		}
	} else {
		define.Rhs = l.exprs(n.Rhs)
		t := l.typeOf(n.Rhs[0]).(*types.Tuple)
		for i := range n.Lhs {
			define.Lhs, from = append(define.Lhs, check.Ident(l.fresh("t"))), append(from, t.At(i).Type())
		}
		list = append(list, define)
	}
	for i, x := range n.Lhs {
		list = append(list, l.store(n, x, lhs[i], define.Lhs[i], from[i])...)
	}
	return flat(list...)
}

// store assigns a temporary of the given type to one of the left sides of an assignment, which is given as it was and lowered.
func (l *Lowerer) store(n *ast.AssignStmt, x, lowered, temp ast.Expr, from types.Type) []ast.Stmt {
	id, isIdent := x.(*ast.Ident)
	if isIdent && id.Name == "_" {
		return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{check.Ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{temp}}}
	}
	tok := token.ASSIGN
	if n.Tok == token.DEFINE && isIdent && l.info.Defs[id] != nil && !l.hoist[l.info.Defs[id]] {
		tok = token.DEFINE
	}
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{lowered}, Tok: tok, Rhs: []ast.Expr{l.converted(temp, from, l.typeOf(x))}}}
}

// commaOk lowers v, ok = m[k], x.(T) and <-c:
//
//	t, o := m[k]
//	if !o { var z T; t = z }
//	v, ok = t, o
func (l *Lowerer) commaOk(n *ast.AssignStmt) ast.Stmt {
	rhs := ast.Unparen(n.Rhs[0])
	tuple, ok := l.typeOf(n.Rhs[0]).(*types.Tuple)
	if !ok {
		return &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: l.defineTok(n), Rhs: l.exprs(n.Rhs)}
	}
	elem := tuple.At(0).Type()
	ok0 := tuple.At(1).Type()
	t, o := check.Ident(l.fresh("t")), check.Ident(l.fresh("o"))
	var value ast.Expr = t
	list := []ast.Stmt{}
	if isBlank(n.Lhs[0]) {
		value = check.Ident("_")
	}
	var places [2]ast.Expr
	for i, x := range n.Lhs {
		if places[i] = l.expr(x); l.changes(n.Lhs, x) {
			places[i] = l.place(x, places[i], &list)
		}
	}
	look := l.expr(rhs)
	list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{value, o}, Tok: token.DEFINE, Rhs: []ast.Expr{look}})
	if !isBlank(n.Lhs[0]) {
		z := check.Ident(l.fresh("z"))
		list = append(list, &ast.IfStmt{Cond: &ast.UnaryExpr{Op: token.NOT, X: o}, Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{z}, Type: l.typeExpr(elem)}}}},
			&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{z}}}}})
		list = append(list, l.store(n, n.Lhs[0], places[0], t, elem)...)
	}
	return flat(append(list, l.store(n, n.Lhs[1], places[1], o, types.Default(ok0))...)...)
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// withInit lowers a statement that may have an init statement. When that becomes several, they stand before it in a block.
func (l *Lowerer) withInit(init ast.Stmt, lower func(init ast.Stmt) ast.Stmt) ast.Stmt {
	if init == nil {
		return lower(nil)
	}
	s := l.stmt(init)
	if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
		return &ast.BlockStmt{Lbrace: 1, List: append(b.List, lower(nil)), Rbrace: 1}
	}
	return lower(s)
}

// channel lowers a channel that is sent to. Where yaegi does not see that it is one, as with a type that has a name to it, a
// variable tells.
func (l *Lowerer) channel(x ast.Expr) (c ast.Expr, set []ast.Stmt) {
	c = l.expr(x)
	named := l.e.scope.Inner(l.typeOf(x)).PkgPath() != ""
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && !named {
		if v, ok := l.info.Uses[id].(*types.Var); ok && (l.typed[v] || v.Kind() == types.ParamVar) && l.slotOf(v) == nil {
			return c, nil
		}
	}
	t := check.Ident(l.fresh("c"))
	declare := l.varStmt(t, l.typeOf(x))
	if named {
		elem := l.typeSource(check.Underlying(l.typeOf(x)).(*types.Chan).Elem())
		declare = &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{t}, Type: source("chan (" + elem + ")")}}}}
	}
	return t, []ast.Stmt{declare, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{c}}}
}

// selectStmt lowers a select to a call that makes it and a switch over the case that it chose: yaegi leaves a select to no
// label, and sends only to what it sees to be a channel.
//
//	i, v, ok := session.Select(true, c1, nil, c2, x)
//	switch i { case 0: …; case 1: …; case -1: … }
func (l *Lowerer) selectStmt(n *ast.SelectStmt) ast.Stmt {
	chosen, value, ok := check.Ident(l.fresh("i")), check.Ident(l.fresh("v")), check.Ident(l.fresh("ok"))
	hasDefault := false
	c := call(run.RuntimePkg+".Select", number(int(n.Pos())), nil)
	body := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	var usesValue, usesOk bool
	at := 0
	for _, cl := range n.Body.List {
		cl := cl.(*ast.CommClause)
		index := at
		var first []ast.Stmt
		var receive ast.Expr
		switch s := cl.Comm.(type) {
		case nil:
			hasDefault, index = true, -1
		case *ast.SendStmt:
			ch := check.Underlying(l.typeOf(s.Chan)).(*types.Chan)
			v := l.convert(s.Value, ch.Elem())
			c.Args = append(c.Args, check.Ident("true"), l.expr(s.Chan), call(l.raw(ch.Elem()), v))
		case *ast.ExprStmt:
			receive = s.X
		case *ast.AssignStmt:
			receive = s.Rhs[0]
			ch := check.Underlying(l.typeOf(ast.Unparen(receive).(*ast.UnaryExpr).X)).(*types.Chan)
			for i, x := range s.Lhs {
				if isBlank(x) {
					continue
				}
				from, got := ch.Elem(), ast.Expr(ok)
				if i == 0 {
					usesValue = true
					got = call(l.unraw(ch.Elem()), value)
				} else {
					usesOk = true
					from = types.Typ[types.Bool]
				}
				first = append(first, l.store(s, x, l.expr(x), got, from)...)
			}
		}
		if receive != nil {
			c.Args = append(c.Args, check.Ident("false"), l.expr(ast.Unparen(receive).(*ast.UnaryExpr).X), check.Ident("nil"))
		}
		if cl.Comm != nil {
			at++
		}
		body.List = append(body.List, &ast.CaseClause{Case: 1, List: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(index)}}, Body: append(first, l.clause(cl.Body)...)})
	}
	c.Args[1] = check.Ident(strconv.FormatBool(hasDefault))
	lhs := []ast.Expr{chosen, check.Ident("_"), check.Ident("_")}
	if usesValue {
		lhs[1] = value
	}
	if usesOk {
		lhs[2] = ok
	}
	return &ast.BlockStmt{Lbrace: 1, Rbrace: 1, List: []ast.Stmt{
		&ast.AssignStmt{Lhs: lhs, Tok: token.DEFINE, Rhs: []ast.Expr{c}},
		&ast.SwitchStmt{Tag: chosen, Body: body}}}
}
