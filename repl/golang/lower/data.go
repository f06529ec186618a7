package lower

import (
	"go/ast"
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Literals of many constants are data. Lowered code gets them from a function that copies a value made here: yaegi
// would compile each element, which takes ten times as long and cannot be interrupted.

// manyElements is from how many elements on a literal is data.
const manyElements = 256

// data lowers a composite literal of a list or map that is data, or its address; nil for any other.
func (l *exprs) data(n *ast.CompositeLit, address bool) ast.Expr {
	if l.env != nil || !hasElements(n, new(int)) {
		return nil
	}
	t := l.typeOf(n)
	switch check.Underlying(t).(type) {
	case *types.Slice, *types.Array, *types.Map:
	default:
		return nil
	}
	value := reflect.New(l.scope.Inner(t))
	if b := (&table{st: l.u.st, info: l.info}); !b.fillLiteral(value.Elem(), n, t) {
		return nil
	}
	if !address {
		value = value.Elem()
	}
	made := reflect.MakeFunc(reflect.FuncOf(nil, []reflect.Type{value.Type()}, false),
		func([]reflect.Value) []reflect.Value { return []reflect.Value{copyOf(value)} })
	return call(l.u.st.rt.Provide("F", made))
}

// hasElements reports whether a literal, with those in it, has many elements. seen are those before it.
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

// copyOf copies a value of a literal, with all that it refers to.
func copyOf(v reflect.Value) reflect.Value {
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
			m.SetMapIndex(copyOf(k), copyOf(v))
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
			to.Set(copyOf(to.Elem()))
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
