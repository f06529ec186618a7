// Package gpu factors matrices on GPUs for package linalg: with kernels for small matrices and batches of them, and
// with the library of the GPU's maker for large ones.
//
//	solver.go       Solver: which GPU, what it takes, memory for results
//	place.go        how many threads have a matrix, and where it lies
//	factor.go       LU, Cholesky, QR
//	triangular.go   triangular systems
//	jacobi.go       singular values, eigenvalues of Hermitian matrices
//	library.go, library_factor.go   the same with rocSOLVER, cuSOLVER and BLAS, whose matrices are column-major
//
// # Invariants
//
// Operands are dense row-major batches [batch rows cols] with their elements in memory: F32, F64, C64 or C128. Results
// are dense row-major storages of the same type, of the real type for singular values and eigenvalues, I32 for pivots
// and info. Sizes are at least 1.
//
// A method reports false, and has done nothing, where neither a kernel nor a library takes the work. Results depend on
// the operands and sizes alone: the same GPU gives the same bits each time.
package gpu
