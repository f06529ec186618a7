package defers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Function is a function that may defer calls.
type Function struct {
	Syntax  *ast.FuncDecl
	Info    *types.Info // to which what is rewritten is added, until it is restored
	Pkg     *types.Package
	Results *types.Tuple
	// Session reports whether a function is one that may be interpreted: recover in it asks how it was called.
	Session func(*types.Func) bool
}

// Rewrite rewrites the function and the literals in it that defer calls or start goroutines, until restore is called.
// bad is a call of a form that is not known, nil for none.
func (f *Function) Rewrite() (bad ast.Node, restore func()) {
	r := &rewriter{Function: f, made: map[ast.Node]bool{}}
	done := false
	defer func() {
		if !done { // a defect: what interpreted code is made of must not stay rewritten
			r.restore()
		}
	}()
	var lits []*ast.FuncLit
	ast.Inspect(f.Syntax.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			lits = append(lits, lit)
		}
		return true
	})
	for i := len(lits) - 1; i >= 0; i-- { // those within others first
		if sig, ok := types.Unalias(f.Info.TypeOf(lits[i])).(*types.Signature); ok {
			r.function(lits[i].Body, sig.Results())
		}
	}
	r.function(f.Syntax.Body, f.Results)
	done = true
	return r.bad, r.restore
}

type rewriter struct {
	*Function
	d     *types.Var // of the function in work
	going bool       // a go statement is in work
	light bool       // the deferred calls of the function in work cannot recover
	bad   ast.Node
	made  map[ast.Node]bool // statements that were made here
	undos []func()
}

func (r *rewriter) restore() {
	for i := len(r.undos) - 1; i >= 0; i-- {
		r.undos[i]()
	}
	r.undos = nil
}

func (r *rewriter) undo(f func()) { r.undos = append(r.undos, f) }

// Find finds a deferred call in a body, but for those of the literals in it, nil without any.
func Find(body ast.Stmt) (at *ast.DeferStmt) {
	own(body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			at = d
		}
		return at == nil
	})
	return at
}

// own calls visit with the function's own nodes.
func own(body ast.Stmt, visit func(ast.Node) bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		return visit(n)
	})
}

// function rewrites the body of a function with the given results.
func (r *rewriter) function(body *ast.BlockStmt, results *types.Tuple) {
	replace(body, func(s ast.Stmt) ast.Stmt {
		if n, ok := s.(*ast.GoStmt); ok {
			return r.starts(n)
		}
		return s
	}, r.undo)
	if Find(body) == nil {
		return
	}
	at := body.Lbrace
	var list []ast.Stmt
	vars := make([]*types.Var, results.Len())
	for i := range vars {
		v := results.At(i)
		if v.Name() == "" || v.Name() == "_" {
			v = types.NewVar(at, r.Pkg, "result", v.Type())
			list = append(list, r.declares(v, at))
		}
		vars[i] = v
	}
	if r.light = r.isLight(body); r.light {
		list = append(list, r.lightly(body, vars)...)
	} else {
		r.d = types.NewVar(at, r.Pkg, "defers", types.NewPointer(types.Typ[types.Byte]))
		r.statements(body, vars, nil)
		inner := r.literal(body.List, at)
		list = append(list, r.assign(r.d, r.call("New", at), at),
			&ast.ExprStmt{X: r.call("Run", body.Rbrace, r.use(r.d, token.NoPos), inner)})
	}
	end := &ast.ReturnStmt{Return: body.Rbrace}
	for _, v := range vars {
		end.Results = append(end.Results, r.use(v, token.NoPos))
	}
	was := body.List
	body.List = append(list, end)
	r.undo(func() { body.List = was })
}

// statements rewrites the return and defer statements of a body, which a break with a label leaves, unless that is nil.
func (r *rewriter) statements(body *ast.BlockStmt, results []*types.Var, label *types.Label) {
	replace(body, func(s ast.Stmt) ast.Stmt {
		switch n := s.(type) {
		case *ast.ReturnStmt:
			if !r.made[n] && (len(n.Results) > 0 || label != nil) {
				return r.returns(n, results, label)
			}
		case *ast.DeferStmt:
			return r.defers(n)
		}
		return s
	}, r.undo)
}

// replace puts others in the place of the function's own statements, until what undo is given is called.
func replace(body *ast.BlockStmt, by func(ast.Stmt) ast.Stmt, undo func(func())) {
	one := func(at *ast.Stmt) {
		was := *at
		if s := by(was); s != was {
			*at = s
			undo(func() { *at = was })
		}
	}
	own(body, func(n ast.Node) bool {
		var in []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			in = n.List
		case *ast.CaseClause:
			in = n.Body
		case *ast.CommClause:
			in = n.Body
		case *ast.LabeledStmt:
			one(&n.Stmt)
		}
		for i := range in {
			one(&in[i])
		}
		return true
	})
}

// returns sets the results and returns, or leaves the statement with a label.
func (r *rewriter) returns(n *ast.ReturnStmt, results []*types.Var, label *types.Label) ast.Stmt {
	if label != nil {
		leave := &ast.BranchStmt{TokPos: n.Return, Tok: token.BREAK, Label: r.labelled(label, n.Return, false)}
		if len(n.Results) == 0 {
			return leave
		}
		return &ast.BlockStmt{Lbrace: n.Return, Rbrace: n.End(), List: []ast.Stmt{r.sets(n, results), leave}}
	}
	end := &ast.ReturnStmt{Return: n.Return}
	r.made[end] = true
	return &ast.BlockStmt{Lbrace: n.Return, Rbrace: n.End(), List: []ast.Stmt{r.sets(n, results), end}}
}

// sets sets the results.
func (r *rewriter) sets(n *ast.ReturnStmt, results []*types.Var) ast.Stmt {
	set := &ast.AssignStmt{TokPos: n.Return, Tok: token.ASSIGN, Rhs: n.Results}
	for _, v := range results {
		set.Lhs = append(set.Lhs, r.use(v, n.Return))
	}
	return set
}

// typed notes the type of an expression that was made here.
func (r *rewriter) typed(x ast.Expr, t types.Type) ast.Expr {
	r.Info.Types[x] = types.TypeAndValue{Type: t}
	r.undo(func() { delete(r.Info.Types, x) })
	return x
}

func (r *rewriter) defines(v *types.Var, at token.Pos) *ast.Ident {
	id := &ast.Ident{Name: v.Name(), NamePos: at}
	r.Info.Defs[id] = v
	r.undo(func() { delete(r.Info.Defs, id) })
	return id
}

func (r *rewriter) use(o types.Object, at token.Pos) ast.Expr {
	id := &ast.Ident{Name: o.Name(), NamePos: at}
	r.Info.Uses[id] = o
	r.undo(func() { delete(r.Info.Uses, id) })
	return r.typed(id, o.Type())
}

// assign defines a variable.
func (r *rewriter) assign(v *types.Var, x ast.Expr, at token.Pos) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{r.defines(v, at)}, TokPos: at, Tok: token.DEFINE, Rhs: []ast.Expr{x}}
}

// call calls one of the functions of Package. Without a position it has no place in traces.
func (r *rewriter) call(name string, at token.Pos, args ...ast.Expr) ast.Expr {
	f := object(name)
	c := &ast.CallExpr{Fun: r.use(f, at), Lparen: at, Args: args}
	switch results := f.Signature().Results(); results.Len() {
	case 1:
		return r.typed(c, results.At(0).Type())
	default:
		return r.typed(c, results)
	}
}

// declares declares a variable.
func (r *rewriter) declares(v *types.Var, at token.Pos) ast.Stmt {
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
		Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{r.defines(v, at)}}}}}
}

// literal is a function literal without parameters and results.
func (r *rewriter) literal(list []ast.Stmt, at token.Pos) ast.Expr {
	lit := &ast.FuncLit{Type: &ast.FuncType{Func: at, Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{Lbrace: at, Rbrace: at, List: list}}
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	r.typed(lit.Type, sig)
	return r.typed(lit, sig)
}

func (r *rewriter) text(s string) ast.Expr {
	x := &ast.BasicLit{Kind: token.STRING, Value: `""`}
	r.Info.Types[x] = types.TypeAndValue{Type: types.Typ[types.String], Value: constant.MakeString(s)}
	r.undo(func() { delete(r.Info.Types, x) })
	return x
}
