// Package plan knows how the lengths of Fourier transforms factor, and the numbers that transforms multiply by. The
// host and GPUs use the same.
//
//	factors.go  radices of the passes, the two factors of a long transform, lengths for Bluestein's algorithm
//	roots.go    roots of unity, and the chirp of Bluestein's algorithm
package plan
