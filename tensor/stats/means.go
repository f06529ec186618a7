package stats

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// moments returns the size, mean and variance of a sample.
func moments(x *tensor.Tensor) (n, mean, variance float64) {
	first := x.Narrow(0, 0, 1)
	d := x.Sub(first)
	return float64(x.Dim(0)), d.Mean().ToScalar() + first.ToVec1()[0], centred(d).Var().ToScalar()
}

// student is a t-test of a mean or a difference, with its standard error.
func student(difference, standardError, df, estimate float64, alternative Alternative) Test {
	t := Test{Name: "t", Statistic: difference / standardError, DF: df}
	t.P = alternative.tailOf(t.Statistic, func(x float64) float64 { return studentAbove(x, df) })
	t.Low, t.High = alternative.interval(estimate, standardError, df)
	return t
}

// TTest1Samp tests whether the mean of the population of x [n] is mean, as scipy.stats.ttest_1samp does. The interval
// is that of the mean.
func TTest1Samp(x *tensor.Tensor, mean float64, alternative Alternative) Test {
	n, m, variance := moments(vector("ttest_1samp", x, 2))
	return student(m-mean, math.Sqrt(variance/n), n-1, m, alternative)
}

// TTestRel tests whether pairs, the elements of x and y [n], have the same mean: the means are those of one sample
// measured twice, as in scipy.stats.ttest_rel.
func TTestRel(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "ttest_rel"
	pairs(op, x, y)
	return TTest1Samp(vector(op, x, 2).Sub(vector(op, y, 2)), 0, alternative)
}

// TTestInd tests whether the populations of two independent samples x [n] and y [m] have the same mean, as
// scipy.stats.ttest_ind does. equalVariances takes the variances of the populations for equal; otherwise it is Welch's
// test. The interval is that of the difference of the means.
func TTestInd(x, y *tensor.Tensor, equalVariances bool, alternative Alternative) Test {
	const op = "ttest_ind"
	n, mx, vx := moments(vector(op, x, 2))
	m, my, vy := moments(vector(op, y, 2))
	a, b := vx/n, vy/m
	df, standardError := (a+b)*(a+b)/(a*a/(n-1)+b*b/(m-1)), math.Sqrt(a+b)
	if a+b == 0 { // of equal elements
		df = 1
	}
	if equalVariances {
		df = n + m - 2
		standardError = math.Sqrt(((n-1)*vx + (m-1)*vy) / df * (1/n + 1/m))
	}
	return student(mx-my, standardError, df, mx-my, alternative)
}

// FOneway tests whether the populations of two samples or more have the same mean: the one-way analysis of variance of
// scipy.stats.f_oneway.
func FOneway(samples ...*tensor.Tensor) Test {
	const op = "f_oneway"
	groups(op, samples)
	total, sum := 0.0, 0.0
	origin := vector(op, samples[0], 1).Narrow(0, 0, 1) // so that equal elements are 0
	for _, x := range samples {
		v := vector(op, x, 1).Sub(origin)
		total, sum = total+float64(v.Dim(0)), sum+v.Sum().ToScalar()
	}
	mean, between, within := sum/total, 0.0, 0.0
	for _, x := range samples {
		n, m, _ := moments(vector(op, x, 1).Sub(origin))
		between += n * (m - mean) * (m - mean)
		within += centred(vector(op, x, 1)).Sqr().Sum().ToScalar()
	}
	t := Test{Name: "F", DF: float64(len(samples) - 1), DF2: total - float64(len(samples))}
	t.Statistic = between / t.DF / (within / t.DF2)
	t.P = fAbove(t.Statistic, t.DF, t.DF2)
	return t
}

func groups(op string, samples []*tensor.Tensor) {
	if len(samples) < 2 {
		extend.Fail(op, tensor.ErrShape, samples, "", "want two samples or more, not %d", len(samples))
	}
}
