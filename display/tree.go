package display

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A struct, a list or a map that holds tensors, such as a model, is shown as a tree of their names, shapes and dtypes:
// their elements would fill the screen. A layer always is, other values from some number of elements on.

// Bounds of trees.
const (
	treeElements = 64 // what has fewer elements in all is shown with them
	treeDepth    = 8
	treeLines    = 48
	treeEnd      = 12      // lines that are shown of the end of a longer tree
	treeScalars  = 6       // settings that are shown beside a struct's type
	treeValues   = 1 << 14 // that are looked at
)

// tensorLike is implemented by tensors.
type tensorLike interface {
	Dims() []int
	ElemCount() int
	Bytes() int
}

// tree gathers the lines of a value's tree.
type tree struct {
	lines    [][2]string // name, indented, and what it is
	tensors  int
	elements int
	bytes    int
	looked   int // at so many values
	visiting map[uintptr]bool
	counted  map[any]bool // a tensor that is held twice is there once
	hidden   bool         // a tensor is in a field that is not exported, which fmt would show with its internals
}

// treeOf returns a struct, a list or a map with tensors, or a pointer to one, as a tree.
func treeOf(v any) (text string, ok bool) {
	rv := reflect.ValueOf(v)
	t := &tree{visiting: map[uintptr]bool{}, counted: map[any]bool{}}
	_, layer := reflect.TypeOf(v).MethodByName("Forward")
	for rv.Kind() == reflect.Pointer && !rv.IsNil() && !t.visiting[rv.Pointer()] { // a pointer may point to itself
		if _, is := rv.Interface().(tensorLike); is {
			return "", false
		}
		t.visiting[rv.Pointer()] = true
		rv = rv.Elem()
	}
	if !rv.IsValid() || hasMethod(rv.Type()) {
		return "", false
	}
	head := rv.Type().String()
	switch rv.Kind() {
	case reflect.Struct:
		if rv.Type().Name() == "" {
			return "", false
		}
		t.fields(rv, 1)
		head += scalars(rv)
	case reflect.Slice, reflect.Array, reflect.Map:
		if rv.Kind() != reflect.Map && tableOf(rv) != nil { // which has a cell for each tensor
			return "", false
		}
		t.entries(rv, 1)
		head = listTitle(rv)
	}
	if t.tensors == 0 || t.elements <= treeElements && !t.hidden && !layer {
		return "", false
	}
	head = fmt.Sprintf("%s: %d tensor%s, %s elements, %s", head, t.tensors, plural(t.tensors), grouped(t.elements),
		byteSize(t.bytes))
	if t.looked > treeValues {
		head += fmt.Sprintf(", in the first %s values", grouped(treeValues))
	}
	return head + "\n" + strings.Join(t.text(), "\n"), true
}

// listTitle is the number and the type of the elements of a list, or of the values of a map.
func listTitle(v reflect.Value) string {
	if v.Type().Name() != "" {
		return fmt.Sprintf("%s of %d", v.Type(), v.Len())
	}
	return fmt.Sprintf("%d of %s", v.Len(), typeText(v.Type().Elem()))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// text is the lines in two columns, folded where there are many.
func (t *tree) text() (out []string) {
	width := 0
	for _, l := range t.lines {
		width = max(width, textWidth(l[0]))
	}
	for _, l := range t.lines {
		out = append(out, strings.TrimRight(pad(l[0], width, false)+"  "+l[1], " "))
	}
	if hidden := len(out) - treeLines; hidden > 0 {
		first := treeLines - treeEnd
		out = slices.Concat(out[:first], []string{fmt.Sprintf("  … %d more lines", hidden)}, out[first+hidden:])
	}
	return out
}

// fields adds what a struct holds and reports whether that is a tensor, or has one.
func (t *tree) fields(v reflect.Value, depth int) (found bool) {
	if v = readable(v); !v.IsValid() {
		return false
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() {
			if v.Type().PkgPath() != "main" {
				continue // of a library: that is its own
			}
			f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
		}
		has := t.value(fieldName(v.Type(), i), f, depth)
		found = found || has
		t.hidden = t.hidden || has && !v.Type().Field(i).IsExported()
	}
	return found
}

// readable is a struct whose fields have addresses.
func readable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	p := reflect.New(v.Type()).Elem()
	p.Set(v)
	return p
}

// value adds a value under its name, if it is a tensor or holds some.
func (t *tree) value(name string, v reflect.Value, depth int) (found bool) {
	t.looked++
	if depth > treeDepth || t.looked > treeValues || !v.IsValid() || !v.CanInterface() {
		return false
	}
	if isNil(v.Interface()) {
		return false
	}
	indented := strings.Repeat("  ", depth) + name
	if x, ok := v.Interface().(tensorLike); ok {
		text := describeTensor(x)
		if reflect.TypeOf(x).Comparable() && t.counted[x] {
			text += ", the same tensor again"
		} else {
			t.tensors, t.elements, t.bytes = t.tensors+1, t.elements+x.ElemCount(), t.bytes+x.Bytes()
			if reflect.TypeOf(x).Comparable() {
				t.counted[x] = true
			}
		}
		t.lines = append(t.lines, [2]string{indented, text})
		return true
	}
	at := len(t.lines)
	t.lines = append(t.lines, [2]string{indented, ""})
	switch v.Kind() {
	case reflect.Pointer:
		if p := v.Pointer(); !t.visiting[p] {
			t.visiting[p] = true
			t.lines = t.lines[:at]
			found = t.value(name, v.Elem(), depth)
			delete(t.visiting, p)
			return found
		}
	case reflect.Interface:
		t.lines = t.lines[:at]
		return t.value(name, v.Elem(), depth)
	case reflect.Struct:
		t.lines[at][1] = v.Type().String() + scalars(v)
		found = t.fields(v, depth+1)
	case reflect.Slice, reflect.Array, reflect.Map:
		t.lines[at][1] = listTitle(v)
		found = t.entries(v, depth+1)
	}
	if !found {
		t.lines = t.lines[:at]
	}
	return found
}

// entries adds what a list or a map holds and reports whether that is a tensor, or has one.
func (t *tree) entries(v reflect.Value, depth int) (found bool) {
	if !mayHold(v.Type().Elem()) {
		return false
	}
	if v.Kind() == reflect.Map {
		list, _ := sortedEntries(v, maxSort)
		for _, e := range list {
			found = t.value(cellText(fmt.Sprint(e.key), maxCell), e.value, depth) || found
		}
		return found
	}
	for i := 0; i < v.Len() && t.looked <= treeValues; i++ {
		found = t.value(strconv.Itoa(i), v.Index(i), depth) || found
	}
	return found
}

// mayHold reports whether values of a type can hold tensors: slices of numbers cannot, and may be long.
func mayHold(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

// describeTensor is a tensor's shape and dtype, such as [3, 4] f32.
func describeTensor(x tensorLike) string {
	text := "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(x.Dims()), " ", ", "), "[]") + "]"
	if m := reflect.ValueOf(x).MethodByName("DType"); m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
		text += " " + fmt.Sprint(m.Call(nil)[0].Interface())
	}
	return text
}

// scalars are the settings of a struct that are not zero, such as (Stride 2, Padding 1).
func scalars(v reflect.Value) string {
	var list []string
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() || f.IsZero() || len(list) == treeScalars {
			continue
		}
		switch f.Kind() {
		case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float32, reflect.Float64, reflect.String:
			list = append(list, fieldName(v.Type(), i)+" "+cellText(fmt.Sprint(f.Interface()), maxCell))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// grouped is a number with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func byteSize(n int) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
