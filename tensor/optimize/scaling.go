package optimize

import (
	"math"
	"slices"
)

// scaled returns the program with rows, columns, costs and right sides multiplied by powers of two, which round
// nothing. Its coefficients are near 1, because the tolerances of the tableau are absolute. factors are those by which
// its y becomes that of s, and at the end that of the right sides.
func (s standardForm) scaled() (out standardForm, factors []float64) {
	n := len(s.columns)
	out = s
	out.columns, out.rows, out.right = append([]column{}, s.columns...), nil, append([]float64{}, s.right...)
	for _, row := range s.rows {
		out.rows = append(out.rows, append([]float64{}, row...))
	}
	factors = make([]float64, n+1)
	for k := range factors {
		factors[k] = 1
	}
	scaleRow := func(i int, middle bool) {
		f := factor(middle, n, func(k int) float64 { return out.rows[i][k] })
		if !slices.ContainsFunc(out.rows[i], func(v float64) bool { return v != 0 }) {
			f = factor(false, 1, func(int) float64 { return out.right[i] })
		}
		for k := range out.rows[i] {
			out.rows[i][k] *= f
		}
		out.right[i] *= f
	}
	for range 3 {
		for i := range out.rows {
			scaleRow(i, true)
		}
		for k := range n {
			f := factor(true, len(out.rows), func(i int) float64 { return out.rows[i][k] })
			for _, row := range out.rows {
				row[k] *= f
			}
			factors[k] *= f
		}
	}
	for i := range out.rows {
		scaleRow(i, false)
	}
	for k := range n {
		out.columns[k].cost *= factors[k]
	}
	cost := factor(false, n, func(k int) float64 { return out.columns[k].cost })
	for k := range n {
		out.columns[k].cost *= cost
	}
	// a large bound says nothing of how closely rows that the start misses are met
	missed := factor(false, len(out.right), func(i int) float64 {
		if out.slack[i] && out.right[i] >= 0 {
			return 0
		}
		return out.right[i]
	})
	all := factor(false, len(out.right), func(i int) float64 { return out.right[i] })
	right := max(missed, all)
	for i := range out.right {
		out.right[i] *= right
	}
	for k := range factors {
		factors[k] /= right
	}
	return out, factors
}

// factor is the power of two by which the largest of n numbers becomes 1 to 2, or, with middle, about the geometric
// mean of the largest and the smallest. Numbers that may be roundings of 0 do not count. It is 1 where all are 0.
func factor(middle bool, n int, at func(i int) float64) float64 {
	largest, smallest := 0.0, math.Inf(1)
	for i := range n {
		largest = max(largest, math.Abs(at(i)))
	}
	for i := range n {
		if v := math.Abs(at(i)); v > 1e-13*largest {
			smallest = min(smallest, v)
		}
	}
	if largest == 0 {
		return 1
	}
	exponent := math.Ilogb(largest)
	if middle {
		exponent = (exponent + math.Ilogb(smallest)) / 2
	}
	return math.Ldexp(1, -max(-500, min(500, exponent)))
}
