package linalg

import "github.com/gorocm/gorocm/tensor"

// luFactors are matrices after elimination with partial pivoting: A = P·L·U, or the transposes of that.
type luFactors struct {
	of         matrices       // plain
	packed     *tensor.Tensor // [… m n]: U, and below the diagonal L; or the transpose of that
	pivots     *tensor.Tensor // I32 [… min(m,n)]: the row with which each row was swapped, in this order
	order      *tensor.Tensor // I64 [… m]: row i of L·U is row order[i] of the matrix, or of its transpose
	inverse    *tensor.Tensor // I64 [… m]: the inverse of that permutation
	transposed bool           // the factors are those of the transpose
	info       []int32        // 0, or 1 + the index of the first pivot that is 0
}

// lu returns factors. If rows is false, they may be those of the transposes.
func (m matrices) lu(rows bool) luFactors {
	p := m.plain()
	return p.factorizer().lu(p, rows)
}

// triangles returns L [… m k] and U [… k n].
func (f luFactors) triangles() (l, u *tensor.Tensor) {
	k := min(f.of.m, f.of.n)
	l = f.packed.Narrow(-1, 0, k).Tril(-1).Add(f.packed.Device().Eye(f.packed.DType(), f.of.m).Narrow(-1, 0, k))
	return l, f.packed.Narrow(-2, 0, k).Triu(0)
}

// permutation returns P [… m m] with A = P·L·U.
func (f luFactors) permutation() *tensor.Tensor {
	columns := f.packed.Device().Arange(tensor.I64, float64(f.of.m))
	return f.inverse.Unsqueeze(-1).Eq(columns).ToDType(f.packed.DType())
}

// permuted returns b [… m k] with its rows in an order [… m].
func permuted(b, order *tensor.Tensor) *tensor.Tensor {
	return b.Gather(order.Unsqueeze(-1).BroadcastAs(b.Dims()...), -2)
}

// solve returns the solution x of A·x = b for b [… n k] with the batch of the matrices, or with adjoint that of
// A.H()·x = b.
func (f luFactors) solve(b *tensor.Tensor, adjoint bool) *tensor.Tensor {
	return f.of.factorizer().solveLU(f, b, adjoint)
}

// sign returns the determinants of the permutations, 1 or -1: [… ] in the type of the matrices.
func (f luFactors) sign() *tensor.Tensor {
	rows := f.packed.Device().Arange(tensor.I32, float64(f.of.n))
	odd := f.pivots.Ne(rows).Sum(-1).Mod(2)
	return odd.Mul(-2).Add(1).ToDType(f.packed.DType())
}
