package machine

import (
	"reflect"
	"unsafe"
)

// MapIter goes over a map. Machine code may go on with the runtime's iterator in it, from one entry of a table to the
// next: it changes which entry comes next and not the group, which the runtime looks for where there is none.
type MapIter struct {
	m  unsafe.Pointer
	it reflect.MapIter
}

// IterAt is where the runtime's iterator is in a MapIter.
func IterAt() int { return int(unsafe.Offsetof(MapIter{}.it) + offsets.iterator) }

// NewMapIter begins with a map of a type.
func NewMapIter(t reflect.Type, m unsafe.Pointer) *MapIter {
	i := &MapIter{m: m}
	i.it.Reset(reflect.NewAt(t, unsafe.Pointer(&i.m)).Elem())
	return i
}

// TryMapIter does so while the goroutine is pinned, or reports that it has not. The iterator is before the first entry.
func TryMapIter(t reflect.Type, m unsafe.Pointer) (i *MapIter, done bool) {
	in, ok := tryPinned(m, iterates)
	if ok {
		i = NewMapIter(t, m)
		i.it.Next()
		i.iterator().entry = 0
		in.endPinned()
	}
	return i, ok
}

// Next gives the addresses of the next key and element, nil where there are no more.
func (i *MapIter) Next() (key, elem unsafe.Pointer) {
	defer listed(i.m, iterates)()
	return i.next()
}

// TryNext does so while the goroutine is pinned, or reports that it has not.
func (i *MapIter) TryNext() (key, elem unsafe.Pointer, done bool) {
	in, ok := tryPinned(i.m, iterates)
	if ok {
		key, elem = i.next()
		in.endPinned()
	}
	return key, elem, ok
}

func (i *MapIter) next() (key, elem unsafe.Pointer) {
	at := i.iterator()
	if at.index >= 0 {
		at.group = nil // the runtime looks for it
	}
	if at.typ != nil && at.key == nil || !i.it.Next() { // the map was empty when it began
		return nil, nil
	}
	return at.key, at.elem
}

// iterator is the runtime's, as Go 1.26 has it.
type iterator struct {
	key, elem  unsafe.Pointer
	typ, _     unsafe.Pointer // nil before it begins, and the map
	_, _, _, _ uint64
	index      int // of the table, negative for a map that had only one group
	_          unsafe.Pointer
	group      unsafe.Pointer
	entry      uint64 // the next one
}

func (i *MapIter) iterator() *iterator {
	return (*iterator)(unsafe.Add(unsafe.Pointer(&i.it), offsets.iterator))
}
