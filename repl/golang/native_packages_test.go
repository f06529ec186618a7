package golang

import (
	"context"
	"strings"
	"testing"

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
	sameBothWays(t, "build cut numbers random runes search",
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
