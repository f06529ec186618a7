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
	Clear  func(m unsafe.Pointer)
	// Hash panics for a key that cannot be hashed, as an assignment does; a lookup in an empty map has another text. It is
	// nil for keys that always can.
	Hash func(key unsafe.Pointer)
	// TryGet, TrySet and TryDelete do the same while the goroutine is pinned. They report whether they did. They are nil
	// for maps with unusual keys or elements.
	TryGet    func(m, key, elem unsafe.Pointer) (found, done bool)
	TrySet    func(m, key, elem unsafe.Pointer) bool
	TryDelete func(m, key unsafe.Pointer) bool
}

// Others is not 0 while operations on maps are listed: see conflicts.go.
func Others() *int32 { return (*int32)(unsafe.Pointer(&others)) }

// longestKey is how many bytes a text may have that is hashed while a goroutine is pinned.
const longestKey = 1 << 10

// MapOf gives the operations of a type of maps.
func MapOf(t reflect.Type) *MapOps {
	ops := mapOperations(t)
	ops.Clear = clearOf(t)
	return ops
}

func mapOperations(t reflect.Type) *MapOps {
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
	return mapOpsOfType(t)
}

// clearOf clears maps of a type.
func clearOf(t reflect.Type) func(m unsafe.Pointer) {
	typ := typeWord(t)
	return func(m unsafe.Pointer) {
		defer listed(m, writes)()
		if m != nil {
			mapClear(typ, m)
		}
	}
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
	isShort := func(key unsafe.Pointer) bool { return short == nil || short(*(*K)(key)) }
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
			if !isShort(key) {
				return false, false
			}
			in, ok := tryPinned(m, reads)
			if ok {
				*(*V)(elem), found = mapOf[K, V](m)[*(*K)(key)]
				in.endPinned()
			}
			return found, ok
		},
		TrySet: func(m, key, elem unsafe.Pointer) bool {
			if m == nil || !isShort(key) {
				return false
			}
			in, ok := tryPinned(m, writes)
			if ok {
				mapOf[K, V](m)[*(*K)(key)] = *(*V)(elem)
				in.endPinned()
			}
			return ok
		},
		TryDelete: func(m, key unsafe.Pointer) bool {
			if !isShort(key) {
				return false
			}
			in, ok := tryPinned(m, writes)
			if ok {
				delete(mapOf[K, V](m), *(*K)(key))
				in.endPinned()
			}
			return ok
		},
	}
}

// mapOpsOfType gives the operations of any type by those of package reflect on typed memory.
func mapOpsOfType(t reflect.Type) *MapOps {
	typ, elem := typeWord(t), typeWord(t.Elem())
	get := func(m, key, to unsafe.Pointer) bool {
		v := mapAccess(typ, m, key)
		if v == nil {
			reflect.NewAt(t.Elem(), to).Elem().SetZero()
			return false
		}
		typedMove(elem, to, v)
		return true
	}
	ops := &MapOps{
		Get: func(m, key, to unsafe.Pointer) bool {
			defer listed(m, reads)()
			return get(m, key, to)
		},
		Set: func(m, key, from unsafe.Pointer) {
			defer listed(m, writes)()
			mapAssign(typ, m, key, from)
		},
		Delete: func(m, key unsafe.Pointer) {
			defer listed(m, writes)()
			mapDelete(typ, m, key)
		},
	}
	if hasInterface(t.Key()) {
		ops.Hash = func(key unsafe.Pointer) { _ = map[any]struct{}{reflect.NewAt(t.Key(), key).Elem().Interface(): {}} }
	}
	if !hashesSimply(t.Key()) {
		return ops
	}
	ops.TryGet = func(m, key, to unsafe.Pointer) (found, done bool) {
		in, ok := tryPinned(m, reads)
		if ok {
			found = get(m, key, to)
			in.endPinned()
		}
		return found, ok
	}
	ops.TrySet = func(m, key, from unsafe.Pointer) bool {
		if m == nil {
			return false
		}
		in, ok := tryPinned(m, writes)
		if ok {
			mapAssign(typ, m, key, from)
			in.endPinned()
		}
		return ok
	}
	ops.TryDelete = func(m, key unsafe.Pointer) bool {
		in, ok := tryPinned(m, writes)
		if ok {
			mapDelete(typ, m, key)
			in.endPinned()
		}
		return ok
	}
	return ops
}

// hasInterface reports whether keys of a type have interfaces, whose values may be such that cannot be hashed.
func hasInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return hasInterface(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if hasInterface(f.Type) {
				return true
			}
		}
	}
	return false
}

// hashesSimply reports whether keys of a type are hashed in little time, without a panic.
func hashesSimply(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		return false
	case reflect.Array:
		return t.Size() < 256 && hashesSimply(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !hashesSimply(f.Type) {
				return false
			}
		}
	}
	return t.Size() < 256
}

func typeWord(t reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] }

//go:linkname mapAccess reflect.mapaccess
func mapAccess(typ, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname mapAssign reflect.mapassign
func mapAssign(typ, m, key, elem unsafe.Pointer)

//go:linkname mapDelete reflect.mapdelete
func mapDelete(typ, m, key unsafe.Pointer)

//go:linkname mapClear reflect.mapclear
func mapClear(typ, m unsafe.Pointer)

//go:linkname typedMove reflect.typedmemmove
func typedMove(typ, to, from unsafe.Pointer)

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
