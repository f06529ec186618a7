package golang

import (
	"go/token"
	"go/types"
	"strings"
)

// maxOlder is how many versions of a function are told directly of a new one. Their callers stay fast, and a function
// that is defined very often costs no more for it.
const maxOlder = 16

// commitDecls binds what the cell declares; it has compiled.
func (e *Engine) commitDecls(ck *checked, l *lowerer) {
	for name, p := range ck.imports {
		if b := e.scope.bindings[name]; b == nil || b.obj != nil || b.path != p {
			e.release(b)
			e.scope.bindings[name] = &binding{name: name, path: p, cell: ck.cell.name}
		}
	}
	for _, p := range ck.dots {
		_ = e.scope.dotImport(p) // the checker has imported it
	}
	replaced := map[string]bool{}
	for _, d := range ck.decls {
		e.scope.uses[d] = ck.uses[d]
		for _, n := range d.names {
			replaced[n] = true
		}
		if d.spec != nil { // a new type has none of the older one's methods but those checked again
			for n := range e.scope.methods {
				if strings.HasPrefix(n, d.names[0]+".") {
					delete(e.scope.methods, n)
					replaced[n] = true
				}
			}
		}
	}
	keep := e.scope.decls[:0:0]
	for _, d := range e.scope.decls {
		if replaced[d.names[0]] && !contains(ck.decls, d) {
			delete(e.scope.uses, d)
			continue
		}
		if !contains(ck.decls, d) {
			keep = append(keep, d)
		}
	}
	e.scope.decls = append(keep, ck.decls...)
	for _, d := range ck.decls {
		if d.recv != "" {
			continue
		}
		for _, n := range d.names {
			obj := ck.objs[n]
			if obj == nil {
				continue
			}
			if f, ok := obj.(*types.Func); ok && f.Signature().TypeParams().Len() == 0 {
				var names []string
				if b := e.scope.bindings[n]; b != nil {
					if old, ok := b.obj.(*types.Func); ok && old != f && sameKind(old, f) {
						names = e.older[old]
						defer e.forget(e.names[old]) // nothing mentions it any more; what has called it goes on doing so
						delete(e.older, old)
						delete(e.names, old)
					}
				}
				e.older[f] = append(e.recent(names), e.names[f])
			}
			if b := e.scope.bindings[n]; b != nil && b.obj != nil && sameKind(b.obj, obj) {
				for _, u := range e.scope.uses { // what used the old one uses the new one from now on
					if u[b.obj] {
						delete(u, b.obj)
						u[obj] = true
					}
				}
			}
			e.release(e.scope.bindings[n])
			e.scope.bindings[n] = &binding{name: n, obj: obj, decl: d, cell: d.cell}
		}
	}
	e.commitRetyped(ck)
	for _, f := range ck.funcs {
		if len(f.tparams) > 0 {
			e.generics[f.obj] = f
		}
		if f.recv != "" {
			e.scope.methods[f.names[0]] = &method{obj: f.obj, signatureText: signatureText(f.node), decl: f.decl}
			if len(f.tparams) == 0 {
				e.older[f.obj] = append(e.recent(e.older[f.obj]), e.names[f.obj])
			}
		}
	}
}

// recent shortens a list of older versions: all of them call the last one, which goes on from there.
func (e *Engine) recent(names []string) []string {
	if len(names) > maxOlder {
		for _, n := range names[:len(names)-1] {
			delete(e.forwards, n)
		}
		return names[len(names)-1:]
	}
	return names
}

func contains(ds []*decl, d *decl) bool {
	for _, x := range ds {
		if x == d {
			return true
		}
	}
	return false
}

// commitVars binds the variables that the statements before limit have defined, and releases what their names stood for.
func (e *Engine) commitVars(ck *checked, lw *lowered, limit token.Pos) {
	e.scope.mu.Lock()
	defer e.scope.mu.Unlock()
	for _, v := range ck.vars {
		if v.at >= limit {
			continue
		}
		if b := e.scope.bindings[v.name]; b == nil || b.obj != v.slot {
			e.release(b)
			e.scope.bindings[v.name] = &binding{name: v.name, obj: v.slot, cell: ck.cell.name}
			e.defined = append(e.defined, v.name)
		}
	}
	if lw.last != nil && limit == 1<<60 {
		e.lasts[lw.key] = lw.last
		if b := e.scope.bindings["_"]; b == nil || b.obj != lw.last {
			e.release(b)
			e.scope.bindings["_"] = &binding{name: "_", obj: lw.last, cell: ck.cell.name}
		}
		e.keepResult(cellNumber(ck.cell.name), lw)
	}
}

// release zeroes a variable that a name no longer stands for, so that its value becomes collectable.
func (e *Engine) release(b *binding) {
	if b == nil {
		return
	}
	if v, ok := b.obj.(*types.Var); ok && e.slots[v] != nil {
		e.slots[v].ptr.Elem().SetZero()
	}
}

// reached is where the cell's statements stopped: what is defined before has its value.
func (e *Engine) reached(ck *checked, lw *lowered) token.Pos {
	if lw.mark == nil {
		return 0
	}
	line, col := lw.mark.at()
	for _, s := range ck.body.List {
		p := e.scope.fset.Position(s.Pos())
		if p.Line > line || p.Line == line && p.Column >= col {
			return s.Pos()
		}
	}
	return 0
}
