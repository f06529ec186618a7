package native

import "fmt"

// complex is a complex number with parts of a type.
func (g *generator) complex(part string, depth int) string {
	typ := map[string]string{"float32": "complex64", "float64": "complex128"}[part]
	sub := func() string { return g.complex(part, depth-1) }
	if depth > 0 {
		switch g.r.IntN(8) {
		case 0:
			return "-(" + sub() + ")"
		case 1:
			other := map[string]string{"float32": "float64", "float64": "float32"}[part]
			return fmt.Sprintf("%s(%s)", typ, g.complex(other, depth-1))
		case 2, 3, 4, 5:
			return fmt.Sprintf("(%s %s %s)", sub(), g.pick("+", "-", "*"), sub())
		case 6:
			return fmt.Sprintf("(%s %s complex(%s, %s))", sub(), g.other("/", "*"), g.some(part, 1), g.some(part, 0))
		}
	}
	if g.r.IntN(6) == 0 {
		return typ + g.pick("(2i)", "(1.5+0.25i)", "(-3)", "(0)")
	}
	return fmt.Sprintf("complex(%s, %s)", g.some(part, depth-1), g.some(part, 0))
}

// randomHelpers are functions that random functions call: many arguments of all kinds, recursion, several results.
const randomHelpers = `
type pt struct {
	X, Y float64
	N    int32
	Name string
	In   [3]int
}

func first(n int, x float64) int { return n }

func lesser(a, b int) int { if a < b { return a }; return b }

func at(n int, text string) int { return int(text[n]) - len(text) }

func scaled(x, y float64) float64 { if y > x { return x * y }; return x - y/2 }

func root(x float64) float64 { return math.Sqrt(x) }

func mix(a int, b int8, x float64, y float32, s string, xs []int, u uint16, p *pt) (int, string, float64) {
	p.N += int32(b)
	xs = append(xs, int(u))
	if len(s) > 5 {
		s = s[1:4]
	}
	return a + len(xs) + xs[len(xs)-1], s + p.Name, x + float64(y)*p.X
}

func deep(n int, s string, xs []int, p *pt) (int, string) {
	if n <= 0 {
		return len(s) + len(xs), s
	}
	own := []int{n, len(s)}
	xs = append(xs, n)
	q := &pt{X: p.X + 1, N: int32(n), Name: s}
	k, t := deep(n-1, s[:len(s)/2]+"a", xs, q)
	return k + len(xs)*own[0] + own[1] + int(q.N), t + p.Name[:len(p.Name)/2]
}
`

// valuesBegin declares variables of more than one word in a random function, and valuesEnd has its results depend on
// them.
func (g *generator) valuesBegin() {
	g.line("s, q, p, ps := text[:4], pt{X: x, N: b}, &pt{Y: 1.5, Name: \"p\"}, []pt{{N: 3}, {Name: text}}")
	g.line("arr, more, rows := [4]int{1, 2}, []int{}, [][]int{is, {1, 2}, nil}")
	g.line("names := []string{s, \"b\", text}")
	g.line("pair, words, one := [2]int{a, 3}, [2]string{s, \"b\"}, struct{ F float64; B bool }{x, a > 0}")
	g.reads = append(g.reads, variable{"q.X", "float64"}, variable{"p.Y", "float64"}, variable{"q.N", "int32"},
		variable{"p.N", "int32"}, variable{"ps[1].Y", "float64"}, variable{"arr[2]", "int"},
		variable{"q.In[1]", "int"}, variable{"len(s)", "int"}, variable{"len(more)", "int"})
}

func (g *generator) valuesEnd() {
	g.line("for _, k := range more { total += k }")
	g.line("for _, k := range ps { total += int(k.N) + len(k.Name) + k.In[0] }")
	g.line("for _, k := range names { total += len(k) }")
	g.line("total += arr[0] + arr[3] + q.In[2] + int(q.N) + len(s) + len(q.Name) + len(rows[0]) + len(rows[2])")
	g.line("if len(s) > 0 { total += int(s[len(s)-1]) }")
	g.line("total += pair[0] + len(words[0]) + len(words[1])")
	g.line("if one.B { x += one.F }")
	g.line("if p != nil { x += q.X + p.Y }")
}

// text makes an expression of a string.
func (g *generator) text() string {
	switch g.r.IntN(8) {
	case 0:
		return g.pick("s", "text", "q.Name", `""`, `"ab"`) + " + " + g.pick("s", "text", "p.Name", `"c"`)
	case 1:
		return fmt.Sprintf("text[%d:%d]", g.r.IntN(3), 3+g.r.IntN(4))
	case 2:
		return "s[len(s)/2:]"
	case 3:
		return fmt.Sprintf("text[%s:]", g.some("int", 1)+"&7")
	case 4:
		return "names[" + g.index("names") + "]"
	}
	return g.pick("s", "text", "q.Name", "p.Name", "ps[0].Name")
}

// point is a place of a struct.
func (g *generator) point() string { return g.pick("q", "*p", "ps["+g.index("ps")+"]") }

// value makes a statement about values of more than one word.
func (g *generator) value() {
	part := g.pick("q.", "p.", "ps["+g.index("ps")+"].", "(*p).")
	switch g.r.IntN(28) {
	case 25:
		k := g.name()
		g.line("for %s, r := range %s { total += %[1]s*3 + int(r) }", k, g.text())
		g.line("for range s { total++ }")
	case 26:
		g.line("{ raw := []byte(%s); if len(raw) > 0 { raw[0] += byte(a) }; s = string(raw) }", g.text())
		g.line("for i, r := range []rune(%s) { total += i * int(r) }", g.text())
	case 27:
		g.line("s += string(rune(%s)&0x3fff) + string([]rune{'é', rune(b&0xffff)})", g.expr("int", 1))
		g.line("if len(s) > 40 { s = s[%d:] }; for i := range s { total ^= i }", g.r.IntN(30))
	case 22:
		g.line("if pair %s %s { total++ }", g.pick("==", "!="), g.pick("([2]int{3, 0})", "([2]int{a, 3})", "([2]int{total})"))
		g.line("if %s %s %s { total += 2 }", g.point(), g.pick("==", "!="), g.point())
	case 23:
		g.line("if words %s ([2]string{%s, %s}) { words[%d] = %s }", g.pick("==", "!="), g.text(), g.text(), g.r.IntN(2), g.text())
		g.line("if len(words[0])+len(words[1]) > 60 { words[0], words[1] = \"\", s }")
		g.line("if arr == ([4]int{1, 2, arr[2]}) || q.In != p.In { pair[%d] = %s }", g.r.IntN(2), g.some("int", 0))
	case 24:
		g.line("if was := one; was.F == %s { one.F, one.B = %s, was != one }", g.expr("float64", 1), g.expr("float64", 1))
		g.line("if one == (struct{ F float64; B bool }{x, true}) { total-- }")
	case 0:
		g.line("s = %s", g.text())
		g.line("if len(s) > 40 { s = s[:%d] }", g.r.IntN(9))
	case 1:
		g.line("%sName = %s", part, g.text())
		g.line("if len(q.Name) > 40 || len(p.Name) > 40 { q.Name, p.Name = \"\", \"\" }")
	case 2:
		g.line("%s%s %s= %s", part, g.pick("X", "Y"), g.pick("", "+", "*"), g.expr("float64", 2))
	case 3:
		g.line("%sN %s= %s", part, g.pick("", "+", "-"), g.expr("int32", 2))
	case 4:
		x := g.expr("int", 2)
		if part != "q." { // the operand of the index may panic, too, and Go leaves open which of them comes first
			x = g.some("int", 0)
		}
		g.line("%sIn[%s] = %s", part, g.index("arr"), x)
	case 5:
		g.line("arr[%s] %s= %s", g.index("arr"), g.pick("", "+", "^"), g.expr("int", 2))
	case 6:
		g.line("%s = %s", g.point(), g.point())
	case 7:
		g.line("p = %s", g.pick("&ps[1]", "&ps[0]", "p", "&pt{X: x, Name: s}", "new(pt)"))
	case 8:
		g.line("more = append(more, %s)", g.pick(g.expr("int", 1), g.expr("int", 1)+", "+g.expr("int", 1), "is...", "more..."))
		g.line("if len(more) > 30 { more = more[:%d] }", g.r.IntN(3))
	case 9:
		g.line("rows[%s] = %s", g.index("rows"), g.pick("more", "is", "is[1:3]", "is[2:3:4]", "nil", "make([]int, 3)"))
	case 10:
		g.line("rows[%s][%d] = %s", g.pick("0", "1", g.index("rows")), g.r.IntN(2), g.expr("int", 1))
	case 11:
		g.line("total, s, x = mix(total, int8(b), x, float32(x), s, is[:2], uint16(a), p)")
	case 12:
		g.line("total, s = deep(b8, s, more, &q)")
	case 13:
		g.line("if %s %s %s { total++ }", g.text(), g.pick("<", "==", "!=", ">="), g.text())
	case 14:
		g.line("names[%s] = %s", g.index("names"), g.text())
		g.line("if len(names[0])+len(names[1])+len(names[2]) > 90 { names[0], names[1], names[2] = \"x\", s, \"\" }")
	case 15:
		g.line("total += copy(%s, %s)", g.pick("is[2:]", "more", "is", "rows[1]"), g.pick("is", "more", "is[1:]"))
	case 16:
		g.line("switch s {\ncase \"some\": total++\ncase \"ab\", \"c\": total += 2\ndefault: s = \"some\"\n}")
	case 17:
		g.line("ps[0], ps[1] = ps[1], ps[0]")
	case 18:
		g.line("rows[1], more = more, rows[1]")
	case 19:
		g.line("if %s { p = nil }", g.expr("bool", 3))
	case 20:
		g.line("{ t := pt{Name: %s, X: %s}; t.In[1]++; ps = append(ps, t, q); ps = ps[len(ps)-2:] }", g.text(),
			g.expr("float64", 1))
	case 21:
		g.line("total += min(a, %s) - max(total, %s)", g.expr("int", 1), g.expr("int", 1))
	}
}

// shortCall calls a short function, whose code is in the place of the call.
func (g *generator) shortCall() {
	v := g.name()
	switch g.r.IntN(4) {
	case 0:
		g.line("%s := lesser(%s, %s)", v, g.some("int", 2), g.expr("int", 2))
		g.vars = append(g.vars, variable{v, "int"})
	case 1:
		g.line("%s := at(%s%s, text)", v, g.some("int", 1), g.pick("&7", "&7", "&7", ""))
		g.vars = append(g.vars, variable{v, "int"})
	default:
		g.line("%s := scaled(%s, %s)", v, g.expr("float64", 2), g.some("float64", 2))
		g.vars = append(g.vars, variable{v, "float64"})
	}
	g.line("_ = %s", v)
}
