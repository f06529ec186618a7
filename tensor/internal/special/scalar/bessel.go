package scalar

import "math"

// BesselJ0 and BesselJ1 are the Bessel functions of the first kind: polynomials in x² up to 4 and up to 8, the factors
// of Hankel's expansion as polynomials in 1/x² beyond, each with the coefficients of an expansion in Chebyshev
// polynomials.

func BesselJ0(x float64) float64 {
	a := math.Abs(x)
	z := x * x
	if !(a > 4) {
		return 1 + z*poly(0.125*z-1, -0.14956851190880852, 0.0788235151886729, -0.018882504919796563,
			0.002503496980590878, -0.00020940940433267192, 1.204013724667513e-05, -5.04919758891858e-07,
			1.6127011554094467e-08, -4.054107675918209e-10, 8.230827412688205e-12, -1.3778943761572954e-13,
			1.9355417643125736e-15, -2.3122242541461808e-17)
	}
	if a <= 8 {
		return poly((z-40)/24, 0.22884381861489356, 0.38275938851646063, -0.5267466900617466, -0.01895695708517774,
			0.16655463770685366, -0.0765339738239579, 0.01828043038715881, -0.0028413092999127376,
			0.00031651685755636433, -2.6743525705695655e-05, 1.7808295981199985e-06, -9.611892938836223e-08,
			4.29730839874188e-09, -1.6193080525051436e-10, 5.230931989699606e-12, -1.457354692537965e-13)
	}
	if a > math.MaxFloat64 {
		return 0
	}
	t := 8 / a
	t = 2*t*t - 1
	s := math.Sin(a)
	c := math.Cos(a)
	p := poly(t, 0.9994572757882519, -0.0005363673192130047, 6.137416080109497e-06, -2.0527448156307146e-07,
		1.280376144080092e-08, -1.2121182069774233e-09, 1.5500565496632596e-10, -2.4882702786880542e-11,
		4.786995821368028e-12, -1.0636861151667625e-12, 2.4531772967345006e-13, -6.416781008015415e-14,
		3.339452259070809e-14, -1.180002783020184e-14)
	q := poly(t, -0.12444091103610816, 0.0005466519279475266, -1.1817110660715592e-05, 5.684971881753781e-07,
		-4.5349736139769986e-08, 5.146231602705606e-09, -7.57586453075858e-10, 1.3623497617833053e-10,
		-2.8840344824996496e-11, 6.951785915752245e-12, -1.6783779045026498e-12, 4.605060470396763e-13,
		-2.7338449247237154e-13, 1.0185094098694355e-13) / a
	return (p*(c+s) - q*(s-c)) / math.Sqrt(math.Pi*a)
}

func BesselJ1(x float64) float64 {
	a := math.Abs(x)
	z := x * x
	if !(a > 4) {
		return x * poly(0.125*z-1, 0.14148999344027124, -0.23976404107550536, 0.0982740476352341,
			-0.01835270061006565, 0.001973692670859966, -0.00013842260985339657, 6.843098462736768e-06,
			-2.5154561259096733e-07, 7.149238905911871e-09, -1.6186075180699704e-10, 2.9888026365266417e-12,
			-4.5901146303500886e-14, 5.950227440896051e-16)
	}
	if a <= 8 {
		return x * poly((z-40)/24, -0.031896615709705055, 0.0877911150102911, 0.004739239271294435,
			-0.05551821256895132, 0.031889155759982454, -0.009140215193578239, 0.0016574304249491192,
			-0.00021101123837701083, 2.0057644279202123e-05, -1.4840246488299226e-06, 8.810901871738669e-08,
			-4.297331472667997e-09, 1.7542495126116402e-10, -6.0861880923088505e-12, 1.821963397138698e-13,
			-4.733113049721122e-15)
	}
	if a > math.MaxFloat64 {
		return 0
	}
	t := 8 / a
	t = 2*t*t - 1
	s := math.Sin(a)
	c := math.Cos(a)
	p := poly(t, 1.0009070262780821, 0.0008988049416705579, -7.9596946984383e-06, 2.4536766222672443e-07,
		-1.4708512991275258e-08, 1.3603058049468316e-09, -1.713107485294131e-10, 2.720406848040165e-11,
		-5.191158004646548e-12, 1.1462229852806783e-12, -2.6335760672461096e-13, 6.864486664846182e-14,
		-3.5455617466606254e-14, 1.2489929194563941e-14)
	q := poly(t, 0.3742149922195918, -0.0007697167057643706, 1.4569614809339924e-05, -6.633568561050814e-07,
		5.136106815451932e-08, -5.720890888840857e-09, 8.315586321594619e-10, -1.4816588916791194e-10,
		3.1143942213346517e-11, -7.465104477698295e-12, 1.796964474573459e-12, -4.91574062967655e-13,
		2.8960940831153833e-13, -1.0759215471978615e-13) / a
	return math.Copysign(1, x) * (p*(s-c) + q*(s+c)) / math.Sqrt(math.Pi*a)
}

// BesselI0e and BesselI1e are the modified Bessel functions of the first kind times e^-|x|.

func BesselI0e(x float64) float64 {
	a := math.Abs(x)
	if a <= 100 {
		return i0(a) * math.Exp(-a)
	}
	return modified(0, a, -1) / math.Sqrt(2*math.Pi*a)
}

func BesselI1e(x float64) float64 {
	a := math.Abs(x)
	if a <= 100 {
		return i1(x) * math.Exp(-a)
	}
	return math.Copysign(modified(1, a, -1)/math.Sqrt(2*math.Pi*a), x)
}

// modified is the asymptotic series of modified Bessel functions.
func modified(order, x, sign float64) float64 {
	term := 1.0
	sum := 1.0
	for k := 1.0; k < 30; k++ {
		term *= sign * (4*order*order - (2*k-1)*(2*k-1)) / (8 * k * x)
		sum += term
		if math.Abs(term) < 1e-18 {
			break
		}
	}
	return sum
}

// BesselK0e and BesselK1e are the modified Bessel functions of the second kind times e^x, for x from 0 on: power
// series up to 2, integrals over exp(-x·cosh t) up to 30.

func BesselK0e(x float64) float64 {
	if x == 0 {
		return math.Inf(1)
	}
	if !(x > 0) {
		return math.NaN()
	}
	if x <= 2 {
		z := 0.25 * x * x
		term := 1.0
		harmonic := 0.0
		sum := 0.0
		for k := 1.0; k < 16; k++ {
			term *= z / (k * k)
			harmonic += 1 / k
			sum += term * harmonic
		}
		return math.Exp(x) * (sum - (log(0.5*x)+euler)*i0(x))
	}
	return besselKFar(0, x)
}

func BesselK1e(x float64) float64 {
	if x == 0 {
		return math.Inf(1)
	}
	if !(x > 0) {
		return math.NaN()
	}
	if x <= 2 {
		z := 0.25 * x * x
		term := 1.0
		harmonic := 1 - 2*euler // ψ(k+1) + ψ(k+2)
		sum := harmonic
		for k := 1.0; k < 16; k++ {
			term *= z / (k * (k + 1))
			harmonic += 1/k + 1/(k+1)
			sum += term * harmonic
		}
		return math.Exp(x) * (1/x + log(0.5*x)*i1(x) - 0.25*x*sum)
	}
	return besselKFar(1, x)
}

func besselKFar(order, x float64) float64 {
	if x > 30 {
		if x > math.MaxFloat64 {
			return 0
		}
		return math.Sqrt(0.5*math.Pi/x) * modified(order, x, 1)
	}
	sum := 0.5
	for k := 1.0; k < 40; k++ {
		e := math.Exp(0.125 * k)
		above := 0.5*(e+1/e) - 1
		term := math.Exp(-x * above)
		if order > 0 {
			term *= 1 + above
		}
		sum += term
	}
	return 0.125 * sum
}
