package machine

import (
	"reflect"
	"unsafe"
)

// Entries of maps are read and set with the map as one of a type that the compiler knows: maps whose keys and elements
// have the same size, and the same pointers in them, are alike in memory, and hash their keys alike if these are
// strings, or integers.

// mapEntry is what is known of an entry of a map.
type mapEntry struct {
	m     func(*Frame) unsafe.Pointer // the map
	key   reflect.Kind                // String, Int64 or Int32
	text  func(*Frame) string
	whole func(*Frame) int
}

// isEntry reports whether a node is an entry of a map.
func (ps *places) isEntry(n *Node) bool {
	if g := gen(n); g != "getIndexMap" && g != "nop" || n.Kind != kinds.indexExpr || len(n.Child) != 2 {
		return false
	}
	t := ps.typeOf(n.Child[0])
	return t != nil && t.Kind() == reflect.Map
}

// mapEntry compiles the map and the key of an entry, nil for keys that are neither strings nor integers of usual sizes.
func (c *code) mapEntry(n *Node) *mapEntry {
	if !c.isEntry(n) {
		return nil
	}
	e := &mapEntry{}
	key := c.typeOf(n.Child[0]).Key()
	m := value[unsafe.Pointer](c, n.Child[0], nil)
	if m == nil {
		return nil
	}
	e.m = m.get
	switch k := key.Kind(); {
	case k == reflect.String:
		x := value(c, n.Child[1], stringOperators)
		if x == nil {
			return nil
		}
		e.key, e.text = reflect.String, x.get
	case k >= reflect.Int && k <= reflect.Uintptr && (key.Size() == 8 || key.Size() == 4):
		x := c.number(n.Child[1])
		if x == nil {
			return nil
		}
		e.key, e.whole = map[uintptr]reflect.Kind{8: reflect.Int64, 4: reflect.Int32}[key.Size()], x.get
	default:
		return nil
	}
	return e
}

func mapOf[K comparable, V any](p unsafe.Pointer) map[K]V { return *(*map[K]V)(unsafe.Pointer(&p)) }

// readEntry compiles the value of an entry.
func readEntry[V any](c *code, n *Node) *operand[V] {
	e := c.mapEntry(n)
	if e == nil {
		return nil
	}
	m, text, whole := e.m, e.text, e.whole
	switch e.key {
	case reflect.String:
		return computed(func(f *Frame) V {
			p, k := m(f), text(f)
			if contended(p) {
				return readListed[string, V](f, n, p, k)
			}
			return mapOf[string, V](p)[k]
		})
	case reflect.Int64:
		return computed(func(f *Frame) V {
			p, k := m(f), int64(whole(f))
			if contended(p) {
				return readListed[int64, V](f, n, p, k)
			}
			return mapOf[int64, V](p)[k]
		})
	}
	return computed(func(f *Frame) V {
		p, k := m(f), int32(whole(f))
		if contended(p) {
			return readListed[int32, V](f, n, p, k)
		}
		return mapOf[int32, V](p)[k]
	})
}

// setEntry compiles an assignment to an entry.
func setEntry[V any](c *code, n *Node, value func() *operand[V]) func(*Frame) {
	e := c.mapEntry(n)
	if e == nil {
		return nil
	}
	v := value() // whose calls come after the key's
	if v == nil {
		return nil
	}
	m, text, whole, get := writable(n, e.m), e.text, e.whole, v.get
	switch e.key {
	case reflect.String:
		return func(f *Frame) {
			p, k := m(f), text(f)
			v := get(f)
			if contended(p) {
				setListed(f, n, p, k, v)
				return
			}
			mapOf[string, V](p)[k] = v
		}
	case reflect.Int64:
		return func(f *Frame) {
			p, k := m(f), int64(whole(f))
			v := get(f)
			if contended(p) {
				setListed(f, n, p, k, v)
				return
			}
			mapOf[int64, V](p)[k] = v
		}
	}
	return func(f *Frame) {
		p, k := m(f), int32(whole(f))
		v := get(f)
		if contended(p) {
			setListed(f, n, p, k, v)
			return
		}
		mapOf[int32, V](p)[k] = v
	}
}

// addEntry compiles the adding of a number to an entry.
func addEntry[V integer | floats](c *code, n *Node, value func() *operand[V]) func(*Frame) {
	e := c.mapEntry(n)
	if e == nil {
		return nil
	}
	v := value()
	if v == nil {
		return nil
	}
	m, text, whole, get := writable(n, e.m), e.text, e.whole, v.get
	switch e.key {
	case reflect.String:
		return func(f *Frame) {
			p, k := m(f), text(f)
			v := get(f)
			if contended(p) {
				addListed(f, n, p, k, v)
				return
			}
			mapOf[string, V](p)[k] += v
		}
	case reflect.Int64:
		return func(f *Frame) {
			p, k := m(f), int64(whole(f))
			v := get(f)
			if contended(p) {
				addListed(f, n, p, k, v)
				return
			}
			mapOf[int64, V](p)[k] += v
		}
	}
	return func(f *Frame) {
		p, k := m(f), int32(whole(f))
		v := get(f)
		if contended(p) {
			addListed(f, n, p, k, v)
			return
		}
		mapOf[int32, V](p)[k] += v
	}
}

// writable is a map that is about to be written: nil panics there.
func writable(n *Node, m func(*Frame) unsafe.Pointer) func(*Frame) unsafe.Pointer {
	return func(f *Frame) unsafe.Pointer {
		p := m(f)
		if p == nil {
			blame(f, n)
		}
		return p
	}
}

// stepEntry compiles m[k]++ and m[k]--, nil for elements of rare types.
func (c *code) stepEntry(n *Node, d int) func(*Frame) {
	switch c.kindOf(n) {
	case reflect.Int:
		return addEntry(c, n, one[int](d))
	case reflect.Int64:
		return addEntry(c, n, one[int64](d))
	case reflect.Int32:
		return addEntry(c, n, one[int32](d))
	case reflect.Uint64:
		return addEntry(c, n, one[uint64](d))
	case reflect.Float64:
		return addEntry(c, n, one[float64](d))
	}
	return nil
}

func one[T integer | floats](d int) func() *operand[T] {
	v := T(d)
	return func() *operand[T] {
		return &operand[T]{slot: -1, fixed: true, value: v, get: func(*Frame) T { return v }}
	}
}

// changeEntry compiles m[k] += v.
func (c *code) changeEntry(n, v *Node) func(*Frame) {
	switch c.kindOf(n) {
	case reflect.Int:
		return addEntry(c, n, func() *operand[int] { return value(c, v, integerOperators[int]) })
	case reflect.Int64:
		return addEntry(c, n, func() *operand[int64] { return value(c, v, integerOperators[int64]) })
	case reflect.Float64:
		return addEntry(c, n, func() *operand[float64] { return value(c, v, floatOperators[float64]) })
	}
	return nil
}
