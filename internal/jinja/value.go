package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A value is one of: nil (None), bool, int, float64, string, list, *dict, undefined, *namespace, *macro, function,
// *loop.

// list is a list or a tuple of Python's, or what a filter or a method yields.
type list struct {
	items []any
	kind  listKind
}

type listKind int

const (
	aList listKind = iota
	aTuple
	aGenerator
	aView // of a dict: its keys, values or items
)

// lazy reports whether it is no sequence: it has no indices, and is not JSON.
func (l list) lazy() bool { return l.kind == aGenerator || l.kind == aView }

// dict is a dict whose keys are text, in the order in which they were added.
type dict struct {
	keys []string
	of   map[string]any
}

func (d *dict) get(key string) (any, bool) {
	v, ok := d.of[key]
	return v, ok
}

func (d *dict) set(key string, v any) {
	if _, ok := d.of[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.of[key] = v
}

func newDict() *dict { return &dict{of: map[string]any{}} }

// Dict returns a dict of keys and values in turn, for Render and for values of other dicts. It panics when a key is not
// a string, which is a mistake of the program.
func Dict(keysAndValues ...any) any {
	d := newDict()
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		d.set(keysAndValues[i].(string), keysAndValues[i+1])
	}
	return d
}

// List returns a list of values.
func List(items ...any) any { return list{items: items} }

// undefined is the value of a name that is not there. It is false, empty and prints nothing; all else is an error.
type undefined struct{ what string }

func (u undefined) err() error { return fmt.Errorf("%s is undefined", u.what) }

// namespace is a namespace(): the one value whose attributes can be set.
type namespace struct{ of *dict }

// function is a global function, a filter that was called, or a method.
type function struct {
	name string
	call func(r *renderer, a args) (any, error)
}

// typeName is how messages call a value's type, as Python's do.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case list:
		return [...]string{"list", "tuple", "generator", "view of a dict"}[v.kind]
	case *dict:
		return "dict"
	case undefined:
		return "undefined"
	case *namespace:
		return "namespace"
	case *loop:
		return "loop"
	}
	return "function"
}

// truth is bool(v).
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case list:
		return v.kind == aGenerator || len(v.items) > 0
	case *dict:
		return len(v.keys) > 0
	}
	return true
}

// text is str(v), as {{ v }} prints it.
func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case undefined:
		return "", nil
	}
	return repr(v, 0)
}

// repr is repr(v).
func repr(v any, depth int) (string, error) {
	if depth > 2*maxDepth {
		return "", fmt.Errorf("a value is nested too deep")
	}
	switch v := v.(type) {
	case nil:
		return "None", nil
	case bool:
		if v {
			return "True", nil
		}
		return "False", nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return floatText(v), nil
	case string:
		return quoted(v), nil
	case undefined:
		return "Undefined", nil
	case list:
		return listText(v, depth)
	case *dict:
		parts := make([]string, len(v.keys))
		for i, k := range v.keys {
			s, err := repr(v.of[k], depth+1)
			if err != nil {
				return "", err
			}
			parts[i] = quoted(k) + ": " + s
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	}
	return "", fmt.Errorf("a %s cannot be written as text", typeName(v))
}

func listText(v list, depth int) (string, error) {
	if v.lazy() {
		return "", fmt.Errorf("a %s cannot be written as text: the filter list makes a list of it", typeName(v))
	}
	parts, size := make([]string, len(v.items)), 0
	for i, item := range v.items {
		s, err := repr(item, depth+1)
		if size += len(s); err == nil && size > maxText {
			err = fmt.Errorf("a text has more than %d bytes", maxText)
		}
		if err != nil {
			return "", err
		}
		parts[i] = s
	}
	inside := strings.Join(parts, ", ")
	switch {
	case v.kind == aList:
		return "[" + inside + "]", nil
	case len(parts) == 1:
		return "(" + inside + ",)", nil
	}
	return "(" + inside + ")", nil
}

// floatText is repr of a float.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(fmt.Sprint(f)), "+")
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// quoted is repr of text.
func quoted(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(quote)
	return b.String()
}

// length is len(v).
func length(v any) (int, error) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), nil
	case list:
		if v.kind != aGenerator {
			return len(v.items), nil
		}
	case *dict:
		return len(v.keys), nil
	case undefined:
		return 0, nil
	}
	return 0, fmt.Errorf("a %s has no length", typeName(v))
}

// iterate returns what a loop goes through.
func iterate(v any) ([]any, error) {
	switch v := v.(type) {
	case list:
		return v.items, nil
	case *dict:
		all := make([]any, len(v.keys))
		for i, k := range v.keys {
			all[i] = k
		}
		return all, nil
	case string:
		var all []any
		for _, r := range v {
			all = append(all, string(r))
		}
		return all, nil
	case undefined:
		return nil, nil
	}
	return nil, fmt.Errorf("a %s cannot be gone through", typeName(v))
}

// valueOf turns a value of Go's into one of a template's.
func valueOf(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int, float64, string, list, *dict:
		return v, nil
	case []string:
		l := list{}
		for _, s := range v {
			l.items = append(l.items, s)
		}
		return l, nil
	}
	return nil, fmt.Errorf("jinja: a %T is not a value of a template", v)
}
