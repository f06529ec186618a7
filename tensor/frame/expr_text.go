package frame

import (
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
)

// wantText panics unless the column has strings or categories.
func (c *Column) wantText(op string) {
	if !c.typ.isText() {
		fail(op, tensor.ErrDType, "Cast(frame.String) spells values", "column %q is %v: want string or category",
			c.name, c.typ)
	}
}

// texts is an expression of strings made of strings. Of categories only the dictionary is computed.
func textExpr(e Expr, name string, f func(string) string) Expr {
	return e.unary(name, func(op string, c *Column) *Column {
		c.wantText(op)
		if c.typ == Category {
			out := *c
			mapped := c.dict.texts(f).category() // different ones may have become equal
			out.days = computed(c.n, func(i int) int32 {
				if !c.valid.has(i) {
					return 0
				}
				return mapped.days[c.days[i]]
			})
			out.dict = mapped.dict
			return &out
		}
		return c.texts(f)
	})
}

func (c *Column) texts(f func(string) string) *Column {
	out := &Column{name: c.name, typ: String, n: c.n, valid: c.valid, ends: make([]int64, c.n+1)}
	for i := range c.n {
		if c.valid.has(i) {
			out.text = append(out.text, f(c.str(i))...)
		}
		out.ends[i+1] = int64(len(out.text))
	}
	return out
}

// textBool is an expression that asks something of strings.
func textBool(e Expr, name string, f func(string) bool) Expr {
	return e.unary(name, func(op string, c *Column) *Column {
		c.wantText(op)
		return mappedBool(c, func(i int) bool { return f(c.str(i)) })
	})
}

// Lower is the text in lower case.
func (e Expr) Lower() Expr { return textExpr(e, "lower", strings.ToLower) }

// Upper is the text in upper case.
func (e Expr) Upper() Expr { return textExpr(e, "upper", strings.ToUpper) }

// Trim is the text without white space around it.
func (e Expr) Trim() Expr { return textExpr(e, "trim", strings.TrimSpace) }

// Replace is the text with new in the place of each old.
func (e Expr) Replace(old, new string) Expr {
	return textExpr(e, "replace", func(s string) string { return strings.ReplaceAll(s, old, new) })
}

// Contains is true for text with a part.
func (e Expr) Contains(part string) Expr {
	return textBool(e, "contains", func(s string) bool { return strings.Contains(s, part) })
}

// StartsWith is true for text that begins with a part.
func (e Expr) StartsWith(part string) Expr {
	return textBool(e, "startswith", func(s string) bool { return strings.HasPrefix(s, part) })
}

// EndsWith is true for text that ends with a part.
func (e Expr) EndsWith(part string) Expr {
	return textBool(e, "endswith", func(s string) bool { return strings.HasSuffix(s, part) })
}

// Matches is true for text that has a match of a regular expression, of package regexp. It panics with ErrValue for an
// expression that is wrong.
func (e Expr) Matches(pattern string) Expr {
	re, err := regexp.Compile(pattern)
	if err != nil {
		fail("matches", tensor.ErrValue, "", "%v", err)
	}
	return textBool(e, "matches", re.MatchString)
}

// TextLen is the number of characters of text, Int64.
func (e Expr) TextLen() Expr {
	return e.unary("textlen", func(op string, c *Column) *Column {
		c.wantText(op)
		return integerColumn(c, func(i int) int64 { return int64(utf8.RuneCountInString(c.str(i))) })
	})
}

func integerColumn(c *Column, f func(i int) int64) *Column {
	out := &Column{name: c.name, typ: Int64, n: c.n, valid: c.valid, ints: make([]int64, c.n)}
	c.eachValid(func(i int) { out.ints[i] = f(i) })
	return out
}

// timePart is a part of dates and timestamps, in UTC.
func timePart(e Expr, name string, f func(time.Time) int) Expr {
	return e.unary(name, func(op string, c *Column) *Column {
		c.wantTime(op)
		return integerColumn(c, func(i int) int64 { return int64(f(c.time(i))) })
	})
}

func (c *Column) wantTime(op string) {
	if !c.typ.isTime() {
		fail(op, tensor.ErrDType, "Cast(frame.Timestamp) reads times such as 2006-01-02 15:04:05",
			"column %q is %v: want date or timestamp", c.name, c.typ)
	}
}

// Year is the year of a date or timestamp, Int64.
func (e Expr) Year() Expr { return timePart(e, "year", time.Time.Year) }

// Month is the month, from 1 to 12.
func (e Expr) Month() Expr {
	return timePart(e, "month", func(t time.Time) int { return int(t.Month()) })
}

// Day is the day of the month.
func (e Expr) Day() Expr { return timePart(e, "day", time.Time.Day) }

// Weekday is the day of the week, 0 for Monday to 6 for Sunday, as in Python.
func (e Expr) Weekday() Expr {
	return timePart(e, "weekday", func(t time.Time) int { return (int(t.Weekday()) + 6) % 7 })
}

// Hour is the hour, from 0 to 23, in UTC.
func (e Expr) Hour() Expr { return timePart(e, "hour", time.Time.Hour) }

// Minute is the minute.
func (e Expr) Minute() Expr { return timePart(e, "minute", time.Time.Minute) }

// Second is the second, without its parts.
func (e Expr) Second() Expr { return timePart(e, "second", time.Time.Second) }

// Truncate is the start of the period that a date or timestamp is in: "year", "quarter", "month", "week" (from Monday),
// "day", "hour", "minute" or "second", in UTC. Grouping by it resamples a table by time. It panics with ErrValue for
// another period, and with ErrDType for a part of a day of dates.
func (e Expr) Truncate(period string) Expr {
	return e.unary("truncate", func(op string, c *Column) *Column { return truncated(op, c, period) })
}

func truncated(op string, c *Column, period string) *Column {
	c.wantTime(op)
	start := periodStart(op, period)
	if c.typ == Date && (period == "hour" || period == "minute" || period == "second") {
		fail(op, tensor.ErrDType, "", "column %q is date, which has no %s", c.name, period)
	}
	out := &Column{name: c.name, typ: c.typ, n: c.n, valid: c.valid}
	if c.typ == Date {
		out.days = make([]int32, c.n)
		c.eachValid(func(i int) { out.days[i] = int32(integer.FloorDiv(start(c.time(i)).Unix(), 86400)) })
		return out
	}
	out.ints = make([]int64, c.n)
	c.eachValid(func(i int) {
		ns, ok := nanos(start(c.time(i)))
		if !ok {
			fail(op, tensor.ErrValue, "", "column %q, row %d: the %s of %s begins before what a timestamp holds", c.name, i,
				period, c.shown(i))
		}
		out.ints[i] = ns
	})
	return out
}

func periodStart(op, period string) func(time.Time) time.Time {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	month := func(t time.Time, m time.Month) time.Time { return time.Date(t.Year(), m, 1, 0, 0, 0, 0, time.UTC) }
	switch period {
	case "year":
		return func(t time.Time) time.Time { return month(t, 1) }
	case "quarter":
		return func(t time.Time) time.Time { return month(t, (t.Month()-1)/3*3+1) }
	case "month":
		return func(t time.Time) time.Time { return month(t, t.Month()) }
	case "week":
		return func(t time.Time) time.Time { return day(t).AddDate(0, 0, -(int(t.Weekday())+6)%7) }
	case "day":
		return day
	case "hour":
		return func(t time.Time) time.Time { return day(t).Add(time.Duration(t.Hour()) * time.Hour) }
	case "minute":
		return func(t time.Time) time.Time {
			return t.Add(-time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
		}
	case "second":
		return func(t time.Time) time.Time { return t.Add(-time.Duration(t.Nanosecond())) }
	}
	fail(op, tensor.ErrValue, "", `%q is no period: want "year", "quarter", "month", "week", "day", "hour", "minute" or "second"`,
		period)
	return nil
}

// SecondsSince is the number of seconds from other to this timestamp, Float64.
func (e Expr) SecondsSince(other any) Expr {
	return e.binary("secondssince", "since", other, func(op string, a, b *Column) *Column {
		a.wantTime(op)
		b.wantTime(op)
		x, y := a.as(op, Timestamp), b.as(op, Timestamp)
		out := &Column{name: a.name, typ: Float64, n: a.n, valid: a.valid.and(b.valid)}
		out.floats = computed(a.n, func(i int) float64 {
			d := x.ints[i] - y.ints[i]
			if (d < x.ints[i]) != (y.ints[i] > 0) {
				return float64(x.ints[i])/1e9 - float64(y.ints[i])/1e9
			}
			return float64(d) / 1e9
		})
		return out
	})
}

// later moves timestamps.
func laterExpr(e Expr, ns int64) Expr {
	return e.unary("add", func(op string, c *Column) *Column {
		if c.typ != Timestamp {
			fail(op, tensor.ErrDType, "Cast(frame.Timestamp) makes times of dates", "column %q is %v: want timestamp",
				c.name, c.typ)
		}
		return c.later(op, ns)
	})
}

func (c *Column) later(op string, ns int64) *Column {
	out := &Column{name: c.name, typ: Timestamp, n: c.n, valid: c.valid, ints: make([]int64, c.n)}
	c.eachValid(func(i int) {
		v, ok := integer.Op("add", c.ints[i], ns)
		if !ok || v == math.MinInt64 {
			fail(op, tensor.ErrValue, "", "column %q, row %d: the time is outside what a timestamp holds, 1678 to 2261",
				c.name, i)
		}
		out.ints[i] = v
	})
	return out
}
