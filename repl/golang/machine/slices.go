package machine

import (
	"reflect"
	"unsafe"
)

// large is the number of bytes from which on the session is asked before so much is allocated in one step.
const large = 16 << 20

func sliceOperators(c *code, n *Node) *operand[slice] {
	switch gen(n) {
	case "_append":
		return appended(c, n)
	case "slice", "slice0":
		if c.kindOf(n.Child[0]) != reflect.Slice {
			return nil
		}
		return resliced(c, n)
	}
	return nil
}

// appended compiles an append of one element.
func appended(c *code, n *Node) *operand[slice] {
	if len(n.Child) != 3 {
		return nil
	}
	list, elem := n.Child[1], n.Child[2]
	t := c.typeOf(list)
	if t == nil || t.Kind() != reflect.Slice || !isConstant(elem) && c.typeOf(elem) != t.Elem() {
		return nil
	}
	s, ok := shapes[kindIn(t.Elem())]
	if !ok {
		return nil
	}
	x := value(c, list, sliceOperators)
	if x == nil {
		return nil
	}
	put := s.put(c, elem)
	if put == nil {
		return nil
	}
	get, size, grow := x.get, t.Elem().Size(), c.guards.grow
	return computed(func(f *Frame) slice {
		s := get(f)
		if s.len == s.cap {
			if bytes := uint64(s.len) * uint64(size); bytes >= large/2 && grow != nil {
				blame(f, n)
				grow(bytes + bytes/4)
			}
			grown := s
			reflect.NewAt(t, unsafe.Pointer(&grown)).Elem().Grow(1)
			s = grown
		}
		put(f, unsafe.Add(s.data, uintptr(s.len)*size))
		s.len++
		return s
	})
}

// resliced compiles s[i:j] of a slice.
func resliced(c *code, n *Node) *operand[slice] {
	x := value(c, n.Child[0], sliceOperators)
	if x == nil {
		return nil
	}
	low, high, ok := c.limits(n)
	if !ok {
		return nil
	}
	get, size := x.get, c.typeOf(n.Child[0]).Elem().Size()
	return computed(func(f *Frame) slice {
		s := get(f)
		i, j := 0, s.len
		if low != nil {
			i = low(f)
		}
		if high != nil {
			j = high(f)
		}
		if uint(j) > uint(s.cap) || uint(i) > uint(j) {
			blame(f, n)
			sliceOutOfRange(true, false, s.len, s.cap, [3]int{i, j, s.cap})
		}
		r := slice{s.data, j - i, s.cap - i}
		if r.cap > 0 { // a pointer must not leave its memory
			r.data = unsafe.Add(s.data, uintptr(i)*size)
		}
		return r
	})
}

// substring compiles s[i:j] of a string.
func substring(c *code, n *Node) *operand[string] {
	x := value(c, n.Child[0], stringOperators)
	if x == nil {
		return nil
	}
	low, high, ok := c.limits(n)
	if !ok {
		return nil
	}
	get := x.get
	return computed(func(f *Frame) string {
		s := get(f)
		i, j := 0, len(s)
		if low != nil {
			i = low(f)
		}
		if high != nil {
			j = high(f)
		}
		if uint(j) > uint(len(s)) || uint(i) > uint(j) {
			blame(f, n)
		}
		return s[i:j]
	})
}

// limits compiles the bounds of a slice expression that has no third one.
func (c *code) limits(n *Node) (low, high func(*Frame) int, ok bool) {
	bounds := n.Child[1:]
	if gen(n) == "slice0" {
		bounds = append([]*Node{nil}, bounds...)
	}
	if len(bounds) > 2 {
		return nil, nil, false
	}
	var get [2]func(*Frame) int
	for i, b := range bounds {
		if b == nil {
			continue
		}
		switch kindIn(c.typeOf(b)) {
		case reflect.Uint, reflect.Uint64, reflect.Uintptr: // which no int may hold
			return nil, nil, false
		}
		x := c.number(b)
		if x == nil {
			return nil, nil, false
		}
		get[i] = x.get
	}
	return get[0], get[1], true
}

// joined is a + b, once the session agrees to the size.
func (c *code) joined(f *Frame, n *Node, a, b string) string {
	if size := len(a) + len(b); size >= large && c.guards.grow != nil {
		blame(f, n)
		c.guards.grow(uint64(size))
	}
	return a + b
}

// checkGrowth has yaegi's own appends ask the session first.
func (g *guards) checkGrowth(n *Node) func(*Frame) {
	if g.grow == nil || len(n.Child) < 2 {
		return nil
	}
	var operands []func(*Frame) reflect.Value
	for _, x := range n.Child[1:] {
		read := valueRead(x)
		if read == nil {
			return nil
		}
		operands = append(operands, read)
	}
	return func(f *Frame) {
		var size uint64
		room, added := 0, len(operands)-1 // at most so many elements are added
		for i, read := range operands {
			v := read(f)
			switch v.Kind() {
			case reflect.String:
				size += uint64(v.Len())
			case reflect.Slice:
				size += uint64(v.Len()) * uint64(v.Type().Elem().Size())
			default:
				continue
			}
			if i > 0 {
				added += v.Len()
			} else if v.Kind() == reflect.Slice {
				room = v.Cap() - v.Len()
			}
		}
		if size >= large && added > room {
			blame(f, n)
			g.grow(size)
		}
	}
}
