package order

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A statement with a call after an operand that it may change is built with variables for what the compiler computes
// first: calls, and other parts of which it makes copies where they stand (walk/order.go of cmd/compile). What remains,
// such as elements and fields, it reads when all of these are computed, or when the call is made whose arguments they
// are. So x[i] + f(x[j], g()) is t := g(); u := f(x[j], t); x[i] + u.

// hoister makes such statements.
type hoister struct {
	s        *Function
	captured map[*types.Var]bool
	before   []ast.Stmt // what comes before the statement in work
	unknown  bool       // it is not known in which order it is evaluated
	undo     []func()
}

// hoist rewrites the statements whose order matters, until what it returns is called. Others that are not known stay,
// and unordered finds them.
func (s *Function) hoist() (restore func()) {
	h := &hoister{s: s, captured: s.captured()}
	restore = func() {
		for i := len(h.undo) - 1; i >= 0; i-- {
			h.undo[i]()
		}
	}
	done := false
	defer func() {
		if !done { // a defect: what interpreted code is made of must not stay rewritten
			restore()
		}
	}()
	h.list(s.Syntax.Body.List, s.Results)
	done = true
	return restore
}

func (h *hoister) list(in []ast.Stmt, results *types.Tuple) {
	for i := range in {
		h.within(&in[i], results, false)
	}
}

// within looks at the statements in one, and then at itself.
func (h *hoister) within(at *ast.Stmt, results *types.Tuple, labelled bool) {
	switch n := (*at).(type) {
	case nil:
		return
	case *ast.BlockStmt:
		h.list(n.List, results)
		return
	case *ast.CaseClause:
		h.literals(n.List)
		h.list(n.Body, results)
		return
	case *ast.CommClause:
		h.literals(heads(n.Comm))
		h.list(n.Body, results)
		return
	case *ast.SelectStmt:
		h.list(n.Body.List, results)
	case *ast.LabeledStmt:
		h.within(&n.Stmt, results, true)
		return
	case *ast.IfStmt:
		h.list(n.Body.List, results)
		h.within(&n.Else, results, false)
	case *ast.ForStmt:
		h.list(n.Body.List, results)
	case *ast.RangeStmt:
		h.list(n.Body.List, results)
	case *ast.SwitchStmt:
		h.list(n.Body.List, results)
	case *ast.TypeSwitchStmt:
		h.list(n.Body.List, results)
	}
	h.literals(heads(*at))
	if !h.open(*at) {
		return
	}
	h.before, h.unknown = nil, false
	r := h.statement(*at, results, labelled)
	if h.unknown || r == nil {
		return
	}
	was := *at
	if *at = r[0]; len(r) > 1 || len(h.before) > 0 { // a label is that of the statement
		*at = &ast.BlockStmt{Lbrace: was.Pos(), Rbrace: was.End(), List: append(h.before, r...)}
	}
	h.undo = append(h.undo, func() { *at = was })
}

// heads are the expressions of a statement, but not those of statements in it.
func heads(s ast.Stmt) (list []ast.Expr) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return []ast.Expr{s.X}
	case *ast.AssignStmt:
		return append(append(list, s.Lhs...), s.Rhs...)
	case *ast.IncDecStmt:
		return []ast.Expr{s.X}
	case *ast.SendStmt:
		return []ast.Expr{s.Chan, s.Value}
	case *ast.ReturnStmt:
		return s.Results
	case *ast.GoStmt:
		return []ast.Expr{s.Call}
	case *ast.DeferStmt:
		return []ast.Expr{s.Call}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					list = append(list, v.Values...)
				}
			}
		}
	case *ast.IfStmt:
		return append(heads(s.Init), s.Cond)
	case *ast.SwitchStmt:
		return append(heads(s.Init), s.Tag)
	case *ast.TypeSwitchStmt:
		return append(heads(s.Init), heads(s.Assign)...)
	case *ast.ForStmt:
		return append(append(heads(s.Init), s.Cond), heads(s.Post)...)
	case *ast.RangeStmt:
		return []ast.Expr{s.X}
	}
	return list
}

// literals looks at the statements of function literals.
func (h *hoister) literals(list []ast.Expr) {
	for _, x := range list {
		if x == nil {
			continue
		}
		ast.Inspect(x, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				if sig, ok := h.s.Info.TypeOf(lit).Underlying().(*types.Signature); ok {
					h.list(lit.Body.List, sig.Results())
				}
			}
			return !ok
		})
	}
}

// open reports whether Go leaves open in which order a statement is evaluated, without those in it.
func (h *hoister) open(s ast.Stmt) bool {
	o := &order{s: h.s, captured: h.captured}
	one := func(s ast.Stmt) {
		if s != nil {
			o.block(&ast.BlockStmt{List: []ast.Stmt{s}})
		}
	}
	expr := func(x ast.Expr) {
		o.early = false
		o.expr(x)
	}
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.SendStmt, *ast.GoStmt,
		*ast.DeferStmt:
		one(s)
	case *ast.IfStmt:
		one(s.Init)
		expr(s.Cond)
	case *ast.SwitchStmt:
		one(s.Init)
		expr(s.Tag)
	case *ast.ForStmt:
		expr(s.Cond)
	case *ast.RangeStmt:
		expr(s.X)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			o.comm(c.(*ast.CommClause))
		}
	}
	return o.bad != nil
}

// statement is what comes in the place of a statement, after h.before.
func (h *hoister) statement(s ast.Stmt, results *types.Tuple, labelled bool) []ast.Stmt {
	switch s := s.(type) {
	case *ast.ExprStmt:
		c, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok || h.s.Info.Types[c.Fun].IsType() { // a value that a cell shows
			return []ast.Stmt{&ast.ExprStmt{X: h.expr(s.X)}}
		}
		return []ast.Stmt{&ast.ExprStmt{X: h.parts(c)}}
	case *ast.AssignStmt:
		return h.assignment(s)
	case *ast.IncDecStmt:
		c := *s
		c.X = h.left(s.X)
		return []ast.Stmt{&c}
	case *ast.SendStmt:
		c := *s
		c.Chan, c.Value = h.expr(s.Chan), h.sent(s)
		return []ast.Stmt{&c}
	case *ast.SelectStmt:
		if labelled {
			return nil
		}
		return []ast.Stmt{h.selects(s)}
	case *ast.ReturnStmt:
		c := *s
		c.Results = h.values(s.Results, results)
		return []ast.Stmt{&c}
	case *ast.GoStmt:
		return []ast.Stmt{&ast.GoStmt{Go: s.Go, Call: h.parts(s.Call).(*ast.CallExpr)}}
	case *ast.DeferStmt:
		return []ast.Stmt{&ast.DeferStmt{Defer: s.Defer, Call: h.parts(s.Call).(*ast.CallExpr)}}
	case *ast.DeclStmt:
		return h.declaration(s)
	case *ast.IfStmt:
		if !h.first(s.Init) {
			return nil
		}
		c := *s
		c.Init, c.Cond = nil, h.expr(s.Cond)
		return []ast.Stmt{&c}
	case *ast.SwitchStmt:
		if labelled || s.Tag == nil || !h.first(s.Init) {
			return nil
		}
		c := *s
		c.Init, c.Tag = nil, h.expr(s.Tag)
		return []ast.Stmt{&c}
	case *ast.RangeStmt:
		if labelled {
			return nil
		}
		c := *s
		c.X = h.expr(s.X)
		return []ast.Stmt{&c}
	case *ast.ForStmt:
		return h.loop(s)
	}
	return nil
}

// first puts the statement of an if or switch statement before it.
func (h *hoister) first(s ast.Stmt) bool {
	if s == nil {
		return true
	}
	r := h.statement(s, nil, false)
	h.before = append(h.before, r...)
	return r != nil
}

// loop evaluates the condition of a loop in its body.
func (h *hoister) loop(s *ast.ForStmt) []ast.Stmt {
	cond := h.expr(s.Cond)
	not := &ast.UnaryExpr{OpPos: s.Cond.Pos(), Op: token.NOT, X: cond}
	h.typed(not, h.s.Info.TypeOf(s.Cond))
	leave := &ast.IfStmt{If: s.Cond.Pos(), Cond: not, Body: &ast.BlockStmt{Lbrace: s.Cond.Pos(), Rbrace: s.Cond.End(),
		List: []ast.Stmt{&ast.BranchStmt{TokPos: s.Cond.Pos(), Tok: token.BREAK}}}}
	body := &ast.BlockStmt{Lbrace: s.Body.Lbrace, Rbrace: s.Body.Rbrace,
		List: append(append(h.before, leave), s.Body.List...)}
	h.before = nil
	c := *s
	c.Cond, c.Body = nil, body
	return []ast.Stmt{&c}
}

func (h *hoister) declaration(s *ast.DeclStmt) (list []ast.Stmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return nil
	}
	for _, spec := range d.Specs {
		v := *spec.(*ast.ValueSpec)
		var types []types.Type
		if v.Type != nil {
			for range v.Values {
				types = append(types, h.s.Info.TypeOf(v.Type))
			}
		}
		v.Values = h.listed(v.Values, types)
		c := *d
		c.Specs = []ast.Spec{&v}
		h.before = append(h.before, &ast.DeclStmt{Decl: &c})
	}
	return []ast.Stmt{&ast.EmptyStmt{Semicolon: s.End()}}
}

// assignment is the statement for one. Operands on the left come first.
func (h *hoister) assignment(s *ast.AssignStmt) []ast.Stmt {
	c := *s
	c.Lhs = nil
	plain := true
	for _, x := range s.Lhs {
		_, name := ast.Unparen(x).(*ast.Ident)
		plain = plain && name
		c.Lhs = append(c.Lhs, h.left(x))
	}
	if len(s.Lhs) == len(s.Rhs) {
		var to []types.Type
		for _, x := range s.Lhs {
			to = append(to, h.s.Info.TypeOf(x))
		}
		c.Rhs = h.listed(s.Rhs, to)
		if call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); ok && h.s.Info.Types[call.Fun].IsBuiltin() {
			if m, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr); ok && isMap(h.s.Info.TypeOf(m.X)) &&
				!(h.still(m.X) && h.still(m.Index)) {
				h.unknown = true // of m[k] = append(m[k], x), it computes m and k first
			}
		}
		return []ast.Stmt{&c}
	}
	switch x := ast.Unparen(s.Rhs[0]).(type) {
	case *ast.CallExpr:
		call := h.parts(x)
		if plain {
			c.Rhs = []ast.Expr{call}
			return []ast.Stmt{&c}
		}
		c.Rhs = nil
		define := &ast.AssignStmt{TokPos: s.TokPos, Tok: token.DEFINE, Rhs: []ast.Expr{call}}
		for v := range h.s.Info.TypeOf(x).(*types.Tuple).Variables() {
			set, get := h.variable(s.Pos(), v.Type())
			define.Lhs, c.Rhs = append(define.Lhs, set), append(c.Rhs, get)
		}
		return []ast.Stmt{define, &c}
	case *ast.IndexExpr:
		y := *x
		y.X, y.Index = h.expr(x.X), h.key(x)
		c.Rhs = []ast.Expr{h.same(x, &y)}
		return []ast.Stmt{&c}
	case *ast.TypeAssertExpr:
		y := *x
		y.X = h.expr(x.X)
		c.Rhs = []ast.Expr{h.same(x, &y)}
		return []ast.Stmt{&c}
	}
	return nil
}

// left is what is assigned to.
func (h *hoister) left(x ast.Expr) ast.Expr {
	switch n := ast.Unparen(x).(type) {
	case *ast.Ident:
		return n
	case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
		return h.expr(n)
	}
	h.unknown = true
	return x
}

// values are the results of a return statement.
func (h *hoister) values(list []ast.Expr, to *types.Tuple) []ast.Expr {
	if len(list) == 1 && to.Len() > 1 {
		if c, ok := ast.Unparen(list[0]).(*ast.CallExpr); ok {
			return []ast.Expr{h.parts(c)}
		}
	}
	var types []types.Type
	for v := range to.Variables() {
		types = append(types, v.Type())
	}
	return h.listed(list, types)
}

// listed are values that are assigned to others of the given types.
func (h *hoister) listed(list []ast.Expr, to []types.Type) (out []ast.Expr) {
	if len(list) == 1 && len(to) == 0 {
		if c, ok := ast.Unparen(list[0]).(*ast.CallExpr); ok {
			if _, several := h.s.Info.TypeOf(c).(*types.Tuple); several {
				return []ast.Expr{h.parts(c)}
			}
		}
	}
	for i, x := range list {
		var t types.Type
		if i < len(to) {
			t = to[i]
		}
		out = append(out, h.operand(x, t))
	}
	return out
}

// operand is a value that becomes one of another type. The compiler copies some that become interfaces.
func (h *hoister) operand(x ast.Expr, to types.Type) ast.Expr {
	from := h.s.Info.TypeOf(x)
	if to != nil && from != nil && !types.Identical(from, to) {
		h.generic(x)
	}
	y := h.expr(x)
	if to == nil || from == nil || !types.IsInterface(to) || types.IsInterface(from) {
		return y
	}
	if tv := h.s.Info.Types[x]; tv.Value != nil || tv.IsNil() || tv.Addressable() || !byAddress(from) || h.still(x) {
		return y
	}
	return h.copy(y, from)
}

// byAddress reports whether the compiler makes an interface of a value in memory: then it is copied there first, unless
// it has an address.
func byAddress(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 {
			return byAddress(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return byAddress(u.Elem())
		}
	case *types.Slice:
		return false
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return false
		}
	}
	if isPointerShaped(t) {
		return false
	}
	size := sizes.Sizeof(t)
	return (size != 2 && size != 4 && size != 8) || sizes.Alignof(t) != size
}

// isPointerShaped reports whether an interface has the value itself as its second word.
func isPointerShaped(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return false
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// sizes are those of the compiler, for 64 bits.
var sizes = types.SizesFor("gc", "amd64")
