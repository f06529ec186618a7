// Package linalg has linear algebra on tensors: systems of equations, factorisations, eigenvalues and products, under
// the names of NumPy's and PyTorch's linalg.
//
//	a := dev.Randn(tensor.F64, 10, 3, 3) // ten matrices
//	x := linalg.Solve(a, b)                                 // b [10 3 k]
//	u, s, vh := linalg.SVD(a)                               // a is u·diag(s)·vh
//	y := linalg.Einsum("bij,bjk->bik", a, a)                // what a.MatMul(a) is
//
// Matrices are the last two dims; dims before are a batch, and where a function takes two operands, those of a batch
// are broadcast. Matrices are of F32, F64, C64 and C128. F16, BF16 and F8E4M3 are computed in F32 and rounded,
// integers in F64 for results of DefaultDType. A Hermitian matrix is one that equals its conjugate transpose, as a
// symmetric matrix does that is real; of it, the lower triangle alone is read.
//
// # Devices
//
// On the CPU, factorisations are those of the system's LAPACK, such as OpenBLAS's, where there is one; without, or
// with GOROCM_BLAS=go, those of gonum. Complex matrices have code of gorocm's own then. On GPUs, small matrices and
// batches of them are factored by kernels, large ones by rocSOLVER or cuSOLVER, and what neither takes, with Eig, on
// the host: the matrices are copied there and the factors back.
//
// # Errors
//
// Mistakes panic with a *tensor.Error, as the methods of package tensor do. Its kind is ErrSingular,
// ErrNotPositiveDefinite or ErrConvergence where the elements of a matrix are the reason, of which the message names
// the first one. To know these, functions wait for a GPU.
//
// # Gradients
//
// All have gradients but MatrixRank and Schur. Those of eigenvectors and singular vectors are infinite or NaN where
// values are equal, and meaningful only for losses that do not depend on the signs, or phases, of vectors.
package linalg

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// The kinds of errors that elements cause, for errors.Is.
var (
	ErrSingular            = errors.New("singular matrix")              // a matrix that has no inverse
	ErrNotPositiveDefinite = errors.New("matrix not positive definite") // a matrix that has no Cholesky factor
	ErrConvergence         = errors.New("no convergence")               // values that were not found, as of NaN
)

// matrices are a batch of matrices, the operand of a factorisation.
type matrices struct {
	op    string
	x     *tensor.Tensor // the matrices in the type in which they are computed: F32, F64, C64 or C128
	dt    tensor.DType   // of results
	batch []int
	count int // of matrices
	m, n  int
}

// matricesOf checks that x is a matrix or a batch of them.
func matricesOf(op string, x *tensor.Tensor) matrices {
	extend.SameDevice(op, x)
	if x.Rank() < 2 {
		extend.ShapeNoting(op, []*tensor.Tensor{x}, "x.Unsqueeze(-1) is a vector as a column",
			"want a matrix, or a batch of them, not shape %v", x.Dims())
	}
	w, dt := extend.Precise(x)
	r := x.Rank()
	m := matrices{op: op, x: w, dt: dt, batch: x.Dims()[:r-2], count: 1, m: x.Dim(r - 2), n: x.Dim(r - 1)}
	for _, n := range m.batch {
		m.count *= n
	}
	return m
}

// squareOf checks that x is a square matrix or a batch of them.
func squareOf(op string, x *tensor.Tensor) matrices {
	m := matricesOf(op, x)
	if m.m != m.n {
		extend.Shape(op, []*tensor.Tensor{x}, "want square matrices, not shape %v", x.Dims())
	}
	return m
}

// fail panics unless all of info is 0: about the first matrix that failed, and what is wrong with it, which says
// tells from its number.
func (m matrices) fail(info []int32, kind error, says func(at int32) string) {
	for i, at := range info {
		if at == 0 {
			continue
		}
		which := "the matrix"
		if m.count > 1 {
			which = fmt.Sprintf("matrix %v of the batch", position(i, m.batch))
		}
		extend.Fail(m.op, kind, []*tensor.Tensor{m.x}, notes[kind], "%s %s", which, says(at))
	}
}

func singular(at int32) string { return fmt.Sprintf("is singular: pivot %d is 0", at-1) }

func notPositive(at int32) string {
	return fmt.Sprintf("is not positive definite: its leading minor %d is not positive", at-1)
}

func noSingularValues(int32) string { return "has no singular values: they did not converge" }

func noEigenvalues(int32) string { return "has no eigenvalues: they did not converge" }

var notes = map[error]string{
	ErrSingular:            "linalg.PInv and linalg.LstSq take such matrices",
	ErrNotPositiveDefinite: "the matrix must be Hermitian with positive eigenvalues; linalg.Eigh(a) has them",
	ErrConvergence:         "x.IsFinite().All() says whether all elements are finite",
}

// position returns the indices of matrix i of a batch.
func position(i int, batch []int) []int {
	at := make([]int, len(batch))
	for d := len(batch) - 1; d >= 0; d-- {
		at[d] = i % batch[d]
		i /= batch[d]
	}
	return at
}

// shape returns the shape of a batch of results.
func (m matrices) shape(dims ...int) []int { return append(append([]int{}, m.batch...), dims...) }

// eye returns the unit matrix of a size, in the type of the matrices, for each of them.
func (m matrices) eye(n int) *tensor.Tensor {
	return m.x.Device().Eye(m.x.DType(), n).BroadcastAs(m.shape(n, n)...)
}
