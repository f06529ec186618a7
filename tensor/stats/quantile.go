package stats

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Rule says which quantile lies between two elements: those of NumPy's argument method, after Hyndman and Fan, Sample
// quantiles in statistical packages, 1996.
type Rule int

const (
	Linear                  Rule = iota // of Tensor.Quantile: positions q·(n-1), as R's type 7
	InvertedCDF                         // the smallest element with a part of q at most that large: type 1
	AveragedInvertedCDF                 // type 2
	ClosestObservation                  // type 3
	InterpolatedInvertedCDF             // type 4
	Hazen                               // type 5
	Weibull                             // positions q·(n+1): type 6
	MedianUnbiased                      // type 8, the best one where the distribution is unknown
	NormalUnbiased                      // type 9, for normal distributions
	Lower                               // the element below the position of Linear
	Higher                              // the one above
	Midpoint                            // the mean of both
	Nearest                             // the nearer one
)

// Quantile returns the quantile q, from 0 to 1, over dims, and over all without any, by a rule. NaN among the elements
// makes it NaN. It has gradients. It panics with ErrValue for other numbers q and for no elements.
func Quantile(x *tensor.Tensor, q float64, rule Rule, dims ...int) *tensor.Tensor {
	const op = "quantile"
	if !(q >= 0 && q <= 1) {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "the quantile is %v: want a number from 0 to 1", q)
	}
	if rule < Linear || rule > Nearest {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there is no rule %d", rule)
	}
	w, dt := extend.Precise(x)
	w = lastDims(w, dims)
	n := w.Dim(-1)
	if n == 0 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there are no elements")
	}
	sorted, _ := w.SortLastDim(true)
	at, part := rule.position(float64(n), q)
	at = min(max(at, 0), float64(n-1))
	y := sorted.Narrow(-1, int(at), 1).Squeeze(sorted.Rank() - 1)
	if next := int(at) + 1; part > 0 && next < n {
		high := sorted.Narrow(-1, next, 1).Squeeze(sorted.Rank() - 1)
		switch {
		case part == 1:
			y = high
		default:
			infinite := y.IsInf().Or(high.IsInf())
			y = infinite.WhereCond(y.Add(high), y.Lerp(high, part))
		}
	}
	nan := w.IsNaN().Any(-1)
	return nan.WhereCond(math.NaN(), y).ToDType(dt)
}

// lastDims returns x with some of its dims, or all, as the last one.
func lastDims(x *tensor.Tensor, dims []int) *tensor.Tensor {
	if len(dims) == 0 {
		return x.FlattenAll()
	}
	var order, last []int
	for _, d := range dims {
		last = append(last, x.NormalizeAxis(d))
	}
	for d := range x.Rank() {
		if !slices.Contains(last, d) {
			order = append(order, d)
		}
	}
	return x.Permute(append(order, last...)...).FlattenFrom(len(order))
}

// position returns the index of an element, and how far the quantile is from there to the next one.
func (r Rule) position(n, q float64) (at, part float64) {
	between := func(alpha, beta float64) (at, part float64) {
		index := n*q + (alpha + q*(1-alpha-beta)) - 1
		if index < 0 {
			return 0, 0
		}
		return math.Floor(index), index - math.Floor(index)
	}
	index := (n - 1) * q
	switch r {
	case InvertedCDF:
		return math.Ceil(n*q - 1), 0
	case AveragedInvertedCDF:
		index = n*q - 1
		if index == math.Floor(index) && index >= 0 {
			return index, 0.5
		}
		return math.Ceil(index), 0
	case ClosestObservation: // of two that are equally near, that of an even number, counted from 1 on
		index = n*q - 1 - 0.5
		if low := math.Floor(index); index != low || math.Mod(low, 2) == 0 {
			return low + 1, 0
		}
		return index, 0
	case InterpolatedInvertedCDF:
		return between(0, 1)
	case Hazen:
		return between(0.5, 0.5)
	case Weibull:
		return between(0, 0)
	case MedianUnbiased:
		return between(1.0/3, 1.0/3)
	case NormalUnbiased:
		return between(3.0/8, 3.0/8)
	case Lower:
		return math.Floor(index), 0
	case Higher:
		return math.Ceil(index), 0
	case Midpoint:
		if index == math.Floor(index) {
			return index, 0
		}
		return math.Floor(index), 0.5
	case Nearest:
		return math.RoundToEven(index), 0
	}
	return math.Floor(index), index - math.Floor(index)
}
