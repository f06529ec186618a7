package gofuzz

import "fmt"

// deferred defers a call.
func (g stmts) deferred() {
	switch g.n(12) {
	case 0, 1:
		g.mode = calling
		if s := g.method(func([]*typ) bool { return true }, 2); s != "" && g.chance(2) {
			g.line("defer %s", s)
			return
		}
		if f, with := g.callable(func([]*typ) bool { return true }, nil); f != nil {
			g.line("defer %s", g.callOf(f, with, 2))
		}
	case 2, 3:
		g.line("defer show(%q, %s)", "deferred", g.expr(g.typeThat(isPlain), 2))
	case 4, 5:
		g.deferLiteral("")
	case 6, 7:
		g.deferLiteral(one(g.generator, "report(\"recovered\", recover())", "rescue()",
			"if v := recover(); v != nil {\nreport(\"again\", v)\npanic(fmt.Sprint(\"again \", v))\n}"))
	case 8:
		g.line("defer rescue()")
	case 9:
		g.deferLoop()
	case 10:
		g.deferBuiltin()
	default:
		v := g.name("v")
		t := g.type_()
		g.line("%s := %s", v, g.expr(t, 2))
		p := g.name("p")
		g.declare(variable{name: v, t: t, shared: true})
		g.line("defer func(%s %s) {\nshow(same(%s), same(%s))\n%s = %s\n}(%s)", p, t.name, p, v, v, p, v)
	}
}

// deferLiteral defers a function literal that begins with some statements.
func (g stmts) deferLiteral(first string) {
	g.nested("defer func() {", "}()", func() {
		if first != "" {
			g.line("%s", first)
		}
		g.inFunction(func() { g.statements(g.n(3)) })
	})
}

// deferLoop defers calls in a loop: the last is called first.
func (g stmts) deferLoop() {
	i, t := g.name("v"), g.typeThat(isPlain)
	g.mode, g.risks = pure, 0
	g.nested(fmt.Sprintf("for %s := range 2 {", i), "}", func() {
		g.declare(variable{name: i, t: g.int, fixed: true})
		g.line("defer show(%q, %s, %s)", "turn", i, g.expr(t, 2))
		g.line("defer func() { show(\"closure\", %s, %s) }()", i, g.expr(t, 1))
	})
}

// deferBuiltin defers a call of a built-in function.
func (g stmts) deferBuiltin() {
	m, ok := g.find(func(v variable) bool { return v.t.kind == mapping && (g.mode != calling || !v.shared) })
	switch {
	case ok && g.chance(2):
		g.line(one(g.generator, "defer delete(%s, %s)", "defer clear(%[1]s)"), m.name, g.key(m.t.key))
	case g.chance(3):
		c := g.name("v")
		g.line("%s := make(chan bool)\ndefer func() { _, open := <-%s; show(open) }()\ndefer close(%s)", c, c, c)
	case g.chance(2):
		g.mode, g.risks = pure, 0
		g.line("defer panic(%s)", g.expr(g.typeThat(isPlain), 1))
	default:
		g.line("defer rescue()\ndefer panic(%q)", "deferred panic")
	}
}
