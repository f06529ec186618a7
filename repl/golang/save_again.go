package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A declaration that is checked again makes new objects, also where nothing about it has changed: a type whose method gets other
// parameters, and all that mentions it. This file finds out what is the same in the program.

// bind takes note of what a step has declared, where before is what the names stood for.
func (p *savedProgram) bind(ck *checked, before map[string]*binding) {
	var fresh []*version
	for _, d := range ck.decls {
		v := &version{d: d, info: ck.info, src: strings.Join(p.e.sources[d.cell], "\n")}
		p.order = append(p.order, v)
		fresh = append(fresh, v)
		if d.recv != "" {
			p.bindMethod(ck, v)
			continue
		}
		for _, n := range d.names {
			if o := ck.objs[n]; o != nil {
				v.objs = append(v.objs, o)
				p.versions[o] = v
			}
		}
	}
	same := p.sameTypes(fresh, before)
	newer := map[*types.TypeName]types.Type{}
	for old, o := range same {
		p.next[old] = o
		newer[old] = o.Type()
	}
	for old, o := range same {
		for name, m := range p.methods[o] {
			if was := p.methods[old][name]; was != nil && replaces(was.method, m.method, newer) {
				p.next[was.method] = m.method
			}
		}
	}
	for _, v := range fresh {
		for _, o := range v.objs {
			if b := before[o.Name()]; b != nil && b.obj != nil && b.obj != o && replaces(b.obj, o, newer) {
				p.next[b.obj] = o
			}
		}
	}
	for _, r := range ck.retyped {
		if t := replaced(r.old.Type(), newer); t != nil && types.Identical(t, r.new.Type()) {
			p.next[r.new] = r.old
		}
	}
}

func (p *savedProgram) bindMethod(ck *checked, v *version) {
	name := v.d.names[0]
	v.method = ck.objs[name] // of a type of an earlier step
	if f, ok := v.d.node.(*ast.FuncDecl); ok && v.method == nil {
		v.method = ck.info.Defs[f.Name]
	}
	v.recv = ck.objs[v.d.recv]
	if b := p.e.scope[v.d.recv]; v.recv == nil && b != nil {
		v.recv = b.obj
	}
	if p.methods[v.recv] == nil {
		p.methods[v.recv] = map[string]*version{}
	}
	p.methods[v.recv][name] = v
	p.versions[v.method] = v
}

// sameTypes finds the types that were declared again as they are, older to newer.
func (p *savedProgram) sameTypes(fresh []*version, before map[string]*binding) map[*types.TypeName]*types.TypeName {
	same := map[*types.TypeName]*types.TypeName{}
	for _, v := range fresh {
		for _, o := range v.objs {
			tn, _ := o.(*types.TypeName)
			if b := before[o.Name()]; tn != nil && b != nil {
				if old, _ := b.obj.(*types.TypeName); old != nil && old != tn && p.versions[old] != nil && p.versions[old].d.text == v.d.text {
					same[old] = tn
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for old, tn := range same {
			now := p.mentioned(p.versions[tn])
			if !slices.EqualFunc(p.mentioned(p.versions[old]), now, func(a, b types.Object) bool {
				was, _ := a.(*types.TypeName)
				return a == b || was != nil && same[was] != nil && types.Object(same[was]) == b
			}) {
				delete(same, old)
				again = true
			}
		}
	}
	return same
}

// mentioned lists the session's declarations that one mentions, as often as it does.
func (p *savedProgram) mentioned(v *version) (list []types.Object) {
	ast.Inspect(v.d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := p.final(v.info.Uses[id]); o != nil && p.versions[o] != nil {
				list = append(list, o)
			}
		}
		return true
	})
	return list
}

// replaces reports whether a use of a means b after b's declaration. newer are the types that are the same in the program.
func replaces(a, b types.Object, newer map[*types.TypeName]types.Type) bool {
	if a == nil || b == nil {
		return false
	}
	t := replaced(a.Type(), newer)
	if t == nil || !types.Identical(t, b.Type()) {
		return false
	}
	switch a := a.(type) {
	case *types.Func:
		_, ok := b.(*types.Func)
		return ok
	case *types.Const:
		c, ok := b.(*types.Const)
		return ok && a.Val().ExactString() == c.Val().ExactString()
	case *types.Var:
		_, ok := b.(*types.Var)
		return ok
	}
	return false
}

// final is the object that stands for another one in the program.
func (p *savedProgram) final(o types.Object) types.Object {
	if f, ok := o.(*types.Func); ok {
		o = f.Origin()
	}
	for p.next[o] != nil {
		o = p.next[o]
	}
	return o
}

// nameMethods gives numbers to methods that steps call and that later ones have declared again with another signature.
func (p *savedProgram) nameMethods() {
	for _, v := range p.order {
		if m := v.method; m != nil && p.kept[v] && p.final(m) == m && p.methods[p.final(v.recv)][v.d.names[0]] != v {
			p.names[m] = p.unused(m.Name())
		}
	}
}
