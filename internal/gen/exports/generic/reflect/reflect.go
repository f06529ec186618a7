// Package reflect has the generic part of the standard library's reflect.
package reflect

import "reflect"

// TypeFor is reflect.TypeFor.
func TypeFor[T any]() reflect.Type {
	return reflect.TypeOf((*T)(nil)).Elem()
}

// TypeAssert is reflect.TypeAssert.
func TypeAssert[T any](v reflect.Value) (T, bool) {
	if !v.IsValid() {
		panic(&reflect.ValueError{Method: "reflect.TypeAssert", Kind: reflect.Invalid})
	}
	if !v.CanInterface() {
		panic("reflect.TypeAssert: cannot return value obtained from unexported field or method")
	}
	r, ok := v.Interface().(T)
	return r, ok
}
