package special

import "github.com/gorocm/gorocm/tensor/internal/special/scalar"

// J0 and J1 return the Bessel functions of the first kind of the orders 0 and 1.
func J0(x array) array {
	return function{"j0", "bessel_j0", of1("bessel_j0", scalar.BesselJ0), []slope{
		func(g, _ array, x []array) array { return g.Mul(J1(x[0])).Neg() },
	}}.of(x)
}

func J1(x array) array {
	return function{"j1", "bessel_j1", of1("bessel_j1", scalar.BesselJ1), []slope{
		func(g, y array, x []array) array { return g.Mul(J0(x[0]).Sub(quotient(y, x[0]))) },
	}}.of(x)
}

// quotient is y/x, ½ where x is 0: of functions of order 1.
func quotient(y, x array) array { return x.Eq(0).WhereCond(0.5, y.Div(x)) }

// I0e and I1e return the modified Bessel functions of the first kind, times e^-|x|.
func I0e(x array) array {
	return function{"i0e", "bessel_i0e", of1("bessel_i0e", scalar.BesselI0e), []slope{
		func(g, y array, x []array) array { return g.Mul(I1e(x[0]).Sub(y.Mul(x[0].Sign()))) },
	}}.of(x)
}

func I1e(x array) array {
	return function{"i1e", "bessel_i1e", of1("bessel_i1e", scalar.BesselI1e), []slope{
		func(g, y array, x []array) array {
			return g.Mul(I0e(x[0]).Sub(quotient(y, x[0])).Sub(y.Mul(x[0].Sign())))
		},
	}}.of(x)
}

// K0e and K1e return the modified Bessel functions of the second kind, times e^x.
func K0e(x array) array {
	return function{"k0e", "bessel_k0e", of1("bessel_k0e", scalar.BesselK0e), []slope{
		func(g, y array, x []array) array { return g.Mul(y.Sub(K1e(x[0]))) },
	}}.of(x)
}

func K1e(x array) array {
	return function{"k1e", "bessel_k1e", of1("bessel_k1e", scalar.BesselK1e), []slope{
		func(g, y array, x []array) array { return g.Mul(y.Sub(K0e(x[0])).Sub(y.Div(x[0]))) },
	}}.of(x)
}
