package frame

import (
	"fmt"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/spelling"
)

// Expr is an expression of the columns of a frame, such as frame.Col("km").Div(frame.Col("hours")): With, Filter and
// Frame.Eval compute it. Where a method takes any, that is another Expr, or a Go value: a bool, a number, a string or a
// time.Time. A string beside a date or a timestamp is read as one.
type Expr struct {
	eval func(op string, f *Frame) *Column // of as many rows as the frame has, or of one
	text string
}

// Col is the column of this name, in an expression.
func Col(name string) Expr {
	return Expr{func(op string, f *Frame) *Column { return f.column(op, name) }, name}
}

// Lit is a Go value, as an expression. It panics with ErrDType for a value that no column has.
func Lit(v any) Expr {
	c := literalColumn(v)
	if c == nil {
		fail("lit", tensor.ErrDType, "", "a %T: want a bool, a number, a string or a time", v)
	}
	return Expr{func(string, *Frame) *Column { return c }, fmt.Sprint(v)}
}

// exprOf is what a method was given: an expression, a column, or a Go value.
func exprOf(op string, v any) Expr {
	switch v := v.(type) {
	case Expr:
		return v
	case *Column:
		return Expr{func(string, *Frame) *Column { return v }, v.name}
	}
	c := literalColumn(v)
	if c == nil {
		fail(op, tensor.ErrDType, "frame.Col(\"x\") is a column", "a %T: want an expression, or a bool, a number, a string or a time", v)
	}
	return Expr{func(string, *Frame) *Column { return c }, fmt.Sprint(v)}
}

// String returns what the expression computes, as text.
func (e Expr) String() string { return e.text }

func (e Expr) on(op string, f *Frame) *Column {
	if e.eval == nil {
		fail(op, tensor.ErrValue, `frame.Col("x") is an expression`, "an Expr that no function has made")
	}
	return e.eval(op, f)
}

// Eval computes an expression: a column of as many rows as the frame has.
func (f *Frame) Eval(e Expr) *Column { return e.on("eval", f).full(f.rows).Rename(e.text) }

// unary is an expression of one operand.
func (e Expr) unary(name string, f func(op string, c *Column) *Column) Expr {
	return Expr{func(_ string, on *Frame) *Column { return f(name, e.on(name, on)) }, name + "(" + e.text + ")"}
}

// binary is an expression of two operands of as many rows.
func (e Expr) binary(name, sign string, other any, f func(op string, a, b *Column) *Column) Expr {
	y := exprOf(name, other)
	return Expr{func(_ string, on *Frame) *Column {
		a, b := e.on(name, on), y.on(name, on)
		a, b = literalAs(name, a, b), literalAs(name, b, a)
		n := rowsFor(name, a, b)
		return f(name, a.full(n), b.full(n))
	}, "(" + e.text + " " + sign + " " + y.text + ")"}
}

// rowsFor returns how many rows a result of operands has, of which some may have one row for all.
func rowsFor(op string, operands ...*Column) int {
	n := 1
	for _, c := range operands {
		switch {
		case n == 1:
			n = c.n
		case c.n != 1 && c.n != n:
			fail(op, tensor.ErrShape, "", "columns of %d and %d rows", n, c.n)
		}
	}
	return n
}

// literalAs reads a string that stands beside dates or timestamps as one of them, and makes a date one of them.
func literalAs(op string, c, beside *Column) *Column {
	if c.n == 1 && c.typ == String && beside.typ.isTime() && c.valid == nil {
		if _, ok := spelling.Date([]byte(c.str(0))); ok {
			return c.as(op, Date).as(op, beside.typ)
		}
		return c.as(op, Timestamp)
	}
	return c
}

// Add is the sum. A time.Duration can be added to a timestamp. Integers that leave int64 panic with ErrValue.
func (e Expr) Add(other any) Expr {
	if d, ok := other.(time.Duration); ok {
		return laterExpr(e, int64(d))
	}
	return e.binary("add", "+", other, arithmetic)
}

// Sub is the difference. A time.Duration can be subtracted from a timestamp.
func (e Expr) Sub(other any) Expr {
	if d, ok := other.(time.Duration); ok {
		return laterExpr(e, -int64(d))
	}
	return e.binary("sub", "-", other, arithmetic)
}

// Mul is the product.
func (e Expr) Mul(other any) Expr { return e.binary("mul", "*", other, arithmetic) }

// Div is the quotient, always of floats: 7 divided by 2 is 3.5, 1 divided by 0 infinity.
func (e Expr) Div(other any) Expr { return e.binary("div", "/", other, arithmetic) }

// FloorDiv is the quotient rounded down; of integers an Int64. A division of integers by 0 gives a missing value.
func (e Expr) FloorDiv(other any) Expr { return e.binary("floordiv", "//", other, arithmetic) }

// Mod is the remainder of FloorDiv, which has the sign of the divisor. A division of integers by 0 gives a missing
// value.
func (e Expr) Mod(other any) Expr { return e.binary("mod", "%", other, arithmetic) }

// Pow is the power, Float64.
func (e Expr) Pow(other any) Expr { return e.binary("pow", "**", other, arithmetic) }

// Eq is true where both are equal. NaN equals nothing.
func (e Expr) Eq(other any) Expr { return e.binary("eq", "==", other, comparison) }

// Ne is true where both differ.
func (e Expr) Ne(other any) Expr { return e.binary("ne", "!=", other, comparison) }

// Lt is true where the first is less.
func (e Expr) Lt(other any) Expr { return e.binary("lt", "<", other, comparison) }

// Le is true where the first is less or equal.
func (e Expr) Le(other any) Expr { return e.binary("le", "<=", other, comparison) }

// Gt is true where the first is greater.
func (e Expr) Gt(other any) Expr { return e.binary("gt", ">", other, comparison) }

// Ge is true where the first is greater or equal.
func (e Expr) Ge(other any) Expr { return e.binary("ge", ">=", other, comparison) }

// Between is true from low to high, both included.
func (e Expr) Between(low, high any) Expr { return e.Ge(low).And(e.Le(high)) }

// And is true where both are; false where one is false, whether the other is missing or not.
func (e Expr) And(other any) Expr { return e.binary("and", "&", other, logic) }

// Or is true where one is true, whether the other is missing or not.
func (e Expr) Or(other any) Expr { return e.binary("or", "|", other, logic) }

// Not exchanges true and false.
func (e Expr) Not() Expr {
	return e.unary("not", func(op string, c *Column) *Column {
		c.want(op, Bool)
		out := &Column{name: c.name, typ: Bool, n: c.n, valid: c.valid}
		out.bits = bitsOf(c.n, func(i int) bool { return !c.bits.get(i) })
		return out
	})
}

// want panics unless the column has a type.
func (c *Column) want(op string, t Type) {
	if c.typ != t {
		note := ""
		if t == Bool {
			note = `a comparison, as in frame.Col("x").Gt(0), is true or false`
		}
		fail(op, tensor.ErrDType, note, "column %q is %v: want %v", c.name, c.typ, t)
	}
}

// IsMissing is true where a value is missing.
func (e Expr) IsMissing() Expr {
	return e.unary("ismissing", func(_ string, c *Column) *Column {
		return &Column{name: c.name, typ: Bool, n: c.n, bits: bitsOf(c.n, func(i int) bool { return !c.valid.has(i) })}
	})
}

// NotMissing is true where a value is there.
func (e Expr) NotMissing() Expr { return e.IsMissing().Not() }

// IsNaN is true where a float is NaN.
func (e Expr) IsNaN() Expr {
	return e.unary("isnan", func(op string, c *Column) *Column {
		c.numbers(op)
		out := &Column{name: c.name, typ: Bool, n: c.n, valid: c.valid}
		out.bits = bitsOf(c.n, func(i int) bool { v := c.float(i); return v != v })
		return out
	})
}

// IsIn is true where the value is one of a list of Go values. Missing values stay missing.
func (e Expr) IsIn(values ...any) Expr {
	out := Lit(false)
	for i, v := range values {
		if i == 0 {
			out = e.Eq(v)
		} else {
			out = out.Or(e.Eq(v))
		}
	}
	if len(values) == 0 {
		out = e.Eq(e).And(false)
	}
	return out
}

// FillMissing has another value where one is missing.
func (e Expr) FillMissing(with any) Expr {
	return e.binary("fillmissing", "??", with, func(op string, c, other *Column) *Column {
		return chosen(op, bitmapOf(c.valid, c.n), c, other)
	})
}

func bitmapOf(valid bitmap, n int) bitmap {
	if valid == nil {
		return ones(n)
	}
	return valid
}

// When is one expression where a condition is true, and another where it is false or missing.
func When(cond Expr, then, otherwise any) Expr {
	a, b := exprOf("when", then), exprOf("when", otherwise)
	return Expr{func(_ string, f *Frame) *Column {
		c, x, y := cond.on("when", f), a.on("when", f), b.on("when", f)
		c.want("when", Bool)
		x, y = literalAs("when", x, y), literalAs("when", y, x)
		n := rowsFor("when", c, x, y)
		c = c.full(n)
		return chosen("when", c.bits.and(c.valid), x.full(n), y.full(n))
	}, fmt.Sprintf("when(%s, %s, %s)", cond.text, a.text, b.text)}
}

// chosen takes values of x where a bit is set, of y elsewhere.
func chosen(op string, bits bitmap, x, y *Column) *Column {
	typ, ok := common(x.typ, y.typ)
	if !ok {
		fail(op, tensor.ErrDType, "Cast changes a type", "%v and %v in one column", x.typ, y.typ)
	}
	if x.typ == Category && y.typ == String || y.typ == Category && x.typ == String {
		typ = Category
	}
	both := concat([]*Column{x.as(op, typ), y.as(op, typ)})
	rows := computed(x.n, func(i int) int32 {
		if bits.get(i) {
			return int32(i)
		}
		return int32(x.n + i)
	})
	return both.take(rows, false).Rename(x.name)
}

// Cast is Column.Cast.
func (e Expr) Cast(t Type) Expr {
	return e.unary("cast", func(op string, c *Column) *Column { return c.as(op, t) })
}
