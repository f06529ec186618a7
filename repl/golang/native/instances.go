package native

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An instance of a generic function, or of a method of a generic type, is compiled as a function of its own, from the
// generic one's syntax: package ssa puts the types in. It has a Proc by the function and the type arguments.

// instance is one. A stale one has the code of an older version of the function, with the same type.
type instance struct {
	args  []types.Type
	proc  *Proc
	stale bool
}

// Instance is the Proc of a compiled instance of a function of the session, nil where there is none.
func (p *Program) Instance(f *types.Func, args []types.Type) *Proc {
	if i := p.instance(f, args); i != nil && !i.stale && i.proc.code.Load() != nil {
		return i.proc
	}
	return nil
}

func (p *Program) instance(f *types.Func, args []types.Type) *instance {
	for _, i := range p.instances[f] {
		if len(args) > 0 && sameTypes(i.args, args) {
			return i
		}
	}
	return nil
}

// drop forgets an instance. What has been compiled goes on calling it.
func (p *Program) drop(f *types.Func, i *instance) {
	p.instances[f] = slices.DeleteFunc(p.instances[f], func(o *instance) bool { return o == i })
}

// Supersede has the instances of a new version of a function take the places of those of an older one.
func (p *Program) Supersede(older, f *types.Func) {
	for _, i := range p.instances[older] {
		i.stale = true
		p.instances[f] = append(p.instances[f], i)
	}
	delete(p.instances, older)
}

func sameTypes(a, b []types.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !types.Identical(a[i], b[i]) {
			return false
		}
	}
	return true
}

// instance finds or plans an instance that a function calls.
func (pl *Plan) instance(of *Source, f *types.Func, args []types.Type) *Proc {
	p := pl.p
	if proc := p.Instance(f, args); proc != nil {
		return proc
	}
	if i := p.instance(f, args); i != nil && pl.batch[i.proc] != nil {
		return i.proc
	}
	if of.Packages.Generic == nil {
		return nil
	}
	s, ok := of.Packages.Generic(f)
	if !ok {
		return nil
	}
	s.Args = args
	w := p.newWork(Unit{Source: s, Called: f})
	if w.proc, w.why = p.procOf(w.u); w.proc == nil {
		return nil
	}
	pl.more = append(pl.more, w)
	pl.batch[w.proc] = w
	return w.proc
}

// signature is that of the function, an instance's with its types.
func (s *Source) signature() *types.Signature {
	sig := s.Object.Signature()
	if len(s.Args) == 0 {
		return sig
	}
	if i, err := types.Instantiate(nil, sig, s.Args, false); err == nil {
		return i.(*types.Signature)
	}
	return sig
}

// ownType is a type that is declared within the function, nil if there is none. Each instance of a generic function has
// another one, whose name says so, as package ssa's does not.
func (s *Source) ownType() (own *ast.TypeSpec) {
	ast.Inspect(s.Syntax, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok {
			own = t
		}
		return own == nil
	})
	return own
}

// use is a function that has the instance as its result, so that package ssa makes it.
func (s *Source) use(info *types.Info) (*ast.FuncDecl, *types.Func) {
	sig, pos := s.signature(), s.Syntax.Pos()
	id := &ast.Ident{Name: s.Object.Name(), NamePos: pos}
	info.Uses, info.Instances = with(info.Uses, id, types.Object(s.Object)), with(info.Instances, id,
		types.Instance{TypeArgs: typeList(s.Args), Type: sig})
	info.Types = with(info.Types, ast.Expr(id), types.TypeAndValue{Type: sig})
	name := &ast.Ident{Name: "use", NamePos: pos}
	result := types.NewTuple(types.NewVar(pos, s.Object.Pkg(), "", sig))
	f := types.NewFunc(pos, s.Object.Pkg(), "use", types.NewSignatureType(nil, nil, nil, nil, result, false))
	info.Defs[name] = f
	return &ast.FuncDecl{Name: name, Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{}, Results: &ast.FieldList{
		List: []*ast.Field{{}}}}, Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos,
		List: []ast.Stmt{&ast.ReturnStmt{Return: pos, Results: []ast.Expr{id}}}}}, f
}

// with is a map with one more entry.
func with[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	more := make(map[K]V, len(m)+1)
	for k, v := range m {
		more[k] = v
	}
	more[k] = v
	return more
}

// typeList makes a list of type arguments, as only an instance has one.
func typeList(args []types.Type) *types.TypeList {
	var params []*types.TypeParam
	for range args {
		params = append(params, types.NewTypeParam(types.NewTypeName(token.NoPos, nil, "T", nil),
			types.NewInterfaceType(nil, nil)))
	}
	n := types.NewNamed(types.NewTypeName(token.NoPos, nil, "G", nil), types.NewStruct(nil, nil), nil)
	n.SetTypeParams(params)
	i, err := types.Instantiate(nil, n, args, false)
	if err != nil {
		return nil
	}
	return i.(*types.Named).TypeArgs()
}

// used is the function that one of use has as its result.
func used(fn *ssa.Function) *ssa.Function {
	if fn == nil || len(fn.Blocks) == 0 {
		return nil
	}
	in := fn.Blocks[0].Instrs
	ret, ok := in[len(in)-1].(*ssa.Return)
	if !ok {
		return nil
	}
	v := ret.Results[0]
	if c, ok := v.(*ssa.ChangeType); ok {
		v = c.X
	}
	f, _ := v.(*ssa.Function)
	return f
}

// target is the number of the function of the session that is called.
func (t functions) target(fn *ssa.Function, f *types.Func) (int, *Reason) {
	if len(fn.TypeArgs()) == 0 {
		return t.proc(f)
	}
	if f.Signature().Recv() == nil && fn.Origin() == nil {
		return 0, refuse(t.place(), "not compiled")
	}
	return t.resolveInstance(t.translator, f.Origin(), fn.TypeArgs())
}

// hasSource reports whether a function of a compiled package is compiled from its source.
func (t functions) hasSource(f *types.Func) bool {
	if t.s.Packages.Compiled == nil || t.device != nil {
		return false
	}
	s, ok := t.s.Packages.Compiled(f)
	if !ok {
		return false
	}
	p := t.p.of[s.Object]
	return p == nil || p.code.Load() != nil || t.batch[p] != nil && t.batch[p].why == nil
}

// isHidden reports whether traces do not show a function that is called.
func (t functions) isHidden(f *types.Func) bool {
	return f.Pkg() != t.session() && !t.s.Hidden && t.hasSource(f)
}

// sourced finds or plans a function of a compiled package that is compiled from its source.
func (pl *Plan) sourced(of *Source, f *types.Func) *Proc {
	if of.Packages.Compiled == nil {
		return nil
	}
	s, ok := of.Packages.Compiled(f)
	if !ok {
		return nil
	}
	p := pl.p.of[s.Object]
	if p == nil {
		w := pl.p.newWork(Unit{Source: s, Called: s.Object})
		if w.proc, w.why = pl.p.procOf(w.u); w.proc == nil {
			return nil
		}
		p = w.proc
		pl.p.of[s.Object] = p
		pl.more = append(pl.more, w)
		pl.batch[p] = w
	}
	return p
}

// isForeign reports whether Go code does a call: of another package, unless it is that of an instance that is compiled.
func (t functions) isForeign(fn *ssa.Function, f *types.Func) bool {
	p := t.s.Packages
	if t.hasSource(f) {
		return false
	}
	if len(fn.TypeArgs()) > 0 && p.Instance != nil && p.Instance(f.Origin(), nil).IsValid() {
		return true
	}
	return f.Pkg() != t.s.Object.Pkg() && (len(fn.TypeArgs()) == 0 || p.Generic == nil)
}
