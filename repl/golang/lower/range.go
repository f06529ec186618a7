package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// rangeOver lowers a range over what yaegi takes for something else, nil over anything else.
func (l *stmts) rangeOver(n *ast.RangeStmt) ast.Stmt {
	if a := arrayBehind(l.typeOf(n.X)); a != nil && (n.Value == nil || isBlank(n.Value)) {
		return l.rangeN(n, types.Typ[types.Int], l.x.lengthOfArray(n.X, a), l.takeLabel())
	}
	if (n.Key == nil || isBlank(n.Key)) && (n.Value == nil || isBlank(n.Value)) {
		return nil
	}
	t := l.typeOf(n.X)
	if u, ok := check.Underlying(t).(*types.Basic); ok && u.Info()&types.IsString != 0 {
		return l.rangeText(n)
	}
	if _, elem := rangeTypes(t); elem != nil && isChan(elem) && n.Value != nil && !isBlank(n.Value) {
		switch check.Underlying(t).(type) {
		case *types.Slice, *types.Array:
			return l.rangeListOfChans(n, l.x.expr(n.X), t, elem)
		case *types.Pointer:
			return l.rangeListOfChans(n, &ast.SliceExpr{X: &ast.ParenExpr{X: &ast.StarExpr{X: l.x.expr(n.X)}}},
				types.NewSlice(elem), elem)
		}
	}
	return nil
}

// rangeListOfChans lowers a range over a list of channels, which yaegi takes for a range over a channel:
//
//	var xʹ []chan T
//	xʹ = x
//	for iʹ := range xʹ { c := xʹ[iʹ]; … }
func (l *stmts) rangeListOfChans(n *ast.RangeStmt, x ast.Expr, t, elem types.Type) ast.Stmt {
	list, i := check.Ident(l.u.fresh("list")), check.Ident(l.u.fresh("i"))
	set := &ast.AssignStmt{Lhs: []ast.Expr{list}, Tok: token.ASSIGN, Rhs: []ast.Expr{x}}
	loop := l.rangeList(n, set, list, i, []ast.Expr{i, &ast.IndexExpr{X: list, Index: i}}, elem, l.takeLabel())
	return behind(loop, l.sp.varStmt(list, t))
}

// rangeText lowers a range over the runes of a string. yaegi makes a list of them, and counts from the start of it in
// every round, in the bytes of a rune that it has replaced.
//
//	s := x
//	for at, next := 0, 0; at < len(s); at = next {
//		r := rune(s[at])
//		next++
//		if r >= 128 { r, next = session.Rune(s, at) }
//		i := at
//		…
//	}
func (l *stmts) rangeText(n *ast.RangeStmt) ast.Stmt {
	label := l.takeLabel()
	s, at, next := check.Ident(l.u.fresh("s")), check.Ident(l.u.fresh("at")), check.Ident(l.u.fresh("next"))
	r := check.Ident(l.u.fresh("r"))
	set := func(x ast.Expr, tok token.Token, y ast.Expr) ast.Stmt {
		return &ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: tok, Rhs: []ast.Expr{y}}
	}
	var vars []loopVar
	var places, first []ast.Stmt
	kept := n.Tok == token.DEFINE && l.anyEscapes(n.Key, n.Value)
	for i, x := range []ast.Expr{n.Key, n.Value} {
		if x == nil || isBlank(x) {
			continue
		}
		value, typ := []ast.Expr{at, r}[i], []types.Type{types.Typ[types.Int], types.Universe.Lookup("rune").Type()}[i]
		switch {
		case kept:
			vars = append(vars, loopVar{own: l.x.expr(x).(*ast.Ident).Name, outer: value.(*ast.Ident).Name, typ: typ})
		case n.Tok == token.ASSIGN:
			to := l.as.spillOperands(x, l.x.expr(x), &places)
			first = append(first, set(to, token.ASSIGN, l.sp.converted(value, typ, l.typeOf(x))))
		case i == 1:
			r.Name = l.x.expr(x).(*ast.Ident).Name
		default:
			first = append(first, set(l.x.expr(x), token.DEFINE, at))
		}
	}
	body := l.stmt(n.Body).(*ast.BlockStmt)
	loop := &ast.ForStmt{
		Init: &ast.AssignStmt{Lhs: []ast.Expr{at, next}, Tok: token.DEFINE, Rhs: []ast.Expr{number(0), number(0)}},
		Cond: &ast.BinaryExpr{X: at, Op: token.LSS, Y: call("len", s)},
		Post: set(at, token.ASSIGN, next),
		Body: body,
	}
	var result ast.Stmt = loop
	if len(vars) > 0 {
		result = l.perIteration(loop, body, vars, false, label)
	}
	decode := &ast.AssignStmt{Lhs: []ast.Expr{r, next}, Tok: token.ASSIGN,
		Rhs: []ast.Expr{call(run.RuntimePkg+".Rune", s, at)}}
	body.List = slices.Concat([]ast.Stmt{
		set(r, token.DEFINE, call("rune", &ast.IndexExpr{X: s, Index: at})),
		&ast.IncDecStmt{X: next, Tok: token.INC},
		&ast.IfStmt{Cond: &ast.BinaryExpr{X: r, Op: token.GEQ, Y: number(utf8.RuneSelf)},
			Body: &ast.BlockStmt{List: []ast.Stmt{decode}}},
	}, places, first, body.List)
	return behind(result, set(s, token.DEFINE, call("string", l.x.expr(n.X))))
}

// behind puts statements before a lowered loop. What lowering has put around the loop stays in the same block, where
// its label is looked for.
func behind(loop ast.Stmt, first ...ast.Stmt) ast.Stmt {
	b, ok := loop.(*ast.BlockStmt)
	if !ok {
		b = &ast.BlockStmt{Lbrace: 1, Rbrace: 1, List: []ast.Stmt{loop}}
	}
	b.List = append(first, b.List...)
	return b
}

// rangeFunc lowers a range over a function. The body becomes a function literal; what leaves the loop is noted in a
// variable and done after the call:
//
//	exit := 0
//	seq(func(k K, v V) bool { …; return true })
//	if exit == 1 { return result }
func (l *stmts) rangeFunc(n *ast.RangeStmt, sig *types.Signature, label string) ast.Stmt {
	yield := sig.Params().At(0).Type().Underlying().(*types.Signature)
	y := &yieldBody{l: l, exit: l.u.fresh("exit"), label: label, state: l.u.fresh("state")}
	body := l.stmt(n.Body).(*ast.BlockStmt)
	y.inside(body)
	y.list(body.List, true, true)
	params := &ast.FieldList{}
	vars := []ast.Expr{n.Key, n.Value}
	for i := range yield.Params().Len() {
		name := "p" + run.Tick + strconv.Itoa(i)
		if i < 2 && vars[i] != nil {
			id, isIdent := vars[i].(*ast.Ident)
			switch {
			case isIdent && id.Name == "_":
			case isIdent && n.Tok == token.DEFINE:
				name = l.sp.local(l.info.Defs[id])
			default:
				body.List = append([]ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{l.x.expr(vars[i])}, Tok: token.ASSIGN,
					Rhs: []ast.Expr{check.Ident(name)}}}, body.List...)
			}
		}
		params.List = append(params.List,
			&ast.Field{Names: []*ast.Ident{check.Ident(name)}, Type: l.sp.typeExpr(yield.Params().At(i).Type())})
	}
	late := &ast.IfStmt{Cond: &ast.BinaryExpr{X: check.Ident(y.state), Op: token.NEQ, Y: number(0)},
		Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call(run.RuntimePkg+".Late", check.Ident(y.state))}}}}
	body.List = append(append([]ast.Stmt{late, y.set(run.LoopPanics)}, body.List...), y.yields(true))
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: params,
		Results: &ast.FieldList{List: []*ast.Field{{Type: check.Ident("bool")}}}}, Body: body}
	loop := &ast.ExprStmt{X: &ast.CallExpr{Fun: l.x.expr(n.X), Args: []ast.Expr{lit}}}
	return y.around(loop)
}

// around puts what leaves the loop around it.
func (y *yieldBody) around(loop ast.Stmt) ast.Stmt {
	if y.state != "" {
		y.vars = append(y.vars, &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(y.state)}, Tok: token.DEFINE,
			Rhs: []ast.Expr{number(0)}})
		recovered := &ast.IfStmt{Cond: &ast.BinaryExpr{X: check.Ident(y.state), Op: token.EQL,
			Y: number(run.LoopPanics)},
			Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call(run.RuntimePkg+".Late",
				number(run.LoopRecovered))}}}}
		y.after = append([]ast.Stmt{recovered, y.set(run.LoopLeft)}, y.after...)
	}
	if len(y.after) == 0 {
		return loop
	}
	list := []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{check.Ident(y.exit)}, Tok: token.DEFINE,
		Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "0"}}}}
	list = append(list, y.vars...)
	list = append(list, loop)
	return &ast.BlockStmt{Lbrace: 1, List: append(list, y.after...), Rbrace: 1}
}

// goOn ends an iteration that another may follow.
func (y *yieldBody) goOn() ast.Stmt {
	if y.next == nil {
		return y.yields(true)
	}
	return &ast.BlockStmt{Lbrace: 1, List: []ast.Stmt{y.next, y.yields(true)}, Rbrace: 1}
}

// yieldBody rewrites the statements that leave a loop's body which has become a function literal.
type yieldBody struct {
	l       *stmts
	exit    string
	vars    []ast.Stmt // results that wait for the return
	after   []ast.Stmt
	results []ast.Expr
	next    ast.Stmt // to do before the next iteration, or nil
	label   string   // of the loop
	labels  []string // in the body
	state   string   // the variable that tells what a loop over a function is doing
	n       int
}

func number(n int) ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(n)} }

// set notes what the loop is doing.
func (y *yieldBody) set(state int) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(y.state)}, Tok: token.ASSIGN, Rhs: []ast.Expr{number(state)}}
}

// yields ends the call of the body.
func (y *yieldBody) yields(more bool) ast.Stmt {
	r := &ast.ReturnStmt{Results: []ast.Expr{check.Ident(strconv.FormatBool(more))}}
	switch {
	case y.state == "":
		return r
	case more:
		return &ast.BlockStmt{Lbrace: 1, List: []ast.Stmt{y.set(0), r}, Rbrace: 1}
	}
	return &ast.BlockStmt{Lbrace: 1, List: []ast.Stmt{y.set(run.LoopEnded), r}, Rbrace: 1}
}

// leave makes the statement that ends the call of seq and does s after it.
func (y *yieldBody) leave(s ast.Stmt, first ...ast.Stmt) ast.Stmt {
	y.n++
	code := &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(y.n)}
	y.after = append(y.after, &ast.IfStmt{Cond: &ast.BinaryExpr{X: check.Ident(y.exit), Op: token.EQL, Y: code},
		Body: &ast.BlockStmt{List: []ast.Stmt{s}}})
	list := append(first, &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(y.exit)}, Tok: token.ASSIGN,
		Rhs: []ast.Expr{code}}, y.yields(false))
	return &ast.BlockStmt{Lbrace: 1, List: list, Rbrace: 1}
}

func (y *yieldBody) list(list []ast.Stmt, brk, cont bool) {
	for i, s := range list {
		list[i] = y.stmt(s, brk, cont)
	}
}

// stmt rewrites s; brk and cont say whether an unlabelled break or continue belongs to the range loop.
func (y *yieldBody) stmt(s ast.Stmt, brk, cont bool) ast.Stmt {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 0 || y.l.x.fn.results == nil {
			return y.leave(&ast.ReturnStmt{})
		}
		if y.results == nil {
			for i := range y.l.x.fn.results.Len() {
				v := y.l.u.fresh("result")
				y.results = append(y.results, check.Ident(v))
				y.vars = append(y.vars, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
					Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{check.Ident(v)},
						Type: y.l.sp.typeExpr(y.l.x.fn.results.At(i).Type())}}}})
			}
		}
		if len(s.Results) != len(y.results) {
			return y.leave(&ast.ReturnStmt{Results: y.results},
				&ast.AssignStmt{Lhs: y.results, Tok: token.ASSIGN, Rhs: s.Results})
		}
		var set []ast.Stmt
		for i, x := range s.Results {
			set = append(set, &ast.AssignStmt{Lhs: y.results[i : i+1], Tok: token.ASSIGN,
				Rhs: []ast.Expr{separate(x, false)}})
		}
		return y.leave(&ast.ReturnStmt{Results: y.results}, set...)
	case *ast.BranchStmt:
		switch {
		case s.Label == nil && s.Tok == token.CONTINUE && cont:
			return y.goOn()
		case s.Label == nil && s.Tok == token.BREAK && brk:
			return y.yields(false)
		case s.Label != nil && s.Label.Name == y.label && s.Tok == token.CONTINUE:
			return y.goOn()
		case s.Label != nil && s.Label.Name == y.label && s.Tok == token.BREAK:
			return y.yields(false)
		case s.Label != nil && s.Tok != token.FALLTHROUGH && !slices.Contains(y.labels, s.Label.Name):
			return y.leave(s)
		}
	case *ast.BlockStmt:
		y.list(s.List, brk, cont)
	case *ast.IfStmt:
		y.list(s.Body.List, brk, cont)
		if s.Else != nil {
			s.Else = y.stmt(s.Else, brk, cont)
		}
	case *ast.LabeledStmt:
		s.Stmt = y.stmt(s.Stmt, brk, cont)
	case *ast.ForStmt:
		y.list(s.Body.List, false, false)
	case *ast.RangeStmt:
		y.list(s.Body.List, false, false)
	case *ast.SwitchStmt:
		y.list(s.Body.List, false, cont)
	case *ast.TypeSwitchStmt:
		y.list(s.Body.List, false, cont)
	case *ast.SelectStmt:
		y.list(s.Body.List, false, cont)
	case *ast.CaseClause:
		y.list(s.Body, brk, cont)
	case *ast.CommClause:
		y.list(s.Body, brk, cont)
	}
	return s
}

// inside notes the labels of a loop's body: what goes to them does not leave it.
func (y *yieldBody) inside(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt:
			y.labels = append(y.labels, n.Label.Name)
		}
		return true
	})
}
