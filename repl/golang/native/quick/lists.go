package quick

import (
	"container/list"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// ofLists are methods of lists and their elements.
func ofLists(recv, name string) Func {
	switch recv + "." + name {
	case "*container/list.List.Len":
		return func(c *enter.Context) bool { l := at[list.List](c); return l != nil && c.SetInt(0, l.Len()) }
	case "*container/list.List.Front":
		return func(c *enter.Context) bool { l := at[list.List](c); return l != nil && setElement(c, l.Front()) }
	case "*container/list.List.Back":
		return func(c *enter.Context) bool { l := at[list.List](c); return l != nil && setElement(c, l.Back()) }
	case "*container/list.List.PushFront":
		return func(c *enter.Context) bool {
			l := at[list.List](c)
			return l != nil && c.Spend(64) && setElement(c, l.PushFront(value(c, 1)))
		}
	case "*container/list.List.PushBack":
		return func(c *enter.Context) bool {
			l := at[list.List](c)
			return l != nil && c.Spend(64) && setElement(c, l.PushBack(value(c, 1)))
		}
	case "*container/list.List.MoveToFront":
		return moved((*list.List).MoveToFront)
	case "*container/list.List.MoveToBack":
		return moved((*list.List).MoveToBack)
	case "*container/list.List.Remove":
		return func(c *enter.Context) bool {
			l, e := at[list.List](c), (*list.Element)(c.Address(1))
			if l == nil || e == nil {
				return false
			}
			v := l.Remove(e)
			words := *(*[2]unsafe.Pointer)(unsafe.Pointer(&v))
			return c.SetAddress(0, words[0]) && c.SetAddress(1, words[1])
		}
	case "*container/list.Element.Next":
		return func(c *enter.Context) bool { e := at[list.Element](c); return e != nil && setElement(c, e.Next()) }
	case "*container/list.Element.Prev":
		return func(c *enter.Context) bool { e := at[list.Element](c); return e != nil && setElement(c, e.Prev()) }
	}
	return nil
}

// moved moves an element, whose list is not empty: it is linked with others.
func moved(move func(*list.List, *list.Element)) Func {
	return func(c *enter.Context) bool {
		l, e := at[list.List](c), (*list.Element)(c.Address(1))
		if l == nil || e == nil || l.Len() == 0 {
			return false
		}
		move(l, e)
		return true
	}
}

func setElement(c *enter.Context, e *list.Element) bool { return c.SetAddress(0, unsafe.Pointer(e)) }

// value is the interface whose first word is given.
func value(c *enter.Context, i int) (v any) {
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) = [2]unsafe.Pointer{c.Address(i), c.Address(i + 1)}
	return v
}
