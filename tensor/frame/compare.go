package frame

import (
	"cmp"
	"math"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// The results of comparisons of two values: bits for less, equal, greater, and for NaN, which is none of them.
const (
	isLess    = 1
	isEqual   = 2
	isGreater = 4
	isNeither = 8
)

var comparisons = map[string]uint8{"eq": isEqual, "ne": isLess | isGreater | isNeither, "lt": isLess,
	"le": isLess | isEqual, "gt": isGreater, "ge": isGreater | isEqual}

// comparison compares two columns of as many rows.
func comparison(op string, a, b *Column) *Column {
	out := &Column{name: a.name, typ: Bool, n: a.n, valid: a.valid.and(b.valid)}
	want := comparisons[op]
	order := comparing(op, a, b)
	out.bits = bitsOf(a.n, func(i int) bool { return order(i)&want != 0 && out.valid.has(i) })
	return out
}

// comparing returns how the values of a row compare.
func comparing(op string, a, b *Column) func(i int) uint8 {
	switch {
	case a.typ == Int64 && b.typ == Int64, a.typ == Timestamp && b.typ == Timestamp:
		return func(i int) uint8 { return ordered3(a.ints[i], b.ints[i]) }
	case a.typ == Float64 && b.typ == Float64:
		return func(i int) uint8 { return ordered3(a.floats[i], b.floats[i]) }
	case a.typ == Int64 && b.typ.isFloat():
		return func(i int) uint8 { return mixed(a.ints[i], b.float(i)) }
	case a.typ.isFloat() && b.typ == Int64:
		return func(i int) uint8 { return swapped(mixed(b.ints[i], a.float(i))) }
	case a.typ.isFloat() && b.typ.isFloat():
		return func(i int) uint8 { return ordered3(a.float(i), b.float(i)) }
	case a.typ == Date && b.typ == Date:
		return func(i int) uint8 { return ordered3(a.days[i], b.days[i]) }
	case a.typ.isTime() && b.typ.isTime():
		x, y := a.as(op, Timestamp), b.as(op, Timestamp)
		return func(i int) uint8 { return ordered3(x.ints[i], y.ints[i]) }
	case a.typ == Bool && b.typ == Bool:
		return func(i int) uint8 { return ordered3(int(a.number(i)), int(b.number(i))) }
	case a.typ.isText() && b.typ.isText():
		if a.typ == Category && a.dict == b.dict && (op == "eq" || op == "ne") {
			return func(i int) uint8 { return ordered3(a.days[i], b.days[i]) }
		}
		return func(i int) uint8 {
			if !a.valid.has(i) || !b.valid.has(i) {
				return isNeither
			}
			return 1 << (1 + strings.Compare(a.str(i), b.str(i)))
		}
	}
	fail(op, tensor.ErrDType, "Cast changes a type", "%q is %v, %q %v: they cannot be compared", a.name, a.typ, b.name,
		b.typ)
	return nil
}

func ordered3[T cmp.Ordered](x, y T) uint8 {
	switch {
	case x < y:
		return isLess
	case x == y:
		return isEqual
	case x > y:
		return isGreater
	}
	return isNeither
}

// mixed compares an integer and a float exactly.
func mixed(x int64, y float64) uint8 {
	switch {
	case y != y:
		return isNeither
	case y >= 1<<63:
		return isLess
	case y < math.MinInt64:
		return isGreater
	}
	whole := math.Floor(y)
	if r := ordered3(x, int64(whole)); r != isEqual {
		return r
	}
	if y > whole {
		return isLess
	}
	return isEqual
}

func swapped(r uint8) uint8 {
	switch r {
	case isLess:
		return isGreater
	case isGreater:
		return isLess
	}
	return r
}

// logic computes and, or with three values.
func logic(op string, a, b *Column) *Column {
	a.want(op, Bool)
	b.want(op, Bool)
	out := &Column{name: a.name, typ: Bool, n: a.n, bits: newBitmap(a.n)}
	if a.valid != nil || b.valid != nil {
		out.valid = newBitmap(a.n)
	}
	every := ^uint64(0)
	word := func(valid bitmap, w int) uint64 {
		if valid == nil {
			return every
		}
		return valid[w]
	}
	for w := range out.bits {
		va, vb := word(a.valid, w), word(b.valid, w)
		ta, tb := a.bits[w]&va, b.bits[w]&vb   // true
		fa, fb := ^a.bits[w]&va, ^b.bits[w]&vb // false
		t, f := ta&tb, fa|fb
		if op == "or" {
			t, f = ta|tb, fa&fb
		}
		out.bits[w] = t
		if out.valid != nil {
			out.valid[w] = t | f
		}
	}
	if len(out.bits) > 0 && out.valid != nil {
		out.valid.trim(out.n)
	}
	out.dropValid()
	return out
}
