package gofuzz

import "fmt"

// looseLoop writes a loop without the usual clauses.
func (g stmts) looseLoop() {
	v := g.name("v")
	g.nested("{", "}", func() {
		g.line("%s := 0", v)
		g.declare(variable{name: v, t: g.int, fixed: true})
		g.mode, g.risks = pure, 0
		switch g.n(4) {
		case 0:
			g.labelled(true, func() {
				g.nested("for {", "}", func() {
					g.line("if %s++; %s > %d {\nbreak\n}", v, v, 1+g.n(3))
					g.statements(1 + g.n(2))
				})
			})
		case 1:
			c := g.expr(g.bool, 2)
			g.labelled(true, func() {
				g.nested(fmt.Sprintf("for %s < %d && %s {", v, 1+g.n(3), header(c)), "}", func() {
					g.line("%s++", v)
					g.statements(1 + g.n(2))
				})
			})
		case 2:
			g.labelled(true, func() {
				g.nested(fmt.Sprintf("for ; %s < %d; %s++ {", v, 1+g.n(3), v), "}", func() { g.statements(1 + g.n(2)) })
			})
		default:
			w := g.name("v")
			g.labelled(true, func() {
				g.nested(fmt.Sprintf("for %s := 0; %s < %d; {", w, w, 1+g.n(3)), "}", func() {
					g.line("%s++", w)
					g.declare(variable{name: w, t: g.int, fixed: true, shared: true})
					g.finish()
					g.openBlock()
					g.statements(1 + g.n(2))
				})
			})
		}
		g.finish()
	})
}

// looseRange ranges without variables, with one, or with places that are there already.
func (g stmts) looseRange() {
	g.mode, g.risks = pure, 0
	inside := func() { g.statements(1 + g.n(2)) }
	switch g.n(5) {
	case 0:
		g.labelled(true, func() { g.nested(fmt.Sprintf("for range %d {", 1+g.n(3)), "}", inside) })
	case 1:
		over := header("first(" + g.value(g.sliceOf(g.type_())) + ", 3)")
		g.labelled(true, func() { g.nested("for range "+over+" {", "}", inside) })
	case 2:
		t := g.arrayOf(1+g.n(3), g.typeThat(func(t *typ) bool { return t.kind != function }))
		a, i, e := g.name("v"), g.name("v"), g.name("v")
		g.line("%s := %s", a, g.value(t))
		over := "&" + a
		if g.chance(2) {
			over = g.name("v")
			g.line("%s := &%s", over, a)
		}
		g.labelled(true, func() {
			g.nested(fmt.Sprintf("for %s, %s := range %s {", i, e, over), "}", func() {
				if t.elem.equal {
					g.line("_ = %s == %s", e, g.value(t.elem))
				}
				g.declare(variable{name: i, t: g.int, shared: g.chance(2)})
				g.declare(variable{name: e, t: t.elem, shared: g.chance(2), fixed: t.elem.kind == function})
				g.line("%s[len(%s)-1] = %s", a, a, g.expr(t.elem, 1))
				g.finish()
				g.openBlock()
				inside()
			})
		})
	case 3:
		p, ok := g.target(func(p place) bool { return p.t == g.int })
		if !ok {
			return
		}
		over := "first(" + g.value(g.sliceOf(g.typeThat(isPlain))) + ", 4)"
		if q, ok := g.target(func(q place) bool { return q.t == g.types["int32"] && q.text != p.text }); ok {
			g.line("for %s, %s = range string(%s) {\nshow(%s)\n}", p.text, q.text, g.value(g.string), p.text)
			return
		}
		g.line("for %s = range %s {\nshow(%s)\n}", p.text, header(over), p.text)
	default:
		g.rangePairs()
	}
}

// rangePairs ranges over a function that yields two values, or none.
func (g stmts) rangePairs() {
	t, u := g.typeThat(func(t *typ) bool { return t.kind != function }),
		g.typeThat(func(t *typ) bool { return t.kind != function })
	yield, a, b := g.name("yield"), g.name("v"), g.name("v")
	if g.chance(3) {
		over := fmt.Sprintf("func(%s func() bool) {\nfor %s() {\nif lines < 200 {\nreturn\n}\nlines--\n}\nshow(\"left\")\n}", yield, yield)
		if g.chance(2) {
			over = fmt.Sprintf("func(%s func() bool) { _ = %s() && %s() }", yield, yield, yield)
		}
		g.labelled(true, func() {
			g.nested("for range "+header(over)+" {", "}", func() {
				g.statements(1 + g.n(2))
				g.line("break")
			})
		})
		return
	}
	over := fmt.Sprintf("func(%s func(%s, %s) bool) {\ndefer show(\"end\")\n_ = %s(%s, %s) && %s(%s, %s)\n}", yield,
		t.name, u.name,
		yield, g.expr(t, 1), g.expr(u, 1), yield, g.expr(t, 1), g.expr(u, 1))
	g.labelled(true, func() {
		g.nested(fmt.Sprintf("for %s, %s := range %s {", a, b, header(over)), "}", func() {
			g.declare(variable{name: a, t: t, shared: g.chance(2)})
			g.declare(variable{name: b, t: u, shared: g.chance(2)})
			g.finish()
			g.openBlock()
			g.statements(1 + g.n(2))
		})
	})
}
