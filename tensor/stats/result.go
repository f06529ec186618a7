package stats

import (
	"fmt"
	"math"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// Alternative says which values of a statistic speak against the null hypothesis.
type Alternative int

const (
	TwoSided Alternative = iota // small and large values
	Less                        // small values: the first sample is less, the correlation is negative
	Greater                     // large values
)

// Test is the result of a test.
type Test struct {
	Name      string  // of the statistic
	Statistic float64 // its value
	P         float64 // the probability of one at least as extreme if the null hypothesis is true
	DF, DF2   float64 // degrees of freedom, where the distribution of the statistic has them
	Exact     bool    // P is exact, and no approximation for large samples

	// Low and High are a confidence interval of 95 % for the mean, the difference of means or the correlation, where
	// the test has one; otherwise both are 0. It is one-sided with Less and Greater.
	Low, High float64
}

// String says the test in a line.
func (t Test) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %.6g, p = %.4g", t.Name, t.Statistic, t.P)
	switch {
	case t.DF2 != 0:
		fmt.Fprintf(&b, ", df = %.6g and %.6g", t.DF, t.DF2)
	case t.DF != 0:
		fmt.Fprintf(&b, ", df = %.6g", t.DF)
	}
	if t.Low != 0 || t.High != 0 {
		fmt.Fprintf(&b, ", 95 %% interval %.6g to %.6g", t.Low, t.High)
	}
	if t.Exact {
		b.WriteString(", exact")
	}
	return b.String()
}

// vector returns a sample, which is a vector, in F64.
func vector(op string, x *tensor.Tensor, least int) *tensor.Tensor {
	extend.SameDevice(op, x)
	if x.Rank() != 1 || x.Dim(0) < least || x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{x}, "", "want a vector of at least %d real numbers", least)
	}
	return x.Detach().ToDType(tensor.F64)
}

// values returns the elements of a sample on the host, and whether one is NaN.
func values(op string, x *tensor.Tensor, least int) (list []float64, hasNaN bool) {
	list = vector(op, x, least).Float64s()
	for _, v := range list {
		hasNaN = hasNaN || v != v
	}
	return list, hasNaN
}

// pairs checks that samples have the same length.
func pairs(op string, x, y *tensor.Tensor) {
	if x.Rank() != 1 || y.Rank() != 1 || x.Dim(0) != y.Dim(0) {
		extend.Shape(op, []*tensor.Tensor{x, y}, "want two vectors of the same length, not %v and %v", x.Dims(), y.Dims())
	}
	extend.SameDevice(op, x, y)
}

// Probabilities of the tails of statistics.

func chiSquareAbove(x, df float64) float64 { return math.Exp(scalar.GammaUpper(df/2, max(x, 0)/2)) }

func fAbove(f, df1, df2 float64) float64 {
	if f <= 0 {
		return 1
	}
	return math.Exp(scalar.BetaLower(df2/2, df1/2, df2/(df1*f)))
}

// studentAbove is the probability of values above t.
func studentAbove(t, df float64) float64 {
	if math.IsInf(df, 1) {
		return math.Exp(scalar.LogNdtr(-t))
	}
	half := math.Exp(scalar.BetaLower(df/2, 0.5, df/(t*t))) / 2
	if t < 0 {
		return 1 - half
	}
	return half
}

// studentQuantile is the t above 0 with the probability p, below ½, of values above it.
func studentQuantile(p, df float64) float64 {
	return math.Sqrt(df) * math.Exp(-scalar.BetaLogit(df/2, 0.5, 2*p)/2)
}

// tailOf is the probability of an alternative for a statistic whose distribution is symmetric.
func (a Alternative) tailOf(statistic float64, above func(x float64) float64) float64 {
	switch a {
	case Less:
		return above(-statistic)
	case Greater:
		return above(statistic)
	}
	return min(2*above(math.Abs(statistic)), 1)
}

func normalAbove(z float64) float64 { return math.Exp(scalar.LogNdtr(-z)) }

// interval is a confidence interval of 95 % of an estimate with a standard error.
func (a Alternative) interval(estimate, standardError, df float64) (low, high float64) {
	switch a {
	case Less:
		return math.Inf(-1), estimate + studentQuantile(0.05, df)*standardError
	case Greater:
		return estimate - studentQuantile(0.05, df)*standardError, math.Inf(1)
	}
	by := studentQuantile(0.025, df) * standardError
	return estimate - by, estimate + by
}

// doubled is the probability of an alternative, given those of values up to and from the statistic on.
func (a Alternative) doubled(below, above float64) float64 {
	switch a {
	case Less:
		return min(below, 1)
	case Greater:
		return min(above, 1)
	}
	return min(2*min(below, above), 1)
}
