package golang

import "testing"

// TestEvaluationOrder: operands are read before or after calls as in a program that Go's compiler has made, in a cell's
// own statements and in functions.
func TestEvaluationOrder(t *testing.T) {
	const declared = `type T struct { s string; off int; b []int; m map[string]int; p *T; v any; kids []*T }
func (l *T) scan() int { l.off++; return l.off }
func (l *T) grow() int { l.b = append([]int{9}, l.b...); l.off++; return l.off }
func (l *T) add() (int, error) { l.kids = append([]*T{}, l.kids...); l.kids = append(l.kids, &T{}); l.b = append([]int{}, l.b...); return len(l.kids), nil }
func (l *T) renew() int { l.p = &T{off: 9}; l.m = map[string]int{}; return 2 }
func (l T) val(x int) int { return l.off*100 + x }
func (l *T) ran(args ...any) { l.v = fmt.Sprint(l.off, args) }
func pair(a, b int) int { return a*10 + b }
`
	const begin = "i, off := 1, 0\nnext := func() int { i++; return i }\nvar err error\n" +
		"k := &T{s: \"abcdefgh\", off: 1, b: []int{1, 2, 3, 4, 5, 6}, m: map[string]int{\"a\": 1}, p: &T{off: 50}, kids: []*T{{}, {}}}\n_, _, _, _ = next, err, off, k\n"
	// what go1.26 prints
	for _, c := range []struct{ code, want string }{
		{`k.s[i:next()]`, ``}, {`k.s[i-1 : next()]`, `ab`}, {`k.s[k.off:k.scan()]`, `b`}, {`k.s[k.off-1 : k.scan()]`, `ab`},
		{`k.b[k.off-1 : k.grow()]`, `[9 1]`}, {`cap(k.b[k.off-1 : k.off : k.grow()])`, `2`}, {`k.b[:k.off+4][k.grow()-1:]`, `[2 3 4 5]`},
		{`len(k.b[len(k.b)-6 : k.grow()])`, `2`},
		{`map[int]int{k.off: k.scan()}`, `map[2:2]`}, {`map[int]int{k.off: k.scan(), k.off + 10: k.scan()}`, `map[2:2 13:3]`},
		{`map[int][]int{k.off: {k.scan()}, k.off + 10: {k.off, k.scan()}}`, `map[2:[2] 13:[3 3]]`},
		{`map[string]int{fmt.Sprint(k.off): k.scan()}`, `map[1:2]`}, {`map[int]int{i: next()}`, `map[2:2]`},
		{`k.p.val(k.renew())`, `902`}, {`pair(k.off, k.scan())`, `22`}, {`[]int{4: k.off, 2: k.scan()}`, `[0 0 2 0 2]`},
		{`[]any{k.off, k.scan()}`, `[2 2]`}, {`len(k.b)*10 + k.grow()`, `62`}, {`k.b[0]*10 + k.grow()`, `92`},
	} {
		both(t, declared, begin, "x := any("+c.code+")", "fmt.Sprint(x)", c.want)
	}
	for _, c := range []struct{ code, x, want string }{
		{`k.b[0] = k.grow()`, `k.b`, `[2 1 2 3 4 5 6]`}, {`k.b[0] += k.grow()`, `k.b`, `[11 1 2 3 4 5 6]`},
		{`k.b[0], err = k.add()`, `k.b[0]`, `3`}, {`k.kids[0].v = k.grow()`, `k.kids[0].v`, `2`},
		{`k.kids[0].off, err = k.add()`, `k.kids[0].off`, `3`}, {`k.p.off += k.renew()`, `k.p.off`, `11`},
		{`k.p.v = k.renew()`, `k.p.v`, `2`}, {`k.m["a"] += k.renew()`, `k.m`, `map[a:2]`}, {`k.m["a"] = k.renew()`, `k.m`, `map[a:2]`},
		{`k.kids[0].kids = append(k.kids[0].kids, &T{off: k.renew()})`, `len(k.kids[0].kids)`, `1`},
		{`k.b[0] = pair(0, func() int { k.p.off = k.renew(); return k.grow() }())`, `k.b`, `[2 1 2 3 4 5 6]`},
		{`k.b[i] = next()`, `k.b`, `[1 2 2 4 5 6]`}, {`k.kids[0].v, off = next(), k.off`, `fmt.Sprint(k.kids[0].v, off)`, `2 1`},
		{`func() { defer k.ran(k.off, k.scan()) }()`, `k.v`, `2 [2 2]`},
		{"done := make(chan bool)\ngo func(a, b int) { k.v = pair(a, b); close(done) }(k.off, k.scan())\n<-done", `k.v`, `22`},
		{`if k.off == k.scan() { k.v = "late" } else if k.off-1 == k.scan() { k.v = "first" } else { k.v = k.off }`, `k.v`, `late`},
		{`for k.off+1 > k.scan() && k.off < 5 { k.v = k.off }`, `k.v`, `4`},
		{"switch k.off { case k.scan(): k.v = 1; default: k.v = 2 }", `k.v`, `2`},
		{`for range k.b[k.off:k.grow()] { off++ }`, `off`, `1`},
		{"c := make(chan int, 1)\nc <- k.off*10 + k.scan()\nk.v = <-c", `k.v`, `22`},
	} {
		both(t, declared, begin, c.code, "fmt.Sprint("+c.x+")", c.want)
	}
}

// both runs statements as those of a cell, and as those of a function.
func both(t *testing.T, declared, begin, code, x, want string) {
	t.Helper()
	for _, in := range []string{"a cell", "a function"} {
		e, _ := newEngine(t)
		runCell(t, e, 1, declared)
		body := begin + code + "\n" + x
		if in == "a function" {
			body = "func run() string {\n" + begin + code + "\nreturn " + x + "\n}\nrun()"
		}
		if got := value(t, e, body); got != want+" string" {
			t.Errorf("%s in %s: %s is %s, want %s", code, in, x, got, want)
		}
	}
}
