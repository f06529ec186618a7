package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// deferring is a function with deferred calls: the names that lowering has given to its results and to its Defers.
type deferring struct {
	defers  string
	results []ast.Expr
	types   []types.Type
}

// hasDefer reports whether a function's own statements defer something.
func hasDefer(b *ast.BlockStmt) bool {
	r := false
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			r = true
		}
		return !r
	})
	return r
}

// enterDefers prepares the lowering of a function's body: when it defers, its results get names that nothing in it hides.
func (l *lowerer) enterDefers(body *ast.BlockStmt, results *types.Tuple) (leave func()) {
	before := l.deferring
	l.deferring = nil
	if hasDefer(body) {
		l.deferring = &deferring{defers: l.fresh("defers")}
		for i := range results.Len() {
			v := results.At(i)
			name := l.fresh("result")
			if v.Name() != "" && v.Name() != "_" {
				l.names[v] = name
			}
			l.deferring.results = append(l.deferring.results, ident(name))
			l.deferring.types = append(l.deferring.types, subst(v.Type(), l.env))
		}
	}
	return func() { l.deferring = before }
}

// fields are the result parameters of a function that defers.
func (d *deferring) fields(l *lowerer) *ast.FieldList {
	if len(d.results) == 0 {
		return nil
	}
	r := &ast.FieldList{}
	for i, x := range d.results {
		r.List = append(r.List, &ast.Field{Names: []*ast.Ident{x.(*ast.Ident)}, Type: l.typeExpr(d.types[i])})
	}
	return r
}

// wrap makes the body of a function that defers:
//
//	d := session.Defers()
//	d.Run(func() { … })
//	return
func (d *deferring) wrap(body *ast.BlockStmt) *ast.BlockStmt {
	run := &ast.CallExpr{Fun: source(d.defers + ".Run"), Args: []ast.Expr{&ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: body}}}
	list := []ast.Stmt{
		&ast.AssignStmt{Lhs: []ast.Expr{ident(d.defers)}, Tok: token.DEFINE, Rhs: []ast.Expr{call(runtimePkg + ".Defers")}},
		&ast.ExprStmt{X: run},
	}
	if len(d.results) > 0 {
		list = append(list, &ast.ReturnStmt{Results: d.results})
	}
	return &ast.BlockStmt{Lbrace: 1, List: list, Rbrace: 1}
}

// returnStmt lowers a return: in a function that defers, the results are set first.
func (l *lowerer) returnStmt(n *ast.ReturnStmt) ast.Stmt {
	d := l.deferring
	if d == nil || len(n.Results) == 0 {
		r := &ast.ReturnStmt{}
		for i, x := range n.Results {
			if l.results != nil && len(n.Results) == l.results.Len() {
				r.Results = append(r.Results, l.convert(x, l.results.At(i).Type()))
			} else {
				r.Results = append(r.Results, l.expr(x))
			}
		}
		return r
	}
	if len(n.Results) != len(d.results) {
		return flat(&ast.AssignStmt{Lhs: d.results, Tok: token.ASSIGN, Rhs: l.exprs(n.Results)}, &ast.ReturnStmt{})
	}
	if len(n.Results) == 1 {
		return flat(&ast.AssignStmt{Lhs: d.results, Tok: token.ASSIGN, Rhs: []ast.Expr{apart(l.convert(n.Results[0], d.types[0]), false)}}, &ast.ReturnStmt{})
	}
	var list, set []ast.Stmt
	for i, x := range n.Results {
		t := ident(l.fresh("t"))
		list = append(list, l.varStmt(t, d.types[i]), &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{apart(l.convert(x, d.types[i]), false)}})
		set = append(set, &ast.AssignStmt{Lhs: d.results[i : i+1], Tok: token.ASSIGN, Rhs: []ast.Expr{t}})
	}
	return flat(append(append(list, set...), &ast.ReturnStmt{})...)
}

// varStmt declares a variable.
func (l *lowerer) varStmt(id *ast.Ident, t types.Type) ast.Stmt {
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}, Type: l.typeExpr(t)}}}}
}

// deferStmt lowers a defer. The function and its arguments are evaluated now:
//
//	a := x
//	call := func() { f(a) }
//	d.Add(call)
func (l *lowerer) deferStmt(n *ast.DeferStmt) ast.Stmt {
	d := l.deferring
	if d == nil {
		return l.c.copyNode(n).(ast.Stmt)
	}
	add := func(list []ast.Stmt, lit ast.Expr) ast.Stmt {
		f := ident(l.fresh("deferred"))
		return flat(append(list, &ast.AssignStmt{Lhs: []ast.Expr{f}, Tok: token.DEFINE, Rhs: []ast.Expr{lit}}, &ast.ExprStmt{X: call(d.defers+".Add", f)})...)
	}
	lit, isLit := n.Call.Fun.(*ast.FuncLit)
	recovers := l.recovers
	if isLit {
		l.recovers = d.defers // taken by the literal
	}
	if isLit && len(n.Call.Args) == 0 && lit.Type.Results.NumFields() == 0 {
		return add(nil, l.expr(lit))
	}
	var list []ast.Stmt
	temp := func(x ast.Expr) ast.Expr {
		t := ident(l.fresh("t"))
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE, Rhs: []ast.Expr{x}})
		return t
	}
	c, ok := l.expr(n.Call).(*ast.CallExpr)
	l.recovers = recovers
	if !ok {
		return flat()
	}
	if isLit {
		c.Fun = temp(c.Fun)
	} else if s, ok := ast.Unparen(n.Call.Fun).(*ast.SelectorExpr); ok && l.info.Selections[s] != nil {
		sel := l.info.Selections[s]
		lowered, ok := c.Fun.(*ast.SelectorExpr)
		switch f, isMethod := sel.Obj().(*types.Func); {
		case !ok || !isMethod || sel.Kind() != types.MethodVal:
			c.Fun = temp(c.Fun)
		case len(sel.Index()) > 1: // of an embedded field
			if _, isPtr := underlying(sel.Recv()).(*types.Pointer); isPtr || types.IsInterface(sel.Recv()) {
				lowered.X = temp(lowered.X)
			}
		case pointerReceiver(f):
			if _, isPtr := underlying(sel.Recv()).(*types.Pointer); isPtr {
				lowered.X = temp(lowered.X)
			}
		default:
			if _, isPtr := underlying(sel.Recv()).(*types.Pointer); isPtr { // the method gets a copy, made now
				lowered.X = &ast.StarExpr{X: lowered.X}
			}
			lowered.X = temp(lowered.X)
		}
	} else if id, ok := c.Fun.(*ast.Ident); ok {
		if v, isVar := l.info.Uses[identOf(n.Call.Fun)].(*types.Var); isVar && v != nil {
			c.Fun = temp(id)
		}
	} else if !l.isFuncName(n.Call.Fun) && !l.info.Types[n.Call.Fun].IsBuiltin() {
		if _, isSelector := c.Fun.(*ast.SelectorExpr); !isSelector {
			c.Fun = temp(c.Fun)
		}
	}
	for i, a := range c.Args {
		switch a := a.(type) {
		case *ast.BasicLit:
		case *ast.Ident:
			if a.Name != "nil" && a.Name != "true" && a.Name != "false" {
				c.Args[i] = temp(a)
			}
		default:
			if i < len(n.Call.Args) && l.info.Types[n.Call.Args[i]].IsType() {
				continue
			}
			if t, many := l.tupleArg(n.Call); many {
				c.Args = nil
				define := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{a}}
				for k := range t.Len() {
					id := ident(l.fresh("t") + strconv.Itoa(k))
					define.Lhs, c.Args = append(define.Lhs, id), append(c.Args, id)
				}
				list = append(list, define)
				continue
			}
			c.Args[i] = temp(a)
		}
	}
	return add(list, &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: c}}}})
}

// tupleArg reports whether a call passes on the several results of another.
func (l *lowerer) tupleArg(c *ast.CallExpr) (*types.Tuple, bool) {
	if len(c.Args) != 1 {
		return nil, false
	}
	t, ok := l.typeOf(c.Args[0]).(*types.Tuple)
	return t, ok
}

func identOf(x ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(x).(*ast.Ident)
	return id
}
