package golang

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// sameBothWays runs cells with machine code and interpreted: they show the same, and are compiled in the end as far as
// named.
func sameBothWays(t *testing.T, compiled string, cells ...string) {
	t.Helper()
	var want []string
	for _, way := range []string{"0", "always"} {
		t.Setenv("GOROCM_NATIVE", way)
		e, out := newEngine(t)
		for i, c := range cells {
			out.Reset()
			got := shown(e.Eval(context.Background(), i+1, c)) + "\n" + out.String()
			if way == "0" {
				want = append(want, got)
			} else if got != want[i] {
				t.Errorf("%s\nas machine code: %s\ninterpreted:     %s", c, got, want[i])
			}
		}
		if way == "0" || native.Disabled() != "" {
			continue
		}
		var names []string
		for _, n := range e.Natives() {
			if n.Why == "" {
				names = append(names, n.Name)
			}
		}
		if got := strings.Join(names, " "); got != compiled {
			t.Errorf("compiled are %q, not %q: %v", got, compiled, e.Natives())
		}
	}
}

// TestNativePackages: machine code calls compiled functions and methods, and makes interfaces.
func TestNativePackages(t *testing.T) {
	sameBothWays(t, "boom deep late list open parse pt.String pts rep show split sum twice",
		`func show(n int) { for i := range n { fmt.Println("i", i, float64(i)/2, nil, []int{i}) } }`,
		"show(3)",
		"type pt struct{ X, Y int }\nfunc (p pt) String() string { return fmt.Sprintf(\"<%d %d>\", p.X, p.Y) }",
		"func parse(s string) (int, error) {\n\tn, err := strconv.Atoi(s)\n\tif err != nil {\n\t\treturn 0, fmt.Errorf(\"bad %q: %w\", s, err)\n\t}\n\treturn n * 2, nil\n}",
		`n, err := parse("12"); n, err`,
		`n, err = parse("x"); n, err.Error()`,
		`func pts(n int) string { var b strings.Builder; for i := range n { b.WriteString(fmt.Sprint(pt{i, i * i}, &pt{1, i})); b.WriteByte(' ') }; return b.String() }`,
		"pts(3)",
		"func (p pt) String() string { return \"new\" }",
		"pts(2)",
		"func boom(e error) { if e != nil { panic(e) } }",
		"boom(nil)", `boom(errors.New("bang"))`, "boom(nil)",
		"func rep(n int) string { return strings.Repeat(\"a\", n) }",
		"rep(-1)", "rep(3)",
		"func list(xs []string) any { if len(xs) == 0 { return nil }; var v any = xs[0]; if v == nil { return 1 }; return xs }",
		"list(nil), list([]string{\"a\", \"b\"})",
		"func split(s string) (parts []string) { for _, f := range strings.Fields(s) { parts = append(parts, strings.ToUpper(f)+strings.TrimLeft(f, \"a\")) }; sort.Strings(parts); return parts }",
		`split("b  ab c")`,
		"func sum(d time.Duration, at time.Time) (float64, time.Time) { return d.Seconds() + float64(at.Unix()), at.Add(d).UTC() }",
		"sum(1500*time.Millisecond, time.Unix(1e9, 0).UTC())",
		"func deep(n int) error { if n == 0 { return errors.New(\"end\") }; if err := deep(n - 1); err != nil { return fmt.Errorf(\"%d: %w\", n, err) }; return nil }",
		"deep(5).Error()",
		"func open(m map[string]int, e fmt.Stringer, c chan int) (map[string]int, fmt.Stringer, chan int, bool) { return m, e, c, m == nil || c == nil }",
		"m, s, c, nothing := open(map[string]int{\"a\": 1}, pt{}, nil); m, s, c == nil, nothing",
		"func twice(e error) (any, error) { return e, e }",
		"a, b := twice(err); a == b, a.(error) == err",
		"type other struct{ Name string; Err error; Any any }\nvar o = other{\"x\", err, pt{1, 2}}",
		"func late(o *other) string { o.Any = o.Err; o.Err = nil; return fmt.Sprint(o.Name, o.Any, o.Err, *o) }",
		"late(&o)",
	)
}

// TestNativeLiterals: function literals that are only called are compiled, and traces name them.
func TestNativeLiterals(t *testing.T) {
	sameBothWays(t, "a b c",
		"func a(xs []int) (n int) {\n\tat := func(i int) int {\n\t\treturn xs[i]\n\t}\n\tfor i := range 3 {\n\t\tn += at(i)\n\t}\n\treturn\n}",
		"a([]int{1, 2, 3})", "a([]int{1, 2})",
		"func b(xs []int) (n int) {\n\tfunc() {\n\t\tfor i := range 3 {\n\t\t\tfunc(k int) {\n\t\t\t\tn += xs[k]\n\t\t\t}(i)\n\t\t}\n\t}()\n\treturn\n}",
		"b([]int{1, 2, 3})", "b([]int{1, 2})",
		"for i := range 4 {\n\tfunc() {\n\t\tb([]int{1, 2, 3}[:4-i])\n\t}()\n}",
		"func c(n int) string {\n\ts := \"\"\n\tadd := func(x string) { s += x }\n\tfor range n { add(\"a\"); add(fmt.Sprint(len(s))) }\n\treturn s\n}",
		"c(4)",
	)
}

// TestNativeQuick: compiled functions that are called without more ado give what they give, for short and long texts.
func TestNativeQuick(t *testing.T) {
	sameBothWays(t, "build cut numbers random runes search src.Uint64",
		`import ("math/rand/v2"; old "math/rand"; "unicode"; "unicode/utf8")`,
		"func search(s, x string) []int { return []int{strings.Index(s, x), strings.LastIndex(s, x), strings.IndexByte(s, 'b'), strings.IndexRune(s, 'é'), strings.Count(s, x), strings.Compare(s, x)} }",
		`search("abcab", "ab"), search("aé", "z"), search("", ""), search(strings.Repeat("ab", 5000)+"c", "bc")`,
		"func cut(s, x string) string { a, b, ok := strings.Cut(s, x); c, had := strings.CutPrefix(s, x); return fmt.Sprint(a, b, ok, c, had, strings.HasSuffix(s, x), strings.Contains(s, x), strings.TrimSpace(s), strings.Trim(s, x), strings.ToUpper(s), strings.EqualFold(s, x)) }",
		`cut(" ab=c ", "="), cut("=", "="), cut("ABC", "abc"), len(cut(strings.Repeat("x ", 3000), " "))`,
		"func runes(s string) (n int) { for s != \"\" { r, size := utf8.DecodeRuneInString(s); if unicode.IsUpper(r) || unicode.IsDigit(r) { n += int(unicode.ToLower(r)) }; n += utf8.RuneLen(r) + utf8.RuneCountInString(s); s = s[size:] }; return n }",
		`runes("aBc É7\xff世界")`,
		"func numbers(n int) (s string) { for i := range n { s += strconv.Itoa(i*i-5) + strconv.FormatBool(i%2 == 0) }; return s }",
		"numbers(12)",
		"func build(n int, text string) (string, int) { var b, c strings.Builder; b.Grow(20); for i := range n { b.WriteString(text); b.WriteByte(byte('a' + i%26)); m, err := b.WriteRune('é' + rune(i)); if err != nil || m < 2 { panic(m) }; k, _ := c.WriteString(text); if k != len(text) { panic(k) } }; return b.String() + c.String(), b.Len() }",
		`build(20, "xy")`, `s, n := build(3, strings.Repeat("long", 2000)); len(s), n`, `build(0, "")`,
		"func random(n int, r *rand.Rand, o *old.Rand) (x float64) { for range n { x += r.Float64() + r.NormFloat64() + float64(r.IntN(9)) + float64(r.Float32()) + float64(r.Uint64()%7) + o.Float64() + float64(o.Intn(5)) + float64(o.Int()%3) + float64(rand.IntN(1)); if v := rand.Float64(); v < 0 || v >= 1 { panic(v) } }; return x }",
		"random(50, rand.New(rand.NewPCG(1, 2)), old.New(old.NewSource(3)))",
		"random(50, rand.New(rand.NewChaCha8([32]byte{1})), old.New(old.NewSource(3)))",
		"type src struct{}\nfunc (src) Uint64() uint64 { return 1 << 60 }",
		"random(3, rand.New(src{}), old.New(old.NewSource(3)))",
		"random(3, nil, nil)",
	)
	sameBothWays(t, "f", "import \"math/rand/v2\"\nfunc f(r *rand.Rand, n int) int { return r.IntN(n) + 1 }", "f(rand.New(rand.NewPCG(1, 2)), 0)",
		"f(rand.New(rand.NewPCG(1, 2)), 5)")
	sameBothWays(t, "f", "func f(b *strings.Builder) int { b.WriteString(\"x\"); return b.Len() }", "f(nil)",
		"var a strings.Builder\na.WriteString(\"y\")\nb := a\nf(&b)", "f(&a)")
}

// TestNativeAssertions: type assertions, type switches and comparisons of interfaces.
func TestNativeAssertions(t *testing.T) {
	sameBothWays(t, "convert fails kind myErr.Error myErr.String number pt.String same text unwrap",
		"type pt struct{ X, Y int }\nfunc (p pt) String() string { return fmt.Sprint(p.X) }\ntype myErr struct{ n int }\nfunc (e *myErr) Error() string { return fmt.Sprint(\"e\", e.n) }",
		"func kind(v any) string { switch x := v.(type) { case nil: return \"nil\"; case int, int8: return fmt.Sprint(\"int\", x); case string: return x + \"!\"; case []int: return fmt.Sprint(len(x)); case pt: return fmt.Sprint(x.X + x.Y); case *pt: return fmt.Sprint(x.Y); case error: return x.Error(); case fmt.Stringer: return \"S\" + x.String() }; return \"other\" }",
		`for _, v := range []any{nil, 1, int8(2), "s", []int{1, 2}, pt{1, 2}, &pt{3, 4}, errors.New("x"), &myErr{5}, time.Second, 2.5, struct{}{}} { fmt.Println(kind(v)) }`,
		"func text(v any) string { return v.(string) }", `text("a")`, "text(1)", "text(nil)", "text(pt{})",
		"func number(v any) (int, bool) { n, ok := v.(int); return n, ok }", "number(7)", `number("x")`, "number(nil)",
		"func convert(e error) fmt.Stringer { return e.(fmt.Stringer) }", "convert(&myErr{1})",
		"func (e *myErr) String() string { return \"new\" }", "convert(&myErr{1})",
		"func unwrap(e error) int { if m, ok := e.(*myErr); ok { return m.n }; return -1 }", "unwrap(&myErr{9})", "unwrap(errors.New(\"q\"))", "unwrap(nil)",
		"func same(a, b any) (bool, bool) { return a == b, a != b }", "same(1, 1)", "same(1, int8(1))", "same(nil, nil)", "same(pt{1, 2}, pt{1, 2})",
		"same([]int{1}, []int{1})", "same(map[string]int{}, 1)",
		"func fails(v any) int { for i := range 3 { if i == 2 { return v.([]int)[i] } }; return 0 }", "fails([]int{1, 2, 3})", "fails(3)", "fails([]int{1})",
	)
}

// TestNativeDispatch: methods of interfaces are called by what a place of the code remembers, and by Go code.
func TestNativeDispatch(t *testing.T) {
	sameBothWays(t, "box.area chain.depth circle.area depths each square.area square.double total tree.area",
		"type shape interface{ area() int }\ntype square struct{ side int }\ntype box struct{ w, h int; name string }\ntype circle struct{ r float64 }",
		"func (s square) area() int { return s.side * s.side }\nfunc (b *box) area() int { return b.w * b.h + len(b.name) }\nfunc (c circle) area() int { return int(c.r * 3) }",
		"func total(list []shape, n int) (sum int) { for i := range n { sum = sum*3 + list[i%len(list)].area() }; return sum }",
		"total([]shape{square{3}}, 40)",
		"list := []shape{square{3}, &box{2, 5, \"abc\"}, circle{1.5}, &square{4}}",
		"total(list, 50)",
		"func (s square) area() int { return -s.side }", "total(list, 50)", // the newest version
		"func (s square) area() int { _ =  []struct{}{}; return s.side + 1 }", "total(list, 50)", // interpreted
		"func (s square) area() int { return s.side + 2 }", "total(list, 50)",
		"func (s square) double() square { return square{2 * s.side} }", "total(list, 50)", // a new run-time type
		"list[0] = square{7}\ntotal(list, 50)",
		"type tree struct{ l, r shape; n int }\nfunc (t tree) area() int { if t.n == 3 { panic(fmt.Sprint(\"three\", t.n)) }; return t.l.area() + t.r.area() }",
		"total([]shape{tree{square{1}, circle{2}, 1}, tree{tree{circle{1}, &box{1, 2, \"\"}, 2}, square{5}, 4}}, 9)",
		"total([]shape{square{1}, tree{nil, nil, 3}}, 9)",
		"total([]shape{square{1}, tree{nil, nil, 4}}, 9)",
		"total([]shape{square{1}, nil}, 9)",
		"total([]shape{(*box)(nil)}, 9)", "total([]shape{(*square)(nil)}, 2)",
		"type deep interface{ depth(n int, x float64, s string) (int, float64, string) }\ntype chain struct{ next deep }",
		"func (c *chain) depth(n int, x float64, s string) (int, float64, string) { if c.next == nil || n > 900 { return n, x, s }; return c.next.depth(n+1, x/2, s+\"a\") }",
		"func depths(d deep) int { s := 0; for i := range 5 { n, x, t := d.depth(i, 8, \"\"); s += n + int(x) + len(t) }; return s }",
		"c := &chain{&chain{&chain{}}}\ndepths(c)", "c.next = c\ndepths(c)",
		"type many interface{ sum(a, b, c, d, e, f, g, h, i, j int) int }\ntype ten struct{}\ntype one struct{ k int }\nfunc (o *one) sum(a, b, c, d, e, f, g, h, i, j int) int { return o.k + a - b + c - d + e - f + g - h + i - j }",
		"func sums(m many) (s int) { for i := range 9 { s += m.sum(i, 2, 3, 4, 5, 6, 7, 8, 9, 10) }; return s }", "sums(&one{3})",
		"func each(list []fmt.Stringer) string { s := \"\"; for range 3 { for _, x := range list { s += x.String() } }; return s }",
		"each([]fmt.Stringer{time.Second, time.March, time.Unix(0, 0).UTC()})",
		"var wg sync.WaitGroup\nsums := make([]int, 8)\nfor i := range sums { wg.Go(func() { sums[i] = total(list, 2000) }) }\nwg.Wait()\nsums",
	)
}

// TestNativeMaps: maps of usual and of unusual keys and elements.
func TestNativeMaps(t *testing.T) {
	sameBothWays(t, "changes count floats free graph keys nils put structs texts",
		"func count(text string) map[string]int { m := map[string]int{}; for _, w := range strings.Fields(text) { m[w]++; m[\"all\"] += len(w) }; delete(m, \"b\"); delete(m, \"none\"); return m }",
		`m := count("a b a c b a"); m, len(m), count("")`,
		"func put(m map[int]string, k int) (string, bool, int) { m[k] = fmt.Sprint(k); s, ok := m[k/2]; return s + m[-1], ok, len(m) }",
		"put(map[int]string{1: \"one\"}, 3)", "put(map[int]string{}, 3)", "put(nil, 3)",
		"func keys(m map[string]int) (list []string, sum int) { for k, v := range m { list = append(list, k); sum += v }; for k := range m { sum += len(k) }; for _, v := range m { sum *= 1; sum += v }; for range m { sum++ }; sort.Strings(list); return }",
		`keys(m)`, "keys(nil)",
		"type pt struct{ X, Y int }\ntype node struct{ next []string; seen bool }",
		"func structs(n int) map[pt]float64 { m := make(map[pt]float64, 10); for i := range n { m[pt{i % 3, i}] += float64(i) / 2 }; if v, ok := m[pt{0, 0}]; ok { m[pt{-1, -1}] = v + 1 }; return m }",
		"structs(7)",
		"func floats(n int) map[float64]int32 { m := map[float64]int32{}; for i := range n { m[float64(i)/3] -= int32(i); m[0/float64(n-n-0)] = 1 }; return m }",
		"len(floats(5))",
		"func free(m map[any]int, k any) int { m[k]++; return m[k] + m[1] }", "free(map[any]int{1: 5}, \"x\")", "free(map[any]int{}, []int{})", "free(nil, 1)",
		"func graph(g map[string][]string, from string) (order []string) { seen := map[string]bool{}; todo := []string{from}; for len(todo) > 0 { x := todo[0]; todo = todo[1:]; if seen[x] { continue }; seen[x] = true; order = append(order, x); todo = append(todo, g[x]...) }; return }",
		"graph(map[string][]string{\"a\": {\"b\", \"c\"}, \"b\": {\"d\", \"a\"}, \"c\": {\"d\"}}, \"a\")",
		"func nils(m map[string]*node, k string) (bool, bool) { if m[k] == nil { m[k] = &node{seen: true} }; return m[k].seen, m == nil }", "nils(map[string]*node{}, \"q\")", "nils(nil, \"q\")",
		"func changes(n int) (int, int) { m := map[int]int{}; for i := range n { m[i] = i }; c := 0; for k := range m { if k%2 == 0 { delete(m, k+1) }; c++; m[k] = -k }; return len(m), min(c, 0) }", "a, b := changes(50); a >= 25, b",
		"func texts(m map[rune]int16, s string) int { for _, r := range s { m[r] += int16(r) }; n := 0; for r, k := range m { n += int(r) * int(k) }; return n }", `texts(map[rune]int16{}, "héllo wörld")`,
		"big := strings.Repeat(\"k\", 5000)\ncount(big + \" \" + big)[big]",
	)
}

// TestNativeMapConflicts: goroutines that use a map at the same time end the cell, as interpreted ones do.
func TestNativeMapConflicts(t *testing.T) {
	thorough.Slow(t)
	if thorough.Race {
		t.Skip("it has a race")
	}
	t.Setenv("GOROCM_NATIVE", "1")
	e, _ := newEngine(t)
	e.Eval(context.Background(), 1, "stop := make([]bool, 1)\n"+
		"func fill(m map[int]int, n int, stop []bool) { for i := range n { if stop[0] { return }; m[i%100] = i; m[i] += m[i/2] } }")
	out := e.Eval(context.Background(), 2, "m := map[int]int{}\nvar wg sync.WaitGroup\nfor range 4 { wg.Go(func() { fill(m, 3000000, stop) }) }\nwg.Wait()")
	if out.Failure == nil || !strings.Contains(out.Failure.Message, "concurrent map") {
		t.Errorf("%v", out.Failure)
	}
	for i := range 4 { // others of the goroutines may fail, too, and later
		if got := shown(e.Eval(context.Background(), 3+i, "n := map[int]int{}; fill(n, 1000, stop); len(n)")); got == "1000" {
			// Those that go on would take processors and memory from the tests after this one.
			e.Eval(context.Background(), 9, "stop[0] = true")
			return
		}
	}
	t.Error("the session is of no more use")
}
