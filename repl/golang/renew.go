package golang

import (
	"reflect"
	"unsafe"
)

// renewal has interfaces hold the newest forms of types in the place of older ones, which differ in their methods only:
// the memory of their values is the same, and so are the hashes of keys. It goes the ways of holders.
type renewal struct {
	newest map[reflect.Type]reflect.Type // by the older one
	seen   map[visited]bool
	parts  int
	count  int // what it has changed
}

// renew goes through a variable.
func (r *renewal) renew(v reflect.Value) {
	if r.parts++; r.parts > maxHeld {
		return
	}
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem() // a field that is not exported, too
	switch v.Kind() {
	case reflect.Interface:
		r.held(v)
	case reflect.Pointer:
		if at := (visited{v.UnsafePointer(), v.Type()}); !v.IsNil() && !r.seen[at] {
			r.seen[at] = true
			r.renew(v.Elem())
		}
	case reflect.Struct:
		if m, ok := syncMap(v); ok {
			m.Range(func(key, value any) bool {
				k, x := key, value
				if r.changes(reflect.ValueOf(&k).Elem()) {
					m.Delete(key)
					m.Store(k, value)
				}
				if r.changes(reflect.ValueOf(&x).Elem()) {
					m.Store(k, x)
				}
				return true
			})
			return
		}
		for i := range v.NumField() {
			if refers(v.Type().Field(i).Type) {
				r.renew(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			at := visited{v.UnsafePointer(), v.Type()}
			if r.seen[at] && v.Len() > 0 {
				return
			}
			r.seen[at] = true
		}
		for i := 0; refers(v.Type().Elem()) && i < v.Len() && r.parts <= maxHeld; i++ {
			r.renew(v.Index(i))
		}
	case reflect.Map:
		if at := (visited{v.UnsafePointer(), v.Type()}); !v.IsNil() && !r.seen[at] {
			r.seen[at] = true
			r.entries(v)
		}
	}
}

// changes reports whether renew changes a variable.
func (r *renewal) changes(v reflect.Value) bool {
	before := r.count
	r.renew(v)
	return r.count != before
}

// entries goes through a map, whose keys and values are no variables.
func (r *renewal) entries(m reflect.Value) {
	type entry struct{ old, key, value reflect.Value }
	var changed []entry
	for it := m.MapRange(); r.parts <= maxHeld && it.Next(); {
		e := entry{it.Key(), copyOf(it.Key()), copyOf(it.Value())}
		key := r.changes(e.key)
		if value := r.changes(e.value); !key && !value {
			continue
		}
		if !key {
			e.key = e.old
		} else if !m.MapIndex(e.old).IsValid() { // a NaN in it: it cannot be removed
			continue
		}
		changed = append(changed, e)
	}
	for _, e := range changed {
		m.SetMapIndex(e.old, reflect.Value{})
		m.SetMapIndex(e.key, e.value)
	}
}

// copyOf is a variable with a value.
func copyOf(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// held renews what an interface holds.
func (r *renewal) held(v reflect.Value) {
	if v.IsNil() {
		return
	}
	if t, ok := v.Interface().(reflect.Type); ok {
		if n := r.newest[t]; n != nil {
			v.Set(reflect.ValueOf(n))
			r.count++
		}
		return
	}
	switch c := v.Elem(); c.Kind() {
	case reflect.Struct, reflect.Array: // of the interface alone
		if refers(c.Type()) {
			if x := copyOf(c); r.changes(x) {
				v.Set(x)
			}
		}
	case reflect.Pointer, reflect.Slice, reflect.Map:
		r.renew(copyOf(c))
	}
	n := r.newest[v.Elem().Type()]
	if n == nil || !n.Implements(v.Type()) {
		return
	}
	x := reflect.New(v.Type()) // an interface that holds the new type
	x.Elem().Set(reflect.Zero(n))
	// The first word of an interface says what its second one is: readers see the one or the other.
	*(*unsafe.Pointer)(v.Addr().UnsafePointer()) = *(*unsafe.Pointer)(x.UnsafePointer())
	r.count++
}
