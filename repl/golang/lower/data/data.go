// Package data makes the values of composite literals of constants without the interpreter: tables of packages and
// long literals of cells, of which yaegi would compile each element.
package data

import (
	"go/ast"
	"reflect"
)

// manyElements is from how many elements on a literal is data.
const manyElements = 256

// HasMany reports whether a literal, with those in it, has many elements.
func HasMany(n *ast.CompositeLit) bool { return hasElements(n, new(int)) }

// hasElements is HasMany of a literal after seen elements.
func hasElements(n *ast.CompositeLit, seen *int) bool {
	if *seen += len(n.Elts); *seen >= manyElements {
		return true
	}
	for _, x := range n.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		if lit, ok := x.(*ast.CompositeLit); ok && hasElements(lit, seen) {
			return true
		}
	}
	return false
}

// Copy copies a value of a literal, with all that it refers to.
func Copy(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	unshare(to)
	return to
}

// unshare has a variable refer to copies of what it refers to.
func unshare(to reflect.Value) {
	if !refers(to.Type()) {
		return
	}
	switch to.Kind() {
	case reflect.Slice:
		if to.IsNil() {
			return
		}
		list := reflect.MakeSlice(to.Type(), to.Len(), to.Len())
		reflect.Copy(list, to)
		to.Set(list)
		if refers(to.Type().Elem()) {
			for i := range to.Len() {
				unshare(to.Index(i))
			}
		}
	case reflect.Map:
		if to.IsNil() {
			return
		}
		m := reflect.MakeMapWithSize(to.Type(), to.Len())
		for k, v := range to.Seq2() {
			m.SetMapIndex(Copy(k), Copy(v))
		}
		to.Set(m)
	case reflect.Pointer:
		if !to.IsNil() {
			p := reflect.New(to.Type().Elem())
			p.Elem().Set(to.Elem())
			unshare(p.Elem())
			to.Set(p)
		}
	case reflect.Interface:
		if !to.IsNil() {
			to.Set(Copy(to.Elem()))
		}
	case reflect.Array:
		for i := range to.Len() {
			unshare(to.Index(i))
		}
	case reflect.Struct:
		for i := range to.NumField() {
			unshare(settable(to.Field(i)))
		}
	}
}

// refers reports whether values of a type refer to what can be changed.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// settable is a field of a variable, also where it is not exported.
func settable(f reflect.Value) reflect.Value {
	if f.CanSet() {
		return f
	}
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}
