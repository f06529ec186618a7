// Package host computes Fourier transforms on the host.
//
//	tensors.go   transforms of tensors: Complex along dims, Forward and Backward for rows of real numbers
//	groups.go    how transforms are divided into groups
//	rows.go      rows, and long rows as matrices whose columns and rows are transformed
//	columns.go   dims that are not the last
//	chirp.go     lengths with large prime factors, by Bluestein's algorithm
//	real.go      real numbers, as half as many complex ones, whose transform is folded
//	lanes.go     groups: transforms side by side, with real and imaginary parts apart
//	pass.go      the passes of a group, and their butterflies
//	plan.go      what transforms of a length need, kept for the next one
//	loops.go     vector loops for these, in place of those in Go; written by internal/gen/simd/fourier
//
// All work is done on groups: 16 transforms of F32 or 8 of F64, so that every loop is over adjacent numbers. The
// transforms of a group are rows, columns, or the columns and rows of one long row seen as a matrix. The bits of a
// result depend on the shape alone, not on the number of goroutines.
package host
