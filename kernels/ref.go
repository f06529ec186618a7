package kernels

import (
	"math"
	"slices"
)

// Host references that need more than an expression.

func same[T int64 | uint64](x T) T { return x }

func absInt(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// log is math.Log, corrected for subnormal numbers, for which math.Log is wrong on amd64.
func log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// logistic is x/(1 + exp(-v)) in the limits too: 0 for x = v = -Inf.
func logistic(x, v float64) float64 {
	if v < 0 {
		e := math.Exp(v)
		switch {
		case v < -760:
			return math.Copysign(0, x)
		case v < -700: // e is subnormal or nearly so: take its root to x first
			root := math.Exp(v / 2)
			return x * root * root
		}
		return x * e / (1 + e)
	}
	return x / (1 + math.Exp(-v))
}

// The constants of gelu, each as a float64 and what it leaves: A = 2·√(2/π), B = 0.044715·A and √½.
const (
	geluA, geluALow       = 1.5957691216057308, -9.96930880911092e-17
	geluB, geluBLow       = 0.07135481627260025, -6.175149918155315e-19
	rootHalf, rootHalfLow = math.Sqrt2 / 2, -4.833646656726457e-17
)

// geluTanh is x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) as x/(1 + exp(-v)) with v = x·(A + B·x²), which does not cancel
// for x < 0. The rounding error of v, which would be visible in the tail, is compensated.
func geluTanh(x float64) float64 {
	if math.Abs(x) > 64 {
		return max(x, math.Copysign(0, x))
	}
	s, sLow := product(x, x)
	m, mLow := product(geluB, s)
	q := m + geluA
	t := q - m
	qLow := (m - (q - t)) + (geluA - t) + (mLow + geluB*sLow + geluBLow*s + geluALow)
	v, vLow := product(x, q)
	vLow += x * qLow
	switch {
	case v < -700: // the power is subnormal or nearly so: take its root to x first
		root := math.Exp(v / 2)
		return x * root * (1 + vLow) * root
	case v < 0:
		e := math.Exp(v) * (1 + vLow)
		return x * e / (1 + e)
	}
	return x / (1 + math.Exp(-v)*(1-vLow))
}

// geluErf is x/2·erfc(a) with a = -x/√2. The rounding error of a is compensated with the derivative of erfc.
func geluErf(x float64) float64 {
	if math.Abs(x) > 42 {
		return max(x, math.Copysign(0, x))
	}
	a, lost := product(-x, rootHalf)
	lost -= x * rootHalfLow
	return x / 2 * (math.Erfc(a) - 2/math.SqrtPi*math.Exp(-a*a)*lost)
}

// product returns a·b in two parts. The conversion forces rounding: without it, a compiler may fuse the multiplication
// with an addition to p.
func product(a, b float64) (p, low float64) {
	p = float64(a * b)
	return p, math.FMA(a, b, -p)
}

func elu(x, alpha float64) float64 {
	if x > 0 {
		return x
	}
	return alpha * math.Expm1(x)
}

// sumFloat adds with Neumaier's compensation, so that it can judge sums made in any order.
func sumFloat(row []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, x := range row {
		t := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - t) + x
		} else {
			lost += (x - t) + sum
		}
		sum = t
	}
	if math.IsNaN(lost) || math.IsInf(lost, 0) { // of an infinity: the plain sum is right
		return sum
	}
	return sum + lost
}

func sumInt(row []int64) (sum int64) {
	for _, x := range row {
		sum += x
	}
	return sum
}

func prodFloat(row []float64) float64 {
	product := 1.0
	for _, x := range row {
		product *= x
	}
	return product
}

func prodInt(row []int64) int64 {
	product := int64(1)
	for _, x := range row {
		product *= x
	}
	return product
}

func anyFloat(row []float64) float64 {
	return float64(truth(slices.ContainsFunc(row, func(x float64) bool { return x != 0 })))
}

func allFloat(row []float64) float64 { return float64(truth(!slices.Contains(row, 0))) }

func anyInt(row []int64) int64 {
	return truth(slices.ContainsFunc(row, func(x int64) bool { return x != 0 }))
}

func allInt(row []int64) int64 { return truth(!slices.Contains(row, 0)) }

// truth is 1 for true.
func truth(x bool) int64 {
	if x {
		return 1
	}
	return 0
}

func maxFloat(row []float64) float64 { return row[int(argmaxFloat(row))] }
func minFloat(row []float64) float64 { return row[int(argminFloat(row))] }

func argmaxFloat(row []float64) float64 {
	return float64(argBest(row, func(a, b float64) bool { return a > b || a != a && b == b }))
}

func argminFloat(row []float64) float64 {
	return float64(argBest(row, func(a, b float64) bool { return a < b || a != a && b == b }))
}

func argmaxInt[T int64 | uint64](row []T) T {
	return T(argBest(row, func(a, b T) bool { return a > b }))
}

func argminInt[T int64 | uint64](row []T) T {
	return T(argBest(row, func(a, b T) bool { return a < b }))
}

// argBest returns the index of the first best element. The row is not empty.
func argBest[T any](row []T, beats func(a, b T) bool) int64 {
	best := 0
	for i := range row {
		if beats(row[i], row[best]) {
			best = i
		}
	}
	return int64(best)
}
