package frame

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/gorocm/gorocm/tensor"
)

// NewColumn makes a column of a slice of Go values: of bool, of any type of integer or float, of string, of time.Time,
// of pointers to these (nil is a missing value), or of any, whose elements are of one such type, or nil. It panics with
// ErrDType for other types, and with ErrValue for an unsigned integer beyond int64 and a time outside the years 1677 to
// 2262.
func NewColumn(name string, values any) *Column { return columnOf("newcolumn", name, values) }

// Categories makes a Category column of strings.
func Categories(name string, values []string) *Column { return textColumn(name, values).category() }

// Dates makes a Date column. The time of day is dropped: a date is that of the time in its own zone.
func Dates(name string, values []time.Time) *Column {
	c := &Column{name: name, typ: Date, n: len(values), days: make([]int32, len(values))}
	for i, t := range values {
		c.days[i] = dayOf("dates", t)
	}
	return c
}

func dayOf(op string, t time.Time) int32 {
	y, m, d := t.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400
	if day < math.MinInt32 || day > math.MaxInt32 {
		fail(op, tensor.ErrValue, "", "the year %d is beyond what a date holds", y)
	}
	return int32(day)
}

// nanos returns a time as nanoseconds since 1970, if they fit.
func nanos(t time.Time) (int64, bool) {
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0, false
	}
	return t.UnixNano(), true
}

func columnOf(op, name string, values any) *Column {
	switch v := values.(type) {
	case nil:
		fail(op, tensor.ErrDType, "", "column %q: no values", name)
	case *Column:
		return v.Rename(name)
	case *tensor.Tensor:
		return tensorColumn(op, name, v)
	case Expr:
		fail(op, tensor.ErrDType, fmt.Sprintf("f.With(%q, …) adds a column to a frame", name),
			"column %q: an expression needs the frame whose columns it has", name)
	case []int64:
		return &Column{name: name, typ: Int64, n: len(v), ints: append([]int64{}, v...)}
	case []float64:
		return &Column{name: name, typ: Float64, n: len(v), floats: append([]float64{}, v...)}
	case []float32:
		return &Column{name: name, typ: Float32, n: len(v), single: append([]float32{}, v...)}
	case []string:
		return textColumn(name, v)
	}
	r := reflect.ValueOf(values)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		fail(op, tensor.ErrDType, "", "column %q: a %T: want a slice", name, values)
	}
	b := newBuilder(op, name, r.Len())
	for i := range r.Len() {
		b.add(r.Index(i))
	}
	if b.typ == 0 {
		b.typ = elementType(r.Type().Elem())
	}
	return b.column()
}

// elementType is the type of a column of elements of a Go type; 0 if only the elements tell.
func elementType(t reflect.Type) Type {
	if t == reflect.TypeFor[time.Time]() {
		return Timestamp
	}
	switch k := t.Kind(); {
	case k == reflect.Pointer:
		return elementType(t.Elem())
	case k == reflect.Bool:
		return Bool
	case k == reflect.Float32:
		return Float32
	case k == reflect.Float64:
		return Float64
	case k == reflect.String:
		return String
	case k >= reflect.Int && k <= reflect.Uintptr:
		return Int64
	}
	return 0
}

// builder makes a column of values one by one.
type builder struct {
	op   string
	c    *Column
	typ  Type // of the values up to now; 0: all were missing
	bits []bool
	rows int
	n    int
}

func newBuilder(op, name string, rows int) *builder {
	return &builder{op: op, rows: rows, c: &Column{name: name, valid: newBitmap(rows), ends: []int64{0}}}
}

// add appends a value.
func (b *builder) add(v reflect.Value) {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) {
		v = v.Elem()
	}
	if v.IsValid() {
		typ := elementType(v.Type())
		if typ == 0 {
			fail(b.op, tensor.ErrDType, "columns have bool, numbers, string or time.Time",
				"column %q: row %d is a %v", b.c.name, b.n, v.Type())
		}
		b.to(typ)
	}
	b.append(v)
	b.n++
}

// to makes values of a type possible: an integer after floats is one of them, floats after integers make them floats.
func (b *builder) to(typ Type) {
	switch {
	case b.typ == typ || b.typ == Float64 && (typ == Int64 || typ == Float32):
		return
	case b.typ == 0:
		b.typ = typ
		for range b.n {
			b.appendZero()
		}
		return
	case b.typ == Int64 && typ == Float64, b.typ == Float32 && typ == Float64:
		for i := range b.n {
			if b.typ == Int64 {
				b.c.floats = append(b.c.floats, float64(b.c.ints[i]))
			} else {
				b.c.floats = append(b.c.floats, float64(b.c.single[i]))
			}
		}
		b.typ = Float64
		return
	}
	fail(b.op, tensor.ErrDType, "", "column %q: row %d is %v, those before it are %v", b.c.name, b.n, typ, b.typ)
}

func (b *builder) appendZero() {
	switch b.typ {
	case Bool:
		b.bits = append(b.bits, false)
	case Int64, Timestamp:
		b.c.ints = append(b.c.ints, 0)
	case Float64:
		b.c.floats = append(b.c.floats, 0)
	case Float32:
		b.c.single = append(b.c.single, 0)
	case String:
		b.c.ends = append(b.c.ends, int64(len(b.c.text)))
	}
}

func (b *builder) append(v reflect.Value) {
	if !v.IsValid() {
		b.appendZero()
		return
	}
	b.c.valid.set(b.n)
	switch b.typ {
	case Bool:
		b.bits = append(b.bits, v.Bool())
	case Int64:
		b.c.ints = append(b.c.ints, b.integer(v))
	case Float64:
		if v.CanFloat() {
			b.c.floats = append(b.c.floats, v.Float())
		} else {
			b.c.floats = append(b.c.floats, float64(b.integer(v)))
		}
	case Float32:
		b.c.single = append(b.c.single, float32(v.Float()))
	case String:
		b.c.text = append(b.c.text, v.String()...)
		b.c.ends = append(b.c.ends, int64(len(b.c.text)))
	case Timestamp:
		t := v.Interface().(time.Time)
		ns, ok := nanos(t)
		if !ok {
			fail(b.op, tensor.ErrValue, "frame.Dates makes a column of dates, which hold every year",
				"column %q: row %d: the year %d is outside what a timestamp holds, 1678 to 2261", b.c.name, b.n, t.Year())
		}
		b.c.ints = append(b.c.ints, ns)
	}
}

func (b *builder) integer(v reflect.Value) int64 {
	if v.CanInt() {
		return v.Int()
	}
	if u := v.Uint(); u <= math.MaxInt64 {
		return int64(u)
	}
	fail(b.op, tensor.ErrValue, "", "column %q: row %d: %d is beyond int64", b.c.name, b.n, v.Uint())
	return 0
}

// column is the column of the values that were added; those of a column without any value are strings.
func (b *builder) column() *Column {
	if b.typ == 0 {
		b.typ = String
	}
	c := b.c
	if c.typ, c.n = b.typ, b.n; b.c.valid.count() == 0 && b.n > 0 {
		return missingColumn(c.name, c.typ, c.n)
	}
	switch c.typ {
	case Bool:
		c.bits = bitsOf(c.n, func(i int) bool { return b.bits[i] })
	case Float64:
		c.ints, c.single = nil, nil
	case String:
	default:
	}
	if c.typ != String {
		c.ends = nil
	}
	c.dropValid()
	return c
}

// textColumn makes a String column.
func textColumn(name string, values []string) *Column {
	c := &Column{name: name, typ: String, n: len(values), ends: make([]int64, len(values)+1)}
	total := 0
	for i, s := range values {
		total += len(s)
		c.ends[i+1] = int64(total)
	}
	c.text = make([]byte, 0, total)
	for _, s := range values {
		c.text = append(c.text, s...)
	}
	return c
}

// literalColumn is a column of one row with a Go value; nil if it is not a single value.
func literalColumn(v any) *Column {
	if v == nil {
		return nil
	}
	t := reflect.TypeOf(v)
	if elementType(t) == 0 || t.Kind() == reflect.Pointer {
		return nil
	}
	b := newBuilder("literal", "literal", 1)
	b.add(reflect.ValueOf(v))
	return b.column()
}

// category returns a String column as categories, in the order in which they appear.
func (c *Column) category() *Column {
	if c.typ == Category {
		return c
	}
	k := codesOf(c)
	rows := k.first
	codes := k.codes
	if c.valid != nil { // the code of missing values is no category
		missing := int32(-1)
		kept := make([]int32, 0, len(rows))
		for code, r := range rows {
			if !c.valid.has(int(r)) {
				missing = int32(code)
				continue
			}
			kept = append(kept, r)
		}
		rows = kept
		for i, code := range codes {
			switch {
			case code == missing:
				codes[i] = 0
			case missing >= 0 && code > missing:
				codes[i] = code - 1
			}
		}
	}
	dict := c.take(rows, false).Rename("")
	return &Column{name: c.name, typ: Category, n: c.n, valid: c.valid, days: codes, dict: dict}
}
