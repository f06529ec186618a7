package frame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Frame is a table: columns of one length, whose names differ. It never changes; operations return new frames.
type Frame struct {
	cols  []*Column
	index map[string]int // of the columns, by their names
	rows  int
}

// maxRows is the largest number of rows: rows are numbered by int32.
const maxRows = math.MaxInt32

// fromColumns makes a frame of columns of one length. The operation is named where they do not fit.
func fromColumns(op string, cols ...*Column) *Frame {
	f := &Frame{cols: cols, index: make(map[string]int, len(cols))}
	for i, c := range cols {
		if i == 0 {
			f.rows = c.n
		}
		if c.n != f.rows {
			fail(op, tensor.ErrShape, "", "column %q has %d rows, column %q %d", cols[0].name, f.rows, c.name, c.n)
		}
		if _, ok := f.index[c.name]; ok {
			fail(op, tensor.ErrValue, "Rename gives one of them another name", "two columns are named %q", c.name)
		}
		f.index[c.name] = i
	}
	if f.rows > maxRows {
		fail(op, tensor.ErrMemory, "", "%d rows: at most %d", f.rows, maxRows)
	}
	return f
}

// New makes a frame of names and values, in pairs. Values are a slice, as NewColumn takes it, a *Column, or a tensor of
// rank 1:
//
//	frame.New("city", []string{"Oslo", "Bergen"}, "people", []int{709_037, 291_940})
//
// It panics with ErrShape when lengths differ, and with ErrDType for a slice of elements that no column can have.
func New(pairs ...any) *Frame {
	const op = "frame"
	if len(pairs)%2 != 0 {
		fail(op, tensor.ErrValue, `frame.New("x", xs, "y", ys) has two columns`,
			"%d arguments: want names and values in pairs", len(pairs))
	}
	var cols []*Column
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			fail(op, tensor.ErrValue, `frame.New("x", xs, "y", ys) has two columns`,
				"argument %d is a %T: want the name of a column", i+1, pairs[i])
		}
		cols = append(cols, columnOf(op, name, pairs[i+1]))
	}
	return fromColumns(op, cols...)
}

// FromMap makes a frame of the values of a map, in the order of its keys, which are the names of the columns.
func FromMap(values map[string]any) *Frame {
	names := make([]string, 0, len(values))
	for n := range values {
		names = append(names, n)
	}
	slices.Sort(names)
	var cols []*Column
	for _, n := range names {
		cols = append(cols, columnOf("frommap", n, values[n]))
	}
	return fromColumns("frommap", cols...)
}

// FromColumns makes a frame of columns, which it shares.
func FromColumns(cols ...*Column) *Frame { return fromColumns("fromcolumns", slices.Clone(cols)...) }

// Rows returns the number of rows.
func (f *Frame) Rows() int { return f.rows }

// Shape returns the numbers of rows and columns.
func (f *Frame) Shape() (rows, columns int) { return f.rows, len(f.cols) }

// Names returns the names of the columns.
func (f *Frame) Names() []string {
	names := make([]string, len(f.cols))
	for i, c := range f.cols {
		names[i] = c.name
	}
	return names
}

// Types returns the types of the columns.
func (f *Frame) Types() []Type {
	types := make([]Type, len(f.cols))
	for i, c := range f.cols {
		types[i] = c.typ
	}
	return types
}

// Has reports whether there is a column of a name.
func (f *Frame) Has(name string) bool {
	_, ok := f.index[name]
	return ok
}

// Col returns a column. It panics with ErrIndex when there is none of the name.
func (f *Frame) Col(name string) *Column { return f.column("col", name) }

// Columns returns all columns.
func (f *Frame) Columns() []*Column { return slices.Clone(f.cols) }

// Row returns a row as a map from names to values, as Column.At returns them; negative rows count from the end.
func (f *Frame) Row(i int) map[string]any {
	at := i
	if at < 0 {
		at += f.rows
	}
	if at < 0 || at >= f.rows {
		fail("row", tensor.ErrIndex, "", "row %d of a frame of %d rows", i, f.rows)
	}
	out := make(map[string]any, len(f.cols))
	for _, c := range f.cols {
		out[c.name] = c.At(at)
	}
	return out
}

// Select returns the columns of these names, in this order. It panics with ErrIndex for a name that no column has.
func (f *Frame) Select(names ...string) *Frame {
	return fromColumns("select", f.columns("select", names)...)
}

func (f *Frame) columns(op string, names []string) []*Column {
	cols := make([]*Column, len(names))
	for i, n := range names {
		cols[i] = f.column(op, n)
	}
	return cols
}

// Drop returns the frame without the columns of these names. It panics with ErrIndex for a name that no column has.
func (f *Frame) Drop(names ...string) *Frame {
	f.columns("drop", names)
	out := make([]*Column, 0, len(f.cols))
	for _, c := range f.cols {
		if !slices.Contains(names, c.name) {
			out = append(out, c)
		}
	}
	return f.with("drop", out)
}

// with is a frame of the rows of f: without columns it has them all the same.
func (f *Frame) with(op string, cols []*Column) *Frame {
	out := fromColumns(op, cols...)
	if len(cols) == 0 {
		out.rows = f.rows
	}
	return out
}

// Rename returns the frame with new names for columns, given in pairs of the old and the new one:
//
//	f.Rename("Sepal.Length", "length", "Sepal.Width", "width")
func (f *Frame) Rename(oldNew ...string) *Frame {
	const op = "rename"
	if len(oldNew)%2 != 0 {
		fail(op, tensor.ErrValue, `f.Rename("a", "x", "b", "y") renames two columns`,
			"%d names: want pairs of the old and the new one", len(oldNew))
	}
	cols := slices.Clone(f.cols)
	for i := 0; i < len(oldNew); i += 2 {
		f.column(op, oldNew[i])
		at := f.index[oldNew[i]]
		cols[at] = cols[at].Rename(oldNew[i+1])
	}
	return fromColumns(op, cols...)
}

// With returns the frame with a column that is added, or replaced where one has the name. value is an expression of
// other columns, a slice, a *Column, a tensor of rank 1, or one value for all rows:
//
//	f.With("km_per_h", frame.Col("km").Div(frame.Col("hours")))
func (f *Frame) With(name string, value any) *Frame {
	const op = "with"
	var c *Column
	if e, ok := value.(Expr); ok {
		c = e.on(op, f).full(f.rows).Rename(name)
	} else if one := literalColumn(value); one != nil {
		c = one.full(f.rows).Rename(name)
	} else {
		c = columnOf(op, name, value)
	}
	return f.withColumn(op, c)
}

func (f *Frame) withColumn(op string, c *Column) *Frame {
	if len(f.cols) > 0 && c.n != f.rows {
		fail(op, tensor.ErrShape, "", "column %q has %d rows, the frame %d", c.name, c.n, f.rows)
	}
	cols := slices.Clone(f.cols)
	if at, ok := f.index[c.name]; ok {
		cols[at] = c
	} else {
		cols = append(cols, c)
	}
	return fromColumns(op, cols...)
}

// Slice returns rows lo to hi, without hi; negative ones count from the end. It panics with ErrIndex when they are
// outside the frame.
func (f *Frame) Slice(lo, hi int) *Frame {
	from, to := lo, hi
	if from < 0 {
		from += f.rows
	}
	if to < 0 {
		to += f.rows
	}
	if from < 0 || to > f.rows || from > to {
		fail("slice", tensor.ErrIndex, "", "rows %d to %d of a frame of %d rows", lo, hi, f.rows)
	}
	return f.slice(from, to)
}

func (f *Frame) slice(lo, hi int) *Frame {
	cols := make([]*Column, len(f.cols))
	for i, c := range f.cols {
		cols[i] = c.slice(lo, hi)
	}
	out := fromColumns("slice", cols...)
	out.rows = hi - lo
	return out
}

// Head returns the first n rows, or all when there are fewer.
func (f *Frame) Head(n int) *Frame { return f.slice(0, max(0, min(n, f.rows))) }

// Tail returns the last n rows, or all when there are fewer.
func (f *Frame) Tail(n int) *Frame { return f.slice(f.rows-max(0, min(n, f.rows)), f.rows) }

// Sample returns n different rows, chosen at random, in random order. The same seed chooses the same rows. It panics
// with ErrValue when there are fewer than n.
func (f *Frame) Sample(n int, seed uint64) *Frame {
	if n < 0 || n > f.rows {
		fail("sample", tensor.ErrValue, "", "%d different rows of a frame of %d rows", n, f.rows)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	moved := map[int]int32{} // Fisher's and Yates's shuffle of 0 to rows-1, as far as it is needed
	at := func(i int) int32 {
		if v, ok := moved[i]; ok {
			return v
		}
		return int32(i)
	}
	rows := make([]int32, n)
	for i := range rows {
		k := i + r.IntN(f.rows-i)
		rows[i] = at(k)
		moved[k] = at(i)
	}
	return f.take(rows)
}

// Take returns the rows of these numbers, in this order; a row may be taken more than once. It panics with ErrIndex for
// a number outside the frame.
func (f *Frame) Take(rows []int) *Frame {
	at := make([]int32, len(rows))
	for i, r := range rows {
		if r < 0 || r >= f.rows {
			fail("take", tensor.ErrIndex, "", "row %d of a frame of %d rows", r, f.rows)
		}
		at[i] = int32(r)
	}
	return f.take(at)
}

// GoString returns the shape, the names and the types.
func (f *Frame) GoString() string {
	s := fmt.Sprintf("frame.Frame[%d rows", f.rows)
	for _, c := range f.cols {
		s += fmt.Sprintf(", %s %v", c.name, c.typ)
	}
	return s + "]"
}
