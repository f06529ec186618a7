package gofuzz

import "fmt"

// labelName is a name for a label: it may be that of a variable, which it has nothing to do with.
func (g stmts) labelName() string {
	if vs := g.visible(); len(vs) > 0 && g.chance(3) {
		if n := vs[g.n(len(vs))].name; !g.function.labels[n] {
			g.useLabel(n)
			return n
		}
	}
	n := g.name("L")
	g.useLabel(n)
	return n
}

// useLabel notes a label of the function: it has each once.
func (g stmts) useLabel(name string) {
	if g.function.labels == nil {
		g.function.labels = map[string]bool{}
	}
	g.function.labels[name] = true
}

// gotoLoop is a loop made of a label and a jump back. The label is that of the first of any statements.
func (g stmts) gotoLoop() {
	g.nested("{", "}", func() {
		l, v := g.labelName(), g.name("v")
		g.line("%s := 0", v)
		g.line("%s:", l)
		g.declare(variable{name: v, t: g.int, fixed: true})
		for range 1 + g.n(2) {
			g.begin()
			g.statement()
		}
		g.line("if %s++; %s < %d {\ngoto %s\n}", v, v, 1+g.n(3), l)
		g.begin()
		g.finish()
	})
}

// gotoForward jumps over a block to a statement of any kind.
func (g stmts) gotoForward() {
	g.mode, g.risks = pure, 0
	open, c := "{", g.expr(g.bool, 2)
	leaves := g.chance(3)
	if leaves { // what comes after the block must be reached sometimes
		open = "if " + header(g.expr(g.bool, 1)) + " {"
	}
	l := g.labelName()
	g.nested(open, "}", func() {
		g.nested(fmt.Sprintf("if %s {", header(c)), "}", func() {
			if g.depth < maxDepth && g.chance(3) {
				g.statements(1)
			}
			g.line("goto %s", l)
		})
		g.nested("{", "}", func() { g.statements(1 + g.n(2)) })
		g.line("%s:", l)
		g.begin()
		switch {
		case leaves:
			g.returns()
		case g.chance(4): // the label is the last of its block
		default:
			g.statement()
			g.begin()
			g.finish()
		}
	})
}
