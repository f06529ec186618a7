package assist

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// want is what the place of the cursor asks for.
type want struct {
	typ      types.Type // of a value; nil when any will do
	called   bool       // the value is the result of the call whose function is written
	types    bool       // only a type can stand here
	declares bool       // a new name is written
	addr     bool       // its address is taken: typ is the type of the value, or an interface that its pointer has
	consts   bool       // a constant rather than a variable
	ranged   bool       // something to range over
	label    token.Token
	stmt     bool // a statement may begin
}

// wanted looks at the nodes around the cursor, from the outside in; the last one is what stands at the cursor.
func (v *view) wanted(path []ast.Node) want {
	if len(path) < 2 {
		return want{}
	}
	n, parent, rest := path[len(path)-1], path[len(path)-2], path[:len(path)-1]
	switch p := parent.(type) {
	case *ast.ExprStmt, *ast.LabeledStmt:
		return want{stmt: true}
	case *ast.ParenExpr:
		return v.wanted(rest)
	case *ast.BranchStmt:
		return want{label: p.Tok}
	case *ast.CallExpr:
		return v.wantedByCall(p, n, rest)
	case *ast.Ellipsis, *ast.ArrayType, *ast.ChanType, *ast.MapType:
		if a, ok := p.(*ast.ArrayType); ok && a.Len == n {
			return want{typ: types.Typ[types.Int]}
		}
		return want{types: true}
	case *ast.TypeAssertExpr:
		if p.Type == n {
			return want{types: true, typ: v.typeOf(p.X)}
		}
	case *ast.Field:
		if p.Type == n {
			return want{types: true}
		}
		return want{declares: true}
	case *ast.TypeSpec:
		if p.Type == n {
			return want{types: true}
		}
		return want{declares: true}
	case *ast.ValueSpec:
		return v.wantedBySpec(p, n, rest)
	case *ast.FuncDecl:
		return want{declares: true}
	case *ast.AssignStmt:
		return v.wantedByAssign(p, n)
	case *ast.ReturnStmt:
		return v.wantedByReturn(p, n, rest)
	case *ast.BinaryExpr:
		return v.wantedByBinary(p, n, rest)
	case *ast.UnaryExpr:
		return v.wantedByUnary(p, rest)
	case *ast.StarExpr:
		if w := v.wanted(rest); w.types || w.declares {
			return want{types: true}
		} else if w.typ != nil {
			return want{typ: types.NewPointer(w.typ)}
		}
	case *ast.IndexExpr:
		return v.wantedByIndex(p.X, n)
	case *ast.IndexListExpr:
		return v.wantedByIndex(p.X, n)
	case *ast.SliceExpr:
		if p.X != n {
			return want{typ: types.Typ[types.Int]}
		}
	case *ast.KeyValueExpr:
		return v.wantedByElement(p, n, rest)
	case *ast.CompositeLit:
		if p.Type == n {
			return want{types: true}
		}
		return want{typ: v.element(p, n)}
	case *ast.CaseClause:
		return v.wantedByCase(rest)
	case *ast.SendStmt:
		if c, ok := check.Underlying(v.typeOf(p.Chan)).(*types.Chan); ok && p.Value == n {
			return want{typ: c.Elem()}
		}
	case *ast.RangeStmt:
		return want{ranged: p.X == n}
	case *ast.IfStmt, *ast.ForStmt:
		return want{typ: types.Typ[types.Bool]}
	}
	return want{}
}

// wantedBySpec is for names, types and values of a declaration.
func (v *view) wantedBySpec(p *ast.ValueSpec, n ast.Node, rest []ast.Node) want {
	if p.Type == n {
		return want{types: true}
	}
	for _, id := range p.Names {
		if id == n {
			return want{declares: true}
		}
	}
	g, ok := rest[max(len(rest)-2, 0)].(*ast.GenDecl)
	w := want{consts: ok && g.Tok == token.CONST}
	if p.Type != nil {
		w.typ = v.typeOf(p.Type)
	}
	return w
}

// wantedByUnary is for the operand of a unary operator.
func (v *view) wantedByUnary(p *ast.UnaryExpr, rest []ast.Node) want {
	switch p.Op {
	case token.NOT:
		return want{typ: types.Typ[types.Bool]}
	case token.AND:
		if w := v.wanted(rest); w.typ != nil {
			if ptr, ok := types.Unalias(w.typ).Underlying().(*types.Pointer); ok {
				return want{typ: ptr.Elem(), addr: true}
			}
			if types.IsInterface(w.typ) {
				return want{typ: w.typ, addr: true}
			}
		}
	case token.ARROW:
		if w := v.wanted(rest); w.typ != nil {
			return want{typ: types.NewChan(types.RecvOnly, w.typ)}
		}
	default:
		return v.wanted(rest)
	}
	return want{}
}

func (v *view) typeOf(x ast.Expr) types.Type {
	if x == nil || v.info == nil {
		return nil
	}
	t := v.info.TypeOf(x)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}

// valueType is the type that a value would have in a variable.
func (v *view) valueType(x ast.Expr) types.Type {
	t := v.typeOf(x)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if b.Kind() == types.UntypedNil {
			return nil
		}
		return types.Default(t)
	}
	if _, ok := t.(*types.Tuple); ok {
		return nil
	}
	return t
}

func (v *view) wantedByCall(p *ast.CallExpr, n ast.Node, rest []ast.Node) want {
	if p.Fun == n {
		w := v.wanted(rest)
		w.called = true
		return w
	}
	if check.IsCallOf(p, check.MustName) || check.IsOut(p) {
		return v.wanted(rest)
	}
	at := len(p.Args)
	for i, a := range p.Args {
		if a == n {
			at = i
		}
	}
	tv := v.info.Types[p.Fun]
	if tv.IsBuiltin() {
		return v.wantedByBuiltin(p, at)
	}
	if tv.IsType() {
		return want{}
	}
	if sig, ok := check.Underlying(v.typeOf(p.Fun)).(*types.Signature); ok {
		return want{typ: param(sig, at, p.Ellipsis.IsValid())}
	}
	return want{}
}

// param is the type that argument i of a call has, nil for a type parameter.
func param(sig *types.Signature, i int, spread bool) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		t := sig.Params().At(n - 1).Type()
		if s, ok := t.(*types.Slice); ok && !spread {
			t = s.Elem()
		}
		return concrete(t)
	}
	if i < n {
		return concrete(sig.Params().At(i).Type())
	}
	return nil
}

func concrete(t types.Type) types.Type {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return nil
	}
	return t
}

func (v *view) wantedByBuiltin(p *ast.CallExpr, at int) want {
	id, ok := ast.Unparen(p.Fun).(*ast.Ident)
	if !ok {
		return want{}
	}
	var first types.Type
	if at > 0 {
		first = v.typeOf(p.Args[0])
	}
	switch id.Name {
	case "make", "new":
		if at == 0 {
			return want{types: true}
		}
		return want{typ: types.Typ[types.Int]}
	case "append":
		if s, ok := check.Underlying(first).(*types.Slice); ok && !p.Ellipsis.IsValid() {
			return want{typ: s.Elem()}
		}
		return want{typ: first}
	case "delete":
		if m, ok := check.Underlying(first).(*types.Map); ok {
			return want{typ: m.Key()}
		}
	case "copy", "min", "max", "complex":
		return want{typ: first}
	}
	return want{}
}

func (v *view) wantedByAssign(p *ast.AssignStmt, n ast.Node) want {
	for i, x := range p.Rhs {
		if x != n {
			continue
		}
		if p.Tok == token.SHL_ASSIGN || p.Tok == token.SHR_ASSIGN {
			return want{typ: types.Typ[types.Uint]}
		}
		if i < len(p.Lhs) {
			return want{typ: v.valueType(p.Lhs[i])}
		}
	}
	for _, x := range p.Lhs {
		if x == n {
			return want{stmt: len(p.Lhs) == 1}
		}
	}
	return want{}
}

func (v *view) wantedByReturn(p *ast.ReturnStmt, n ast.Node, rest []ast.Node) want {
	at := 0
	for i, x := range p.Results {
		if x == n {
			at = i
		}
	}
	for i := len(rest) - 1; i >= 0; i-- {
		var ft *ast.FuncType
		switch f := rest[i].(type) {
		case *ast.FuncLit:
			ft = f.Type
		case *ast.FuncDecl:
			ft = f.Type
		default:
			continue
		}
		if ft.Results == nil {
			return want{}
		}
		for _, f := range ft.Results.List {
			if at -= max(1, len(f.Names)); at < 0 {
				return want{typ: v.typeOf(f.Type)}
			}
		}
		return want{}
	}
	return want{}
}

func (v *view) wantedByBinary(p *ast.BinaryExpr, n ast.Node, rest []ast.Node) want {
	switch p.Op {
	case token.LAND, token.LOR:
		return want{typ: types.Typ[types.Bool]}
	case token.SHL, token.SHR:
		if p.Y == n {
			return want{typ: types.Typ[types.Uint]}
		}
	}
	other := p.X
	if p.X == n {
		other = p.Y
	}
	t := v.valueType(other)
	switch p.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return want{typ: t}
	}
	if b, ok := v.typeOf(other).(*types.Basic); t == nil || ok && b.Info()&types.IsUntyped != 0 {
		if w := v.wanted(rest); w.typ != nil { // 2 * time.Second
			return w
		}
	}
	return want{typ: t}
}

func (v *view) wantedByIndex(x ast.Expr, n ast.Node) want {
	if x == n {
		return want{}
	}
	if v.info.Types[x].IsType() {
		return want{types: true}
	}
	switch t := check.Underlying(v.typeOf(x)).(type) {
	case *types.Map:
		return want{typ: t.Key()}
	case *types.Signature:
		return want{types: true}
	}
	return want{typ: types.Typ[types.Int]}
}

// wantedByElement is for keys and values in composite literals.
func (v *view) wantedByElement(p *ast.KeyValueExpr, n ast.Node, rest []ast.Node) want {
	if len(rest) < 2 {
		return want{}
	}
	lit, ok := rest[len(rest)-2].(*ast.CompositeLit)
	if !ok {
		return want{}
	}
	switch t := v.literalType(lit).(type) {
	case *types.Map:
		if p.Key == n {
			return want{typ: t.Key()}
		}
		return want{typ: t.Elem()}
	case *types.Struct:
		if id, ok := p.Key.(*ast.Ident); ok && p.Value == n {
			for i := range t.NumFields() {
				if t.Field(i).Name() == id.Name {
					return want{typ: t.Field(i).Type()}
				}
			}
		}
		return want{}
	}
	if p.Value == n {
		return want{typ: v.element(lit, p)}
	}
	return want{typ: types.Typ[types.Int]}
}

// literalType is the type that a composite literal fills in.
func (v *view) literalType(lit *ast.CompositeLit) types.Type {
	t := check.Underlying(v.typeOf(lit))
	if p, ok := t.(*types.Pointer); ok { // &T in a list of *T, which is left out
		t = p.Elem().Underlying()
	}
	return t
}

// element is the type of an element of a composite literal that stands without a key.
func (v *view) element(lit *ast.CompositeLit, n ast.Node) types.Type {
	switch t := v.literalType(lit).(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		return t.Key()
	case *types.Struct:
		for i, x := range lit.Elts {
			if x == n && i < t.NumFields() {
				return t.Field(i).Type()
			}
		}
	}
	return nil
}

// wantedByCase is for the values, or types, after case.
func (v *view) wantedByCase(rest []ast.Node) want {
	for i := len(rest) - 1; i >= 0; i-- {
		switch s := rest[i].(type) {
		case *ast.TypeSwitchStmt:
			return want{types: true, typ: v.typeOf(switched(s))}
		case *ast.SwitchStmt:
			if s.Tag == nil {
				return want{typ: types.Typ[types.Bool]}
			}
			return want{typ: v.valueType(s.Tag), consts: true}
		case *ast.SelectStmt, *ast.FuncLit, *ast.FuncDecl:
			return want{}
		}
	}
	return want{}
}

// switched is the value whose type a type switch asks for.
func switched(s *ast.TypeSwitchStmt) ast.Expr {
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		if len(a.Rhs) > 0 {
			x = a.Rhs[0]
		}
	}
	if t, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		return t.X
	}
	return nil
}
