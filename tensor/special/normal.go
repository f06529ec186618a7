package special

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/special"
)

// Ndtr returns the standard normal distribution function, the probability of values up to x, with full precision in the
// lower tail.
func Ndtr(x any) *tensor.Tensor { return by1("ndtr", special.Ndtr, x) }

// LogNdtr returns the logarithm of Ndtr, also where that underflows.
func LogNdtr(x any) *tensor.Tensor { return by1("log_ndtr", special.LogNdtr, x) }

// Ndtri returns the inverse of Ndtr, the normal quantile of probabilities p: infinities for 0 and 1, NaN beyond.
func Ndtri(p any) *tensor.Tensor { return by1("ndtri", special.Ndtri, p) }

// XLogY returns x·log(y), and 0 where x is 0 unless y is NaN.
func XLogY(x, y any) *tensor.Tensor { return by2("xlogy", xlogy, x, y) }

func xlogy(x, y *tensor.Tensor) *tensor.Tensor {
	return x.Mul(zeroTimes(x, y, y.Gt(0)).WhereCond(1, y).Log())
}

// zeroTimes says where x is 0 and the logarithm of y, inside where that is finite or infinite, would make NaN of it.
func zeroTimes(x, y, inside *tensor.Tensor) *tensor.Tensor {
	return x.Eq(0).And(inside.And(y.Lt(math.Inf(1))).Not()).And(y.IsNaN().Not())
}

// XLog1PY returns x·log(1+y), and 0 where x is 0 unless y is NaN.
func XLog1PY(x, y any) *tensor.Tensor {
	return by2("xlog1py", func(x, y *tensor.Tensor) *tensor.Tensor {
		return x.Mul(zeroTimes(x, y, y.Gt(-1)).WhereCond(0, y).Log1p())
	}, x, y)
}

// Entr returns -x·log(x), 0 for 0 and minus infinity for negative elements: terms of an entropy. The gradient at 0 is
// 0.
func Entr(x any) *tensor.Tensor {
	return by1("entr", func(x *tensor.Tensor) *tensor.Tensor {
		return x.Lt(0).WhereCond(math.Inf(-1), xlogy(x, x.Lt(0).WhereCond(1, x)).Neg())
	}, x)
}

// RelEntr returns x·log(x/y) for x and y above 0, 0 where x is 0, and infinity elsewhere: terms of the relative entropy
// of Kullback and Leibler.
func RelEntr(x, y any) *tensor.Tensor {
	return by2("rel_entr", func(x, y *tensor.Tensor) *tensor.Tensor {
		inside := x.Gt(0).And(y.Gt(0))
		quotient := x.Detach().Div(y.Detach())
		near := inside.And(quotient.Gt(1e-290)).And(quotient.Lt(1e290)) // elsewhere it may over- or underflow
		far := inside.And(near.Not())
		some := near.WhereCond(x, 1).Div(near.WhereCond(y, 1)).Log()
		some = some.Add(far.WhereCond(x, 1).Log()).Sub(far.WhereCond(y, 1).Log()).Mul(inside.WhereCond(x, 1))
		nothing := x.Eq(0).And(y.Ge(0))
		nan := x.IsNaN().Or(y.IsNaN())
		return nan.WhereCond(x.Add(y), inside.WhereCond(some, nothing.WhereCond(x.Detach(), math.Inf(1))))
	}, x, y)
}
