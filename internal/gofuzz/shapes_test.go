package gofuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// shapes are the forms of declarations and statements of the language specification, each with a test for one of its
// nodes. A program that is run in two ways can only find what it contains.
var shapes = []struct {
	name string
	is   func(s *shape, n ast.Node) bool
}{
	// Declarations and scope
	{"const with iota", func(s *shape, n ast.Node) bool { id, ok := n.(*ast.Ident); return ok && id.Name == "iota" }},
	{"const without a value", func(s *shape, n ast.Node) bool {
		return s.spec(n, token.CONST, func(v *ast.ValueSpec) bool { return v.Values == nil })
	}},
	{"const with a type", func(s *shape, n ast.Node) bool {
		return s.spec(n, token.CONST, func(v *ast.ValueSpec) bool { return v.Type != nil })
	}},
	{"alias", func(s *shape, n ast.Node) bool { t, ok := n.(*ast.TypeSpec); return ok && t.Assign.IsValid() }},
	{"type in a function", func(s *shape, n ast.Node) bool { _, ok := n.(*ast.TypeSpec); return ok && s.inFunc() }},
	{"generic type", func(s *shape, n ast.Node) bool { t, ok := n.(*ast.TypeSpec); return ok && t.TypeParams != nil }},
	{"generic function", func(s *shape, n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		return ok &&
			f.Type.TypeParams != nil
	}},
	{"embedded struct", func(s *shape, n ast.Node) bool {
		return s.embeds(n,
			func(x ast.Expr) bool { return isIdent(x) })
	}},
	{"embedded pointer", func(s *shape, n ast.Node) bool { return s.embeds(n, isStar) }},
	{"struct tag", func(s *shape, n ast.Node) bool { f, ok := n.(*ast.Field); return ok && f.Tag != nil }},
	{"var of a call with two results", func(s *shape, n ast.Node) bool {
		return s.spec(n, token.VAR, func(v *ast.ValueSpec) bool { return len(v.Names) == 2 && len(v.Values) == 1 })
	}},
	{"variadic function", func(s *shape, n ast.Node) bool {
		_, ok := n.(*ast.Ellipsis)
		return ok &&
			s.parent(2, isFuncType)
	}},
	{"named function before variadic arguments", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) < 2 || c.Ellipsis.IsValid() {
			return false
		}
		sig, ok := s.info.Types[c.Fun].Type.(*types.Signature)
		id, isName := c.Args[0].(*ast.Ident)
		return ok && sig.Variadic() && isName && isA[*types.Signature](s.info.Types[id].Type)
	}},
	{"append of a list to a list of interfaces", func(s *shape, n ast.Node) bool {
		return s.appends(n, func(list *types.Slice, arg types.Type) bool {
			_, ok := arg.Underlying().(*types.Slice)
			return ok && types.IsInterface(list.Elem())
		})
	}},
	{"append of nil", func(s *shape, n ast.Node) bool {
		return s.appends(n, func(_ *types.Slice, arg types.Type) bool { return arg == types.Typ[types.UntypedNil] })
	}},
	{"parameters without names", func(s *shape, n ast.Node) bool {
		return s.function(n, func(f *ast.FuncType) bool {
			return f.Params.NumFields() > 0 &&
				f.Params.List[0].Names == nil
		})
	}},
	{"blank parameter", func(s *shape, n ast.Node) bool {
		return s.function(n, func(f *ast.FuncType) bool { return hasBlank(f.Params) })
	}},
	{"blank result", func(s *shape, n ast.Node) bool {
		return s.function(n, func(f *ast.FuncType) bool { return hasBlank(f.Results) })
	}},
	{"named results", func(s *shape, n ast.Node) bool {
		return s.function(n, func(f *ast.FuncType) bool { return f.Results != nil && f.Results.List[0].Names != nil })
	}},
	{"redeclared local variable", redeclares(types.LocalVar, false, 0)},
	{"redeclared parameter", redeclares(types.ParamVar, false, 0)},
	{"redeclared result", redeclares(types.ResultVar, false, 0)},
	{"redeclared parameter beside a defer", redeclares(types.ParamVar, true, 0)},
	{"redeclared result beside a defer", redeclares(types.ResultVar, true, 0)},
	{"redeclared result by a call beside a defer", redeclares(types.ResultVar, true, 1)},

	// Statements
	{"label with a variable's name", func(s *shape, n ast.Node) bool {
		l, ok := n.(*ast.LabeledStmt)
		return ok &&
			s.named[l.Label.Name]
	}},
	{"label of a return", labels[*ast.ReturnStmt]},
	{"label of an assignment", labels[*ast.AssignStmt]},
	{"label of a declaration", labels[*ast.DeclStmt]},
	{"label of an if", labels[*ast.IfStmt]},
	{"label of a block", labels[*ast.BlockStmt]},
	{"label of a for", labels[*ast.ForStmt]},
	{"label of a range", labels[*ast.RangeStmt]},
	{"label of a switch", labels[*ast.SwitchStmt]},
	{"label of a type switch", labels[*ast.TypeSwitchStmt]},
	{"label of a select", labels[*ast.SelectStmt]},
	{"label of a call", labels[*ast.ExprStmt]},
	{"label of a defer", labels[*ast.DeferStmt]},
	{"label of a ++", labels[*ast.IncDecStmt]},
	{"label of nothing", labels[*ast.EmptyStmt]},
	{"label of a fallthrough", func(s *shape, n ast.Node) bool {
		return branch(n, token.FALLTHROUGH, false) &&
			s.parent(1, isLabeled)
	}},
	{"receive as a statement", func(s *shape, n ast.Node) bool {
		x, ok := n.(*ast.ExprStmt)
		return ok &&
			isReceive(x.X)
	}},
	{"send", is[*ast.SendStmt]},
	{"comma-ok assignment to what is there",
		func(s *shape, n ast.Node) bool { return assigns(n, token.ASSIGN, 2, 1) && s.commaOk(n) }},
	{"comma-ok declaration", func(s *shape, n ast.Node) bool { return assigns(n, token.DEFINE, 2, 1) && s.commaOk(n) }},
	{"results assigned to what is there",
		func(s *shape, n ast.Node) bool { return assigns(n, token.ASSIGN, 2, 1) && !s.commaOk(n) }},
	{"assignment of several values", func(s *shape, n ast.Node) bool { return assigns(n, token.ASSIGN, 2, 2) }},
	{"operator on an entry of a map", func(s *shape, n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		return ok && a.Tok != token.ASSIGN && a.Tok != token.DEFINE && s.isMapEntry(a.Lhs[0])
	}},
	{"if with an init statement", func(s *shape, n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		return ok &&
			i.Init != nil
	}},
	{"else if", func(s *shape, n ast.Node) bool {
		_, ok := n.(*ast.IfStmt)
		return ok && s.parent(1, func(p ast.Node) bool { i, ok := p.(*ast.IfStmt); return ok && i.Else == n })
	}},
	{"switch with an init statement", func(s *shape, n ast.Node) bool {
		w, ok := n.(*ast.SwitchStmt)
		return ok &&
			w.Init != nil
	}},
	{"switch without a tag", func(s *shape, n ast.Node) bool {
		w, ok := n.(*ast.SwitchStmt)
		return ok &&
			w.Tag == nil
	}},
	{"switch without cases", func(s *shape, n ast.Node) bool {
		w, ok := n.(*ast.SwitchStmt)
		return ok &&
			len(w.Body.List) == 0
	}},
	{"default before other cases", func(s *shape, n ast.Node) bool {
		w, ok := n.(*ast.SwitchStmt)
		return ok && len(w.Body.List) > 1 && w.Body.List[0].(*ast.CaseClause).List == nil
	}},
	{"fallthrough", func(s *shape, n ast.Node) bool { return branch(n, token.FALLTHROUGH, false) }},
	{"type switch with an init statement",
		func(s *shape, n ast.Node) bool { w, ok := n.(*ast.TypeSwitchStmt); return ok && w.Init != nil }},
	{"type switch without a variable", func(s *shape, n ast.Node) bool {
		w, ok := n.(*ast.TypeSwitchStmt)
		return ok && is[*ast.ExprStmt](s, w.Assign)
	}},
	{"case of two types", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		return ok && len(c.List) == 2 && s.parent(2, isTypeSwitch)
	}},
	{"for without clauses", func(s *shape, n ast.Node) bool {
		f, ok := n.(*ast.ForStmt)
		return ok && f.Init == nil && f.Cond == nil && f.Post == nil
	}},
	{"for with a condition alone", func(s *shape, n ast.Node) bool {
		f, ok := n.(*ast.ForStmt)
		return ok && f.Init == nil && f.Cond != nil && f.Post == nil
	}},
	{"for without a post statement", func(s *shape, n ast.Node) bool {
		f, ok := n.(*ast.ForStmt)
		return ok && f.Init != nil && f.Post == nil
	}},
	{"range over an integer", ranges(func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok &&
			b.Info()&types.IsInteger != 0
	})},
	{"range over a string", ranges(func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok &&
			b.Info()&types.IsString != 0
	})},
	{"range over a slice", ranges(isA[*types.Slice])},
	{"range over an array", ranges(isA[*types.Array])},
	{"range over a pointer to an array", ranges(isA[*types.Pointer])},
	{"range over a map", ranges(isA[*types.Map])},
	{"range over a channel", ranges(isA[*types.Chan])},
	{"range over func(func() bool)", ranges(yields(0))},
	{"range over func(func(T) bool)", ranges(yields(1))},
	{"range over func(func(K, V) bool)", ranges(yields(2))},
	{"range without variables", func(s *shape, n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		return ok &&
			r.Key == nil
	}},
	{"range that assigns", func(s *shape, n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		return ok &&
			r.Tok == token.ASSIGN
	}},
	{"go", is[*ast.GoStmt]},
	{"go with arguments", func(s *shape, n ast.Node) bool {
		g, ok := n.(*ast.GoStmt)
		return ok &&
			len(g.Call.Args) > 0
	}},
	{"go with the results of a call", func(s *shape, n ast.Node) bool {
		g, ok := n.(*ast.GoStmt)
		return ok && len(g.Call.Args) == 1 && isA[*types.Tuple](s.info.TypeOf(g.Call.Args[0]))
	}},
	{"go with a built-in function", func(s *shape, n ast.Node) bool {
		g, ok := n.(*ast.GoStmt)
		return ok && s.info.Types[g.Call.Fun].IsBuiltin()
	}},
	{"complex number", func(s *shape, n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || s.info.TypeOf(x) == nil {
			return false
		}
		b, ok := s.info.TypeOf(x).Underlying().(*types.Basic)
		return ok && b.Kind() == types.Complex128
	}},
	{"select with default", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CommClause)
		return ok &&
			c.Comm == nil
	}},
	{"select that sends", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CommClause)
		return ok && is[*ast.SendStmt](s, c.Comm)
	}},
	{"select that assigns", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CommClause)
		return ok && c.Comm != nil && assigns(c.Comm, token.ASSIGN, 1, 1)
	}},
	{"bare return", func(s *shape, n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		return ok && len(r.Results) == 0 && s.results() > 0
	}},
	{"return of a call with two results", func(s *shape, n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		return ok && len(r.Results) == 1 && s.results() == 2
	}},
	{"return in a loop over a function",
		func(s *shape, n ast.Node) bool { return is[*ast.ReturnStmt](s, n) && s.inYield() }},
	{"goto out of a loop over a function",
		func(s *shape, n ast.Node) bool { return branch(n, token.GOTO, true) && s.inYield() }},
	{"break", func(s *shape, n ast.Node) bool { return branch(n, token.BREAK, false) }},
	{"break with a label", func(s *shape, n ast.Node) bool { return branch(n, token.BREAK, true) }},
	{"continue", func(s *shape, n ast.Node) bool { return branch(n, token.CONTINUE, false) }},
	{"continue with a label", func(s *shape, n ast.Node) bool { return branch(n, token.CONTINUE, true) }},
	{"goto", func(s *shape, n ast.Node) bool { return branch(n, token.GOTO, true) }},
	{"goto beside a defer", func(s *shape, n ast.Node) bool { return branch(n, token.GOTO, true) && s.defers() }},
	{"bare return beside a goto and a defer", func(s *shape, n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		return ok && len(r.Results) == 0 && s.results() > 0 && s.defers() &&
			s.has(func(n ast.Node) bool { return branch(n, token.GOTO, true) })
	}},
	{"defer of a literal", deferred(func(s *shape, c *ast.CallExpr) bool { return is[*ast.FuncLit](s, c.Fun) })},
	{"defer of a literal with arguments",
		deferred(func(s *shape, c *ast.CallExpr) bool { return is[*ast.FuncLit](s, c.Fun) && len(c.Args) > 0 })},
	{"defer of a method", deferred(func(s *shape, c *ast.CallExpr) bool {
		x, ok := c.Fun.(*ast.SelectorExpr)
		return ok && s.info.Selections[x] != nil
	})},
	{"defer of a built-in function", deferred(func(s *shape,
		c *ast.CallExpr) bool {
		return s.info.Types[c.Fun].IsBuiltin()
	})},
	{"defer in a loop", deferred(func(s *shape, c *ast.CallExpr) bool { return s.inLoop() })},
	{"defer in a goroutine", deferred(func(s *shape, c *ast.CallExpr) bool { return s.within(is[*ast.GoStmt]) })},

	// Expressions that statements are made of
	{"method value", func(s *shape, n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		return ok && s.selects(x, types.MethodVal) && !s.called(x)
	}},
	{"method expression", func(s *shape, n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		return ok && s.selects(x, types.MethodExpr)
	}},
	{"new of a value", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		return ok && isName(c.Fun, "new") && !s.info.Types[c.Args[0]].IsType()
	}},
	{"slice with three indices", func(s *shape, n ast.Node) bool {
		x, ok := n.(*ast.SliceExpr)
		return ok &&
			x.Slice3
	}},
	{"type assertion", func(s *shape, n ast.Node) bool {
		x, ok := n.(*ast.TypeAssertExpr)
		return ok &&
			x.Type != nil
	}},
	{"list argument for ...", func(s *shape, n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		return ok && c.Ellipsis.IsValid() && !s.info.Types[c.Fun].IsBuiltin()
	}},
	{"recursive closure", func(s *shape, n ast.Node) bool {
		f, ok := n.(*ast.FuncLit)
		return ok && s.within(is[*ast.AssignStmt]) && f != nil
	}},
	{"runtime.Goexit", func(s *shape, n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		return ok &&
			x.Sel.Name == "Goexit"
	}},
}

// TestShapes: the first programs together have every shape.
func TestShapes(t *testing.T) {
	thorough.Slow(t)
	const programs = 400 // a run that is not thorough ends with the one that has the last shape
	found := make([]int, len(shapes))
	given := declared(t, "package p\n"+prelude)
	for seed := range uint64(programs) {
		if !thorough.On() && !slices.Contains(found, 0) {
			break
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "main.go", Program(seed), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s := &shape{info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
		if err := checkWith(types.Config{GoVersion: "go1.26"}, fset, f,
			s.info); err != nil {
			t.Fatal(err)
		}
		s.look(f, given, func(n ast.Node) {
			for i, shape := range shapes {
				if shape.is(s, n) {
					found[i]++
				}
			}
		})
	}
	for i, n := range found {
		if n == 0 {
			t.Errorf("no program has: %s", shapes[i].name)
		}
		t.Logf("%6d %s", n, shapes[i].name)
	}
}

// declared lists the functions of a file.
func declared(t *testing.T, src string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]bool{}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			r[fd.Name.Name] = true
		}
	}
	return r
}
