// Package atomic has the generic part of the standard library's sync/atomic.
package atomic

import "sync"

// Pointer is atomic.Pointer. A lock makes it atomic: an interpreted program cannot convert an unsafe.Pointer.
type Pointer[T any] struct {
	mu sync.Mutex
	p  *T
}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T {
	x.mu.Lock()
	p := x.p
	x.mu.Unlock()
	return p
}

// Store sets the pointer.
func (x *Pointer[T]) Store(val *T) {
	x.mu.Lock()
	x.p = val
	x.mu.Unlock()
}

// Swap sets the pointer and returns the previous one.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	x.mu.Lock()
	old = x.p
	x.p = new
	x.mu.Unlock()
	return old
}

// CompareAndSwap sets the pointer to new if it is old.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	x.mu.Lock()
	swapped = x.p == old
	if swapped {
		x.p = new
	}
	x.mu.Unlock()
	return swapped
}
