package machine

import (
	"reflect"
	"unsafe"
)

// loop gives a range over a slice a closure for its turns. yaegi keeps the slice in the place before the index's, and
// begins with what it makes of the first child.
func (c *code) loop(n *Node) {
	if n.Level != 0 || len(n.Child) < 3 || n.Child[0].Level != 0 {
		return
	}
	list, value := n.Child[1], -1
	if len(n.Child) == 4 {
		list, value = n.Child[2], n.Child[1].Findex
	}
	t := c.typeOf(list)
	index := n.Child[0].Findex
	hidden := index - 1
	if t == nil || t.Kind() != reflect.Slice || c.slotType(0, hidden) == nil ||
		c.slotType(0, index) != reflect.TypeFor[int]() {
		return
	}
	var load func(f *Frame, from unsafe.Pointer)
	if value >= 0 {
		s, ok := shapes[kindIn(t.Elem())]
		if !ok || c.slotType(0, value) != t.Elem() {
			return
		}
		load = s.load(value)
	}
	size := t.Elem().Size()
	generate := n.Gen
	n.Gen = func(n *Node) {
		generate(n)
		next, after := exec(n.Tnext), exec(n.Fnext)
		turn := func(f *Frame) Step {
			s := at[slice](f, hidden)
			i := at[int](f, index)
			*i++
			if *i >= s.len {
				return after
			}
			if load != nil {
				load(f, unsafe.Add(s.data, uintptr(*i)*size))
			}
			return next
		}
		n.Exec = turn
		begin := n.Child[0].Exec
		n.Child[0].Exec = func(f *Frame) Step {
			begin(f)
			return turn
		}
	}
}
