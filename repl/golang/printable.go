package golang

import (
	"cmp"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strings"
)

// printable passes a value to a function that prints it: as the fmt.Stringer or error that it is, also inside slices, arrays
// and maps, and without the wrapper in which yaegi keeps the methods of what an interface holds. It returns the name of the
// lowered function that does so, "" when values of the type print as they are.
func (l *lowerer) printable(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if n, ok := types.Unalias(t).(*types.Named); ok && !isSession(n.Obj()) {
			return "" // compiled code has wrapped it, or yaegi does so
		}
		f := l.pkg("fmt", "fmt")
		text := func(t, method string) string {
			return l.helper("text", t, "func %s(x interface{}) string { return x.("+t+")."+method+"() }")
		}
		return l.helper("printable", "any", "func %s(x interface{}) interface{} {\nif !"+runtimePkg+".Wrapped(x) { return "+runtimePkg+".Plain(x) }\nreturn "+
			runtimePkg+".Text(x, func() string { return "+text("error", "Error")+"(x) }, func() string { return "+text(f+".Stringer", "String")+"(x) })\n}")
	case *types.Slice:
		return l.printableList(t, u.Elem())
	case *types.Array:
		return l.printableList(t, u.Elem())
	case *types.Map:
		k, v := l.printableElem(u.Key(), "k"), l.printableElem(u.Elem(), "v")
		if k == "k" && v == "v" {
			return ""
		}
		s := l.typeSource(t)
		return l.helper("printable", s, "func %s(m "+s+") interface{} {\nr := "+runtimePkg+".Printed(true)\nfor k, v := range m { r.Add(k, "+k+", "+v+") }\nreturn r\n}")
	}
	return ""
}

func (l *lowerer) printableList(t, elem types.Type) string {
	x := l.printableElem(elem, "x")
	if b, ok := elem.Underlying().(*types.Basic); x == "x" || ok && b.Kind() == types.Uint8 {
		return ""
	}
	s := l.typeSource(t)
	return l.helper("printable", s, "func %s(m "+s+") interface{} {\nr := "+runtimePkg+".Printed(false)\nfor _, x := range m { r.Add(nil, nil, "+x+") }\nreturn r\n}")
}

// printableElem is the lowered expression for x in the form that prints it; x itself when it prints as it is.
func (l *lowerer) printableElem(t types.Type, x string) string {
	if l.hasSessionMethods(t) {
		for _, it := range []types.Type{types.Universe.Lookup("error").Type(), l.stringer()} {
			if it != nil && types.AssignableTo(t, it) {
				f, to := l.typeSource(t), l.typeSource(it)
				return l.helper("convert", f+" to "+to, "func %s(x "+f+") "+to+" { return x }") + "(" + x + ")"
			}
		}
	}
	if f := l.printable(t); f != "" {
		return f + "(" + x + ")"
	}
	return x
}

func (l *lowerer) stringer() types.Type {
	p, err := l.e.lib.Import("fmt")
	if err != nil {
		return nil
	}
	return p.Scope().Lookup("Stringer").Type()
}

// printed is a list or a map whose elements print themselves.
type printed struct {
	isMap               bool
	order, keys, values []any
}

// Add adds an element. Entries of a map are sorted by order, as fmt sorts them.
func (p *printed) Add(order, key, value any) {
	p.order, p.keys, p.values = append(p.order, plainDeep(order)), append(p.keys, key), append(p.values, value)
}

// Format prints the elements as fmt prints those of a slice or map.
func (p *printed) Format(s fmt.State, verb rune) {
	format := fmt.FormatString(s, verb)
	at := make([]int, len(p.values))
	for i := range at {
		at[i] = i
	}
	var b strings.Builder
	if p.isMap {
		slices.SortStableFunc(at, func(i, j int) int { return compareKeys(p.order[i], p.order[j]) })
		b.WriteString("map")
	}
	b.WriteByte('[')
	for n, i := range at {
		if n > 0 {
			b.WriteByte(' ')
		}
		if p.isMap {
			fmt.Fprintf(&b, format+":", p.keys[i])
		}
		fmt.Fprintf(&b, format, p.values[i])
	}
	b.WriteByte(']')
	_, _ = io.WriteString(s, b.String()) // fmt reports its writer's errors
}

// compareKeys orders keys of one type as fmt does; others keep their order.
func compareKeys(a, b any) int {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case !x.IsValid() || !y.IsValid() || x.Kind() != y.Kind():
		return 0
	case x.CanInt():
		return cmp.Compare(x.Int(), y.Int())
	case x.CanUint():
		return cmp.Compare(x.Uint(), y.Uint())
	case x.CanFloat():
		return cmp.Compare(x.Float(), y.Float())
	case x.Kind() == reflect.String:
		return cmp.Compare(x.String(), y.String())
	}
	return 0
}

// text is what the first of a value's methods that it has returns, or the value without yaegi's wrapper.
func text(v any, methods ...func() string) any {
	for _, m := range methods {
		if s, ok := attempt(m); ok {
			return s
		}
	}
	return plainDeep(v)
}

// attempt calls a method that the value may lack.
func attempt(m func() string) (s string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, final := plain(r).(abandonedStop); final {
				panic(r)
			}
			ok = false
		}
	}()
	return m(), true
}

// wrapped reports whether yaegi keeps the methods of a value beside it.
func wrapped(v any) bool { return isWrapper(reflect.ValueOf(v)) }

func isWrapper(r reflect.Value) bool {
	return r.Kind() == reflect.Struct && r.NumField() == 2 && r.Type().String() == "interp.valueInterface"
}

// plainDeep takes values out of yaegi's wrappers, also inside what yaegi makes of slices, maps and structs with interfaces.
func plainDeep(v any) any {
	v = plain(v)
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return nil
	}
	if isWrapper(r) {
		inner, ok := exposed(r, 1).(reflect.Value)
		if !ok || !inner.IsValid() || !inner.CanInterface() {
			return nil
		}
		return plainDeep(inner.Interface())
	}
	if r.Kind() == reflect.Pointer || !strings.Contains(r.Type().String(), "interp.valueInterface") && !holdsAny(r.Type(), 0) {
		return v
	}
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		if r.Kind() == reflect.Slice && r.IsNil() {
			return v
		}
		list := make([]any, r.Len())
		for i := range list {
			if r.Index(i).CanInterface() {
				list[i] = plainDeep(r.Index(i).Interface())
			}
		}
		return list
	case reflect.Map:
		if r.IsNil() {
			return v
		}
		m := make(map[any]any, r.Len())
		for k, x := range r.Seq2() {
			m[plainDeep(k.Interface())] = plainDeep(x.Interface())
		}
		return m
	}
	return v
}

// exposed reads an unexported field.
func exposed(r reflect.Value, i int) any {
	c := reflect.New(r.Type()).Elem()
	c.Set(r)
	f := c.Field(i)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().Interface()
}

// holdsAny reports whether a list or map type has elements of an interface type.
func holdsAny(t reflect.Type, depth int) bool {
	if depth > 4 {
		return false
	}
	switch t.Kind() {
	case reflect.Interface:
		return depth > 0
	case reflect.Slice, reflect.Array:
		return holdsAny(t.Elem(), depth+1)
	case reflect.Map:
		return holdsAny(t.Key(), depth+1) || holdsAny(t.Elem(), depth+1)
	}
	return false
}

// named replaces the verb T of some operands in a format: their types' names are given as strings.
func named(format string, operands map[int]bool) string {
	b := []byte(format)
	n := 0
	for i := 0; i < len(b); i++ {
		if b[i] != '%' {
			continue
		}
		for i++; i < len(b) && strings.IndexByte("+-# 0123456789.", b[i]) >= 0; i++ {
		}
		if i < len(b) && b[i] != '%' {
			if operands[n] {
				b[i] = 's'
			}
			n++
		}
	}
	return string(b)
}
