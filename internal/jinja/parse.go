package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Template is a parsed template. It may be rendered by several goroutines.
type Template struct{ body []stmt }

// maxDepth is how deep expressions, tags, calls and values may be nested.
const maxDepth = 100

// parser makes nodes of tokens.
type parser struct {
	tokens []token
	depth  int
	loops  int // that the statement is in
}

// Parse parses a template. The error names the line and what is not known there.
func Parse(source string) (*Template, error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	body, end, err := p.body()
	if err == nil && end != "" {
		err = fmt.Errorf("%s has no beginning", end)
	}
	if err != nil {
		return nil, p.where(err)
	}
	return &Template{body}, nil
}

func (p *parser) where(err error) error {
	return fmt.Errorf("jinja: line %d: %w", p.tokens[0].line, err)
}

// next takes a token.
func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != theEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

// is reports whether the next token is an operator or a name.
func (p *parser) is(text string) bool {
	t := p.tokens[0]
	return (t.kind == operator || t.kind == name) && t.text == text
}

// skip takes the next token, if it is that.
func (p *parser) skip(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) error {
	if !p.skip(text) {
		return fmt.Errorf("want %q, not %s", text, p.tokens[0].describe())
	}
	return nil
}

func (p *parser) expectKind(k kind, what string) (token, error) {
	if p.tokens[0].kind != k {
		return token{}, fmt.Errorf("want %s, not %s", what, p.tokens[0].describe())
	}
	return p.next(), nil
}

func (t token) describe() string {
	switch t.kind {
	case theEnd:
		return "the end of the template"
	case blockEnd, variableEnd:
		return "the end of the tag"
	}
	return fmt.Sprintf("%q", t.text)
}

// nested calls f one level deeper.
func (p *parser) nested(f func() error) error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("more than %d levels are nested", maxDepth)
	}
	defer func() { p.depth-- }()
	return f()
}

// body parses statements up to a tag that ends or divides them, or the end, and returns the name of that tag.
func (p *parser) body() (all []stmt, end string, err error) {
	err = p.nested(func() error {
		all, end, err = p.statements()
		return err
	})
	return all, end, err
}

// dividers are the tags that are no statements: the one around them looks at them.
var dividers = []string{"elif", "else", "endif", "endfor", "endset", "endmacro", "endcall", "endfilter", "endwith",
	"endgeneration"}

func (p *parser) statements() (all []stmt, end string, err error) {
	for {
		line := p.tokens[0].line
		switch t := p.next(); t.kind {
		case theEnd:
			return all, "", nil
		case data:
			all = append(all, stmt{line, textStmt{t.text}})
		case variableBegin:
			e, err := p.tuple(true)
			if err != nil {
				return nil, "", err
			}
			if _, err := p.expectKind(variableEnd, "the end of the tag"); err != nil {
				return nil, "", err
			}
			all = append(all, stmt{line, outputStmt{e}})
		case blockBegin:
			tag, err := p.expectKind(name, "the name of a tag")
			if err != nil {
				return nil, "", err
			}
			if slices.Contains(dividers, tag.text) {
				return all, tag.text, nil
			}
			s, err := p.statement(tag.text)
			if err != nil {
				return nil, "", err
			}
			all = append(all, stmt{line, s})
		default:
			return nil, "", fmt.Errorf("unexpected %s", t.describe())
		}
	}
}

// statement parses the rest of a statement of one or several tags.
func (p *parser) statement(tag string) (node, error) {
	switch tag {
	case "if":
		return p.ifTag()
	case "for":
		return p.forTag()
	case "set":
		return p.setTag()
	case "macro":
		code, err := p.macro("endmacro")
		return macroStmt{code}, err
	case "call":
		return p.callTag()
	case "filter":
		return p.filterTag()
	case "with":
		return p.withTag()
	case "generation":
		body, err := p.bodyUntil("endgeneration")
		return bodyStmt{body}, err
	case "break", "continue":
		if p.loops == 0 {
			return nil, fmt.Errorf("%s is outside of a loop", tag)
		}
		return doneStmt{tag == "continue"}, p.endTag()
	}
	return nil, fmt.Errorf("the tag %q is not supported", tag)
}

func (p *parser) endTag() error {
	_, err := p.expectKind(blockEnd, "the end of the tag")
	return err
}

// bodyUntil parses the end of a tag, and the statements up to the tag that ends them, with its end.
func (p *parser) bodyUntil(want string) ([]stmt, error) {
	if err := p.endTag(); err != nil {
		return nil, err
	}
	body, end, err := p.body()
	if err != nil {
		return nil, err
	}
	if end != want {
		return nil, fmt.Errorf("want %s, not %s", want, cmpOr(end, "the end of the template"))
	}
	return body, p.endTag()
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (p *parser) ifTag() (node, error) {
	var s ifStmt
	for {
		when, err := p.tuple(true)
		if err != nil {
			return nil, err
		}
		if err := p.endTag(); err != nil {
			return nil, err
		}
		then, end, err := p.body()
		if err != nil {
			return nil, err
		}
		s.when, s.then = append(s.when, when), append(s.then, then)
		switch end {
		case "elif":
			continue
		case "else":
			s.otherwise, err = p.bodyUntil("endif")
			return s, err
		case "endif":
			return s, p.endTag()
		}
		return nil, fmt.Errorf("want endif, not %s", cmpOr(end, "the end of the template"))
	}
}

func (p *parser) forTag() (node, error) {
	var s forStmt
	var err error
	if s.target, err = p.target(); err != nil {
		return nil, err
	}
	if s.target.attribute != "" {
		return nil, fmt.Errorf("a loop cannot set an attribute")
	}
	if err := p.expect("in"); err != nil {
		return nil, err
	}
	if s.in, err = p.tuple(false); err != nil { // x if y is x filtered by y
		return nil, err
	}
	if p.skip("if") {
		if s.when, err = p.expression(); err != nil {
			return nil, err
		}
	}
	s.recursive = p.skip("recursive")
	if err := p.endTag(); err != nil {
		return nil, err
	}
	p.loops++
	body, end, err := p.body()
	p.loops--
	if err != nil {
		return nil, err
	}
	s.body = body
	switch end {
	case "else":
		s.otherwise, err = p.bodyUntil("endfor")
		return s, err
	case "endfor":
		return s, p.endTag()
	}
	return nil, fmt.Errorf("want endfor, not %s", cmpOr(end, "the end of the template"))
}

// target parses what is assigned to.
func (p *parser) target() (t target, err error) {
	parens := p.skip("(")
	for {
		n, err := p.expectKind(name, "a name")
		if err != nil {
			return t, err
		}
		if reserved[n.text] {
			return t, fmt.Errorf("%q cannot be set", n.text)
		}
		t.names = append(t.names, n.text)
		if len(t.names) == 1 && p.skip(".") {
			a, err := p.expectKind(name, "a name")
			t.attribute = a.text
			return t, err
		}
		if !p.skip(",") {
			break
		}
		t.several = true
		if p.tokens[0].kind != name || p.is("in") {
			break
		}
	}
	if parens {
		return t, p.expect(")")
	}
	return t, nil
}

var reserved = map[string]bool{"true": true, "false": true, "none": true, "True": true, "False": true, "None": true,
	"and": true, "or": true, "not": true, "in": true, "is": true, "if": true, "else": true, "self": true}

func (p *parser) setTag() (node, error) {
	var s setStmt
	var err error
	if s.target, err = p.target(); err != nil {
		return nil, err
	}
	if p.skip("=") {
		if s.value, err = p.tuple(true); err != nil {
			return nil, err
		}
		return s, p.endTag()
	}
	if s.filters, err = p.filters(); err != nil {
		return nil, err
	}
	s.body, err = p.bodyUntil("endset")
	return s, err
}

// filters parses | a | b(c).
func (p *parser) filters() (all []filter, err error) {
	for p.skip("|") {
		f, err := p.filter(nil)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func (p *parser) filterTag() (node, error) {
	first, err := p.filter(nil)
	if err != nil {
		return nil, err
	}
	more, err := p.filters()
	if err != nil {
		return nil, err
	}
	body, err := p.bodyUntil("endfilter")
	return filterStmt{append([]filter{first}, more...), body}, err
}

// macro parses the name, the parameters and the body of a macro, or of what a call tag gives it.
func (p *parser) macro(end string) (*macroCode, error) {
	m := &macroCode{name: "caller"}
	if end == "endmacro" {
		n, err := p.expectKind(name, "the name of the macro")
		if err != nil {
			return nil, err
		}
		m.name = n.text
		if !p.is("(") {
			return nil, p.expect("(")
		}
	}
	if p.is("(") {
		if err := p.params(m); err != nil {
			return nil, err
		}
	}
	if end != "endmacro" {
		return m, nil
	}
	loops := p.loops
	p.loops = 0
	var err error
	m.body, err = p.bodyUntil(end)
	p.loops = loops
	return m, err
}

func (p *parser) params(m *macroCode) error {
	if err := p.expect("("); err != nil {
		return err
	}
	for !p.skip(")") {
		n, err := p.expectKind(name, "a parameter")
		if err != nil {
			return err
		}
		m.params = append(m.params, n.text)
		if p.skip("=") {
			e, err := p.expression()
			if err != nil {
				return err
			}
			m.defaults = append(m.defaults, e)
		} else if len(m.defaults) > 0 {
			return fmt.Errorf("the parameter %s has no default, and one before it has", n.text)
		}
		if !p.skip(",") && !p.is(")") {
			return p.expect(")")
		}
	}
	return nil
}

func (p *parser) callTag() (node, error) {
	code, err := p.macro("endcall")
	if err != nil {
		return nil, err
	}
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	if _, ok := e.node.(call); !ok {
		return nil, errors.New("call wants the call of a macro")
	}
	loops := p.loops
	p.loops = 0
	code.body, err = p.bodyUntil("endcall")
	p.loops = loops
	return callStmt{code, e}, err
}

func (p *parser) withTag() (node, error) {
	var s withStmt
	for p.tokens[0].kind != blockEnd {
		t, err := p.target()
		if err != nil {
			return nil, err
		}
		if t.several || t.attribute != "" {
			return nil, fmt.Errorf("with sets one name: not %s", strings.Join(t.names, ", "))
		}
		if err := p.expect("="); err != nil {
			return nil, err
		}
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		s.targets, s.values = append(s.targets, t), append(s.values, e)
		if !p.skip(",") {
			break
		}
	}
	var err error
	s.body, err = p.bodyUntil("endwith")
	return s, err
}
