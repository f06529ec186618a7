package grammar

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted reads a text in quotation marks.
func (p *gbnf) quoted() (int, error) {
	begin := p.at
	p.at++
	var text strings.Builder
	for !p.take(`"`) {
		if p.at == len(p.text) {
			return 0, p.wrong(begin, `expected another " after the text that begins here, found the end`)
		}
		at := p.at
		r, err := p.char()
		if err != nil {
			return 0, err
		}
		if !utf8.ValidRune(r) {
			return 0, p.wrong(at, "expected a character, found a surrogate: %s", p.text[at:p.at])
		}
		text.WriteRune(r)
	}
	return p.g.text(text.String()), nil
}

// class reads a class of characters in brackets.
func (p *gbnf) class() (int, error) {
	begin := p.at
	p.at++
	except := p.take("^")
	var spans []span
	for !p.take("]") {
		if p.at == len(p.text) {
			return 0, p.wrong(begin, "expected ] after the class that begins here, found the end")
		}
		at := p.at
		low, err := p.char()
		if err != nil {
			return 0, err
		}
		high := low
		if p.next("-") && !p.next("-]") && p.at+1 < len(p.text) {
			p.at++
			if high, err = p.char(); err != nil {
				return 0, err
			}
		}
		if low > high {
			return 0, p.wrong(at, "expected a range whose second character is not before the first, found %s", p.text[at:p.at])
		}
		spans = append(spans, span{low, high})
	}
	if len(spans) == 0 {
		return 0, p.wrong(p.at-1, "expected a character of the class, found \"]\"")
	}
	c := newClass(except, spans...)
	if len(c.spans) == 0 {
		return 0, p.wrong(begin, "expected a class with a character, found %s", p.text[begin:p.at])
	}
	return p.g.of(c), nil
}

// escapes are the characters after a backslash, and what they stand for. Others are followed by digits.
var escapes = map[byte]rune{'t': '\t', 'r': '\r', 'n': '\n', '\\': '\\', '"': '"', '[': '[', ']': ']', '-': '-'}

// digitsOf is how many hexadecimal digits an escape has.
var digitsOf = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// char reads a character of a text or of a class, which is not at its end.
func (p *gbnf) char() (rune, error) {
	if !p.next(`\`) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += size
		return r, nil
	}
	begin := p.at
	if p.at++; p.at == len(p.text) {
		return 0, p.expected(`a character after \`)
	}
	c := p.text[p.at]
	if r, ok := escapes[c]; ok {
		p.at++
		return r, nil
	}
	n, ok := digitsOf[c]
	if !ok {
		r, _ := utf8.DecodeRuneInString(p.text[p.at:])
		return 0, p.wrong(begin, `expected \t \r \n \\ \" \[ \] \- \xHH \uHHHH or \UHHHHHHHH, found \%c`, r)
	}
	p.at++
	digits := p.text[p.at:min(p.at+n, len(p.text))]
	for i := range len(digits) {
		if strings.IndexByte("0123456789abcdefABCDEF", digits[i]) < 0 {
			digits = digits[:i]
			break
		}
	}
	code, err := strconv.ParseUint(digits, 16, 64)
	if p.at += len(digits); err != nil || len(digits) < n {
		return 0, p.wrong(p.at, "expected %d hexadecimal digits after \\%c, found %d", n, c, len(digits))
	}
	if code > utf8.MaxRune {
		return 0, p.wrong(begin, "expected a character of Unicode, found %s", p.text[begin:p.at])
	}
	return rune(code), nil
}

// token reads a token in angle brackets.
func (p *gbnf) token() (int, error) {
	begin := p.at
	t := &tokenRef{place: p.place(begin), except: p.take("!")}
	name := p.at
	if !p.take("<") {
		return 0, p.expected("a token in < > after !")
	}
	if p.take("[") {
		id, err := p.number()
		if err != nil {
			return 0, err
		}
		if t.id = id; !p.take("]>") {
			return 0, p.expected("]> after the number of the token")
		}
	} else {
		length := strings.IndexAny(p.text[p.at:], ">\r\n")
		if length < 0 || p.text[p.at+length] != '>' {
			return 0, p.wrong(name, "expected > after the name of the token that begins here")
		}
		p.at += length + 1
		t.name = p.text[name:p.at]
	}
	return p.g.add(node{kind: token, token: t}), nil
}
