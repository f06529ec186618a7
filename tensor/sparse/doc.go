// Package sparse has sparse matrices: those of which most elements are 0. They are kept in compressed rows (CSR), on
// the device of their elements.
//
//	m := sparse.FromCOO(rowIDs, colIDs, values, 1000, 1000) // the sum of elements at the same position
//	y := m.MatMul(x)                                        // x is dense: [1000] or [1000, n]
//	t := m.T().Add(m.Mul(2))
//	dense := t.ToDense()
//	z, steps := sparse.CG(m, x, 1e-8, 500)                  // solves m·z = x where m is positive definite
//	z = sparse.Solve(m, x)                                  // where it has an inverse, directly
//	w, v := sparse.EigSH(m, 4, sparse.Largest)              // eigenvalues where it is Hermitian
//
// A Matrix never changes. It takes 8 bytes for each row, and for each element 8 bytes beside its value.
// Elements are F32, F64, C64 or C128; products are summed in F64. Functions and methods
// compute on the device of their operands. Those that find out how many elements a result has wait for it: FromCOO,
// FromCSR, FromDense, Add and Product. Mistakes panic with a *tensor.Error, as the methods of package tensor do.
//
// # Gradients
//
// Values are tensors: if they depend on variables, so do all results. The gradient of a matrix has its elements
// alone, those of its values; others stay 0. Gradients have gradients, too.
//
//	values := tensor.NewVar(m.Values())
//	loss := m.With(values).MatMul(x).Sqr().Sum()
//
// # Files
//
//	matrix.go   Matrix, its parts, conversions of type and device
//	create.go   matrices from coordinates, compressed rows and dense matrices
//	pattern.go  positions of elements, in order, and transposed
//	product.go  products with dense and sparse matrices
//	solve.go    equations, by conjugate gradients
//	krylov.go   equations of other matrices, by GMRES and BiCGSTAB
//	lu.go       equations, by triangular factors on the host: internal/direct
//	eigen.go    some eigenvalues and singular values, by the Lanczos method
//	combine.go  sums, elementwise products, reductions
package sparse
