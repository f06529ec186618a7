package rtype

import (
	"fmt"
	"go/token"
	"reflect"
	"unsafe"
)

// value mirrors reflect.Value.
type value struct {
	typ  *header
	ptr  unsafe.Pointer
	flag uintptr
}

const (
	valueKind   uintptr = 1<<5 - 1
	valueMethod uintptr = 1 << 9
)

// Retype returns the value of v as one of type to, without copying it: what can be set or addressed in v can be so in
// the result. The types must be forms of one type, or alike in kind, size and everything below, which the caller
// answers for; Retype panics when kind or size differ. The zero Value stays what it is.
func Retype(v reflect.Value, to reflect.Type) reflect.Value {
	x := (*value)(unsafe.Pointer(&v))
	if x.typ == nil {
		return v
	}
	if x.flag&valueMethod != 0 { // x.typ is the receiver's
		v = reflect.ValueOf(v.Interface())
	}
	t := descriptor(to)
	if uintptr(t.kind) != x.flag&valueKind || t.size != x.typ.size {
		panic(fmt.Sprintf("rtype: %v cannot stand for %v: they are laid out differently", to, v.Type()))
	}
	x.typ = t
	return v
}

// RetypeAny is [Retype] for the value that an interface holds. A nil interface stays nil.
func RetypeAny(v any, to reflect.Type) any {
	x := (*eface)(unsafe.Pointer(&v))
	if x.typ == nil {
		return nil
	}
	t := descriptor(to)
	if t.kind != x.typ.kind || t.size != x.typ.size {
		panic(fmt.Sprintf("rtype: %v cannot stand for %v: they are laid out differently", to, reflect.TypeOf(v)))
	}
	x.typ = t
	return v
}

// Implements reports whether a value of type t can be asserted to interface type i. For an interface built here it
// knows, as reflect's method does not, whose the methods are that are not exported.
func Implements(t, i reflect.Type) bool {
	if !t.Implements(i) {
		return false
	}
	for m := range i.Methods() {
		if !token.IsExported(m.Name) {
			return converts(t, i)
		}
	}
	return true
}

// converts asks the runtime.
func converts(t, i reflect.Type) (ok bool) {
	defer func() { ok = recover() == nil }()
	if t.Kind() == reflect.Interface { // an interface without value has no type to ask
		return true
	}
	reflect.New(i).Elem().Set(reflect.Zero(t))
	return true
}
