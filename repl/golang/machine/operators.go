package machine

import (
	"reflect"
	"unsafe"
)

// both compiles the operands of a binary operator.
func both[T any](c *code, n *Node, operators func(*code, *Node) *operand[T]) (a, b *operand[T]) {
	if a = value(c, n.Child[0], operators); a == nil {
		return nil, nil
	}
	if b = value(c, n.Child[1], operators); b == nil {
		return nil, nil
	}
	return a, b
}

// computed is an operand that a closure computes.
func computed[T any](get func(*Frame) T) *operand[T] { return &operand[T]{slot: -1, get: get} }

func integerOperators[T integer](c *code, n *Node) *operand[T] {
	switch op := gen(n); op {
	case "add", "sub", "mul":
		a, b := both(c, n, integerOperators[T])
		if a == nil {
			return nil
		}
		return arithmetic(op, a, b)
	case "quo", "rem", "and", "or", "xor", "andNot":
		a, b := both(c, n, integerOperators[T])
		if a == nil {
			return nil
		}
		return computed(integerOperation(n, op, a.get, b.get))
	case "shl", "shr":
		a := value(c, n.Child[0], integerOperators[T])
		if a == nil {
			return nil
		}
		s := c.number(n.Child[1])
		if s == nil {
			return nil
		}
		return computed(shift(n, op, a.get, c.count(n.Child[1], s)))
	case "neg", "bitNot", "pos":
		a := value(c, n.Child[0], integerOperators[T])
		if a == nil {
			return nil
		}
		x := a.get
		switch op {
		case "neg":
			return computed(func(f *Frame) T { return -x(f) })
		case "bitNot":
			return computed(func(f *Frame) T { return ^x(f) })
		}
		return a
	case "convert":
		return converted[T](c, n.Child[1])
	case "_len":
		return length[T](c, n.Child[1])
	case "getIndexArray":
		if kindIn(c.typeOf(n.Child[0])) == reflect.String {
			if b := byteAt(c, n); b != nil {
				r, _ := any(b).(*operand[T])
				return r
			}
		}
	}
	return nil
}

func floatOperators[T floats](c *code, n *Node) *operand[T] {
	switch op := gen(n); op {
	case "add", "sub", "mul":
		a, b := both(c, n, floatOperators[T])
		if a == nil {
			return nil
		}
		return arithmetic(op, a, b)
	case "quo":
		a, b := both(c, n, floatOperators[T])
		if a == nil {
			return nil
		}
		x, y := a.get, b.get
		return computed(func(f *Frame) T { return x(f) / y(f) })
	case "neg":
		a := value(c, n.Child[0], floatOperators[T])
		if a == nil {
			return nil
		}
		x := a.get
		return computed(func(f *Frame) T { return -x(f) })
	case "convert":
		return converted[T](c, n.Child[1])
	case "callBin":
		return called[T](c, n)
	}
	return nil
}

func stringOperators(c *code, n *Node) *operand[string] {
	switch gen(n) {
	case "add":
		a, b := both(c, n, stringOperators)
		if a == nil {
			return nil
		}
		x, y := a.get, b.get
		return computed(func(f *Frame) string {
			a := x(f)
			return c.joined(f, n, a, y(f))
		})
	case "slice", "slice0":
		if c.kindOf(n.Child[0]) == reflect.String {
			return substring(c, n)
		}
	}
	return nil
}

// formOf chooses between the closures that a frequent operator has: for any operands, for a variable and a constant,
// for two variables, and for a constant on the right.
func formOf[T any](a, b *operand[T]) int {
	switch {
	case a.slot >= 0 && b.fixed:
		return 1
	case a.slot >= 0 && b.slot >= 0:
		return 2
	case b.fixed:
		return 3
	}
	return 0
}

// arithmetic compiles a sum, a difference or a product.
func arithmetic[T integer | floats](op string, a, b *operand[T]) *operand[T] {
	x, y, i, j, v := a.get, b.get, a.slot, b.slot, b.value
	form := formOf(a, b)
	switch op {
	case "add":
		return computed([]func(*Frame) T{
			func(f *Frame) T { return x(f) + y(f) },
			func(f *Frame) T { return *at[T](f, i) + v },
			func(f *Frame) T { return *at[T](f, i) + *at[T](f, j) },
			func(f *Frame) T { return x(f) + v },
		}[form])
	case "sub":
		return computed([]func(*Frame) T{
			func(f *Frame) T { return x(f) - y(f) },
			func(f *Frame) T { return *at[T](f, i) - v },
			func(f *Frame) T { return *at[T](f, i) - *at[T](f, j) },
			func(f *Frame) T { return x(f) - v },
		}[form])
	}
	return computed([]func(*Frame) T{
		func(f *Frame) T { return x(f) * y(f) },
		func(f *Frame) T { return *at[T](f, i) * v },
		func(f *Frame) T { return *at[T](f, i) * *at[T](f, j) },
		func(f *Frame) T { return x(f) * v },
	}[form])
}

// integerOperation compiles the operators that only integers have.
func integerOperation[T integer](n *Node, op string, x, y func(*Frame) T) func(*Frame) T {
	switch op {
	case "quo", "rem":
		if op == "quo" {
			return func(f *Frame) T {
				a, b := x(f), y(f)
				if b == 0 {
					blame(f, n)
				}
				return a / b
			}
		}
		return func(f *Frame) T {
			a, b := x(f), y(f)
			if b == 0 {
				blame(f, n)
			}
			return a % b
		}
	case "and":
		return func(f *Frame) T { return x(f) & y(f) }
	case "or":
		return func(f *Frame) T { return x(f) | y(f) }
	case "xor":
		return func(f *Frame) T { return x(f) ^ y(f) }
	}
	return func(f *Frame) T { return x(f) &^ y(f) }
}

// count is a shift count: a number that is never negative when its type has no sign.
func (c *code) count(n *Node, x *operand[int]) func(*Frame) int {
	get := x.get
	switch kindIn(c.typeOf(n)) {
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f *Frame) int { return int(min(uint(get(f)), 1<<20)) }
	}
	return get
}

func shift[T integer](n *Node, op string, x func(*Frame) T, count func(*Frame) int) func(*Frame) T {
	left := op == "shl"
	return func(f *Frame) T {
		a, s := x(f), count(f)
		if s < 0 {
			blame(f, n)
		}
		if left {
			return a << s
		}
		return a >> s
	}
}

// converted compiles the conversion of a number.
func converted[T integer | floats](c *code, n *Node) *operand[T] {
	if isConstant(n) {
		return nil
	}
	switch kindIn(c.typeOf(n)) {
	case reflect.Int:
		return from[T](value(c, n, integerOperators[int]))
	case reflect.Int8:
		return from[T](value(c, n, integerOperators[int8]))
	case reflect.Int16:
		return from[T](value(c, n, integerOperators[int16]))
	case reflect.Int32:
		return from[T](value(c, n, integerOperators[int32]))
	case reflect.Int64:
		return from[T](value(c, n, integerOperators[int64]))
	case reflect.Uint:
		return from[T](value(c, n, integerOperators[uint]))
	case reflect.Uint8:
		return from[T](value(c, n, integerOperators[uint8]))
	case reflect.Uint16:
		return from[T](value(c, n, integerOperators[uint16]))
	case reflect.Uint32:
		return from[T](value(c, n, integerOperators[uint32]))
	case reflect.Uint64:
		return from[T](value(c, n, integerOperators[uint64]))
	case reflect.Uintptr:
		return from[T](value(c, n, integerOperators[uintptr]))
	case reflect.Float32:
		return from[T](value(c, n, floatOperators[float32]))
	case reflect.Float64:
		return from[T](value(c, n, floatOperators[float64]))
	}
	return nil
}

func from[T, S integer | floats](x *operand[S]) *operand[T] {
	if x == nil {
		return nil
	}
	if same, ok := any(x).(*operand[T]); ok {
		return same
	}
	get := x.get
	return computed(func(f *Frame) T { return T(get(f)) })
}

// length compiles len of a slice or a string.
func length[T integer](c *code, n *Node) *operand[T] {
	switch kindIn(c.typeOf(n)) {
	case reflect.Slice:
		if s := value(c, n, sliceOperators); s != nil {
			if i := s.slot; i >= 0 {
				return computed(func(f *Frame) T { return T(at[slice](f, i).len) })
			}
			get := s.get
			return computed(func(f *Frame) T { return T(get(f).len) })
		}
	case reflect.String:
		if s := value(c, n, stringOperators); s != nil {
			get := s.get
			return computed(func(f *Frame) T { return T(len(get(f))) })
		}
	}
	return nil
}

// comparisons has the generators of comparisons.
var comparisons = map[string]bool{"lower": true, "lowerEqual": true, "greater": true, "greaterEqual": true,
	"equal": true, "notEqual": true}

func boolOperators(c *code, n *Node) *operand[bool] {
	switch op := gen(n); {
	case comparisons[op]:
		t := c.typeOf(n.Child[0])
		if u := c.typeOf(n.Child[1]); t == nil {
			t = u
		} else if u != nil && u != t {
			return nil
		}
		s, ok := shapes[kindIn(t)]
		if !ok {
			return nil
		}
		if r := s.compare(c, op, n.Child[0], n.Child[1]); r != nil {
			return computed(r)
		}
	case op == "isNilChild" || op == "isNotNil":
		if x := isNil(c, n); x != nil {
			if op == "isNotNil" {
				return computed(func(f *Frame) bool { return !x(f) })
			}
			return computed(x)
		}
	case op == "not":
		if a := value(c, n.Child[0], boolOperators); a != nil {
			x := a.get
			return computed(func(f *Frame) bool { return !x(f) })
		}
	case op == "land" || op == "lor":
		c.guarded++ // what is evaluated before the left operand need not be: both must be whole
		a, b := both(c, n, boolOperators)
		c.guarded--
		if a == nil {
			return nil
		}
		x, y := a.get, b.get
		if op == "land" {
			return computed(func(f *Frame) bool { return x(f) && y(f) })
		}
		return computed(func(f *Frame) bool { return x(f) || y(f) })
	}
	return nil
}

// isNil compiles a comparison of a pointer or a slice with nil.
func isNil(c *code, n *Node) func(*Frame) bool {
	x := n.Child[0]
	if x.Ident == "nil" {
		x = n.Child[1]
	}
	switch kindIn(c.typeOf(x)) {
	case reflect.Pointer:
		if p := value[unsafe.Pointer](c, x, nil); p != nil {
			get := p.get
			return func(f *Frame) bool { return get(f) == nil }
		}
	case reflect.Slice:
		if s := value(c, x, sliceOperators); s != nil {
			get := s.get
			return func(f *Frame) bool { return get(f).data == nil }
		}
	}
	return nil
}

// equality compiles == and !=.
func equality[T comparable](op string, a, b *operand[T]) func(*Frame) bool {
	x, y := a.get, b.get
	switch op {
	case "equal":
		return func(f *Frame) bool { return x(f) == y(f) }
	case "notEqual":
		return func(f *Frame) bool { return x(f) != y(f) }
	}
	return nil
}

// order compiles any comparison.
func order[T ordered](op string, a, b *operand[T]) func(*Frame) bool {
	x, y, i, j, v := a.get, b.get, a.slot, b.slot, b.value
	form := formOf(a, b)
	switch op {
	case "lower":
		return []func(*Frame) bool{
			func(f *Frame) bool { return x(f) < y(f) },
			func(f *Frame) bool { return *at[T](f, i) < v },
			func(f *Frame) bool { return *at[T](f, i) < *at[T](f, j) },
			func(f *Frame) bool { return x(f) < v },
		}[form]
	case "lowerEqual":
		return []func(*Frame) bool{
			func(f *Frame) bool { return x(f) <= y(f) },
			func(f *Frame) bool { return *at[T](f, i) <= v },
			func(f *Frame) bool { return *at[T](f, i) <= *at[T](f, j) },
			func(f *Frame) bool { return x(f) <= v },
		}[form]
	case "greater":
		return []func(*Frame) bool{
			func(f *Frame) bool { return x(f) > y(f) },
			func(f *Frame) bool { return *at[T](f, i) > v },
			func(f *Frame) bool { return *at[T](f, i) > *at[T](f, j) },
			func(f *Frame) bool { return x(f) > v },
		}[form]
	case "greaterEqual":
		return []func(*Frame) bool{
			func(f *Frame) bool { return x(f) >= y(f) },
			func(f *Frame) bool { return *at[T](f, i) >= v },
			func(f *Frame) bool { return *at[T](f, i) >= *at[T](f, j) },
			func(f *Frame) bool { return x(f) >= v },
		}[form]
	case "equal":
		if form == 3 || form == 1 {
			return func(f *Frame) bool { return x(f) == v }
		}
		return func(f *Frame) bool { return x(f) == y(f) }
	}
	if form == 3 || form == 1 {
		return func(f *Frame) bool { return x(f) != v }
	}
	return func(f *Frame) bool { return x(f) != y(f) }
}
