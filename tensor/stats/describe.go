package stats

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// ZScore returns the elements of x less their mean, divided by their standard deviation with a correction, along a dim:
// of a population for 0, as in scipy.stats.zscore, of a sample for 1. Elements that are all equal give NaN.
func ZScore(x *tensor.Tensor, correction, dim int) *tensor.Tensor {
	w, dt := extend.Precise(x)
	d := centred(w, dim)
	return d.Div(d.StdWithKeepDim(correction, dim)).ToDType(dt)
}

// centred returns the elements less their mean over dims, and over all without any. It is that of their distances from
// the first element, so that equal elements become 0, whose mean may round to another number, and that those far from 0
// keep their digits.
func centred(w *tensor.Tensor, dims ...int) *tensor.Tensor {
	if w.ElemCount() == 0 {
		return w
	}
	first := w.Detach()
	for d := range w.Rank() {
		if len(dims) == 0 || slices.ContainsFunc(dims, func(dim int) bool { return w.NormalizeAxis(dim) == d }) {
			first = first.Narrow(d, 0, 1)
		}
	}
	w = w.Sub(first)
	return w.Sub(w.MeanKeepDim(dims...))
}

// Moment returns the central moment of an order over dims, and over all without any: the mean of powers of the distance
// from the mean.
func Moment(x *tensor.Tensor, order int, dims ...int) *tensor.Tensor {
	if order < 0 {
		extend.Fail("moment", tensor.ErrValue, []*tensor.Tensor{x}, "", "the order is %d: want one from 0 on", order)
	}
	w, dt := extend.Precise(x)
	return moment(w, order, dims).ToDType(dt)
}

func moment(w *tensor.Tensor, order int, dims []int) *tensor.Tensor {
	d := centred(w, dims...)
	power := d.OnesLike()
	for range order {
		power = power.Mul(d)
	}
	return power.Mean(dims...)
}

// Skew returns the skewness over dims, and over all without any: the third central moment divided by the standard
// deviation of a population cubed, as scipy.stats.skew does. Elements that are all equal give NaN.
func Skew(x *tensor.Tensor, dims ...int) *tensor.Tensor {
	w, dt := extend.Precise(x)
	s := moment(w, 2, dims)
	return moment(w, 3, dims).Div(s.Mul(s.Sqrt())).ToDType(dt)
}

// Kurtosis returns Fisher's kurtosis over dims, and over all without any: the fourth central moment divided by the
// squared variance of a population, less 3, which makes it 0 for normal populations. Elements that are all equal give
// NaN.
func Kurtosis(x *tensor.Tensor, dims ...int) *tensor.Tensor {
	w, dt := extend.Precise(x)
	return moment(w, 4, dims).Div(moment(w, 2, dims).Sqr()).Sub(3).ToDType(dt)
}

// SEM returns the standard error of the mean over dims, and over all without any: the standard deviation of a sample
// divided by the root of its size.
func SEM(x *tensor.Tensor, dims ...int) *tensor.Tensor {
	w, dt := extend.Precise(x)
	std := centred(w, dims...).Std(dims...)
	n := w.Detach().OnesLike().Sum(dims...)
	return std.Div(n.Sqrt()).ToDType(dt)
}

// IQR returns the interquartile range over dims, and over all without any: the distance of the quantiles 0.75 and 0.25.
func IQR(x *tensor.Tensor, dims ...int) *tensor.Tensor {
	w, dt := extend.Precise(x)
	return w.Quantile(0.75, dims...).Sub(w.Quantile(0.25, dims...)).ToDType(dt)
}

// PercentileOfScore returns the percentile rank of a number among the elements of x: what part of them is at most that
// large, in percent, and the mean of the ranks of equal ones, as scipy.stats.percentileofscore does.
func PercentileOfScore(x *tensor.Tensor, score float64) float64 {
	v := vector("percentileofscore", x.FlattenAll(), 1)
	below, upTo := v.Lt(score).Sum().ToScalar(), v.Le(score).Sum().ToScalar()
	if upTo > below {
		upTo++
	}
	return 50 * (below + upTo) / float64(v.Dim(0))
}
