// Package order has package ssa, and the interpreter, evaluate operands and calls in the order of Go's compiler.
//
// Go leaves open whether an operand that is read from memory, or that may panic, is evaluated before or after a call to
// the right of it. Its compiler evaluates the call first; package ssa goes from left to right. So some assignments are
// built in another form (rewrite.go), and statements with such a call with variables for what comes first (hoist.go). A
// function with any other such statement cannot be built. For the interpreter, statements are rewritten one at a time
// (statement.go).
package order

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Function is a function whose order of evaluation is looked at.
type Function struct {
	Syntax  *ast.FuncDecl
	Info    *types.Info // to which what is rewritten is added, until it is restored
	Pkg     *types.Package
	Results *types.Tuple
	Own     func(*types.Var) bool  // whether a variable is a field or is declared in the function
	Passed  func(*types.Var) bool  // whether it is one of another function, whose address it has
	Pure    func(*types.Func) bool // whether a function of a compiled package depends on its arguments alone

	alone bool // the statements of function literals do not count: see Statement
}

// Arrange rewrites the statements whose order matters, until restore is called. What it returns is an expression whose
// order is not known, nil for none.
func (s *Function) Arrange() (bad ast.Node, restore func()) {
	o, undo := s.unordered(), func() {}
	if o.bad != nil {
		undo = s.hoist()
		o = s.unordered()
	}
	whole := s.rewrite(o.whole)
	apart := s.split(o.apart)
	return o.bad, func() {
		apart()
		whole()
		undo()
	}
}

// ArrangeLater rewrites the statements whose order matters of a function that has such a go or defer statement, until
// restore is called: package defers evaluates their arguments from left to right.
func (s *Function) ArrangeLater() (restore func()) {
	h, later := &hoister{s: s, captured: s.captured()}, false
	ast.Inspect(s.Syntax.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			later = later || h.open(n)
		case *ast.DeferStmt:
			later = later || h.open(n)
		}
		return !later
	})
	if !later {
		return func() {}
	}
	return s.hoist()
}

// order looks for calls whose place among their operands is open.
// early says that an operand came before that may not come before a call.
type order struct {
	s     *Function
	early bool
	calls bool // there was a call that may have an effect
	// captured are variables of the function that literals use, and so may change.
	captured map[*types.Var]bool
	bad      ast.Node
	whole    []*ast.AssignStmt // to be built as x = x + y: see assignOp
	apart    []*ast.AssignStmt // to be built as v := y; x = v: see assign
}

// unordered looks for them: bad is one, nil for none.
func (s *Function) unordered() *order {
	o := &order{s: s, captured: s.captured()}
	o.block(s.Syntax.Body)
	return o
}

// captured are the variables of the function that literals capture and that may change after they were set first.
func (s *Function) captured() map[*types.Var]bool {
	list, changed := map[*types.Var]bool{}, s.changed()
	ast.Inspect(s.Syntax.Body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		ast.Inspect(lit, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				v, _ := s.Info.Uses[id].(*types.Var)
				if v != nil && !v.IsField() && s.Own(v) && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) &&
					(changed[v] || s.Passed(v)) {
					list[v] = true
				}
			}
			return true
		})
		return true
	})
	return list
}

// changed are variables of which something is assigned to, but where they are declared, or whose address is taken.
func (s *Function) changed() map[*types.Var]bool {
	list := map[*types.Var]bool{}
	add := func(x ast.Expr) {
		if v := s.variableOf(x); v != nil {
			list[v] = true
		}
	}
	ast.Inspect(s.Syntax.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				add(x)
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.RangeStmt:
			add(n.Key)
			add(n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X)
			}
		case *ast.SliceExpr:
			add(n.X)
		case *ast.SelectorExpr:
			if sel := s.Info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal { // which may take the address
				add(n.X)
			}
		}
		return true
	})
	return list
}

// variableOf is the variable that an expression is, or is a part of; nil for none.
func (s *Function) variableOf(x ast.Expr) *types.Var {
	switch x := x.(type) {
	case *ast.Ident:
		v, _ := s.Info.Uses[x].(*types.Var)
		return v
	case *ast.ParenExpr:
		return s.variableOf(x.X)
	case *ast.SelectorExpr:
		if s.Info.Selections[x] != nil {
			return s.variableOf(x.X)
		}
	case *ast.IndexExpr:
		return s.variableOf(x.X)
	}
	return nil
}

// block looks at the statements of a body.
func (o *order) block(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		o.early = false
		switch n := n.(type) {
		case *ast.AssignStmt:
			if o.callFirst(n) {
				return false
			}
			for _, x := range n.Lhs {
				o.left(x)
			}
			o.list(n.Rhs)
			switch n.Tok {
			case token.ASSIGN:
				o.assign(n)
			case token.DEFINE:
			default:
				o.assignOp(n)
			}
			return false
		case *ast.ReturnStmt:
			o.list(n.Results)
			return false
		case *ast.ValueSpec:
			o.list(n.Values)
			return false
		case *ast.SendStmt:
			o.send(n)
			return false
		case *ast.CommClause:
			o.comm(n)
			o.block(&ast.BlockStmt{List: n.Body})
			return false
		case ast.Expr:
			o.expr(n)
			return false
		}
		return o.bad == nil
	})
}

// callFirst looks at an assignment of what is computed by calls to an operand that these may change. It reports false
// for any other assignment.
func (o *order) callFirst(n *ast.AssignStmt) bool {
	if len(n.Lhs) != 1 || len(n.Rhs) != 1 || n.Tok == token.DEFINE || !o.steady(n.Lhs[0]) {
		return false
	}
	left, right := &order{s: o.s, captured: o.captured}, &order{s: o.s, captured: o.captured}
	if n.Tok == token.ASSIGN {
		left.left(n.Lhs[0])
	} else {
		left.expr(n.Lhs[0])
	}
	right.expr(n.Rhs[0])
	// of x += f() + y, the compiler evaluates f(), x and y
	if !left.early || !right.calls || n.Tok != token.ASSIGN && right.early {
		return false
	}
	if o.bad == nil {
		o.bad = right.bad
	}
	o.whole, o.apart = append(o.whole, right.whole...), append(append(o.apart, right.apart...), n)
	return true
}

// steady reports whether the compiler evaluates all of an operand on the left when it assigns: it has no call, and no
// element of a map, which is looked up by one.
func (o *order) steady(x ast.Expr) bool {
	tv := o.s.Info.Types[x]
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return o.steady(x.X)
	case *ast.StarExpr:
		return o.steady(x.X)
	case *ast.IndexExpr:
		_, isMap := o.s.Info.Types[x.X].Type.Underlying().(*types.Map)
		return !isMap && o.steady(x.X) && o.steady(x.Index)
	case *ast.BinaryExpr:
		b, ok := tv.Type.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0 && o.steady(x.X) && o.steady(x.Y)
	}
	return false
}

// assign looks at x = y, where y and what leads to x may panic. The compiler evaluates y first, package ssa x.
func (o *order) assign(n *ast.AssignStmt) {
	if len(n.Lhs) != 1 {
		return
	}
	left, right := &order{s: o.s, captured: o.captured}, &order{s: o.s, captured: o.captured}
	left.left(n.Lhs[0])
	right.expr(n.Rhs[0])
	if left.early && right.early && !left.calls && !right.calls {
		o.apart = append(o.apart, n)
	}
}

// assignOp looks at x += y, where both may panic. The compiler reads x first, package ssa y.
func (o *order) assignOp(n *ast.AssignStmt) {
	right := &order{s: o.s, captured: o.captured}
	right.expr(n.Rhs[0])
	if _, plain := ast.Unparen(n.Lhs[0]).(*ast.Ident); plain || !right.early {
		return
	}
	left := &order{s: o.s, captured: o.captured}
	left.expr(n.Lhs[0])
	if (left.calls || right.calls) && o.bad == nil {
		o.bad = n
	}
	o.whole = append(o.whole, n)
}

func (o *order) list(xs []ast.Expr) {
	for _, x := range xs {
		o.expr(x)
	}
}

// left looks at the operands of what is assigned to.
func (o *order) left(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		o.expr(x.X)
		o.expr(x.Index)
	case *ast.StarExpr:
		o.expr(x.X)
	case *ast.SelectorExpr:
		o.expr(x.X)
	}
}

func (o *order) expr(x ast.Expr) {
	if tv := o.s.Info.Types[x]; x != nil && (tv.IsType() || tv.Value != nil) {
		return
	}
	switch x := x.(type) {
	case nil, *ast.BasicLit:
	case *ast.Ident: // a variable that the call may change
		if v, ok := o.s.Info.Uses[x].(*types.Var); ok && (!o.s.Own(v) || o.captured[v]) {
			o.early = true
		}
	case *ast.ParenExpr:
		o.expr(x.X)
	case *ast.UnaryExpr:
		before := o.early
		if o.expr(x.X); x.Op == token.ARROW { // which is as a call
			o.called(before, x)
		}
	case *ast.BinaryExpr:
		before := o.early
		o.expr(x.X)
		if x.Op == token.LAND || x.Op == token.LOR {
			o.early = before
		}
		o.expr(x.Y)
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			o.early = o.early || o.s.Info.Types[x.Y].Value == nil
		}
	case *ast.IndexExpr:
		o.expr(x.X)
		o.expr(x.Index)
		o.early = true
	case *ast.SliceExpr:
		o.list([]ast.Expr{x.X, x.Low, x.High, x.Max})
		o.early = true
	case *ast.StarExpr:
		o.expr(x.X)
		o.early = true
	case *ast.SelectorExpr:
		if sel := o.s.Info.Selections[x]; sel != nil {
			o.expr(x.X)
			_, plain := ast.Unparen(x.X).(*ast.Ident)
			o.early = o.early || !plain || sel.Indirect()
		}
	case *ast.CompositeLit:
		_, isMap := o.s.Info.TypeOf(x).Underlying().(*types.Map)
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if e = kv.Value; isMap {
					o.expr(kv.Key)
				}
			}
			o.expr(e)
		}
	case *ast.CallExpr:
		o.call(x)
	case *ast.FuncLit: // which has an effect when it is called
		if o.s.alone {
			break
		}
		inner := &order{s: o.s, captured: o.captured}
		inner.block(x.Body)
		o.whole, o.apart = append(o.whole, inner.whole...), append(o.apart, inner.apart...)
		if o.bad == nil {
			o.bad = inner.bad
		}
	default:
		o.early = true
	}
}

func (o *order) call(x *ast.CallExpr) {
	before := o.early
	if f, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && o.s.Info.Selections[f] != nil {
		o.expr(f.X)
	}
	if f, ok := ast.Unparen(x.Fun).(*ast.FuncLit); ok {
		o.expr(f)
	}
	tv := o.s.Info.Types[x.Fun]
	if o.readsFunction(x.Fun) { // the compiler reads it after the arguments, package ssa before
		was := o.calls
		o.early, o.calls = before, false
		o.list(x.Args)
		if o.calls && o.bad == nil {
			o.bad = x
		}
		o.calls = o.calls || was
	} else {
		o.list(x.Args)
	}
	if tv.IsType() {
		return
	}
	if tv.IsBuiltin() {
		id, _ := ast.Unparen(x.Fun).(*ast.Ident)
		if id != nil && (id.Name == "len" || id.Name == "cap" || id.Name == "min" || id.Name == "max") {
			return
		}
	} else if f, ok := o.s.callee(x.Fun).(*types.Func); ok && f.Pkg() != o.s.Pkg &&
		f.Pkg() != nil && o.s.Pure(f) {
		return // it depends on its arguments alone
	}
	o.called(before, x)
}

// called notes a call after operands, of which some may be evaluated late.
func (o *order) called(before bool, x ast.Expr) {
	o.calls = true
	if before && o.bad == nil {
		o.bad = x
	}
	o.early = before // the arguments have been evaluated before any later call
}

// readsFunction looks at what is called, and reports whether it is a function value that a call may change.
func (o *order) readsFunction(fun ast.Expr) bool {
	fun = ast.Unparen(fun)
	if tv := o.s.Info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return false
	}
	switch f := fun.(type) {
	case *ast.FuncLit:
		return false
	case *ast.IndexExpr: // an instance
		if _, ok := o.s.callee(f.X).(*types.Func); ok {
			return false
		}
	case *ast.IndexListExpr:
		return false
	case *ast.Ident:
		v, ok := o.s.Info.Uses[f].(*types.Var)
		return ok && (!o.s.Own(v) || o.captured[v])
	case *ast.SelectorExpr:
		if _, ok := o.s.Info.Uses[f.Sel].(*types.Func); ok {
			return false
		}
	}
	o.expr(fun)
	return true
}

// callee is the object that a call names, nil for none.
func (s *Function) callee(fun ast.Expr) types.Object {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return s.Info.Uses[f]
	case *ast.SelectorExpr:
		return s.Info.Uses[f.Sel]
	}
	return nil
}
