package stats

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// KS1Samp tests whether a sample x [n] is of a continuous distribution, given by its distribution function of a tensor,
// such as the method CDF of a distribution: the test of Kolmogorov and Smirnov in scipy.stats.ks_1samp. The statistic
// is the largest distance of the distribution functions; with Less and Greater only where that of the sample is below,
// or above. P is exact up to 140 elements and for one-sided alternatives; beyond, it is that of Simard and L'Ecuyer's
// methods for large samples, with five digits or more.
func KS1Samp(x *tensor.Tensor, cdf func(x any) *tensor.Tensor, alternative Alternative) Test {
	const op = "ks_1samp"
	v := vector(op, x, 1)
	sorted, _ := v.SortLastDim(true)
	y := cdf(sorted)
	if y.ElemCount() != v.ElemCount() {
		extend.Shape(op, []*tensor.Tensor{x, y}, "the distribution function has the shape %v for %v", y.Dims(), x.Dims())
	}
	n := v.Dim(0)
	above, below := math.Inf(-1), math.Inf(-1)
	for i, p := range y.Detach().Float64s() {
		if p != p {
			return Test{Name: "D", Statistic: p, P: p}
		}
		above, below = max(above, float64(i+1)/float64(n)-p), max(below, p-float64(i)/float64(n))
	}
	t := Test{Name: "D", Exact: true}
	switch alternative {
	case Greater:
		t.Statistic, t.P = above, smirnov(n, above)
	case Less:
		t.Statistic, t.P = below, smirnov(n, below)
	default:
		t.Statistic = max(above, below)
		t.P, t.Exact = kolmogorov(n, t.Statistic)
	}
	return t
}

// smirnov is the probability that the distance to one side is d or more.
func smirnov(n int, d float64) float64 {
	if d <= 0 {
		return 1
	}
	size, sum := float64(n), 0.0
	for j := 0; j <= int(math.Floor(size*(1-d))) && j <= n; j++ {
		k := float64(j)
		left, right := d+k/size, 1-d-k/size
		if right < 0 {
			continue
		}
		l := logChoose(n, j) + (k-1)*math.Log(left)
		if j < n {
			l += (size - k) * math.Log(right)
		}
		sum += math.Exp(l)
	}
	return min(d*sum, 1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// kolmogorov is the probability that the larger distance is d or more, and whether it is exact. Which method has enough
// digits where is that of Simard and L'Ecuyer, Computing the two-sided Kolmogorov-Smirnov distribution, 2011.
func kolmogorov(n int, d float64) (p float64, exact bool) {
	x := float64(n) * d * d
	switch {
	case d >= 1:
		return 0, true
	case float64(n)*d <= 0.5:
		return 1, true
	case d >= 0.5:
		return min(2*smirnov(n, d), 1), true
	case n <= 140 && x <= 4 || float64(n)*math.Pow(x, 1.5) <= 1.4 && n <= 100000:
		return 1 - marsaglia(n, d), true
	case x >= 4 || n > 140 && x >= 2.2: // both distances are hardly ever that large
		return min(2*smirnov(n, d), 1), n <= 140
	}
	return 1 - pelzGood(float64(n), d), false
}

// marsaglia is the probability of a distance below d, an element of a power of a matrix (Marsaglia, Tsang, Wang,
// Evaluating Kolmogorov's distribution, 2003).
func marsaglia(n int, d float64) float64 {
	k := int(float64(n)*d) + 1
	m, h := 2*k-1, float64(k)-float64(n)*d
	a := make([]float64, m*m)
	for i := range m {
		for j := range m {
			if i-j+1 >= 0 {
				a[i*m+j] = 1
			}
		}
	}
	for i := range m {
		a[i*m] -= math.Pow(h, float64(i+1))
		a[(m-1)*m+i] -= math.Pow(h, float64(m-i))
	}
	if 2*h-1 > 0 {
		a[(m-1)*m] += math.Pow(2*h-1, float64(m))
	}
	for i := range m {
		for j := range m {
			for g := 1; g <= i-j+1; g++ {
				a[i*m+j] /= float64(g)
			}
		}
	}
	power, exponent := matrixPower(a, m, n)
	s := power[(k-1)*m+k-1]
	for i := 1; i <= n; i++ {
		s *= float64(i) / float64(n)
		if s < 1e-140 {
			s, exponent = s*1e140, exponent-140
		}
	}
	return min(s*math.Pow(10, float64(exponent)), 1)
}

// matrixPower is a power of a matrix [m m] with a common factor 10^exponent.
func matrixPower(a []float64, m, n int) (power []float64, exponent int) {
	if n == 1 {
		return a, 0
	}
	half, e := matrixPower(a, m, n/2)
	power, exponent = product(half, half, m), 2*e
	if n%2 == 1 {
		power = product(a, power, m)
	}
	if power[m/2*m+m/2] > 1e140 {
		for i := range power {
			power[i] *= 1e-140
		}
		exponent += 140
	}
	return power, exponent
}

func product(a, b []float64, m int) []float64 {
	c := make([]float64, m*m)
	for i := range m {
		for k := range m {
			if x := a[i*m+k]; x != 0 {
				for j := range m {
					c[i*m+j] += x * b[k*m+j]
				}
			}
		}
	}
	return c
}

// pelzGood is the probability of a distance below d, by the series of Pelz and Good, Approximating the lower
// tail-areas of the Kolmogorov-Smirnov one-sample statistic, 1976.
func pelzGood(n, d float64) float64 {
	z := d * math.Sqrt(n)
	z2, pi2 := z*z, math.Pi*math.Pi
	z4, z6 := z2*z2, z2*z2*z2
	var k0, k1, k2, k3, whole2, whole3 float64
	for k := 25; k >= 0; k-- {
		h := pi2 * (float64(k) + 0.5) * (float64(k) + 0.5)
		e := math.Exp(-h / (2 * z2))
		k0 += e
		k1 += (h - z2) * e
		k2 += (6*z6 + 2*z4 + h*(2*z4-5*z2) + h*h*(1-2*z2)) * e
		k3 += (h*h*h*(5-30*z2) + h*h*(-60*z2+212*z4) + h*(135*z4-96*z6) - (30*z6 + 90*z4*z4)) * e
		w := pi2 * float64(k*k)
		e = math.Exp(-w / (2 * z2))
		whole2 += w * e
		whole3 += (-w*w + 3*w*z2) * e
	}
	root := 2 * math.Sqrt(math.Pi/2) // each term stands for two
	k0 *= math.Sqrt(2*math.Pi) / z
	k1 *= root / (6 * z4)
	k2 = k2*root/(72*z6*z) - whole2*root/(36*z2*z)
	k3 = k3*root/(6480*z6*z4) + whole3*root/(108*z6)
	return min(max(k0+(k1+(k2+k3/math.Sqrt(n))/math.Sqrt(n))/math.Sqrt(n), 0), 1)
}

// KS2Samp tests whether samples x [n] and y [m] are of one continuous distribution, as scipy.stats.ks_2samp does. The
// statistic is as in KS1Samp, with y's distribution function. P is exact up to 10,000 elements.
func KS2Samp(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "ks_2samp"
	a, hasNaN := values(op, x, 1)
	b, otherNaN := values(op, y, 1)
	if hasNaN || otherNaN {
		return Test{Name: "D", Statistic: math.NaN(), P: math.NaN()}
	}
	slices.Sort(a)
	slices.Sort(b)
	n, m := len(a), len(b)
	above, below := 0, 0 // the distances times n·m
	for i, j := 0, 0; i < n && j < m; {
		v := min(a[i], b[j])
		for i < n && a[i] == v {
			i++
		}
		for j < m && b[j] == v {
			j++
		}
		above, below = max(above, i*m-j*n), max(below, j*n-i*m)
	}
	most := max(above, below)
	if alternative == Less {
		most = below
	} else if alternative == Greater {
		most = above
	}
	t := Test{Name: "D", Statistic: float64(most) / float64(n) / float64(m)}
	if max(n, m) <= 10000 {
		t.Exact, t.P = true, pathsOutside(n, m, most, alternative)
		return t
	}
	size := float64(n) / float64(n+m) * float64(m)
	if alternative == TwoSided {
		t.P, _ = kolmogorov(int(math.Round(size)), t.Statistic)
		return t
	}
	p, q := float64(max(n, m)), float64(min(n, m)) // Hodges's correction
	z := math.Sqrt(size) * t.Statistic
	t.P = math.Exp(-2*z*z - 2*z*(p+2*q)/math.Sqrt(p*q*(p+q))/3)
	return t
}

// pathsOutside is the probability that a random order of n and m elements has a distance of most/(n·m) or more.
func pathsOutside(n, m, most int, alternative Alternative) float64 {
	if most == 0 {
		return 1
	}
	if alternative == Less {
		n, m = m, n
	}
	row := make([]float64, m+1) // the probabilities that paths to (i, j) have been outside
	for i := range n + 1 {
		for j := range m + 1 {
			d := i*m - j*n
			switch {
			case d >= most || alternative == TwoSided && d <= -most:
				row[j] = 1
			case i == 0 && j == 0:
				row[j] = 0
			case i == 0:
				row[j] = row[j-1]
			case j > 0:
				row[j] = (row[j]*float64(i) + row[j-1]*float64(j)) / float64(i+j)
			}
		}
	}
	return row[m]
}
