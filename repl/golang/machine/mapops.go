package machine

import (
	"reflect"
	"unsafe"
)

// MapOps are what machine code does with maps of a type. Keys and elements are in memory. An operation panics where
// another goroutine's is in its way, as those of interpreted code do.
type MapOps struct {
	Get    func(m, key, elem unsafe.Pointer) bool // elem becomes zero where there is none
	Set    func(m, key, elem unsafe.Pointer)
	Delete func(m, key unsafe.Pointer)
	// TryGet and TrySet do the same while the goroutine is pinned. They report whether they did: TrySet sets no entry
	// that is not there. They are nil for maps with unusual keys or elements.
	TryGet func(m, key, elem unsafe.Pointer) (found, done bool)
	TrySet func(m, key, elem unsafe.Pointer) bool
}

// longestKey is how many bytes a text may have that is hashed while a goroutine is pinned.
const longestKey = 1 << 10

// MapOf gives the operations of a type of maps.
func MapOf(t reflect.Type) *MapOps {
	switch k := t.Key().Kind(); {
	case k == reflect.String:
		if ops := mapOpsOf[string](t.Elem(), func(k string) bool { return len(k) <= longestKey }); ops != nil {
			return ops
		}
	case k >= reflect.Int && k <= reflect.Uintptr && t.Key().Size() == 8:
		if ops := mapOpsOf[int64](t.Elem(), nil); ops != nil {
			return ops
		}
	case k >= reflect.Int && k <= reflect.Uintptr && t.Key().Size() == 4:
		if ops := mapOpsOf[int32](t.Elem(), nil); ops != nil {
			return ops
		}
	}
	return mapOpsByReflection(t)
}

// mapOpsOf gives the operations of maps whose elements have a usual layout: see maps.go.
func mapOpsOf[K comparable](elem reflect.Type, short func(K) bool) *MapOps {
	ps, ok := parts(elem, 0)
	if !ok {
		return nil
	}
	words := pattern(ps)
	switch {
	case words == "p":
		return newMapOps[K, unsafe.Pointer](short)
	case words == "pn" && elem.Kind() == reflect.String:
		return newMapOps[K, string](short)
	case words == "pnn" && elem.Kind() == reflect.Slice:
		return newMapOps[K, []byte](short)
	case words == "pp" && elem.Kind() == reflect.Interface:
		return newMapOps[K, [2]unsafe.Pointer](short)
	case words != "n" && words != "x":
		return nil
	}
	switch elem.Size() {
	case 1:
		return newMapOps[K, uint8](short)
	case 4:
		return newMapOps[K, uint32](short)
	case 8:
		return newMapOps[K, uint64](short)
	}
	return nil
}

func newMapOps[K comparable, V any](short func(K) bool) *MapOps {
	ready := func(m, key unsafe.Pointer) bool {
		return !contended(m) && (short == nil || short(*(*K)(key)))
	}
	return &MapOps{
		Get: func(m, key, elem unsafe.Pointer) (ok bool) {
			defer listed(m, reads)()
			*(*V)(elem), ok = mapOf[K, V](m)[*(*K)(key)]
			return ok
		},
		Set: func(m, key, elem unsafe.Pointer) {
			defer listed(m, writes)()
			mapOf[K, V](m)[*(*K)(key)] = *(*V)(elem)
		},
		Delete: func(m, key unsafe.Pointer) {
			defer listed(m, writes)()
			delete(mapOf[K, V](m), *(*K)(key))
		},
		TryGet: func(m, key, elem unsafe.Pointer) (found, done bool) {
			if !ready(m, key) {
				return false, false
			}
			*(*V)(elem), found = mapOf[K, V](m)[*(*K)(key)]
			return found, true
		},
		TrySet: func(m, key, elem unsafe.Pointer) bool {
			if m == nil || !ready(m, key) {
				return false
			}
			if _, has := mapOf[K, V](m)[*(*K)(key)]; !has { // it may need memory
				return false
			}
			mapOf[K, V](m)[*(*K)(key)] = *(*V)(elem)
			return true
		},
	}
}

func mapOpsByReflection(t reflect.Type) *MapOps {
	mapAt := func(m unsafe.Pointer) reflect.Value { return reflect.NewAt(t, unsafe.Pointer(&m)).Elem() }
	keyAt := func(key unsafe.Pointer) reflect.Value {
		k := reflect.NewAt(t.Key(), key).Elem()
		if t.Key().Kind() == reflect.Interface { // the runtime's own panic for one that cannot be hashed
			_ = map[any]struct{}{k.Interface(): {}}
		}
		return k
	}
	return &MapOps{
		Get: func(m, key, elem unsafe.Pointer) bool {
			defer listed(m, reads)()
			v := mapAt(m).MapIndex(keyAt(key))
			to := reflect.NewAt(t.Elem(), elem).Elem()
			if !v.IsValid() {
				to.SetZero()
				return false
			}
			to.Set(v)
			return true
		},
		Set: func(m, key, elem unsafe.Pointer) {
			defer listed(m, writes)()
			mapAt(m).SetMapIndex(keyAt(key), reflect.NewAt(t.Elem(), elem).Elem())
		},
		Delete: func(m, key unsafe.Pointer) {
			defer listed(m, writes)()
			mapAt(m).SetMapIndex(keyAt(key), reflect.Value{})
		},
	}
}

func notListed() {}

// listed lists an operation on a map where it has to be, until what it returns is called.
func listed(m unsafe.Pointer, a access) (done func()) {
	if !contended(m) || m == nil {
		return notListed
	}
	if c := tryBegin(m, a); c != "" {
		panic(c)
	}
	return func() { end(m) }
}

// MapIter goes over a map.
type MapIter struct {
	m  unsafe.Pointer
	it *reflect.MapIter
}

// NewMapIter begins with a map of a type.
func NewMapIter(t reflect.Type, m unsafe.Pointer) *MapIter {
	return &MapIter{m, reflect.NewAt(t, unsafe.Pointer(&m)).Elem().MapRange()}
}

// Next gives the next key and element, or reports false. Either may be nil.
func (i *MapIter) Next(key, elem unsafe.Pointer, t reflect.Type) bool {
	defer listed(i.m, iterates)()
	if !i.it.Next() {
		return false
	}
	if key != nil {
		reflect.NewAt(t.Key(), key).Elem().SetIterKey(i.it)
	}
	if elem != nil {
		reflect.NewAt(t.Elem(), elem).Elem().SetIterValue(i.it)
	}
	return true
}
