// Package unique is the standard library's unique.
package unique

import "sync"

// Handle is unique.Handle, with the same memory.
type Handle[T comparable] struct {
	value *T
}

// Value returns a copy of the value that the handle was made of.
func (h Handle[T]) Value() T { return *h.value }

// values holds, for this package's own test, every value. A session brings its own Make.
var values sync.Map

// Make is unique.Make.
func Make[T comparable](value T) Handle[T] {
	p, _ := values.LoadOrStore(value, &value)
	return Handle[T]{p.(*T)}
}
