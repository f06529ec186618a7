package frame

import (
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/tensor"
)

// Column is a named column of a frame. It never changes.
type Column struct {
	name  string
	typ   Type
	n     int
	valid bitmap // nil: no value is missing

	ints   []int64   // Int64; Timestamp, nanoseconds since 1970 in UTC
	days   []int32   // Date, days since 1970; the codes of Category
	floats []float64 // Float64
	single []float32 // Float32
	bits   bitmap    // Bool
	ends   []int64   // String: element i is text[ends[i]:ends[i+1]]
	text   []byte
	dict   *Column // Category: its strings, which differ and of which none is missing
}

// Name returns the name of the column.
func (c *Column) Name() string { return c.name }

// Type returns the type of the elements.
func (c *Column) Type() Type { return c.typ }

// Len returns the number of rows.
func (c *Column) Len() int { return c.n }

// Missing returns the number of missing values.
func (c *Column) Missing() int {
	if c.valid == nil {
		return 0
	}
	return c.n - c.valid.count()
}

// IsMissing reports whether the value of a row is missing.
func (c *Column) IsMissing(row int) bool {
	c.check("ismissing", row)
	return !c.valid.has(row)
}

// Rename returns the column under another name.
func (c *Column) Rename(name string) *Column {
	out := *c
	out.name = name
	return &out
}

func (c *Column) check(op string, row int) {
	if row < 0 || row >= c.n {
		fail(op, tensor.ErrIndex, "", "row %d of column %q, which has %d rows", row, c.name, c.n)
	}
}

// At returns the value of a row as bool, int64, float64, float32, string or time.Time, or nil when it is missing.
func (c *Column) At(row int) any {
	c.check("at", row)
	if !c.valid.has(row) {
		return nil
	}
	switch c.typ {
	case Bool:
		return c.bits.get(row)
	case Int64:
		return c.ints[row]
	case Float64:
		return c.floats[row]
	case Float32:
		return c.single[row]
	case Date, Timestamp:
		return c.time(row)
	}
	return c.str(row)
}

// str returns a text or category without a copy: the strings are never changed.
func (c *Column) str(i int) string {
	if c.typ == Category {
		return c.dict.str(int(c.days[i]))
	}
	b := c.text[c.ends[i]:c.ends[i+1]]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

const nanosPerDay = int64(24 * time.Hour)

func (c *Column) time(i int) time.Time {
	if c.typ == Date {
		return time.Unix(int64(c.days[i])*86400, 0).UTC()
	}
	return time.Unix(0, c.ints[i]).UTC()
}

// float returns a number as float64.
func (c *Column) float(i int) float64 {
	switch c.typ {
	case Int64:
		return float64(c.ints[i])
	case Float32:
		return float64(c.single[i])
	}
	return c.floats[i]
}

// Ints returns the values of an Int64 column. It panics with ErrDType for other types, and with ErrValue when a value
// is missing.
func (c *Column) Ints() []int64 {
	c.whole("ints", Int64)
	return slices.Clone(c.ints)
}

// Floats returns the numbers of a column as float64, with NaN for missing values. It panics with ErrDType when they are
// not numbers.
func (c *Column) Floats() []float64 {
	c.numbers("floats")
	out := make([]float64, c.n)
	blocks(c.n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if out[i] = math.NaN(); c.valid.has(i) {
				out[i] = c.float(i)
			}
		}
	})
	return out
}

// Strings returns the values of a String or Category column. It panics with ErrDType for other types, and with ErrValue
// when a value is missing.
func (c *Column) Strings() []string {
	c.whole("strings", String, Category)
	return readOut(c, c.str)
}

// Bools returns the values of a Bool column. It panics with ErrDType for other types, and with ErrValue when a value is
// missing.
func (c *Column) Bools() []bool {
	c.whole("bools", Bool)
	return readOut(c, c.bits.get)
}

// Times returns the values of a Date or Timestamp column, in UTC. It panics with ErrDType for other types, and with
// ErrValue when a value is missing.
func (c *Column) Times() []time.Time {
	c.whole("times", Date, Timestamp)
	return readOut(c, c.time)
}

func readOut[T any](c *Column, at func(int) T) []T {
	out := make([]T, c.n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// whole panics unless the column has one of the types and no missing value.
func (c *Column) whole(op string, types ...Type) {
	if !slices.Contains(types, c.typ) {
		fail(op, tensor.ErrDType, "", "column %q is %v: want %v", c.name, c.typ, types[0])
	}
	if n := c.Missing(); n > 0 {
		fail(op, tensor.ErrValue, "f.DropMissing leaves such rows out, f.FillMissing gives them a value",
			"%d of %d values of column %q are missing", n, c.n, c.name)
	}
}

// numbers panics unless the column has numbers.
func (c *Column) numbers(op string) {
	if !c.typ.IsNumber() {
		fail(op, tensor.ErrDType, "", "column %q is %v: want numbers", c.name, c.typ)
	}
}

// slice returns rows lo to hi of a column, whose values are shared.
func (c *Column) slice(lo, hi int) *Column {
	out := &Column{name: c.name, typ: c.typ, n: hi - lo, valid: c.valid.slice(lo, hi-lo), dict: c.dict, text: c.text}
	switch c.typ {
	case Bool:
		out.bits = c.bits.slice(lo, hi-lo)
	case Int64, Timestamp:
		out.ints = c.ints[lo:hi:hi]
	case Date, Category:
		out.days = c.days[lo:hi:hi]
	case Float64:
		out.floats = c.floats[lo:hi:hi]
	case Float32:
		out.single = c.single[lo:hi:hi]
	case String:
		out.ends = c.ends[lo : hi+1 : hi+1]
	}
	out.dropValid()
	return out
}

// dropValid forgets the mask of valid values if all are valid.
func (c *Column) dropValid() {
	if c.valid != nil && c.valid.count() == c.n {
		c.valid = nil
	}
}

// missingColumn returns a column of n missing values.
func missingColumn(name string, typ Type, n int) *Column {
	c := &Column{name: name, typ: typ, n: n, valid: newBitmap(n)}
	switch typ {
	case Bool:
		c.bits = newBitmap(n)
	case Int64, Timestamp:
		c.ints = make([]int64, n)
	case Date, Category:
		c.days = make([]int32, n)
	case Float64:
		c.floats = make([]float64, n)
	case Float32:
		c.single = make([]float32, n)
	case String:
		c.ends = make([]int64, n+1)
	}
	if typ == Category {
		c.dict = textColumn("", nil)
	}
	c.dropValid()
	return c
}

// String returns the name, the type and the first values.
func (c *Column) String() string {
	const most = 10
	s := fmt.Sprintf("%s %v [%d]:", c.name, c.typ, c.n)
	for i := range min(c.n, most) {
		s += " " + c.shown(i)
	}
	if c.n > most {
		s += " …"
	}
	return s
}
