package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// weigh returns a real scalar of y: the real part of the sum of its elements times fixed random weights.
func weigh(y *tensor.Tensor) *tensor.Tensor {
	w := draw(99, y.Dims(), y.DType(), y.Device())
	return y.Mul(w).Sum().Real()
}

// hermitian makes a positive definite matrix, so that all elements of x count.
func hermitian(x *tensor.Tensor) *tensor.Tensor {
	n := x.Dim(-1)
	return x.MatMul(x.H()).Add(x.Device().Eye(x.DType(), n))
}

// losses are functions of matrices. Those of vectors do not depend on their signs or phases.
var losses = map[string]struct {
	shapes [][]int
	f      func(x *tensor.Tensor) *tensor.Tensor
}{
	"cholesky": {squares, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.Cholesky(hermitian(x))) }},
	"inv":      {squares, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.Inv(x)) }},
	"det":      {squares, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.Det(x)) }},
	"slogdet": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		sign, log := linalg.SlogDet(x)
		return weigh(sign).Add(weigh(log))
	}},
	"solve": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		n := x.Dim(-1)
		return weigh(linalg.Solve(x, x.Narrow(-1, 0, 2).Add(1))).Add(
			weigh(linalg.Solve(x, draw(5, []int{2, n, 1}, x.DType(), x.Device()))))
	}},
	"solve_triangular": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		y := weigh(linalg.SolveTriangular(x, x, linalg.Lower))
		for _, t := range []linalg.Triangle{linalg.Upper, linalg.UnitLower, linalg.UnitUpper} {
			y = y.Add(weigh(linalg.SolveTriangular(x, x, t)))
		}
		return y
	}},
	"cholesky_solve": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		return weigh(linalg.CholeskySolve(linalg.Cholesky(hermitian(x)), x))
	}},
	"qr": {rectangles, func(x *tensor.Tensor) *tensor.Tensor {
		q, r := linalg.QR(x)
		return weigh(q).Add(weigh(r))
	}},
	"lu": {rectangles, func(x *tensor.Tensor) *tensor.Tensor {
		p, l, u := linalg.LU(x)
		return weigh(p.MatMul(l)).Add(weigh(u))
	}},
	"eigh": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		w, v := linalg.Eigh(hermitian(x))
		return weigh(w).Add(weigh(v.Abs().Sqr())).Add(weigh(v.Narrow(-1, 0, 1).MatMul(v.Narrow(-1, 0, 1).H())))
	}},
	"eig": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		w, v := linalg.Eig(x)
		return w.Sqr().Sum().Real().Add(linalg.Inv(v).Mul(v.T()).Abs().Sum()).ToDType(x.DType().Real())
	}},
	"eigvals":  {squares, func(x *tensor.Tensor) *tensor.Tensor { return linalg.EigVals(x).Powf(3).Sum().Real() }},
	"eigvalsh": {squares, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.EigValsH(hermitian(x))) }},
	"svd": {rectangles, func(x *tensor.Tensor) *tensor.Tensor {
		u, s, vh := linalg.SVD(x)
		first := u.Narrow(-1, 0, 1).MatMul(vh.Narrow(-2, 0, 1))
		return weigh(s).Add(weigh(u.Abs().Sqr())).Add(weigh(vh.Abs().Sqr())).Add(weigh(first))
	}},
	"svdvals": {rectangles, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.SVDVals(x)) }},
	"pinv":    {rectangles, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.PInv(x)) }},
	"lstsq": {rectangles, func(x *tensor.Tensor) *tensor.Tensor {
		return weigh(linalg.LstSq(x, draw(5, []int{x.Dim(0), 2}, x.DType(), x.Device()).Add(x.Narrow(-1, 0, 1))))
	}},
	"matrix_exp":   {squares, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.MatrixExp(x)) }},
	"matrix_power": {squares, func(x *tensor.Tensor) *tensor.Tensor { return weigh(linalg.MatrixPower(x, -2)) }},
	"norms": {rectangles, func(x *tensor.Tensor) *tensor.Tensor {
		return linalg.MatrixNorm(x, 1).Add(linalg.MatrixNorm(x, -2)).Add(linalg.NuclearNorm(x)).Add(linalg.Cond(x))
	}},
	"diagonals": {rectangles, func(x *tensor.Tensor) *tensor.Tensor {
		return weigh(linalg.DiagEmbed(linalg.Diagonal(x, 1), -1)).Add(weigh(linalg.Trace(x)))
	}},
	"products": {squares, func(x *tensor.Tensor) *tensor.Tensor {
		y := weigh(linalg.Kron(x, x.T())).Add(weigh(linalg.Cross(x, x.Sqr(), 0)))
		y = y.Add(weigh(linalg.TensorDot(x, x, 1))).Add(weigh(linalg.VDot(x, x.Sqr())))
		return y.Add(weigh(linalg.Einsum("ij,jk,ki->j", x, x, x))).Add(weigh(linalg.MultiDot(x, x, x)))
	}},
}

var (
	squares    = [][]int{{3, 3}}
	rectangles = [][]int{{3, 3}, {4, 3}, {3, 4}}
)

// TestGradients compares gradients with differences of the loss, element by element, for real and complex matrices.
func TestGradients(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for name, c := range losses {
			for _, shape := range c.shapes {
				for _, dt := range []tensor.DType{tensor.F64, tensor.C128} {
					t.Run(fmt.Sprint(name, shape, dt), func(t *testing.T) {
						x := draw(3, shape, dt, tensor.CPU())
						if dev.Emulated() { // differences are too slow there, and those of the CPU are tested
							sameGradient(t, c.f, x, dev)
						} else {
							checkGradient(t, c.f, x.ToDevice(dev))
						}
					})
				}
			}
		}
	})
}

// sameGradient compares the gradient on a device with that on the CPU.
func sameGradient(t *testing.T, f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor, dev *tensor.Device) {
	t.Helper()
	gradient := func(v *tensor.Tensor) *tensor.Tensor { return f(v).Backward().Get(v).ToDevice(tensor.CPU()) }
	got, want := gradient(tensor.NewVar(x.ToDevice(dev))), gradient(tensor.NewVar(x))
	if off, size := got.Sub(want).Abs().Max().ToScalar(), want.Abs().Max().ToScalar(); !(off <= 1e-9*(1+size)) {
		t.Errorf("off by %.3g of %.3g", off, size)
	}
}

func checkGradient(t *testing.T, f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) {
	t.Helper()
	v := tensor.NewVar(x)
	loss := f(v)
	grad := loss.Backward().Get(v)
	parts := []complex128{1}
	if x.DType().IsComplex() {
		parts = append(parts, 1i)
	}
	const h = 1e-6
	scale := math.Abs(loss.ToScalar()) + grad.Abs().Max().ToScalar()
	values := tensor.ToVec1[complex128](grad.FlattenAll().ToDType(tensor.C128))
	for i := range x.ElemCount() {
		for _, part := range parts {
			step := make([]complex128, x.ElemCount())
			step[i] = part * h
			by := x.Device().FromSlice(step, x.Dims()...)
			if !x.DType().IsComplex() {
				by = by.Real()
			}
			want := (f(x.Add(by)).ToScalar() - f(x.Sub(by)).ToScalar()) / (2 * h)
			got := real(values[i])
			if part == 1i {
				got = imag(values[i])
			}
			if !(math.Abs(got-want) <= 1e-7*max(scale, 1)) {
				t.Errorf("element %d, direction %v: %v, the difference says %v", i, part, got, want)
			}
		}
	}
}

// TestSecondGradients compares products with the Hessian with differences of gradients, for real matrices.
func TestSecondGradients(t *testing.T) {
	for name, c := range losses {
		for _, shape := range c.shapes {
			t.Run(fmt.Sprint(name, shape), func(t *testing.T) {
				x := draw(3, shape, tensor.F64, tensor.CPU())
				v := draw(4, shape, tensor.F64, tensor.CPU())
				const h = 1e-6
				_, got := autograd.HVP(c.f, x, v)
				want := autograd.Grad(c.f, x.Add(v.Mul(h))).Sub(autograd.Grad(c.f, x.Sub(v.Mul(h)))).Div(2 * h)
				if off, size := got.Sub(want).Abs().Max().ToScalar(),
					want.Abs().Max().ToScalar(); !(off <= 1e-6*(1+size)) {
					t.Errorf("off by %.3g of %.3g", off, size)
				}
			})
		}
	}
}

// TestSingularDet: the gradient of a determinant that is 0 is right: that of a product is the product of the others.
func TestSingularDet(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		v := tensor.NewVar(dev.New([][]float64{{2, 0, 0}, {0, 3, 0}, {0, 0, 0}}))
		near(t, "gradient", linalg.Det(v).Backward().Get(v),
			dev.New([][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 6}}))
	})
}

// TestNoGradient: full factors of matrices that are not square have none, and say so.
func TestNoGradient(t *testing.T) {
	v := tensor.NewVar(draw(1, []int{4, 2}, tensor.F64, tensor.CPU()))
	q, _ := linalg.QRFull(v)
	u, s, _ := linalg.SVDFull(v)
	for what, y := range map[string]*tensor.Tensor{"qr": q, "svd": u} {
		_, err := tensor.Try(func() *tensor.Tensor { return y.Sum().Backward().Get(v) })
		if !errors.Is(err, tensor.ErrGradient) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if g := s.Sum().Backward().Get(v); g == nil {
		t.Error("singular values have no gradient")
	}
}

// TestEmptyGradients: results of matrices without elements depend on them, with gradients of their shape.
func TestEmptyGradients(t *testing.T) {
	sum := func(ts ...*tensor.Tensor) (y *tensor.Tensor) {
		for _, x := range ts {
			if x = x.Abs().Sum(); y != nil {
				x = y.Add(x)
			}
			y = x
		}
		return y
	}
	for _, c := range []struct {
		name string
		f    func(x *tensor.Tensor) *tensor.Tensor
	}{
		{"eigvals", linalg.EigVals}, {"eigvalsh", linalg.EigValsH}, {"nuclear", linalg.NuclearNorm}, {"svdvals", linalg.SVDVals},
		{"eig", func(x *tensor.Tensor) *tensor.Tensor { w, _ := linalg.Eig(x); return w }},
		{"eigenvectors", func(x *tensor.Tensor) *tensor.Tensor { _, v := linalg.Eig(x); return v }},
		{"eigh", func(x *tensor.Tensor) *tensor.Tensor { w, _ := linalg.Eigh(x); return w }},
		{"l", func(x *tensor.Tensor) *tensor.Tensor { _, l, _ := linalg.LU(x); return l }},
		{"u", func(x *tensor.Tensor) *tensor.Tensor { _, _, u := linalg.LU(x); return u }},
		{"q", func(x *tensor.Tensor) *tensor.Tensor { q, _ := linalg.QR(x); return q }},
		{"r", func(x *tensor.Tensor) *tensor.Tensor { _, r := linalg.QR(x); return r }},
		{"norm", func(x *tensor.Tensor) *tensor.Tensor { return linalg.MatrixNorm(x, 2) }},
		{"smallest", func(x *tensor.Tensor) *tensor.Tensor { return linalg.MatrixNorm(x, -2) }},
		{"det", linalg.Det}, {"pinv", linalg.PInv}, {"inv", linalg.Inv},
		{"solution", func(x *tensor.Tensor) *tensor.Tensor {
			return linalg.Solve(x, x.Narrow(-1, 0, min(2, x.Dim(-1))).Detach())
		}},
		{"slogdet", func(x *tensor.Tensor) *tensor.Tensor { return sum(linalg.SlogDet(x)) }},
	} {
		for _, dims := range [][]int{{0, 3, 3}, {2, 0, 0}} {
			if dims[1] == 0 && (c.name == "norm" || c.name == "smallest") {
				continue
			}
			for _, dt := range []tensor.DType{tensor.F32, tensor.C128} {
				x := tensor.NewVar(tensor.CPU().Zeros(dt, dims...))
				g, err := tensor.Try(func() *tensor.Tensor { return sum(c.f(x)).Backward().Get(x) })
				if err != nil || fmt.Sprint(g.Dims(), g.DType()) != fmt.Sprint(dims, dt) {
					t.Errorf("%s of %v, %v: %v, %v", c.name, dims, dt, g, err)
				}
			}
		}
	}
}
