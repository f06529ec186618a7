package grammar

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseGBNF reads a grammar in GBNF, as llama.cpp has it: rules `name ::= …`, of which root is the whole text; texts in
// quotation marks, classes of characters, `.`, groups, alternatives, `*`, `+`, `?`, `{m,n}`, tokens `<name>`, `<[12]>`
// and `!<name>`, comments after `#`.
//
// The error has the line and column, and says what is expected there: also where a rule is named that there is not, is
// defined twice, begins with itself, or has no finite text.
func ParseGBNF(text string) (*Grammar, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the grammar has %d bytes: want at most %d", len(text), maxText)
	}
	p := &gbnf{text: text, rules: map[string]*rule{}}
	for i, r := range text {
		if _, n := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 {
			return nil, p.wrong(i, "the byte %#x is no UTF-8", text[i])
		}
	}
	p.skip(true)
	for p.at < len(text) {
		if err := p.rule(); err != nil {
			return nil, err
		}
	}
	return p.check()
}

// Bounds of a grammar.
const (
	maxText   = 1 << 18 // bytes
	maxGroups = 200     // within each other
)

// gbnf reads a text from its begin on.
type gbnf struct {
	g      Grammar
	text   string
	at     int
	groups int // that are open
	rules  map[string]*rule
	order  []*rule // as they are defined
	used   []*rule // as they are named
}

// rule is a rule that was named, a choice.
type rule struct {
	name    string
	node    int
	used    int // where it is named first
	defined int // where it is, -1 before
}

// tokenRef is a token that a grammar names: by its name with the angle brackets, or by its number.
type tokenRef struct {
	name   string
	id     int
	except bool // any other one
	place  string
}

func (t *tokenRef) String() string {
	if t.name != "" {
		return t.name
	}
	return fmt.Sprintf("<[%d]>", t.id)
}

// place is a line and a column, counted in characters from 1.
func (p *gbnf) place(at int) string {
	before := p.text[:at]
	line := strings.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("line %d, column %d", 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(before[line:]))
}

func (p *gbnf) wrong(at int, format string, args ...any) error {
	return fmt.Errorf("%s: %s", p.place(at), fmt.Sprintf(format, args...))
}

// expected is the error that something else is here.
func (p *gbnf) expected(what string) error {
	return p.wrong(p.at, "expected %s, found %s", what, p.here())
}

// here says what is to be read.
func (p *gbnf) here() string {
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !isName(r) })
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return "the end"
	case r == '\n' || r == '\r':
		return "the end of the line"
	case end > 0:
		return rest[:end]
	case end < 0:
		return rest
	}
	return strconv.Quote(rest[:size])
}

func (p *gbnf) next(prefix string) bool { return strings.HasPrefix(p.text[p.at:], prefix) }

// take reads a text if it is here.
func (p *gbnf) take(prefix string) bool {
	if !p.next(prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

// skip reads white space and comments, also ends of lines with lines.
func (p *gbnf) skip(lines bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t', lines && (c == '\n' || c == '\r'):
			p.at++
		case c == '#':
			for p.at < len(p.text) && p.text[p.at] != '\n' && p.text[p.at] != '\r' {
				p.at++
			}
		default:
			return
		}
	}
}

func isName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// name reads the name of a rule, if one is here.
func (p *gbnf) name() string {
	begin := p.at
	for p.at < len(p.text) && isName(rune(p.text[p.at])) {
		p.at++
	}
	return p.text[begin:p.at]
}

// named is the rule of a name that is at a place.
func (p *gbnf) named(name string, at int) *rule {
	r, ok := p.rules[name]
	if !ok {
		r = &rule{name, p.g.oneOf(), at, -1}
		p.rules[name], p.used = r, append(p.used, r)
	}
	return r
}

// rule reads a rule, and what is between it and the next one.
func (p *gbnf) rule() error {
	begin := p.at
	name := p.name()
	if name == "" {
		if p.next("|") {
			return p.wrong(p.at, "expected the name of a rule, found \"|\": a rule goes on in the next line after a | "+
				"at the end of the line, and in parentheses")
		}
		return p.expected("the name of a rule")
	}
	p.skip(false)
	if !p.take("::=") {
		return p.expected("::= after the name of the rule")
	}
	r := p.named(name, begin)
	if r.defined >= 0 {
		return p.wrong(begin, "the rule %s is defined twice: before in %s", name, p.place(r.defined))
	}
	r.defined, p.order = begin, append(p.order, r)
	p.skip(true)
	parts, err := p.alternatives(false)
	if err != nil {
		return err
	}
	p.g.nodes[r.node].parts = parts
	if p.at < len(p.text) && !p.next("\n") && !p.next("\r") {
		return p.expected("the end of the line, or more of the rule " + name)
	}
	p.skip(true)
	return nil
}

// item is what errors say that is expected where a rule may go on.
const item = `a text in quotation marks, a class [ ], a name, a token < >, a group ( ), or .`

// alternatives reads one or more sequences with | between. One alone is not empty.
func (p *gbnf) alternatives(group bool) (all []int, err error) {
	for {
		parts, err := p.sequence(group)
		if err != nil {
			return nil, err
		}
		more := p.take("|")
		if len(parts) == 0 && !more && len(all) == 0 {
			return nil, p.expected(item)
		}
		one := -1
		if len(parts) == 1 {
			one = parts[0]
		} else {
			one = p.g.all(parts...)
		}
		if all = append(all, one); !more {
			return all, nil
		}
		p.skip(true)
	}
}

// sequence reads items and how often they come.
func (p *gbnf) sequence(group bool) (parts []int, err error) {
	for p.at < len(p.text) {
		var part int
		switch c := p.text[p.at]; {
		case strings.IndexByte("*+?{", c) >= 0:
			if len(parts) == 0 {
				return nil, p.wrong(p.at, "expected %s before %c, which says how often it comes", item, c)
			}
			low, high, err := p.times(group)
			if err != nil {
				return nil, err
			}
			parts[len(parts)-1] = p.g.times(low, high, parts[len(parts)-1])
			p.skip(group)
			continue
		case c == '"':
			part, err = p.quoted()
		case c == '[':
			part, err = p.class()
		case c == '<' || c == '!':
			part, err = p.token()
		case c == '(':
			part, err = p.group()
		case c == '.':
			p.at++
			part = p.g.of(newClass(true))
		case isName(rune(c)):
			at := p.at
			part = p.named(p.name(), at).node
		default:
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		p.skip(group)
	}
	return parts, nil
}

// group reads alternatives in parentheses.
func (p *gbnf) group() (int, error) {
	begin := p.at
	if p.groups++; p.groups > maxGroups {
		return 0, p.wrong(begin, "groups are more than %d deep", maxGroups)
	}
	p.at++
	p.skip(true)
	parts, err := p.alternatives(true)
	if err != nil {
		return 0, err
	}
	if !p.take(")") {
		return 0, p.wrong(p.at, "expected ) of the group that begins in %s, found %s", p.place(begin), p.here())
	}
	p.groups--
	return p.g.oneOf(parts...), nil
}

// times reads *, +, ?, {m}, {m,} or {m,n}.
func (p *gbnf) times(group bool) (low, high int, err error) {
	p.at++
	switch p.text[p.at-1] {
	case '*':
		return 0, unbounded, nil
	case '+':
		return 1, unbounded, nil
	case '?':
		return 0, 1, nil
	}
	p.skip(group)
	at := p.at
	if low, err = p.number(); err != nil {
		return 0, 0, err
	}
	high = low
	p.skip(group)
	if p.take(",") {
		p.skip(group)
		if high = unbounded; !p.next("}") {
			if high, err = p.number(); err != nil {
				return 0, 0, err
			}
			p.skip(group)
		}
		if !p.take("}") {
			return 0, 0, p.expected("}")
		}
	} else if !p.take("}") {
		return 0, 0, p.expected("} or a comma")
	}
	if low > high {
		return 0, 0, p.wrong(at, "expected at least %d after the comma, found %d", low, high)
	}
	return low, high, nil
}

// number reads how often something comes.
func (p *gbnf) number() (n int, err error) {
	begin := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	if begin == p.at {
		return 0, p.expected("a number")
	}
	n, err = strconv.Atoi(p.text[begin:p.at])
	if err != nil || n > mostTimes {
		return 0, p.wrong(begin, "expected a number from 0 to %d, found %s", mostTimes, p.text[begin:p.at])
	}
	return n, nil
}
