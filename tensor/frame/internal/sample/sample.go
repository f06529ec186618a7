// Package sample has statistics of a few numbers: those of a window, or of a group.
package sample

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/quickselect"
)

// Sum is the sum.
func Sum(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// Mean is the mean of some numbers.
func Mean(v []float64) float64 { return Sum(v) / float64(len(v)) }

// Variance is the variance of a sample of two numbers or more.
func Variance(v []float64) (sum float64) {
	mean := Mean(v)
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(v)-1)
}

// Median is the median of some numbers, which it reorders: NaN if one is.
func Median(v []float64) float64 {
	for _, x := range v {
		if x != x {
			return x
		}
	}
	return Quantile(v, 0.5)
}

// Quantile is a quantile of numbers, of which there are some and none is NaN, interpolated linearly as NumPy does. It
// reorders them.
func Quantile(v []float64, q float64) float64 {
	at := q * float64(len(v)-1)
	k := int(at)
	low := quickselect.Nth(v, k)
	if k+1 >= len(v) || at == float64(k) {
		return low
	}
	high := v[k+1]
	for _, x := range v[k+1:] {
		high = min(high, x)
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		if low == high {
			return low
		}
	}
	t := at - float64(k)
	if t >= 0.5 { // as NumPy, so that q = 1 and steps near it are exact
		return high - (high-low)*(1-t)
	}
	return low + (high-low)*t
}
