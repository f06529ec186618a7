// Package sync has the generic part of the standard library's sync.
package sync

import "sync"

// OnceValue is sync.OnceValue.
func OnceValue[T any](f func() T) func() T {
	var result T
	once := sync.OnceFunc(func() { result = f() })
	return func() T {
		once()
		return result
	}
}

// OnceValues is sync.OnceValues.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var r1 T1
	var r2 T2
	once := sync.OnceFunc(func() { r1, r2 = f() })
	return func() (T1, T2) {
		once()
		return r1, r2
	}
}
