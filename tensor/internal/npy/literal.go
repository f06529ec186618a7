package npy

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// dict is a dict of Python, whose keys are texts. Lists and tuples are []any, numbers int, texts string, True and False
// bool.
type dict map[string]any

// maxDepth bounds how deep lists are inside of one another.
const maxDepth = 32

// literal reads one value of Python's syntax.
func literal(text string) (any, error) {
	p := &parser{text: text}
	v, err := p.value(0)
	if err == nil && p.next() != 0 {
		err = fmt.Errorf("more follows the dict")
	}
	if err != nil {
		return nil, fmt.Errorf("at character %d: %w", p.at, err)
	}
	return v, nil
}

type parser struct {
	text string
	at   int
}

// next is the next byte that is no space, or 0 at the end.
func (p *parser) next() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("lists are more than %d deep", maxDepth)
	}
	switch c := p.next(); {
	case c == '{':
		return p.dict(depth)
	case c == '(' || c == '[':
		return p.list(depth)
	case c == '\'' || c == '"':
		return p.string(c)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for word, v := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
			return v, nil
		}
	}
	return nil, fmt.Errorf("no value of a header begins with %.8q", p.text[p.at:])
}

// items reads what is between brackets, separated by commas.
func (p *parser) items(end byte, item func() error) error {
	p.at++
	for p.next() != end {
		if err := item(); err != nil {
			return err
		}
		switch p.next() {
		case ',':
			p.at++
		case end:
		default:
			return fmt.Errorf("want %q or a comma", end)
		}
	}
	p.at++
	return nil
}

func (p *parser) dict(depth int) (any, error) {
	d := dict{}
	return d, p.items('}', func() error {
		key, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok || p.next() != ':' {
			return fmt.Errorf("want a text and a colon")
		}
		p.at++
		d[name], err = p.value(depth + 1)
		return err
	})
}

// list reads a list or a tuple. A value in parentheses without a comma is that value.
func (p *parser) list(depth int) (any, error) {
	end, list, from := byte(']'), []any{}, p.at
	if p.text[p.at] == '(' {
		end = ')'
	}
	err := p.items(end, func() error {
		v, err := p.value(depth + 1)
		list = append(list, v)
		return err
	})
	if err != nil || end == ']' || len(list) != 1 {
		return list, err
	}
	if !strings.HasSuffix(strings.TrimRight(p.text[from:p.at-1], " \t\r\n"), ",") {
		return list[0], nil
	}
	return list, nil
}

func (p *parser) number() (any, error) {
	from := p.at
	for p.at++; p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; p.at++ {
	}
	n, err := strconv.Atoi(p.text[from:p.at])
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) && p.text[p.at] == 'L' { // of Python 2
		p.at++
	}
	return n, nil
}

// string reads a text between quotes.
func (p *parser) string(quote byte) (any, error) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); {
		c := p.text[p.at]
		switch {
		case c == quote:
			p.at++
			return b.String(), nil
		case c == '\\':
			if err := p.escape(&b); err != nil {
				return nil, err
			}
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	return nil, fmt.Errorf("a text does not end")
}

func (p *parser) escape(b *strings.Builder) error {
	rest := p.text[p.at+1:]
	if rest == "" {
		return fmt.Errorf("a text does not end")
	}
	plain := map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t'}
	if c, ok := plain[rest[0]]; ok {
		b.WriteByte(c)
		p.at += 2
		return nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[0]]
	if digits == 0 || len(rest) < 1+digits {
		return fmt.Errorf("the escape \\%.1s is unknown", rest)
	}
	n, err := strconv.ParseUint(rest[1:1+digits], 16, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return fmt.Errorf("the escape \\%s is not a character", rest[:1+digits])
	}
	b.WriteRune(rune(n))
	p.at += 2 + digits
	return nil
}
