package typing

import (
	"go/types"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Compiled is the run-time type of a type that a compiled package declares, nil for any other.
func (ts *Types) Compiled(t *types.Named) reflect.Type {
	o := t.Obj()
	if o.Pkg() == nil {
		if o.Name() == "error" {
			return reflect.TypeFor[error]()
		}
		return nil
	}
	if t.TypeArgs().Len() > 0 && !check.IsSession(o) {
		return ts.instance(t)
	}
	if t.TypeArgs().Len() > 0 || check.IsSession(o) || o.Parent() != o.Pkg().Scope() {
		return nil
	}
	if !o.Exported() {
		if v := ts.Symbol(o); v.IsValid() && v.Kind() == reflect.Pointer && ts.scope.Library.Included(o.Pkg().Path()) {
			return v.Type().Elem()
		}
		return ts.unexportedType(o.Pkg().Path(), o.Name())
	}
	if v := ts.Symbol(o); v.IsValid() && v.Kind() == reflect.Pointer {
		return v.Type().Elem()
	}
	if strings.Contains(o.Pkg().Path(), "/internal/") && ts.scope.Compiled[o.Pkg().Path()] == nil {
		return ts.aliasedType(o.Pkg().Path(), o.Name())
	}
	return nil
}

// aliasedType finds a type of an internal package by the alias that a compiled package has for it.
func (ts *Types) aliasedType(path, name string) reflect.Type {
	if packages := ts.scope.Compiled; len(packages) != ts.aliasesOf {
		ts.aliases, ts.aliasesOf = map[string]reflect.Type{}, len(packages)
		for public, list := range packages {
			for _, names := range list {
				for _, v := range names {
					if v.Kind() != reflect.Pointer {
						continue
					}
					if t := v.Type().Elem(); t.Name() != "" && t.PkgPath() != public {
						ts.aliases[t.PkgPath()+"."+t.Name()] = t
					}
				}
			}
		}
	}
	return ts.aliases[path+"."+name]
}

// Symbol is what yaegi knows by the name of an object of a compiled package.
func (ts *Types) Symbol(o types.Object) reflect.Value { return ts.SymbolNamed(o.Pkg(), o.Name()) }

// SymbolNamed is what yaegi knows by a name of a compiled package; it is not valid where there is none.
func (ts *Types) SymbolNamed(p *types.Package, name string) reflect.Value {
	names := ts.scope.Compiled[p.Path()]
	for i := len(names) - 1; i >= 0; i-- {
		if v, ok := names[i][name]; ok {
			return v
		}
	}
	return reflect.Value{}
}

// unexportedType finds a type that a compiled package does not export among the types of what it does.
func (ts *Types) unexportedType(path, name string) reflect.Type {
	key := path + "." + name
	if t, ok := ts.compiled[key]; ok {
		return t
	}
	seen := map[reflect.Type]bool{}
	var find func(t reflect.Type, depth int) reflect.Type
	find = func(t reflect.Type, depth int) (r reflect.Type) {
		if t.Name() == name && t.PkgPath() == path {
			return t
		}
		if seen[t] || depth == 0 || t.PkgPath() != "" && t.PkgPath() != path {
			return nil
		}
		seen[t] = true
		try := func(u reflect.Type) {
			if r == nil {
				r = find(u, depth-1)
			}
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan, reflect.Map:
			try(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				try(t.Field(i).Type)
			}
		case reflect.Func:
			for i := range t.NumIn() {
				try(t.In(i))
			}
			for i := range t.NumOut() {
				try(t.Out(i))
			}
		}
		for i := range t.NumMethod() {
			try(t.Method(i).Type)
		}
		return r
	}
	var r reflect.Type
	for _, names := range ts.scope.Compiled[path] {
		for _, v := range names {
			if r == nil && v.IsValid() {
				r = find(v.Type(), maxSearch)
			}
		}
	}
	ts.compiled[key] = r
	return r
}

// maxSearch is how deep unexportedType looks into a type.
const maxSearch = 6

// IsCompiled reports whether a compiled package declares a type.
func (ts *Types) IsCompiled(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && ts.Compiled(n) != nil
}

// Interpreted reports whether a method's code is lowered.
func (ts *Types) Interpreted(m *types.Func) bool {
	n := check.ReceiverType(m)
	return n != nil && !types.IsInterface(n) && ts.Compiled(n) == nil &&
		(check.IsSession(n.Obj()) || ts.Of(n.Obj().Pkg()) != nil)
}
