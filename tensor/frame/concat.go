package frame

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Concat puts frames one below another. Columns are matched by their names; where a frame lacks a column of another
// one, its rows have missing values there. Integers and floats of one column become Float64, strings and categories
// String. It panics with ErrDType when types of a column do not fit otherwise.
func Concat(frames ...*Frame) *Frame {
	const op = "concat"
	if len(frames) == 0 {
		return fromColumns(op)
	}
	var names []string
	types := map[string]Type{}
	for i, f := range frames {
		if f == nil {
			fail(op, tensor.ErrValue, "", "frame %d is nil", i+1)
		}
		for _, c := range f.cols {
			typ, seen := types[c.name]
			if !seen {
				names, typ = append(names, c.name), c.typ
			}
			both, ok := common(typ, c.typ)
			if !ok {
				fail(op, tensor.ErrDType, "With and Cast change a column's type",
					"column %q is %v in frame %d, and %v before it", c.name, c.typ, i+1, typ)
			}
			types[c.name] = both
		}
	}
	cols := make([]*Column, len(names))
	for j, n := range names {
		pieces := make([]*Column, len(frames))
		for i, f := range frames {
			if f.Has(n) {
				pieces[i] = f.column(op, n).as(op, types[n])
			} else {
				pieces[i] = missingColumn(n, types[n], f.rows)
			}
		}
		cols[j] = concat(pieces)
	}
	out := fromColumns(op, cols...)
	if len(cols) == 0 {
		for _, f := range frames {
			out.rows += f.rows
		}
	}
	return out
}

// common returns the type that holds the values of two.
func common(a, b Type) (Type, bool) {
	switch low, high := min(a, b), max(a, b); {
	case a == b:
		return a, true
	case a.IsNumber() && b.IsNumber():
		return Float64, true
	case a.isText() && b.isText():
		return String, true
	case low == Date && high == Timestamp:
		return Timestamp, true
	}
	return 0, false
}

// concat puts columns of one type one below another; categories of several dictionaries get a common one.
func concat(pieces []*Column) *Column {
	if len(pieces) == 1 {
		return pieces[0]
	}
	n := 0
	starts := make([]int, len(pieces))
	missing := false
	for i, p := range pieces {
		starts[i] = n
		n += p.n
		missing = missing || p.valid != nil
	}
	if n > maxRows {
		fail("concat", tensor.ErrMemory, "", "%d rows: at most %d", n, maxRows)
	}
	out := &Column{name: pieces[0].name, typ: pieces[0].typ, n: n}
	if missing {
		out.valid = newBitmap(n)
		for i, p := range pieces {
			out.valid.put(starts[i], p.valid, p.n)
		}
	}
	switch out.typ {
	case Bool:
		out.bits = newBitmap(n)
		for i, p := range pieces {
			out.bits.put(starts[i], p.bits, p.n)
		}
	case Int64, Timestamp:
		out.ints = joined(pieces, n, starts, func(c *Column) []int64 { return c.ints })
	case Date:
		out.days = joined(pieces, n, starts, func(c *Column) []int32 { return c.days })
	case Category:
		pieces = oneDictionary(pieces)
		out.dict = pieces[0].dict
		out.days = joined(pieces, n, starts, func(c *Column) []int32 { return c.days })
	case Float64:
		out.floats = joined(pieces, n, starts, func(c *Column) []float64 { return c.floats })
	case Float32:
		out.single = joined(pieces, n, starts, func(c *Column) []float32 { return c.single })
	case String:
		out.joinText(pieces, starts)
	}
	return out
}

func joined[T any](pieces []*Column, n int, starts []int, values func(*Column) []T) []T {
	out := make([]T, n)
	each(len(pieces), func(i int) { copy(out[starts[i]:], values(pieces[i])) })
	return out
}

// joinText joins the strings of pieces, which may be parts of larger columns.
func (out *Column) joinText(pieces []*Column, starts []int) {
	out.ends = make([]int64, out.n+1)
	at := make([]int64, len(pieces)+1)
	for i, p := range pieces {
		at[i+1] = at[i] + p.ends[p.n] - p.ends[0]
	}
	out.text = make([]byte, at[len(pieces)])
	each(len(pieces), func(i int) {
		p := pieces[i]
		copy(out.text[at[i]:at[i+1]], p.text[p.ends[0]:p.ends[p.n]])
		shift := at[i] - p.ends[0]
		to := out.ends[starts[i]+1:]
		for k, e := range p.ends[1 : p.n+1] {
			to[k] = e + shift
		}
	})
}

// oneDictionary gives columns of categories the same dictionary.
func oneDictionary(pieces []*Column) []*Column {
	first := pieces[0].dict
	if !slices.ContainsFunc(pieces, func(c *Column) bool { return c.dict != first }) {
		return pieces
	}
	index := map[string]int32{}
	var all []string
	out := make([]*Column, len(pieces))
	for i, p := range pieces {
		to := make([]int32, p.dict.n+1) // one more, for the codes of missing values
		for k := range p.dict.n {
			s := p.dict.str(k)
			code, ok := index[s]
			if !ok {
				code = int32(len(all))
				index[s] = code
				all = append(all, s)
			}
			to[k] = code
		}
		c := *p
		c.days = make([]int32, p.n)
		for k, code := range p.days {
			c.days[k] = to[code]
		}
		out[i] = &c
	}
	dict := textColumn("", all)
	for _, c := range out {
		c.dict = dict
	}
	return out
}
