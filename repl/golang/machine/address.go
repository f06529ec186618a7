package machine

import (
	"reflect"
	"unsafe"
)

// address compiles where in memory a node's value is, or returns nil: a variable, what a pointer points to, a field, an
// element.
func (c *code) address(n *Node) func(*Frame) unsafe.Pointer {
	if n.Kind == kinds.parenExpr {
		return c.address(n.Child[0])
	}
	t := c.typeOf(n)
	switch {
	case t == nil || isConstant(n) || isSymbol(n):
		return nil
	case isVariable(n):
		i, up := n.Sym.Index, frameUp(n.Level)
		if !indirect(t) {
			return func(f *Frame) unsafe.Pointer { return unsafe.Pointer(word(headerAt(up(f), i))) }
		}
		if n.Level == 0 {
			return func(f *Frame) unsafe.Pointer { return headerAt(f, i).ptr }
		}
		return func(f *Frame) unsafe.Pointer { return headerAt(up(f), i).ptr }
	}
	switch gen(n) {
	case "deref":
		return c.pointer(n, n.Child[0], 0)
	case "getIndexSeq", "getPtrIndexSeq", "getIndexSeqField":
		t := c.typeOf(n.Child[0])
		if t.Kind() == reflect.Pointer {
			return c.pointer(n, n.Child[0], offset(t.Elem(), n.Val))
		}
		base, off := c.address(n.Child[0]), offset(t, n.Val)
		if base == nil {
			return nil
		}
		return func(f *Frame) unsafe.Pointer { return unsafe.Add(base(f), off) }
	case "getIndexArray":
		return c.element(n)
	}
	return nil
}

// indirect reports whether a reflect.Value of the type always points to the value.
func indirect(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	case reflect.Struct:
		return t.NumField() != 1 || indirect(t.Field(0).Type)
	case reflect.Array:
		return t.Len() != 1 || indirect(t.Elem())
	}
	return true
}

// pointer compiles an offset from a pointer.
func (c *code) pointer(n, x *Node, off uintptr) func(*Frame) unsafe.Pointer {
	p := value[unsafe.Pointer](c, x, nil)
	if p == nil {
		return nil
	}
	get := p.get
	return func(f *Frame) unsafe.Pointer {
		b := get(f)
		if b == nil {
			blame(f, n)
			_ = *(*byte)(b)
		}
		return unsafe.Add(b, off)
	}
}

// element compiles where an element of a slice or an array is.
func (c *code) element(n *Node) func(*Frame) unsafe.Pointer {
	t := c.typeOf(n.Child[0])
	switch t.Kind() {
	case reflect.Slice:
		s := value(c, n.Child[0], sliceOperators)
		if s == nil {
			return nil
		}
		i := c.number(n.Child[1])
		if i == nil {
			return nil
		}
		fail := c.outOfRange(n)
		size, get, index := t.Elem().Size(), s.get, i.get
		if s.slot >= 0 && i.slot >= 0 {
			si, ii := s.slot, i.slot
			return func(f *Frame) unsafe.Pointer {
				s, i := at[slice](f, si), *at[int](f, ii)
				if uint(i) >= uint(s.len) {
					fail(f, i, s.len)
				}
				return unsafe.Add(s.data, uintptr(i)*size)
			}
		}
		return func(f *Frame) unsafe.Pointer {
			s := get(f)
			i := index(f)
			if uint(i) >= uint(s.len) {
				fail(f, i, s.len)
			}
			return unsafe.Add(s.data, uintptr(i)*size)
		}
	case reflect.Array:
		base := c.address(n.Child[0])
		if base == nil {
			return nil
		}
		i := c.number(n.Child[1])
		if i == nil {
			return nil
		}
		fail := c.outOfRange(n)
		size, length, index := t.Elem().Size(), t.Len(), i.get
		return func(f *Frame) unsafe.Pointer {
			b := base(f)
			i := index(f)
			if uint(i) >= uint(length) {
				fail(f, i, length)
			}
			return unsafe.Add(b, uintptr(i)*size)
		}
	}
	return nil
}

// byteAt compiles an element of a string.
func byteAt(c *code, n *Node) *operand[byte] {
	s := value(c, n.Child[0], stringOperators)
	if s == nil {
		return nil
	}
	i := c.number(n.Child[1])
	if i == nil {
		return nil
	}
	get, index, fail := s.get, i.get, c.outOfRange(n)
	return &operand[byte]{slot: -1, get: func(f *Frame) byte {
		s := get(f)
		i := index(f)
		if uint(i) >= uint(len(s)) {
			fail(f, i, len(s))
		}
		return s[i]
	}}
}

// outOfRange is what panics as an index does that is not in range.
func (c *code) outOfRange(n *Node) func(f *Frame, i, length int) {
	switch kindIn(c.typeOf(n.Child[1])) {
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f *Frame, i, length int) {
			blame(f, n)
			_ = make([]struct{}, length)[uint(i)]
		}
	}
	return func(f *Frame, i, length int) {
		blame(f, n)
		_ = make([]struct{}, length)[i]
	}
}
