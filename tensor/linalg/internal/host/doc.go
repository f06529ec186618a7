// Package host factors matrices in the memory of the host: with the LAPACK of the system where there is one, else with
// gonum's, and with own code where that is faster (small matrices) or has no such type (complex ones).
//
//	host.go    batches; which of the three computes
//	lapack.go  the system's LAPACK
//	gonum.go   gonum's LAPACK, for F64 and, through it, F32
//	small.go   LU, Cholesky and triangular systems of all types, without a library
//	tiny.go, jacobi.go, vectors.go   QR, SVD and eigenvalues of small Hermitian matrices of all types, without a library
//	reflect.go, complex.go, schur.go   QR, SVD and eigenvalues of complex matrices without LAPACK
//
// Matrices are dense and row-major, one after another. LAPACK sees a row-major matrix as its transpose; most
// factorisations of the one are read off those of the other.
package host
