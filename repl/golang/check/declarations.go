package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// throughAliases gives methods on aliases of types of earlier cells those types as receivers: the checker looks for a
// receiver's declaration beside its alias.
func (k *Checker) throughAliases() {
	aliases := map[string]ast.Expr{}
	for _, d := range k.Result.Decls {
		if d.Spec != nil && d.Spec.Assign.IsValid() && d.Spec.TypeParams == nil {
			aliases[d.Names[0]] = ast.Unparen(d.Spec.Type)
		}
	}
	for _, d := range k.Result.Decls {
		if d.Receiver == "" || aliases[d.Receiver] == nil && !k.Scope.isAlias(d.Receiver) {
			continue
		}
		fd := *d.Node.(*ast.FuncDecl)
		x, pointer := ast.Unparen(fd.Recv.List[0].Type), false
		for range 2*len(aliases) + 2 {
			switch y := x.(type) {
			case *ast.StarExpr:
				x, pointer = ast.Unparen(y.X), true
			case *ast.Ident:
				if to := aliases[y.Name]; to != nil {
					x = to
				}
			}
		}
		id, ok := x.(*ast.Ident)
		if !ok || k.declared[id.Name] || k.Scope.Bindings[id.Name] == nil {
			continue
		}
		recv := id.Name
		if k.Scope.isAlias(recv) {
			t := types.Unalias(k.Scope.Bindings[recv].Object.Type())
			if p, ok := t.(*types.Pointer); ok {
				t, pointer = types.Unalias(p.Elem()), true
			}
			named, ok := t.(*types.Named)
			if !ok || k.declared[named.Obj().Name()] || k.Scope.Bindings[named.Obj().Name()] == nil ||
				k.Scope.Bindings[named.Obj().Name()].Object != named.Obj() {
				continue
			}
			recv = named.Obj().Name()
		}
		x = &ast.Ident{NamePos: fd.Recv.List[0].Type.Pos(), Name: recv}
		if pointer {
			x = &ast.StarExpr{Star: x.Pos(), X: x}
		}
		list := *fd.Recv
		f := *list.List[0]
		f.Type = x
		list.List = []*ast.Field{&f}
		fd.Recv = &list
		d.Node, d.Receiver, d.Names = &fd, recv, []string{recv + "." + fd.Name.Name}
		k.mentioned[recv], k.declared[d.Names[0]] = true, true
	}
}

// isAlias reports whether a name of the session is an alias of a type.
func (sc *Scope) isAlias(name string) bool {
	b := sc.Bindings[name]
	if b == nil {
		return false
	}
	tn, ok := b.Object.(*types.TypeName)
	return ok && tn.IsAlias()
}

// declarations checks types, constants and the signatures of functions and methods.
func (k *Checker) declarations() {
	ck := k.Result
	if len(ck.Decls) == 0 && len(ck.Cell.Imports) == 0 {
		return
	}
	var ds []ast.Decl
	k.throughAliases()
	for _, d := range ck.Decls {
		fd, ok := d.Node.(*ast.FuncDecl)
		if !ok {
			ds = append(ds, k.withoutCycle(d))
			continue
		}
		stub := *fd
		stub.Body = nil
		if d.Receiver != "" && !k.declared[d.Receiver] && k.Scope.Bindings[d.Receiver] != nil {
			// The checker wants a method beside its type. This one becomes a function, and a method when it is right.
			stub.Recv = nil
			stub.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: d.Names[0]}
			stub.Type = WithReceiver(fd, nil)
			k.late = append(k.late, d)
		}
		ds = append(ds, &stub)
	}
	lengths := k.lengthsOf(ds)
	for name := range lengths {
		k.declared[name] = true
	}
	scope := k.run(slices.AppendSeq(ds, maps.Values(lengths)), nil, nil)
	for name := range lengths {
		delete(k.declared, name)
	}
	for _, name := range scope.Names() {
		if o := scope.Lookup(name); IsSession(o) && k.declared[name] {
			if _, isVar := o.(*types.Var); !isVar && o.Pos() != token.NoPos {
				ck.Objs[name] = o
			}
		}
	}
	for _, d := range k.late {
		if !k.dry {
			k.lateMethod(d)
		}
	}
}

// lengthsOf are the variables of the cell whose types constants and types may ask for, as in const n = len(a): those
// that the cell's own declarations mention, and that are declared with a type or as a literal.
func (k *Checker) lengthsOf(ds []ast.Decl) map[string]ast.Decl {
	r := map[string]ast.Decl{}
	if k.Result.Cell.Body == nil {
		return r
	}
	mentioned := map[string]bool{}
	for _, d := range ds {
		if g, ok := d.(*ast.GenDecl); ok {
			ast.Inspect(g, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					ast.Inspect(c, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							mentioned[id.Name] = true
						}
						return true
					})
				}
				return true
			})
		}
	}
	for _, s := range k.Result.Cell.Body.List {
		g := varDecl(s)
		if g == nil || len(g.Specs) != 1 {
			continue
		}
		spec := *g.Specs[0].(*ast.ValueSpec)
		if len(spec.Names) != 1 || !mentioned[spec.Names[0].Name] || k.declared[spec.Names[0].Name] {
			continue
		}
		if spec.Type != nil {
			spec.Values = nil
		} else if _, ok := spec.Values[0].(*ast.CompositeLit); !ok {
			continue
		}
		r[spec.Names[0].Name] = &ast.GenDecl{TokPos: g.TokPos, Tok: token.VAR, Specs: []ast.Spec{&spec}}
	}
	return r
}

// withoutCycle is a declaration that go/types can follow: it looks for cycles among the names of declared types, and
// does not expect one that an older cell has declared. In parentheses it is not a name.
func (k *Checker) withoutCycle(d *Decl) ast.Decl {
	if d.Spec == nil {
		return d.Node
	}
	id, ok := d.Spec.Type.(*ast.Ident)
	if !ok || k.declared[id.Name] || k.Scope.Bindings[id.Name] == nil {
		return d.Node
	}
	spec := *d.Spec
	spec.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
	g := *d.Node.(*ast.GenDecl)
	g.Specs = []ast.Spec{&spec}
	return &g
}

// record notes which objects of the session each declaration uses, and which imports were used.
func (k *Checker) record() {
	ck := k.Result
	for _, d := range ck.Decls {
		u := map[types.Object]bool{}
		ast.Inspect(d.Node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := ck.Info.Uses[id]; o != nil && IsSession(o) && IsGlobal(o) {
					u[o] = true
				}
			}
			return true
		})
		if d.Receiver != "" {
			if tn := ck.Objs[d.Receiver]; tn != nil {
				u[tn] = true
			} else if b := k.Scope.Bindings[d.Receiver]; b != nil && b.Object != nil {
				u[b.Object] = true
			}
		}
		ck.Uses[d] = u
	}
	for id, o := range ck.Info.Uses {
		if p, ok := o.(*types.PkgName); ok {
			ck.Imports[id.Name] = p.Imported().Path()
		}
		if why := k.Scope.Unavailable(o); why != "" {
			k.Problems = append(k.Problems,
				Problem{Pos: k.Scope.Fset.Position(id.Pos()), name: "TypeError", Message: why})
		}
	}
	for _, g := range ck.Cell.Imports {
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			path, _ := strconv.Unquote(s.Path.Value)
			switch n := k.importName(s); n {
			case ".":
				ck.Dots = append(ck.Dots, path)
			case "_":
			default:
				ck.Imports[n] = path
			}
		}
	}
}

// IsGlobal reports whether an object of the session stands at the top level of a cell, or is a field or method.
func IsGlobal(o types.Object) bool {
	return o.Parent() == nil || o.Parent().Parent() == types.Universe
}
