package frame

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
	"github.com/gorocm/gorocm/tensor/frame/internal/spelling"
)

// Cast returns the values as another type. Strings are read as in a CSV file: empty ones are missing values, and others
// must be a number, time or bool. Floats become integers only if they are whole. Every type can become String. It
// panics with ErrValue for a value that the type cannot hold, and with ErrDType for types that cannot be converted.
func (c *Column) Cast(t Type) *Column { return c.as("cast", t) }

func (c *Column) as(op string, t Type) *Column {
	if c.typ == t {
		return c
	}
	out := &Column{name: c.name, typ: t, n: c.n, valid: c.valid}
	switch {
	case t == Category && c.typ.isText():
		return c.category()
	case t == Category:
		return c.as(op, String).category()
	case t == String:
		return spelled(c)
	case c.typ.isText():
		return readStrings(c, op, t)
	case t == Float64 && (c.typ.IsNumber() || c.typ == Bool):
		out.floats = computed(c.n, func(i int) float64 { return c.number(i) })
	case t == Float32 && (c.typ.IsNumber() || c.typ == Bool):
		out.single = computed(c.n, func(i int) float32 { return float32(c.number(i)) })
	case t == Int64 && c.typ == Bool:
		out.ints = computed(c.n, func(i int) int64 { return int64(c.number(i)) })
	case t == Int64 && c.typ.isFloat():
		out.ints = wholeNumbers(c, op)
	case t == Timestamp && c.typ == Date:
		out.ints = make([]int64, c.n)
		for i, d := range c.days {
			if out.ints[i] = int64(d) * nanosPerDay; out.ints[i]/nanosPerDay != int64(d) && c.valid.has(i) {
				fail(op, tensor.ErrValue, "", "column %q, row %d: %s is outside what a timestamp holds, 1678 to 2261",
					c.name, i, c.shown(i))
			}
		}
	case t == Date && c.typ == Timestamp:
		out.days = computed(c.n, func(i int) int32 { return int32(integer.FloorDiv(c.ints[i], nanosPerDay)) })
	case t == Bool && c.typ.IsNumber():
		out.bits = bitsOf(c.n, func(i int) bool { return c.number(i) != 0 }).and(c.valid)
	default:
		fail(op, tensor.ErrDType, "", "column %q is %v, which cannot become %v", c.name, c.typ, t)
	}
	return out
}

// computed makes values of rows on all cores.
func computed[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	blocks(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = f(i)
		}
	})
	return out
}

func wholeNumbers(c *Column, op string) []int64 {
	out := make([]int64, c.n)
	for i := range out {
		if !c.valid.has(i) {
			continue
		}
		v := c.float(i)
		if v != math.Trunc(v) || v < math.MinInt64 || v >= math.MaxInt64 {
			fail(op, tensor.ErrValue, "Floor, Ceil or Round before it make whole numbers", "column %q, row %d: %v is no int64",
				c.name, i, v)
		}
		out[i] = int64(v)
	}
	return out
}

// read reads strings as values of a type.
func readStrings(c *Column, op string, t Type) *Column {
	out := &Column{name: c.name, typ: t, n: c.n, valid: newBitmap(c.n)}
	bad := func(i int) {
		fail(op, tensor.ErrValue, "", "column %q, row %d: %.60q is not a %v", c.name, i, c.str(i), t)
	}
	switch t {
	case Int64:
		out.ints = readText(c, out.valid, bad, func(b []byte) (int64, bool) {
			v, result := spelling.Int(b, false)
			return v, result == spelling.Parsed
		})
	case Float64:
		out.floats = readText(c, out.valid, bad, func(b []byte) (float64, bool) { return spelling.Float(b, false) })
	case Float32:
		out.single = readText(c, out.valid, bad, func(b []byte) (float32, bool) {
			v, ok := spelling.Float(b, false)
			return float32(v), ok
		})
	case Date:
		out.days = readText(c, out.valid, bad, spelling.Date)
	case Timestamp:
		out.ints = readText(c, out.valid, bad, func(b []byte) (int64, bool) {
			ns, _, ok := spelling.Time(b)
			return ns, ok
		})
	case Bool:
		bools := readText(c, out.valid, bad, spelling.Bool)
		out.bits = bitsOf(c.n, func(i int) bool { return bools[i] })
	}
	out.dropValid()
	return out
}

func readText[T any](c *Column, valid bitmap, bad func(int), parse func([]byte) (T, bool)) []T {
	out := make([]T, c.n)
	for i := range out {
		if !c.valid.has(i) || c.str(i) == "" {
			continue
		}
		v, ok := parse(trim([]byte(c.str(i))))
		if !ok {
			bad(i)
		}
		out[i] = v
		valid.set(i)
	}
	return out
}

// spelled returns the values as strings that read as the same values.
func spelled(c *Column) *Column {
	out := &Column{name: c.name, typ: String, n: c.n, valid: c.valid, ends: make([]int64, c.n+1)}
	for i := range c.n {
		if c.valid.has(i) {
			out.text = c.appendText(out.text, i)
		}
		out.ends[i+1] = int64(len(out.text))
	}
	return out
}

// appendText appends a value as files spell it.
func (c *Column) appendText(b []byte, i int) []byte {
	switch c.typ {
	case Bool:
		return strconv.AppendBool(b, c.bits.get(i))
	case Int64:
		return strconv.AppendInt(b, c.ints[i], 10)
	case Float64:
		return appendFloat(b, c.floats[i], 64)
	case Float32:
		return appendFloat(b, float64(c.single[i]), 32)
	case Date:
		t := c.time(i)
		if y := t.Year(); y < 0 || y > 9999 {
			return fmt.Appendf(b, "%+05d-%02d-%02d", y, t.Month(), t.Day())
		}
		return t.AppendFormat(b, time.DateOnly)
	case Timestamp:
		return append(b, timeText(c.ints[i])...)
	}
	return append(b, c.str(i)...)
}

// appendFloat writes a float with the digits that it takes to read the same one; a whole one keeps a point, so that it
// is read as a float.
func appendFloat(b []byte, v float64, size int) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendFloat(b, v, 'f', 1, size)
	}
	return strconv.AppendFloat(b, v, 'g', -1, size)
}
