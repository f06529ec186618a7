package jinja

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	theEnd kind = iota
	data        // text between tags
	name
	integer
	float
	str
	operator
	blockBegin
	blockEnd
	variableBegin
	variableEnd
)

type token struct {
	kind kind
	text string // of strings what they mean
	line int
}

// lexer cuts a template into tokens.
type lexer struct {
	source string
	at     int
	tokens []token
	begins bool // the next text begins a line

	counted, lines int // newlines before a position
}

// lex returns the tokens of a source. As transformers sets Jinja, the first newline after a block is no text
// (trim_blocks), nor are spaces and tabs before a block on its line (lstrip_blocks).
func lex(source string) ([]token, error) {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	l := &lexer{source: strings.TrimSuffix(source, "\n"), begins: true}
	for l.at < len(l.source) {
		if err := l.textAndTag(); err != nil {
			return nil, fmt.Errorf("jinja: line %d: %w", l.line(), err)
		}
	}
	l.add(theEnd, "")
	return l.tokens, nil
}

// line is the line at the position, which only grows.
func (l *lexer) line() int {
	if at := min(l.at, len(l.source)); at > l.counted {
		l.lines += strings.Count(l.source[l.counted:at], "\n")
		l.counted = at
	}
	return 1 + l.lines
}

func (l *lexer) add(k kind, text string) { l.tokens = append(l.tokens, token{k, text, l.line()}) }

// textAndTag reads the text before the next tag, and the tag.
func (l *lexer) textAndTag() error {
	start, at := l.at, l.at
	for ; at+1 < len(l.source); at++ {
		if l.source[at] == '{' && strings.IndexByte("{%#", l.source[at+1]) >= 0 {
			break
		}
	}
	if at+1 >= len(l.source) {
		l.at = len(l.source)
		l.add(data, l.source[start:])
		return nil
	}
	before, tag := l.source[start:at], l.source[at+1]
	l.at = at + 2
	switch sign := l.sign(); {
	case sign == '-':
		before = strings.TrimRightFunc(before, unicode.IsSpace)
	case sign == '+' || tag == '{':
	default:
		last := strings.LastIndexByte(before, '\n') + 1
		if (last > 0 || l.begins) && strings.Trim(before[last:], " \t") == "" {
			before = before[:last]
		}
	}
	if before != "" {
		l.add(data, before)
	}
	switch tag {
	case '#':
		return l.comment()
	case '{':
		return l.inside(variableBegin, variableEnd, "}}")
	}
	if raw, err := l.raw(); raw || err != nil {
		return err
	}
	return l.inside(blockBegin, blockEnd, "%}")
}

// sign takes the sign after the begin of a tag: - or +, or 0.
func (l *lexer) sign() byte {
	if l.at < len(l.source) && (l.source[l.at] == '-' || l.source[l.at] == '+') {
		l.at++
		return l.source[l.at-1]
	}
	return 0
}

// close passes the end of a tag, which has this sign before it, and the white space that goes with it.
func (l *lexer) close(end string, sign byte) {
	l.at += len(end)
	if sign != 0 {
		l.at++
	}
	from := l.at
	switch {
	case sign == '-':
		rest := strings.TrimLeftFunc(l.source[l.at:], unicode.IsSpace)
		l.at = len(l.source) - len(rest)
	case sign == 0 && end != "}}" && strings.HasPrefix(l.source[l.at:], "\n"):
		l.at++
	}
	l.begins = l.at > from && l.source[l.at-1] == '\n'
}

func (l *lexer) comment() error {
	n := strings.Index(l.source[l.at:], "#}")
	if n < 0 {
		return fmt.Errorf("a comment has no end")
	}
	sign := byte(0)
	if n > 0 && (l.source[l.at+n-1] == '-' || l.source[l.at+n-1] == '+') {
		sign = l.source[l.at+n-1]
		n--
	}
	l.at += n
	l.close("#}", sign)
	return nil
}

// closing reports whether a tag ends here, with which sign.
func (l *lexer) closing(end string) (sign byte, ends bool) {
	rest := l.source[l.at:]
	if strings.HasPrefix(rest, end) {
		return 0, true
	}
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+' && end != "}}") && strings.HasPrefix(rest[1:], end) {
		return rest[0], true
	}
	return 0, false
}

// raw reads {% raw %} and the text up to {% endraw %}, if that is here.
func (l *lexer) raw() (is bool, err error) {
	rest := strings.TrimLeft(l.source[l.at:], " \t\n")
	after, found := strings.CutPrefix(rest, "raw")
	after = strings.TrimLeft(after, " \t\n")
	start := l.at
	l.at = len(l.source) - len(after)
	sign, ends := l.closing("%}")
	if !found || !ends {
		l.at = start
		return false, nil
	}
	l.close("%}", sign)
	from := l.at
	for at := from; ; {
		n := strings.Index(l.source[at:], "{%")
		if n < 0 {
			return true, fmt.Errorf("raw has no endraw")
		}
		at += n + 2
		l.at = at
		before := l.sign()
		rest, found := strings.CutPrefix(strings.TrimLeft(l.source[l.at:], " \t\n"), "endraw")
		l.at = len(l.source) - len(strings.TrimLeft(rest, " \t\n"))
		if sign, ends := l.closing("%}"); found && ends {
			body := l.source[from : at-2]
			if before == '-' {
				body = strings.TrimRightFunc(body, unicode.IsSpace)
			} else if last := strings.LastIndexByte(body, '\n') + 1; before == 0 && last > 0 &&
				strings.Trim(body[last:], " \t") == "" {
				body = body[:last]
			}
			l.add(data, body)
			l.close("%}", sign)
			return true, nil
		}
	}
}

// inside reads the tokens of a tag up to its end.
func (l *lexer) inside(begin, end kind, closing string) error {
	l.add(begin, "")
	var open []byte // the brackets that are open: the end of a tag does not end in them
	for {
		l.at = len(l.source) - len(strings.TrimLeftFunc(l.source[l.at:], unicode.IsSpace))
		if l.at >= len(l.source) {
			return fmt.Errorf("a tag has no end %s", closing)
		}
		if sign, ends := l.closing(closing); ends && len(open) == 0 {
			l.add(end, "")
			l.close(closing, sign)
			return nil
		}
		if err := l.token(&open); err != nil {
			return err
		}
	}
}

var operators = []string{"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "=", ".", ":",
	",", "|", "(", ")", "[", "]", "{", "}", ";"}

var brackets = map[string]byte{"(": ')', "[": ']', "{": '}'}

func (l *lexer) token(open *[]byte) error {
	rest := l.source[l.at:]
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		return l.str(byte(r))
	case r >= '0' && r <= '9':
		return l.number()
	case r == '_' || unicode.IsLetter(r):
		end := strings.IndexFunc(rest, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if end < 0 {
			end = len(rest)
		}
		l.add(name, rest[:end])
		l.at += end
		return nil
	}
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		if end, opens := brackets[op]; opens {
			*open = append(*open, end)
		} else if strings.Contains(")]}", op) {
			if len(*open) == 0 || (*open)[len(*open)-1] != op[0] {
				return fmt.Errorf("unexpected %q", op)
			}
			*open = (*open)[:len(*open)-1]
		}
		l.add(operator, op)
		l.at += len(op)
		return nil
	}
	return fmt.Errorf("unexpected %q", rest[:n])
}

func (l *lexer) number() error {
	rest := l.source[l.at:]
	isDigit := func(i int) bool { return i < len(rest) && rest[i] >= '0' && rest[i] <= '9' }
	n, k := 0, integer
	for isDigit(n) || n < len(rest) && rest[n] == '_' && isDigit(n+1) {
		n++
	}
	if n < len(rest) && rest[n] == '.' && isDigit(n+1) {
		for k, n = float, n+1; isDigit(n); {
			n++
		}
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		e := n + 1
		if e < len(rest) && (rest[e] == '-' || rest[e] == '+') {
			e++
		}
		if isDigit(e) {
			for k, n = float, e; isDigit(n); {
				n++
			}
		}
	}
	l.add(k, strings.ReplaceAll(rest[:n], "_", ""))
	l.at += n
	return nil
}

// str reads a text in quotes.
func (l *lexer) str(quote byte) error {
	rest := l.source[l.at+1:]
	end := 0
	for end < len(rest) && rest[end] != quote {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return fmt.Errorf("a text has no end %c", quote)
	}
	text, err := unescaped(rest[:end])
	if err != nil {
		return err
	}
	l.add(str, text)
	l.at += end + 2
	return nil
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': `"`, 'a': "\a", 'b': "\b",
	'f': "\f", 'v': "\v", '\n': ""}

// unescaped is what a text in quotes means: an unknown escape is what is written.
func unescaped(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if text, ok := escapes[s[i]]; ok {
			b.WriteString(text)
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		switch {
		case digits > 0:
			var r rune
			if i+digits >= len(s) {
				return "", fmt.Errorf("the escape \\%s is cut off", s[i:])
			}
			if _, err := fmt.Sscanf(s[i+1:i+1+digits], "%x", &r); err != nil || r > unicode.MaxRune {
				return "", fmt.Errorf("the escape \\%s is not a character", s[i:i+1+digits])
			}
			b.WriteRune(r)
			i += digits
		case s[i] >= '0' && s[i] <= '7' || s[i] == 'N':
			return "", fmt.Errorf("the escape \\%c is not supported", s[i])
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}
