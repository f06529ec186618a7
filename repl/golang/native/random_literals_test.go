package native

// literalStatement declares a function literal, calls one that is in scope, or returns from the one in work. It
// reports false where none of them fits.
func (g *generator) literalStatement() bool {
	switch k := g.r.IntN(8); {
	case g.inside != "" && k < 3:
		g.line("if %s {", g.expr("bool", 2))
		g.depth++
		g.literalReturn()
		g.depth--
		g.line("}")
	case len(g.literals) > 0 && k < 6:
		g.literalCall()
	case g.depth < 4 && g.loops < 2:
		g.declareLiteral()
	default:
		return false
	}
	return true
}

// declareLiteral declares one, which captures what is in scope.
func (g *generator) declareLiteral() {
	kind := g.pick("ca", "cb", "cc")
	name := kind + g.name()
	vars, reads, literals, inside, loops := len(g.vars), len(g.reads), g.literals, g.inside, g.loops
	p, q := g.name(), g.name()
	switch kind {
	case "ca":
		g.line("%s := func(%s int, %s float64) int {", name, p, q)
		g.vars = append(g.vars, variable{p, "int"}, variable{q, "float64"})
	case "cb":
		g.line("%s := func(%s, %s int32) (int, float64) {", name, p, q)
		g.vars = append(g.vars, variable{p, "int32"}, variable{q, "int32"})
	case "cc":
		g.line("%s := func() {", name)
	}
	g.literals, g.inside, g.loops = nil, kind, g.loops+1
	g.block(4)
	g.depth++
	g.literalReturn()
	g.depth--
	g.line("}")
	g.vars, g.reads, g.inside, g.loops = g.vars[:vars:vars], g.reads[:reads:reads], inside, loops
	g.literals = append(literals[:len(literals):len(literals)], name)
	g.line("_ = %s", name)
}

func (g *generator) literalReturn() {
	switch g.inside {
	case "ca":
		g.line("return %s", g.expr("int", 2))
	case "cb":
		g.line("return %s, %s", g.expr("int", 1), g.expr("float64", 2))
	case "cc":
		g.line("return")
	}
}

// literalCall calls one.
func (g *generator) literalCall() {
	name := g.pick(g.literals...)
	switch name[:2] {
	case "ca":
		v := g.variableOf("int", true)
		if v == "" || g.r.IntN(3) == 0 {
			v = g.name()
			g.line("%s := %s(%s, %s)", v, name, g.expr("int", 2), g.expr("float64", 2))
			g.line("_ = %s", v)
			g.vars = append(g.vars, variable{v, "int"})
			return
		}
		g.line("%s = %s(%s, %s)", v, name, g.expr("int", 2), g.expr("float64", 2))
	case "cb":
		v, w := g.name(), g.name()
		g.line("%s, %s := %s(%s, %s)", v, w, name, g.expr("int32", 2), g.expr("int32", 2))
		g.line("_, _ = %s, %s", v, w)
		g.vars = append(g.vars, variable{v, "int"}, variable{w, "float64"})
	case "cc":
		g.line("%s()", name)
	}
}
