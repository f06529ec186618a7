package golang

import (
	"context"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/rtype"
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
		if replaced[d.names[0]] && !slices.Contains(ck.decls, d) {
			delete(e.scope.uses, d)
			continue
		}
		if !slices.Contains(ck.decls, d) {
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

// follow gives the variables that follow their types a slot: the one that they have, when interpreted code has the same type for
// both. It returns a note for each variable that cannot follow.
func (e *Engine) follow(ck *checked) []string {
	for _, r := range ck.retyped {
		old := e.slots[r.old]
		if old == nil {
			continue
		}
		e.slots[r.new] = old
		if e.scope.inner(r.new.Type()) != e.scope.inner(r.old.Type()) {
			e.slots[r.new] = e.newSlot(r.new.Type())
		}
	}
	newer := e.scope.newer(ck)
	if len(newer) == 0 {
		return nil
	}
	declared := map[string]bool{}
	for _, v := range ck.vars {
		declared[v.name] = true
	}
	var notes []string
	for n, b := range e.scope.bindings {
		v, ok := b.obj.(*types.Var)
		if _, follows := ck.retyped[n]; !ok || follows || n == "_" || declared[n] || ck.objs[n] != nil {
			continue
		}
		for _, tn := range typeNames(v.Type()) {
			if _, again := newer[tn]; again {
				notes = append(notes, n+" keeps the older "+tn.Name()+" ("+e.scope.fset.Position(tn.Pos()).Filename+")")
				break
			}
		}
	}
	slices.Sort(notes)
	return notes
}

// commitRetyped binds variables with their newer types.
func (e *Engine) commitRetyped(ck *checked) {
	for n, r := range ck.retyped {
		if b := e.scope.bindings[n]; b == nil || b.obj != r.old {
			continue
		}
		e.scope.bindings[n].obj = r.new
		if old, s := e.slots[r.old], e.slots[r.new]; s != old {
			s.ptr.Elem().Set(rtype.Retype(old.ptr.Elem(), s.ptr.Type().Elem()))
			old.ptr.Elem().SetZero()
		}
		for _, u := range e.scope.uses {
			if u[r.old] {
				delete(u, r.old)
				u[r.new] = true
			}
		}
	}
}

// Forget removes a name from the session. A variable is set to its zero value, so that what it held can be collected. Functions
// that use the name keep what they were compiled with.
func (e *Engine) Forget(ctx context.Context, name string) *Failure {
	e.scope.mu.Lock()
	b := e.scope.bindings[name]
	e.scope.mu.Unlock()
	if b == nil {
		return &Failure{Name: "TypeError", Message: "undefined: " + name}
	}
	if v, ok := b.obj.(*types.Var); ok && hidden(v.Type()) == "" {
		// A type that no longer has a name fails here: then the value goes with the session.
		_ = e.evalCell(ctx, "reset", "func() { var zero "+display(v.Type())+"; "+name+" = zero }();", false)
	}
	e.scope.mu.Lock()
	defer e.scope.mu.Unlock()
	delete(e.scope.bindings, name)
	keep := e.scope.decls[:0:0]
	for _, d := range e.scope.decls {
		if d.names[0] != name && d.recv != name {
			keep = append(keep, d)
		} else {
			delete(e.scope.uses, d)
		}
	}
	e.scope.decls = keep
	for m := range e.scope.methods {
		if strings.HasPrefix(m, name+".") {
			delete(e.scope.methods, m)
		}
	}
	return nil
}
