package frame

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
)

// arithmetic computes a sum, a product or the like of two columns of as many rows.
func arithmetic(op string, a, b *Column) *Column {
	if a.typ.isTime() && b.typ.isTime() && op == "sub" {
		fail(op, tensor.ErrDType, `frame.Col("end").SecondsSince(frame.Col("start")) is the time between them`,
			"columns %q and %q are %v and %v", a.name, b.name, a.typ, b.typ)
	}
	for _, c := range []*Column{a, b} {
		if !c.typ.IsNumber() {
			note := ""
			if c.typ == Bool {
				note = "Cast(frame.Int64) makes true 1 and false 0"
			}
			fail(op, tensor.ErrDType, note, "%q is %v: want numbers", c.name, c.typ)
		}
	}
	out := &Column{name: a.name, typ: Float64, n: a.n, valid: a.valid.and(b.valid)}
	if a.typ == Int64 && b.typ == Int64 && op != "div" && op != "pow" {
		out.typ = Int64
		integerLoop(out, op, a, b)
		return out
	}
	f := floatOps[op]
	if a.typ == Float32 && b.typ == Float32 {
		out.typ = Float32
		out.single = computed(a.n, func(i int) float32 { return float32(f(a.float(i), b.float(i))) })
		return out
	}
	if a.typ == Float64 && b.typ == Float64 {
		out.floats = floatLoop(op, a.floats, b.floats)
		return out
	}
	out.floats = computed(a.n, func(i int) float64 { return f(a.float(i), b.float(i)) })
	return out
}

var floatOps = map[string]func(x, y float64) float64{
	"add":      func(x, y float64) float64 { return x + y },
	"sub":      func(x, y float64) float64 { return x - y },
	"mul":      func(x, y float64) float64 { return x * y },
	"div":      func(x, y float64) float64 { return x / y },
	"pow":      math.Pow,
	"floordiv": func(x, y float64) float64 { return math.Floor(x / y) },
	"mod":      floatMod,
}

// floatMod is the remainder with the sign of y.
func floatMod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// floatLoop has loops of their own for what is frequent.
func floatLoop(op string, a, b []float64) []float64 {
	out := make([]float64, len(a))
	f := floatOps[op]
	blocks(len(a), func(lo, hi int) {
		x, y, to := a[lo:hi], b[lo:hi], out[lo:hi]
		switch op {
		case "add":
			for i := range to {
				to[i] = x[i] + y[i]
			}
		case "sub":
			for i := range to {
				to[i] = x[i] - y[i]
			}
		case "mul":
			for i := range to {
				to[i] = x[i] * y[i]
			}
		case "div":
			for i := range to {
				to[i] = x[i] / y[i]
			}
		default:
			for i := range to {
				to[i] = f(x[i], y[i])
			}
		}
	})
	return out
}

// integers computes an operation of integers; those that leave int64 are an error.
func integerLoop(out *Column, op string, a, b *Column) {
	out.ints = make([]int64, a.n)
	if op == "mod" || op == "floordiv" {
		out.valid = out.valid.and(nonZero(b))
		out.dropValid()
	}
	for i := range out.ints {
		if !out.valid.has(i) {
			continue
		}
		v, ok := integer.Op(op, a.ints[i], b.ints[i])
		if !ok {
			fail(op, tensor.ErrValue, "Cast(frame.Float64) computes with floats, rounded",
				"row %d: %s of %d and %d is beyond int64", i, op, a.ints[i], b.ints[i])
		}
		out.ints[i] = v
	}
}

func nonZero(c *Column) bitmap { return bitsOf(c.n, func(i int) bool { return c.ints[i] != 0 }) }

// float is an expression of a function of numbers; its values are floats.
func (e Expr) float(name string, f func(float64) float64) Expr {
	return e.unary(name, func(op string, c *Column) *Column {
		c.numbers(op)
		out := &Column{name: c.name, typ: Float64, n: c.n, valid: c.valid}
		if c.typ == Float32 {
			out.typ = Float32
			out.single = computed(c.n, func(i int) float32 { return float32(f(float64(c.single[i]))) })
			return out
		}
		out.floats = computed(c.n, func(i int) float64 { return f(c.float(i)) })
		return out
	})
}

// whole is float, but integers stay as they are.
func wholeFloat(e Expr, name string, f func(float64) float64) Expr {
	floats := e.float(name, f)
	return Expr{func(op string, on *Frame) *Column {
		if c := e.on(op, on); c.typ == Int64 {
			return c
		}
		return floats.on(op, on)
	}, floats.text}
}

// Neg is the negative.
func (e Expr) Neg() Expr {
	minus := Lit(-1)
	out := e.Mul(minus)
	out.text = "(-" + e.text + ")"
	return out
}

// Abs is the absolute value.
func (e Expr) Abs() Expr {
	out := Expr{func(op string, f *Frame) *Column {
		c := e.on(op, f)
		if c.typ != Int64 {
			return e.float("abs", math.Abs).on(op, f)
		}
		return withValid(When(e.Lt(0), e.Neg(), e).on(op, f), c.valid)
	}, "abs(" + e.text + ")"}
	return out
}

func withValid(c *Column, valid bitmap) *Column {
	out := *c
	out.valid = valid
	return &out
}

// Sqrt is the square root.
func (e Expr) Sqrt() Expr { return e.float("sqrt", math.Sqrt) }

// Exp is e to the power of the number.
func (e Expr) Exp() Expr { return e.float("exp", math.Exp) }

// Log is the natural logarithm.
func (e Expr) Log() Expr { return e.float("log", math.Log) }

// Floor rounds floats down.
func (e Expr) Floor() Expr { return wholeFloat(e, "floor", math.Floor) }

// Ceil rounds floats up.
func (e Expr) Ceil() Expr { return wholeFloat(e, "ceil", math.Ceil) }

// Round rounds floats to a number of decimals, halves to even, as NumPy does: -1 rounds to tens, of integers, too.
func (e Expr) Round(decimals int) Expr {
	scale := math.Pow(10, float64(decimals))
	floats := wholeFloat(e, "round", func(v float64) float64 {
		if r := math.RoundToEven(v*scale) / scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
			return r
		}
		return v
	})
	return Expr{func(op string, on *Frame) *Column {
		c := floats.on(op, on)
		if c.typ != Int64 || decimals >= 0 {
			return c
		}
		out := &Column{name: c.name, typ: Int64, n: c.n, valid: c.valid}
		out.ints = serial(c.n, func(i int) int64 {
			v, ok := integer.Round(c.ints[i], -decimals)
			if !ok && c.valid.has(i) {
				fail("round", tensor.ErrValue, "Cast(frame.Float64) computes with floats, rounded",
					"row %d: %d, rounded to a multiple of 10^%d, is beyond int64", i, c.ints[i], -decimals)
			}
			return v
		})
		return out
	}, floats.text}
}
