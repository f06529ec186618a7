// Package scalar defines special functions of float64 numbers. kernels/scalar.h is the same in C++, written by
// internal/gen/scalar from these files: they use the part of Go that it translates.
//
//	parts.go    logarithms and exponentials without cancellation, Stirling's series
//	gamma.go    the gamma function, incomplete gamma functions and their inverses, Hurwitz's zeta function
//	beta.go     the beta function, the incomplete beta function and its inverse
//	normal.go   the normal distribution
//	bessel.go   Bessel functions
//	expint.go   the exponential integral
//	tables.go   nodes and weights of quadratures
//	rows.go     functions of the op table that these use
//
// Incomplete functions are logarithms of probabilities, which do not underflow. Where their parameters are large they
// are integrals over the tail by Gauss and Legendre's quadrature, of the density relative to its value at the boundary.
package scalar

//go:generate go run ../../../../internal/gen/scalar
