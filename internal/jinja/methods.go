package jinja

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// methods of text.
var textMethods = map[string]func(s string, a args) (any, error){
	"strip":  stripped(strings.TrimFunc, strings.Trim),
	"lstrip": stripped(strings.TrimLeftFunc, strings.TrimLeft),
	"rstrip": stripped(strings.TrimRightFunc, strings.TrimRight),
	"upper":  onText(upper), "lower": onText(strings.ToLower),
	"capitalize": onText(capitalize), "title": onText(titled),
	"startswith": affix("startswith", strings.HasPrefix), "endswith": affix("endswith", strings.HasSuffix),
	"removeprefix": cutAffix("removeprefix", strings.TrimPrefix),
	"removesuffix": cutAffix("removesuffix", strings.TrimSuffix),
	"split":        split, "rsplit": rsplit, "splitlines": splitLines, "replace": replace, "join": joinMethod,
	"find": find(strings.Index), "rfind": find(strings.LastIndex),
	"count": func(s string, a args) (any, error) {
		var of string
		if err := a.take("count", param{"sub", &of, true}); err != nil {
			return nil, err
		}
		return strings.Count(s, of), nil
	},
	"isdigit": every(unicode.IsDigit), "isalpha": every(unicode.IsLetter), "isspace": every(unicode.IsSpace),
	"isalnum": every(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }),
	"isupper": cased(unicode.IsUpper, unicode.IsLower), "islower": cased(unicode.IsLower, unicode.IsUpper),
}

// methods of dicts.
var dictMethods = map[string]func(d *dict, a args) (any, error){
	"items": func(d *dict, a args) (any, error) { return list{itemsOf(d).items, aView}, a.take("items") },
	"keys":  func(d *dict, a args) (any, error) { return list{keysOf(d), aView}, a.take("keys") },
	"values": func(d *dict, a args) (any, error) {
		var all []any
		for _, k := range d.keys {
			all = append(all, d.of[k])
		}
		return list{all, aView}, a.take("values")
	},
	"get": func(d *dict, a args) (any, error) {
		var key, otherwise any
		if err := a.take("get", param{"key", &key, true}, param{"default", &otherwise, false}); err != nil {
			return nil, err
		}
		if s, ok := key.(string); ok {
			if v, ok := d.get(s); ok {
				return v, nil
			}
		}
		return otherwise, nil
	},
	"copy": func(d *dict, a args) (any, error) { return d, a.take("copy") }, // dicts do not change
}

func keysOf(d *dict) []any {
	all := make([]any, len(d.keys))
	for i, k := range d.keys {
		all[i] = k
	}
	return all
}

// itemsOf are the pairs of a dict.
func itemsOf(d *dict) list {
	var all []any
	for _, k := range d.keys {
		all = append(all, list{[]any{k, d.of[k]}, aTuple})
	}
	return list{items: all}
}

// others are the methods of Python's values that are not supported: a template that uses one gets an error. Those that
// change a value are refused by transformers, too.
var others = map[string][]string{
	"str": {"casefold", "center", "encode", "expandtabs", "format", "format_map", "index", "isascii", "isdecimal",
		"isidentifier", "isnumeric", "isprintable", "istitle", "ljust", "maketrans", "partition", "rindex", "rjust",
		"rpartition", "swapcase", "translate", "zfill"},
	"list": {"append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"},
	"dict": {"clear", "fromkeys", "pop", "popitem", "setdefault", "update"},
	"int": {"as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator", "from_bytes", "imag", "is_integer",
		"numerator", "real", "to_bytes"},
	"float": {"as_integer_ratio", "conjugate", "fromhex", "hex", "imag", "is_integer", "real"},
	"tuple": {"count", "index"},
}

// pythonOnly is the error of an attribute that Python's value has and this one has not.
func pythonOnly(of any, name string) error {
	if strings.HasPrefix(name, "__") || slices.Contains(others[typeName(of)], name) {
		return fmt.Errorf("the method %q of a %s is not supported", name, typeName(of))
	}
	if _, ok := of.(bool); ok && slices.Contains(others["int"], name) {
		return fmt.Errorf("the method %q of a bool is not supported", name)
	}
	switch of.(type) {
	case *macro, function:
		return fmt.Errorf("the attribute %q of a function is not supported", name)
	}
	return nil
}

// methodOf is a method of a value.
func methodOf(of any, name string) (any, bool) {
	switch of := of.(type) {
	case string:
		if f, ok := textMethods[name]; ok {
			return function{name, func(_ *renderer, a args) (any, error) { return f(of, a) }}, true
		}
	case *dict:
		if f, ok := dictMethods[name]; ok {
			return function{name, func(_ *renderer, a args) (any, error) { return f(of, a) }}, true
		}
	}
	return nil, false
}

func onText(f func(string) string) func(string, args) (any, error) {
	return func(s string, a args) (any, error) { return f(s), a.take("the method") }
}

func upper(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "ß", "SS")) }

// capitalize is the text with its first letter large and all others small.
func capitalize(s string) string {
	for i, r := range s {
		return string(unicode.ToTitle(r)) + strings.ToLower(s[i+len(string(r)):])
	}
	return s
}

// titled has the first letter of each run of letters large.
func titled(s string) string {
	var b strings.Builder
	in := false
	for _, r := range s {
		if in {
			r = unicode.ToLower(r)
		} else {
			r = unicode.ToTitle(r)
		}
		in = unicode.IsLetter(r)
		b.WriteRune(r)
	}
	return b.String()
}

func stripped(
	space func(string, func(rune) bool) string, chars func(string, string) string,
) func(string, args) (any, error) {
	return func(s string, a args) (any, error) {
		var of any
		if err := a.take("strip", param{"chars", &of, false}); err != nil {
			return nil, err
		}
		switch of := of.(type) {
		case nil:
			return space(s, unicode.IsSpace), nil
		case string:
			return chars(s, of), nil
		}
		return nil, fmt.Errorf("strip wants text, not a %s", typeName(of))
	}
}

// affix is startswith or endswith, of a text or a tuple of them.
func affix(name string, has func(s, of string) bool) func(string, args) (any, error) {
	return func(s string, a args) (any, error) {
		var of any
		if err := a.take(name, param{"prefix", &of, true}); err != nil {
			return nil, err
		}
		all := []any{of}
		if l, ok := of.(list); ok && l.kind == aTuple {
			all = l.items
		}
		for _, v := range all {
			t, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("%s wants text or a tuple of texts, not a %s", name, typeName(of))
			}
			if has(s, t) {
				return true, nil
			}
		}
		return false, nil
	}
}

func cutAffix(name string, cut func(s, of string) string) func(string, args) (any, error) {
	return func(s string, a args) (any, error) {
		var of string
		err := a.take(name, param{"prefix", &of, true})
		return cut(s, of), err
	}
}

func texts(all []string) list {
	l := list{items: []any{}}
	for _, s := range all {
		l.items = append(l.items, s)
	}
	return l
}

// splitAt hands out the arguments of split and rsplit.
func splitAt(name string, a args) (sep string, most int, err error) {
	var by any
	most = -1
	if err := a.take(name, param{"sep", &by, false}, param{"maxsplit", &most, false}); err != nil {
		return "", 0, err
	}
	sep, ok := by.(string)
	switch {
	case by != nil && !ok:
		return "", 0, fmt.Errorf("%s wants text, not a %s", name, typeName(by))
	case ok && sep == "":
		return "", 0, fmt.Errorf("%s by an empty text", name)
	}
	return sep, most, nil
}

func split(s string, a args) (any, error) {
	sep, most, err := splitAt("split", a)
	switch {
	case err != nil:
		return nil, err
	case sep != "" && most >= 0:
		return texts(strings.SplitN(s, sep, most+1)), nil
	case sep != "":
		return texts(strings.Split(s, sep)), nil
	case most >= 0:
		return nil, fmt.Errorf("split at white space with maxsplit is not supported")
	}
	return texts(strings.Fields(s)), nil
}

func rsplit(s string, a args) (any, error) {
	sep, most, err := splitAt("rsplit", a)
	if err != nil {
		return nil, err
	}
	if sep == "" {
		if most >= 0 {
			return nil, fmt.Errorf("rsplit at white space with maxsplit is not supported")
		}
		return texts(strings.Fields(s)), nil
	}
	all := strings.Split(s, sep)
	if n := len(all) - most; most >= 0 && n > 1 {
		all = append([]string{strings.Join(all[:n], sep)}, all[n:]...)
	}
	return texts(all), nil
}

func splitLines(s string, a args) (any, error) {
	if err := a.take("splitlines"); err != nil {
		return nil, err
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.FieldsFunc(s, func(rune) bool { return false })
	if s != "" {
		lines = strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	}
	return texts(lines), nil
}

func replace(s string, a args) (any, error) {
	var from, to string
	most := -1
	err := a.take("replace", param{"old", &from, true}, param{"new", &to, true}, param{"count", &most, false})
	if n := strings.Count(s, from); err == nil && len(s)+n*len(to) > maxText {
		return nil, fmt.Errorf("a text has more than %d bytes", maxText)
	}
	return strings.Replace(s, from, to, most), err
}

func joinMethod(s string, a args) (any, error) {
	var of any
	if err := a.take("join", param{"items", &of, true}); err != nil {
		return nil, err
	}
	items, err := iterate(of)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, v := range items {
		t, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("join wants texts, not a %s", typeName(v))
		}
		all = append(all, t)
	}
	return strings.Join(all, s), nil
}

func find(index func(s, of string) int) func(string, args) (any, error) {
	return func(s string, a args) (any, error) {
		var of string
		if err := a.take("find", param{"sub", &of, true}); err != nil {
			return nil, err
		}
		at := index(s, of)
		if at > 0 {
			return length(s[:at])
		}
		return at, nil
	}
}

func every(is func(rune) bool) func(string, args) (any, error) {
	return func(s string, a args) (any, error) {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !is(r) }), a.take("the method")
	}
}

// cased reports whether letters with a case are all of one.
func cased(is, not func(rune) bool) func(string, args) (any, error) {
	return func(s string, a args) (any, error) {
		return strings.ContainsFunc(s, is) && !strings.ContainsFunc(s, not), a.take("the method")
	}
}
