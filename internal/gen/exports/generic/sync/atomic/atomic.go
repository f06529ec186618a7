// Package atomic has the generic part of the standard library's sync/atomic.
package atomic

import (
	"sync/atomic"
	"unsafe"
)

// Pointer is atomic.Pointer, with the same memory: compiled packages may have one in a struct.
type Pointer[T any] struct {
	_ [0]*T
	_ noCopy
	v unsafe.Pointer
}

type noCopy struct{}

// Lock is for go vet.
func (*noCopy) Lock() {}

// Unlock is for go vet.
func (*noCopy) Unlock() {}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T { return (*T)(atomic.LoadPointer(&x.v)) }

// Store sets the pointer.
func (x *Pointer[T]) Store(val *T) { atomic.StorePointer(&x.v, unsafe.Pointer(val)) }

// Swap sets the pointer and returns the previous one.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	return (*T)(atomic.SwapPointer(&x.v, unsafe.Pointer(new)))
}

// CompareAndSwap sets the pointer to new if it is old.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	return atomic.CompareAndSwapPointer(&x.v, unsafe.Pointer(old), unsafe.Pointer(new))
}
