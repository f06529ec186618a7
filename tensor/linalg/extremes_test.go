package linalg_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// scaled are functions of square matrices, and by which power of s they change with s·a.
var scaled = []struct {
	name  string
	power float64
	f     func(a *tensor.Tensor) *tensor.Tensor
}{
	{"inverse", -1, linalg.Inv},
	{"pseudo-inverse", -1, linalg.PInv},
	{"rank", 0, linalg.MatrixRank},
	{"condition", 0, linalg.Cond},
	{"singular values", 1, linalg.SVDVals},
	{"nuclear norm", 1, linalg.NuclearNorm},
	{"norm 2", 1, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixNorm(a, 2) }},
	{"norm 1", 1, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixNorm(a, 1) }},
	{"SVD", 1, func(a *tensor.Tensor) *tensor.Tensor {
		u, s, vh := linalg.SVD(a)
		return u.Mul(s.ToDType(u.DType())).MatMul(vh)
	}},
	{"eigenvalues", 1, func(a *tensor.Tensor) *tensor.Tensor { return linalg.EigVals(a).Abs().Sum() }},
	{"eigenvectors", 1, func(a *tensor.Tensor) *tensor.Tensor {
		w, v := linalg.Eig(a)
		return v.Mul(w).MatMul(linalg.Inv(v))
	}},
	{"Hermitian eigenvalues", 1, func(a *tensor.Tensor) *tensor.Tensor { return linalg.EigValsH(a.Add(a.H())) }},
	{"Hermitian eigenvectors", 1, func(a *tensor.Tensor) *tensor.Tensor {
		w, v := linalg.Eigh(a.Add(a.H()))
		return v.Mul(w.ToDType(v.DType())).MatMul(v.H())
	}},
	{"QR", 1, func(a *tensor.Tensor) *tensor.Tensor { q, r := linalg.QR(a); return q.MatMul(r) }},
	{"LU", 1, func(a *tensor.Tensor) *tensor.Tensor {
		p, l, u := linalg.LU(a)
		return p.ToDType(l.DType()).MatMul(l).MatMul(u)
	}},
	{"Schur", 1, func(a *tensor.Tensor) *tensor.Tensor {
		t, z := linalg.Schur(a)
		return z.MatMul(t).MatMul(z.H())
	}},
	{"least squares", 0, func(a *tensor.Tensor) *tensor.Tensor { return linalg.LstSq(a, a) }},
	{"solution", 0, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Solve(a, a.T()) }},
	{"sign", 0, func(a *tensor.Tensor) *tensor.Tensor { sign, _ := linalg.SlogDet(a); return sign }},
	{"triangle", -1, func(a *tensor.Tensor) *tensor.Tensor {
		return linalg.SolveTriangular(a, a.Device().Eye(tensor.F64, 4).ToDType(a.DType()), linalg.Upper)
	}},
}

// TestScales: matrices of huge and tiny elements give what those of ordinary ones give, scaled.
func TestScales(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for i, dt := range types {
			scales, tol := []float64{1e150, 1e-150, 1e300, 1e-300, 1e-305}, 1e-11
			if dt.Real() == tensor.F32 {
				scales, tol = []float64{1e18, 1e-18, 1e36, 1e-36}, 2e-4
			}
			if !dev.IsCPU() {
				scales = thorough.Sample(scales, 1, i)
			}
			wide := tensor.F64
			if dt.IsComplex() {
				wide = tensor.C128
			}
			a := draw(5, []int{4, 4}, wide, dev)
			for _, f := range thorough.Sample(scaled, 1, i) {
				want := absolutes(f.f(a.ToDType(dt)))
				for _, s := range scales {
					got := absolutes(f.f(a.Mul(s).ToDType(dt))).Mul(math.Pow(s, -f.power))
					if d := got.Sub(want).Abs().Max().ToScalar(); !(d <= tol*want.Max().ToScalar()) {
						t.Errorf("%s of %v times %g differs by %g", f.name, dt, s, d)
					}
				}
			}
		}
	})
}

// absolutes are the absolute values in F64.
func absolutes(x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsComplex() {
		return x.ToDType(tensor.C128).Abs()
	}
	return x.ToDType(tensor.F64).Abs()
}

// TestDegenerate: zeros, single elements, singular matrices and NaN, as NumPy 2.4 has them; errors say what is wrong.
func TestDegenerate(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range types {
			of := func(v ...float64) *tensor.Tensor {
				n := int(math.Sqrt(float64(len(v))))
				return dev.FromSlice(v, n, n).ToDType(dt)
			}
			sign := func(a *tensor.Tensor) *tensor.Tensor { s, _ := linalg.SlogDet(a); return s }
			logAbs := func(a *tensor.Tensor) *tensor.Tensor { _, l := linalg.SlogDet(a); return l }
			zero, empty, nan := of(0, 0, 0, 0), dev.Zeros(dt, 0, 0), of(math.NaN(), 1, 1, 2)
			inf := math.Inf(1)
			for what, c := range map[string]struct {
				got  *tensor.Tensor
				want float64
			}{
				"condition of zeros":       {linalg.Cond(zero), inf},
				"condition of a singular":  {linalg.Cond(of(1, 0, 0, 0)), inf},
				"rank of zeros":            {linalg.MatrixRank(zero), 0},
				"rank of nothing":          {linalg.MatrixRank(empty), 0},
				"determinant of nothing":   {linalg.Det(empty), 1},
				"determinant of zeros":     {linalg.Det(zero), 0},
				"determinant of NaN":       {linalg.Det(nan), math.NaN()},
				"sign of zeros":            {sign(zero), 0},
				"logarithm of zeros":       {logAbs(zero), -inf},
				"sign of nothing":          {sign(empty), 1},
				"sign of NaN":              {sign(nan), math.NaN()},
				"logarithm of NaN":         {logAbs(nan), math.NaN()},
				"pseudo-inverse of zeros":  {linalg.PInv(zero).Abs().Sum(), 0},
				"sum of the inverse of -2": {linalg.Inv(of(-2)).Sum(), -0.5},
				"nuclear norm of nothing":  {linalg.NuclearNorm(empty), 0},
				"trace of nothing":         {linalg.Trace(empty), 0},
				"e^0":                      {linalg.MatrixExp(zero).Sum(), 2},
				"least squares of zeros":   {linalg.LstSq(zero, of(1, 2, 3, 4)).Abs().Sum(), 0},
			} {
				if c.got.DType().IsComplex() {
					c.got = c.got.Real()
				}
				if got := c.got.ToScalar(); !(math.Abs(got-c.want) < 1e-6) && got != c.want && !(got != got && c.want != c.want) {
					t.Errorf("%v: the %s is %v, want %v", dt, what, got, c.want)
				}
			}
			for _, f := range scaled { // what has no result has an error
				iterates := strings.HasPrefix(f.name, "eigen") || strings.HasPrefix(f.name, "Hermitian") || f.name == "Schur" ||
					strings.Contains(f.name, "SVD") || f.name == "singular values" || f.name == "pseudo-inverse"
				if err := tensor.Catch(func() error { f.f(nan); return nil }); iterates && !errors.Is(err, linalg.ErrConvergence) {
					t.Errorf("%v: %s of NaN: %v", dt, f.name, err)
				}
			}
		}
	})
}
