// Package typekey writes types as texts that are the same for the same type, whichever run of the type checker it is
// from. So a program with modules compiled in names the instances of generic types that its compiled code has.
package typekey

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Local is in the keys of types that functions declare, which nothing else can name, and Private in those of structs
// and interfaces without a name whose fields or methods are of one package alone.
const Local, Private = "·", "˙"

// Of is the key of a type: Go's syntax, with package paths in quotes before a dot, and without names that other files
// may not have, such as any. Argument has the key of a type parameter; nil leaves them their names.
func Of(t types.Type, argument func(*types.TypeParam) string) string {
	w := writer{argument: argument}
	w.typ(t)
	return w.String()
}

// Instance is the key of an instance of a generic type by the keys of its arguments.
func Instance(o *types.TypeName, args []string) string {
	return name(o) + "[" + strings.Join(args, ",") + "]"
}

type writer struct {
	strings.Builder
	argument func(*types.TypeParam) string
}

func (w *writer) add(format string, args ...any) { fmt.Fprintf(w, format, args...) }

var directions = map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}

func name(o *types.TypeName) string {
	switch {
	case o.Pkg() == nil:
		return o.Name()
	case o.Parent() != o.Pkg().Scope():
		return strconv.Quote(o.Pkg().Path()) + "." + Local + o.Name()
	}
	return strconv.Quote(o.Pkg().Path()) + "." + o.Name()
}

func (w *writer) typ(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			w.add(`"unsafe".Pointer`)
		} else {
			w.add("%s", types.Typ[t.Kind()].Name()) // not byte, which is another name of uint8
		}
	case *types.Pointer:
		w.add("*")
		w.typ(t.Elem())
	case *types.Slice:
		w.add("[]")
		w.typ(t.Elem())
	case *types.Array:
		w.add("[%d]", t.Len())
		w.typ(t.Elem())
	case *types.Map:
		w.add("map[")
		w.typ(t.Key())
		w.add("]")
		w.typ(t.Elem())
	case *types.Chan:
		w.add("%s(", directions[t.Dir()])
		w.typ(t.Elem())
		w.add(")")
	case *types.Signature:
		w.add("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	case *types.Named:
		w.named(t)
	case *types.TypeParam:
		if w.argument != nil {
			w.add("%s", w.argument(t))
		} else {
			w.add("%s", t.Obj().Name())
		}
	default:
		w.add("%s%v", Local, t)
	}
}

func (w *writer) named(t *types.Named) {
	if t.TypeArgs().Len() == 0 {
		w.add("%s", name(t.Obj()))
		return
	}
	var args []string
	for a := range t.TypeArgs().Types() {
		args = append(args, Of(a, w.argument))
	}
	w.add("%s", Instance(t.Obj(), args))
}

func (w *writer) signature(s *types.Signature) {
	list := func(t *types.Tuple, variadic bool) {
		w.add("(")
		for i := range t.Len() {
			if i > 0 {
				w.add(",")
			}
			if variadic && i == t.Len()-1 {
				w.add("...")
				w.typ(t.At(i).Type().(*types.Slice).Elem())
			} else {
				w.typ(t.At(i).Type())
			}
		}
		w.add(")")
	}
	list(s.Params(), s.Variadic())
	if s.Results().Len() > 0 {
		list(s.Results(), false)
	}
}

// member is the name of a field or method. One that is not exported is of its package alone.
func member(o types.Object) string {
	if o.Exported() || o.Pkg() == nil {
		return o.Name()
	}
	return strconv.Quote(o.Pkg().Path()) + "." + Private + o.Name()
}

func (w *writer) structure(t *types.Struct) {
	w.add("struct{")
	for i := range t.NumFields() {
		f := t.Field(i)
		if i > 0 {
			w.add(";")
		}
		if !f.Embedded() {
			w.add("%s ", member(f))
		}
		w.typ(f.Type())
		if tag := t.Tag(i); tag != "" {
			w.add(" %s", strconv.Quote(tag))
		}
	}
	w.add("}")
}

func (w *writer) iface(t *types.Interface) {
	if t.NumMethods() == 0 && t.IsMethodSet() {
		w.add("interface{}")
		return
	}
	if !t.IsMethodSet() {
		w.add("%s%v", Local, t) // a constraint
		return
	}
	var methods []string
	for m := range t.Methods() {
		v := writer{argument: w.argument}
		v.signature(m.Signature())
		methods = append(methods, member(m)+v.String())
	}
	slices.Sort(methods)
	w.add("interface{%s}", strings.Join(methods, ";"))
}
