package machine

import (
	"reflect"
	"unsafe"
)

// A shape compiles what has values of one kind.
type shape interface {
	// asInt compiles an integer as an int.
	asInt(c *code, n *Node) *operand[int]
	// compare compiles a comparison of two nodes by the name of its generator.
	compare(c *code, op string, a, b *Node) func(*Frame) bool
	// store compiles the storing of a node's value in a place of a frame.
	store(c *code, n *Node, level, index int) func(*Frame)
	// assign compiles an assignment of a node's value to what has an address.
	assign(c *code, n *Node, to func(*Frame) unsafe.Pointer) func(*Frame)
	// setEntry compiles an assignment of a node's value to an entry of a map.
	setEntry(c *code, n, entry *Node) func(*Frame)
	// change compiles an assignment with an operator, by the name of its generator.
	change(c *code, op string, n *Node, to func(*Frame) unsafe.Pointer, slot int) func(*Frame)
	// argument compiles the storing of a node's value as the argument of a call, in the callee's frame.
	argument(c *code, n *Node, index int) func(from, to *Frame)
	// move compiles the same for what is in a place of the caller's frame.
	move(i, j int) func(from, to *Frame)
	// put compiles the storing of a node's value at an address.
	put(c *code, n *Node) func(f *Frame, to unsafe.Pointer)
	// load compiles the storing of what is at an address in a place of a frame.
	load(i int) func(f *Frame, from unsafe.Pointer)
}

// of is the shape of values of type T. What a kind does not have is nil.
type of[T any] struct {
	operators func(*code, *Node) *operand[T]
	integer   func(*operand[T]) *operand[int]
	order     func(op string, a, b *operand[T]) func(*Frame) bool
	changes   func(c *code, n *Node, op string, to func(*Frame) unsafe.Pointer, slot int, v *operand[T]) func(*Frame)
}

// shapes has a shape for each kind whose values closures can work on.
var shapes map[reflect.Kind]shape

func init() {
	shapes = map[reflect.Kind]shape{
		reflect.Int: ofInteger[int](), reflect.Int8: ofInteger[int8](), reflect.Int16: ofInteger[int16](),
		reflect.Int32: ofInteger[int32](), reflect.Int64: ofInteger[int64](),
		reflect.Uint: ofInteger[uint](), reflect.Uint8: ofInteger[uint8](), reflect.Uint16: ofInteger[uint16](),
		reflect.Uint32: ofInteger[uint32](), reflect.Uint64: ofInteger[uint64](),
		reflect.Uintptr: ofInteger[uintptr](),
		reflect.Float32: ofFloat[float32](), reflect.Float64: ofFloat[float64](),
		reflect.String:  of[string]{operators: stringOperators, order: order[string], changes: stringChanges},
		reflect.Bool:    of[bool]{operators: boolOperators, order: equality[bool]},
		reflect.Pointer: of[unsafe.Pointer]{order: equality[unsafe.Pointer]},
		reflect.Slice:   of[slice]{operators: sliceOperators},
	}
}

func ofInteger[T integer]() shape {
	return of[T]{operators: integerOperators[T], order: order[T], changes: integerChanges[T],
		integer: func(x *operand[T]) *operand[int] {
			if x == nil {
				return nil
			}
			if same, ok := any(x).(*operand[int]); ok {
				return same
			}
			get := x.get
			return computed(func(f *Frame) int { return int(get(f)) })
		}}
}

func ofFloat[T floats]() shape {
	return of[T]{operators: floatOperators[T], order: order[T], changes: floatChanges[T]}
}

func (s of[T]) value(c *code, n *Node) *operand[T] { return value(c, n, s.operators) }

func (s of[T]) asInt(c *code, n *Node) *operand[int] {
	if s.integer == nil {
		return nil
	}
	return s.integer(s.value(c, n))
}

func (s of[T]) compare(c *code, op string, a, b *Node) func(*Frame) bool {
	if s.order == nil {
		return nil
	}
	x := s.value(c, a)
	if x == nil {
		return nil
	}
	y := s.value(c, b)
	if y == nil {
		return nil
	}
	return s.order(op, x, y)
}

func (s of[T]) store(c *code, n *Node, level, index int) func(*Frame) {
	x := s.value(c, n)
	if x == nil {
		return nil
	}
	get, up := x.get, frameUp(level)
	switch {
	case kindOf[T]() == reflect.Pointer:
		return func(f *Frame) {
			v := get(f)
			*(*T)(unsafe.Pointer(word(headerAt(up(f), index)))) = v
		}
	case level == 0 && x.fixed:
		v := x.value
		return func(f *Frame) { *at[T](f, index) = v }
	case level == 0:
		return func(f *Frame) {
			v := get(f)
			*at[T](f, index) = v
		}
	}
	return func(f *Frame) {
		v := get(f)
		*at[T](up(f), index) = v
	}
}

func (s of[T]) assign(c *code, n *Node, to func(*Frame) unsafe.Pointer) func(*Frame) {
	x := s.value(c, n)
	if x == nil {
		return nil
	}
	get := x.get
	return func(f *Frame) {
		v := get(f)
		*(*T)(to(f)) = v
	}
}

func (s of[T]) setEntry(c *code, n, entry *Node) func(*Frame) {
	return setEntry(c, entry, func() *operand[T] { return s.value(c, n) })
}

func (s of[T]) change(c *code, op string, n *Node, to func(*Frame) unsafe.Pointer, slot int) func(*Frame) {
	if s.changes == nil {
		return nil
	}
	x := s.value(c, n)
	if x == nil && op != "shlAssign" && op != "shrAssign" {
		return nil
	}
	return s.changes(c, n, op, to, slot, x)
}

func (s of[T]) argument(c *code, n *Node, index int) func(from, to *Frame) {
	x := s.value(c, n)
	if x == nil {
		return nil
	}
	get := x.get
	switch {
	case kindOf[T]() == reflect.Pointer:
		return func(from, to *Frame) { *(*T)(unsafe.Pointer(word(headerAt(to, index)))) = get(from) }
	case x.fixed:
		v := x.value
		return func(_, to *Frame) { *at[T](to, index) = v }
	}
	return func(from, to *Frame) { *at[T](to, index) = get(from) }
}

func (s of[T]) move(i, j int) func(from, to *Frame) {
	if kindOf[T]() == reflect.Pointer {
		return func(from, to *Frame) { *word(headerAt(to, j)) = *word(headerAt(from, i)) }
	}
	return func(from, to *Frame) { *at[T](to, j) = *at[T](from, i) }
}

func (s of[T]) load(i int) func(f *Frame, from unsafe.Pointer) {
	if kindOf[T]() == reflect.Pointer {
		return func(f *Frame, from unsafe.Pointer) { *word(headerAt(f, i)) = *(*unsafe.Pointer)(from) }
	}
	return func(f *Frame, from unsafe.Pointer) { *at[T](f, i) = *(*T)(from) }
}

func (s of[T]) put(c *code, n *Node) func(f *Frame, to unsafe.Pointer) {
	x := s.value(c, n)
	if x == nil {
		return nil
	}
	get := x.get
	return func(f *Frame, to unsafe.Pointer) { *(*T)(to) = get(f) }
}
