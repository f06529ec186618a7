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
	case 2:
		tag = header(g.expr(t, 2))
		if g.chance(8) {
			g.line("switch %s {\n}", tag)
			return
		}
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
			falls := i < n-1 && g.chance(5)
			l := ""
			if falls && g.chance(2) {
				l = g.labelName()
			}
			g.nestedOpen(c+" {", func() {
				if l != "" {
					g.line("if %s {\ngoto %s\n}", header(g.expr(g.bool, 1)), l)
				}
				g.statements(1 + g.n(2))
			})
			g.line("}")
			if l != "" {
				g.line("%s:", l)
			}
			if falls {
				g.line("fallthrough")
			}
		}
		g.line("}")
	})
}

// typeSwitch distinguishes the values of an interface.
func (g *generator) typeSwitch() {
	t := g.typeThat(func(t *typ) bool { return t.kind == iface && len(t.impls) > 1 })
	if t.kind != iface {
		g.print()
		return
	}
	if g.chance(3) {
		g.looseTypeSwitch(t)
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

// looseTypeSwitch has an init statement, cases of several types, or no variable.
func (g *generator) looseTypeSwitch(t *typ) {
	init, v := g.name("v"), g.name("v")
	e := g.expr(t, 2)
	g.mode, g.risks = pure, 0
	open := fmt.Sprintf("switch %s := %s; %s := %s.(type) {", init, header(e), v, init)
	if g.chance(2) {
		open, v = fmt.Sprintf("switch %s.(type) {", header(e)), ""
	}
	g.labelled(false, func() {
		g.line("%s", open)
		if g.chance(2) {
			g.line("default:\nshow(\"default\")")
		}
		c := t.impls[0].name + ", nil"
		if len(t.impls) > 1 {
			c = t.impls[0].name + ", " + t.impls[1].name
		}
		g.nestedOpen(fmt.Sprintf("case %s: {", c), func() {
			if v != "" {
				g.declare(variable{name: v, t: t, fixed: true, shared: true, param: true})
				g.line("_ = %s", v)
			}
			g.openBlock()
			g.statements(1 + g.n(2))
		})
		g.line("}")
		if v != "" {
			g.line("case error:\n_ = %s", v)
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
	g.labelled(false, func() {
		cases := []string{g.capture(func() { g.receiveCase(a, t) })}
		cases = append(cases, fmt.Sprintf("case %s <- %s:\nshow(\"sent to nil\")\n", b, g.expr(u, 1)))
		if !ready {
			cases = append(cases, g.capture(func() { g.nested("default: {", "}", func() { g.statements(1) }) }))
		}
		g.r.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		g.line("select {\n%s}", strings.Join(cases, ""))
	})
}

// receiveCase is a case of a select that receives a value of type t into a variable of its own, or into a place that is
// there.
func (g *generator) receiveCase(from string, t *typ) {
	x, ok := variable{name: g.name("v"), t: t, shared: g.chance(2)}, variable{name: g.name("v"), t: g.bool}
	left, own := x.name, []variable{x}
	tok := ":="
	if p, found := g.target(func(p place) bool { return p.t == t }); found && g.chance(2) {
		left, own, tok = p.text, nil, "="
	}
	switch second, found := g.target(func(p place) bool { return p.t == g.bool && p.text != left }); {
	case tok == ":=" && g.chance(3):
		left += ", " + ok.name
		own = append(own, ok)
	case tok == "=" && found && g.chance(2):
		left += ", " + second.text
	}
	g.nested(fmt.Sprintf("case %s %s <-%s: {", left, tok, from), "}", func() {
		for _, v := range own {
			g.declare(v)
		}
		g.finish()
		g.openBlock()
		g.statements(1 + g.n(2))
	})
}
