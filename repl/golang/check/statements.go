package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// statements checks the cell's statements as the body of a function. Calls that return a value and an error where one
// value is wanted are wrapped in must, and an expression at the end in out; each such repair needs another look.
func (k *Checker) statements() {
	ck := k.Result
	body := ck.Cell.Body
	fd := &ast.FuncDecl{Name: &ast.Ident{NamePos: body.Lbrace, Name: "_"},
		Type: &ast.FuncType{Func: body.Lbrace, Params: &ast.FieldList{}}, Body: body}
	objs := map[string]types.Object{}
	for n, o := range ck.Objs {
		if !strings.Contains(n, ".") {
			objs[n] = o
		}
	}
	shown := k.shownExprs()
	for _, s := range shown {
		if _, isCall := s.X.(*ast.CallExpr); !isCall {
			wrapOut(s)
		}
	}
	before := k.Problems
	for range 16 {
		k.Problems = append([]Problem(nil), before...)
		var unused []*ast.ExprStmt
		keep := func(te types.Error) bool {
			if strings.HasPrefix(te.Msg, "declared and not used") {
				return !topLevel(body, te.Pos)
			}
			for _, s := range shown {
				if strings.HasSuffix(te.Msg, "is not used") && te.Pos >= s.Pos() && te.Pos < s.End() &&
					!inFuncLit(s, te.Pos) && !IsOut(s.X) {
					unused = append(unused, s) // a conversion or a builtin such as len
					return false
				}
			}
			return true
		}
		k.run([]ast.Decl{fd}, objs, keep)
		changed := k.Unwrap(body)
		for _, s := range unused {
			if !IsOut(s.X) {
				wrapOut(s)
			}
			changed = true
		}
		if !changed {
			break
		}
	}
	k.variables(body)
}

// shownExprs are the expressions at the end of the cell, whose values are shown.
func (k *Checker) shownExprs() (list []*ast.ExprStmt) {
	c := k.Result.Cell
	if !c.Shows || len(c.Body.List) == 0 {
		return nil
	}
	for _, s := range c.Body.List[len(c.Body.List)-max(1, c.Values):] {
		if x, ok := s.(*ast.ExprStmt); ok {
			list = append(list, x)
		}
	}
	return list
}

func IsOut(x ast.Expr) bool { return IsCallOf(x, OutName) }

func IsCallOf(x ast.Expr, name string) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	return ok && strings.HasPrefix(id.Name, name)
}

func wrapOut(s *ast.ExprStmt) {
	s.X = &ast.CallExpr{Fun: &ast.Ident{NamePos: s.X.Pos(), Name: OutName}, Lparen: s.X.Pos(), Args: []ast.Expr{s.X},
		Rparen: s.X.End()}
}

// topLevel reports whether pos is a name that a statement of the cell's own list declares.
func topLevel(body *ast.BlockStmt, pos token.Pos) bool {
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				if x.Pos() == pos {
					return true
				}
			}
		case *ast.DeclStmt:
			if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
				for _, sp := range g.Specs {
					for _, n := range sp.(*ast.ValueSpec).Names {
						if n.Pos() == pos {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

func inFuncLit(n ast.Node, pos token.Pos) bool {
	in := false
	ast.Inspect(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok && pos >= f.Body.Lbrace && pos <= f.Body.Rbrace {
			in = true
		}
		return !in
	})
	return in
}

// Unwrap wraps calls that return values and an error, where the values alone fit. Function literals keep Go's rules.
func (k *Checker) Unwrap(body *ast.BlockStmt) bool {
	changed := false
	info := k.Result.Info
	// must wraps x when it is a call with want values and an error.
	must := func(x *ast.Expr, want int) {
		c, ok := ast.Unparen(*x).(*ast.CallExpr)
		if !ok || IsCallOf(c, MustName) {
			return
		}
		t, ok := info.Types[c].Type.(*types.Tuple)
		if !ok || t.Len() != want+1 || want < 1 || want > maxMust || !IsError(t.At(want).Type()) {
			return
		}
		*x = &ast.CallExpr{Fun: &ast.Ident{NamePos: c.Pos(), Name: MustName + string(rune('0'+want))}, Lparen: c.Pos(),
			Args: []ast.Expr{c}, Rparen: c.End()}
		changed = true
	}
	list := func(xs []ast.Expr) {
		for i := range xs {
			must(&xs[i], 1)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 {
				must(&n.Rhs[0], len(n.Lhs))
			} else {
				list(n.Rhs)
			}
		case *ast.ValueSpec:
			if len(n.Values) == 1 {
				must(&n.Values[0], len(n.Names))
			} else {
				list(n.Values)
			}
		case *ast.CallExpr:
			if IsCallOf(n, MustName) || IsOut(n) {
				return true
			}
			if len(n.Args) == 1 {
				if sg, ok := Underlying(info.Types[n.Fun].Type).(*types.Signature); ok &&
					(sg.Params().Len() != 1 || sg.Variadic()) {
					break // f(g()) with all of g's results is Go's own
				}
			}
			list(n.Args)
			must(&n.Fun, 1)
		case *ast.CompositeLit:
			list(n.Elts)
		default:
			for _, x := range operands(n) {
				must(x, 1)
			}
		}
		return true
	})
	return changed
}

// operands are the expressions of a node that have one value each.
func operands(n ast.Node) []*ast.Expr {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		return []*ast.Expr{&n.X}
	case *ast.IndexExpr:
		return []*ast.Expr{&n.X, &n.Index}
	case *ast.SliceExpr:
		return []*ast.Expr{&n.X}
	case *ast.StarExpr:
		return []*ast.Expr{&n.X}
	case *ast.UnaryExpr:
		return []*ast.Expr{&n.X}
	case *ast.BinaryExpr:
		return []*ast.Expr{&n.X, &n.Y}
	case *ast.TypeAssertExpr:
		return []*ast.Expr{&n.X}
	case *ast.KeyValueExpr:
		return []*ast.Expr{&n.Value}
	case *ast.RangeStmt:
		return []*ast.Expr{&n.X}
	case *ast.IfStmt:
		return []*ast.Expr{&n.Cond}
	case *ast.SendStmt:
		return []*ast.Expr{&n.Value}
	case *ast.SwitchStmt:
		if n.Tag != nil {
			return []*ast.Expr{&n.Tag}
		}
	}
	return nil
}

func Underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// variables finds what the statements define at their top level, and the slot of each variable.
func (k *Checker) variables(body *ast.BlockStmt) {
	define := func(id *ast.Ident) {
		v, ok := k.Result.Info.Defs[id].(*types.Var)
		if !ok || id.Name == "_" {
			return
		}
		slot := types.NewVar(id.Pos(), k.Scope.Pkg, id.Name, v.Type())
		if b := k.Scope.Bindings[id.Name]; b != nil {
			if old, ok := k.current(id.Name, b.Object).(*types.Var); ok && types.Identical(old.Type(), v.Type()) {
				slot = old
			}
		}
		if what := UnexportedIn(v.Type()); what != "" {
			k.Problems = append(k.Problems,
				Problem{Pos: k.Scope.Fset.Position(id.Pos()), name: "TypeError",
					Message: "the session cannot keep a variable of the unexported type " + what + ": give " + id.Name +
						" an interface type, or use the value in the same expression"})
		}
		k.Result.Vars = append(k.Result.Vars, &variable{Name: id.Name, Local: v, Slot: slot, At: id.Pos()})
	}
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, x := range s.Lhs {
					if id, ok := x.(*ast.Ident); ok {
						define(id)
					}
				}
			}
		case *ast.DeclStmt:
			if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
				for _, sp := range g.Specs {
					for _, n := range sp.(*ast.ValueSpec).Names {
						define(n)
					}
				}
			}
		}
	}
}

// UnexportedIn names an unexported type of another package inside t, which no variable declaration can spell.
func UnexportedIn(t types.Type) string {
	switch t := t.(type) {
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && !IsSession(o) && !o.Exported() {
			return o.Pkg().Name() + "." + o.Name()
		}
	case *types.Pointer:
		return UnexportedIn(t.Elem())
	case *types.Slice:
		return UnexportedIn(t.Elem())
	case *types.Array:
		return UnexportedIn(t.Elem())
	case *types.Chan:
		return UnexportedIn(t.Elem())
	case *types.Map:
		if h := UnexportedIn(t.Key()); h != "" {
			return h
		}
		return UnexportedIn(t.Elem())
	}
	return ""
}
