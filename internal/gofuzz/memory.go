package gofuzz

import "fmt"

// container changes what a slice, a map or a pointer leads to.
func (g exprs) container() {
	p, ok := g.anyPlace(func(p place) bool {
		return p.t.kind == slice && p.settable || p.t.kind == mapping || p.t.kind == pointer && p.settable
	})
	if !ok {
		g.declaration()
		return
	}
	if g.mode == risky && g.risks == 0 {
		g.mode = pure
	}
	t := p.t
	switch t.kind {
	case slice:
		switch g.n(5) {
		case 0:
			g.line("show(copy(%s, %s))", p.text, g.expr(t, 2))
		case 1:
			g.line("clear(%s)", p.text)
		case 2:
			g.line("%s = append(%s[:len(%s)/2], %s)", p.text, p.text, p.text, g.expr(t.elem, 2))
		case 3:
			if g.mode == calling {
				g.mode = pure
			}
			g.line("%s = append(first(%s, 20), %s...)", p.text, p.text, "first("+g.value(t)+", 3)")
		default:
			if g.mode == calling && p.shared {
				g.mode = pure
			}
			g.line("%s = append(first(%s, 20), %s, %s)", p.text, p.text, g.expr(t.elem, 2), g.expr(t.elem, 2))
		}
	case mapping:
		g.mapEntry(p)
	case pointer:
		g.line("%s = %s", p.text, g.expr(t, 2))
	}
}

func (g exprs) mapEntry(p place) {
	if p.risk {
		g.mode = pure
	}
	t := p.t
	m := p.text
	v, ok := g.name("v"), g.name("v")
	switch g.n(6) {
	case 0:
		g.line("delete(%s, %s)", m, g.key(t.key))
	case 1:
		g.line("clear(%s)", m)
	case 2:
		g.line("%s, %s := %s[%s]\nshow(%s, len(%s))", v, ok, m, g.key(t.key), ok, m)
		g.line("_ = %s", v)
		g.declare(variable{name: v, t: t.elem, shared: true})
	case 3:
		g.line("if %s, %s := %s[%s]; %s {\n_ = %s\nshow(\"found\")\n}", v, ok, m, g.key(t.key), ok, v)
	default:
		g.line("if %s != nil {\n%s[%s] = %s\n}", m, m, g.key(t.key), g.expr(t.elem, 2))
	}
}

// lists makes a list of interfaces and appends what might be taken for several elements: lists, arrays and nil.
func (g exprs) lists() {
	g.mode, g.risks = pure, 0
	v := g.name("v")
	element := func() string {
		a := g.expr(g.any, 1)
		return one(g.generator, "[]any{"+a+"}", "[]any{"+a+", nil}", "[2]any{"+a+"}", "[]any(nil)", "nil", a, v)
	}
	g.line("%s := []any{%s}", v, g.expr(g.any, 1))
	for range 1 + g.n(2) {
		args := element()
		if g.chance(4) {
			args += ", " + element()
		}
		g.line("%s = append(%s, %s)", v, v, args)
	}
	g.line("show(%q, len(%s), %s)", v, v, v)
}

// channel sends values through a channel and reads them, in this goroutine or from another.
func (g exprs) channel() {
	t := g.type_()
	c, v := g.name("v"), g.fresh(t)
	e := g.expr(t, 2)
	g.mode, g.risks = pure, 0
	switch g.n(3) {
	case 0:
		w := g.name("v")
		g.line("%s := make(chan %s, 3)\n%s <- %s\n%s <- %s\nclose(%s)", c, t.name, c, e, c, g.expr(t, 2), c)
		g.nested(fmt.Sprintf("for %s := range %s {", w, c), "}", func() {
			g.declare(variable{name: w, t: t, shared: g.chance(2)})
			g.finish()
			g.openBlock()
			g.statements(1)
		})
		g.line("%s, %s := <-%s\nshow(%s)", v.name, w, c, w)
	case 1:
		u := g.type_()
		s := g.recordOf([]field{{name: "a", t: t}, {name: "b", t: u}})
		g.line("%s := make(chan %s)\ngo func() {\ndefer close(%s)\n%s <- %s{%s, %s}\n}()", c, s.name, c, c, s.name,
			e2(g.generator, t), e2(g.generator, u))
		g.line("_ = %s\n%s := (<-%s).a", e, v.name, c)
	default:
		g.line("%s := make(chan %s, 1)\n%s <- %s", c, t.name, c, e)
		g.line("%s := <-%s", v.name, c)
	}
	g.vars = append(g.vars, v)
}

// e2 is an operand that another goroutine may compute.
func e2(g *generator, t *typ) (s string) {
	saved := g.vars
	g.vars = nil
	s = g.literal(t)
	g.vars = saved
	return s
}
