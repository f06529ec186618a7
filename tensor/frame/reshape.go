package frame

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Unique returns the first row of each combination of values of the named columns, or without names of all columns.
func (f *Frame) Unique(names ...string) *Frame {
	cols := f.cols
	if len(names) > 0 {
		cols = f.columns("unique", names)
	}
	if f.rows == 0 || len(cols) == 0 {
		return f
	}
	return f.take(codesOfAll(cols, f.rows).first)
}

// Duplicated returns a Bool column that is true for rows whose values of the named columns, or without names of all
// columns, an earlier row has.
func (f *Frame) Duplicated(names ...string) *Column {
	cols := f.cols
	if len(names) > 0 {
		cols = f.columns("duplicated", names)
	}
	bits := ones(f.rows)
	if len(cols) > 0 {
		for _, r := range codesOfAll(cols, f.rows).first {
			bits.clear(int(r))
		}
	}
	return &Column{name: "duplicated", typ: Bool, n: f.rows, bits: bits}
}

// ValueCounts returns how often each combination of values of the named columns occurs, as column count, the most
// frequent first. Missing values are counted, too.
func (f *Frame) ValueCounts(names ...string) *Frame {
	if len(names) == 0 {
		names = f.Names()
	}
	count := "count"
	for slices.Contains(names, count) {
		count += "_"
	}
	return f.GroupBy(names...).Agg(Len().As(count)).SortBy(Desc(count))
}

// ValueCounts returns how often each value of the column occurs, the most frequent first.
func (c *Column) ValueCounts() *Frame { return FromColumns(c).ValueCounts(c.name) }

// Pivot makes a column for each value of column, with the values of values, and a row for each combination of values of
// index:
//
//	sales.Pivot([]string{"city"}, "year", "amount", frame.Sum)
//
// agg makes one of several values in one place; with nil, several are an error. Rows come in the order in which they
// first appear, columns in ascending order. Where there is no value the result is missing. Columns are called as the
// values are spelled; a missing value as null.
func (f *Frame) Pivot(index []string, column, values string, agg func(column string) Agg) *Frame {
	const op = "pivot"
	f.column(op, column)
	f.column(op, values)
	if slices.Contains(index, column) || slices.Contains(index, values) || column == values {
		fail(op, tensor.ErrValue, "", "index %s, column %q and values %q: want different columns", listOf(index), column, values)
	}
	single := agg == nil
	if single {
		agg = First
	}
	cells := f.GroupBy(append(slices.Clone(index), column)...).Agg(agg(values).As(values+"\x00"), Len().As("\x00"))
	if single {
		for i, n := range cells.Col("\x00").ints {
			if n > 1 {
				fail(op, tensor.ErrValue, "an aggregate makes one of them, as in f.Pivot(index, column, values, frame.Sum)",
					"%d values in one place, of %q = %s", n, column, cells.column(op, column).shown(i))
			}
		}
	}
	rows := codesOfAll(cells.columns(op, index), cells.rows)
	value := cells.Col(values + "\x00")
	at := cells.column(op, column)
	order := FromColumns(at).Unique().Sort(column).cols[0]
	column2 := joinCodes(at, order)
	out := takeAll(cells.columns(op, index), rows.first, false)
	for k := range order.n {
		from := make([]int32, len(rows.first))
		for i := range from {
			from[i] = -1
		}
		for i, code := range rows.codes {
			if column2[i] == int32(k) {
				from[code] = int32(i)
			}
		}
		out = append(out, value.take(from, true).Rename(nameOf(order, k)))
	}
	return fromColumns(op, out...)
}

func nameOf(c *Column, i int) string {
	if !c.valid.has(i) {
		return missingText
	}
	return string(c.appendText(nil, i))
}

// joinCodes returns for each value of c its row in distinct.
func joinCodes(c, distinct *Column) []int32 {
	k := codesOf(concat([]*Column{distinct, c}))
	return k.codes[distinct.n:]
}

// Melt makes rows of columns: for each row one for each of the named columns, with the columns index as they are, the
// name of the column as variable and its value as value. Without names all columns that are not in index are taken.
// The rows of the first column come first. Types of the columns are joined as by Concat.
func (f *Frame) Melt(index []string, names ...string) *Frame {
	const op = "melt"
	keys := f.columns(op, index)
	if len(names) == 0 {
		for _, c := range f.cols {
			if !slices.Contains(index, c.name) {
				names = append(names, c.name)
			}
		}
	}
	var parts []*Frame
	for _, c := range f.columns(op, names) {
		variable := textColumn("variable", []string{c.name}).full(f.rows)
		parts = append(parts, fromColumns(op, append(slices.Clone(keys), variable, c.Rename("value"))...))
	}
	if len(parts) == 0 {
		fail(op, tensor.ErrValue, "", "no columns to make rows of")
	}
	return Concat(parts...)
}
