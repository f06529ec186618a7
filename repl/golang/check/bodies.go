package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// lateMethod adds a method to a type of an earlier cell.
func (k *Checker) lateMethod(d *Decl) {
	fn, _ := k.Result.Objs[d.Names[0]].(*types.Func)
	tn, _ := k.Scope.Bindings[d.Receiver].Object.(*types.TypeName)
	fd := d.Node.(*ast.FuncDecl)
	at := k.Scope.Fset.Position(fd.Name.Pos())
	fail := func(format string, args ...any) {
		k.Problems = append(k.Problems, Problem{Pos: at, name: "TypeError", Message: fmt.Sprintf(format, args...)})
	}
	delete(k.Result.Objs, d.Names[0])
	if fn == nil {
		if tn != nil && k.Scope.Bindings[d.Receiver].Decl != nil && k.Scope.Bindings[d.Receiver].Decl.Spec != nil &&
			k.Scope.Bindings[d.Receiver].Decl.Spec.TypeParams != nil {
			k.again[d.Receiver] = true
		}
		return
	}
	if tn == nil {
		if len(k.Problems) == 0 {
			fail("%s is not a type", d.Receiver)
		}
		return
	}
	named, ok := types.Unalias(tn.Type()).(*types.Named)
	if !ok {
		fail("invalid receiver type %s", d.Receiver)
		return
	}
	if named.TypeParams().Len() > 0 {
		k.again[d.Receiver] = true
		fail("methods of the generic type %s must stand in the cell that declares it", d.Receiver)
		return
	}
	sig := fn.Signature()
	recv := sig.Params().At(0)
	var rest []*types.Var
	for i := 1; i < sig.Params().Len(); i++ {
		rest = append(rest, sig.Params().At(i))
	}
	msig := types.NewSignatureType(recv, nil, nil, types.NewTuple(rest...), sig.Results(), sig.Variadic())
	// What is embedded may have a method of the same name, another one.
	if old, index, _ := types.LookupFieldOrMethod(named, true, tn.Pkg(), fd.Name.Name); len(index) == 1 {
		f, ok := old.(*types.Func)
		switch {
		case !ok:
			fail("field and method with the same name %s", fd.Name.Name)
			return
		case k.Scope.Methods[d.Names[0]] == nil && !k.Scope.Phantom[f]:
		case types.Identical(f.Signature(), msig) &&
			PointerReceiver(f) == PointerReceiver(types.NewFunc(0, nil, "", msig)):
			k.Result.Objs[d.Names[0]] = f
			if k.Scope.Phantom[f] { // of a cell that failed, or of this one, which is checked again
				k.Result.Phantom = append(k.Result.Phantom, f)
			}
			return
		default:
			k.again[d.Receiver] = true
			fail("method %s is %s: to change its type, declare the type %s again in the same cell", d.Names[0],
				UserText(types.TypeString(f.Signature(), Qualifier)), d.Receiver)
			return
		}
	}
	m := types.NewFunc(fd.Name.Pos(), tn.Pkg(), fd.Name.Name, msig)
	named.AddMethod(m)
	k.Result.Phantom = append(k.Result.Phantom, m)
	k.Scope.Phantom[m] = true // until the cell has succeeded
	k.Result.Objs[d.Names[0]] = m
}

func PointerReceiver(f *types.Func) bool {
	_, ok := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	return ok
}

// phantoms reports uses of methods that a failed cell has left on a type.
func (k *Checker) phantoms() {
	if len(k.Scope.Phantom) == 0 {
		return
	}
	mine := map[*types.Func]bool{}
	for _, m := range k.Result.Phantom {
		mine[m] = true
	}
	for _, o := range k.Result.Objs {
		if f, ok := o.(*types.Func); ok {
			mine[f] = true
		}
	}
	for x, s := range k.Result.Info.Selections {
		if f, ok := s.Obj().(*types.Func); ok && k.Scope.Phantom[f] && !mine[f] {
			k.Problems = append(k.Problems,
				Problem{Pos: k.Scope.Fset.Position(x.Sel.Pos()), name: "TypeError",
					Message: fmt.Sprintf("%s undefined (type %s has no field or method %s)", types.ExprString(x),
						Display(s.Recv()), f.Name())})
		}
	}
}

// WithReceiver is a method's type with the receiver as first parameter.
func WithReceiver(fd *ast.FuncDecl, tparams *ast.FieldList) *ast.FuncType {
	recv := *fd.Recv.List[0]
	if len(recv.Names) == 0 {
		recv.Names = []*ast.Ident{{NamePos: recv.Type.Pos(), Name: "_"}}
	}
	params := &ast.FieldList{Opening: fd.Type.Params.Opening, Closing: fd.Type.Params.Closing}
	params.List = append([]*ast.Field{&recv}, fd.Type.Params.List...)
	for i, f := range params.List {
		if len(f.Names) == 0 { // names for all or for none
			g := *f
			g.Names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: "_"}}
			params.List[i] = &g
		}
	}
	return &ast.FuncType{Func: fd.Type.Func, TypeParams: tparams, Params: params, Results: fd.Type.Results}
}

// bodies checks function bodies, which see the variables that the cell's statements define.
func (k *Checker) bodies() {
	var ds []ast.Decl
	var fs []*Function
	objs := map[string]types.Object{}
	for n, o := range k.Result.Objs {
		if !strings.Contains(n, ".") {
			objs[n] = o
		}
	}
	for _, v := range k.Result.Vars {
		objs[v.Name] = v.Slot
	}
	for _, d := range k.Result.Decls {
		fd, ok := d.Node.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			if ok {
				k.Problems = append(k.Problems,
					Problem{Pos: k.Scope.Fset.Position(fd.Name.Pos()), name: "TypeError",
						Message: "missing function body"})
			}
			continue
		}
		body := *fd
		body.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: "body." + d.Names[0]}
		if fd.Recv != nil {
			tparams := k.receiverParams(d, fd)
			named := body
			named.Recv = namedReceiver(fd.Recv, tparams)
			body.Recv = nil
			body.Type = WithReceiver(&named, tparams)
		}
		ds = append(ds, &body)
		fs = append(fs, &Function{Decl: d, Syntax: &body, Info: k.Result.Info})
	}
	if len(ds) == 0 {
		return
	}
	scope := k.run(ds, objs, nil)
	for _, f := range fs {
		if o, ok := scope.Lookup(f.Syntax.Name.Name).(*types.Func); ok {
			for i := range o.Signature().TypeParams().Len() {
				f.TypeParams = append(f.TypeParams, o.Signature().TypeParams().At(i))
			}
		}
		if o, ok := k.Result.Objs[f.Names[0]].(*types.Func); ok {
			f.Object = o
		} else if o, ok := k.Result.Info.Defs[f.Node.(*ast.FuncDecl).Name].(*types.Func); ok {
			f.Object = o // a method, checked beside its type
		}
	}
	k.Result.Funcs = fs
}

// namedReceiver is a receiver whose blank type parameters have the names that receiverParams gave them.
func namedReceiver(recv *ast.FieldList, tparams *ast.FieldList) *ast.FieldList {
	if tparams == nil {
		return recv
	}
	var args []ast.Expr
	for _, f := range tparams.List {
		args = append(args, f.Names[0])
	}
	f := *recv.List[0]
	star, isPtr := f.Type.(*ast.StarExpr)
	x := f.Type
	if isPtr {
		x = star.X
	}
	switch t := x.(type) {
	case *ast.IndexExpr:
		x = &ast.IndexExpr{X: t.X, Lbrack: t.Lbrack, Index: args[0], Rbrack: t.Rbrack}
	case *ast.IndexListExpr:
		x = &ast.IndexListExpr{X: t.X, Lbrack: t.Lbrack, Indices: args, Rbrack: t.Rbrack}
	}
	if f.Type = x; isPtr {
		f.Type = &ast.StarExpr{Star: star.Star, X: x}
	}
	return &ast.FieldList{Opening: recv.Opening, List: []*ast.Field{&f}, Closing: recv.Closing}
}

// ReceiverTypeParams are the type parameters that a method's receiver names: K and V of (m *Map[K, V]).
func ReceiverTypeParams(fd *ast.FuncDecl) []ast.Expr {
	x := fd.Recv.List[0].Type
	if s, ok := x.(*ast.StarExpr); ok {
		x = s.X
	}
	switch x := x.(type) {
	case *ast.IndexExpr:
		return []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		return x.Indices
	}
	return nil
}

// receiverParams declares the type parameters that a generic receiver names, with the constraints of its type.
func (k *Checker) receiverParams(d *Decl, fd *ast.FuncDecl) *ast.FieldList {
	names := ReceiverTypeParams(fd)
	if names == nil {
		return nil
	}
	var spec *ast.TypeSpec
	for _, t := range k.Result.Decls {
		if t.Spec != nil && t.Names[0] == d.Receiver {
			spec = t.Spec
		}
	}
	if spec == nil || spec.TypeParams == nil {
		return nil
	}
	rename := map[string]string{}
	list := &ast.FieldList{}
	i := 0
	for _, f := range spec.TypeParams.List {
		for _, n := range f.Names {
			if i >= len(names) {
				return nil
			}
			id, ok := names[i].(*ast.Ident)
			if !ok {
				return nil
			}
			name := id.Name
			if name == "_" { // the constraints of other parameters may need it
				name = n.Name + "."
			}
			rename[n.Name] = name
			list.List = append(list.List,
				&ast.Field{Names: []*ast.Ident{{NamePos: id.NamePos, Name: name}}, Type: f.Type})
			i++
		}
	}
	for _, f := range list.List {
		f.Type = renamed(f.Type, rename)
	}
	return list
}
