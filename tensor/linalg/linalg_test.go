package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/linalg"
)

var types = []tensor.DType{tensor.F32, tensor.F64, tensor.C64, tensor.C128}

// draw returns normal numbers, complex ones for complex types.
func draw(seed uint64, shape []int, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
	rng := rand.New(rand.NewPCG(seed, 7))
	n := 1
	for _, s := range shape {
		n *= s
	}
	z := make([]complex128, n)
	for i := range z {
		z[i] = complex(rng.NormFloat64(), rng.NormFloat64())
	}
	x := dev.FromSlice(z, shape...)
	if !dt.IsComplex() {
		x = x.Real().Contiguous()
	}
	return x.ToDType(dt)
}

// near fails unless all elements of got are those of want, within a multiple of the type's precision at the largest.
func near(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) || got.DType() != want.DType() {
		t.Fatalf("%s: %v of shape %v, want %v of shape %v", what, got.DType(), got.Dims(), want.DType(), want.Dims())
	}
	if want.ElemCount() == 0 {
		return
	}
	eps := 0x1p-23
	if want.DType().Real() == tensor.F64 {
		eps = 0x1p-52
	}
	number := func(x *tensor.Tensor) float64 { return x.Abs().ToDType(tensor.F64).Max().ToScalar() }
	size, off := number(want), number(got.Sub(want))
	if !(off <= 300*eps*max(size, 1)) {
		t.Errorf("%s: off by %.3g of %.3g", what, off, size)
	}
}

// diag is the product u·diag(s)·v.
func diag(u, s, v *tensor.Tensor) *tensor.Tensor { return u.Mul(s.Unsqueeze(-2)).MatMul(v) }

func eye(n int, like *tensor.Tensor) *tensor.Tensor {
	shape := append(like.Dims()[:like.Rank()-2:like.Rank()-2], n, n)
	return like.Device().Eye(like.DType(), n).BroadcastAs(shape...).Contiguous()
}

// sizes are shapes of matrices that factorisations are tested with.
var sizes = [][]int{{1, 1}, {4, 4}, {2, 3, 3}, {5, 3}, {3, 5}, {2, 2, 6, 4}, {33, 33}, {0, 3, 3}, {3, 0}, {0, 0}}

func forSizes(t *testing.T, square bool, f func(t *testing.T, a *tensor.Tensor)) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for i, shape := range sizes {
			if r := len(shape); square && shape[r-1] != shape[r-2] {
				continue
			}
			types := types
			if dev.Emulated() {
				types = thorough.Sample(types, 2, i)
			}
			for _, dt := range types {
				t.Run(fmt.Sprint(shape, dt), func(t *testing.T) { f(t, draw(uint64(i), shape, dt, dev)) })
			}
		}
	})
}

func TestQR(t *testing.T) {
	forSizes(t, false, func(t *testing.T, a *tensor.Tensor) {
		m, n := a.Dim(-2), a.Dim(-1)
		q, r := linalg.QR(a)
		near(t, "q·r", q.MatMul(r), a)
		near(t, "qᴴ·q", q.H().MatMul(q), eye(min(m, n), a))
		near(t, "r", r.Triu(0), r)
		q, r = linalg.QRFull(a)
		near(t, "q·r", q.MatMul(r), a)
		near(t, "qᴴ·q", q.H().MatMul(q), eye(m, a))
	})
}

func TestSVD(t *testing.T) {
	thorough.Slow(t)
	forSizes(t, false, func(t *testing.T, a *tensor.Tensor) {
		m, n, k := a.Dim(-2), a.Dim(-1), min(a.Dim(-2), a.Dim(-1))
		u, s, vh := linalg.SVD(a)
		near(t, "u·s·vh", diag(u, s.ToDType(a.DType()), vh), a)
		near(t, "uᴴ·u", u.H().MatMul(u), eye(k, a))
		near(t, "vh·v", vh.MatMul(vh.H()), eye(k, a))
		near(t, "singular values", linalg.SVDVals(a), s)
		full, s2, vfull := linalg.SVDFull(a)
		near(t, "u·s·vh, full", diag(full.Narrow(-1, 0, k), s2.ToDType(a.DType()), vfull.Narrow(-2, 0, k)), a)
		near(t, "uᴴ·u, full", full.H().MatMul(full), eye(m, a))
		near(t, "vh·v, full", vfull.MatMul(vfull.H()), eye(n, a))
	})
}

func TestLU(t *testing.T) {
	forSizes(t, false, func(t *testing.T, a *tensor.Tensor) {
		p, l, u := linalg.LU(a)
		near(t, "p·l·u", p.MatMul(l).MatMul(u), a)
		near(t, "pᵀ·p", p.T().MatMul(p), eye(a.Dim(-2), a))
		near(t, "l", l.Tril(0), l)
		near(t, "u", u.Triu(0), u)
		if l.ElemCount() > 0 && l.Abs().Max().ToScalar() > math.Sqrt2+1e-6 { // LAPACK compares |re| + |im|
			t.Errorf("an element of l has the absolute value %v", l.Abs().Max().ToScalar())
		}
	})
}

func TestSquare(t *testing.T) {
	thorough.Slow(t)
	forSizes(t, true, func(t *testing.T, a *tensor.Tensor) {
		n := a.Dim(-1)
		one := eye(n, a)
		hermitian := a.MatMul(a.H()).Add(one)
		l := linalg.Cholesky(hermitian.Tril(0)) // reads the lower triangle
		near(t, "l·lᴴ", l.MatMul(l.H()), hermitian)
		near(t, "l", l.Tril(0), l)

		w, v := linalg.Eigh(hermitian.Tril(0))
		near(t, "v·w·vᴴ", diag(v, w.ToDType(a.DType()), v.H()), hermitian)
		near(t, "vᴴ·v", v.H().MatMul(v), one)
		near(t, "eigenvalues", linalg.EigValsH(hermitian), w)

		dominant := a.Add(one.Mul(3 * float64(n)))
		near(t, "a·a⁻¹", dominant.MatMul(linalg.Inv(dominant)), one)
		b := draw(9, append(a.Dims()[:a.Rank()-1:a.Rank()-1], 2), a.DType(), a.Device())
		near(t, "a·x", dominant.MatMul(linalg.Solve(dominant, b)), b)
		near(t, "l·lᴴ·x", hermitian.MatMul(linalg.CholeskySolve(l, b)), b)
		for which, tri := range map[linalg.Triangle]*tensor.Tensor{linalg.Lower: dominant.Tril(0),
			linalg.Upper: dominant.Triu(0), linalg.UnitLower: a.Tril(-1).Mul(0.1).Add(one),
			linalg.UnitUpper: a.Triu(1).Mul(0.1).Add(one)} {
			from := dominant
			if which >= linalg.UnitLower {
				from = a.Mul(0.1)
			}
			near(t, fmt.Sprint("triangle ", which), tri.MatMul(linalg.SolveTriangular(from, b, which)), b)
		}

		z, y := linalg.Eig(a)
		near(t, "a·v", a.ToDType(z.DType()).MatMul(y), y.Mul(z.Unsqueeze(-2)))
		near(t, "the sum of eigenvalues", linalg.EigVals(a).Sum(-1), linalg.Trace(a).ToDType(z.DType()))
		near(t, "the product of eigenvalues", z.Prod(-1), linalg.Det(a).ToDType(z.DType()))
		sign, log := linalg.SlogDet(a)
		near(t, "the determinant", sign.Mul(log.Exp().ToDType(a.DType())), linalg.Det(a))
	})
}

// TestLargeSquare solves with matrices that are too large for the kernels of small ones: without a library of the GPU's
// maker, the host factors them, which may be the transposes' factors.
func TestLargeSquare(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range types {
			const n = 120
			a := draw(3, []int{n, n}, dt, dev)
			a = a.Add(eye(n, a).Mul(40))
			b, g := draw(4, []int{n, 3}, dt, dev), draw(5, []int{n, 3}, dt, dev)
			v := tensor.NewVar(b)
			x := linalg.Solve(a, v)
			near(t, "a·x", a.MatMul(x.Detach()), b)
			near(t, "aᴴ·gradient", a.H().MatMul(x.BackwardWith(g).Get(v)), g)
			near(t, "a·a⁻¹", a.MatMul(linalg.Inv(a)), eye(n, a))
			sign, log := linalg.SlogDet(a)
			backwards, same := linalg.SlogDet(a.T())
			near(t, "the determinant's logarithm", log, same)
			near(t, "the determinant's sign", sign, backwards)
			near(t, "the eigenvalues' logarithms", linalg.EigVals(a).Abs().Log().Sum(), log)
		}
	})
}

// TestBatches: operands of a system are broadcast, a vector is a vector again, and integers are converted.
func TestBatches(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		a := draw(1, []int{3, 1, 4, 4}, tensor.F64, dev)
		b := draw(2, []int{5, 4, 2}, tensor.F64, dev)
		x := linalg.Solve(a, b)
		near(t, "a·x", a.MatMul(x), b.BroadcastAs(3, 5, 4, 2).Contiguous())
		v := draw(3, []int{4}, tensor.F64, dev)
		y := linalg.Solve(a.Get(0).Get(0), v)
		near(t, "a·v", a.Get(0).Get(0).MatMul(y), v)
		if got := linalg.Solve(dev.New([][]int{{2, 0}, {0, 4}}), dev.New([]int{1, 1})); got.String() !=
			dev.New([]float32{0.5, 0.25}).String() {
			t.Error(got)
		}
		half := draw(4, []int{4, 4}, tensor.F16, dev)
		if dt := linalg.Inv(half).DType(); dt != tensor.F16 {
			t.Error(dt)
		}
		transposed := a.T() // strided
		near(t, "strided", transposed.MatMul(linalg.Inv(transposed)), eye(4, transposed))
	})
}

func TestLeastSquares(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range types {
			for _, shape := range [][]int{{6, 3}, {3, 6}, {2, 4, 4}} {
				a := draw(1, shape, dt, dev)
				p := linalg.PInv(a)
				near(t, "a·p·a", a.MatMul(p).MatMul(a), a)
				near(t, "p·a·p", p.MatMul(a).MatMul(p), p)
				near(t, "a·p", a.MatMul(p).H().Contiguous(), a.MatMul(p))
				near(t, "p·a", p.MatMul(a).H().Contiguous(), p.MatMul(a))
				b := draw(2, append(shape[:len(shape)-1:len(shape)-1], 2), dt, dev)
				near(t, "x", linalg.LstSq(a, b), p.MatMul(b))
				if got := linalg.MatrixRank(a).FlattenAll().ToVec1(); got[0] != float64(min(a.Dim(-1), a.Dim(-2))) {
					t.Error("rank", got)
				}
			}
		}
		flat := draw(1, []int{5, 2}, tensor.F64, dev)
		flat = flat.MatMul(draw(2, []int{2, 4}, tensor.F64, dev)) // rank 2
		if got := linalg.MatrixRank(flat).ToScalar(); got != 2 {
			t.Error("rank", got)
		}
		near(t, "a·p·a of rank 2", flat.MatMul(linalg.PInv(flat)).MatMul(flat), flat)
		if c := linalg.Cond(dev.New([][]float64{{8, 0}, {0, 2}})).ToScalar(); c != 4 {
			t.Error("condition number", c)
		}
	})
}

func TestNorms(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		a := dev.New([][]float64{{1, -2}, {3, 4}})
		s := linalg.SVDVals(a).ToVec1()
		for p, want := range map[float64]float64{1: 6, -1: 4, math.Inf(1): 7, math.Inf(-1): 3, 2: s[0], -2: s[1]} {
			if got := linalg.MatrixNorm(a, p).ToScalar(); math.Abs(got-want) > 1e-14 {
				t.Errorf("norm %v: %v, want %v", p, got, want)
			}
		}
		if got := linalg.NuclearNorm(a).ToScalar(); math.Abs(got-s[0]-s[1]) > 1e-14 {
			t.Error(got)
		}
	})
}

func TestFunctions(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range types {
			a := draw(1, []int{2, 4, 4}, dt, dev)
			near(t, "a³", linalg.MatrixPower(a, 3), a.MatMul(a).MatMul(a))
			near(t, "a⁰", linalg.MatrixPower(a, 0), eye(4, a))
			b := a.Add(eye(4, a).Mul(5))
			near(t, "b⁻²·b²", linalg.MatrixPower(b, -2).MatMul(b).MatMul(b), eye(4, a))
			// exp(a) of a = v·w·v⁻¹ is v·exp(w)·v⁻¹.
			for _, scale := range []float64{0.1, 3, 9} {
				h := a.Add(a.H()).Mul(scale / 10)
				w, v := linalg.Eigh(h)
				near(t, "exp", linalg.MatrixExp(h), diag(v, w.Exp().ToDType(dt), v.H()))
			}
		}
		turn := dev.New([][]float64{{0, -math.Pi / 2}, {math.Pi / 2, 0}})
		near(t, "a quarter turn", linalg.MatrixExp(turn), dev.New([][]float64{{0, -1}, {1, 0}}))
	})
}

func TestDiagonals(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.I64, tensor.Bool, tensor.C128} {
			a := dev.Arange(tensor.F64, 24).Reshape(2, 3, 4).ToDType(dt)
			for offset := -3; offset <= 4; offset++ {
				d := linalg.Diagonal(a, offset)
				var want []*tensor.Tensor
				for i := range 3 {
					if j := i + offset; j >= 0 && j < 4 {
						want = append(want, a.I(tensor.All, i, j))
					}
				}
				if len(want) == 0 {
					if d.Dim(-1) != 0 {
						t.Error(offset, d.Dims())
					}
					continue
				}
				if !d.Equal(tensor.Stack(want, -1)) {
					t.Errorf("%v, offset %d: %v", dt, offset, d)
				}
				e := linalg.DiagEmbed(d, offset)
				if !linalg.Diagonal(e, offset).Equal(d) || e.Ne(0).Sum().ToScalar() != d.Ne(0).Sum().ToScalar() {
					t.Errorf("%v, offset %d: %v", dt, offset, e)
				}
			}
		}
		b := linalg.BlockDiag(dev.New([][]float32{{1, 2}}), dev.New([][]float32{{3}, {4}}))
		if !b.Equal(dev.New([][]float32{{1, 2, 0}, {0, 0, 3}, {0, 0, 4}})) {
			t.Error(b)
		}
		inf := dev.New([]float64{math.Inf(1), 1})
		if got := linalg.Diag(inf).String(); strings.Contains(got, "NaN") {
			t.Error(got)
		}
	})
}

// TestErrors: what is wrong with the elements of a matrix is an error that names the matrix.
func TestErrors(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		good, bad := dev.Eye(tensor.F64, 3), dev.Zeros(tensor.F64, 3, 3)
		batch := tensor.Stack([]*tensor.Tensor{good, bad}, 0).Unsqueeze(0)
		nan := bad.Add(math.NaN())
		for _, c := range []struct {
			f    func() *tensor.Tensor
			kind error
			want string
		}{
			{func() *tensor.Tensor { return linalg.Inv(bad) }, linalg.ErrSingular,
				"inv: the matrix is singular: pivot 0 is 0"},
			{func() *tensor.Tensor { return linalg.Inv(batch) }, linalg.ErrSingular,
				"inv: matrix [0 1] of the batch is singular: pivot 0 is 0"},
			{func() *tensor.Tensor { return linalg.Solve(bad, good) }, linalg.ErrSingular,
				"solve: the matrix is singular: pivot 0 is 0"},
			{func() *tensor.Tensor { return linalg.Cholesky(good.Neg()) }, linalg.ErrNotPositiveDefinite,
				"cholesky: the matrix is not positive definite: its leading minor 0 is not positive"},
			{func() *tensor.Tensor { return linalg.SVDVals(nan) }, linalg.ErrConvergence,
				"svdvals: the matrix has no singular values: they did not converge"},
			{func() *tensor.Tensor { return linalg.EigValsH(nan) }, linalg.ErrConvergence,
				"eigvalsh: the matrix has no eigenvalues: they did not converge"},
			{func() *tensor.Tensor { return linalg.EigVals(nan) }, linalg.ErrConvergence,
				"eigvals: the matrix has no eigenvalues: they did not converge"},
			{func() *tensor.Tensor { return linalg.MatrixExp(nan) }, linalg.ErrConvergence,
				"matrix_exp: a matrix has elements that are not finite"},
			{func() *tensor.Tensor { return linalg.Inv(good.Get(0)) }, tensor.ErrShape,
				"inv: want a matrix, or a batch of them, not shape [3]"},
			{func() *tensor.Tensor { return linalg.Det(good.Narrow(0, 0, 2)) }, tensor.ErrShape,
				"det: want square matrices, not shape [2 3]"},
			{func() *tensor.Tensor { return linalg.Solve(good, dev.Zeros(tensor.F64, 2, 3)) },
				tensor.ErrShape, "solve: matrices of shape [3 3] need columns of 3 elements, not shape [2 3]"},
			{func() *tensor.Tensor { return linalg.Solve(good, nil) }, tensor.ErrShape, "solve: operand 2 is nil"},
			{func() *tensor.Tensor { return linalg.MatrixNorm(good, 3) }, tensor.ErrShape,
				"matrix_norm: 3 is no kind of matrix norm: want 1, 2 or math.Inf(1), or the negative"},
			{func() *tensor.Tensor { return linalg.Cross(good, good.Narrow(-1, 0, 2), -1) }, tensor.ErrShape,
				"cross: want three elements along dim -1, not a shape of [3 2]"},
			{func() *tensor.Tensor { return linalg.MultiDot(good, good.Narrow(0, 0, 2)) }, tensor.ErrShape,
				"multi_dot: [2 3] has 2 rows, and the matrix before it 3 columns"},
		} {
			_, err := tensor.Try(c.f)
			if !errors.Is(err, c.kind) || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
		if d := linalg.Det(bad).ToScalar(); d != 0 {
			t.Error("the determinant of zeros is", d)
		}
		if sign, log := linalg.SlogDet(bad); sign.ToScalar() != 0 || !math.IsInf(log.ToScalar(), -1) {
			t.Error(sign, log)
		}
	})
}

// TestSchur multiplies the Schur form, and compares the eigenvalues on its diagonal.
func TestSchur(t *testing.T) {
	forSizes(t, true, func(t *testing.T, a *tensor.Tensor) {
		s, z := linalg.Schur(a)
		near(t, "z·t·z.H()", z.MatMul(s).MatMul(z.H()), a)
		near(t, "z.H()·z", z.H().MatMul(z), eye(a.Dim(-1), a))
		near(t, "the trace", linalg.Trace(s), linalg.Trace(a))
		if a.DType().IsComplex() && s.Tril(-1).Ne(0).Any().ToScalar() != 0 {
			t.Errorf("%v is not triangular", s)
		}
	})
	x := tensor.NewVar(tensor.CPU().Eye(tensor.F64, 3))
	_, err := tensor.Try(func() *tensor.Tensor {
		s, _ := linalg.Schur(x)
		return s.Sum().Backward().Get(x)
	})
	if !errors.Is(err, tensor.ErrGradient) {
		t.Errorf("a gradient: %v", err)
	}
	_, err = tensor.Try(func() *tensor.Tensor {
		s, _ := linalg.Schur(tensor.CPU().Full(tensor.F32, math.NaN(), 4, 4))
		return s
	})
	if !errors.Is(err, linalg.ErrConvergence) {
		t.Errorf("of NaN: %v", err)
	}
}
