package special

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/special"
)

// J0 returns the Bessel function of the first kind of order 0, with an absolute error of 1e-15.
func J0(x any) *tensor.Tensor { return by1("j0", special.J0, x) }

// J1 returns the Bessel function of the first kind of order 1, with an absolute error of 1e-15.
func J1(x any) *tensor.Tensor { return by1("j1", special.J1, x) }

// I0e returns the modified Bessel function of the first kind of order 0, times e^-|x|: x.I0() without overflow.
func I0e(x any) *tensor.Tensor { return by1("i0e", special.I0e, x) }

// I1e returns the modified Bessel function of the first kind of order 1, times e^-|x|: x.I1() without overflow.
func I1e(x any) *tensor.Tensor { return by1("i1e", special.I1e, x) }

// K0 returns the modified Bessel function of the second kind of order 0, for x from 0 on.
func K0(x any) *tensor.Tensor {
	return by1("k0", func(x *tensor.Tensor) *tensor.Tensor { return special.K0e(x).Mul(x.Neg().Exp()) }, x)
}

// K1 returns the modified Bessel function of the second kind of order 1, for x from 0 on.
func K1(x any) *tensor.Tensor {
	return by1("k1", func(x *tensor.Tensor) *tensor.Tensor { return special.K1e(x).Mul(x.Neg().Exp()) }, x)
}

// K0e returns K0(x) times e^x, which does not underflow.
func K0e(x any) *tensor.Tensor { return by1("k0e", special.K0e, x) }

// K1e returns K1(x) times e^x, which does not underflow.
func K1e(x any) *tensor.Tensor { return by1("k1e", special.K1e, x) }

// ExpI returns the exponential integral Ei, the principal value of the integral of e^t/t up to x, with an absolute
// error of 1e-15 next to its root at 0.37 and relative errors of 1e-14 elsewhere.
func ExpI(x any) *tensor.Tensor { return by1("expi", special.Expi, x) }

// Exp1 returns the exponential integral E1, the integral of e^-t/t from x on, for x from 0 on, with relative errors of
// 1e-14.
func Exp1(x any) *tensor.Tensor { return by1("exp1", special.Exp1, x) }
