package debugger

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unsafe"
)

// value is a value that clients see, with what it consists of.
type value struct {
	name string
	typ  string
	v    reflect.Value // addressable, or not valid: nil
	path string        // an expression for it; "" for none
}

// How much of a value its text shows.
const (
	maxText     = 120
	maxElements = 16
	maxDepth    = 2
)

// valueOf is the value that an interface holds.
func valueOf(name, typ, path string, x any) value {
	r := value{name: name, typ: typ, path: path}
	if x == nil {
		return r
	}
	r.v = reflect.New(reflect.TypeOf(x)).Elem()
	r.v.Set(reflect.ValueOf(x))
	if r.typ == "" {
		r.typ = typeText(r.v.Type())
	}
	return r
}

// typeText is a type as users write it.
func typeText(t reflect.Type) string { return strings.ReplaceAll(t.String(), "main.", "") }

// open makes a field that is not exported readable.
func open(v reflect.Value) reflect.Value {
	if v.CanInterface() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// isSession reports whether a type comes from cells, where methods would be interpreted.
func isSession(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t.PkgPath() == "main"
}

// text shows a value on one line. Methods of compiled types are called, those of cells are not.
func (d *Debugger) text(v reflect.Value) string {
	s := d.textOf(v, 0)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxText {
		s = string(r[:maxText]) + "…"
	}
	return s
}

func (d *Debugger) textOf(v reflect.Value, depth int) (s string) {
	if !v.IsValid() {
		return "nil"
	}
	v = open(v)
	if s, ok := d.ownText(v); ok {
		return s
	}
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		if len(text) > 4*maxText {
			return strconv.Quote(text[:4*maxText]) + "…"
		}
		return strconv.Quote(text)
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return d.textOf(addressable(v.Elem()), depth)
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		if depth >= maxDepth {
			return fmt.Sprintf("%#x", v.Pointer())
		}
		return "&" + d.textOf(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return d.listText(v, depth)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			return "nil"
		}
		if v.Kind() == reflect.Chan {
			return fmt.Sprintf("len %d, cap %d", v.Len(), v.Cap())
		}
		return typeText(v.Type())
	}
	return fmt.Sprint(v)
}

// listText shows what consists of several values.
func (d *Debugger) listText(v reflect.Value, depth int) string {
	nilable := v.Kind() == reflect.Slice || v.Kind() == reflect.Map
	switch {
	case nilable && v.IsNil():
		return "nil"
	case depth > maxDepth:
		return "{…}"
	}
	var list []string
	children := d.children(value{v: v}, 0, maxElements)
	for _, c := range children {
		s := d.textOf(c.v, depth+1)
		if v.Kind() == reflect.Struct || v.Kind() == reflect.Map {
			s = c.name + ": " + s
		}
		list = append(list, s)
	}
	if v.Kind() == reflect.Struct {
		return "{" + strings.Join(list, ", ") + "}"
	}
	if v.Len() > len(list) {
		return fmt.Sprintf("len %d [%s …]", v.Len(), strings.Join(list, " "))
	}
	return "[" + strings.Join(list, " ") + "]"
}

// ownText is what a value of a compiled package says of itself.
func (d *Debugger) ownText(v reflect.Value) (s string, ok bool) {
	if !v.CanInterface() || isSession(v.Type()) || v.Kind() == reflect.Pointer && v.IsNil() ||
		v.Kind() == reflect.Interface {
		return "", false
	}
	defer func() {
		if r := recover(); r != nil { // such as a String method of a zero value
			s, ok = "", false
		}
	}()
	x := v.Interface()
	if d.host.Leaf != nil && d.host.Leaf(x) {
		return d.host.Summary(x), true
	}
	switch x := x.(type) {
	case reflect.Type, reflect.Value:
		return fmt.Sprint(x), true
	case error:
		return x.Error(), true
	case fmt.Stringer:
		return x.String(), true
	}
	return "", false
}

// addressable is a value whose fields can be read, whether they are exported or not.
func addressable(v reflect.Value) reflect.Value {
	if !v.IsValid() || v.CanAddr() || !v.CanInterface() {
		return v
	}
	r := reflect.New(v.Type()).Elem()
	r.Set(v)
	return r
}

// count is how many children a value has, of fields and of elements.
func (d *Debugger) count(x value) (named, indexed int) {
	v := d.inside(x.v)
	if !v.IsValid() {
		return 0, 0
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return 0, v.Len()
	case reflect.Struct:
		return v.NumField(), 0
	case reflect.Pointer:
		return 1, 0
	}
	return 0, 0
}

// inside looks through interfaces, and through pointers to structs. It is not valid for what has no children.
func (d *Debugger) inside(v reflect.Value) reflect.Value {
	for v.IsValid() {
		v = open(v)
		if v.CanInterface() && v.Kind() != reflect.Interface && d.host.Leaf != nil && d.host.Leaf(v.Interface()) {
			return reflect.Value{}
		}
		switch v.Kind() {
		case reflect.Interface:
			if v.IsNil() {
				return reflect.Value{}
			}
			v = addressable(v.Elem())
			continue
		case reflect.Pointer:
			if v.IsNil() {
				return reflect.Value{}
			}
			if v.Type().Elem().Kind() == reflect.Struct {
				v = v.Elem()
				continue
			}
		}
		return v
	}
	return v
}

// children are what a value consists of, from the start-th on, at most n with n > 0.
func (d *Debugger) children(x value, start, n int) (list []value) {
	v := d.inside(x.v)
	if !v.IsValid() {
		return nil
	}
	in := func(format string, args ...any) string {
		if x.path == "" {
			return ""
		}
		return x.path + fmt.Sprintf(format, args...)
	}
	add := func(name, path string, v reflect.Value) {
		v = open(v)
		list = append(list, value{name: name, typ: typeText(v.Type()), v: v, path: path})
	}
	end := func(all int) int {
		if n > 0 {
			return min(all, start+n)
		}
		return all
	}
	switch v.Kind() {
	case reflect.Pointer:
		path := ""
		if x.path != "" {
			path = "*" + x.path
		}
		add("*", path, v.Elem())
	case reflect.Struct:
		for i := start; i < end(v.NumField()); i++ {
			add(v.Type().Field(i).Name, in(".%s", v.Type().Field(i).Name), v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := start; i < end(v.Len()); i++ {
			add(strconv.Itoa(i), in("[%d]", i), v.Index(i))
		}
	case reflect.Map:
		keys := keysOf(v)
		names := map[int]string{}
		order := make([]int, len(keys))
		for i, k := range keys {
			names[i], order[i] = d.textOf(addressable(k), maxDepth), i
		}
		sort.Slice(order, func(i, j int) bool {
			a, b := order[i], order[j]
			return lessKey(keys[a], keys[b], names[a], names[b])
		})
		for _, i := range order[min(start, len(order)):end(len(order))] {
			path := ""
			if k := keys[i].Kind(); k == reflect.String || k >= reflect.Int && k <= reflect.Uint64 {
				path = in("[%s]", names[i])
			}
			add(names[i], path, addressable(v.MapIndex(keys[i])))
		}
	}
	return list
}

// keysOf are the keys of a map; of a large one, some.
func keysOf(m reflect.Value) (keys []reflect.Value) {
	for it := m.MapRange(); it.Next() && len(keys) < maxListed; {
		keys = append(keys, it.Key())
	}
	return keys
}

// lessKey orders keys of maps: numbers by their values, all others by their texts.
func lessKey(a, b reflect.Value, at, bt string) bool {
	switch {
	case a.CanInt() && b.CanInt():
		return a.Int() < b.Int()
	case a.CanUint() && b.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat() && b.CanFloat():
		return a.Float() < b.Float()
	}
	return at < bt
}
