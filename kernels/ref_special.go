package kernels

import "math"

// References of special functions. The device's code (special.h) is the same.

// horner is c0 + c1·x + c2·x² + …
func horner(x float64, c []float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = math.FMA(y, x, c[i])
	}
	return y
}

// besselI0 and besselI1 are the modified Bessel functions of the first kind, of the orders 0 and 1: their power series
// in (x/2)², and e^x/√x times a polynomial in 16/x - 1 for x > 8.

func besselI0(x float64) float64 {
	a := math.Abs(x)
	if a <= 8 {
		return horner(a*a/4, seriesI0)
	}
	return besselFar(a, tailI0)
}

func besselI1(x float64) float64 {
	a := math.Abs(x)
	if a <= 8 {
		return x / 2 * horner(a*a/4, seriesI1)
	}
	return math.Copysign(besselFar(a, tailI1), x)
}

func besselFar(a float64, tail []float64) float64 {
	if math.IsInf(a, 1) {
		return a
	}
	y := horner(16/a-1, tail) / math.Sqrt(a)
	if a > 700 { // the power alone overflows
		return math.Exp(a-16) * y * 8886110.520507872
	}
	return math.Exp(a) * y
}

// seriesI0 are 1/k!², seriesI1 are 1/(k!·(k+1)!).
var seriesI0, seriesI1 = func() (zero, one []float64) {
	c := 1.0
	for k := 1.0; k < 26; k++ {
		zero, one = append(zero, c), append(one, c/k)
		c /= k * k
	}
	return zero, one
}()

// Errors of the fits 3e-17.
var tailI0 = []float64{
	0x1.9bd428ad249a5p-2, 0x1.b87969bb93bcbp-9, 0x1.1daa72b5ccfadp-13, 0x1.75e5ee702e57ap-17,
	0x1.8e513c6a21829p-20, 0x1.3f49ac32e14bfp-22, 0x1.7d0cd4fd1f2b8p-24, 0x1.51ccdc47b6c77p-25,
	0x1.7288379f891f7p-26, 0x1.03bcdeab408e2p-27, -0x1.d72c8d3f0b6bcp-28, -0x1.cd5da3da6b614p-27,
	-0x1.58ce729fc478ap-28, 0x1.05248ba2f26ap-27, 0x1.c034e59a2db9bp-28, -0x1.ece52144ada18p-29,
	-0x1.3756a636aa04fp-28, 0x1.ba2352eb42f2p-30, 0x1.295fc465ff477p-29, -0x1.5be16a36a0dap-31,
	-0x1.650b3e7f898bp-31, 0x1.852f5d42d1ca3p-33, 0x1.90df137cc1a36p-34, -0x1.ada2c97f3fdddp-36,
}

var tailI1 = []float64{
	0x1.8ebe783a8403p-2, -0x1.3f796198ee63dp-7, -0x1.cbc54df1d28edp-13, -0x1.f89c2304c35d3p-17,
	-0x1.ec8e127b73a3fp-20, -0x1.761383996deap-22, -0x1.ad8afba84040bp-24, -0x1.727891f52aef6p-25,
	-0x1.91e870dc073a7p-26, -0x1.21ba2485afab4p-27, 0x1.d68fdf13b4f0fp-28, 0x1.e2d0791db759ap-27,
	0x1.7ee7fbfb39f9p-28, -0x1.0821c71098c2bp-27, -0x1.dd37812c1dd72p-28, 0x1.e14768d6db225p-29,
	0x1.475d4e2f2acfep-28, -0x1.a250a944e85b4p-30, -0x1.36f288e187d2ep-29, 0x1.42be4263f9ec5p-31,
	0x1.7455f3bd09231p-31, -0x1.6612a100e112cp-33, -0x1.a1752f6235857p-34, 0x1.8a72ab2fc6959p-36,
}

// Coefficients are those of references that loops over many elements share.
var Coefficients = struct{ SeriesI0, SeriesI1, TailI0, TailI1, LgammaNear2 []float64 }{
	seriesI0, seriesI1, tailI0, tailI1, lgammaNear2,
}

// digamma is the derivative of the logarithm of the gamma function: its asymptotic series for x ≥ 10, recurrence to
// there, and reflection of negative x.
func digamma(x float64) float64 {
	switch {
	case x == 0:
		return math.Copysign(math.Inf(1), -x)
	case x > 0:
		return digammaPositive(x)
	case math.Floor(x) == x:
		return math.NaN()
	}
	a := -x
	return digammaPositive(1+a) + math.Pi*sinPi(a+0.5)/sinPi(a)
}

func digammaPositive(x float64) float64 {
	sum := 0.0
	for ; x < 10; x++ {
		sum += 1 / x
	}
	z := 1 / (x * x)
	return math.Log(x) - 0.5/x - z*horner(z, seriesDigamma) - sum
}

// seriesDigamma are B(2k)/(2k) of the Bernoulli numbers B, and seriesTrigamma the numbers themselves.
var (
	seriesDigamma  = []float64{1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12, -3617. / 8160}
	seriesTrigamma = []float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510}
)

// trigamma is the derivative of digamma.
func trigamma(x float64) float64 {
	switch {
	case x == 0 || math.IsInf(x, -1) || x < 0 && math.Floor(x) == x:
		return math.Inf(1)
	case x > 0:
		return trigammaPositive(x)
	}
	s := math.Pi / sinPi(-x)
	return s*s - trigammaPositive(1-x)
}

func trigammaPositive(x float64) float64 {
	sum := 0.0
	for ; x < 10; x++ {
		sum += 1 / (x * x)
	}
	w := 1 / x
	z := w * w
	return sum + (w + (0.5*z + z*w*horner(z, seriesTrigamma)))
}

// lgamma is log |gamma(x)|, infinite at minus infinity as in C. That of package math is wrong by many units in the last
// place around 1.2.
func lgamma(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(x <= 0):
		return lgammaPositive(x)
	case math.IsInf(a, 1):
		return a
	case a < 0x1p-60:
		return -log(a)
	}
	s := math.Abs(sinPi(a))
	if s == 0 {
		return math.Inf(1)
	}
	return math.Log(math.Pi/(a*s)) - lgammaPositive(a)
}

// lgammaPositive is Stirling's series for x ≥ 10, (x-1)·(x-2) times a polynomial around 2, and recurrence to there.
func lgammaPositive(x float64) float64 {
	near := func(d float64) float64 { return d * (1 + d) * horner(d, lgammaNear2) } // at 2 + d
	switch {
	case x >= 10:
		w := 1 / x
		return math.FMA(x-0.5, math.Log(x)-1, math.FMA(w, horner(w*w, stirling), 0x1.acfe390c97d69p-2))
	case x < 0.5:
		return near(x) - log(x*(1+x))
	case x < 1.5:
		return near(x-1) - math.Log1p(x-1)
	}
	product := 1.0
	for x > 2.5 {
		x--
		product *= x
	}
	return near(x-2) + math.Log(product)
}

// stirling are B(2k)/(2k·(2k-1)) of the Bernoulli numbers B.
var stirling = []float64{
	1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156, -3617. / 122400,
}

// Error of the fit 2e-21.
var lgammaNear2 = []float64{
	0x1.b0ee6072093cep-2, -0x1.9ae6509ea109fp-4, 0x1.0e0c9df293531p-5, -0x1.95ce223a9cbbfp-7,
	0x1.47974853aa213p-8, -0x1.145121f99d76bp-9, 0x1.dfebcf8e73a62p-11, -0x1.a96a401085607p-12,
	0x1.7ed733b27982dp-13, -0x1.5c86b66b049c9p-14, 0x1.402f0e9261f12p-15, -0x1.285050b1644ccp-16,
	0x1.13e47cbb198e8p-17, -0x1.0230e4acc4e14p-18, 0x1.e542e8fed7e72p-20, -0x1.c9d6594c39e14p-21,
	0x1.b35874d2fec76p-22, -0x1.9d57d11b7854ep-23, 0x1.7241ec4833825p-24, -0x1.611c422be0cf7p-25,
	0x1.edf193c4af311p-26, -0x1.d9be2c366d43p-27,
}

// erfinv is the inverse of erf, by the quotients of polynomials in Wichura, The percentage points of the normal
// distribution, 1988.
func erfinv(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a == 1:
		return math.Copysign(math.Inf(1), x)
	case !(a < 1):
		return math.NaN()
	case a <= 0.85:
		r := math.FMA(-0.25*x, x, 0.180625)
		return x * horner(r, wichura[0][:]) / horner(r, wichura[1][:])
	}
	part, r := 2, math.Sqrt(math.Ln2-math.Log(1-a))-1.6
	if r > 3.4 {
		part, r = 4, r-3.4
	}
	return math.Copysign(horner(r, wichura[part][:])/horner(r, wichura[part+1][:]), x)
}

var wichura = [6][8]float64{
	{
		1.1975323115670912564578e0, 4.7072688112383978012285e1, 6.9706266534389598238465e2,
		4.8548868893843886794648e3, 1.6235862515167575384252e4, 2.3782041382114385731252e4,
		1.1819493347062294404278e4, 8.8709406962545514830200e2,
	},
	{
		1.0000000000000000000e0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
	},
	{
		1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
	},
	{
		1.4142135623730950488016887e0, 2.9036514445419946173133295e0, 2.3707661626024532365971225e0,
		9.7547832001787427186894837e-1, 2.0945065210512749128288442e-1, 2.1494160384252876777097297e-2,
		7.7441459065157709165577218e-4, 1.4859850019840355905497876e-9,
	},
	{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	},
	{
		1.414213562373095048801689e0, 8.482908416595164588112026e-1, 1.936480946950659106176712e-1,
		2.103693768272068968719679e-2, 1.112800997078859844711555e-3, 2.611088405080593625138020e-5,
		2.010321207683943062279931e-7, 2.891024605872965461538222e-15,
	},
}
