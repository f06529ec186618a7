package gofuzz

import "fmt"

// redeclare writes a short declaration of one new variable and one that the block has: a parameter or a result too.
func (g stmts) redeclare() {
	here := func(v variable) bool {
		return v.block == g.block && g.writable(v) && v.t.kind != function && v.t.kind != param
	}
	old, ok := g.find(func(v variable) bool { return here(v) && v.param })
	if !ok || g.chance(3) {
		old, ok = g.find(here)
	}
	if !ok {
		g.declaration()
		return
	}
	t := g.typeThat(func(t *typ) bool { return t.kind != function })
	names := [2]string{g.newName(), old.name}
	ts := [2]*typ{t, old.t}
	if old.t == g.bool && g.chance(2) {
		g.redeclareOk(names[0], old.name)
		return
	}
	if g.chance(3) {
		names[0], names[1], ts[0], ts[1] = names[1], names[0], ts[1], ts[0]
	}
	g.mode, g.risks = pure, 0
	right := g.expr(ts[0], 2) + ", " + g.expr(ts[1], 2)
	if !g.function.pure && g.n(3) > 0 {
		right = g.twoResults(ts[0], ts[1])
	}
	g.line("%s, %s := %s", names[0], names[1], right)
	new := names[0]
	if new == old.name {
		new = names[1]
	}
	g.declare(variable{name: new, t: t, shared: !g.function.pure && g.chance(2)})
}

// redeclareOk declares a variable beside a boolean one that the block has, by an operation that may fail.
func (g stmts) redeclareOk(name, ok string) {
	right, t := g.commaOk()
	g.line("%s, %s := %s", name, ok, right)
	g.declare(variable{name: name, t: t, shared: !g.function.pure && g.chance(2)})
}

// commaOk is an operand with a second value that tells whether there is one.
func (g stmts) commaOk() (string, *typ) {
	g.mode, g.risks = pure, 0
	t := g.typeThat(func(t *typ) bool { return t.kind != function && t.kind != param })
	switch g.n(3) {
	case 0:
		m := g.mapOf(g.typeThat(isKey), t)
		return header(g.value(m)) + "[" + g.key(m.key) + "]", t
	case 1:
		i := g.any
		t = one(g.generator, i.impls...)
		return fmt.Sprintf("%s.(%s)", g.value(i), t.name), t
	}
	if g.chance(2) {
		return fmt.Sprintf("<-filled(%s)", g.expr(t, 1)), t
	}
	return fmt.Sprintf("<-closed[%s]()", t.name), t
}

// twoResults is a call with two results of the given types.
func (g stmts) twoResults(t, u *typ) string {
	if f, with := g.callable(func(rs []*typ) bool { return len(rs) == 2 && rs[0] == t && rs[1] == u }, nil); f != nil &&
		len(f.tparams) == 0 {
		g.mode = calling
		return g.callOf(f, with, 2)
	}
	return "func(" + g.literalFunc(nil, []*typ{t, u}) + "()"
}

// newName is a name that the block has no variable of.
func (g stmts) newName() string {
	if n := g.local(); !g.inBlock(n) {
		return n
	}
	return g.name("v")
}

// tuple assigns the results of one operand, or two values, to two places, one of which may be blank. One place may not
// exist: what stands before it is assigned to then.
func (g stmts) tuple() {
	isPlace := func(p place) bool { return p.t.kind != param }
	g.mode, g.risks = pure, 0
	if ok, found := g.target(func(p place) bool { return p.t == g.bool }); found && g.chance(2) {
		right, t := g.commaOk()
		to := "_"
		if p, found := g.target(func(p place) bool { return p.t == t && p.text != ok.text }); found {
			to = p.text
		}
		g.line("%s, %s = %s", to, ok.text, right)
		return
	}
	if g.chance(2) {
		g.mode, g.risks = risky, 1
	}
	p, ok := g.target(isPlace)
	if !ok {
		g.declaration()
		return
	}
	q, ok := g.target(func(q place) bool { return isPlace(q) && q.text != p.text })
	g.mode, g.risks = pure, 0
	if !ok || g.chance(4) {
		q = place{text: "_", t: g.typeThat(func(t *typ) bool { return t.kind != function })}
	}
	// A call before the operands are evaluated might change their addresses.
	if p.addressable && q.text != "_" && g.chance(2) {
		p, q = q, p
	}
	right := g.expr(p.t, 2) + ", " + g.expr(q.t, 2)
	if q.text == "_" {
		right = g.expr(p.t, 2) + ", keep(" + g.expr(q.t, 2) + ")"
	}
	if !g.function.pure && isVariable(p.text) && isVariable(q.text) {
		right = g.twoResults(p.t, q.t)
	}
	g.line("%s, %s = %s", p.text, q.text, right)
}

// isVariable reports whether an operand is a whole variable, or blank.
func isVariable(text string) bool {
	for _, r := range text {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// variables declares two variables by one call.
func (g stmts) variables() {
	t, u := g.typeThat(isPlain), g.typeThat(isPlain)
	typ := ""
	if g.chance(3) {
		t, u, typ = g.any, g.any, " any"
	}
	v, w := g.newName(), g.name("v")
	g.line("var %s, %s%s = %s", v, w, typ, g.twoResults(t, u))
	g.declare(variable{name: v, t: t, shared: g.chance(2)})
	g.declare(variable{name: w, t: u, shared: g.chance(2)})
}

// constants declares constants of the block and shows them.
func (g stmts) constants() {
	a, b, c := g.name("c"), g.name("c"), g.name("c")
	t := one(g.generator, g.ints...)
	switch g.n(4) {
	case 0:
		g.line("const %s %s = %d\nshowf(%q, %s, %s)", a, t.name, g.n(128), "%v %T", a, a)
	case 1:
		g.line("const (\n%s = iota + %d\n%s\n_\n%s\n)\nshow(%s, %s, %s)", a, g.n(9), b, c, a, b, c)
	case 2:
		g.line("const (\n%s, %s = 1 << iota, %s(iota) * 3\n_, _\n%s, _\n)\nshowf(%q, %s, %s, %s)", a, b, t.name, c,
			"%v %v %v", a, b, c)
	default:
		g.line("const %s, %s = 'a' + %d, %q\nconst %s = len(%s) << 3 / 2.0\nshow(%s, %s, %s)", a, b, g.n(9),
			one(g.generator, "", "xyz", "é"), c, b, a, b, c)
	}
	if v := (variable{name: g.newName(), t: t}); g.chance(2) {
		g.line("const %s = %d\n%s := keep(%s(%s))", a+"x", g.n(100), v.name, t.name, a+"x")
		g.declare(v)
	}
}
