package jinja

import (
	"fmt"
	"strings"
	"time"
)

// globals are the functions that every template has.
var globals = map[string]any{
	"range":           function{"range", rangeOf},
	"namespace":       function{"namespace", newNamespace},
	"dict":            function{"dict", dictOfArgs},
	"raise_exception": function{"raise_exception", raise},
}

func rangeOf(_ *renderer, a args) (any, error) {
	at := [3]int{0, 0, 1}
	if len(a.names) > 0 || len(a.items) < 1 || len(a.items) > 3 {
		return nil, fmt.Errorf("range has one to three numbers")
	}
	for i, v := range a.items {
		n, _, ok := integers(v, 0)
		if !ok {
			return nil, fmt.Errorf("range has numbers, not a %s", typeName(v))
		}
		at[i] = n
	}
	start, stop, step := at[0], at[1], at[2]
	if len(a.items) == 1 {
		start, stop = 0, start
	}
	if step == 0 {
		return nil, fmt.Errorf("the step of a range is 0")
	}
	items := []any{}
	for i := start; step > 0 && i < stop || step < 0 && i > stop; {
		if items = append(items, i); len(items) > maxRange {
			return nil, fmt.Errorf("a range has more than %d numbers", maxRange)
		}
		next := i + step
		if (next > i) != (step > 0) {
			break
		}
		i = next
	}
	return list{items: items}, nil
}

// dictOfArgs is dict(a=1, b=2).
func dictOfArgs(_ *renderer, a args) (any, error) {
	d := newDict()
	plain := len(a.items) - len(a.names)
	if plain > 1 {
		return nil, fmt.Errorf("dict has at most one argument without a name")
	}
	if plain == 1 {
		from, ok := a.items[0].(*dict)
		if !ok {
			return nil, fmt.Errorf("a dict of a %s is not supported", typeName(a.items[0]))
		}
		for _, k := range from.keys {
			d.set(k, from.of[k])
		}
	}
	for i, name := range a.names {
		d.set(name, a.items[plain+i])
	}
	return d, nil
}

func newNamespace(r *renderer, a args) (any, error) {
	d, err := dictOfArgs(r, a)
	if err != nil {
		return nil, err
	}
	return &namespace{d.(*dict)}, nil
}

func raise(_ *renderer, a args) (any, error) {
	var message string
	if err := a.take("raise_exception", param{"message", &message, true}); err != nil {
		return nil, err
	}
	return nil, &Raised{message}
}

// strftime are Python's directives, as layouts of package time.
var strftime = map[byte]string{'d': "02", 'm': "01", 'y': "06", 'Y': "2006", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
	'p': "PM", 'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'j': "002", 'Z': "MST", 'z': "-0700",
	'F': "2006-01-02", 'T': "15:04:05"}

// Strftime returns the function strftime_now of transformers, for a time.
func Strftime(now func() time.Time) func(string) (string, error) {
	return func(format string) (string, error) {
		t := now()
		var b strings.Builder
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			if i++; format[i] == '%' {
				b.WriteByte('%')
				continue
			}
			layout, ok := strftime[format[i]]
			if !ok {
				return "", fmt.Errorf("strftime_now: the directive %%%c is not supported", format[i])
			}
			b.WriteString(t.Format(layout))
		}
		return b.String(), nil
	}
}
