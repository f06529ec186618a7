package jinja

import (
	"fmt"
	"slices"
	"strconv"
)

// tuple parses an expression, or several with commas between. Without conditionals x if y ends before the if, as in
// the head of a loop.
func (p *parser) tuple(conditionals bool) (*expr, error) {
	parse := p.expression
	if !conditionals {
		parse = p.or
	}
	line := p.tokens[0].line
	first, err := parse()
	if err != nil || !p.is(",") {
		return first, err
	}
	items := []*expr{first}
	for p.skip(",") {
		if k := p.tokens[0].kind; k == blockEnd || k == variableEnd || p.is(")") {
			break
		}
		e, err := parse()
		if err != nil {
			return nil, err
		}
		items = append(items, e)
	}
	return &expr{line, listOf{items, aTuple}}, nil
}

// expression parses a if b else c and what binds tighter.
func (p *parser) expression() (e *expr, err error) {
	err = p.nested(func() error {
		e, err = p.conditional()
		return err
	})
	return e, err
}

func (p *parser) conditional() (*expr, error) {
	e, err := p.or()
	for err == nil && p.is("if") {
		line := p.next().line
		c := conditional{then: e}
		if c.when, err = p.or(); err != nil {
			return nil, err
		}
		if p.skip("else") {
			if c.otherwise, err = p.expression(); err != nil {
				return nil, err
			}
		}
		e = &expr{line, c}
	}
	return e, err
}

// left parses a op b op c, which groups from the left.
func (p *parser) left(next func() (*expr, error), ops ...string) (*expr, error) {
	e, err := next()
	for err == nil {
		op := p.anyOf(ops)
		if op == "" {
			return e, nil
		}
		line := p.next().line
		right, err2 := next()
		if err2 != nil {
			return nil, err2
		}
		e = &expr{line, binary{op, e, right}}
	}
	return nil, err
}

// anyOf is the one of these that is next, or "".
func (p *parser) anyOf(ops []string) string {
	for _, op := range ops {
		if p.is(op) {
			return op
		}
	}
	return ""
}

func (p *parser) or() (*expr, error)  { return p.left(p.and, "or") }
func (p *parser) and() (*expr, error) { return p.left(p.not, "and") }

func (p *parser) not() (e *expr, err error) {
	if !p.is("not") {
		return p.compare()
	}
	line := p.next().line
	err = p.nested(func() error {
		e, err = p.not()
		return err
	})
	return &expr{line, unary{"not", e}}, err
}

func (p *parser) compare() (*expr, error) {
	line := p.tokens[0].line
	first, err := p.sum()
	if err != nil {
		return nil, err
	}
	c := comparison{first: first}
	for {
		op := p.anyOf([]string{"==", "!=", "<", "<=", ">", ">=", "in", "not"})
		if op == "not" {
			if len(p.tokens) < 2 || p.tokens[1].kind != name || p.tokens[1].text != "in" {
				op = ""
			} else {
				p.next()
				op = "not in"
			}
		}
		if op == "" {
			break
		}
		p.next()
		right, err := p.sum()
		if err != nil {
			return nil, err
		}
		c.ops, c.rest = append(c.ops, op), append(c.rest, right)
	}
	if len(c.ops) == 0 {
		return first, nil
	}
	return &expr{line, c}, nil
}

func (p *parser) sum() (*expr, error)     { return p.left(p.concat, "+", "-") }
func (p *parser) concat() (*expr, error)  { return p.left(p.product, "~") }
func (p *parser) product() (*expr, error) { return p.left(p.power, "*", "/", "//", "%") }
func (p *parser) power() (*expr, error)   { return p.left(p.sign, "**") } // of -1 in -1 ** 2, as in Jinja

// sign parses a sign and the filters and tests after it: -1 | abs is of -1.
func (p *parser) sign() (*expr, error) { return p.signed(true) }

func (p *parser) signed(filters bool) (e *expr, err error) {
	line := p.tokens[0].line
	if op := p.anyOf([]string{"-", "+"}); op != "" {
		p.next()
		err = p.nested(func() error {
			e, err = p.signed(false)
			return err
		})
		e = &expr{line, unary{op, e}}
	} else {
		e, err = p.primary()
	}
	if err == nil {
		e, err = p.postfix(e)
	}
	if err == nil && filters {
		e, err = p.filtersAndTests(e)
	}
	return e, err
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) primary() (*expr, error) {
	t := p.tokens[0]
	switch t.kind {
	case name:
		if v, ok := constants[t.text]; ok {
			p.next()
			return &expr{t.line, literal{v}}, nil
		}
		if reserved[t.text] {
			return nil, fmt.Errorf("unexpected %q", t.text)
		}
		p.next()
		return &expr{t.line, variable{t.text}}, nil
	case str:
		text := ""
		for p.tokens[0].kind == str { // texts side by side are one
			text += p.next().text
		}
		return &expr{t.line, literal{text}}, nil
	case integer:
		n, err := strconv.Atoi(p.next().text)
		return &expr{t.line, literal{n}}, err
	case float:
		f, err := strconv.ParseFloat(p.next().text, 64)
		return &expr{t.line, literal{f}}, err
	case operator:
		p.next()
		switch t.text {
		case "(":
			return p.parenthesis(t.line)
		case "[":
			items, err := p.items("]")
			return &expr{t.line, listOf{items, aList}}, err
		case "{":
			return p.dict(t.line)
		}
	}
	return nil, fmt.Errorf("unexpected %s", t.describe())
}

func (p *parser) parenthesis(line int) (*expr, error) {
	if p.skip(")") {
		return &expr{line, listOf{nil, aTuple}}, nil
	}
	var e *expr
	err := p.nested(func() (err error) {
		e, err = p.tuple(true)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, p.expect(")")
}

// items parses expressions up to a bracket.
func (p *parser) items(end string) (all []*expr, err error) {
	for !p.skip(end) {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		all = append(all, e)
		if !p.skip(",") && !p.is(end) {
			return nil, p.expect(end)
		}
	}
	return all, nil
}

func (p *parser) dict(line int) (*expr, error) {
	var d dictOf
	for !p.skip("}") {
		key, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		value, err := p.expression()
		if err != nil {
			return nil, err
		}
		d.keys, d.values = append(d.keys, key), append(d.values, value)
		if !p.skip(",") && !p.is("}") {
			return nil, p.expect("}")
		}
	}
	return &expr{line, d}, nil
}

// postfix parses attributes, items and calls.
func (p *parser) postfix(e *expr) (*expr, error) {
	for n := 0; ; n++ {
		t := p.tokens[0]
		if n > maxDepth {
			return nil, fmt.Errorf("more than %d attributes, items and calls follow one another", maxDepth)
		}
		switch {
		case p.skip("."):
			a := p.next()
			switch a.kind {
			case name:
				e = &expr{t.line, attribute{e, a.text}}
			case integer:
				i, err := strconv.Atoi(a.text)
				if err != nil {
					return nil, err
				}
				e = &expr{t.line, item{e, &expr{t.line, literal{i}}}}
			default:
				return nil, fmt.Errorf("want a name after the point, not %s", a.describe())
			}
		case p.skip("["):
			at, err := p.subscript(e)
			if err != nil {
				return nil, err
			}
			e = &expr{t.line, at}
		case p.is("("):
			args, err := p.arguments()
			if err != nil {
				return nil, err
			}
			e = &expr{t.line, call{e, args}}
		default:
			return e, nil
		}
	}
}

// subscript parses an item or a slice, up to its bracket.
func (p *parser) subscript(of *expr) (node, error) {
	var parts [3]*expr
	n := 0
	for ; n < 3; n++ {
		if !p.is(":") && !p.is("]") {
			e, err := p.tuple(true)
			if err != nil {
				return nil, err
			}
			parts[n] = e
		}
		if !p.skip(":") {
			break
		}
	}
	if n == 0 && parts[0] == nil {
		return nil, fmt.Errorf("want an index")
	}
	if err := p.expect("]"); err != nil {
		return nil, err
	}
	if n == 0 {
		return item{of, parts[0]}, nil
	}
	return slice{of, parts[0], parts[1], parts[2]}, nil
}

func (p *parser) arguments() (a arguments, err error) {
	if err := p.expect("("); err != nil {
		return a, err
	}
	for !p.skip(")") {
		if p.is("*") || p.is("**") {
			return a, fmt.Errorf("arguments by %s are not supported", p.next().text)
		}
		if t := p.tokens; t[0].kind == name && len(t) > 1 && t[1].kind == operator && t[1].text == "=" {
			a.names = append(a.names, p.next().text)
			p.next()
		} else if len(a.names) > 0 {
			return a, fmt.Errorf("an argument without a name follows one with a name")
		}
		e, err := p.expression()
		if err != nil {
			return a, err
		}
		a.items = append(a.items, e)
		if !p.skip(",") && !p.is(")") {
			return a, p.expect(")")
		}
	}
	return a, nil
}

func (p *parser) filtersAndTests(e *expr) (*expr, error) {
	for n := 0; ; n++ {
		if n > maxDepth {
			return nil, fmt.Errorf("more than %d filters follow one another", maxDepth)
		}
		line := p.tokens[0].line
		switch {
		case p.skip("|"):
			f, err := p.filter(e)
			if err != nil {
				return nil, err
			}
			e = &expr{line, f}
		case p.skip("is"):
			t, err := p.test(e)
			if err != nil {
				return nil, err
			}
			e = &expr{line, t}
		case p.is("("): // of what a filter gave
			args, err := p.arguments()
			if err != nil {
				return nil, err
			}
			e = &expr{line, call{e, args}}
		default:
			return e, nil
		}
	}
}

func (p *parser) filter(of *expr) (filter, error) {
	n, err := p.expectKind(name, "a filter")
	if err != nil {
		return filter{}, err
	}
	f := filter{of: of, name: n.text}
	if filters[f.name] == nil {
		return f, fmt.Errorf("the filter %q is not supported", f.name)
	}
	if p.is("(") {
		f.args, err = p.arguments()
	}
	return f, err
}

// test parses what comes after is.
func (p *parser) test(of *expr) (test, error) {
	t := test{of: of, not: p.skip("not")}
	n, err := p.expectKind(name, "a test")
	if err != nil {
		return t, err
	}
	if t.name = n.text; tests[t.name] == nil {
		return t, fmt.Errorf("the test %q is not supported", t.name)
	}
	if p.is("(") {
		t.args, err = p.arguments()
		return t, err
	}
	// is divisibleby 3: one argument needs no parentheses
	next := p.tokens[0]
	begins := next.kind == str || next.kind == integer || next.kind == float ||
		next.kind == operator && (next.text == "[" || next.text == "{")
	if next.kind == name {
		begins = !slices.Contains([]string{"else", "or", "and", "is", "if", "not", "in", "recursive"}, next.text)
	}
	if begins {
		arg, err := p.primary()
		if err != nil {
			return t, err
		}
		if arg, err = p.postfix(arg); err != nil {
			return t, err
		}
		t.args.items = []*expr{arg}
	}
	return t, nil
}
