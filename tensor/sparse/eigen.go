package sparse

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// Which says which eigenvalues are wanted.
type Which int

// The ends of the spectrum.
const (
	Largest   Which = iota // the greatest
	Smallest               // the least, which may be negative
	Magnitude              // those of the greatest absolute values
)

// EigSH returns k eigenvalues w [k], ascending and real, of a Hermitian matrix a [n n], and their eigenvectors, the
// orthonormal columns of v [n k], by the Lanczos method with thick restarts (Wu and Simon, 2000). It takes products
// with a, and keeps some 2·k + 20 vectors. Eigenvalues that are close together, as the smallest ones of a discretised
// differential operator, take many steps. An eigenvalue that occurs more than once may be found fewer times than it
// occurs. Residuals are at most some units in the last place of the greatest eigenvalue, times the square root of n.
//
// w has gradients, of the first order; those of v are errors of kind tensor.ErrGradient. EigSH panics with ErrShape
// unless 0 < k ≤ n, and with ErrConvergence when it takes more than 10·n + 1000 products.
func EigSH(a *Matrix, k int, which Which) (w, v *tensor.Tensor) {
	const op = "eigsh"
	n, cols := a.Dims()
	if n != cols || k < 1 || k > n || which < Largest || which > Magnitude {
		extend.Shape(op, []*tensor.Tensor{a.values}, "want 1 to n eigenvalues of a square matrix, not %d of [%d %d] (%d)", k,
			n, cols, which)
	}
	plain := a.With(a.values.Detach())
	like := a.Device().Zeros(a.DType(), n)
	w, v = lanczos(op, like, k, which, plain.MatMul)
	operands := []*tensor.Tensor{a.values}
	vectors := v
	w = extend.By(w, op, operands, func(g *tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{a.at.sampled(op, vectors.Mul(g.ToDType(vectors.DType())), vectors)}
	})
	return w, withoutGradient(op, v, operands)
}

// withoutGradient is a result whose gradients are errors.
func withoutGradient(op string, x *tensor.Tensor, operands []*tensor.Tensor) *tensor.Tensor {
	return extend.By(x, op, operands, func(*tensor.Tensor) []*tensor.Tensor {
		extend.Fail(op, tensor.ErrGradient, nil, "x.Detach() has no gradient; linalg has those of dense matrices",
			"vectors of %s have no gradient", op)
		return nil
	})
}

// SVDS returns the k greatest singular values s [k] of a [m n], descending, with the orthonormal columns of u [m k]
// and rows of vh [k n]: u·diag(s)·vh is the nearest matrix of rank k. They are found as the eigenvalues of aᴴ·a or
// a·aᴴ, so singular values of less than the square root of the precision times the greatest are not accurate. s has
// gradients. It panics with ErrShape unless 0 < k ≤ min(m, n), and with ErrConvergence as EigSH.
func SVDS(a *Matrix, k int) (u, s, vh *tensor.Tensor) {
	const op = "svds"
	m, n := a.Dims()
	if k < 1 || k > min(m, n) {
		extend.Shape(op, []*tensor.Tensor{a.values}, "want 1 to min(m, n) singular values, not %d of [%d %d]", k, m, n)
	}
	b := a.With(a.values.Detach())
	if m < n {
		b = b.H()
	}
	adjoint := b.H()
	like := a.Device().Zeros(a.DType(), min(m, n))
	_, v := lanczos(op, like, k, Largest, func(x *tensor.Tensor) *tensor.Tensor { return adjoint.MatMul(b.MatMul(x)) })
	u, s, rotation := linalg.SVD(b.MatMul(v.Contiguous()))
	vh = rotation.MatMul(v.H())
	if m < n {
		u, vh = vh.H(), u.H()
	}
	operands := []*tensor.Tensor{a.values}
	left, right := u, vh.H()
	s = extend.By(s, op, operands, func(g *tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{a.at.sampled(op, left.Mul(g.ToDType(left.DType())).Contiguous(), right.Contiguous())}
	})
	return withoutGradient(op, u, operands), s, withoutGradient(op, vh, operands)
}

// lanczos returns k eigenvalues of a Hermitian operator on vectors like one of zeros, and their eigenvectors as
// columns. The basis is extended by products; the eigenvectors of the operator in the basis are combinations of it,
// of which the wanted ones and some more are kept at a restart.
func lanczos(
	op string, like *tensor.Tensor, k int, which Which, product func(x *tensor.Tensor) *tensor.Tensor,
) (w, vectors *tensor.Tensor) {
	n := like.Dim(0)
	most := min(n, max(2*k+1, k+20))
	v := newBasis(most, like)
	v.add(unitVector(like, nil, 0))
	t := make([]complex128, most*most) // the operator in the basis
	tolerance := 0x1p-50
	if dt := like.DType(); dt == tensor.F32 || dt == tensor.C64 {
		tolerance = 0x1p-22
	}
	tolerance *= math.Sqrt(float64(n))
	for taken := 0; ; {
		var left *tensor.Tensor
		var size, scale float64
		for j := v.count - 1; ; j++ {
			var h []complex128
			left, h, size = v.reduce(product(v.rows.Get(j)))
			taken++
			for i, c := range h {
				t[i*most+j], t[j*most+i] = c, cmplx.Conj(c)
				scale = math.Max(scale, cmplx.Abs(c))
			}
			t[j*most+j] = complex(real(h[j]), 0)
			if math.IsNaN(size) || math.IsInf(size, 0) {
				extend.Fail(op, ErrConvergence, []*tensor.Tensor{like}, "", "the elements of the matrix are not finite")
			}
			if v.count == most {
				break
			}
			if size <= tolerance*scale { // the basis has all that products reach: go on elsewhere
				v.add(unitVector(like, v, taken))
			} else {
				v.add(left.Mul(1 / size))
			}
		}
		values, s := small(t, most)
		order := wanted(values, which)
		last, largest := 0.0, 0.0
		for _, i := range order[:k] {
			last = math.Max(last, size*cmplx.Abs(s[(most-1)*most+i]))
		}
		for _, x := range values {
			largest = math.Max(largest, math.Abs(x))
		}
		if last <= tolerance*largest || most == n {
			order = order[:k]
			slices.Sort(order)
			return collect(like, v, values, s, order, most)
		}
		if taken > 10*n+1000 {
			extend.Fail(op, ErrConvergence, []*tensor.Tensor{like}, "", "the residual is %.3g of the greatest eigenvalue "+
				"after %d products, not yet %.3g", last/largest, taken, tolerance)
		}
		kept := min(k+(most-k)/2, most-1)
		order = order[:kept]
		_, combined := collect(like, v, values, s, order, most)
		v.rows.SliceSet(combined.T().Contiguous(), 0, 0)
		v.count = kept
		clear(t)
		for i, at := range order {
			t[i*most+i] = complex(values[at], 0)
		}
		v.add(left.Mul(1 / size))
	}
}

// unitVector returns a random vector of length 1, at right angles to a basis.
func unitVector(like *tensor.Tensor, v *basis, seed int) *tensor.Tensor {
	list := make([]complex128, like.Dim(0))
	state := uint64(seed)*0x9e3779b97f4a7c15 + 1
	next := func() float64 { // Vigna's splitmix64: the same vector on every device
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return float64(int64(z^z>>31)) * 0x1p-63
	}
	for i := range list {
		list[i] = complex(next(), 0)
		if like.DType().IsComplex() {
			list[i] += complex(0, next())
		}
	}
	x := vectorOf(list, like)
	if v != nil {
		x, _, _ = v.reduce(x)
	}
	return x.Mul(1 / norm(x))
}

// small returns the eigenvalues of an n × n Hermitian matrix, ascending, and the columns of its eigenvectors.
func small(t []complex128, n int) (values []float64, s []complex128) {
	a := tensor.CPU().FromSlice(t, n, n)
	isReal := !slices.ContainsFunc(t, func(c complex128) bool { return imag(c) != 0 })
	if isReal {
		a = a.Real()
	}
	w, v := linalg.Eigh(a)
	return w.Float64s(), numbers(v.FlattenAll())
}

// wanted is the order of the values, those first that are wanted most.
func wanted(values []float64, which Which) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch which {
		case Largest:
			return cmp.Compare(values[b], values[a])
		case Smallest:
			return cmp.Compare(values[a], values[b])
		}
		return cmp.Compare(math.Abs(values[b]), math.Abs(values[a]))
	})
	return order
}

// collect returns some of the eigenvalues, and combinations of the basis as columns.
func collect(
	like *tensor.Tensor, v *basis, values []float64, s []complex128, order []int, m int,
) (w, vectors *tensor.Tensor) {
	list, table := make([]float64, len(order)), make([]complex128, len(order)*m)
	for i, at := range order {
		list[i] = values[at]
		for j := range m {
			table[i*m+j] = s[j*m+at]
		}
	}
	rows := vectorOf(table, like).Reshape(len(order), m).MatMul(v.all())
	return like.Device().New(list).ToDType(like.DType().Real()), rows.T()
}
