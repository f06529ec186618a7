package support

import (
	"go/types"
	"reflect"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// box is what an interface holds values of a type as: the newest version of its Outer form.
type box struct {
	t     types.Type
	outer atomic.Pointer[reflect.Type]
}

// Box is the function that makes an interface of a value.
func (fs *Functions) Box(from, to types.Type) string {
	key := "box:" + fs.types.Key(from) + ">" + fs.types.Key(to)
	if n, ok := fs.names[key]; ok {
		return n
	}
	b, iface := fs.box(from), fs.scope.Outer(to)
	fs.names[key] = fs.rt.Provide("B", reflect.MakeFunc(reflect.FuncOf([]reflect.Type{fs.scope.Inner(from)},
		[]reflect.Type{iface}, false), func(in []reflect.Value) []reflect.Value {
		r := reflect.New(iface).Elem()
		r.Set(rtype.Retype(in[0], *b.outer.Load()))
		return []reflect.Value{r}
	}))
	return fs.names[key]
}

func (fs *Functions) box(t types.Type) *box {
	key := fs.types.Key(t)
	b := fs.boxes[key]
	if b == nil {
		b = &box{t: t}
		fs.boxes[key] = b
		outer := fs.scope.Outer(t)
		b.outer.Store(&outer)
	}
	return b
}

// MethodsChanged says that a type has got a method, or has it no longer. Functions that were compiled before make
// interfaces of its values that have the method from now on.
func (fs *Functions) MethodsChanged(t *types.Named) {
	fs.scope.World.Changed(t)
	for _, b := range fs.boxes {
		if outer := fs.scope.Outer(b.t); outer != *b.outer.Load() {
			b.outer.Store(&outer)
		}
	}
}

// Raw is the function that passes a value of interpreted code to a compiled function that takes anything.
func (fs *Functions) Raw(t reflect.Type) string {
	anyType := reflect.TypeFor[any]()
	key := [2]reflect.Type{t, anyType}
	if n, ok := fs.conversions[key]; ok {
		return n
	}
	fs.conversions[key] = fs.rt.Provide("C",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{t}, []reflect.Type{anyType}, false),
			func(in []reflect.Value) []reflect.Value {
				r := reflect.New(anyType).Elem()
				if in[0].Kind() != reflect.Interface || !in[0].IsNil() {
					r.Set(in[0])
				}
				return []reflect.Value{r}
			}))
	return fs.conversions[key]
}

// Unraw is the function that takes such a value back.
func (fs *Functions) Unraw(t reflect.Type) string {
	anyType := reflect.TypeFor[any]()
	key := [2]reflect.Type{anyType, t}
	if n, ok := fs.conversions[key]; ok {
		return n
	}
	fs.conversions[key] = fs.rt.Provide("C",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{t}, false),
			func(in []reflect.Value) []reflect.Value {
				r := reflect.New(t).Elem()
				if !in[0].IsNil() {
					r.Set(in[0].Elem())
				}
				return []reflect.Value{r}
			}))
	return fs.conversions[key]
}

// assertionError is the runtime's own error.
func assertionError(iface, concrete, asserted reflect.Type) error {
	missing := ""
	if asserted.Kind() == reflect.Interface && concrete != nil {
		for i := range asserted.NumMethod() {
			m := asserted.Method(i)
			if has, ok := concrete.MethodByName(m.Name); !ok || has.Type.NumIn() == 0 {
				missing = m.Name
				break
			}
		}
		if missing == "" {
			missing = asserted.Method(0).Name
		}
	}
	e := struct {
		iface, concrete, asserted unsafe.Pointer
		missing                   string
	}{missing: missing, iface: typePointer(iface), concrete: typePointer(concrete), asserted: typePointer(asserted)}
	return (*runtime.TypeAssertionError)(unsafe.Pointer(&e))
}

func typePointer(t reflect.Type) unsafe.Pointer {
	if t == nil {
		return nil
	}
	return reflect.ValueOf(t).UnsafePointer()
}

// Dynamic is a type that an interface value may have.
type Dynamic struct {
	Static       types.Type
	world        *rtype.World
	inner, outer reflect.Type
	isInterface  bool
}

// Dynamic is the type t as one that an interface value may have.
func (fs *Functions) Dynamic(t types.Type) *Dynamic {
	return &Dynamic{t, fs.scope.World, fs.scope.Inner(t), fs.scope.Outer(t), types.IsInterface(t)}
}

// matches reports whether a value of a run-time type satisfies the assertion.
func (t *Dynamic) matches(r reflect.Type) bool {
	switch {
	case r == nil:
		return false
	case t.isInterface:
		return rtype.Implements(r, t.outer)
	case r == t.outer:
		return true
	}
	// A type that has got methods since then is the same type.
	s := t.world.Static(r)
	return s != nil && types.Identical(s, t.Static)
}

// take returns a value that matches, as interpreted code has it.
func (t *Dynamic) take(v any) reflect.Value {
	if t.isInterface {
		r := reflect.New(t.inner).Elem()
		r.Set(reflect.ValueOf(v))
		return r
	}
	return rtype.Retype(reflect.ValueOf(v), t.inner)
}

// Assertion is the function of an assertion from one type to another; commaOk says which of the two forms it has.
func (fs *Functions) Assertion(from, to types.Type, commaOk bool) string {
	t := fs.Dynamic(to)
	key := "assert:" + fs.types.Key(to)
	if commaOk {
		key = "ok" + key
	} else {
		key += "<" + fs.types.Key(from)
	}
	if n, ok := fs.names[key]; ok && fs.asserted[key] == t.outer {
		return n
	}
	fs.asserted[key] = t.outer
	anyType := reflect.TypeFor[any]()
	if commaOk {
		zero := reflect.Zero(t.inner)
		f := reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{t.inner, reflect.TypeFor[bool]()}, false)
		fs.names[key] = fs.rt.Provide("A", reflect.MakeFunc(f, func(in []reflect.Value) []reflect.Value {
			v := in[0].Interface()
			if !t.matches(reflect.TypeOf(v)) {
				return []reflect.Value{zero, reflect.ValueOf(false)}
			}
			return []reflect.Value{t.take(v), reflect.ValueOf(true)}
		}))
		return fs.names[key]
	}
	iface := fs.scope.Outer(from)
	if types.IsInterface(to) { // of which the runtime says no more
		iface = nil
	}
	f := reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{t.inner}, false)
	fs.names[key] = fs.rt.Provide("A", reflect.MakeFunc(f, func(in []reflect.Value) []reflect.Value {
		v := in[0].Interface()
		if r := reflect.TypeOf(v); !t.matches(r) {
			panic(assertionError(iface, r, t.outer))
		}
		return []reflect.Value{t.take(v)}
	}))
	return fs.names[key]
}

// Choose is the function that finds the clause of a type switch that a value takes: the first one with a type that it
// matches, where nil stands for case nil, or other.
func (fs *Functions) Choose(clauses [][]*Dynamic, other int) string {
	return fs.rt.Provide("S", reflect.ValueOf(func(v any) int {
		r := reflect.TypeOf(v)
		for i, ts := range clauses {
			for _, t := range ts {
				if t == nil && r == nil || t != nil && t.matches(r) {
					return i
				}
			}
		}
		return other
	}))
}
