package frame

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
	"github.com/gorocm/gorocm/tensor/frame/internal/sample"
)

// Shift has the values n rows above, or below for negative n; where there are none, missing values.
func (e Expr) Shift(n int) Expr {
	return e.unary("shift", func(_ string, c *Column) *Column {
		rows := make([]int32, c.n)
		for i := range rows {
			if rows[i] = -1; i >= n && i-n < c.n {
				rows[i] = int32(i - n)
			}
		}
		return c.take(rows, true)
	})
}

// Diff is the difference to the value n rows above.
func (e Expr) Diff(n int) Expr { return e.Sub(e.Shift(n)) }

// CumSum is the sum of the values up to each row; missing ones stay missing and are skipped.
func (e Expr) CumSum() Expr {
	return e.unary("cumsum", func(op string, c *Column) *Column {
		c.numbers(op)
		out := &Column{name: c.name, typ: Float64, n: c.n, valid: c.valid}
		if c.typ == Int64 {
			out.typ, out.ints = Int64, make([]int64, c.n)
			sum, ok := int64(0), true
			c.eachValid(func(i int) {
				if sum, ok = integer.Op("add", sum, c.ints[i]); !ok {
					fail(op, tensor.ErrValue, "Cast(frame.Float64) can be summed, rounded",
						"the sum of column %q is beyond int64", c.name)
				}
				out.ints[i] = sum
			})
			return out
		}
		sum := 0.0
		out.floats = make([]float64, c.n)
		c.eachValid(func(i int) {
			sum += c.float(i)
			out.floats[i] = sum
		})
		return out
	})
}

// Rank is the position of each value in ascending order, from 1 on; equal values have the mean of their positions.
// Missing values stay missing. Float64.
func (e Expr) Rank() Expr {
	return e.unary("rank", func(_ string, c *Column) *Column {
		out := &Column{name: c.name, typ: Float64, n: c.n, valid: c.valid, floats: make([]float64, c.n)}
		ranks := c.ranks(false)
		order := radixSort(ranks, nil)
		for lo := 0; lo < len(order); {
			hi := lo + 1
			for hi < len(order) && ranks[order[hi]] == ranks[order[lo]] {
				hi++
			}
			for _, row := range order[lo:hi] {
				out.floats[row] = float64(lo+1+hi) / 2
			}
			lo = hi
		}
		return out
	})
}

// Rolling is the values of a window of rows that ends at each row.
type Rolling struct {
	e      Expr
	window int
	least  int
}

// Rolling makes windows of n rows, each with the row that it is for as its last. An aggregate is missing for windows
// that have fewer than n values; AtLeast changes that. It panics with ErrValue when n is not positive.
//
//	f.With("smooth", frame.Col("price").Rolling(7).Mean())
func (e Expr) Rolling(n int) Rolling {
	if n < 1 {
		fail("rolling", tensor.ErrValue, "", "a window of %d rows", n)
	}
	return Rolling{e, n, n}
}

// AtLeast is how many values a window needs, from 1 on.
func (r Rolling) AtLeast(values int) Rolling {
	if values < 1 {
		fail("rolling", tensor.ErrValue, "", "at least %d values of a window: want 1 or more", values)
	}
	r.least = values
	return r
}

// of computes an aggregate of the values of each window, without missing ones.
func (r Rolling) of(name string, needs int, f func(values []float64) float64) Expr {
	return r.e.unary("rolling_"+name, func(op string, c *Column) *Column {
		c.numbers(op)
		out := &Column{name: c.name, typ: Float64, n: c.n, valid: newBitmap(c.n), floats: make([]float64, c.n)}
		blocks(c.n, func(lo, hi int) {
			values := make([]float64, 0, r.window)
			for i := lo; i < hi; i++ {
				values = values[:0]
				for k := max(0, i-r.window+1); k <= i; k++ {
					if c.valid.has(k) {
						values = append(values, c.float(k))
					}
				}
				if len(values) >= max(r.least, needs) {
					out.floats[i] = f(values)
					out.valid.set(i)
				}
			}
		})
		out.dropValid()
		return out
	})
}

// Count is how many values of each window are there, Int64, for columns of all types. It is never missing, whatever
// AtLeast says.
func (r Rolling) Count() Expr {
	return r.e.unary("rolling_count", func(_ string, c *Column) *Column {
		out, count := &Column{name: c.name, typ: Int64, n: c.n, ints: make([]int64, c.n)}, int64(0)
		for i := range out.ints {
			if c.valid.has(i) {
				count++
			}
			if k := i - r.window; k >= 0 && c.valid.has(k) {
				count--
			}
			out.ints[i] = count
		}
		return out
	})
}

// Sum is the sum of each window, Float64.
func (r Rolling) Sum() Expr { return r.of("sum", 1, sample.Sum) }

// Mean is the mean of each window.
func (r Rolling) Mean() Expr { return r.of("mean", 1, sample.Mean) }

// Std is the standard deviation of each window as of a sample.
func (r Rolling) Std() Expr {
	return r.of("std", 2, func(v []float64) float64 { return math.Sqrt(sample.Variance(v)) })
}

// Min is the minimum of each window.
func (r Rolling) Min() Expr { return r.of("min", 1, slices.Min[[]float64]) }

// Max is the maximum of each window.
func (r Rolling) Max() Expr { return r.of("max", 1, slices.Max[[]float64]) }

// Median is the median of each window.
func (r Rolling) Median() Expr { return r.of("median", 1, sample.Median) }
