// Package maphash has the generic part of the standard library's hash/maphash. A session brings its own functions.
package maphash

import "hash/maphash"

// Comparable is maphash.Comparable.
func Comparable[T comparable](seed maphash.Seed, v T) uint64 { return maphash.Comparable(seed, v) }

// WriteComparable is maphash.WriteComparable.
func WriteComparable[T comparable](h *maphash.Hash, x T) { maphash.WriteComparable(h, x) }
