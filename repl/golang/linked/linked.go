// Package linked has functions of the standard library that third-party packages reach by go:linkname, and that Go
// keeps for them ("widely used packages access it using linkname", say their declarations). Interpreted packages have
// no linker: what they declare without a body calls the function that Func returns.
package linked

import "unsafe"

type pointer = unsafe.Pointer

// at returns a pointer to a variable with f.
func at[F any](f F) pointer { return pointer(&f) }

// Has reports whether Func knows a name.
func Has(name string) bool { return Func(name) != nil }

// Func returns a pointer to a variable with the function that go:linkname calls name, such as reflect.unsafe_New; nil
// for any other. The caller knows its type: one with the same parameters and results in memory will do, as it does for
// the linker.
func Func(name string) unsafe.Pointer {
	if f := functions[name]; f != nil {
		return f
	}
	return typeMethods[name]
}
