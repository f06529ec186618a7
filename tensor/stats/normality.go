package stats

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// Shapiro tests whether a sample x [n] of 3 to 5,000 elements is normal: the test of Shapiro and Wilk in
// scipy.stats.shapiro, by Royston's approximation (Algorithm AS R94, 1995). It panics with ErrValue for more elements.
func Shapiro(x *tensor.Tensor) Test {
	const op, most = "shapiro", 5000
	list, hasNaN := values(op, x, 3)
	n := len(list)
	if n > most {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "stats.NormalTest(x) is for large samples",
			"%d elements: the approximation holds up to %d", n, most)
	}
	if hasNaN {
		return Test{Name: "W", Statistic: math.NaN(), P: math.NaN()}
	}
	slices.Sort(list)
	a := shapiroWeights(n)
	mean, span := 0.0, list[n-1]-list[0]
	if span == 0 {
		return Test{Name: "W", Statistic: 1, P: 1}
	}
	for _, v := range list {
		mean += (v - list[0]) / span / float64(n)
	}
	var sa, sx, sax float64
	for i, v := range list {
		d, w := (v-list[0])/span-mean, 0.0
		if j := n - 1 - i; i < len(a) {
			w = -a[i]
		} else if j < len(a) {
			w = a[j]
		}
		sa, sx, sax = sa+w*w, sx+d*d, sax+w*d
	}
	root := math.Sqrt(sa * sx)
	less := (root - sax) * (root + sax) / (sa * sx) // 1 - W
	t := Test{Name: "W", Statistic: 1 - less}
	if n == 3 {
		t.P = max(0, 6/math.Pi*(math.Asin(math.Sqrt(t.Statistic))-math.Asin(math.Sqrt(0.75))))
		return t
	}
	y, l := math.Log(less), math.Log(float64(n))
	var m, s float64
	if n <= 11 {
		gamma := horner(float64(n), -2.273, 0.459)
		if y >= gamma {
			return t // P is 0
		}
		y = -math.Log(gamma - y)
		m = horner(float64(n), 0.544, -0.39978, 0.025054, -6.714e-4)
		s = math.Exp(horner(float64(n), 1.3822, -0.77857, 0.062767, -0.0020322))
	} else {
		m = horner(l, -1.5861, -0.31082, -0.083751, 0.0038915)
		s = math.Exp(horner(l, -0.4803, -0.082676, 0.0030302))
	}
	t.P = normalAbove((y - m) / s)
	return t
}

// shapiroWeights are the weights of the first half of the sorted elements, with the sign of the second.
func shapiroWeights(n int) []float64 {
	if n == 3 {
		return []float64{math.Sqrt(0.5)}
	}
	a, sum := make([]float64, n/2), 0.0
	for i := range a {
		a[i] = -scalar.Ndtri((float64(i+1) - 0.375) / (float64(n) + 0.25))
		sum += 2 * a[i] * a[i]
	}
	r, root := 1/math.Sqrt(float64(n)), math.Sqrt(sum)
	first := horner(r, a[0]/root, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
	exact, rest := 1, (sum-2*a[0]*a[0])/(1-2*first*first)
	if n > 5 {
		second := horner(r, a[1]/root, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
		exact, rest = 2, (sum-2*a[0]*a[0]-2*a[1]*a[1])/(1-2*first*first-2*second*second)
		a[1] = second
	}
	a[0] = first
	for i := exact; i < len(a); i++ {
		a[i] /= math.Sqrt(rest)
	}
	return a
}

func horner(x float64, c ...float64) (y float64) {
	for i := len(c) - 1; i >= 0; i-- {
		y = y*x + c[i]
	}
	return y
}

// NormalTest tests whether a sample x [n] is normal by its skewness and kurtosis: the test of D'Agostino and Pearson in
// scipy.stats.normaltest, for 8 elements or more.
func NormalTest(x *tensor.Tensor) Test {
	v := vector("normaltest", x, 8)
	n, s, k := float64(v.Dim(0)), Skew(v).ToScalar(), Kurtosis(v).ToScalar()
	y := s * math.Sqrt((n+1)*(n+3)/(6*(n-2)))
	beta := 3 * (n*n + 27*n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
	w2 := -1 + math.Sqrt(2*(beta-1))
	zs := math.Asinh(y/math.Sqrt(2/(w2-1))) / math.Sqrt(0.5*math.Log(w2))

	z := (k + 3 - 3*(n-1)/(n+1)) /
		math.Sqrt(24*n*(n-2)*(n-3)/((n+1)*(n+1)*(n+3)*(n+5)))
	third := 6 * (n*n - 5*n + 2) / ((n + 7) * (n + 9)) * math.Sqrt(6*(n+3)*(n+5)/(n*(n-2)*(n-3)))
	a := 6 + 8/third*(2/third+math.Sqrt(1+4/(third*third)))
	d := 1 + z*math.Sqrt(2/(a-4))
	zk := (1 - 2/(9*a) - math.Copysign(math.Pow((1-2/a)/math.Abs(d), 1.0/3), d)) / math.Sqrt(2/(9*a))
	t := Test{Name: "K²", Statistic: zs*zs + zk*zk, DF: 2}
	t.P = chiSquareAbove(t.Statistic, 2)
	return t
}

// JarqueBera tests whether a large sample x [n] is normal by its skewness and kurtosis, as scipy.stats.jarque_bera
// does.
func JarqueBera(x *tensor.Tensor) Test {
	v := vector("jarque_bera", x, 2)
	s, k := Skew(v).ToScalar(), Kurtosis(v).ToScalar()
	t := Test{Name: "JB", Statistic: float64(v.Dim(0)) / 6 * (s*s + k*k/4), DF: 2}
	t.P = chiSquareAbove(t.Statistic, 2)
	return t
}
