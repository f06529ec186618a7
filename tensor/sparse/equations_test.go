package sparse_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/linalg"
	"github.com/gorocm/gorocm/tensor/sparse"
)

// general returns a matrix with an inverse that is not Hermitian, with zeros on its diagonal, and a vector.
func general(n int, dt tensor.DType, dev *tensor.Device) (a *sparse.Matrix, b *tensor.Tensor) {
	m := draw(n, n, 3*n, 7)
	for i := range n { // a permutation with great elements
		m.r, m.c, m.v = append(m.r, int64(i)), append(m.c, int64((i+3)%n)), append(m.v, complex(15, 4))
	}
	return m.matrix(dt, dev), of(draw(n, 1, n, 8).v, dt, dev)
}

// solvers solve a·x = b.
var solvers = map[string]func(a *sparse.Matrix, b *tensor.Tensor, tolerance float64) *tensor.Tensor{
	"solve": func(a *sparse.Matrix, b *tensor.Tensor, _ float64) *tensor.Tensor { return sparse.Solve(a, b) },
	"gmres": func(a *sparse.Matrix, b *tensor.Tensor, tolerance float64) *tensor.Tensor {
		x, _ := sparse.GMRES(a, b, 30, tolerance, 400)
		return x
	},
	"gmres, restarted": func(a *sparse.Matrix, b *tensor.Tensor, tolerance float64) *tensor.Tensor {
		x, _ := sparse.GMRES(a, b, 8, tolerance, 2000)
		return x
	},
	"bicgstab": func(a *sparse.Matrix, b *tensor.Tensor, tolerance float64) *tensor.Tensor {
		x, _ := sparse.BiCGSTAB(a, b, tolerance, 400)
		return x
	},
}

func TestSolvers(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range typesOn(dev, 0) {
			tolerance := 1e-5
			if dt == tensor.F64 || dt == tensor.C128 {
				tolerance = 1e-12
			}
			for name, solve := range solvers {
				a, b := general(30, dt, dev)
				if name != "solve" { // these take few steps where the diagonal is great
					a = a.Add(sparse.Eye(30, dt, dev).Mul(40))
				}
				x := solve(a, b, tolerance)
				left := a.ToDense().MatMul(x).Sub(b).Abs().Max().ToScalar()
				if size := b.Abs().Max().ToScalar(); !(left <= 20*tolerance*size) || x.DType() != dt {
					t.Errorf("%s, %v: a residual of %g, want %g times %g", name, dt, left, tolerance, size)
				}
				if x := solve(a, b.ZerosLike(), tolerance); x.Ne(0).Any().ToScalar() != 0 {
					t.Errorf("%s, %v: the solution for 0 is %v", name, dt, x)
				}
			}
		}
	})
}

// TestSolverGradients compares gradients by both operands with differences.
func TestSolverGradients(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		a, b := general(7, tensor.F64, dev)
		a = a.Add(sparse.Eye(7, tensor.F64, dev).Mul(40))
		weights := dev.Arange(tensor.F64, 1, 8)
		for name, solve := range solvers {
			loss := func(values, b *tensor.Tensor) *tensor.Tensor {
				return solve(a.With(values), b, 1e-14).Sqr().Mul(weights).Sum().Mul(1000)
			}
			v, w := tensor.NewVar(a.Values()), tensor.NewVar(b)
			grads := loss(v, w).Backward()
			for what, x := range map[string]*tensor.Tensor{"values": v, "b": w} {
				for i := 0; i < x.ElemCount(); i += 3 {
					const h = 1e-5
					var ends [2]float64
					for k, by := range []float64{-h, h} {
						moved := x.Detach().Copy()
						moved.AddI(by, i)
						if what == "values" {
							ends[k] = loss(moved, b).ToScalar()
						} else {
							ends[k] = loss(a.Values(), moved).ToScalar()
						}
					}
					got, want := grads.Get(x).Get(i).ToScalar(), (ends[1]-ends[0])/(2*h)
					if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
						t.Errorf("%s, %s %d: the derivative is %v, differences give %v", name, what, i, got, want)
					}
				}
			}
		}
	})
}

// TestLU solves for several columns with the same factors, and keeps those of a grid sparse.
func TestLU(t *testing.T) {
	dev := tensor.CPU()
	for _, n := range []int{1, 2, 9, 200} {
		a, _ := general(max(n, 4), tensor.C128, dev)
		want := of(draw(max(n, 4), 3, 30, 3).v, tensor.C128, dev)
		b := dev.Zeros(tensor.C128, max(n, 4), 3)
		b.SliceSet(want.Reshape(10, 3).Narrow(0, 0, min(10, max(n, 4))), 0, 0)
		f := sparse.LU(a)
		if x := f.Solve(b); !a.MatMul(x).AllClose(b, 1e-9, 1e-9) {
			t.Errorf("%d: the residual is %v", n, a.MatMul(x).Sub(b).Abs().Max())
		}
	}
	const side = 60
	a := laplacian(side, dev)
	f := sparse.LU(a)
	if most := 31 * side * side * 12; f.ElemCount() > most/2 {
		t.Errorf("the factors of a grid of %d points have %d elements", side*side, f.ElemCount())
	}
	b := dev.Arange(tensor.F64, side*side).Sin()
	if x := f.Solve(b); a.MatMul(x).Sub(b).Abs().Max().ToScalar() > 1e-12 {
		t.Errorf("the residual is %v", a.MatMul(x).Sub(b).Abs().Max())
	}
	if x := sparse.Solve(sparse.Eye(0, tensor.F32, dev), dev.Zeros(tensor.F32, 0)); x.ElemCount() != 0 {
		t.Errorf("no equations have the solution %v", x)
	}
}

// TestEigSH compares eigenvalues with those of the dense matrix, and with the exact ones of a grid.
func TestEigSH(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range typesOn(dev, 1) {
			tolerance := 1e-4
			if dt == tensor.F64 || dt == tensor.C128 {
				tolerance = 1e-11
			}
			for _, n := range []int{3, 60} {
				m := draw(n, n, 3*n, 9).matrix(dt, dev)
				a := m.Add(m.H())
				all := linalg.EigValsH(a.ToDense().ToDevice(tensor.CPU())).Float64s()
				w, v := sparse.EigSH(a, 3, sparse.Largest)
				largest := math.Max(math.Abs(all[0]), all[n-1])
				for i, x := range w.Float64s() {
					if math.Abs(x-all[n-3+i]) > tolerance*largest {
						t.Errorf("%v, %d: value %d is %v, want %v", dt, n, i, x, all[n-3+i])
					}
				}
				left := a.MatMul(v.Contiguous()).Sub(v.Mul(w.ToDType(v.DType()))).Abs().Max().ToScalar()
				square := v.H().MatMul(v).Sub(dev.Eye(v.DType(), 3)).Abs().Max().ToScalar()
				if left > tolerance*largest || square > tolerance {
					t.Errorf("%v, %d: residuals of %g and %g", dt, n, left, square)
				}
				w, _ = sparse.EigSH(a, 2, sparse.Smallest)
				if x := w.Float64s(); math.Abs(x[0]-all[0]) > tolerance*largest || math.Abs(x[1]-all[1]) > tolerance*largest {
					t.Errorf("%v, %d: the least are %v, want %v", dt, n, x, all[:2])
				}
				w, _ = sparse.EigSH(a, 1, sparse.Magnitude)
				if x := w.Float64s(); math.Abs(math.Abs(x[0])-largest) > tolerance*largest {
					t.Errorf("%v, %d: the greatest magnitude is %v, want %v", dt, n, x, largest)
				}
			}
		}
	})
	w, _ := sparse.EigSH(laplacian(30, tensor.CPU()), 1, sparse.Smallest)
	if got, want := w.Get(0).ToScalar(), 961*8*math.Pow(math.Sin(math.Pi/62), 2); math.Abs(got-want) > 1e-8 {
		t.Errorf("the least eigenvalue of a grid is %v, want %v", got, want)
	}
	w, _ = sparse.EigSH(sparse.Eye(50, tensor.F64, tensor.CPU()), 2, sparse.Largest)
	if got := w.Float64s(); math.Abs(got[0]-1) > 1e-14 || math.Abs(got[1]-1) > 1e-14 {
		t.Errorf("eigenvalues of the unit matrix: %v", got)
	}
}

// TestSVDS compares singular values with those of the dense matrix.
func TestSVDS(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range typesOn(dev, 3) {
			tolerance := 1e-4
			if dt == tensor.F64 || dt == tensor.C128 {
				tolerance = 1e-10
			}
			for _, shape := range [][2]int{{40, 60}, {60, 40}, {5, 4}} {
				a := draw(shape[0], shape[1], 200, 9).matrix(dt, dev)
				want := linalg.SVDVals(a.ToDense().ToDevice(tensor.CPU())).Float64s()
				u, s, vh := sparse.SVDS(a, 3)
				for i, x := range s.Float64s() {
					if math.Abs(x-want[i]) > tolerance*want[0] {
						t.Errorf("%v, %v: value %d is %v, want %v", dt, shape, i, x, want[i])
					}
				}
				left := a.MatMul(vh.H().Contiguous()).Sub(u.Mul(s.ToDType(u.DType()))).Abs().Max().ToScalar()
				if left > tolerance*want[0] {
					t.Errorf("%v, %v: a residual of %g", dt, shape, left)
				}
			}
		}
	})
}

// TestValueGradients compares gradients of eigenvalues and singular values with those of dense matrices.
func TestValueGradients(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.C128} {
			m := draw(30, 30, 90, 9).matrix(dt, dev)
			a := m.Add(m.H())
			weights := dev.New([]float64{1, 2, -3})
			check := func(what string, run func(v *tensor.Tensor) *tensor.Tensor, dense func(x *tensor.Tensor) *tensor.Tensor) {
				v, x := tensor.NewVar(a.Values()), tensor.NewVar(a.ToDense())
				got := run(v).Mul(weights).Sum().Backward().Get(v)
				g := dense(x).Mul(weights).Sum().Backward().Get(x)
				rows, cols := a.Indices()
				want := g.FlattenAll().IndexSelect(rows.ToDType(tensor.I64).Mul(30).Add(cols.ToDType(tensor.I64)), 0)
				if left := got.Sub(want).Abs().Max().ToScalar(); left > 1e-8 {
					t.Errorf("%s, %v: gradients differ by %g", what, dt, left)
				}
			}
			check("eigsh", func(v *tensor.Tensor) *tensor.Tensor {
				w, _ := sparse.EigSH(a.With(v), 3, sparse.Largest)
				return w
			}, func(x *tensor.Tensor) *tensor.Tensor {
				w, _ := linalg.Eigh(x)
				return w.Narrow(0, 27, 3)
			})
			check("svds", func(v *tensor.Tensor) *tensor.Tensor {
				_, s, _ := sparse.SVDS(a.With(v), 3)
				return s
			}, func(x *tensor.Tensor) *tensor.Tensor {
				_, s, _ := linalg.SVD(x)
				return s.Narrow(0, 0, 3)
			})
		}
	})
}

// TestSolverErrors: what has no solution is an error that says why.
func TestSolverErrors(t *testing.T) {
	dev := tensor.CPU()
	a, b := general(9, tensor.F64, dev)
	zero := a.Mul(0)
	for _, c := range []struct {
		run  func()
		kind error
		want string
	}{
		{func() { sparse.Solve(zero, b) }, linalg.ErrSingular, "after 0 of 9 columns"},
		{func() { sparse.Solve(a.Mul(math.NaN()), b) }, linalg.ErrSingular, "not finite"},
		{func() { sparse.Solve(a, dev.Ones(tensor.F64, 4)) }, tensor.ErrShape, "a vector of 9 elements"},
		{func() { sparse.Solve(a, b.ToDType(tensor.F32)) }, tensor.ErrDType, "f32"},
		{func() { sparse.GMRES(zero, b, 5, 1e-9, 20) }, sparse.ErrConvergence, "after 20 steps"},
		{func() { sparse.GMRES(a, b, 0, 1e-9, 20) }, tensor.ErrValue, "at least one step"},
		{func() { sparse.GMRES(a, b.Mul(math.NaN()), 5, 1e-9, 20) }, sparse.ErrConvergence, "NaN"},
		{func() { sparse.BiCGSTAB(zero, b, 1e-9, 20) }, sparse.ErrConvergence, "breaks down"},
		{func() { sparse.BiCGSTAB(a.Add(sparse.Eye(9, tensor.F64, dev).Mul(40)), b, 1e-30, 5) }, sparse.ErrConvergence,
			"after 5 steps"},
		{func() { sparse.EigSH(a, 10, sparse.Largest) }, tensor.ErrShape, "not 10 of"},
		{func() { sparse.EigSH(a.Mul(math.Inf(1)), 1, sparse.Largest) }, sparse.ErrConvergence, "not finite"},
		{func() { sparse.SVDS(a, 0) }, tensor.ErrShape, "not 0 of"},
		{func() {
			v := tensor.NewVar(a.Values())
			_, x := sparse.EigSH(a.With(v), 1, sparse.Largest)
			x.Sum().Backward()
		}, tensor.ErrGradient, "no gradient"},
	} {
		_, err := tensor.Try(func() *tensor.Tensor { c.run(); return nil })
		if err == nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestProductPaths: the product on the host has the positions and the bits of the operations that gradients take.
func TestProductPaths(t *testing.T) {
	dev := tensor.CPU()
	for _, dt := range types {
		for _, shape := range [][3]int{{1, 1, 1}, {70, 90, 1200}, {200, 30, 50}} {
			a := draw(shape[0], shape[1], shape[0]*min(shape[1], 12), 4).matrix(dt, dev)
			b := draw(shape[1], shape[2], shape[1]*min(shape[2], 30), 5).matrix(dt, dev)
			a, b = a.Mul(1.0/3), b.Mul(1.0/7)
			got, want := a.Product(b), a.With(tensor.NewVar(a.Values())).Product(b)
			r, c := got.Indices()
			rw, cw := want.Indices()
			if !r.Equal(rw) || !c.Equal(cw) || !got.Values().Equal(want.Values().Detach()) {
				t.Errorf("%v, %v: %v, want %v", dt, shape, got.Values(), want.Values())
			}
		}
	}
}
