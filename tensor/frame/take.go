package frame

// take returns rows by their numbers, all of which are rows of the frame.
func (f *Frame) take(rows []int32) *Frame {
	out := f.with("take", takeAll(f.cols, rows, false))
	out.rows = len(rows)
	return out
}

// takeAll takes rows of several columns; with gaps, -1 is a row of missing values.
func takeAll(cols []*Column, rows []int32, gaps bool) []*Column {
	out := make([]*Column, len(cols))
	for i, c := range cols {
		out[i] = c.take(rows, gaps)
	}
	return out
}

// take returns the values of rows; with gaps, -1 is a row without a value.
func (c *Column) take(rows []int32, gaps bool) *Column {
	n := len(rows)
	out := &Column{name: c.name, typ: c.typ, n: n, dict: c.dict}
	if c.valid != nil || gaps {
		out.valid = bitsOf(n, func(i int) bool { return rows[i] >= 0 && c.valid.has(int(rows[i])) })
		out.dropValid()
	}
	switch c.typ {
	case Bool:
		out.bits = bitsOf(n, func(i int) bool { return rows[i] >= 0 && c.bits.get(int(rows[i])) })
	case Int64, Timestamp:
		out.ints = gather(c.ints, rows, gaps)
	case Date, Category:
		out.days = gather(c.days, rows, gaps)
	case Float64:
		out.floats = gather(c.floats, rows, gaps)
	case Float32:
		out.single = gather(c.single, rows, gaps)
	case String:
		out.gatherText(c, rows)
	}
	return out
}

func gather[T any](from []T, rows []int32, gaps bool) []T {
	out := make([]T, len(rows))
	blocks(len(rows), func(lo, hi int) {
		if !gaps {
			for i, r := range rows[lo:hi] {
				out[lo+i] = from[r]
			}
			return
		}
		for i, r := range rows[lo:hi] {
			if r >= 0 {
				out[lo+i] = from[r]
			}
		}
	})
	return out
}

// gatherText copies the strings of rows: first their lengths, then, on all cores, their bytes.
func (out *Column) gatherText(from *Column, rows []int32) {
	ends := make([]int64, len(rows)+1)
	total := int64(0)
	for i, r := range rows {
		if r >= 0 {
			total += from.ends[r+1] - from.ends[r]
		}
		ends[i+1] = total
	}
	text := make([]byte, total)
	blocks(len(rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if r := rows[i]; r >= 0 {
				copy(text[ends[i]:ends[i+1]], from.text[from.ends[r]:from.ends[r+1]])
			}
		}
	})
	out.ends, out.text = ends, text
}

// rowsOf lists the rows whose bit is set.
func (b bitmap) rowsOf() []int32 {
	out := make([]int32, 0, b.count())
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			out = append(out, int32(w<<6+trailing(word)))
		}
	}
	return out
}

// full returns n rows of a column of n rows, or of one row, whose value each of them gets.
func (c *Column) full(n int) *Column {
	if c.n == n || c.n != 1 {
		return c
	}
	return c.take(make([]int32, n), false)
}
