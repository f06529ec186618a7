package rtype

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// interfaceOf builds the one form of t, which is u or a defined type with u underlying.
func (w *World) interfaceOf(t types.Type, u *types.Interface, e *entry) reflect.Type {
	if !u.IsMethodSet() {
		panic(fmt.Sprintf("rtype: %v is a constraint and has no run-time type", t))
	}
	b := blueprint{like: w.standIn(u), text: typeText(t)}
	if n, ok := t.(*types.Named); ok {
		b.named, b.pkgPath = true, n.Obj().Pkg().Path()
	} else if u.NumMethods() == 0 {
		e.forms = [3]reflect.Type{b.like, b.like, b.like}
		return b.like
	}
	s := newShell(b)
	r := s.typ()
	e.forms = [3]reflect.Type{r, r, r}
	w.static[r] = t

	methods := orderedMethods(u)
	it := (*interfaceType)(unsafe.Pointer(s.header))
	it.pkgPath = nil
	if b.pkgPath != "" {
		it.pkgPath = newName(b.pkgPath, "", "", 0)
	}
	it.methods = make([]imethod, len(methods))
	for i, m := range methods {
		typ := w.funcOf(m.Signature(), signature)
		it.methods[i] = imethod{nameOffset(methodName(m, nameExported)), typeOffset(typ)}
	}
	return r
}

// orderedMethods returns the methods of an interface in the order of descriptors.
func orderedMethods(u *types.Interface) []*types.Func {
	methods := slices.Collect(u.Methods())
	slices.SortFunc(methods, compareMethods)
	return methods
}

// compareMethods orders methods as descriptors do.
func compareMethods(a, b *types.Func) int {
	switch {
	case a.Exported() && !b.Exported():
		return -1
	case b.Exported() && !a.Exported():
		return 1
	}
	if c := strings.Compare(a.Name(), b.Name()); c != 0 || a.Exported() {
		return c
	}
	return strings.Compare(a.Pkg().Path(), b.Pkg().Path())
}

// methodName encodes the name of a method. One that is not exported is the method of its package only.
func methodName(m *types.Func, flags byte) *byte {
	if m.Exported() {
		return newName(m.Name(), "", "", flags|nameExported)
	}
	return newName(m.Name(), "", m.Pkg().Path(), flags)
}
