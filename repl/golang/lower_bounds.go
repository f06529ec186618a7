package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// yaegi's own errors of an index or a slice expression lack the numbers that Go's have, so lowered code checks by itself. A check
// stands before the statement where the operands are evaluated in any case, before anything that could change them, and
// can be evaluated twice: a comparison costs a tenth of a call. In a condition it stands before the comparison that has the index.
// Anywhere else the expression becomes a call of a helper that checks.

// bounds returns the checks that stand before a statement of a cell, and notes those that must stand inside of it.
func (l *lowerer) bounds(s ast.Stmt) []ast.Stmt {
	if _, ok := l.e.sources[l.e.fset.Position(s.Pos()).Filename]; !ok && !isProbe(s) {
		return nil // of the standard library
	}
	if l.c.late == nil {
		l.c.late = map[ast.Expr][]ast.Expr{}
		inner := l.c.hook
		l.c.hook = func(n ast.Node) (ast.Node, bool) {
			if x, ok := n.(ast.Expr); ok {
				if r := l.checkedInside(x); r != nil {
					return r, true
				}
			}
			return inner(n)
		}
	}
	b := &bounder{l: l}
	b.stmt(s)
	return b.list
}

// isProbe reports whether a statement is there for its bounds check alone, as in slices.Insert.
func isProbe(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return false
	}
	id, isIdent := a.Lhs[0].(*ast.Ident)
	_, isSlice := a.Rhs[0].(*ast.SliceExpr)
	return isIdent && id.Name == "_" && isSlice
}

// bounder visits a statement in the order in which its parts are evaluated.
type bounder struct {
	l    *lowerer
	list []ast.Stmt // the checks before the statement
	kept bool       // the expression's place is wanted, not its value
	late bool       // something has been evaluated that may change operands, or what follows may not be evaluated
}

func (b *bounder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		b.values(s.Rhs...)
		if s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN {
			b.shift(s.Rhs[0])
		}
		if !b.late {
			b.place(s.Lhs...)
		}
	case *ast.ExprStmt:
		b.value(s.X)
	case *ast.IncDecStmt:
		b.place(s.X)
	case *ast.ReturnStmt:
		b.values(s.Results...)
	case *ast.SendStmt:
		b.values(s.Chan, s.Value)
	case *ast.GoStmt:
		b.value(s.Call)
	case *ast.DeferStmt:
		b.value(s.Call)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				b.values(v.Values...)
			}
		}
	case *ast.RangeStmt:
		b.value(s.X)
	case *ast.LabeledStmt: // a goto comes back without the checks before it
		b.late = true
		b.stmt(s.Stmt)
	case *ast.IfStmt:
		b.first(s.Init)
		if b.late {
			b.condition(s.Cond)
		} else {
			b.value(s.Cond)
		}
		if e, ok := s.Else.(*ast.IfStmt); ok {
			b.late = true
			b.stmt(e)
		}
	case *ast.SwitchStmt:
		b.first(s.Init)
		b.value(s.Tag)
		b.late = true
		for _, c := range s.Body.List {
			b.values(c.(*ast.CaseClause).List...)
		}
	case *ast.ForStmt:
		b.first(s.Init)
		b.late = true
		if s.Cond != nil {
			b.condition(s.Cond)
		}
		if s.Post != nil {
			b.stmt(s.Post)
		}
	}
}

// first visits the statement in front of a condition, which changes what the condition sees.
func (b *bounder) first(init ast.Stmt) {
	if init != nil {
		b.stmt(init)
		b.late = true
	}
}

// place visits what is assigned to, or has its address taken.
func (b *bounder) place(xs ...ast.Expr) {
	kept := b.kept
	b.kept = true
	b.values(xs...)
	b.kept = kept
}

func (b *bounder) values(xs ...ast.Expr) {
	for _, x := range xs {
		b.value(x)
	}
}

func (b *bounder) value(x ast.Expr) {
	if x == nil || b.l.info.Types[x].IsType() {
		return
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		b.value(x.X)
	case *ast.StarExpr:
		b.value(x.X)
	case *ast.TypeAssertExpr:
		b.value(x.X)
	case *ast.SelectorExpr:
		b.place(x.X) // a method may take the address
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			b.place(x.X)
			return
		}
		b.value(x.X)
		b.late = b.late || x.Op == token.ARROW
	case *ast.BinaryExpr:
		b.value(x.X)
		if x.Op == token.SHL || x.Op == token.SHR {
			b.shift(x.Y)
		}
		if x.Op != token.LAND && x.Op != token.LOR {
			b.value(x.Y)
			return
		}
		late := b.late
		b.late = true
		b.condition(x.Y)
		b.late = late || !b.l.calm(x.Y)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				b.value(kv.Value)
				continue
			}
			b.value(e)
		}
	case *ast.CallExpr:
		b.call(x)
	case *ast.IndexExpr:
		b.values(x.X, x.Index)
		b.check(x)
	case *ast.SliceExpr:
		b.values(x.X, x.Low, x.High, x.Max)
		b.check(x)
	}
}

func (b *bounder) call(x *ast.CallExpr) {
	if !b.l.info.Types[x.Fun].IsType() {
		b.value(x.Fun)
	}
	b.values(x.Args...)
	b.late = b.late || !b.l.calmCall(x)
}

// condition visits an operand that may not be evaluated: its checks stand before it, where it is evaluated.
func (b *bounder) condition(x ast.Expr) {
	if p, ok := x.(*ast.BinaryExpr); ok && (p.Op == token.LAND || p.Op == token.LOR) {
		b.condition(p.X)
		b.condition(p.Y)
		return
	}
	if p, ok := x.(*ast.ParenExpr); ok {
		b.condition(p.X)
		return
	}
	if !b.l.calm(x) {
		b.value(x)
		return
	}
	inner := &bounder{l: b.l}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			return n.Op != token.LAND && n.Op != token.LOR
		case *ast.IndexExpr:
			inner.values(n.X, n.Index)
			inner.check(n)
			return false
		case *ast.SliceExpr:
			inner.values(n.X, n.Low, n.High, n.Max)
			inner.check(n)
			return false
		}
		return true
	})
	var conds []ast.Expr
	for _, s := range inner.list {
		i := s.(*ast.IfStmt)
		fail := i.Body.List[0].(*ast.ExprStmt).X
		conds = append(conds, &ast.BinaryExpr{X: &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: i.Cond}}, Op: token.LOR, Y: fail})
	}
	if len(conds) > 0 {
		b.l.c.late[x] = conds
	}
}

// check checks an index or slice expression, before the statement where that can be.
func (b *bounder) check(n ast.Expr) {
	cond, fail := b.l.outOfRange(n)
	if fail == nil {
		return
	}
	b.l.origin[fail] = n.Pos()
	if !b.late && cond != nil {
		b.list = append(b.list, &ast.IfStmt{Cond: cond, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: fail}}}})
		return
	}
	if cond != nil {
		b.l.c.late[n] = inPlace
		return
	}
	if !b.kept {
		b.l.c.late[n] = nil
	}
}

// inPlace marks an expression whose operands can be evaluated twice.
var inPlace = []ast.Expr{}

// shift checks that a shift count is not negative, which yaegi does not, before the statement where that can be.
func (b *bounder) shift(n ast.Expr) {
	t, ok := underlying(b.l.typeOf(n)).(*types.Basic)
	if !ok || t.Info()&types.IsUnsigned != 0 || b.l.info.Types[n].Value != nil {
		return
	}
	if b.late || !b.l.twice(n) {
		b.l.signed[n] = true
		return
	}
	cond := &ast.BinaryExpr{X: b.l.asInt(n), Op: token.LSS, Y: &ast.BasicLit{Kind: token.INT, Value: "0"}}
	b.list = append(b.list, &ast.IfStmt{Cond: cond, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call(runtimePkg+".Shift", b.l.asInt(n))}}}})
}

// checkedInside lowers an expression that is checked where it stands, nil for any other.
func (l *lowerer) checkedInside(x ast.Expr) ast.Expr {
	conds, ok := l.c.late[x]
	if !ok {
		return l.throughPointer(x)
	}
	delete(l.c.late, x)
	defer func() { l.c.late[x] = conds }()
	if len(conds) > 0 {
		r := l.expr(x)
		for i := len(conds) - 1; i >= 0; i-- {
			r = &ast.BinaryExpr{X: &ast.ParenExpr{X: conds[i]}, Op: token.LAND, Y: r}
		}
		return &ast.ParenExpr{X: r}
	}
	switch x := x.(type) {
	case *ast.IndexExpr:
		if conds == nil && !simple(x.X) {
			t, elem := l.typeSource(types.Default(l.typeOf(x.X))), l.typeSource(l.typeOf(x))
			get := l.helper("get", t, "func %s(x "+t+", i int) "+elem+" {\nif i < 0 || i >= len(x) { "+runtimePkg+".Index(i, len(x)) }\nreturn x[i]\n}")
			return call(get, l.expr(x.X), l.asInt(x.Index))
		}
		at := l.helper("at", "", "func %s(i, n int) int {\nif i < 0 || i >= n { "+runtimePkg+".Index(i, n) }\nreturn i\n}")
		operand := l.expr(x.X)
		if _, isPtr := underlying(l.typeOf(x.X)).(*types.Pointer); isPtr {
			operand = &ast.ParenExpr{X: &ast.StarExpr{X: operand}}
		}
		return &ast.IndexExpr{X: operand, Index: call(at, l.asInt(x.Index), l.lengthOf(x.X))}
	case *ast.SliceExpr:
		return l.sliced(x)
	}
	return nil
}

// throughPointer lowers an index or slice of an array that a pointer points to, which yaegi does not follow.
func (l *lowerer) throughPointer(x ast.Expr) ast.Expr {
	array := func(x ast.Expr) ast.Expr {
		if p, ok := underlying(l.typeOf(x)).(*types.Pointer); ok {
			if _, ok := underlying(p.Elem()).(*types.Array); ok {
				return &ast.ParenExpr{X: &ast.StarExpr{X: l.expr(x)}}
			}
		}
		return nil
	}
	switch x := x.(type) {
	case *ast.IndexExpr:
		if a := array(x.X); a != nil {
			return &ast.IndexExpr{X: a, Index: l.expr(x.Index)}
		}
	case *ast.SliceExpr:
		if a := array(x.X); a != nil {
			return &ast.SliceExpr{X: a, Low: l.expr(x.Low), High: l.expr(x.High), Max: l.expr(x.Max), Slice3: x.Slice3}
		}
	}
	return nil
}

// sliced calls a helper that checks and slices.
func (l *lowerer) sliced(x *ast.SliceExpr) ast.Expr {
	switch underlying(l.typeOf(x.X)).(type) {
	case *types.Slice, *types.Basic:
	default:
		return nil // an array must be a variable
	}
	t := l.typeSource(types.Default(l.typeOf(x.X)))
	params, form := "x "+t, "x["
	args := []ast.Expr{l.expr(x.X)}
	probe := &ast.SliceExpr{X: ident("x"), Slice3: x.Slice3}
	for i, p := range []ast.Expr{x.Low, x.High, x.Max} {
		if i > 0 && (i < 2 || x.Slice3) {
			form += ":"
		}
		if p == nil {
			continue
		}
		name := []string{"i", "j", "k"}[i]
		params += ", " + name + " int"
		form += name
		args = append(args, l.asInt(p))
		*[]*ast.Expr{&probe.Low, &probe.High, &probe.Max}[i] = ident(name)
	}
	form += "]"
	_, isString := underlying(l.typeOf(x.X)).(*types.Basic)
	limit := "cap(x)"
	if isString {
		limit = "len(x)"
	}
	cond, fail := sliceCheck(probe, func(x ast.Expr) ast.Expr { return x }, source("len(x)"), source(limit), isString)
	if cond == nil {
		return nil
	}
	return call(l.helper("slice", t+form, "func %s("+params+") "+t+" {\nif "+nodeText(cond)+" { "+nodeText(fail)+" }\nreturn "+form+"\n}"), args...)
}

// outOfRange is the condition under which an index or slice expression fails, and the call that fails as Go does. The condition
// is nil when its operands cannot be evaluated twice, the call when there is nothing to check.
func (l *lowerer) outOfRange(x ast.Expr) (cond ast.Expr, fail *ast.CallExpr) {
	switch x := x.(type) {
	case *ast.IndexExpr:
		return l.indexCheck(x)
	case *ast.SliceExpr:
		again := simple(x.X)
		for _, p := range []ast.Expr{x.Low, x.High, x.Max} {
			again = again && (p == nil || l.twice(p))
		}
		u := underlying(l.typeOf(x.X))
		_, isSlice := u.(*types.Slice)
		limit := func() ast.Expr { return call("cap", l.expr(x.X)) }
		if !isSlice {
			limit = func() ast.Expr { return l.lengthOf(x.X) }
		}
		if x.Low == nil && x.High == nil && x.Max == nil || l.lengthOf(x.X) == nil {
			return nil, nil
		}
		cond, fail := sliceCheck(x, l.asInt, l.lengthOf(x.X), limit(), !isSlice)
		if cond == nil {
			return nil, nil
		}
		if !again {
			cond = nil
		}
		return cond, fail
	}
	return nil, nil
}

// sliceCheck is the check of a slice expression whose operand has the length and limit given.
func sliceCheck(x *ast.SliceExpr, asInt func(ast.Expr) ast.Expr, length, limit ast.Expr, isLength bool) (cond ast.Expr, fail *ast.CallExpr) {
	zero := func() ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: "0"} }
	or := func(c ast.Expr) {
		if cond == nil {
			cond = c
		} else {
			cond = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: c}
		}
	}
	isZero := func(x ast.Expr) bool { b, ok := x.(*ast.BasicLit); return ok && b.Value == "0" }
	literal := func(x ast.Expr) bool { _, ok := x.(*ast.BasicLit); return ok }
	within := func(p, upper ast.Expr) {
		if isZero(p) {
			return
		}
		or(&ast.BinaryExpr{X: p, Op: token.GTR, Y: upper})
		if !literal(p) {
			or(&ast.BinaryExpr{X: p, Op: token.LSS, Y: zero()})
		}
	}
	args := []ast.Expr{zero(), length, limit}
	form := "S"
	if isLength {
		form = "L"
	}
	if x.Low != nil {
		args[0] = asInt(x.Low)
	}
	upper := length
	if x.High != nil {
		upper = asInt(x.High)
		args[1] = upper
		if x.Max != nil {
			max := asInt(x.Max)
			args[2] = max
			within(max, limit)
			within(upper, max)
			form += "3"
		} else {
			within(upper, limit)
		}
	}
	if x.Low != nil {
		within(args[0], upper)
	}
	return cond, call(runtimePkg+".Bounds", append([]ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(form)}, length, limit}, args...)...)
}

// indexCheck is outOfRange of an index expression.
func (l *lowerer) indexCheck(n *ast.IndexExpr) (cond ast.Expr, fail *ast.CallExpr) {
	length := l.lengthOf(n.X)
	it, ok := underlying(l.typeOf(n.Index)).(*types.Basic)
	if !ok || length == nil {
		return nil, nil
	}
	constant := l.info.Types[n.Index].Value != nil
	if _, isLit := length.(*ast.BasicLit); isLit && constant {
		return nil, nil // the checker has seen it
	}
	fail = call(runtimePkg+".Index", l.asInt(n.Index), length)
	small := false // no number of the index's type is negative as an int
	switch it.Kind() {
	case types.Uint, types.Uint64, types.Uintptr:
		if !constant && l.twice(n.Index) {
			fail = call(runtimePkg+".IndexUint", call("uint", l.expr(n.Index)), length)
		}
	default:
		small = it.Info()&types.IsUnsigned != 0
	}
	if !simple(n.X) || !l.twice(n.Index) {
		return nil, fail
	}
	cond = &ast.BinaryExpr{X: l.asInt(n.Index), Op: token.GEQ, Y: l.lengthOf(n.X)}
	if !constant && !small {
		cond = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: &ast.BinaryExpr{X: l.asInt(n.Index), Op: token.LSS, Y: &ast.BasicLit{Kind: token.INT, Value: "0"}}}
	}
	return cond, fail
}

// lengthOf spells the length of what can be indexed by an integer, nil for anything else.
func (l *lowerer) lengthOf(x ast.Expr) ast.Expr {
	t := underlying(l.typeOf(x))
	if p, ok := t.(*types.Pointer); ok {
		t = underlying(p.Elem())
		if _, isArray := t.(*types.Array); !isArray {
			return nil
		}
	}
	switch u := t.(type) {
	case *types.Array:
		return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(u.Len(), 10)}
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return nil
		}
	case *types.Slice:
	default:
		return nil
	}
	return call("len", l.expr(x))
}

// asInt lowers an index as an int.
func (l *lowerer) asInt(x ast.Expr) ast.Expr {
	if v := l.info.Types[x].Value; v != nil {
		return &ast.BasicLit{Kind: token.INT, Value: v.ExactString()}
	}
	if b, ok := underlying(l.typeOf(x)).(*types.Basic); ok && b.Kind() == types.Int {
		return l.expr(x)
	}
	return call("int", l.expr(x))
}

// calm reports whether evaluating x changes nothing and waits for nothing.
func (l *lowerer) calm(x ast.Expr) bool {
	r := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			r = r && l.calmCall(n)
		case *ast.UnaryExpr:
			r = r && n.Op != token.ARROW
		}
		return r
	})
	return r
}

// calmCall reports whether a call is a conversion, or one of a function that changes nothing.
func (l *lowerer) calmCall(n *ast.CallExpr) bool {
	tv := l.info.Types[n.Fun]
	if tv.IsType() {
		return true
	}
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	switch id.Name {
	case "len", "cap", "min", "max", "append", "make", "new":
		return tv.IsBuiltin()
	}
	return id.Name == outName || strings.HasPrefix(id.Name, mustName)
}

// twice reports whether an index can be evaluated twice at little cost.
func (l *lowerer) twice(x ast.Expr) bool {
	if l.info.Types[x].Value != nil {
		return true
	}
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && l.info.Types[c.Fun].IsType() && len(c.Args) == 1 {
		b, ok := underlying(l.typeOf(c.Args[0])).(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0 && l.twice(c.Args[0])
	}
	return simple(x)
}

// simple reports whether an expression can be evaluated twice at little cost.
func simple(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return simple(x.X)
	case *ast.SelectorExpr:
		return simple(x.X)
	case *ast.StarExpr:
		return simple(x.X)
	case *ast.IndexExpr:
		return simple(x.X) && simple(x.Index)
	case *ast.UnaryExpr:
		return x.Op == token.SUB && simple(x.X)
	case *ast.BinaryExpr:
		return (x.Op == token.ADD || x.Op == token.SUB || x.Op == token.MUL) && simple(x.X) && simple(x.Y)
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && (id.Name == "len" || id.Name == "cap") && len(x.Args) == 1 && simple(x.Args[0])
	}
	return false
}

// indexError panics as an index out of range does. It never returns, but conditions want a result.
func indexError(i, n int) bool {
	_ = make([]struct{}, n)[i]
	return false
}

// indexUintError is indexError for an index that may be greater than any int.
func indexUintError(i uint, n int) bool {
	_ = make([]struct{}, n)[i]
	return false
}

// shiftError panics as a shift by a negative count does.
func shiftError(n int) int { return 1 << n }

// boundsError panics as x[i:j:k] does for an x of a length and a limit. form is S for slices, whose limit is a capacity, L for
// strings and arrays; 3 follows when the expression has all three indices.
func boundsError(form string, length, limit, i, j, k int) bool {
	s := make([]struct{}, length, limit)
	switch form {
	case "S":
		_ = s[i:j]
	case "S3":
		_ = s[i:j:k]
	case "L":
		_ = strings.Repeat("x", length)[i:j]
	case "L3":
		panic(runtimeError("slice bounds out of range [::" + strconv.Itoa(k) + "] with length " + strconv.Itoa(length)))
	}
	return false
}
