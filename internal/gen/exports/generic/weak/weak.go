// Package weak is the standard library's weak.
package weak

import (
	"unsafe"
	"weak"
)

// Pointer is weak.Pointer, with the same memory.
type Pointer[T any] struct {
	_ [0]*T
	u unsafe.Pointer
}

// Make is weak.Make.
func Make[T any](ptr *T) Pointer[T] {
	if ptr == nil {
		return Pointer[T]{}
	}
	return Pointer[T]{u: register(unsafe.Pointer(ptr))}
}

// Value returns the pointer that the weak pointer was made of, or nil if nothing else points there any more.
func (p Pointer[T]) Value() *T {
	if p.u == nil {
		return nil
	}
	return (*T)(strong(p.u))
}

// A session brings its own register and strong.

func register(p unsafe.Pointer) unsafe.Pointer {
	w := weak.Make((*byte)(p))
	return *(*unsafe.Pointer)(unsafe.Pointer(&w))
}

func strong(u unsafe.Pointer) unsafe.Pointer {
	var w weak.Pointer[byte]
	*(*unsafe.Pointer)(unsafe.Pointer(&w)) = u
	return unsafe.Pointer(w.Value())
}
