package gofuzz

import "fmt"

// functionVariable declares a variable that holds a function literal, which may call itself.
func (g exprs) functionVariable() {
	t := g.funcOf([]*typ{g.type_()}, g.typeThat(isPlain))
	if g.chance(2) {
		t = g.funcOf(nil, g.typeThat(isPlain))
	}
	if t.result.kind == function {
		return
	}
	v := g.fresh(t)
	if g.chance(3) {
		g.line("var %s %s", v.name, t.name)
		saved := g.vars
		g.vars = append(saved[:len(saved):len(saved)], v)
		n := g.name("n")
		g.line("%s := 0\n%s = func(%s", n, v.name, g.limited(n, t))
		g.vars = saved
	} else {
		g.line("%s := %s", v.name, g.closure(t))
	}
	g.vars = append(g.vars, v)
}

// limited is a function literal from its parameters on that does something only at its first calls.
func (g exprs) limited(n string, t *typ) string {
	s := g.literalFunc(t.params, []*typ{t.result})
	for i := range s {
		if s[i] == '{' && s[i+1] == '\n' {
			return s[:i+2] + fmt.Sprintf("if %s++; %s > 3 {\nreturn *new(%s)\n}\n", n, n, t.result.name) + s[i+2:]
		}
	}
	return s
}

// closures makes a list of functions in a loop, each with the variables of its turn, and calls them after it.
func (g exprs) closures() {
	fs, i, f := g.name("v"), g.name("v"), g.name("v")
	t := g.typeThat(isPlain)
	g.mode, g.risks = pure, 0
	g.line("var %s []func() %s", fs, t.name)
	g.labelled(true, func() {
		g.nested(one(g.generator, fmt.Sprintf("for %s := range 3 {", i),
			fmt.Sprintf("for %s := 0; %s < 3; %s++ {", i, i, i)),
			"}", func() {
				g.declare(variable{name: i, t: g.int, fixed: true, shared: true})
				g.finish()
				g.openBlock()
				g.statements(g.n(2))
				g.line("%s = append(%s, func() %s {\nshow(turn(%s))\nreturn %s\n})", fs, fs, t.name, i, g.expr(t, 2))
			})
	})
	g.line("for _, %s := range %s {\nshow(%s())\n}", f, fs, f)
}

// iterate ranges over a function.
func (g exprs) iterate() {
	t := g.typeThat(func(t *typ) bool { return t.kind != function })
	g.mode, g.risks = pure, 0
	yield, v := g.name("yield"), g.name("v")
	var over string
	if g.chance(2) {
		over = "each(" + g.value(g.sliceOf(t)) + ")"
	} else {
		a, b := g.expr(t, 2), g.expr(t, 2)
		over = fmt.Sprintf("func(%s func(%s) bool) {\ndefer show(\"end\")\nif !%s(%s) {\nreturn\n}\nshow(\"more\")\n%s(%s)\n}", yield, t.name, yield, a, yield, b)
	}
	g.labelled(true, func() {
		g.nested(fmt.Sprintf("for %s := range %s {", v, header(over)), "}", func() {
			g.declare(variable{name: v, t: t, shared: g.chance(2)})
			g.finish()
			g.openBlock()
			g.statements(1 + g.n(2))
		})
	})
}

// inFunction writes the body of a function literal without parameters and results.
func (g exprs) inFunction(f func()) {
	g.function = &body{block: g.block, quiet: g.function.quiet, generic: g.function.generic}
	g.labels = nil
	g.level++
	f()
}

// localType declares a type and a variable of it.
func (g exprs) localType() {
	name := g.name("T")
	var t *typ
	switch g.n(3) {
	case 0:
		t = g.declared(name, g.recordOf([]field{{name: g.name("f"), t: g.type_()},
			{name: g.name("F"), t: g.typeThat(isPlain)}}))
	case 1:
		t = g.declared(name, one(g.generator, g.ints...))
	default:
		t = g.declared(name, g.sliceOf(g.type_()))
	}
	t.local = true
	g.line("type %s %s", name, t.base.name)
	v := g.fresh(t)
	g.line("%s := %s", v.name, g.expr(t, 2))
	g.vars = append(g.vars, v)
	if t.plain {
		g.line("showf(%q, %s, %s)", "%v %T", v.name, v.name)
	}
}
