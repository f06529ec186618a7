package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON returns the value that JSON writes, with the keys of objects in their order. Numbers without a point or an
// exponent are integers, as in Python.
func JSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := readJSON(d, 0)
	if err != nil {
		return nil, fmt.Errorf("jinja: JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("jinja: JSON: there is more than one value")
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values are nested too deep")
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		if !strings.ContainsAny(string(t), ".eE") {
			if n, err := strconv.Atoi(string(t)); err == nil {
				return n, nil
			}
		}
		return t.Float64()
	case json.Delim:
		if t == '[' {
			return readArray(d, depth)
		}
		return readObject(d, depth)
	}
	return token, nil
}

func readArray(d *json.Decoder, depth int) (any, error) {
	l := list{items: []any{}}
	for d.More() {
		v, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, v)
	}
	_, err := d.Token()
	return l, err
}

func readObject(d *json.Decoder, depth int) (any, error) {
	o := newDict()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.set(key.(string), v)
	}
	_, err := d.Token()
	return o, err
}

// jsonStyle is how json.dumps writes: the text between elements, that after keys, and an indent.
type jsonStyle struct {
	item, key string
	indent    string // "" is one line
	sorted    bool
	ascii     bool
}

// writeJSON is json.dumps.
func writeJSON(b *strings.Builder, v any, s jsonStyle, depth int) error {
	if depth > 2*maxDepth || b.Len() > maxText {
		return fmt.Errorf("tojson: values are nested too deep, or the text has more than %d bytes", maxText)
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int:
		b.WriteString(strconv.Itoa(v))
	case float64:
		b.WriteString(jsonFloat(v))
	case string:
		jsonText(b, v, s.ascii)
	case list:
		if v.lazy() {
			return fmt.Errorf("tojson: a %s is not JSON: the filter list makes a list of it", typeName(v))
		}
		return s.elements(b, "[]", len(v.items), depth, func(i int) error {
			return writeJSON(b, v.items[i], s, depth+1)
		})
	case *dict:
		keys := v.keys
		if s.sorted {
			keys = slices.Sorted(slices.Values(keys))
		}
		return s.elements(b, "{}", len(keys), depth, func(i int) error {
			jsonText(b, keys[i], s.ascii)
			b.WriteString(s.key)
			return writeJSON(b, v.of[keys[i]], s, depth+1)
		})
	default:
		return fmt.Errorf("tojson: a %s is not JSON", typeName(v))
	}
	return nil
}

// elements writes what is between two brackets.
func (s jsonStyle) elements(b *strings.Builder, brackets string, n, depth int, write func(i int) error) error {
	b.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			b.WriteString(s.item)
		}
		s.newLine(b, depth+1)
		if err := write(i); err != nil {
			return err
		}
	}
	if n > 0 {
		s.newLine(b, depth)
	}
	b.WriteByte(brackets[1])
	return nil
}

func (s jsonStyle) newLine(b *strings.Builder, depth int) {
	if s.indent != "" {
		b.WriteString("\n" + strings.Repeat(s.indent[1:], depth))
	}
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return floatText(f)
}

// jsonText writes text in quotes, as Python does.
func jsonText(b *strings.Builder, s string, ascii bool) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < 0x20 || ascii && r >= 0x7f && r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		case ascii && r >= utf8.RuneSelf:
			r -= 0x10000
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
