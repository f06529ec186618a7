package golang

import (
	"context"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// maxOlder is how many versions of a function are told directly of a new one. Their callers stay fast, and a function
// that is defined very often costs no more for it.
const maxOlder = 16

// commitDecls binds what the cell declares; it has compiled.
func (e *Engine) commitDecls(ck *check.Checked, l *lowerer) {
	for name, p := range ck.Imports {
		if b := e.scope.Bindings[name]; b == nil || b.Object != nil || b.Path != p {
			e.release(b)
			e.scope.Bindings[name] = &check.Binding{Name: name, Path: p, Cell: ck.Cell.Name}
		}
	}
	for _, p := range ck.Dots {
		_ = e.scope.DotImport(p) // the checker has imported it
	}
	replaced := map[string]bool{}
	for _, d := range ck.Decls {
		e.scope.Uses[d] = ck.Uses[d]
		for _, n := range d.Names {
			replaced[n] = true
		}
		if d.Spec != nil { // a new type has none of the older one's methods but those checked again
			for n := range e.scope.Methods {
				if strings.HasPrefix(n, d.Names[0]+".") {
					delete(e.scope.Methods, n)
					replaced[n] = true
				}
			}
		}
	}
	keep := e.scope.Decls[:0:0]
	for _, d := range e.scope.Decls {
		if replaced[d.Names[0]] && !slices.Contains(ck.Decls, d) {
			delete(e.scope.Uses, d)
			continue
		}
		if !slices.Contains(ck.Decls, d) {
			keep = append(keep, d)
		}
	}
	e.scope.Decls = append(keep, ck.Decls...)
	for _, d := range ck.Decls {
		if d.Receiver != "" {
			continue
		}
		for _, n := range d.Names {
			obj := ck.Objs[n]
			if obj == nil {
				continue
			}
			if f, ok := obj.(*types.Func); ok && f.Signature().TypeParams().Len() == 0 {
				var names []string
				if b := e.scope.Bindings[n]; b != nil {
					if old, ok := b.Object.(*types.Func); ok && old != f && check.SameUse(old, f) {
						names = e.older[old]
						defer e.rt.Forget(e.names[old]) // nothing mentions it any more; what has called it goes on doing so
						delete(e.older, old)
						delete(e.names, old)
					}
				}
				e.older[f] = append(e.recent(names), e.names[f])
			}
			if b := e.scope.Bindings[n]; b != nil && b.Object != nil && check.SameUse(b.Object, obj) {
				for _, u := range e.scope.Uses { // what used the old one uses the new one from now on
					if u[b.Object] {
						delete(u, b.Object)
						u[obj] = true
					}
				}
			}
			e.release(e.scope.Bindings[n])
			e.scope.Bindings[n] = &check.Binding{Name: n, Object: obj, Decl: d, Cell: d.Cell}
		}
	}
	e.commitRetyped(ck)
	for _, f := range ck.Funcs {
		if len(f.TypeParams) > 0 {
			e.generics[f.Object] = f
		}
		if f.Receiver != "" {
			e.scope.Methods[f.Names[0]] = &check.Method{Object: f.Object, SignatureText: check.SignatureText(f.Node), Decl: f.Decl}
			if len(f.TypeParams) == 0 {
				e.older[f.Object] = append(e.recent(e.older[f.Object]), e.names[f.Object])
			}
		}
	}
}

// recent shortens a list of older versions: all of them call the last one, which goes on from there.
func (e *Engine) recent(names []string) []string {
	if len(names) > maxOlder {
		for _, n := range names[:len(names)-1] {
			delete(e.rt.Forwards, n)
		}
		return names[len(names)-1:]
	}
	return names
}

// commitVars binds the variables that the statements before limit have defined, and releases what their names stood for.
func (e *Engine) commitVars(ck *check.Checked, lw *lowered, limit token.Pos) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, v := range ck.Vars {
		if v.At >= limit {
			continue
		}
		if b := e.scope.Bindings[v.Name]; b == nil || b.Object != v.Slot {
			e.release(b)
			e.scope.Bindings[v.Name] = &check.Binding{Name: v.Name, Object: v.Slot, Cell: ck.Cell.Name}
			e.defined = append(e.defined, v.Name)
		}
	}
	if lw.last != nil && limit == 1<<60 {
		e.lasts[lw.key] = lw.last
		if b := e.scope.Bindings["_"]; b == nil || b.Object != lw.last {
			e.release(b)
			e.scope.Bindings["_"] = &check.Binding{Name: "_", Object: lw.last, Cell: ck.Cell.Name}
		}
		e.keepResult(check.CellNumber(ck.Cell.Name), lw)
	}
}

// release zeroes a variable that a name no longer stands for, so that its value becomes collectable.
func (e *Engine) release(b *check.Binding) {
	if b == nil {
		return
	}
	if v, ok := b.Object.(*types.Var); ok && e.slots[v] != nil {
		e.slots[v].Ptr.Elem().SetZero()
	}
}

// reached is where the cell's statements stopped: what is defined before has its value.
func (e *Engine) reached(ck *check.Checked, lw *lowered) token.Pos {
	if lw.mark == nil {
		return 0
	}
	line, col := lw.mark.At()
	for _, s := range ck.Body.List {
		p := e.scope.Fset.Position(s.Pos())
		if p.Line > line || p.Line == line && p.Column >= col {
			return s.Pos()
		}
	}
	return 0
}

// follow gives the variables that follow their types a slot: the one that they have, when interpreted code has the same type for
// both. It returns a note for each variable that cannot follow.
func (e *Engine) follow(ck *check.Checked) []string {
	for _, r := range ck.Retyped {
		old := e.slots[r.Old]
		if old == nil {
			continue
		}
		e.slots[r.New] = old
		if e.scope.Inner(r.New.Type()) != e.scope.Inner(r.Old.Type()) {
			e.slots[r.New] = e.newSlot(r.New.Type())
		}
	}
	newer := e.scope.Newer(ck)
	if len(newer) == 0 {
		return nil
	}
	declared := map[string]bool{}
	for _, v := range ck.Vars {
		declared[v.Name] = true
	}
	var notes []string
	for n, b := range e.scope.Bindings {
		v, ok := b.Object.(*types.Var)
		if _, follows := ck.Retyped[n]; !ok || follows || n == "_" || declared[n] || ck.Objs[n] != nil {
			continue
		}
		for _, tn := range check.TypeNames(v.Type()) {
			if _, again := newer[tn]; again {
				notes = append(notes, n+" keeps the older "+tn.Name()+" ("+e.scope.Fset.Position(tn.Pos()).Filename+")")
				break
			}
		}
	}
	slices.Sort(notes)
	return notes
}

// commitRetyped binds variables with their newer types.
func (e *Engine) commitRetyped(ck *check.Checked) {
	for n, r := range ck.Retyped {
		if b := e.scope.Bindings[n]; b == nil || b.Object != r.Old {
			continue
		}
		e.scope.Bindings[n].Object = r.New
		if old, s := e.slots[r.Old], e.slots[r.New]; s != old {
			s.Ptr.Elem().Set(rtype.Retype(old.Ptr.Elem(), s.Ptr.Type().Elem()))
			old.Ptr.Elem().SetZero()
		}
		for _, u := range e.scope.Uses {
			if u[r.Old] {
				delete(u, r.Old)
				u[r.New] = true
			}
		}
	}
}

// Forget removes a name from the session. A variable is set to its zero value, so that what it held can be collected. Functions
// that use the name keep what they were compiled with.
func (e *Engine) Forget(ctx context.Context, name string) *check.Failure {
	e.scope.Mu.Lock()
	b := e.scope.Bindings[name]
	e.scope.Mu.Unlock()
	if b == nil {
		return &check.Failure{Name: "TypeError", Message: "undefined: " + name}
	}
	if v, ok := b.Object.(*types.Var); ok && check.UnexportedIn(v.Type()) == "" {
		// A type that no longer has a name fails here: then the value goes with the session.
		_ = e.evalCell(ctx, "reset", "func() { var zero "+check.Display(v.Type())+"; "+name+" = zero }();", false)
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	delete(e.scope.Bindings, name)
	keep := e.scope.Decls[:0:0]
	for _, d := range e.scope.Decls {
		if d.Names[0] != name && d.Receiver != name {
			keep = append(keep, d)
		} else {
			delete(e.scope.Uses, d)
		}
	}
	e.scope.Decls = keep
	for m := range e.scope.Methods {
		if strings.HasPrefix(m, name+".") {
			delete(e.scope.Methods, m)
		}
	}
	return nil
}
