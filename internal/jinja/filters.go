package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// filters by name. The table is filled by init: filters such as map look others up.
var filters map[string]func(r *renderer, v any, a args) (any, error)

func init() {
	filters = map[string]func(r *renderer, v any, a args) (any, error){
		"abs": absFilter, "capitalize": textFilter(capitalize), "count": lengthFilter, "d": defaultFilter,
		"default": defaultFilter, "dictsort": dictSortFilter, "first": firstFilter, "float": floatFilter,
		"indent": indentFilter, "int": intFilter, "items": itemsFilter, "join": joinFilter, "last": lastFilter,
		"length": lengthFilter, "list": listFilter, "lower": textFilter(strings.ToLower), "map": mapFilter,
		"max": extremeFilter(1), "min": extremeFilter(-1), "reject": chooseFilter(false, false), "rejectattr": chooseFilter(true, false),
		"replace": replaceFilter, "reverse": reverseFilter, "round": roundFilter,
		"select": chooseFilter(false, true), "selectattr": chooseFilter(true, true), "sort": sortFilter,
		"string": textFilter(func(s string) string { return s }), "sum": sumFilter, "title": textFilter(titleFilter),
		"tojson": toJSONFilter, "trim": trimFilter, "unique": uniqueFilter, "upper": textFilter(upper),
		"wordcount": func(_ *renderer, v any, a args) (any, error) {
			s, err := text(v)
			words := strings.FieldsFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
			return len(words), firstError(err, a.take("wordcount"))
		},
	}
}

func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func textFilter(f func(string) string) func(*renderer, any, args) (any, error) {
	return func(_ *renderer, v any, a args) (any, error) {
		s, err := text(v)
		return f(s), firstError(err, a.take("the filter"))
	}
}

// titleFilter is Jinja's: words begin after white space and some signs.
func titleFilter(s string) string {
	var b strings.Builder
	begins := true
	for _, r := range s {
		if begins {
			b.WriteRune(unicode.ToTitle(r))
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
		begins = unicode.IsSpace(r) || strings.ContainsRune("-({[<", r)
	}
	return b.String()
}

func absFilter(_ *renderer, v any, a args) (any, error) {
	if err := a.take("abs"); err != nil {
		return nil, err
	}
	if n, _, ok := integers(v, 0); ok {
		if n < 0 {
			return signed("-", n)
		}
		return n, nil
	}
	if f, ok := v.(float64); ok {
		return math.Abs(f), nil
	}
	return nil, fmt.Errorf("a %s is no number", typeName(v))
}

func lengthFilter(_ *renderer, v any, a args) (any, error) {
	if err := a.take("length"); err != nil {
		return nil, err
	}
	n, err := length(v)
	return n, err
}

func defaultFilter(_ *renderer, v any, a args) (any, error) {
	var otherwise any = ""
	falsy := false
	err := a.take("default", param{"default_value", &otherwise, false}, param{"boolean", &falsy, false})
	if _, ok := v.(undefined); ok || falsy && !truth(v) {
		return otherwise, err
	}
	return v, err
}

func trimFilter(_ *renderer, v any, a args) (any, error) {
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	return textMethods["strip"](s, a)
}

func replaceFilter(_ *renderer, v any, a args) (any, error) {
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	return replace(s, a)
}

// indentFilter indents the lines after the first.
func indentFilter(_ *renderer, v any, a args) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("a %s is no text", typeName(v))
	}
	var width any = 4
	first, blank := false, false
	err := a.take("indent", param{"width", &width, false}, param{"first", &first, false}, param{"blank", &blank, false})
	if err != nil {
		return nil, err
	}
	by, ok := width.(string)
	if n, isInt := width.(int); isInt && n >= 0 && n <= maxRange {
		by, ok = strings.Repeat(" ", n), true
	}
	if !ok {
		return nil, fmt.Errorf("cannot indent by this %s", typeName(width))
	}
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n")
	if len(s)+len(by)*len(lines) > maxText {
		return nil, fmt.Errorf("a text has more than %d bytes", maxText)
	}
	for i, line := range lines {
		if i == 0 && first || i > 0 && (blank || line != "") {
			lines[i] = by + line
		}
	}
	return strings.Join(lines, "\n"), nil
}

func intFilter(_ *renderer, v any, a args) (any, error) {
	var otherwise any = 0
	if err := a.take("int", param{"default", &otherwise, false}); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case bool:
		return intOf(v), nil
	case int:
		return v, nil
	case float64:
		if math.Abs(v) < 1<<62 {
			return int(v), nil
		}
		return otherwise, nil
	case string:
		s := strings.ReplaceAll(strings.TrimSpace(v), "_", "")
		if n, err := strconv.Atoi(s); err == nil {
			return n, nil
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 1<<62 {
			return int(f), nil
		}
	case undefined:
		return nil, v.err()
	}
	return otherwise, nil
}

func floatFilter(_ *renderer, v any, a args) (any, error) {
	var otherwise any = 0.0
	if err := a.take("float", param{"default", &otherwise, false}); err != nil {
		return nil, err
	}
	if f, ok := number(v); ok {
		return f, nil
	}
	switch v := v.(type) {
	case string:
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return f, nil
		}
	case undefined:
		return nil, v.err()
	}
	return otherwise, nil
}

func roundFilter(_ *renderer, v any, a args) (any, error) {
	digits, method := 0, "common"
	if err := a.take("round", param{"precision", &digits, false}, param{"method", &method, false}); err != nil {
		return nil, err
	}
	if n, _, ok := integers(v, 0); ok && method == "common" {
		return n, nil
	}
	f, ok := number(v)
	if !ok || digits < 0 || digits > 15 {
		return nil, fmt.Errorf("want a number and at most 15 digits, not a %s and %d", typeName(v), digits)
	}
	by := math.Pow(10, float64(digits))
	switch method {
	case "common":
		return strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	case "ceil":
		return math.Ceil(f*by) / by, nil
	case "floor":
		return math.Floor(f*by) / by, nil
	}
	return nil, fmt.Errorf("the method %q is not known", method)
}

// toJSONFilter is transformers': nothing is escaped for HTML, and other letters than ASCII stay as they are.
func toJSONFilter(_ *renderer, v any, a args) (any, error) {
	s := jsonStyle{item: ", ", key: ": "}
	var indent, separators any
	err := a.take("tojson", param{"indent", &indent, false}, param{"ensure_ascii", &s.ascii, false},
		param{"separators", &separators, false}, param{"sort_keys", &s.sorted, false})
	if err != nil {
		return nil, err
	}
	plain := len(a.items) - len(a.names)
	if plain > 1 {
		return nil, fmt.Errorf("only indent may be given without its name")
	}
	switch by := indent.(type) {
	case nil:
	case int:
		if by > 100 {
			return nil, fmt.Errorf("cannot indent by %d", by)
		}
		s.indent = "\n" + strings.Repeat(" ", max(by, 0))
	case string:
		s.indent = "\n" + by
	default:
		return nil, fmt.Errorf("cannot indent by a %s", typeName(indent))
	}
	if s.indent != "" {
		s.item = ","
	}
	if l, ok := separators.(list); ok && len(l.items) == 2 {
		item, ok := l.items[0].(string)
		key, ok2 := l.items[1].(string)
		if ok && ok2 {
			s.item, s.key, separators = item, key, nil
		}
	}
	if separators != nil {
		return nil, fmt.Errorf("separators are two texts, not a %s", typeName(separators))
	}
	var b strings.Builder
	err = writeJSON(&b, v, s, 0)
	return b.String(), err
}
