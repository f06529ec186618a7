package native

import "fmt"

// orderCell is the cell of random functions.
type orderCell struct {
	N    int
	Next *orderCell
	At   [2]int
}

// orderHelpers change what a random function reads beside their calls.
const orderHelpers = `
type cell struct {
	N    int
	Next *cell
	At   [2]int
}

func bump(is []int, i, n int) int { is[i&0x7fffffff%len(is)] += n; return n + is[0] }

func even(is []int, n int) bool { is[1] -= n; return is[1]&1 == 0 }

func next(c *cell, n int) *cell { c.N += n; c.At[n&1]++; if c.Next == nil { return c }; return c.Next }

func sum(c cell, n int) int { return c.N + c.At[0]*3 + n }

func steps(n int, is []int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			is[3]++
			if !yield(i + is[0]&3) {
				return
			}
		}
	}
}

func three(is []int, a, b, c int) (int, int) { is[2]++; return a - b, c + is[2] }
`

// ordered is an expression of type int whose operands are read before or after calls that change them.
func (g *generator) ordered(depth int) string {
	e := func() string { return g.expr("int", depth-1) }
	switch g.r.IntN(8) {
	case 0:
		return fmt.Sprintf("(is[%s] %s bump(is, %s, %s))", g.index("is"), g.pick("+", "-", "*", "/"), e(), e())
	case 1:
		return fmt.Sprintf("(bump(is, %s, %s) %s is[%s])", e(), e(), g.pick("+", "-", "^"), g.index("is"))
	case 2:
		return fmt.Sprintf("first(is[%s] + bump(is, 1, %s), fs[%s])", g.index("is"), e(), g.index("fs"))
	case 3:
		return fmt.Sprintf("[]int{is[0], bump(is, %s, 3), is[0], len(is[1:]) + len(text)}[%s&3]", e(), g.some("int", 1))
	case 4:
		return fmt.Sprintf("(link.N + next(link, %s).N*link.At[%s&1])", e(), g.some("int", 1))
	case 5:
		return fmt.Sprintf("sum(*link, next(link, %s).N - bump(is, 0, link.N))", e())
	case 6:
		return fmt.Sprintf("(sum(*next(link, 1), link.N) + len(text[:bump(is, %s, 1)&3]))", e())
	}
	return fmt.Sprintf("max(is[%s], bump(is, 2, %s), is[2])", g.index("is"), e())
}

// orderedStatement is one that may be split before it runs.
func (g *generator) orderedStatement() {
	e := func() string { return g.ordered(2) }
	switch g.r.IntN(12) {
	case 0:
		g.line("is[%s], total = %s, is[%s]+%s", g.index("is"), e(), g.index("is"), e())
	case 1:
		g.line("is[%s] %s= %s", g.index("is"), g.pick("", "+", "-", "^"), e())
	case 2:
		g.line("if is[%s] > %s && (even(is, %s) || is[0] < total) {", g.index("is"), e(), g.expr("int", 1))
		g.block(2)
		g.line("} else if k := is[0] + %s; even(is, k) != (is[1] > k) {", e())
		g.block(2)
		g.line("}")
	case 3:
		g.line("is[%s], link.N = three(is, is[2], %s, next(link, 2).N)", g.index("is"), e())
	case 4:
		if g.loops < 2 {
			g.loops++
			i := g.name()
			g.line("for %s := 0; %s < 4 && is[%s]+bump(is, %s, 1) != link.N; %s++ {", i, i, i, i, i)
			g.block(2)
			if g.r.IntN(2) == 0 {
				g.line("\tif even(is, %s) { %s }", i, g.pick("continue", "break"))
			}
			g.line("}")
			g.loops--
		}
	case 5:
		g.line("switch is[%s]&3 + %s&4 {", g.index("is"), e())
		g.line("case 0, 5:")
		g.block(2)
		g.line("default:")
		g.block(2)
		g.line("}")
	case 6:
		f := g.name()
		g.line("%s := func(n int) int { total += n; link.N--; return total }", f)
		g.line("total = total + %s(is[0]) - total*%s(%s) + %s", f, f, e(), e())
	case 7:
		v, w := g.name(), g.name()
		g.line("var %s, %s = is[%s] * 2, %s", v, w, g.index("is"), e())
		g.line("total += %s - %s", v, w)
	case 8:
		g.line("link = &cell{N: is[%s], Next: next(link, %s), At: [2]int{link.N, %s}}", g.index("is"), e(), e())
	case 9, 10:
		if g.loops < 2 {
			g.stepLoop()
		}
	case 11:
		g.line("total += link.N + %s", e())
		g.line("link.At[%s&1] -= %s", g.some("int", 1), e())
	}
}

// stepLoop is a loop over a function.
func (g *generator) stepLoop() {
	g.loops++
	i, n := g.name(), len(g.reads)
	g.line("for %s := range steps(%s&7, is) {", i, g.some("int", 1))
	g.line("\t_ = %s", i)
	g.reads = append(g.reads, variable{i, "int"})
	g.block(3)
	leave := g.pick("break", "continue", "is[1]--")
	if g.inside == "" && g.r.IntN(3) == 0 {
		leave = "return total, x"
	}
	g.line("\tif %s { %s }", g.expr("bool", 2), leave)
	g.line("}")
	g.reads = g.reads[:n]
	g.loops--
}
