package gofuzz

import (
	"fmt"
	"strings"
)

// maxDepth is the largest nesting depth of statements.
const maxDepth = 3

// statement writes one statement, which may be a few lines that belong together.
func (g stmts) statement() {
	type choice struct {
		weight int
		write  func()
	}
	choices := []choice{{6, g.declaration}, {6, g.assignment}, {2, g.opAssignment}, {1, g.swap}, {3, g.redeclare},
		{1, g.tuple}}
	if g.hot && !g.function.pure && g.depth < maxDepth {
		choices = append(choices, choice{14, g.pattern})
	}
	if g.quiet() {
		choices = append(choices, choice{5, g.print}, choice{2, g.callStatement}, choice{2, g.container},
			choice{1, g.lists}, choice{1, g.functionVariable}, choice{1, g.panics}, choice{1, g.constants},
			choice{1, g.methodValue})
	} else if !g.function.pure {
		choices = append(choices, choice{5, g.print}, choice{2, g.callStatement}, choice{2, g.container},
			choice{2, g.deferred}, choice{1, g.channel}, choice{1, g.lists},
			choice{1, g.functionVariable}, choice{1, g.panics}, choice{1, g.variables}, choice{1, g.constants},
			choice{1, g.methodValue})
	}
	if g.depth < maxDepth {
		choices = append(choices, choice{5, g.ifStatement}, choice{3, g.loop}, choice{2, g.rangeLoop},
			choice{2, g.switchStatement},
			choice{1, func() { g.nested("{", "}", func() { g.statements(1 + g.n(2)) }) }}, choice{1, g.gotoLoop},
			choice{1, g.gotoForward}, choice{1, g.looseLoop}, choice{1, g.looseRange}, choice{1, g.early})
		if g.quiet() {
			choices = append(choices, choice{1, g.typeSwitch}, choice{1, g.closures}, choice{1, g.functionTable})
		} else if !g.function.pure {
			choices = append(choices, choice{1, g.typeSwitch}, choice{1, g.selectStatement}, choice{1, g.closures},
				choice{1, g.iterate},
				choice{1, g.goroutine}, choice{1, g.functionTable})
			if !g.function.generic {
				choices = append(choices, choice{1, g.localType})
			}
		}
	}
	if len(g.labels) > 0 {
		choices = append(choices, choice{3, g.jump})
	}
	sum := 0
	for _, c := range choices {
		sum += c.weight
	}
	k := g.n(sum)
	for _, c := range choices {
		if k -= c.weight; k < 0 {
			c.write()
			return
		}
	}
}

// declaration declares one variable or two.
func (g stmts) declaration() {
	t := g.type_()
	if g.chance(6) && g.mode == calling {
		if f, with := g.callable(func(rs []*typ) bool { return len(rs) == 2 }, nil); f != nil {
			e := g.callOf(f, with, 2)
			a := g.fresh(g.subst(f.results[0], with))
			b := g.fresh(g.subst(f.results[1], with))
			if a.name == b.name {
				b.name = g.name("v")
			}
			g.line("%s, %s := %s", a.name, b.name, e)
			g.vars = append(g.vars, a, b)
			return
		}
	}
	e := g.expr(t, 3)
	v := g.fresh(t)
	switch g.n(6) {
	case 0:
		g.line("var %s %s", v.name, t.name)
	case 1:
		g.line("var %s %s = %s", v.name, t.name, e)
	case 2:
		u := g.type_()
		if g.mode == risky && g.risks == 0 {
			g.mode = pure
		}
		f := g.expr(u, 2)
		w := g.fresh(u)
		if w.name == v.name {
			w.name = g.name("v")
		}
		g.line(one(g.generator, "%s, %s := %s, %s", "var %s, %s = %s, %s"), v.name, w.name, e, f)
		g.vars = append(g.vars, w)
	default:
		v.set = t.kind == pointer && strings.HasPrefix(e, "&") || t.kind == iface && strings.HasPrefix(e, t.name+"(") &&
			t != g.error
		if v.set {
			v.fixed = true
		}
		g.line("%s := %s", v.name, e)
	}
	g.vars = append(g.vars, v)
}

// fresh is a variable of the block that is not yet declared.
func (g stmts) fresh(t *typ) variable {
	return variable{name: g.local(), t: t, shared: !g.function.pure && g.chance(2), level: g.level, block: g.block,
		fixed: t.kind == function}
}

// target is a place that can be assigned to.
func (g stmts) target(ok func(place) bool) (place, bool) {
	return g.anyPlace(func(p place) bool {
		return p.settable && p.t.kind != function && (p.addressable || p.t.kind != param) && ok(p)
	})
}

func (g stmts) assignment() {
	// What the left side may panic for does not concern the right side, where no call must come before an index.
	p, ok := g.target(func(place) bool { return true })
	if !ok {
		g.declaration()
		return
	}
	if g.mode == risky && g.risks == 0 {
		g.mode = pure
	}
	if q, ok := g.target(func(q place) bool { return !q.risk && q.text != p.text }); ok && !p.risk && g.chance(5) {
		// Compilers differ in whether the first operand is set when the second value panics.
		g.mode, g.risks = pure, 0
		g.line("%s, %s = %s, %s", p.text, q.text, g.expr(p.t, 2), g.expr(q.t, 2))
		return
	}
	e := g.expr(p.t, 3)
	g.line("%s = %s", p.text, e)
}

func (g stmts) opAssignment() {
	p, ok := g.target(func(p place) bool {
		return p.t.kind == integer || p.t.kind == text || p.t.kind == float || p.t.kind == complexes
	})
	if !ok {
		g.declaration()
		return
	}
	if g.mode == risky && g.risks == 0 {
		g.mode = pure
	}
	switch {
	case p.t.kind == text:
		g.line("%s += %s", p.text, g.literal(p.t))
	case p.t.kind == complexes:
		g.line("%s %s %s", p.text, one(g.generator, "+=", "-=", "*="), g.expr(p.t, 1))
	case p.t.kind == float:
		g.line("%s %s %s", p.text, one(g.generator, "+=", "-="), g.expr(p.t, 1))
	case g.chance(3):
		g.line("%s%s", p.text, one(g.generator, "++", "--"))
	case g.chance(4):
		g.line("%s %s %d", p.text, one(g.generator, "/=", "%=", "<<=", ">>="), 1+g.n(9))
	default:
		g.line("%s %s %s", p.text, one(g.generator, "+=", "-=", "*=", "&=", "|=", "^=", "&^="), g.expr(p.t, 2))
	}
}

// swap exchanges places of one type, each of which calls nothing and does not panic.
func (g stmts) swap() {
	g.mode, g.risks = pure, 0
	p, ok := g.target(func(place) bool { return true })
	if !ok {
		return
	}
	q, ok := g.target(func(q place) bool { return q.t == p.t && q.text != p.text })
	if !ok {
		return
	}
	r, ok := g.target(func(r place) bool { return r.t == p.t && r.text != p.text && r.text != q.text })
	if ok && g.chance(2) {
		g.line("%s, %s, %s = %s, %s, %s", p.text, q.text, r.text, q.text, r.text, p.text)
		return
	}
	g.line("%s, %s = %s, %s", p.text, q.text, q.text, p.text)
}

func (g stmts) print() {
	var s []string
	for i := range 1 + g.n(3) {
		t := g.typeThat(isPlain)
		if g.mode == risky && i > 0 {
			g.mode = pure
		}
		s = append(s, g.expr(t, 3))
	}
	if g.chance(3) {
		g.line("showf(%q, %s)", strings.Repeat(one(g.generator, "%v", "%+v", "%T", "%#v")+" ", len(s)),
			strings.Join(s, ", "))
		return
	}
	g.line("show(%s)", strings.Join(s, ", "))
}

// callStatement calls something for what it does.
func (g stmts) callStatement() {
	g.mode = calling
	if g.chance(2) {
		if s := g.method(func(rs []*typ) bool { return true }, 2); s != "" {
			g.line("%s", s)
			return
		}
	}
	f, with := g.callable(func(rs []*typ) bool { return true }, nil)
	if f == nil {
		return
	}
	s := g.callOf(f, with, 2)
	plain := len(f.results) > 0
	for _, t := range f.results {
		plain = plain && g.subst(t, with).plain
	}
	switch {
	case plain && g.chance(2):
		g.line("show(%s)", s)
	case g.chance(4):
		g.line("guard(%q, func() { %s })", f.name, s)
	default:
		g.line("%s", s)
	}
}

// early leaves the function in the middle.
func (g stmts) early() {
	c := g.expr(g.bool, 2)
	g.mode, g.risks = calling, 0
	if g.function.pure {
		g.mode = pure
	}
	g.nested(fmt.Sprintf("if %s {", header(c)), "}", g.returns)
}

// panics ends the function, sometimes.
func (g stmts) panics() {
	c := g.expr(g.bool, 2)
	g.nested(fmt.Sprintf("if %s {", header(c)), "}", func() {
		g.mode, g.risks = pure, 0
		g.line("panic(%s)", g.expr(g.typeThat(isPlain), 2))
	})
}
