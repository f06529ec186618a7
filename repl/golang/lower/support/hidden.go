package support

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/typekey"
)

// Hidden is a function of an included package, exported or not, that its generic code calls; "" where its table has
// none.
func (fs *Functions) Hidden(f *types.Func) string {
	return fs.tabled(f.Pkg(), f.Name())
}

// tabled is a function that the table of an included package has by a name.
func (fs *Functions) tabled(p *types.Package, name string) string {
	key := "hidden:" + p.Path() + "." + name
	if n, ok := fs.names[key]; ok {
		return n
	}
	v := fs.types.SymbolNamed(p, name)
	if !v.IsValid() || v.Kind() != reflect.Func {
		return ""
	}
	fs.names[key] = fs.rt.Provide("G", v)
	return fs.names[key]
}

// HiddenMethod is a method of an included package's type that is not exported, as a function whose first parameter is
// the receiver; "" for any other.
func (fs *Functions) HiddenMethod(m *types.Func) string {
	if m.Exported() || m.Pkg() == nil || !fs.scope.Library.Included(m.Pkg().Path()) {
		return ""
	}
	n := check.ReceiverType(m)
	if n == nil || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return ""
	}
	if n.TypeArgs().Len() == 0 {
		return fs.tabled(m.Pkg(), n.Obj().Name()+"."+m.Name())
	}
	if fs.types.Compiled(n) == nil {
		return ""
	}
	return fs.tabled(m.Pkg(), typekey.Of(n, nil)+"."+m.Name())
}

// Field is a function that returns the address of a field of a struct, which need not be exported.
func (fs *Functions) Field(t reflect.Type, i int) string {
	f := t.Field(i)
	return fs.once(fmt.Sprint("field:", i), []reflect.Type{reflect.PointerTo(t)},
		[]reflect.Type{reflect.PointerTo(f.Type)}, func(in []reflect.Value) []reflect.Value {
			p := in[0].UnsafePointer()
			_ = *(*byte)(p) // panics as the field would where there is no struct
			return []reflect.Value{reflect.NewAt(f.Type, unsafe.Add(p, f.Offset))}
		})
}

// FieldOf is a function that returns a field of a struct.
func (fs *Functions) FieldOf(t reflect.Type, i int) string {
	f := t.Field(i)
	return fs.once(fmt.Sprint("fieldof:", i), []reflect.Type{t}, []reflect.Type{f.Type},
		func(in []reflect.Value) []reflect.Value {
			s := reflect.New(t)
			s.Elem().Set(in[0])
			return []reflect.Value{reflect.NewAt(f.Type, unsafe.Add(s.UnsafePointer(), f.Offset)).Elem()}
		})
}

// Make is a function that makes a struct of its fields with these numbers, which need not be exported, or a pointer to
// one.
func (fs *Functions) Make(t reflect.Type, fields []int, pointer bool) string {
	var in []reflect.Type
	for _, i := range fields {
		in = append(in, t.Field(i).Type)
	}
	out := t
	if pointer {
		out = reflect.PointerTo(t)
	}
	key := fmt.Sprintf("make:%x:%v:%v", uintptr(typePointer(t)), fields, pointer)
	return fs.once(key, in, []reflect.Type{out}, func(in []reflect.Value) []reflect.Value {
		s := reflect.New(t)
		for at, i := range fields {
			f := t.Field(i)
			reflect.NewAt(f.Type, unsafe.Add(s.UnsafePointer(), f.Offset)).Elem().Set(in[at])
		}
		if pointer {
			return []reflect.Value{s}
		}
		return []reflect.Value{s.Elem()}
	})
}
