package frame

import (
	"math"
	"reflect"
	"time"

	"github.com/gorocm/gorocm/tensor"
)

// Filter returns the rows for which a condition is true, which is neither false nor missing:
//
//	f.Filter(frame.Col("age").Gt(30).And(frame.Col("city").Eq("Oslo")))
func (f *Frame) Filter(cond Expr) *Frame {
	c := cond.on("filter", f).full(f.rows)
	c.want("filter", Bool)
	return f.kept("filter", c.bits.and(c.valid))
}

func (f *Frame) kept(op string, bits bitmap) *Frame {
	_ = op
	if bits.count() == f.rows {
		return f
	}
	return f.take(bits.rowsOf())
}

// FilterMask returns the rows for which a mask is true: a []bool, a Bool column or a tensor of rank 1 of as many
// elements as the frame has rows. It panics with ErrShape for another number.
func (f *Frame) FilterMask(mask any) *Frame {
	const op = "filtermask"
	c := columnOf(op, "mask", mask)
	c.want(op, Bool)
	if c.n != f.rows {
		fail(op, tensor.ErrShape, "", "a mask of %d elements for %d rows", c.n, f.rows)
	}
	return f.kept(op, c.bits.and(c.valid))
}

// FilterFunc returns the rows for whose values of a column a function is true. Rows with missing values are left out.
// keep is a function of the column's type, of int64, float64, float32, string, bool or time.Time; integers may be given
// to a function of int or float64, too:
//
//	f.FilterFunc("fare", func(fare float64) bool { return fare > 10 })
func (f *Frame) FilterFunc(column string, keep any) *Frame {
	const op = "filterfunc"
	kept := f.column(op, column).mapped(op, keep)
	kept.want(op, Bool)
	return f.kept(op, kept.bits.and(kept.valid))
}

// Map returns what a function makes of each value; missing values stay missing. fn has one argument, as that of
// Frame.FilterFunc, and one result: a bool, a number, a string or a time.Time.
//
//	f.With("initial", f.Col("name").Map(func(s string) string { return s[:1] }))
func (c *Column) Map(fn any) *Column { return c.mapped("map", fn) }

func (c *Column) mapped(op string, fn any) *Column {
	switch fn := fn.(type) {
	case func(float64) float64:
		if c.typ.IsNumber() {
			out := &Column{name: c.name, typ: Float64, n: c.n, valid: c.valid, floats: make([]float64, c.n)}
			c.eachValid(func(i int) { out.floats[i] = fn(c.float(i)) })
			return out
		}
	case func(float64) bool:
		if c.typ.IsNumber() {
			return mappedBool(c, func(i int) bool { return fn(c.float(i)) })
		}
	case func(int64) bool:
		if c.typ == Int64 {
			return mappedBool(c, func(i int) bool { return fn(c.ints[i]) })
		}
	case func(string) bool:
		if c.typ.isText() {
			return mappedBool(c, func(i int) bool { return fn(c.str(i)) })
		}
	}
	return mappedByReflection(c, op, fn)
}

func (c *Column) eachValid(f func(i int)) {
	for i := range c.n {
		if c.valid.has(i) {
			f(i)
		}
	}
}

func mappedBool(c *Column, f func(i int) bool) *Column {
	out := &Column{name: c.name, typ: Bool, n: c.n, valid: c.valid, bits: newBitmap(c.n)}
	c.eachValid(func(i int) {
		if f(i) {
			out.bits.set(i)
		}
	})
	return out
}

func mappedByReflection(c *Column, op string, fn any) *Column {
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func || v.Type().NumIn() != 1 || v.Type().NumOut() != 1 || v.IsNil() {
		fail(op, tensor.ErrDType, "", "a %T: want a function of one value with one result", fn)
	}
	in := v.Type().In(0)
	if !givable(c, in) {
		fail(op, tensor.ErrDType, "", "column %q is %v, which a %v does not take", c.name, c.typ, v.Type())
	}
	b := newBuilder(op, c.name, c.n)
	b.typ = elementType(v.Type().Out(0))
	args := make([]reflect.Value, 1)
	for i := range c.n {
		if !c.valid.has(i) {
			b.add(reflect.Value{})
			continue
		}
		args[0] = reflect.ValueOf(c.At(i)).Convert(in)
		b.add(v.Call(args)[0])
	}
	return b.column()
}

// givable reports whether values can be arguments of a Go type.
func givable(c *Column, t reflect.Type) bool {
	switch c.typ {
	case Bool:
		return t.Kind() == reflect.Bool
	case Int64:
		return t.Kind() == reflect.Int64 || t.Kind() == reflect.Int || t.Kind() == reflect.Float64
	case Float64:
		return t.Kind() == reflect.Float64
	case Float32:
		return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
	case Date, Timestamp:
		return t == reflect.TypeFor[time.Time]()
	}
	return t.Kind() == reflect.String
}

// DropMissing returns the rows that have no missing value in the named columns, or without names in any column.
func (f *Frame) DropMissing(names ...string) *Frame {
	cols := f.cols
	if len(names) > 0 {
		cols = f.columns("dropmissing", names)
	}
	var valid bitmap
	for _, c := range cols {
		valid = valid.and(c.valid)
	}
	if valid == nil {
		return f
	}
	return f.kept("dropmissing", valid)
}

// FillMissing returns the frame with a value in the place of missing ones in the named columns, or without names in
// every column of the value's kind: a number in columns of numbers, a string in those of strings and categories. An
// Int64 column that gets a number with a fraction becomes Float64. It panics with ErrDType when a named column cannot
// hold the value.
func (f *Frame) FillMissing(value any, names ...string) *Frame {
	const op = "fillmissing"
	with := exprOf(op, value).on(op, f)
	cols := append([]*Column{}, f.cols...)
	if len(names) == 0 {
		for _, c := range f.cols {
			if _, ok := common(c.typ, with.typ); ok && c.valid != nil {
				names = append(names, c.name)
			}
		}
	}
	for _, n := range names {
		c := f.column(op, n)
		cols[f.index[n]] = Col(n).FillMissing(fitting(with, c)).on(op, f).Rename(c.name)
	}
	return fromColumns(op, cols...)
}

// fitting returns one value as one of the type of a column, if it is the same number there.
func fitting(one, c *Column) *Column {
	if one.n != 1 || one.valid != nil || !one.typ.IsNumber() || !c.typ.IsNumber() {
		return one
	}
	v := one.float(0)
	if c.typ == Float32 || c.typ == Int64 && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return one.as("fillmissing", c.typ)
	}
	return one
}

// FillForward returns the frame with the last value before them in the place of missing values, in the named columns,
// or without names in every column. Missing values before the first value stay.
func (f *Frame) FillForward(names ...string) *Frame {
	if len(names) == 0 {
		names = f.Names()
	}
	cols := append([]*Column{}, f.cols...)
	for _, n := range names {
		c := f.column("fillforward", n)
		rows, last := make([]int32, c.n), int32(-1)
		for i := range rows {
			if c.valid.has(i) {
				last = int32(i)
			}
			rows[i] = last
		}
		cols[f.index[n]] = c.take(rows, true)
	}
	return fromColumns("fillforward", cols...)
}
