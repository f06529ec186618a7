package gofuzz

import "strings"

// openBlock begins the scope of a block, which closeBlock ends.
func (g stmts) openBlock() {
	g.blocks++
	g.block = g.blocks
}

// nested writes a block of statements between braces, after what opens it.
func (g stmts) nested(open string, close string, inside func()) {
	saved := g.scope
	g.vars = saved.vars[:len(saved.vars):len(saved.vars)]
	g.openBlock()
	g.depth++
	g.line("%s", open)
	inside()
	g.line("%s", close)
	g.scope = saved
}

// statements writes the rest of the block: n statements, and a use of each of its variables.
func (g stmts) statements(n int) {
	for range n {
		g.begin()
		g.statement()
	}
	g.begin()
	g.finish()
}

// finish uses the variables of the block, and returns where a function ends with it.
func (g stmts) finish() {
	for _, v := range g.vars {
		if v.block != g.block {
			continue
		}
		if v.t.plain && !g.function.pure && g.chance(3) {
			g.line("show(%q, %s)", v.name, v.name)
		} else if !v.param {
			g.line("_ = %s", v.name)
		}
	}
	if g.block == g.function.block && len(g.function.results) > 0 {
		g.returns()
	}
}

// returns leaves the function.
func (g stmts) returns() {
	if len(g.function.named) > 0 && g.n(3) > 0 && g.unhidden(g.function.named) {
		g.line("return")
		return
	}
	depth := 2
	if g.depth > maxDepth {
		depth = 0
	}
	if r := g.function.results; len(r) == 2 && !g.function.pure && depth > 0 && g.chance(3) {
		g.line("return %s", g.twoResults(r[0], r[1]))
		return
	}
	var s []string
	for _, t := range g.function.results {
		s = append(s, g.expr(t, depth))
	}
	g.line("%s", strings.TrimSpace("return "+strings.Join(s, ", ")))
}

// unhidden reports whether the results of the function have their names here.
func (g stmts) unhidden(names []string) bool {
	for _, v := range g.visible() {
		for _, n := range names {
			if v.name == n && v.block != g.function.block {
				return false
			}
		}
	}
	return true
}

// header is an operand before the block of an if, for or switch.
func header(s string) string {
	if strings.Contains(s, "{") {
		return "(" + s + ")"
	}
	return s
}
