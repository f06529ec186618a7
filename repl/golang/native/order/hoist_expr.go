package order

import (
	"go/ast"
	"go/token"
	"go/types"
)

// expr is an expression without what the compiler computes before the rest.
func (h *hoister) expr(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	if tv := h.s.Info.Types[x]; tv.IsType() || tv.Value != nil {
		return x
	}
	switch n := x.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit, *ast.IndexListExpr:
		return x
	case *ast.ParenExpr:
		return h.expr(n.X)
	case *ast.UnaryExpr:
		y := *n
		y.X = h.expr(n.X)
		if n.Op == token.ARROW {
			if _, several := h.s.Info.TypeOf(x).(*types.Tuple); several {
				break
			}
			return h.copy(h.same(x, &y), h.s.Info.TypeOf(x))
		}
		return h.same(x, &y)
	case *ast.BinaryExpr:
		return h.binary(n)
	case *ast.StarExpr:
		y := *n
		y.X = h.expr(n.X)
		return h.same(x, &y)
	case *ast.IndexExpr:
		if t := h.s.Info.Types[n.X]; t.Type == nil {
			return x
		} else if _, generic := t.Type.Underlying().(*types.Signature); generic {
			return x
		}
		y := *n
		y.X, y.Index = h.expr(n.X), h.key(n)
		return h.same(x, &y)
	case *ast.SliceExpr:
		y := *n
		y.X, y.Low, y.High, y.Max = h.expr(n.X), h.bound(n.Low), h.bound(n.High), h.bound(n.Max)
		return h.copy(h.same(x, &y), h.s.Info.TypeOf(x))
	case *ast.SelectorExpr:
		return h.selector(n)
	case *ast.TypeAssertExpr:
		y := *n
		y.X = h.expr(n.X)
		if t := h.s.Info.TypeOf(x); !isPointerShaped(t) {
			return h.copy(h.same(x, &y), t)
		}
		return h.same(x, &y)
	case *ast.CompositeLit:
		return h.composite(n)
	case *ast.CallExpr:
		return h.call(n)
	}
	h.unknown = true
	return x
}

// bound is one of a slice expression. The compiler copies those that are not variables.
func (h *hoister) bound(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	y := h.expr(x)
	if _, variable := ast.Unparen(y).(*ast.Ident); variable || h.s.Info.Types[x].Value != nil || h.still(x) {
		return y
	}
	return h.copy(y, h.s.Info.TypeOf(x))
}

// key is the index of an expression. The compiler copies some keys of maps.
func (h *hoister) key(n *ast.IndexExpr) ast.Expr {
	y := h.expr(n.Index)
	m, ok := h.s.Info.TypeOf(n.X).Underlying().(*types.Map)
	if !ok || h.s.Info.Types[n.Index].Value != nil || h.still(n.Index) {
		return y
	}
	b, basic := m.Key().Underlying().(*types.Basic)
	if _, param := m.Elem().(*types.TypeParam); param || !basic || sizes.Sizeof(m.Elem()) > 128 {
		h.unknown = true
		return y
	}
	call, isCall := ast.Unparen(n.Index).(*ast.CallExpr)
	switch {
	case b.Info()&types.IsString != 0:
		h.unknown = h.unknown || isCall && h.s.Info.Types[call.Fun].IsType()
	case b.Info()&types.IsInteger == 0 || sizes.Sizeof(b) < 4:
		h.unknown = true
	}
	return y
}

// still reports whether an operand is a variable that no call changes, or depends on such ones alone.
func (h *hoister) still(x ast.Expr) bool {
	o := &order{s: h.s, captured: h.captured}
	o.expr(x)
	return !o.early && !o.calls
}

func (h *hoister) binary(n *ast.BinaryExpr) ast.Expr {
	if n.Op == token.LAND || n.Op == token.LOR {
		return h.logical(n)
	}
	h.generic(n.X)
	switch h.s.Info.TypeOf(n.X).Underlying().(type) {
	case *types.Struct, *types.Array: // which are copied where they are compared, unless they have an address
		for _, x := range []ast.Expr{n.X, n.Y} {
			if !h.s.Info.Types[x].Addressable() && !h.still(x) {
				h.unknown = true
			}
		}
	case *types.Interface:
		if t := h.s.Info.TypeOf(n.Y); !types.IsInterface(t) && !h.still(n.Y) {
			h.unknown = true
		}
	default:
		if types.IsInterface(h.s.Info.TypeOf(n.Y)) && !h.still(n.X) {
			h.unknown = true
		}
	}
	y := *n
	y.X, y.Y = h.expr(n.X), h.expr(n.Y)
	return h.same(n, &y)
}

// generic notes an operand whose type is a parameter: it may be copied or not.
func (h *hoister) generic(x ast.Expr) {
	if _, ok := types.Unalias(h.s.Info.TypeOf(x)).(*types.TypeParam); ok && !h.still(x) {
		h.unknown = true
	}
}

// logical computes x && y or x || y where it stands.
func (h *hoister) logical(n *ast.BinaryExpr) ast.Expr {
	t := types.Default(h.s.Info.TypeOf(n))
	set, get := h.variable(n.Pos(), t)
	v := h.s.Info.Defs[set]
	h.before = append(h.before, &ast.AssignStmt{Lhs: []ast.Expr{set}, TokPos: n.Pos(), Tok: token.DEFINE,
		Rhs: []ast.Expr{h.expr(n.X)}})
	before := h.before
	h.before = nil
	y := h.expr(n.Y)
	inner := append(h.before, &ast.AssignStmt{Lhs: []ast.Expr{h.use(v, n.Pos())}, TokPos: n.Pos(), Tok: token.ASSIGN,
		Rhs: []ast.Expr{y}})
	var cond ast.Expr = h.use(v, n.Pos())
	if n.Op == token.LOR {
		cond = &ast.UnaryExpr{OpPos: n.Pos(), Op: token.NOT, X: cond}
		h.typed(cond, t)
	}
	h.before = append(before, &ast.IfStmt{If: n.Pos(), Cond: cond,
		Body: &ast.BlockStmt{Lbrace: n.Pos(), Rbrace: n.End(), List: inner}})
	return get
}

// selector is a field of a value. The package's name, methods and functions have no value to compute.
func (h *hoister) selector(n *ast.SelectorExpr) ast.Expr {
	sel := h.s.Info.Selections[n]
	if sel == nil || sel.Kind() == types.MethodExpr {
		return n
	}
	if sel.Kind() == types.MethodVal {
		h.unknown = true
		return n
	}
	return h.select_(n, sel)
}

func (h *hoister) select_(n *ast.SelectorExpr, sel *types.Selection) ast.Expr {
	y := *n
	if y.X = h.expr(n.X); y.X == n.X {
		return n
	}
	h.s.Info.Selections[&y] = sel
	h.undo = append(h.undo, func() { delete(h.s.Info.Selections, &y) })
	return h.same(n, &y)
}

func (h *hoister) composite(n *ast.CompositeLit) ast.Expr {
	y := *n
	y.Elts = nil
	t := h.s.Info.TypeOf(n).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if m, ok := t.(*types.Map); ok {
		return h.entries(n, m)
	}
	for i, e := range n.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		var to types.Type
		switch t := t.(type) {
		case *types.Struct:
			if to = nil; keyed {
				if f, ok := h.s.Info.Uses[kv.Key.(*ast.Ident)].(*types.Var); ok {
					to = f.Type()
				}
			} else {
				to = t.Field(i).Type()
			}
		case interface{ Elem() types.Type }:
			to = t.Elem()
		}
		if !keyed {
			y.Elts = append(y.Elts, h.operand(e, to))
			continue
		}
		c := *kv
		c.Value = h.operand(kv.Value, to)
		y.Elts = append(y.Elts, &c)
	}
	return h.same(n, &y)
}

// entries is a map with its entries, of which the compiler sets one after another, as by assignments.
func (h *hoister) entries(n *ast.CompositeLit, m *types.Map) ast.Expr {
	y := *n
	y.Elts = nil
	if _, pointer := h.s.Info.TypeOf(n).Underlying().(*types.Pointer); pointer { // its type is left out
		h.unknown = true
		return n
	}
	set, get := h.variable(n.Pos(), h.s.Info.TypeOf(n))
	v := h.s.Info.Defs[set]
	h.before = append(h.before, &ast.AssignStmt{Lhs: []ast.Expr{set}, TokPos: n.Pos(), Tok: token.DEFINE,
		Rhs: []ast.Expr{h.same(n, &y)}})
	for _, e := range n.Elts {
		kv := e.(*ast.KeyValueExpr)
		at := &ast.IndexExpr{X: h.use(v, kv.Pos()), Lbrack: kv.Pos(), Rbrack: kv.Colon}
		h.typed(at, m.Elem())
		at.Index = h.whole(kv.Key, n.Type, true)
		set := &ast.AssignStmt{Lhs: []ast.Expr{at}, TokPos: kv.Pos(), Tok: token.ASSIGN,
			Rhs: []ast.Expr{h.whole(kv.Value, n.Type, false)}}
		h.before = append(h.before, h.assignment(set)...)
	}
	return get
}

// whole is a key or a value of a map of the given type with its own type, which literals in literals may leave out.
func (h *hoister) whole(x, of ast.Expr, key bool) ast.Expr {
	c, ok := x.(*ast.CompositeLit)
	if !ok || c.Type != nil {
		return x
	}
	m, ok := of.(*ast.MapType)
	if _, pointer := h.s.Info.TypeOf(x).Underlying().(*types.Pointer); !ok || pointer {
		h.unknown = true
		return x
	}
	y := *c
	if y.Type = m.Value; key {
		y.Type = m.Key
	}
	return h.same(x, &y)
}

// call is a call, a conversion or a builtin function.
func (h *hoister) call(n *ast.CallExpr) ast.Expr {
	t := h.s.Info.TypeOf(n)
	if h.s.Info.Types[n.Fun].IsType() {
		y := *n
		h.generic(n.Args[0])
		y.Args = []ast.Expr{h.operand(n.Args[0], t)}
		r := h.same(n, &y)
		if _, slice := t.Underlying().(*types.Slice); slice && isString(h.s.Info.TypeOf(n.Args[0])) {
			return h.copy(r, t)
		}
		return r
	}
	c := h.parts(n)
	if tuple, several := t.(*types.Tuple); several {
		if tuple.Len() > 1 {
			return c // the arguments of another call
		}
		h.unknown = true
		return c
	}
	return h.copy(c, t)
}

// parts is a call whose arguments are computed.
func (h *hoister) parts(n *ast.CallExpr) ast.Expr {
	y := *n
	fun := ast.Unparen(n.Fun)
	tv := h.s.Info.Types[fun]
	if sel, ok := fun.(*ast.SelectorExpr); ok && h.s.Info.Selections[sel] != nil {
		if s := h.s.Info.Selections[sel]; s.Kind() != types.MethodExpr {
			y.Fun = h.select_(sel, s)
		}
	} else if !tv.IsBuiltin() && h.s.callee(fun) == nil {
		y.Fun = h.expr(fun)
	}
	sig, _ := tv.Type.Underlying().(*types.Signature)
	y.Args = nil
	for i, a := range n.Args {
		var to types.Type
		switch {
		case tv.IsBuiltin() || sig == nil:
			if s, ok := h.s.Info.TypeOf(n).Underlying().(*types.Slice); ok && i > 0 && n.Ellipsis == 0 { // append
				to = s.Elem()
			}
		case sig.Variadic() && i >= sig.Params().Len()-1:
			if to = sig.Params().At(sig.Params().Len() - 1).Type(); n.Ellipsis == 0 {
				if s, ok := to.Underlying().(*types.Slice); ok {
					to = s.Elem()
				}
			}
		case i < sig.Params().Len():
			to = sig.Params().At(i).Type()
		}
		y.Args = append(y.Args, h.operand(a, to))
	}
	return h.same(n, &y)
}

// copy puts a value into a variable before the statement.
func (h *hoister) copy(x ast.Expr, t types.Type) ast.Expr {
	set, get := h.variable(x.Pos(), types.Default(t))
	h.before = append(h.before, &ast.AssignStmt{Lhs: []ast.Expr{set}, TokPos: x.Pos(), Tok: token.DEFINE,
		Rhs: []ast.Expr{x}})
	return get
}

// variable makes one, as what sets it and what reads it.
func (h *hoister) variable(pos token.Pos, t types.Type) (set, get *ast.Ident) {
	v := types.NewVar(pos, h.s.Pkg, "value", t)
	set = &ast.Ident{Name: "value", NamePos: pos}
	h.s.Info.Defs[set] = v
	h.undo = append(h.undo, func() { delete(h.s.Info.Defs, set) })
	return set, h.use(v, pos)
}

func (h *hoister) use(v types.Object, pos token.Pos) *ast.Ident {
	id := &ast.Ident{Name: "value", NamePos: pos}
	h.s.Info.Uses[id] = v
	h.undo = append(h.undo, func() { delete(h.s.Info.Uses, id) })
	h.typed(id, v.Type())
	return id
}

// same gives a copy of an expression what is known of it.
func (h *hoister) same(x, y ast.Expr) ast.Expr {
	h.s.Info.Types[y] = h.s.Info.Types[x]
	h.undo = append(h.undo, func() { delete(h.s.Info.Types, y) })
	return y
}

func (h *hoister) typed(x ast.Expr, t types.Type) {
	h.s.Info.Types[x] = types.TypeAndValue{Type: t}
	h.undo = append(h.undo, func() { delete(h.s.Info.Types, x) })
}
