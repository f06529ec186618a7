package display

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	controls "github.com/gorocm/gorocm/internal/visible"
)

// plainText is the text/plain form of v. It never panics.
func plainText(v any) (text string) {
	p := printer{visiting: map[visit]bool{}, left: maxText}
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("%T (cannot be shown: %s)", v, panicText(r))
		}
	}()
	if v == nil {
		return "nil"
	}
	r := reflect.ValueOf(v)
	if inner, ok := v.(reflect.Value); ok {
		r = inner
	}
	return p.top(r) + p.notes.String()
}

// printer writes values like fmt's %+v, with quoted strings and limits; it neither loops nor panics.
type printer struct {
	visiting map[visit]bool // references that are being printed, to stop at cycles
	left     int            // bytes that may still be written
	notes    strings.Builder
}

type visit struct {
	typ  reflect.Type
	addr uintptr
	n    int // a slice's length: s and s[:1] have one address
}

// top prints a whole value: unlike an element it may take several lines and names the type of a nil.
func (p *printer) top(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	if s, ok := p.method(v); ok {
		return s
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		if v.IsNil() {
			return nilText(v.Type())
		}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if b, ok := bytesText(v); ok {
			return b
		}
		if t := nestedOf(v); t != nil {
			return t.text()
		}
		if t := tableOf(v); t != nil {
			return t.text()
		}
		return p.list(v)
	case reflect.Map:
		if line := p.inline(v, 0); len(line) <= lineWidth() && !strings.Contains(line, "\n") {
			return line
		}
		if t := tableOf(v); t != nil {
			return t.text()
		}
	case reflect.Func:
		return typeText(v.Type())
	}
	return p.inline(v, 0)
}

func nilText(t reflect.Type) string {
	name := typeText(t)
	switch {
	case strings.Contains(name, "struct {"):
		return "nil" // the interpreter's types have no names
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Func || t.Kind() == reflect.Chan:
		return "(" + name + ")(nil)"
	}
	return name + "(nil)"
}

// typeText is a type as Go programs write it.
func typeText(t reflect.Type) string {
	if t == reflect.TypeFor[[]byte]() {
		return "[]byte"
	}
	return strings.ReplaceAll(t.String(), "interface {}", "any")
}

// bytesText shows bytes that are text as text.
func bytesText(v reflect.Value) (string, bool) {
	if v.Type().Elem().Kind() != reflect.Uint8 || v.Kind() != reflect.Slice || v.Len() == 0 {
		return "", false
	}
	b := v.Bytes()
	head := cut(string(b[:min(len(b), maxString)]), maxString-utf8.UTFMax)
	for _, r := range head {
		if r == utf8.RuneError || !strconv.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return "", false
		}
	}
	s := typeText(v.Type()) + "(" + strconv.Quote(head)
	if len(head) < len(b) {
		return s + fmt.Sprintf("…) (%d bytes)", len(b)), true
	}
	return s + ")", true
}

// list prints a slice or an array in lines of lineWidth columns.
func (p *printer) list(v reflect.Value) string {
	p.enter(v)
	defer p.leave(v)
	format := p.elementFormat(v)
	var b strings.Builder
	b.WriteByte('[')
	column := 1
	add := func(s string) {
		width := textWidth(s)
		if column > 1 {
			if column+1+width >= lineWidth() {
				b.WriteString("\n ")
				column = 1
			} else {
				b.WriteByte(' ')
				column++
			}
		}
		b.WriteString(s)
		column += width
	}
	s := spanOf(v.Len(), maxList, listHead, listTail)
	s.each(func(i int) { add(format(v.Index(i))) }, func() { add("…") })
	b.WriteByte(']')
	if !s.whole() {
		fmt.Fprintf(&b, " (%d elements)", v.Len())
	}
	return b.String()
}

// elementFormat returns the format of a list's elements: floats are printed in their common precision.
func (p *printer) elementFormat(v reflect.Value) func(reflect.Value) string {
	if k := v.Type().Elem().Kind(); k == reflect.Float64 && !hasMethod(v.Type().Elem()) {
		bits := floatBits(v)
		return func(e reflect.Value) string { return floatText(e.Float(), bits) }
	}
	return func(e reflect.Value) string { return p.inline(e, 1) }
}

// floatBits is 32 when every element that is looked at is a float32 value, 64 otherwise.
func floatBits(v reflect.Value) int {
	for i := range min(v.Len(), maxSort) {
		if f := v.Index(i).Float(); float64(float32(f)) != f && !math.IsNaN(f) {
			return 64
		}
	}
	return 32
}

// floatText is fmt's %v of a float with that many bits.
func floatText(f float64, bits int) string {
	if bits == 32 {
		return fmt.Sprint(float32(f))
	}
	return fmt.Sprint(f)
}

// inline prints v as a part of a line.
func (p *printer) inline(v reflect.Value, depth int) string {
	if p.left <= 0 || depth > maxDepth {
		return "…"
	}
	if !v.IsValid() {
		return "nil"
	}
	if depth > 0 {
		if s, ok := p.method(v); ok {
			return p.count(s)
		}
	}
	switch v.Kind() {
	case reflect.String:
		return p.count(quote(v.String()))
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return p.count(fmt.Sprintf("%v", basic(v)))
	case reflect.Interface:
		return p.inline(v.Elem(), depth)
	case reflect.Func:
		if v.IsNil() {
			return "nil"
		}
		return p.count(typeText(v.Type()))
	case reflect.Chan:
		if v.IsNil() {
			return "nil"
		}
		return p.count(fmt.Sprintf("%s (%d of %d)", typeText(v.Type()), v.Len(), v.Cap()))
	case reflect.UnsafePointer:
		return p.count(fmt.Sprintf("%#x", v.Pointer()))
	}
	if !p.enter(v) {
		return "…"
	}
	defer p.leave(v)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return "&" + p.inline(v.Elem(), depth+1)
	case reflect.Struct:
		return p.structure(v, depth)
	case reflect.Map:
		return p.mapping(v, depth)
	default: // slice, array
		return p.sequence(v, depth)
	}
}

// libraries begins the paths of packages whose private fields are internals that no cell can reach: they are not shown.
const libraries = "github.com/gorocm/gorocm/tensor"

func hasPrivate(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

func (p *printer) structure(v reflect.Value, depth int) string {
	var b strings.Builder
	hides := strings.HasPrefix(v.Type().PkgPath(), libraries) && hasPrivate(v.Type())
	if hides {
		b.WriteString(p.count(v.Type().String()))
	}
	b.WriteByte('{')
	sep := ""
	for i := range v.NumField() {
		if hides && !v.Type().Field(i).IsExported() {
			continue
		}
		b.WriteString(sep)
		sep = " "
		b.WriteString(p.count(fieldName(v.Type(), i)))
		b.WriteByte(':')
		b.WriteString(p.inline(v.Field(i), depth+1))
	}
	b.WriteByte('}')
	return b.String()
}

func (p *printer) sequence(v reflect.Value, depth int) string {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return "[]"
	}
	var parts []string
	format := p.elementFormat(v)
	if depth > 0 && v.Type().Elem().Kind() != reflect.Float64 {
		format = func(e reflect.Value) string { return p.inline(e, depth+1) }
	}
	s := spanOf(v.Len(), maxList/2, listHead, listTail)
	s.each(func(i int) { parts = append(parts, p.count(format(v.Index(i)))) }, func() { parts = append(parts, "…") })
	return "[" + strings.Join(parts, " ") + "]"
}

func (p *printer) mapping(v reflect.Value, depth int) string {
	var parts []string
	entries, more := sortedEntries(v, maxList)
	for _, e := range entries {
		parts = append(parts, p.inline(e.key, depth+1)+":"+p.inline(e.value, depth+1))
	}
	if more {
		parts = append(parts, fmt.Sprintf("… (%d entries)", v.Len()))
	}
	return "map[" + strings.Join(parts, " ") + "]"
}

// entry is one of a map. The map itself finds no value by a key that has a NaN.
type entry struct{ key, value reflect.Value }

// sortedEntries returns at most limit entries of a map in the order of their keys, and whether there are more. Of a map
// beyond maxSort entries they are arbitrary ones.
func sortedEntries(v reflect.Value, limit int) (entries []entry, more bool) {
	for iter := v.MapRange(); iter.Next() && len(entries) < maxSort; {
		entries = append(entries, entry{iter.Key(), iter.Value()})
	}
	sort.SliceStable(entries, func(i, j int) bool { return less(entries[i].key, entries[j].key) })
	if len(entries) > limit {
		return entries[:limit], true
	}
	return entries, v.Len() > len(entries)
}

// less orders keys of one type as fmt does for the types that keys usually have.
func less(a, b reflect.Value) bool {
	if a.Kind() == reflect.Interface {
		a, b = a.Elem(), b.Elem()
	}
	if a.Kind() != b.Kind() {
		return a.Kind() < b.Kind()
	}
	switch {
	case a.Kind() == reflect.String:
		return a.String() < b.String()
	case a.CanInt():
		return a.Int() < b.Int()
	case a.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat():
		return a.Float() < b.Float() || a.Float() != a.Float() && b.Float() == b.Float()
	case a.Kind() == reflect.Bool:
		return !a.Bool() && b.Bool()
	case a.Kind() == reflect.Struct, a.Kind() == reflect.Array:
		p := printer{visiting: map[visit]bool{}, left: maxString}
		q := printer{visiting: map[visit]bool{}, left: maxString}
		return p.inline(a, 0) < q.inline(b, 0)
	}
	return false
}

// method prints v with its own Error, String or GoString, if it has one that may be called.
func (p *printer) method(v reflect.Value) (s string, ok bool) {
	if !v.CanInterface() || v.Kind() == reflect.Interface || isNilKind(v) {
		return "", false
	}
	value, name := v.Interface(), ""
	note := guard(value, "text", func() {
		switch m := value.(type) {
		case error:
			name, s = "Error", m.Error()
		case fmt.Stringer:
			name, s = "String", m.String()
		case fmt.GoStringer:
			name, s = "GoString", m.GoString()
		}
	})
	if note != "" {
		if p.notes.Len() == 0 {
			p.notes.WriteString(strings.Replace(note, "method text", "text method", 1))
		}
		return "", false
	}
	return elide(controls.Text(s), maxText), name != "" // files and servers may have a part in it
}

var (
	errorType      = reflect.TypeFor[error]()
	stringerType   = reflect.TypeFor[fmt.Stringer]()
	goStringerType = reflect.TypeFor[fmt.GoStringer]()
)

// hasMethod reports whether values of t print themselves.
func hasMethod(t reflect.Type) bool {
	return t.Implements(errorType) || t.Implements(stringerType) || t.Implements(goStringerType)
}

func isNilKind(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// basic returns the value of a basic kind without its type's methods; it also reads unexported fields.
func basic(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Float32:
		return float32(v.Float())
	case v.Kind() == reflect.Float64:
		return v.Float()
	case v.Kind() == reflect.Complex64:
		return complex64(v.Complex())
	}
	return v.Complex()
}

func quote(s string) string {
	if len(s) <= maxString {
		return strconv.Quote(s)
	}
	return strconv.Quote(cut(s, maxString)) + fmt.Sprintf("… (%d bytes)", len(s))
}

// count charges s to the limit of the whole text.
func (p *printer) count(s string) string {
	p.left -= len(s)
	return s
}

// enter notes that a reference is being printed; false means that it is already, so the value contains itself.
func (p *printer) enter(v reflect.Value) bool {
	key, ok := reference(v)
	if !ok {
		return true
	}
	if p.visiting[key] {
		return false
	}
	p.visiting[key] = true
	return true
}

func (p *printer) leave(v reflect.Value) {
	if key, ok := reference(v); ok {
		delete(p.visiting, key)
	}
}

func reference(v reflect.Value) (visit, bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map:
		return visit{v.Type(), v.Pointer(), 0}, !v.IsNil()
	case reflect.Slice:
		return visit{v.Type(), v.Pointer(), v.Len()}, v.Len() > 0
	}
	return visit{}, false
}
