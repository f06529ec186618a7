package sparse_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/sparse"
)

// definite returns aᴴ·a + 1 for a matrix of small whole numbers, and a vector.
func definite(n int, dt tensor.DType, dev *tensor.Device) (a *sparse.Matrix, b *tensor.Tensor) {
	m := draw(n, n, 3*n, 7).matrix(dt, dev)
	return m.H().Product(m).Add(sparse.Eye(n, dt, dev)), of(draw(n, 1, n, 8).v, dt, dev)
}

func TestCG(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range types {
			tolerance := 1e-5
			if dt == tensor.F64 || dt == tensor.C128 {
				tolerance = 1e-12
			}
			a, b := definite(20, dt, dev)
			x, steps := sparse.CG(a, b, tolerance, 200)
			left := a.ToDense().MatMul(x).Sub(b).Abs().Max().ToScalar()
			if size := b.Abs().Max().ToScalar(); !(left <= 20*tolerance*size) || steps == 0 {
				t.Errorf("%v: a residual of %g after %d steps, want %g times %g", dt, left, steps, tolerance, size)
			}
			if x, steps := sparse.CG(a, b.ZerosLike(), tolerance, 200); steps != 0 || x.Ne(0).Any().ToScalar() != 0 {
				t.Errorf("%v: the solution for 0 is %v, after %d steps", dt, x, steps)
			}
		}
	})
}

// TestCGGradients compares gradients by the elements of both operands with differences.
func TestCGGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		a, b := definite(6, tensor.F64, dev)
		weights := dev.Arange(tensor.F64, 1, 7)
		loss := func(values, b *tensor.Tensor) *tensor.Tensor {
			x, _ := sparse.CG(a.With(values), b, 1e-13, 100)
			return x.Mul(weights).Sum()
		}
		v, w := tensor.NewVar(a.Values()), tensor.NewVar(b)
		grads := loss(v, w).Backward()
		const h = 1e-6
		step := func(x *tensor.Tensor, i int, by float64) *tensor.Tensor {
			y := x.Copy()
			y.AddI(by, i)
			return y
		}
		check := func(what string, got float64, up, down *tensor.Tensor) {
			t.Helper()
			if want := up.Sub(down).ToScalar() / (2 * h); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: the derivative is %v, differences give %v", what, got, want)
			}
		}
		for i := range b.ElemCount() {
			check("b", grads.Get(w).Get(i).ToScalar(), loss(a.Values(), step(b, i, h)), loss(a.Values(), step(b, i, -h)))
		}
		// a stays symmetric: an element changes together with the one across the diagonal
		rows, cols := a.Indices()
		for i := range a.ElemCount() {
			across := rows.Eq(cols.Get(i)).And(cols.Eq(rows.Get(i)))
			j := int(across.ToDType(tensor.U8).ArgMax().ToScalar())
			got := grads.Get(v).Get(i).Add(grads.Get(v).Get(j)).ToScalar()
			change := func(by float64) *tensor.Tensor { return loss(step(step(a.Values(), i, by), j, by), b) }
			check("a", got, change(h), change(-h))
		}
	})
}
