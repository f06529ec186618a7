package stats

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Cov returns the covariance matrix [n n] of n variables. The rows of x [n observations] are the variables; a vector is
// one variable, whose covariance is a scalar. Sums of products are divided by observations - correction: 1 for the
// unbiased covariance, 0 for that of a whole population. The second factor of complex products is conjugated. Integers
// are computed in F64; the result has DefaultDType. It panics with ErrShape for other ranks.
func Cov(x *tensor.Tensor, correction int) *tensor.Tensor {
	w, dt := extend.Precise(x)
	return covariance("cov", w, correction).ToDType(dt)
}

func covariance(op string, x *tensor.Tensor, correction int) *tensor.Tensor {
	if r := x.Rank(); r != 1 && r != 2 {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{x}, "x.FlattenFrom(1) has a row for each variable",
			"want variables [n observations] or one variable, not shape %v", x.Dims())
	}
	d := centred(x, -1)
	n := float64(max(x.Dim(-1)-correction, 0))
	if x.Rank() == 1 {
		return d.Mul(d.Conj()).Sum().Div(n)
	}
	return d.MatMul(d.H()).Div(n)
}

// CorrCoef returns the matrix [n n] of the Pearson correlation coefficients of n variables, the rows of
// x [n observations], between -1 and 1, as are both parts of complex ones. A variable without variance has NaN. A
// vector is one variable, with the scalar 1. It panics with ErrShape for other ranks.
func CorrCoef(x *tensor.Tensor) *tensor.Tensor {
	w, dt := extend.Precise(x)
	c := covariance("corrcoef", w, 1)
	if c.Rank() == 0 {
		return c.Div(c).ToDType(dt)
	}
	n := c.Dim(0)
	diagonal := c.Device().Arange(tensor.I64, float64(n)).Reshape(n, 1)
	deviation := c.Real().Gather(diagonal, 1).Sqrt()
	c = c.Div(deviation).Div(deviation.T())
	if dt.IsComplex() {
		return tensor.Complex(c.Real().Clamp(-1, 1), c.Imag().Clamp(-1, 1))
	}
	return c.Clamp(-1, 1).ToDType(dt)
}
