package optimize

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// Fit is what CurveFit found: Result.X are the parameters.
type Fit struct {
	Result
	// Cov is the covariance of the parameters [n n], by the linear model at the minimum; infinite where the data does
	// not determine them.
	Cov *tensor.Tensor
}

// StdErr returns the standard errors of the parameters [n]: the square roots of the diagonal of Cov.
func (f Fit) StdErr() *tensor.Tensor { return linalg.Diagonal(f.Cov, 0).Sqrt() }

// CurveOptions are those of CurveFit.
type CurveOptions struct {
	FitOptions
	// Sigma are the standard deviations of y, in its shape: residuals are divided by them.
	Sigma *tensor.Tensor
	// AbsoluteSigma has Sigma in the units of y. Otherwise only the ratios of its elements matter, and Cov is scaled by
	// the variance of the residuals.
	AbsoluteSigma bool
}

// CurveFit fits the parameters p of a model f(x, p) to points (x, y), by least squares from a first guess p0, as
// scipy.optimize.curve_fit. x is any tensor that f understands, y has the shape of f(x, p), and p is an F64 vector; the
// Jacobian is that of package autograd. The error is as for LeastSquares, and ErrIndeterminate where several
// parameters give the same curve, so that Cov is infinite. It panics as Minimize, with ErrShape for shapes that do not
// fit, and with ErrValue for NaN or infinities in y.
//
//	f := func(x, p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(1)).Exp().Mul(p.Get(0)) }
//	fit, err := optimize.CurveFit(f, x, y, tensor.Of(1, -1), optimize.CurveOptions{})
//	fmt.Println(fit.X, fit.StdErr())
func CurveFit(f func(x, p *tensor.Tensor) *tensor.Tensor, x, y, p0 *tensor.Tensor, o CurveOptions) (Fit, error) {
	const op = "curve fit"
	s, first := start(op, p0)
	extend.SameDevice(op, x, y, p0)
	if o.Jacobian != nil {
		extend.Fail(op, tensor.ErrValue, nil, "leave it out: the Jacobian is computed by package autograd",
			"FitOptions.Jacobian is for LeastSquaresFunc")
	}
	if y.IsFinite().All().ToScalar() == 0 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{y}, "ok := y.IsFinite(); x.I(ok) and y.I(ok) leave them out",
			"y has elements that are NaN or infinite")
	}
	n := len(first)
	if y.ElemCount() < n {
		extend.Shape(op, []*tensor.Tensor{y}, "%d points for %d parameters", y.ElemCount(), n)
	}
	target := y.Detach().ToDType(tensor.F64)
	weigh := func(r *tensor.Tensor) *tensor.Tensor { return r }
	if o.Sigma != nil {
		extend.SameDevice(op, y, o.Sigma)
		if !slices.Equal(o.Sigma.Dims(), y.Dims()) {
			extend.Shape(op, []*tensor.Tensor{y, o.Sigma}, "Sigma has shape %v, y %v", o.Sigma.Dims(), y.Dims())
		}
		sigma := o.Sigma.Detach().ToDType(tensor.F64)
		weigh = func(r *tensor.Tensor) *tensor.Tensor { return r.Div(sigma) }
	}
	residual := func(p *tensor.Tensor) *tensor.Tensor {
		z := f(x, p)
		if z == nil || !slices.Equal(z.Dims(), y.Dims()) {
			extend.Shape(op, []*tensor.Tensor{y}, "f(x, p) is to have the shape of y, %v", y.Dims())
		}
		return weigh(z.Sub(target))
	}
	p := newFit(residualsOf(op, residual, s), first, o.FitOptions)
	err := p.solve()
	fit := Fit{Result: p.report(err)}
	cov, rank := p.covariance()
	if !o.AbsoluteSigma {
		free := y.ElemCount() - n
		if free == 0 {
			rank = -1
		}
		cov = cov.Mul(2 * p.cost / float64(free))
	}
	if rank < n {
		cov = cov.FullLike(math.Inf(1))
		if err == nil && rank >= 0 {
			err = failed(ErrIndeterminate, "the points determine %d combinations of the %d parameters only: the "+
				"derivatives of the curve are dependent at p = %.6g. Leave a parameter out, or begin elsewhere", rank, n, p.x)
		}
	}
	fit.Cov = cov.ToDevice(p0.Device())
	return fit, err
}

// covariance returns the inverse of Jᵀ·J by its singular values, and their number.
func (p *fit) covariance() (cov *tensor.Tensor, rank int) {
	n := len(p.x)
	if len(p.rows) == 0 {
		return tensor.CPU().Full(tensor.F64, math.Inf(1), n, n), 0
	}
	_, s, vh := linalg.SVD(tensor.CPU().New(p.rows))
	values := s.ToVec1()
	least := epsilon * float64(max(p.r.ElemCount(), n)) * values[0]
	for rank < len(values) && values[rank] > least {
		rank++
	}
	v := vh.Narrow(0, 0, rank).Div(s.Narrow(0, 0, rank).Unsqueeze(1))
	return v.T().MatMul(v), rank
}
