package stats

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
	"github.com/gorocm/gorocm/tensor/random"
)

// Interval is a confidence interval, with the standard deviation of the resampled statistic.
type Interval struct{ Low, High, StandardError float64 }

// String shows the bounds.
func (i Interval) String() string {
	return fmt.Sprintf("%.6g to %.6g, standard error %.4g", i.Low, i.High, i.StandardError)
}

// Method is how Bootstrap makes an interval of resampled statistics.
type Method int

const (
	BCa        Method = iota // bias-corrected and accelerated
	Percentile               // the quantiles
	Basic                    // the quantiles, reflected at the statistic of the sample
)

// Bootstrap returns a confidence interval, of a level such as 0.95, of a statistic of a sample x [n], from resamples
// drawn with replacement by a generator, as scipy.stats.bootstrap does. statistic takes samples as the rows of a matrix
// and returns a vector, as in
//
//	stats.Bootstrap(x, func(rows *tensor.Tensor) *tensor.Tensor { return rows.Median(1) }, 9999, 0.95, stats.BCa, g)
//
// It panics with ErrShape when that has another size, and with ErrValue for a level that is not between 0 and 1.
func Bootstrap(
	x *tensor.Tensor, statistic func(rows *tensor.Tensor) *tensor.Tensor, resamples int, level float64, method Method,
	g *random.Generator,
) Interval {
	const op = "bootstrap"
	v := vector(op, x, 2).ToDType(x.DType())
	if !(level > 0 && level < 1) || resamples < 2 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "a level of %v and %d resamples: want a level between "+
			"0 and 1, and at least 2 resamples", level, resamples)
	}
	of := func(rows *tensor.Tensor) *tensor.Tensor {
		y := statistic(rows)
		if y.Rank() != 1 || y.Dim(0) != rows.Dim(0) {
			extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{y}, "rows.Mean(1) has one element for each row",
				"the statistic of %d rows has the shape %v", rows.Dim(0), y.Dims())
		}
		return y.Detach().ToDType(tensor.F64)
	}
	n := v.Dim(0)
	var parts []*tensor.Tensor
	for left := resamples; left > 0; { // at most 16 M elements at once
		rows := min(left, max(1, 1<<24/n))
		ids := g.Integers(0, n, []int{rows, n}, tensor.U32, v.Device())
		parts = append(parts, of(v.IndexSelect(ids.FlattenAll(), 0).Reshape(rows, n)))
		left -= rows
	}
	all := tensor.Cat(parts, 0)
	low, high := (1-level)/2, (1+level)/2
	at := of(v.Unsqueeze(0)).Get(0).ToScalar()
	if method == BCa {
		low, high = biasCorrected(all, at, jackknife(v, of), low)
	}
	i := Interval{all.Quantile(low).ToScalar(), all.Quantile(high).ToScalar(), all.Std().ToScalar()}
	if method == Basic {
		i.Low, i.High = 2*at-i.High, 2*at-i.Low
	}
	return i
}

// jackknife returns the statistics of the sample without each of its elements.
func jackknife(v *tensor.Tensor, of func(rows *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	n := v.Dim(0)
	var parts []*tensor.Tensor
	for from, rows := 0, max(1, 1<<24/n); from < n; from += rows {
		rows = min(rows, n-from)
		left := v.Device().Arange(tensor.I64, float64(from), float64(from+rows)).Unsqueeze(1)
		ids := v.Device().Arange(tensor.I64, float64(n-1)).Unsqueeze(0)
		ids = ids.Add(ids.Ge(left).ToDType(tensor.I64)) // those after the one that is left out are one further
		parts = append(parts, of(v.IndexSelect(ids.FlattenAll(), 0).Reshape(rows, n-1)))
	}
	return tensor.Cat(parts, 0)
}

// biasCorrected returns the probabilities whose quantiles are the bounds (Efron, Better bootstrap confidence
// intervals, 1987).
func biasCorrected(all *tensor.Tensor, at float64, left *tensor.Tensor, alpha float64) (low, high float64) {
	part := (all.Lt(at).Sum().ToScalar() + all.Le(at).Sum().ToScalar()) / 2 / float64(all.Dim(0))
	bias := scalar.Ndtri(part)
	d := left.Mean().Sub(left)
	acceleration := d.Mul(d.Sqr()).Sum().ToScalar() / (6 * math.Pow(d.Sqr().Sum().ToScalar(), 1.5))
	moved := func(z float64) float64 {
		return math.Exp(scalar.LogNdtr(bias + (bias+z)/(1-acceleration*(bias+z))))
	}
	return moved(scalar.Ndtri(alpha)), moved(-scalar.Ndtri(alpha))
}
