package gofuzz

import (
	"fmt"
	"strings"
)

// switchStatement writes a switch over values or over conditions.
func (g *generator) switchStatement() {
	t := g.typeThat(func(t *typ) bool { return t.kind == integer || t.kind == text })
	tag := ""
	switch g.n(4) {
	case 0: // Which condition panics first is not the question here: none does.
		g.mode, g.risks = pure, 0
	case 1:
		v := g.name("v")
		tag = v + " := " + header(g.expr(t, 2)) + "; " + v
	default:
		tag = header(g.expr(t, 2))
	}
	g.mode, g.risks = pure, 0
	n := 1 + g.n(4)
	last := g.n(n + 2) // the place of default, if there is one
	g.labelled(false, func() {
		g.line("switch %s {", tag)
		for i := range n {
			var c string
			switch {
			case i == last:
				c = "default:"
			case tag == "":
				c = "case " + g.expr(g.bool, 2) + ":"
			case g.chance(3):
				c = "case " + g.distinct(t, 2*i) + ", " + g.distinct(t, 2*i+1) + ":"
			case g.chance(3):
				c = "case " + g.value(t) + ", " + g.value(t) + ":"
			default:
				c = "case " + g.distinct(t, 2*i) + ":"
			}
			g.nestedOpen(c+" {", func() { g.statements(1 + g.n(2)) })
			g.line("}")
			if i < n-1 && g.chance(5) {
				g.line("fallthrough")
			}
		}
		g.line("}")
	})
}

// typeSwitch tells the values of an interface apart.
func (g *generator) typeSwitch() {
	t := g.typeThat(func(t *typ) bool { return t.kind == iface && len(t.impls) > 1 })
	if t.kind != iface {
		g.print()
		return
	}
	e := g.expr(t, 2)
	v := g.name("v")
	g.mode, g.risks = pure, 0
	g.labelled(false, func() {
		g.line("switch %s := %s.(type) {", v, header(e))
		seen := map[*typ]bool{}
		for range 3 {
			impl := one(g, t.impls...)
			if seen[impl] {
				continue
			}
			seen[impl] = true
			g.typeCase(v, impl, impl.name)
		}
		switch g.n(4) {
		case 0:
			g.typeCase(v, t, "nil")
		case 1:
			g.line("default:\n_ = %s", v)
		case 2:
			g.line("case fmt.Stringer:\nshow(\"stringer\", %s.String())", v)
		}
		g.line("}")
	})
}

func (g *generator) typeCase(v string, t *typ, name string) {
	g.nestedOpen(fmt.Sprintf("case %s: {", name), func() {
		g.declare(variable{name: v, t: t, fixed: g.chance(2), shared: true, set: t.kind == pointer})
		g.finish()
		g.openBlock()
		g.statements(1 + g.n(2))
	})
	g.line("}")
}

// selectStatement has one case that is ready, or none and a default.
func (g *generator) selectStatement() {
	t, u := g.type_(), g.type_()
	a, b := g.name("v"), g.name("v")
	e := g.expr(t, 2)
	g.mode, g.risks = pure, 0
	ready := g.n(3) > 0
	g.line("%s := make(chan %s, 2)", a, t.name)
	if ready {
		g.line("%s <- %s", a, e)
	} else {
		g.line("_ = %s", e)
	}
	g.line("var %s chan %s", b, u.name)
	x := g.name("v")
	get := fmt.Sprintf("case %s := <-%s: {", x, a)
	ok := ""
	if g.chance(3) {
		ok = g.name("v")
		get = fmt.Sprintf("case %s, %s := <-%s: {", x, ok, a)
	}
	var cases []string
	cases = append(cases, g.capture(func() {
		g.nested(get, "}", func() {
			g.declare(variable{name: x, t: t, shared: g.chance(2)})
			if ok != "" {
				g.declare(variable{name: ok, t: g.bool})
			}
			g.finish()
			g.openBlock()
			g.statements(1 + g.n(2))
		})
	}))
	cases = append(cases, fmt.Sprintf("case %s <- %s:\nshow(\"sent to nil\")\n", b, g.expr(u, 1)))
	if !ready {
		cases = append(cases, g.capture(func() { g.nested("default: {", "}", func() { g.statements(1) }) }))
	}
	g.r.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	g.line("select {\n%s}", strings.Join(cases, ""))
}
