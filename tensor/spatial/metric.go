package spatial

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// Metric is a distance of two vectors u and v: one of the variables of this package, or what Minkowski, SEuclidean and
// Mahalanobis return.
type Metric struct {
	name string
	// of returns the distances of u and v along the last dim. Their other dims are broadcast.
	of func(u, v *tensor.Tensor) *tensor.Tensor
	// before, which may be nil, is applied to the vectors.
	before func(x *tensor.Tensor) *tensor.Tensor
	size   int // of the vectors, 0 for any
	// parameter is the tensor of variances or of an inverse, nil for other metrics: the vectors must be on its device.
	parameter *tensor.Tensor
	sum       *combine // how a loop on the host computes it; nil if none does
}

// The metrics of numbers, as functions of scipy.spatial.distance.
var (
	// Euclidean is √Σ(u-v)².
	Euclidean = Metric{name: "Euclidean", sum: &combine{2, true},
		of: func(u, v *tensor.Tensor) *tensor.Tensor { return root(squares(u, v)) }}
	// SqEuclidean is Σ(u-v)².
	SqEuclidean = Metric{name: "SqEuclidean", sum: &combine{2, false}, of: squares}
	// CityBlock is Σ|u-v|.
	CityBlock = Metric{name: "CityBlock", sum: &combine{1, false},
		of: func(u, v *tensor.Tensor) *tensor.Tensor { return apart(u, v).Sum(-1) }}
	// Chebyshev is max|u-v|.
	Chebyshev = Metric{name: "Chebyshev", sum: &combine{math.Inf(1), false},
		of: func(u, v *tensor.Tensor) *tensor.Tensor { return apart(u, v).Max(-1) }}
	// Cosine is 1 - u·v/(|u||v|), NaN for a vector of zeros.
	Cosine = Metric{name: "Cosine", before: unit, of: angle}
	// Correlation is Cosine of u and v less their means.
	Correlation = Metric{name: "Correlation", of: angle,
		before: func(x *tensor.Tensor) *tensor.Tensor { return unit(x.Sub(x.MeanKeepDim(-1))) }}
	// Canberra is Σ|u-v|/(|u|+|v|), where 0/0 is 0.
	Canberra = Metric{name: "Canberra", of: func(u, v *tensor.Tensor) *tensor.Tensor {
		return ratio(apart(u, v), u.Abs().Add(v.Abs())).Sum(-1)
	}}
	// BrayCurtis is Σ|u-v|/Σ|u+v|.
	BrayCurtis = Metric{name: "BrayCurtis", of: func(u, v *tensor.Tensor) *tensor.Tensor {
		return apart(u, v).Sum(-1).Div(u.Add(v).Abs().Sum(-1))
	}}
	// JensenShannon is the square root of the Jensen–Shannon divergence of probabilities, which are vectors of
	// numbers from 0 on divided by their sums.
	JensenShannon = Metric{name: "JensenShannon", of: jensenShannon,
		before: func(x *tensor.Tensor) *tensor.Tensor { return x.Div(x.SumKeepDim(-1)) }}
)

// The metrics of sets: of the share of elements in which vectors differ. Those after Hamming take what is not 0 as
// true; tt, tf, ft and ff are the numbers of elements with these values in u and v.
var (
	// Hamming is the share of elements that differ.
	Hamming = Metric{name: "Hamming", of: func(u, v *tensor.Tensor) *tensor.Tensor {
		return u.Ne(v).ToDType(u.DType()).Mean(-1)
	}}
	// Jaccard is the share of elements that differ among those that are not 0 in both: 0 if there are none.
	Jaccard = Metric{name: "Jaccard", before: truth, of: func(u, v *tensor.Tensor) *tensor.Tensor {
		return ratio(u.Ne(v).ToDType(u.DType()).Sum(-1), u.Maximum(v).Sum(-1))
	}}
	// Dice is (tf+ft)/(2·tt+tf+ft).
	Dice = counting("Dice", func(tt, tf, ft, _ *tensor.Tensor) *tensor.Tensor {
		return tf.Add(ft).Div(tt.Mul(2).Add(tf).Add(ft))
	})
	// Yule is 2·tf·ft/(tt·ff+tf·ft), 0 where tf·ft is 0.
	Yule = counting("Yule", func(tt, tf, ft, ff *tensor.Tensor) *tensor.Tensor {
		half := tf.Mul(ft)
		return ratio(half.Mul(2), tt.Mul(ff).Add(half))
	})
	// RogersTanimoto is 2·(tf+ft)/(tt+ff+2·(tf+ft)).
	RogersTanimoto = counting("RogersTanimoto", func(tt, tf, ft, ff *tensor.Tensor) *tensor.Tensor {
		r := tf.Add(ft).Mul(2)
		return r.Div(tt.Add(ff).Add(r))
	})
	// RussellRao is 1 - tt/(tt+tf+ft+ff).
	RussellRao = counting("RussellRao", func(tt, tf, ft, ff *tensor.Tensor) *tensor.Tensor {
		rest := tf.Add(ft).Add(ff)
		return rest.Div(tt.Add(rest))
	})
	// SokalSneath is 2·(tf+ft)/(tt+2·(tf+ft)).
	SokalSneath = counting("SokalSneath", func(tt, tf, ft, _ *tensor.Tensor) *tensor.Tensor {
		r := tf.Add(ft).Mul(2)
		return r.Div(tt.Add(r))
	})
)

// Minkowski is (Σ|u-v|^p)^(1/p). It panics with ErrValue unless p is above 0. An infinite p is Chebyshev's.
func Minkowski(p float64) Metric {
	switch {
	case !(p > 0):
		extend.Fail("minkowski", tensor.ErrValue, nil, "", "want a power above 0, not %g", p)
	case math.IsInf(p, 1):
		return Chebyshev
	case p == 1:
		return CityBlock
	case p == 2:
		return Euclidean
	}
	return Metric{name: fmt.Sprintf("Minkowski(%g)", p), of: func(u, v *tensor.Tensor) *tensor.Tensor {
		sum := u.Sub(v).Abs().Powf(p).Sum(-1)
		zero := sum.Eq(0)
		return zero.WhereCond(sum.ZerosLike(), zero.WhereCond(1, sum).Powf(1/p))
	}}
}

// SEuclidean is Euclidean of vectors [d] whose elements are divided by the square roots of variances [d].
func SEuclidean(variances *tensor.Tensor) Metric {
	const op = "seuclidean"
	extend.SameDevice(op, variances)
	if variances.Rank() != 1 {
		extend.Shape(op, []*tensor.Tensor{variances}, "want variances [d], not %v", variances.Dims())
	}
	return Metric{name: "SEuclidean", size: variances.Dim(0), parameter: variances, of: Euclidean.of,
		sum:    Euclidean.sum,
		before: func(x *tensor.Tensor) *tensor.Tensor { return x.Div(variances.ToDType(x.DType()).Sqrt()) }}
}

// Mahalanobis is √((u-v)ᵀ·inverse·(u-v)) for the inverse [d d] of a covariance matrix, which is symmetric and
// positive definite. It panics with ErrShape for another shape and, as linalg.Cholesky, for a matrix that is not.
func Mahalanobis(inverse *tensor.Tensor) Metric {
	const op = "mahalanobis"
	extend.SameDevice(op, inverse)
	if inverse.Rank() != 2 || inverse.Dim(0) != inverse.Dim(1) {
		extend.Shape(op, []*tensor.Tensor{inverse}, "want the inverse of a covariance matrix [d d], not %v",
			inverse.Dims())
	}
	factor := linalg.Cholesky(inverse.ToDType(tensor.F64)) // so the distance is Euclidean's of x·factor
	return Metric{name: "Mahalanobis", size: inverse.Dim(0), parameter: inverse, of: Euclidean.of, sum: Euclidean.sum,
		before: func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(factor.ToDType(x.DType())) }}
}

func (m Metric) String() string { return m.name }

// check panics unless m is a metric of vectors of d numbers.
func (m Metric) check(op string, ts []*tensor.Tensor, d int) {
	if m.of == nil {
		extend.Fail(op, tensor.ErrValue, ts, "spatial.Euclidean is one", "the metric is empty")
	}
	if m.size != 0 && m.size != d {
		extend.Shape(op, ts, "%s is a metric of vectors of %d numbers, not %d", m.name, m.size, d)
	}
	if m.parameter != nil {
		extend.SameDevice(op, append(ts, m.parameter)...)
	}
}

// prepare applies what a metric does to each vector alone.
func (m Metric) prepare(a, b *tensor.Tensor) (x, y *tensor.Tensor) {
	if m.before == nil {
		return a, b
	}
	return m.before(a), m.before(b)
}

func apart(u, v *tensor.Tensor) *tensor.Tensor { return u.Sub(v).Abs() }

func squares(u, v *tensor.Tensor) *tensor.Tensor { return u.Sub(v).Sqr().Sum(-1) }

// root is the square root, whose gradient is 0 at 0.
func root(square *tensor.Tensor) *tensor.Tensor {
	if !extend.Tracked(square) {
		return square.Sqrt()
	}
	zero := square.Eq(0)
	return zero.WhereCond(square.ZerosLike(), zero.WhereCond(1, square).Sqrt())
}

// ratio is x/y, and 0 where x is 0.
func ratio(x, y *tensor.Tensor) *tensor.Tensor {
	zero := x.Eq(0)
	return zero.WhereCond(x.ZerosLike(), x.Div(zero.WhereCond(1, y)))
}

func unit(x *tensor.Tensor) *tensor.Tensor { return x.Div(x.Sqr().SumKeepDim(-1).Sqrt()) }

// angle is 1 - u·v for vectors of length 1.
func angle(u, v *tensor.Tensor) *tensor.Tensor { return u.Mul(v).Sum(-1).Neg().Add(1) }

func truth(x *tensor.Tensor) *tensor.Tensor { return x.Ne(0).ToDType(x.DType()) }

func jensenShannon(u, v *tensor.Tensor) *tensor.Tensor {
	middle := u.Add(v).Mul(0.5)
	term := func(x *tensor.Tensor) *tensor.Tensor {
		zero := x.Eq(0)
		return zero.WhereCond(x.ZerosLike(), x.Mul(zero.WhereCond(1, x.Div(middle)).Log()))
	}
	return root(term(u).Add(term(v)).Sum(-1).Maximum(0).Mul(0.5))
}

// counting is a metric of the numbers of elements that are true in both vectors, in one of them, and in none.
func counting(name string, of func(tt, tf, ft, ff *tensor.Tensor) *tensor.Tensor) Metric {
	return Metric{name: name, before: truth, of: func(u, v *tensor.Tensor) *tensor.Tensor {
		not := func(x *tensor.Tensor) *tensor.Tensor { return x.Neg().Add(1) }
		count := func(x, y *tensor.Tensor) *tensor.Tensor { return x.Mul(y).Sum(-1) }
		return of(count(u, v), count(u, not(v)), count(not(u), v), count(not(u), not(v)))
	}}
}
