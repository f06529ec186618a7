package rtype

import (
	"go/types"
	"reflect"
	"strconv"
	"unsafe"
)

var unsafePointer = reflect.TypeFor[unsafe.Pointer]()

// standIn returns a type of the same size, alignment, pointers, kinds of fields and padding as the forms of t that
// needs no type built here. A descriptor starts as a copy of it, so that reflect can make maps, arrays and structs of a
// type whose own parts are not known yet. What reflect asks of those (size, pointers, whether equality is that of the
// bytes, whether a hash can panic) has the same answer for the stand-in.
func (w *World) standIn(t types.Type) reflect.Type {
	t = w.canonical(t)
	e := w.entry(t)
	if e.like == nil {
		e.like = w.makeStandIn(t)
	}
	return e.like
}

func (w *World) makeStandIn(t types.Type) reflect.Type {
	switch t := t.(type) {
	case *types.Basic:
		return basic(t)
	case *types.Named:
		if r := w.compiled(t); r != nil {
			return r
		}
		return w.standIn(t.Underlying())
	case *types.Slice:
		return reflect.TypeFor[[]unsafe.Pointer]()
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), w.standIn(t.Elem()))
	case *types.Interface:
		if t.NumMethods() == 0 {
			return reflect.TypeFor[any]()
		}
		return reflect.TypeFor[error]()
	case *types.Struct:
		fields := make([]reflect.StructField, t.NumFields())
		for i := range fields {
			fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: w.standIn(t.Field(i).Type())}
			if t.Field(i).Name() == "_" {
				fields[i].Name, fields[i].PkgPath = "_", "main"
			}
		}
		return reflect.StructOf(fields)
	}
	return unsafePointer // pointer, map, channel, function
}

// prototype returns a type whose descriptor a shell of t can start from: of the same kind, and complete but for its
// parts.
func (w *World) prototype(t types.Type) reflect.Type {
	switch t.Underlying().(type) {
	case *types.Pointer:
		return reflect.TypeFor[*unsafe.Pointer]()
	case *types.Map:
		return reflect.TypeFor[map[unsafe.Pointer]unsafe.Pointer]()
	case *types.Chan:
		return reflect.TypeFor[chan unsafe.Pointer]()
	case *types.Signature:
		return reflect.TypeFor[func()]()
	}
	return w.standIn(t)
}
