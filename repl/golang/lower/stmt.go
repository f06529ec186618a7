package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// lower is the lowering of a statement; false means that it is copied and its parts are lowered.
func (l *stmts) lower(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		if len(n.List) > 0 {
			switch n.List[0].(type) {
			case *ast.CaseClause, *ast.CommClause: // no statement may stand between clauses
				r := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
				for _, c := range n.List {
					r.List = append(r.List, l.stmt(c))
				}
				return r, true
			}
		}
		defer l.x.fn.hooks.scoped()()
		return &ast.BlockStmt{Lbrace: 1, List: append(l.x.fn.hooks.body(n), l.stmts(n.List)...), Rbrace: 1}, true
	case *ast.CaseClause:
		return &ast.CaseClause{Case: 1, List: l.x.exprs(n.List), Body: l.clause(n.Body, nil)}, true
	case *ast.IfStmt:
		return l.withInit(n.Init, func(init ast.Stmt) ast.Stmt {
			return &ast.IfStmt{Init: init, Cond: l.x.expr(n.Cond), Body: l.stmt(n.Body).(*ast.BlockStmt),
				Else: l.elseHooks(n.Else)}
		}), true
	case *ast.SwitchStmt:
		return l.switchStmt(n), true
	case *ast.TypeSwitchStmt:
		return l.typeSwitch(n), true
	case *ast.DeferStmt:
		return l.deferStmt(n), true
	case *ast.ReturnStmt:
		return l.returnStmt(n), true
	case *ast.ExprStmt:
		if check.IsOut(n.X) {
			return &ast.AssignStmt{Lhs: []ast.Expr{check.Ident("_")}, Tok: token.ASSIGN,
				Rhs: []ast.Expr{l.x.expr(n.X.(*ast.CallExpr).Args[0])}}, true
		}
	case *ast.AssignStmt:
		return l.as.assign(n), true
	case *ast.DeclStmt:
		if a := l.initialised(n); a != nil {
			return l.as.assign(a), true
		}
		return l.as.declStmt(n), true
	case *ast.SendStmt:
		if ch, ok := check.Underlying(l.typeOf(n.Chan)).(*types.Chan); ok {
			c, set := l.channel(n.Chan)
			return flat(append(set, &ast.SendStmt{Chan: c, Value: l.x.convert(n.Value, ch.Elem())})...), true
		}
	case *ast.SelectStmt:
		return l.selectStmt(n), true
	case *ast.LabeledStmt:
		return l.labeled(n), true
	case *ast.GoStmt:
		return l.goStmt(n), true
	case *ast.IncDecStmt:
		op := map[token.Token]token.Token{token.INC: token.ADD_ASSIGN, token.DEC: token.SUB_ASSIGN}[n.Tok]
		if l.isEntry(n.X) {
			return l.as.assignOp(&ast.AssignStmt{Lhs: []ast.Expr{n.X}, Tok: op, Rhs: []ast.Expr{number(1)}}), true
		}
		return step(l.x.expr(n.X), l.typeOf(n.X), op), true
	case *ast.ForStmt:
		l.x.fn.hooks.loop(n)
		return l.forStmt(n), true
	case *ast.RangeStmt:
		l.x.fn.hooks.loop(n)
		if s := l.rangeOver(n); s != nil {
			return s, true
		}
		return l.rangeStmt(n), true
	case *ast.BranchStmt:
		if n.Label != nil {
			return l.branch(n), true
		}
	}
	return nil, false
}

// declStmt lowers a declaration inside a function. The cell's own variables become assignments to their slots;
// constants are spelled out where they are used.
func (l *assigns) declStmt(n *ast.DeclStmt) ast.Stmt {
	g := n.Decl.(*ast.GenDecl)
	switch g.Tok {
	case token.CONST, token.TYPE:
		return flat()
	}
	var list []ast.Stmt
	for _, s := range g.Specs {
		list = append(list, l.varSpec(s.(*ast.ValueSpec))...)
	}
	return flat(list...)
}

// varSpec lowers a declaration of variables.
func (l *assigns) varSpec(vs *ast.ValueSpec) (list []ast.Stmt) {
	var t types.Type
	if vs.Type != nil {
		t = l.typeOf(vs.Type)
	} else if len(vs.Values) == len(vs.Names) && slices.ContainsFunc(vs.Values, l.namesFunc) {
		if len(vs.Names) > 1 {
			for i, n := range vs.Names {
				list = append(list, l.varSpec(&ast.ValueSpec{Names: []*ast.Ident{n}, Values: vs.Values[i : i+1]})...)
			}
			return list
		}
		t = l.typeOf(vs.Names[0]) // with its type: see definesFunc
	}
	hoisted := l.hoist[l.info.Defs[vs.Names[0]]]
	if !hoisted && len(vs.Names) > 1 {
		for _, n := range vs.Names {
			hoisted = hoisted || l.hoist[l.info.Defs[n]]
		}
	}
	var names []ast.Expr
	for _, n := range vs.Names {
		names = append(names, l.sp.ident(n))
	}
	if len(vs.Names) > 1 && len(vs.Values) == 1 && t != nil && types.IsInterface(t) {
		set := &ast.AssignStmt{Tok: token.ASSIGN, Rhs: vs.Values}
		for _, n := range vs.Names {
			set.Lhs = append(set.Lhs, n)
			if !l.hoist[l.info.Defs[n]] && n.Name != "_" {
				list = append(list, l.sp.varStmt(l.sp.ident(n).(*ast.Ident), t))
			}
		}
		return append(list, l.assign(set))
	}
	var values []ast.Expr
	for i, v := range vs.Values {
		if len(vs.Values) == len(vs.Names) && t != nil {
			values = append(values, l.x.convert(v, t))
		} else {
			values = append(values, l.x.expr(vs.Values[i]))
		}
	}
	if !hoisted && t != nil && types.IsInterface(t) && len(values) == len(vs.Names) {
		return l.varInterface(vs, names, values, t)
	}
	if !hoisted {
		spec := &ast.ValueSpec{Values: values}
		for _, n := range vs.Names {
			id := l.sp.ident(n).(*ast.Ident)
			if len(vs.Names) == 1 && id.Name == "_" { // which yaegi takes for a value
				id = check.Ident(l.u.fresh("blank"))
			}
			spec.Names = append(spec.Names, id)
		}
		if t != nil {
			spec.Type = l.sp.typeExpr(t)
		}
		for i := range spec.Values {
			spec.Values[i] = separate(spec.Values[i], len(spec.Values) > 1)
		}
		return append(list, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}}})
	}
	if len(values) == 0 {
		z := l.u.fresh("z")
		list = append(list, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
			Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{check.Ident(z)}, Type: l.sp.typeExpr(t)}}}})
		for _, n := range names {
			list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{n}, Tok: token.ASSIGN, Rhs: []ast.Expr{check.Ident(z)}})
		}
		return list
	}
	for i := range values {
		values[i] = separate(values[i], len(values) > 1)
	}
	return append(list, &ast.AssignStmt{Lhs: names, Tok: token.ASSIGN, Rhs: values})
}

// varInterface lowers a declaration of interface variables. The values are evaluated before any of the names.
func (l *assigns) varInterface(vs *ast.ValueSpec, names, values []ast.Expr, t types.Type) (list []ast.Stmt) {
	// yaegi cannot begin an interface variable with another interface.
	var temps []ast.Expr
	for i := range values {
		v := ast.Expr(check.Ident("nil"))
		if !isNil(l.typeOf(vs.Values[i])) {
			id := check.Ident(l.u.fresh("t"))
			list = append(list, l.sp.varStmt(id, t),
				&ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.ASSIGN, Rhs: []ast.Expr{values[i]}})
			v = id
		}
		temps = append(temps, v)
	}
	for i, n := range names {
		if id := n.(*ast.Ident); id.Name == "_" {
			list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{n}, Tok: token.ASSIGN, Rhs: temps[i : i+1]})
		} else if list = append(list, l.sp.varStmt(id, t)); !isNil(l.typeOf(vs.Values[i])) {
			list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{n}, Tok: token.ASSIGN, Rhs: temps[i : i+1]})
		}
	}
	return list
}

// step adds one to x, or takes one from it. yaegi forgets what comes after the ++ of a uintptr.
func step(x ast.Expr, t types.Type, op token.Token) ast.Stmt {
	if b, ok := check.Underlying(t).(*types.Basic); ok && b.Kind() == types.Uintptr {
		return &ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: op, Rhs: []ast.Expr{number(1)}}
	}
	return &ast.IncDecStmt{X: x, Tok: map[token.Token]token.Token{token.ADD_ASSIGN: token.INC,
		token.SUB_ASSIGN: token.DEC}[op]}
}

// forStmt gives each iteration its own variables, as Go 1.22 does, when something may keep them:
//
//	for iʹ := 0; iʹ < n; iʹ++ { if !func(i int) bool { …; iʹ = i; return true }(iʹ) { break } }
func (l *stmts) forStmt(n *ast.ForStmt) ast.Stmt {
	label := l.takeLabel()
	as, ok := n.Init.(*ast.AssignStmt)
	if !ok || as.Tok != token.DEFINE || !l.anyEscapes(as.Lhs...) {
		return l.withInit(n.Init, func(init ast.Stmt) ast.Stmt {
			cond := l.x.expr(n.Cond)
			if cond == nil && n.Init != nil && n.Post == nil {
				cond = check.Ident("true") // or yaegi runs the init statement in every round
			}
			return &ast.ForStmt{Init: init, Cond: cond, Post: l.stmt(n.Post), Body: l.stmt(n.Body).(*ast.BlockStmt)}
		})
	}
	var vars []loopVar
	for _, x := range as.Lhs {
		if id := x.(*ast.Ident); id.Name != "_" {
			vars = append(vars, loopVar{l.sp.local(l.info.Defs[id]), l.u.fresh(id.Name), l.typeOf(id), l.info.Defs[id]})
		}
	}
	c := &ast.ForStmt{Body: l.stmt(n.Body).(*ast.BlockStmt)}
	// The loop's clauses are lowered under the outer names.
	for _, v := range vars {
		l.u.locals[v.obj] = v.outer
	}
	c.Init, c.Cond, c.Post = l.stmt(n.Init), l.x.expr(n.Cond), l.stmt(n.Post)
	for _, v := range vars {
		l.u.locals[v.obj] = v.own
	}
	return l.perIteration(c, c.Body, vars, true, label)
}

// loopVar is a loop variable: its name in the body, and the name under which the loop counts.
type loopVar struct {
	own, outer string
	typ        types.Type
	obj        types.Object
}

// perIteration has a loop's body run in a function that takes the loop variables: yaegi's closures share a variable
// that is declared in the body (yaegi #1713). The loop may change its variables in the body when back is true.
func (l *stmts) perIteration(loop ast.Stmt, body *ast.BlockStmt, vars []loopVar, back bool, label string) ast.Stmt {
	var own, outer []ast.Expr
	params := &ast.FieldList{}
	for _, v := range vars {
		own, outer = append(own, check.Ident(v.own)), append(outer, check.Ident(v.outer))
		params.List = append(params.List,
			&ast.Field{Names: []*ast.Ident{check.Ident(v.own)}, Type: l.sp.typeExpr(v.typ)})
	}
	var copyBack ast.Stmt
	if back {
		copyBack = &ast.AssignStmt{Lhs: outer, Tok: token.ASSIGN, Rhs: own}
	}
	if len(vars) == 0 {
		return loop
	}
	y := &yieldBody{l: l, exit: l.u.fresh("exit"), next: copyBack, label: label}
	y.inside(body)
	y.list(body.List, true, true)
	list := append(body.List, y.goOn())
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: params,
		Results: &ast.FieldList{List: []*ast.Field{{Type: check.Ident("bool")}}}},
		Body: &ast.BlockStmt{Lbrace: 1, List: list, Rbrace: 1}}
	l.u.out.Bodies[lit.Body] = &run.Inlined
	body.List = []ast.Stmt{&ast.IfStmt{Cond: &ast.UnaryExpr{Op: token.NOT, X: &ast.CallExpr{Fun: lit, Args: outer}},
		Body: &ast.BlockStmt{List: []ast.Stmt{&ast.BranchStmt{Tok: token.BREAK}}}}}
	return y.around(loop)
}

func (l *stmts) rangeStmt(n *ast.RangeStmt) ast.Stmt {
	label := l.takeLabel()
	t := l.typeOf(n.X)
	switch u := check.Underlying(t).(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			return l.rangeInt(n, t, label)
		}
	case *types.Signature:
		return l.rangeFunc(n, u, label)
	}
	x := l.x.expr(n.X)
	if _, ok := check.Underlying(t).(*types.Pointer); ok {
		// yaegi gives the variables of a range over an array behind a pointer each other's memory, and elements of a
		// slice of the pointer the type of the array.
		if n.Value != nil && !isBlank(n.Value) { // else the pointer may be nil
			x = l.x.arrayBehind(n.X)
		}
		x = &ast.SliceExpr{X: x}
	}
	if n.Tok == token.ASSIGN && (n.Key != nil && !isBlank(n.Key) || n.Value != nil && !isBlank(n.Value)) {
		return l.rangeAssign(n, x)
	}
	c := &ast.RangeStmt{Key: l.x.expr(n.Key), Value: l.x.expr(n.Value), Tok: n.Tok, X: x,
		Body: l.stmt(n.Body).(*ast.BlockStmt)}
	if n.Tok == token.ASSIGN { // to blanks alone, which yaegi takes for variables
		c.Key, c.Value, c.Tok = nil, nil, token.ILLEGAL
	}
	if n.Tok != token.DEFINE || !l.anyEscapes(n.Key, n.Value) {
		// yaegi counts in it
		if id, ok := n.Key.(*ast.Ident); ok && n.Tok == token.DEFINE && l.assigns(n.Body, l.info.Defs[id]) {
			count := check.Ident(l.u.fresh(id.Name))
			c.Body.List = append([]ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{c.Key}, Tok: token.DEFINE,
				Rhs: []ast.Expr{count}}}, c.Body.List...)
			c.Key = count
		}
		return c
	}
	var vars []loopVar
	for i, v := range []*ast.Expr{&c.Key, &c.Value} {
		if id, ok := (*v).(*ast.Ident); ok && id.Name != "_" {
			lv := loopVar{own: id.Name, outer: l.u.fresh(id.Name), typ: l.typeOf([]ast.Expr{n.Key, n.Value}[i])}
			vars = append(vars, lv)
			*v = check.Ident(lv.outer)
		}
	}
	return l.perIteration(c, c.Body, vars, false, label)
}

func isChan(t types.Type) bool {
	_, ok := check.Underlying(t).(*types.Chan)
	return ok
}

// rangeList makes a loop over the indices i of a list that set has set; values are spelled in terms of i.
func (l *stmts) rangeList(n *ast.RangeStmt, set ast.Stmt, list, i ast.Expr, values []ast.Expr, elem types.Type,
	label string) ast.Stmt {
	c := &ast.RangeStmt{Key: i, Tok: token.DEFINE, X: list, Body: l.stmt(n.Body).(*ast.BlockStmt)}
	block := func(s ast.Stmt) ast.Stmt {
		r := &ast.BlockStmt{Lbrace: 1, Rbrace: 1, List: []ast.Stmt{set}}
		if b, ok := s.(*ast.BlockStmt); ok {
			r.List = append(r.List, b.List...)
		} else {
			r.List = append(r.List, s)
		}
		return r
	}
	var places, first []ast.Stmt
	var vars []loopVar
	for k, v := range []ast.Expr{n.Key, n.Value} {
		if v == nil || isBlank(v) {
			continue
		}
		value, typ := values[k], types.Type(types.Typ[types.Int])
		if k == 1 {
			typ = elem
		}
		name := l.x.expr(v)
		if n.Tok == token.ASSIGN {
			value = l.sp.converted(value, typ, l.typeOf(v))
			if n.Value != nil {
				name = l.as.spillOperands(v, name, &places)
			}
		}
		if id, ok := v.(*ast.Ident); ok && n.Tok == token.DEFINE && l.anyEscapes(n.Key, n.Value) {
			outer := l.u.fresh(id.Name)
			vars = append(vars, loopVar{own: name.(*ast.Ident).Name, outer: outer, typ: typ})
			name = check.Ident(outer)
		}
		first = append(first, &ast.AssignStmt{Lhs: []ast.Expr{name}, Tok: n.Tok, Rhs: []ast.Expr{value}})
	}
	first = append(places, first...)
	if len(vars) == 0 {
		c.Body.List = append(first, c.Body.List...)
		return block(c)
	}
	s := l.perIteration(c, c.Body, vars, false, label)
	c.Body.List = append(first, c.Body.List...)
	return block(s)
}

// rangeAssign lowers for k, v = range x, where yaegi sets variables of enclosing functions wrongly:
//
//	for kʹ, vʹ := range x { k = kʹ; v = vʹ; … }
func (l *stmts) rangeAssign(n *ast.RangeStmt, x ast.Expr) ast.Stmt {
	c := &ast.RangeStmt{Tok: token.DEFINE, X: x, Body: l.stmt(n.Body).(*ast.BlockStmt)}
	var places, set []ast.Stmt
	key, value := rangeTypes(l.typeOf(n.X))
	for i, x := range []ast.Expr{n.Key, n.Value} {
		if x == nil {
			continue
		}
		var v ast.Expr = check.Ident("_")
		if !isBlank(x) {
			v = check.Ident(l.u.fresh("v"))
			to := l.x.expr(x)
			if n.Value != nil && !isBlank(n.Value) && !isBlank(n.Key) {
				to = l.as.spillOperands(x, to, &places)
			}
			set = append(set, &ast.AssignStmt{Lhs: []ast.Expr{to}, Tok: token.ASSIGN,
				Rhs: []ast.Expr{l.sp.converted(v, []types.Type{key, value}[i], l.typeOf(x))}})
		}
		*[]*ast.Expr{&c.Key, &c.Value}[i] = v
	}
	c.Body.List = append(append(places, set...), c.Body.List...)
	return c
}

// rangeTypes are the types of the two values of a range over t, which is not a function.
func rangeTypes(t types.Type) (key, value types.Type) {
	key = types.Typ[types.Int]
	switch u := check.Underlying(t).(type) {
	case *types.Basic:
		return key, types.Universe.Lookup("rune").Type()
	case *types.Slice:
		return key, u.Elem()
	case *types.Array:
		return key, u.Elem()
	case *types.Pointer:
		_, value = rangeTypes(u.Elem())
		return key, value
	case *types.Map:
		return u.Key(), u.Elem()
	case *types.Chan:
		return u.Elem(), nil
	}
	return key, nil
}

// rangeInt lowers for i := range n.
func (l *stmts) rangeInt(n *ast.RangeStmt, t types.Type, label string) ast.Stmt {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Typ[types.Int]
		if n.Key != nil {
			if kt := l.typeOf(n.Key); kt != nil && !types.IsInterface(kt) {
				t = kt
			}
		}
	}
	return l.rangeN(n, t, l.x.expr(n.X), label)
}

func (l *stmts) rangeN(n *ast.RangeStmt, t types.Type, count ast.Expr, label string) ast.Stmt {
	i, limit := l.u.fresh("i"), l.u.fresh("n")
	body := l.stmt(n.Body).(*ast.BlockStmt)
	conv := func(x ast.Expr) ast.Expr { return &ast.CallExpr{Fun: parenType(l.sp.typeExpr(t)), Args: []ast.Expr{x}} }
	loop := &ast.ForStmt{
		Init: &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(i), check.Ident(limit)}, Tok: token.DEFINE, Rhs: []ast.Expr{
			conv(&ast.BasicLit{Kind: token.INT, Value: "0"}), conv(count)}},
		Cond: &ast.BinaryExpr{X: check.Ident(i), Op: token.LSS, Y: check.Ident(limit)},
		Post: step(check.Ident(i), t, token.ADD_ASSIGN),
		Body: body,
	}
	id, isIdent := n.Key.(*ast.Ident)
	switch {
	case n.Key == nil || isIdent && id.Name == "_":
	case isIdent && n.Tok == token.DEFINE && l.anyEscapes(n.Key):
		return l.perIteration(loop, body, []loopVar{{own: l.sp.local(l.info.Defs[id]), outer: i, typ: t}}, false, label)
	default:
		body.List = append([]ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{l.x.expr(n.Key)}, Tok: n.Tok,
			Rhs: []ast.Expr{l.sp.converted(check.Ident(i), t, l.typeOf(n.Key))}}}, body.List...)
	}
	return loop
}
