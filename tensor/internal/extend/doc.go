// Package extend is what the packages share that add operations to package tensor (nn, stats, linalg, fft, random and
// others): errors as those of its methods, the types in which to compute, gradients, and the way to the backends.
//
//	errors.go     Fail and its like: panics with a *tensor.Error
//	precision.go  the types in which operations of several steps compute
//	backend.go    tensors as backends see them, and new tensors of what backends computed
//	gradient.go   gradients of results
package extend
