package native

// methodHelpers have methods that random functions use as values.
const methodHelpers = `
type ac struct {
	N int
	X float64
	S string
}

func (c ac) calc(n int, x float64) int { return (c.N ^ n) + len(c.S) }

func (c *ac) bump(n int, x float64) int { c.N += n; c.X += x; c.S = c.S + "b"; return c.N + len(c.S) }

func (c ac) pair(a, b int32) (int, float64) { return c.N + int(a), c.X * float64(b) }

func (c *ac) tick() { c.N++ }
`

// methodStatement makes function values of methods, and of method expressions.
func (g *generator) methodStatement() bool {
	if !g.values || g.loops > 1 || g.inside != "" {
		return false
	}
	m, v := g.name(), g.name()
	g.line("%s := ac{%s, %s, %s}", m, g.expr("int", 1), g.expr("float64", 1), g.text())
	x := m
	if g.r.IntN(2) == 0 {
		x = "p" + m
		g.line("%s := &%s; _ = %s", x, m, x)
		if g.r.IntN(4) == 0 {
			g.line("if %s { %s = nil }", g.expr("bool", 2), x)
		}
	}
	name := ""
	switch g.r.IntN(6) {
	case 0:
		name = "ca" + v
		g.line("%s := %s.%s", name, x, g.pick("calc", "bump"))
	case 1:
		name = "cb" + v
		g.line("%s := %s.pair", name, x)
	case 2:
		name = "cc" + v
		g.line("%s := %s.tick", name, x)
	case 3:
		name = "ca" + v
		g.line("f%s, h%s := ac.calc, (*ac).bump", v, v)
		g.line("%s := func(n int, x float64) int { return f%s(%s, n, x) + h%s(&%s, n, x) }", name, v, m, v, m)
	case 4:
		g.line("%s := ac.calc(%s, %s, x) + (*ac).bump(&%s, %s, %s)", v, m, g.expr("int", 1), m, g.expr("int", 1), g.expr("float64", 1))
		g.line("_ = %s", v)
	case 5:
		g.line("a%s, %s := ac.pair(%s, b, %s)", v, v, m, g.expr("int32", 1))
		g.line("_, _ = a%s, %s", v, v)
		g.vars = append(g.vars, variable{v, "float64"})
	}
	g.line("%s.N += %s", m, g.expr("int", 1))
	if name != "" {
		g.line("_ = %s", name)
		g.literals = append(g.literals[:len(g.literals):len(g.literals)], name)
	}
	g.vars = append(g.vars, variable{m + ".N", "int"})
	g.reads = append(g.reads, variable{m + ".X", "float64"}, variable{"len(" + m + ".S)", "int"})
	return true
}
