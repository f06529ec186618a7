package native

// givenHelpers are short functions that are given literals, or have one as their result: they are in the place of calls.
const givenHelpers = `
func upTo(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func pairs(xs []int) func(yield func(int, int) bool) {
	return func(yield func(int, int) bool) {
		for i, x := range xs {
			if !yield(i, x) {
				break
			}
		}
	}
}

func rude(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			yield(i * 3)
		}
	}
}

func some(seq func(func(int) bool), take func(int) bool) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for v := range seq {
			if take(v) && !yield(v+1) {
				return
			}
		}
	}
}

func chain(a, b func(func(int) bool)) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		more := true
		a(func(v int) bool { more = yield(v); return more })
		if more {
			b(yield)
		}
	}
}

func each(xs []int, f func(int)) int {
	for _, x := range xs {
		f(x)
	}
	return len(xs)
}

func fold(xs []int, s int, f func(int, int) int) int {
	for _, x := range xs {
		s = f(s, x)
	}
	return s
}

func mapped(xs []int, f func(int) int) []int {
	var list []int
	for _, x := range xs {
		list = append(list, f(x))
	}
	return list
}

func twice(f func(int) int, n int) (int, bool) {
	if f == nil {
		return n, false
	}
	n = f(f(n))
	return n, n > 0
}

func keeping(f func(int), n int) int {
	kept := []func(int){f, func(x int) { f(x + 1) }}
	for _, f := range kept {
		f(n)
	}
	return n
}
`

// sequence is a loop's function.
func (g *generator) sequence(depth int) string {
	n := g.pick("3", "5", "b8", "len(is)", "(a&3)")
	switch k := g.r.IntN(6 - 2*min(depth, 1)); k {
	case 0, 1, 2:
		return "upTo(" + n + ")"
	case 3:
		return g.pick("upTo("+n+")", "rude("+n+")")
	case 4:
		v := g.name()
		return "some(" + g.sequence(depth+1) + ", func(" + v + " int) bool { total += " + v + "; return " + v + "&1 == total&1 })"
	}
	return "chain(" + g.sequence(depth+1) + ", " + g.sequence(depth+1) + ")"
}

// givenStatement gives a literal to a function that is in the place of its calls.
func (g *generator) givenStatement() bool {
	if g.loops > 1 || g.depth > 4 {
		return false
	}
	i, v := g.name(), g.name()
	n, declares := len(g.reads), true
	g.loops++
	switch g.r.IntN(6) {
	case 0, 1, 2:
		declares = false
		if g.r.IntN(3) == 0 {
			g.line("for %s, x%s := range pairs(is) {", i, i)
			g.line("\ttotal += x%s ^ %s", i, i)
		} else {
			g.line("for %s := range %s {", i, g.sequence(0))
		}
		g.reads = append(g.reads, variable{i, "int"})
		g.line("\ttotal += %s", i)
		g.block(4)
		switch k := g.r.IntN(5); {
		case k < 2:
			g.line("\tif %s { %s }", g.expr("bool", 2), g.pick("break", "continue"))
		case k == 2 && g.inside == "":
			g.line("\tif %s { return total + %s, x }", g.expr("bool", 2), i)
		}
		g.line("}")
	case 3:
		g.line("%s := each(is, func(%s int) {", v, i)
		g.givenBody(i, "")
		g.line("})")
	case 4:
		g.line("%s := fold(mapped(is, func(%s int) int {", v, i)
		g.givenBody(i, "return "+i+"*3 + b8")
		g.line("}), total, func(s%s, %s int) int { s%s -= %s; return s%s ^ a })", i, i, i, i, i)
	case 5:
		g.line("%s, o%s := twice(func(%s int) int {", v, v, i)
		g.givenBody(i, "return "+i+" + total")
		g.line("}, %s)", g.expr("int", 1))
		g.line("if o%s { total += keeping(func(%s int) { total ^= %s; %s++ }, %s) }", v, i, i, v, v)
	}
	g.loops--
	if g.reads = g.reads[:n]; !declares {
		return true
	}
	g.line("_ = %s", v)
	g.vars = append(g.vars, variable{v, "int"})
	return true
}

// givenBody is what a literal does with a parameter.
func (g *generator) givenBody(i, end string) {
	n, inside, literals := len(g.reads), g.inside, g.literals
	g.reads = append(g.reads, variable{i, "int"})
	g.inside, g.literals = "cg", nil
	g.line("\t_ = %s", i)
	g.block(3)
	g.line("\t%s", end)
	g.reads, g.inside, g.literals = g.reads[:n], inside, literals
}
