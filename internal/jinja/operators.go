package jinja

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

func intOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// number is a number as a float; bools are numbers in Python.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		return float64(intOf(v)), true
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// integers are two values as integers, if both are.
func integers(a, b any) (x, y int, ok bool) {
	if v, is := a.(bool); is {
		a = intOf(v)
	}
	if v, is := b.(bool); is {
		b = intOf(v)
	}
	x, ok = a.(int)
	y, ok2 := b.(int)
	return x, y, ok && ok2
}

// signed is -v, +v or not v.
func signed(op string, v any) (any, error) {
	if op == "not" {
		return !truth(v), nil
	}
	if b, ok := v.(bool); ok {
		v = intOf(b)
	}
	switch v := v.(type) {
	case int:
		if op == "-" && v != math.MinInt {
			v = -v
		}
		return v, nil
	case float64:
		if op == "-" {
			v = -v
		}
		return v, nil
	case undefined:
		return nil, v.err()
	}
	return nil, fmt.Errorf("%s of a %s", op, typeName(v))
}

// operate is an arithmetic operation.
func operate(op string, a, b any) (any, error) {
	if op == "~" {
		return joined(a, b)
	}
	for _, v := range []any{a, b} {
		if u, ok := v.(undefined); ok {
			return nil, fmt.Errorf("%w: it has no %s", u.err(), op)
		}
	}
	if x, y, ok := integers(a, b); ok {
		return operateInts(op, x, y)
	}
	x, ok := number(a)
	y, ok2 := number(b)
	if ok && ok2 {
		return operateFloats(op, x, y)
	}
	if op == "+" {
		switch a := a.(type) {
		case string:
			if b, ok := b.(string); ok {
				return joined(a, b)
			}
		case list:
			if b, ok := b.(list); ok && a.kind == b.kind && !a.lazy() {
				items := append(append([]any{}, a.items...), b.items...)
				if len(items) > maxSteps {
					return nil, fmt.Errorf("a list has more than %d items", maxSteps)
				}
				return list{items, a.kind}, nil
			}
		}
	}
	if op == "*" {
		if v, err, ok := repeated(a, b); ok {
			return v, err
		}
	}
	if _, isText := a.(string); isText && op == "%" {
		return nil, fmt.Errorf("formatting by %% is not supported")
	}
	return nil, fmt.Errorf("there is no %s %s %s", typeName(a), op, typeName(b))
}

// joined is a ~ b.
func joined(a, b any) (any, error) {
	x, err := text(a)
	if err != nil {
		return nil, err
	}
	y, err := text(b)
	if err != nil {
		return nil, err
	}
	if len(x)+len(y) > maxText {
		return nil, fmt.Errorf("a text has more than %d bytes", maxText)
	}
	return x + y, nil
}

// repeated is text or a list times a number.
func repeated(a, b any) (v any, err error, ok bool) {
	if _, _, isInt := integers(a, 0); isInt {
		a, b = b, a
	}
	n, _, isInt := integers(b, 0)
	n = max(n, 0)
	switch a := a.(type) {
	case string:
		if isInt && n > 0 && len(a) > maxText/n {
			return nil, fmt.Errorf("a text has more than %d bytes", maxText), true
		}
		if isInt {
			return strings.Repeat(a, n), nil, true
		}
	case list:
		if isInt && n > 0 && len(a.items) > maxRange/n {
			return nil, fmt.Errorf("a list has more than %d items", maxRange), true
		}
		if isInt && !a.lazy() {
			var items []any
			for range n {
				items = append(items, a.items...)
			}
			return list{items, a.kind}, nil, true
		}
	}
	return nil, nil, false
}

func operateInts(op string, x, y int) (any, error) {
	switch op {
	case "+":
		if z := x + y; (z > x) == (y > 0) || y == 0 {
			return z, nil
		}
	case "-":
		if z := x - y; (z < x) == (y > 0) || y == 0 {
			return z, nil
		}
	case "*":
		if high, low := bits.Mul64(magnitude(x), magnitude(y)); high == 0 && low < 1<<63 {
			return x * y, nil
		}
	case "**":
		return power(x, y)
	case "//", "%":
		if y == 0 {
			return nil, fmt.Errorf("a division by zero")
		}
		if x == math.MinInt && y == -1 {
			break
		}
		q, rest := x/y, x%y
		if rest != 0 && (rest < 0) != (y < 0) { // Python rounds down
			q, rest = q-1, rest+y
		}
		if op == "%" {
			return rest, nil
		}
		return q, nil
	default:
		return operateFloats(op, float64(x), float64(y))
	}
	return nil, fmt.Errorf("%d %s %d has more than 64 bits", x, op, y)
}

func magnitude(x int) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

func power(x, y int) (any, error) {
	if y < 0 {
		return operateFloats("**", float64(x), float64(y))
	}
	var v any = 1
	for range y {
		var err error
		if v, err = operateInts("*", v.(int), x); err != nil {
			return nil, err
		}
		if v == 0 || v == 1 && x == 1 {
			break
		}
		if x == -1 {
			return 1 - 2*(y%2), nil
		}
	}
	return v, nil
}

func operateFloats(op string, x, y float64) (any, error) {
	if y == 0 && (op == "/" || op == "//" || op == "%") {
		return nil, fmt.Errorf("a division by zero")
	}
	switch op {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "/":
		return x / y, nil
	case "//":
		return math.Round((x - modulo(x, y)) / y), nil
	case "%":
		return modulo(x, y), nil
	}
	return math.Pow(x, y), nil
}

// modulo is x % y, which has the sign of y.
func modulo(x, y float64) float64 {
	rest := math.Mod(x, y)
	switch {
	case rest == 0:
		return math.Copysign(0, y)
	case (rest < 0) != (y < 0):
		return rest + y
	}
	return rest
}

// equal is a == b.
func equal(a, b any) bool {
	x, ok := number(a)
	y, ok2 := number(b)
	if ok || ok2 {
		return ok && ok2 && x == y
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && a == s
	case undefined:
		_, ok := b.(undefined)
		return ok
	case list:
		l, ok := b.(list)
		if !ok || a.kind != l.kind || a.lazy() || len(a.items) != len(l.items) {
			return false
		}
		for i := range a.items {
			if !equal(a.items[i], l.items[i]) {
				return false
			}
		}
		return true
	case *dict:
		d, ok := b.(*dict)
		if !ok || len(a.keys) != len(d.keys) {
			return false
		}
		for _, k := range a.keys {
			v, ok := d.get(k)
			if !ok || !equal(a.of[k], v) {
				return false
			}
		}
		return true
	case *namespace:
		return b == any(a)
	case *macro:
		return b == any(a)
	}
	return false
}

// order is the order of two values.
func order(a, b any) (int, error) {
	if i, j, ok := integers(a, b); ok {
		return cmp.Compare(i, j), nil
	}
	x, ok := number(a)
	y, ok2 := number(b)
	if ok && ok2 {
		if math.IsNaN(x) || math.IsNaN(y) {
			return 0, fmt.Errorf("NaN has no order")
		}
		return cmp.Compare(x, y), nil
	}
	switch a := a.(type) {
	case string:
		if s, ok := b.(string); ok {
			return strings.Compare(a, s), nil
		}
	case list:
		if l, ok := b.(list); ok && a.kind == l.kind && !a.lazy() {
			for i := range min(len(a.items), len(l.items)) {
				if !equal(a.items[i], l.items[i]) {
					return order(a.items[i], l.items[i])
				}
			}
			return cmp.Compare(len(a.items), len(l.items)), nil
		}
	}
	return 0, fmt.Errorf("there is no order between a %s and a %s", typeName(a), typeName(b))
}

// compared is a comparison.
func compared(op string, a, b any) (bool, error) {
	switch op {
	case "==":
		return equal(a, b), nil
	case "!=":
		return !equal(a, b), nil
	case "in":
		return contains(b, a)
	case "not in":
		is, err := contains(b, a)
		return !is, err
	}
	for _, v := range []any{a, b} {
		if u, ok := v.(undefined); ok {
			return false, fmt.Errorf("%w: it has no order", u.err())
		}
	}
	n, err := order(a, b)
	switch op {
	case "<":
		return n < 0, err
	case "<=":
		return n <= 0, err
	case ">":
		return n > 0, err
	}
	return n >= 0, err
}

// hashable is the error of a value that cannot be a key.
func hashable(v any) error {
	switch v := v.(type) {
	case *dict:
		return fmt.Errorf("a dict cannot be a key")
	case list:
		if v.kind == aList {
			return fmt.Errorf("a list cannot be a key")
		}
	}
	return nil
}

// contains is v in all.
func contains(all, v any) (bool, error) {
	switch all := all.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			return false, fmt.Errorf("a %s cannot be in a text", typeName(v))
		}
		return strings.Contains(all, s), nil
	case *dict:
		s, ok := v.(string)
		if !ok {
			return false, hashable(v)
		}
		_, there := all.get(s)
		return there, nil
	}
	items, err := iterate(all)
	for _, item := range items {
		if equal(item, v) {
			return true, nil
		}
	}
	return false, err
}
