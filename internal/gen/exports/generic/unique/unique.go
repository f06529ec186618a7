// Package unique is the standard library's unique.
package unique

import (
	"unique"
	"unsafe"
)

// Handle is unique.Handle, with the same memory.
type Handle[T comparable] struct {
	value *T
}

// Value returns a copy of the value that the handle was made of.
func (h Handle[T]) Value() T { return *h.value }

// Make is unique.Make. A session brings its own.
func Make[T comparable](value T) Handle[T] {
	h := unique.Make(value)
	return *(*Handle[T])(unsafe.Pointer(&h))
}
