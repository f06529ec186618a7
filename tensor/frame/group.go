package frame

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Groups are the rows of a frame by the values of key columns, in the order in which those first appear. Missing values
// are a group, too.
type Groups struct {
	f    *Frame
	by   []*Column
	keys keys // first are rows of by
}

// GroupBy groups the rows by the values of columns:
//
//	trips.GroupBy("city").Agg(frame.Len(), frame.Mean("fare").As("fare"))
//
// Groups come in the order in which their keys first appear; Sort orders the result. Missing keys are a group. It
// panics with ErrIndex for a name that no column has.
func (f *Frame) GroupBy(names ...string) *Groups {
	g := &Groups{f: f, by: f.columns("groupby", names)}
	g.keys = codesOfAll(g.by, f.rows)
	if len(names) == 0 && f.rows == 0 {
		g.keys.first = []int32{-1} // the one group of all rows is there without rows
	}
	return g
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.keys.first) }

// Keys returns a frame of the keys, a row for each group.
func (g *Groups) Keys() *Frame { return fromColumns("groupby", takeAll(g.by, g.keys.first, false)...) }

// Agg returns a row for each group: its keys, and the aggregates, which are computed on all cores. It panics with
// ErrIndex for a name that no column has, and with ErrDType for an aggregate that a type does not have.
func (g *Groups) Agg(aggs ...Agg) *Frame {
	const op = "agg"
	for _, a := range aggs {
		a.check(op, g.f)
	}
	cols := make([]*Column, len(g.by)+len(aggs))
	copy(cols, g.Keys().cols)
	run := &aggregation{f: g.f, keys: g.keys, n: len(g.keys.first)}
	if slices.ContainsFunc(aggs, Agg.ordered) {
		run.rows, run.ends = run.listed()
	}
	errs := make([]any, len(aggs))
	each(len(aggs), func(i int) {
		defer func() { errs[i] = recover() }() // a panic belongs to the caller's goroutine
		cols[len(g.by)+i] = run.of(aggs[i])
	})
	for _, e := range errs {
		if e != nil {
			panic(e)
		}
	}
	out := fromColumns(op, cols...)
	out.rows = run.n
	return out
}

// Agg returns one row with aggregates of all rows.
func (f *Frame) Agg(aggs ...Agg) *Frame { return f.GroupBy().Agg(aggs...) }

// same makes one aggregate of the named columns, under their own names; without names of every column that has it and
// is no key.
func (g *Groups) same(op string, names []string, agg func(string) Agg) *Frame {
	isKey := func(name string) bool {
		return slices.ContainsFunc(g.by, func(c *Column) bool { return c.name == name })
	}
	if len(names) == 0 {
		for _, c := range g.f.cols {
			if !isKey(c.name) && agg(c.name).takes(c.typ) {
				names = append(names, c.name)
			}
		}
	}
	var aggs []Agg
	for _, n := range names {
		if isKey(n) {
			fail(op, tensor.ErrValue, "g.Agg with As gives the aggregate another name",
				"column %q is a key of the groups", n)
		}
		aggs = append(aggs, agg(n).As(n))
	}
	return g.Agg(aggs...)
}

// Sum returns the keys and the sums of the named columns, under their own names; without names of all columns of
// numbers and bools. Agg says more.
func (g *Groups) Sum(names ...string) *Frame { return g.same("sum", names, Sum) }

// Mean returns the keys and the means of the named columns, or of all columns of numbers and bools.
func (g *Groups) Mean(names ...string) *Frame { return g.same("mean", names, Mean) }

// Min returns the keys and the minimums of the named columns, or of all.
func (g *Groups) Min(names ...string) *Frame { return g.same("min", names, Min) }

// Max returns the keys and the maximums of the named columns, or of all.
func (g *Groups) Max(names ...string) *Frame { return g.same("max", names, Max) }

// Median returns the keys and the medians of the named columns, or of all columns of numbers.
func (g *Groups) Median(names ...string) *Frame { return g.same("median", names, Median) }

// First returns the keys and the first values that are not missing, of the named columns or of all.
func (g *Groups) First(names ...string) *Frame { return g.same("first", names, First) }

// Last returns the keys and the last values that are not missing, of the named columns or of all.
func (g *Groups) Last(names ...string) *Frame { return g.same("last", names, Last) }

// Count returns the keys and the number of rows of each group, as column count.
func (g *Groups) Count() *Frame { return g.Agg(Len().As("count")) }

// Each calls f for the rows of each group, in the order of the groups.
func (g *Groups) Each(f func(key map[string]any, rows *Frame)) {
	keys := g.Keys()
	rows, ends := g.keys.listed()
	for i := range g.Len() {
		if g.keys.first[i] < 0 {
			f(map[string]any{}, g.f)
			continue
		}
		f(keys.Row(i), g.f.take(rows[ends[i]:ends[i+1]]))
	}
}
