// Package sample defines random numbers element by element: kernels/sample.hip computes the same bits on GPUs.
//
//	stream.go     seeds, counters and what an attempt draws
//	functions.go  logarithm and exponential with the bits of kernels/math64.h
//	integers.go   integers below a range
//	gamma.go      gamma variates, and their derivatives by the shape
//	counts.go     Poisson and binomial variates
//	normal.go     truncated normal variates
//	sobol.go      Sobol points
//
// # Streams
//
// A Stream is the key and the first counter of Philox4x32-10 (package kernels). Integers take their words as the
// uniform numbers of tensor.Rand do: four elements share a counter, and element i uses lane i%4 of counter + i/4. The
// others have a counter each: element i uses counter + i. The third word of the counter numbers further words of the
// same element, which rejection methods need, so that an element depends on no other.
//
// # Arithmetic
//
// Variates are computed in float64 by operations that IEEE 754 defines: sums, products, quotients and square roots
// that round once, and fma where it is written. Products are converted before they are added, so that Go does not
// join them.
package sample
