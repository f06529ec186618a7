package rtype

import (
	"go/types"
	"reflect"
	"strconv"
	"unsafe"
)

// outerDefined builds a version of a defined type that is not an interface.
func (w *World) outerDefined(t *types.Named, e *entry) reflect.Type {
	pkg := t.Obj().Pkg().Path()
	return w.withMethods(t, e, blueprint{like: w.prototype(t), text: typeText(t), named: true, pkgPath: pkg})
}

// outerStruct builds a version of a struct type without a name.
func (w *World) outerStruct(t *types.Struct, e *entry) reflect.Type {
	return w.withMethods(t, e, blueprint{like: w.standIn(t), text: typeText(t)})
}

// withMethods builds a version of t with its methods, and those of the pointer to it.
func (w *World) withMethods(t types.Type, e *entry, b blueprint) reflect.Type {
	methods, pointerMethods := w.methodSet(t), w.methodSet(types.NewPointer(t))
	u := t.Underlying()
	if s, ok := u.(*types.Signature); ok {
		b.words = s.Params().Len() + s.Results().Len()
	}
	b.methods = len(methods)
	s := newShell(b)
	var p shell
	if len(pointerMethods) > 0 {
		p = newShell(blueprint{
			like:    reflect.TypeFor[*unsafe.Pointer](),
			text:    "*" + b.text,
			pkgPath: b.pkgPath,
			methods: len(pointerMethods),
		})
		(*pointerType)(unsafe.Pointer(p.header)).elem = s.header
		s.ptrToThis = typeOffset(p.typ())
	}
	e.forms[outer] = s.typ()
	if e.forms[signature] == nil {
		e.forms[signature] = s.typ()
	}
	w.fill(s, u, outer)
	w.fillMethods(s, t, methods, false)
	w.fillMethods(p, t, pointerMethods, true)
	return s.typ()
}

// innerDefined builds the Inner form of a type that is made of itself.
func (w *World) innerDefined(t *types.Named, e *entry) reflect.Type {
	text := typeText(t)
	w.names[text]++
	if n := w.names[text]; n > 1 { // the interpreter tells types apart by their names
		text += "·" + strconv.Itoa(n)
	}
	b := blueprint{like: w.prototype(t), text: text, named: true, pkgPath: t.Obj().Pkg().Path()}
	if s, ok := t.Underlying().(*types.Signature); ok {
		b.words = s.Params().Len() + s.Results().Len()
	}
	s := newShell(b)
	e.forms[inner] = s.typ()
	w.fill(s, t.Underlying(), inner)
	return s.typ()
}

// fill gives s the parts of a form of u.
func (w *World) fill(s shell, u types.Type, f form) {
	switch u := u.(type) {
	case *types.Struct:
		w.fillStruct(s, u, f)
	case *types.Array:
		s.compare(types.Comparable(u))
		s.fill(w.typ(u, f))
	default:
		s.fill(w.typ(u, f))
	}
}
