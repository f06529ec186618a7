package optimize

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// TestTall: the triangle of a tall matrix is that of linalg.QR, but for signs of rows; also of one with dependent
// columns, with zeros, and with elements whose squares leave the range.
func TestTall(t *testing.T) {
	for _, scale := range []float64{1, 1e250, 1e-250} {
		for _, m := range []int{1025, 5000} {
			j := tensor.CPU().Arange(tensor.F64, 0, float64(4*m)).Mul(12.9898).Sin().Reshape(m, 4).Mul(scale)
			j.Narrow(1, 2, 1).Narrow(0, 0, 1024).ZeroSet()
			r := j.Narrow(1, 3, 1).FlattenAll().Sub(j.Narrow(1, 1, 1).FlattenAll())
			_, want := linalg.QR(tensor.Cat([]*tensor.Tensor{j, r.Unsqueeze(1)}, 1).Div(scale))
			wide := want.ToVec2()
			for _, a := range []*tensor.Tensor{j, j.T().Contiguous().T()} {
				got := triangular(a, r)
				if len(got) != 5 {
					t.Fatalf("%d rows, want 5", len(got))
				}
				for i, row := range got {
					sign := math.Copysign(1, row[i]*wide[i][i])
					for k, v := range row {
						if !(math.Abs(sign*v/scale-wide[i][k]) < 1e-11) && i < 4 || i == 4 && !(math.Abs(v/scale) < 1e-11) {
							t.Errorf("%d rows times %g: element %d, %d is %g, want %g", m, scale, i, k, v/scale, wide[i][k])
						}
					}
				}
			}
		}
	}
	bad := tensor.CPU().Ones(tensor.F64, 2000, 2)
	bad.Data().([]float64)[3000] = math.NaN()
	if got := triangular(bad, tensor.CPU().Ones(tensor.F64, 2000)); !math.IsNaN(got[0][0]) {
		t.Errorf("with NaN: %v", got)
	}
}

// BenchmarkCurveFit fits three parameters to a million points.
func BenchmarkCurveFit(b *testing.B) {
	const n = 1_000_000
	x := tensor.CPU().Arange(tensor.F64, 0, n).Mul(4.0 / n)
	y := x.Mul(-1.3).Exp().Mul(2.5).Add(0.5).Add(x.Mul(3e6).Sin().Mul(0.05))
	f := func(x, p *tensor.Tensor) *tensor.Tensor {
		return x.Mul(p.Get(1)).Neg().Exp().Mul(p.Get(0)).Add(p.Get(2))
	}
	for b.Loop() {
		if _, err := CurveFit(f, x, y, tensor.Of(1.0, 1, 0), CurveOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
