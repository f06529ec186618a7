package rtype

import (
	"go/types"
	"reflect"
	"slices"
)

// parts returns the types that t is directly made of. Interfaces count as whole: they have one form only, whatever
// their methods mention. So do compiled types.
func (w *World) parts(t types.Type) []types.Type {
	switch t := t.(type) {
	case *types.Named:
		if w.compiled(t) == nil {
			return []types.Type{t.Underlying()}
		}
	case *types.Pointer:
		return []types.Type{t.Elem()}
	case *types.Slice:
		return []types.Type{t.Elem()}
	case *types.Array:
		return []types.Type{t.Elem()}
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case *types.Chan:
		return []types.Type{t.Elem()}
	case *types.Signature:
		var all []types.Type
		for v := range t.Params().Variables() {
			all = append(all, v.Type())
		}
		for v := range t.Results().Variables() {
			all = append(all, v.Type())
		}
		return all
	case *types.Struct:
		var all []types.Type
		for v := range t.Fields() {
			all = append(all, v.Type())
		}
		return all
	}
	return nil
}

// madeOf reports whether t is part or is made of it. seen holds the defined types that are being looked
// into, and without those that are known not to be made of it.
func (w *World) madeOf(t types.Type, part *types.Named, seen, without map[types.Type]bool) bool {
	t = w.canonical(t)
	if n, ok := t.(*types.Named); ok {
		if types.Identical(n, part) {
			return true
		}
		if seen[n] || without[n] {
			return false
		}
		seen[n] = true
	}
	return slices.ContainsFunc(w.parts(t), func(p types.Type) bool { return w.madeOf(p, part, seen, without) })
}

// recursive reports whether t is made of itself.
func (w *World) recursive(t *types.Named) bool {
	e := w.entry(t)
	if e.recursive == nil {
		r := w.madeOf(t.Underlying(), t, map[types.Type]bool{}, nil)
		e.recursive = &r
	}
	return *e.recursive
}

// local reports whether t is, or is made of, a type built here: a defined type, or an interface or struct of its own.
func (w *World) local(t types.Type) bool {
	t = w.canonical(t)
	switch t := t.(type) {
	case *types.Named:
		return w.compiled(t) == nil
	case *types.Interface:
		return t.NumMethods() > 0
	case *types.Struct:
		if !plain(t, outer) {
			return true
		}
	}
	return slices.ContainsFunc(w.parts(t), w.local)
}

// staticOf is Static under the lock.
func (w *World) staticOf(r reflect.Type) types.Type {
	if r == nil {
		return nil
	}
	if t, ok := w.static[r]; ok {
		return t
	}
	if r.Name() != "" {
		return nil
	}
	t := w.staticComposite(r)
	if t != nil {
		w.static[r] = t
	}
	return t
}

func (w *World) staticComposite(r reflect.Type) types.Type {
	switch r.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		e := w.staticOf(r.Elem())
		if e == nil {
			return nil
		}
		switch r.Kind() {
		case reflect.Pointer:
			return types.NewPointer(e)
		case reflect.Slice:
			return types.NewSlice(e)
		case reflect.Array:
			return types.NewArray(e, int64(r.Len()))
		}
		dir := types.SendRecv
		switch r.ChanDir() {
		case reflect.SendDir:
			dir = types.SendOnly
		case reflect.RecvDir:
			dir = types.RecvOnly
		}
		return types.NewChan(dir, e)
	case reflect.Map:
		k, e := w.staticOf(r.Key()), w.staticOf(r.Elem())
		if k == nil && e == nil {
			return nil
		}
		if k == nil {
			k = predeclared(r.Key())
		}
		if e == nil {
			e = predeclared(r.Elem())
		}
		if k != nil && e != nil {
			return types.NewMap(k, e)
		}
	}
	return nil
}

// predeclared returns the basic type, any or error whose run-time type is r, or nil.
func predeclared(r reflect.Type) types.Type {
	switch r {
	case reflect.TypeFor[any]():
		return types.Universe.Lookup("any").Type()
	case unsafePointer:
		return types.Typ[types.UnsafePointer]
	}
	if o := types.Universe.Lookup(r.Name()); o != nil && r.PkgPath() == "" {
		return o.Type()
	}
	return nil
}
