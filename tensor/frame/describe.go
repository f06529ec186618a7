package frame

// Describe returns the count of values that are there, the mean, the standard deviation, the minimum, the quartiles and
// the maximum of each column of numbers; a row for each, and the names of the rows as column statistic. Info describes
// columns of all types.
func (f *Frame) Describe() *Frame {
	stats := []struct {
		name string
		of   func(column string) Agg
	}{
		{"count", Count}, {"mean", Mean}, {"std", Std}, {"min", Min},
		{"25%", func(c string) Agg { return Quantile(c, 0.25) }}, {"50%", Median},
		{"75%", func(c string) Agg { return Quantile(c, 0.75) }}, {"max", Max},
	}
	var names []string
	for _, s := range stats {
		names = append(names, s.name)
	}
	statistic := "statistic"
	for f.Has(statistic) {
		statistic += "_"
	}
	cols := []*Column{textColumn(statistic, names)}
	for _, c := range f.cols {
		if !c.typ.IsNumber() {
			continue
		}
		var aggs []Agg
		for _, s := range stats {
			aggs = append(aggs, s.of(c.name).As(s.name))
		}
		var values []*Column
		for _, v := range f.Select(c.name).Agg(aggs...).cols {
			values = append(values, v.as("describe", Float64))
		}
		cols = append(cols, concat(values).Rename(c.name))
	}
	return fromColumns("describe", cols...)
}

// Info returns a row for each column: its name, its type, how many values are missing and how many different ones there
// are.
func (f *Frame) Info() *Frame {
	n := len(f.cols)
	names, types := make([]string, n), make([]string, n)
	missing, unique := make([]int64, n), make([]int64, n)
	each(n, func(i int) {
		c := f.cols[i]
		names[i], types[i], missing[i] = c.name, c.typ.String(), int64(c.Missing())
		unique[i] = int64(len(codesOf(c).first))
		if c.valid != nil {
			unique[i]--
		}
	})
	return New("column", names, "type", types, "missing", missing, "unique", unique)
}

// Sum returns the sum of a column of numbers as float64; of bools, how many are true. Frame.Agg has the exact sum of
// integers.
func (c *Column) Sum() float64 { return oneAggregate(c, Sum) }

// Mean returns the mean of a column of numbers, NaN when all values are missing.
func (c *Column) Mean() float64 { return oneAggregate(c, Mean) }

// Std returns the standard deviation of a sample, NaN for fewer than two values.
func (c *Column) Std() float64 { return oneAggregate(c, Std) }

// Min returns the minimum of a column of numbers, NaN when all values are missing. Frame.Agg has those of other types.
func (c *Column) Min() float64 { return oneAggregate(c, Min) }

// Max returns the maximum of a column of numbers, NaN when all values are missing.
func (c *Column) Max() float64 { return oneAggregate(c, Max) }

// Median returns the median of a column of numbers, NaN when all values are missing.
func (c *Column) Median() float64 { return oneAggregate(c, Median) }

// Quantile returns a quantile of a column of numbers, for q from 0 to 1, NaN when all values are missing.
func (c *Column) Quantile(q float64) float64 {
	return oneAggregate(c, func(name string) Agg { return Quantile(name, q) })
}

// one computes one aggregate of the column.
func oneAggregate(c *Column, agg func(string) Agg) float64 {
	return FromColumns(c).Agg(agg(c.name)).cols[0].as("agg", Float64).Floats()[0]
}

// Unique returns the different values, in the order in which they first appear.
func (c *Column) Unique() *Column { return FromColumns(c).Unique().cols[0] }
