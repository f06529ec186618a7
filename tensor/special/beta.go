package special

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/special"
)

// Beta returns the beta function of a and b above 0.
func Beta(a, b any) *tensor.Tensor {
	return by2("beta", func(a, b *tensor.Tensor) *tensor.Tensor { return special.LogBeta(a, b).Exp() }, a, b)
}

// BetaLn returns the logarithm of the beta function of a and b above 0, without the cancellation of Lgamma's.
func BetaLn(a, b any) *tensor.Tensor { return by2("betaln", special.LogBeta, a, b) }

// BetaInc returns the regularised incomplete beta function I(a, b) at x from 0 to 1, for a and b above 0: the
// distribution function of a beta variate.
func BetaInc(a, b, x any) *tensor.Tensor {
	return by3("betainc", func(a, b, x *tensor.Tensor) *tensor.Tensor {
		return special.BetaInc(a, b, odds(x))
	}, a, b, x)
}

// BetaIncC returns 1 - BetaInc(a, b, x) without cancellation.
func BetaIncC(a, b, x any) *tensor.Tensor {
	return by3("betaincc", func(a, b, x *tensor.Tensor) *tensor.Tensor {
		return special.BetaInc(b, a, odds(x).Recip())
	}, a, b, x)
}

// odds is x/(1-x), +0 for -0: BetaIncC takes its reciprocal.
func odds(x *tensor.Tensor) *tensor.Tensor { return x.Eq(0).WhereCond(0, x.Div(x.Affine(-1, 1))) }

// BetaIncInv returns x with BetaInc(a, b, x) = p.
func BetaIncInv(a, b, p any) *tensor.Tensor {
	return by3("betaincinv", func(a, b, p *tensor.Tensor) *tensor.Tensor {
		return special.BetaIncInvLogit(a, b, p).Sigmoid()
	}, a, b, p)
}

// BetaIncCInv returns x with BetaIncC(a, b, x) = q.
func BetaIncCInv(a, b, q any) *tensor.Tensor {
	return by3("betainccinv", func(a, b, q *tensor.Tensor) *tensor.Tensor {
		return special.BetaIncInvLogit(b, a, q).Neg().Sigmoid()
	}, a, b, q)
}
