package stats

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// ChiSquare tests whether counts, observed [n], are those that a distribution has, expected [n] or the mean of all
// counts if that is nil: Pearson's test in scipy.stats.chisquare. It panics with ErrValue when the sums differ by more
// than rounding.
func ChiSquare(observed, expected *tensor.Tensor) Test {
	const op = "chisquare"
	o := vector(op, observed, 1)
	e := o.Mean()
	if expected != nil {
		pairs(op, observed, expected)
		e = vector(op, expected, 1)
		sum, other := o.Sum().ToScalar(), e.Sum().ToScalar()
		if math.Abs(sum-other) > 1.5e-8*min(math.Abs(sum), math.Abs(other)) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{observed, expected},
				"", "the sum of the observed counts is %v, that of the expected ones %v", sum, other)
		}
	}
	t := Test{Name: "χ²", Statistic: o.Sub(e).Sqr().Div(e).Sum().ToScalar(), DF: float64(o.Dim(0) - 1)}
	t.P = chiSquareAbove(t.Statistic, t.DF)
	return t
}

// Chi2Contingency tests whether the rows and columns of a table of counts [rows cols] are independent of one another,
// as scipy.stats.chi2_contingency does, and returns the counts to be expected then. With correct, Yates's correction is
// made in tables with one degree of freedom. It panics with ErrValue for negative counts, and for a row or column
// without any.
func Chi2Contingency(table *tensor.Tensor, correct bool) (t Test, expected *tensor.Tensor) {
	const op = "chi2_contingency"
	if table.Rank() != 2 || table.ElemCount() == 0 {
		extend.Shape(op, []*tensor.Tensor{table}, "want a table [rows cols], not shape %v", table.Dims())
	}
	o := table.Detach().ToDType(tensor.F64)
	rows, cols := o.SumKeepDim(1), o.SumKeepDim(0)
	if !(o.Min().ToScalar() >= 0) || !(rows.Min().ToScalar() > 0) || !(cols.Min().ToScalar() > 0) {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{table}, "",
			"want counts from 0 on, and in each row and column one above 0")
	}
	expected = rows.Mul(cols).Div(o.Sum())
	d := o.Sub(expected).Abs()
	t = Test{Name: "χ²", DF: float64((table.Dim(0) - 1) * (table.Dim(1) - 1)), P: 1}
	if t.DF == 0 {
		return t, expected
	}
	if correct && t.DF == 1 {
		d = d.Sub(d.Minimum(0.5))
	}
	t.Statistic = d.Sqr().Div(expected).Sum().ToScalar()
	t.P = chiSquareAbove(t.Statistic, t.DF)
	return t, expected
}

// FisherExact tests whether the rows and columns of a table of counts [2 2] are independent of one another, by the
// probabilities of all tables with the same sums, as scipy.stats.fisher_exact does. The statistic is the odds ratio of
// the sample. Two-sided, P is the sum over tables that are at most as probable. It panics with ErrValue for counts that
// are negative or not whole.
func FisherExact(table *tensor.Tensor, alternative Alternative) Test {
	const op = "fisher_exact"
	if len(table.Dims()) != 2 || table.Dim(0) != 2 || table.Dim(1) != 2 {
		extend.Shape(op, []*tensor.Tensor{table}, "want a table [2 2], not shape %v", table.Dims())
	}
	c := table.Detach().ToDType(tensor.F64).Float64s()
	for _, v := range c {
		if !(v >= 0) || v != math.Floor(v) || v > 1<<30 {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{table}, "", "%v is not a count", v)
		}
	}
	t := Test{Name: "odds ratio", Statistic: c[0] * c[3] / (c[1] * c[2]), Exact: true, P: 1}
	first, row, all := c[0]+c[2], c[0]+c[1], c[0]+c[1]+c[2]+c[3]
	if first == 0 || row == 0 || first == all || row == all {
		t.Statistic = math.NaN()
		return t
	}
	low, high := max(0, row+first-all), min(row, first)
	prob := func(k float64) float64 { // hypergeometric
		return math.Exp(logChoose(int(first), int(k)) + logChoose(int(all-first), int(row-k)) - logChoose(int(all), int(row)))
	}
	t.P = 0
	at := prob(c[0])
	for k := low; k <= high; k++ {
		p := prob(k)
		if alternative == Less && k <= c[0] || alternative == Greater && k >= c[0] ||
			alternative == TwoSided && p <= at*(1+1e-12) {
			t.P += p
		}
	}
	t.P = min(t.P, 1)
	return t
}
