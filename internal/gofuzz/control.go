package gofuzz

import (
	"fmt"
	"strings"
)

func (g *generator) ifStatement() {
	if g.chance(4) {
		t := g.type_()
		e := g.expr(t, 2)
		g.nested("{", "}", func() { // the scope of v
			v := g.declare(variable{name: g.name("v"), t: t, fixed: g.chance(2)})
			g.inMode(pure, func() {
				g.nested(fmt.Sprintf("if %s := %s; %s {", v.name, header(e),
					header("same("+v.name+") && "+g.expr(g.bool, 2))), "}", func() { g.statements(1 + g.n(2)) })
			})
			g.vars = g.vars[:len(g.vars)-1]
		})
		return
	}
	c := g.expr(g.bool, 3)
	open := "if " + header(c) + " {"
	for g.chance(3) {
		g.nestedOpen(open, func() { g.statements(1 + g.n(2)) })
		c := ""
		g.inMode(pure, func() { c = g.expr(g.bool, 2) })
		open = "} else if " + header(c) + " {"
	}
	if g.chance(2) {
		g.nestedOpen(open, func() { g.statements(1 + g.n(2)) })
		open = "} else {"
	}
	g.nested(open, "}", func() { g.statements(1 + g.n(2)) })
}

// nestedOpen writes a block without its closing brace.
func (g *generator) nestedOpen(open string, inside func()) {
	s := g.capture(func() { g.nested(open, "}", inside) })
	g.out.WriteString(strings.TrimSuffix(s, "}\n"))
}

// labelled writes a statement whose blocks can jump out of it.
func (g *generator) labelled(loop bool, write func()) {
	l := &label{name: g.labelName(), loop: loop}
	saved := g.labels
	g.labels = append(saved[:len(saved):len(saved)], l)
	s := g.capture(write)
	g.labels = saved
	if l.used {
		g.line("%s:", l.name)
	}
	g.out.WriteString(s)
}

// jump leaves an enclosing loop or switch, or continues a loop.
func (g *generator) jump() {
	c := g.expr(g.bool, 1)
	l := g.labels[g.n(len(g.labels))]
	innermost := g.labels[len(g.labels)-1]
	word := "break"
	if l.loop && g.chance(2) {
		word = "continue"
	}
	if l == innermost && g.chance(2) {
		g.line("if %s {\n%s\n}", header(c), word)
		return
	}
	l.used = true
	g.line("if %s {\n%s %s\n}", header(c), word, l.name)
}

// loop writes a loop that counts or has a condition.
func (g *generator) loop() {
	v := variable{name: g.name("v"), t: g.int, shared: !g.function.pure && g.chance(2), fixed: true}
	var open string
	switch g.n(4) {
	case 0:
		open = fmt.Sprintf("for %s := range %d {", v.name, 1+g.n(4))
	case 1:
		v.t = one(g, g.ints...)
		open = fmt.Sprintf("for %s := range %s(%d) {", v.name, v.t.name, 1+g.n(4))
	case 2:
		open = fmt.Sprintf("for %s := 0; %s < %d; %s++ {", v.name, v.name, 1+g.n(4), v.name)
	default:
		v.fixed = false // the body may change it, but it never ends later than after some turns
		c := ""
		g.inMode(pure, func() { c = g.expr(g.bool, 2) })
		open = fmt.Sprintf("for %s, turns := 0, 0; turns < 4 && %s; %s, turns = %s+1, turns+1 {", v.name, header(c),
			v.name, v.name)
	}
	g.labelled(true, func() {
		g.nested(open, "}", func() {
			g.declare(v)
			g.finish() // the variable may stay unused
			g.openBlock()
			g.statements(1 + g.n(3))
		})
	})
}

// rangeLoop ranges over what a variable holds.
func (g *generator) rangeLoop() {
	var over string
	var k, v *typ
	switch g.n(5) {
	case 0:
		over, k, v = g.value(g.string), g.int, g.types["int32"]
	case 1:
		t := g.typeThat(func(t *typ) bool { return t.kind == array })
		if t.kind != array {
			g.loop()
			return
		}
		over, k, v = g.value(t), g.int, t.elem
	case 2:
		g.mapLoop()
		return
	default:
		t := g.typeThat(func(t *typ) bool { return t.kind == slice })
		if t.kind != slice {
			g.loop()
			return
		}
		over, k, v = "first("+g.value(t)+", 5)", g.int, t.elem
	}
	a := variable{name: g.name("v"), t: k, shared: !g.function.pure && g.chance(2), fixed: g.chance(2)}
	b := variable{name: g.name("v"), t: v, shared: !g.function.pure && g.chance(2), fixed: g.chance(2) ||
		v.kind == function}
	open := fmt.Sprintf("for %s, %s := range %s {", a.name, b.name, header(over))
	if g.chance(4) {
		open = fmt.Sprintf("for %s := range %s {", a.name, header(over))
		b = a
	}
	g.labelled(true, func() {
		g.nested(open, "}", func() {
			g.declare(a)
			if b.name != a.name {
				g.declare(b)
			}
			g.finish() // the variables may stay unused
			g.openBlock()
			g.statements(1 + g.n(2))
		})
	})
}

// mapLoop counts in a map, whose order must not be seen.
func (g *generator) mapLoop() {
	t := g.typeThat(func(t *typ) bool { return t.kind == mapping })
	if t.kind != mapping {
		g.loop()
		return
	}
	n := g.name("v")
	m := g.value(t)
	g.line("%s := 0", n)
	e := g.name("v")
	key := variable{name: g.name("v"), t: t.key, fixed: true}
	val := variable{name: g.name("v"), t: t.elem, fixed: true}
	g.line("for %s, %s := range %s {\n_, _ = %s, %s", key.name, val.name, header(m), key.name, val.name)
	saved := g.scope
	g.vars = append(saved.vars[:len(saved.vars):len(saved.vars)], key, val)
	g.inMode(pure, func() {
		g.line("%s := %s\n%s += int(%s)", e, g.expr(g.int, 2), n, e)
	})
	g.scope = saved
	g.line("}")
	g.declare(variable{name: n, t: g.int})
}
