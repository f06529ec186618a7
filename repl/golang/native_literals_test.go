package golang

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// literalsBothWays is bothWays for loops and literals: a letter each, m for machine code and i for interpreted.
func literalsBothWays(t *testing.T, steps []step) {
	t.Helper()
	eachWay(t, steps, func(e *Engine) (told string) {
		for _, n := range e.NativeLoops() {
			if n.Why == "" {
				told += "m"
			} else {
				told += "i"
			}
		}
		return told
	})
}

// TestNativeCellLiterals: function literals among the statements of a cell are machine code, and nothing else tells the
// difference.
func TestNativeCellLiterals(t *testing.T) {
	literalsBothWays(t, []step{
		{"xs := []int{3, 1, 2}\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })\nxs", "[1 2 3]", "m"},
		{"slices.SortFunc(xs, func(a, b int) int { return cmp.Compare(b, a) })\nxs", "[3 2 1]", "m"},
		{"k := rune(1)\nstrings.Map(func(r rune) rune { k++; return r + k - k/2*2 }, \"HAL\")", "HBL", "m"},
		{"k", "4", "m"},
		{"func apply(f func(int) int, n int) int { return f(n) + 1 }\napply(func(x int) int { return x * int(k) }, 5)", "21", "m"},
		{"var f = func(x int) int { return x + int(k) }\nf(1)", "5", "m"},
		{"k = 10\nf(1)", "11", "m"},
		{"k := rune(20)\nf(1)", "21", "m"},
		{"k := \"text\"\nf(1)", "21", "m"},
		{"var fact func(int) int\nfact = func(n int) int { if n < 2 { return 1 }; return n * fact(n-1) }\nfact(10)", "3628800", "m"},
		{"old := fact\nfact = func(n int) int { return -n }\nold(3)", "-6", "m"},
		{"done := make(chan bool)\nsum := 0\ngo func() { for i := range 10 { sum += i }; done <- true }()\n<-done\nsum", "45", "m"},
		{"var wg sync.WaitGroup\nwg.Add(3)\nfor i := range 3 {\n\tgo func() { defer wg.Done(); work := func(n int) int { return n * n }; sum += work(1) * i / 9 }()\n}\nwg.Wait()\nsum",
			"45", "m"},
		{"var fs []func() int\nfor i := range 3 { fs = append(fs, func() int { i += 10; return i }); println := 0; defer func() { println++ }() }\n" +
			"fs[0]() + fs[0]() + fs[2]()", "42", "m"},
		{"xs[0]", "3", "m"},
		{"apply(func(i int) int {\n\treturn xs[i]\n}, 7)", "RuntimeError: index out of range [7] with length 3 | cell[16]:2:9 func literal" +
			" | cell[5]:1:49 apply | cell[16]:1:1 ", "m"},
		{"func() int { return len(xs) }()", "3", "m"},
		{"func(p *int) int { return *p }(nil)", "RuntimeError: invalid memory address or nil pointer dereference | cell[18]:1:27 func literal | cell[18]:1:31 ", "m"},
		{"func apply(f func(int) int, n int) int { _ =  []struct{}{}; return f(n) + 2 }\napply(func(x int) int { return x }, 5)", "7", "m"},
		{"type T struct { n int }\nfunc (t *T) Inc(by int) int { t.n += by; return t.n }\nvar t T\napply(func(x int) int { return t.Inc(x) }, 5)", "7", "m"},
		{"t.n", "5", "m"},
		{"func (t *T) Inc(by int) int { t.n -= by; return t.n }\ng := func(x int) int { return t.Inc(x) }\ng(2)", "3", "m"},
		{"func (t *T) Inc(by int) int { defer func() { t.n = 7 }(); return by }\ng(2)", "2", "-"},
		{"t.n", "7", "-"},
		{"http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(len(xs)) }) != nil", "true", "-"},
		{"m := map[string]func(float64) float64{\"double\": func(x float64) float64 { return 2 * x }, \"root\": math.Sqrt}\nm[\"double\"](m[\"root\"](16))", "8", "m"},
		{"var once sync.Once\nn := 0\nfor range 3 { once.Do(func() { n++ }) }\nn", "1", "m"},
		{"func f2() (int, string) { return 1, \"a\" }\ng2 := func() (int, string) { return f2() }\na, b := g2()\nfmt.Sprint(a, b)", "1a", "m"},
		{"func f2() (int, string) { return 2, \"b\" }\n_, b = g2()\nb", "b", "-"},
		{"var e error\nfunc() { if len(xs) > 2 { e = errors.New(\"long\") } }()\ne.Error()", "long", "m"},
	})
}

// TestNativeInnerLiterals: so are function literals of functions that stay interpreted, with variables of these.
func TestNativeInnerLiterals(t *testing.T) {
	literalsBothWays(t, []step{
		{"func byKey(xs []string, key map[string]int) []string {\n\t_ =  []struct{}{}\n\tk := 2\n" +
			"\tsort.Slice(xs, func(i, j int) bool { k++; return key[xs[i]] < key[xs[j]] })\n\tif k == 2 { return nil }\n\treturn xs\n}\n" +
			"byKey([]string{\"a\", \"b\", \"c\"}, map[string]int{\"a\": 3, \"b\": 1, \"c\": 2})", "[b c a]", "m"},
		{"func counter() (func() int, func(int)) { _ =  []struct{}{}; n := 0; return func() int { n++; return n }, func(k int) { n = k } }\n" +
			"next, set := counter()\nnext()\nset(40)\nnext()", "41", "mm"},
		{"other, _ := counter()\nother()", "1", "mm"},
		{"func named() (r int, err error) { defer func() { if recover() != nil { r++ } }(); f := func(k int) { r = k }; f(41); panic(1) }\nr, _ := named()\nr", "42", "-"},
		{"func loop() (fs []func() int) { _ =  []struct{}{}; for i := 0; i < 3; i++ { fs = append(fs, func() int { i++; return i }) }; return }\n" +
			"fs := loop()\nfs[0]()\nfs[0]() * fs[1]() * fs[2]()", "12", "m"},
		{"func params(a int, b ...string) int { _ =  []struct{}{}; f := func() int { a++; b = append(b, \"x\"); return len(b) }; f(); return f() * a + len(b) }\nparams(3, \"p\")",
			"18", "m"},
		{"func rec(n int) (s int) { _ =  []struct{}{}; add := func(k int) { s += k * n }; if n > 0 { s = rec(n - 1) }; add(1); return s }\nrec(4)", "10", "m"},
		{"func outer() string { _ =  []struct{}{}; return strings.Map(func(r rune) rune { return []rune{'a'}[r] }, \"x\") }\nouter()",
			"RuntimeError: index out of range [120] with length 1 | cell[8]:1:88 outer.func1 | cell[8]:1:49 outer | cell[8]:2:1 ", "m"},
		{"func sw(v any) (s string) { _ =  []struct{}{}; switch x := v.(type) { case int: f := func() int { return x }; s = fmt.Sprint(f()) }; return }\nsw(3)", "3", "i"},
		{"type P struct { x, y float64 }\nfunc pts(ps []P, far P) []P { _ =  []struct{}{}; slices.SortFunc(ps, func(a, b P) int { far.x += 0; return cmp.Compare(a.x+far.x, b.x+far.y) }); return ps }\n" +
			"pts([]P{{3, 1}, {1, 2}}, P{})[0].y", "2", "m"},
		{"func deep() int { _ =  []struct{}{}; x := 1; f := func() func() int { x++; return func() int { x *= 10; return x } }; return f()() }\ndeep()", "20", "m"},
	})
}

// TestNativeLiteralInterrupt: a literal that never ends can be stopped.
func TestNativeLiteralInterrupt(t *testing.T) {
	t.Setenv("GOROCM_NATIVE", "1")
	for _, code := range []string{"func() { for { n++ } }()", "sort.Search(n, func(i int) bool { for { n++ } })"} {
		e, started := interruptible(t)
		e.Eval(context.Background(), 1, "n := 7")
		out, _ := interruptAfter(t, e, started, 2, "list.New()\n"+code, "")
		if out.Failure == nil || out.Failure.Name != "Interrupted" {
			t.Errorf("%s: %s", code, shown(out))
		}
		if list := e.NativeLoops(); native.Disabled() == "" && (len(list) != 1 || list[0].Why != "") {
			t.Errorf("%+v", list)
		}
	}
}

// TestNativeLiteralsListed: their names and places.
func TestNativeLiteralsListed(t *testing.T) {
	t.Setenv("GOROCM_NATIVE", "1")
	if why := native.Disabled(); why != "" {
		t.Skip(why)
	}
	e, _ := newEngine(t)
	e.Eval(context.Background(), 1, "f := func(x int) int { return x }\ng := func(c chan int) int {\n\treturn len([]struct{}{})\n}\n_, _ = f, g")
	var b strings.Builder
	for _, n := range e.NativeLoops() {
		b.WriteString(n.Name + ": " + n.Why + " " + n.Where + "\n")
	}
	const want = "literal in cell[1], line 1:  \nliteral in cell[1], line 2: it has elements of type struct{} cell[1], line 3\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// TestNativeLiteralsRun: what is known of literals is forgotten when nothing has them (TestPlateau), but not while one
// runs whose closure nothing else has. That goroutine yields: a collection does so for each part that it sweeps, and gets
// the processor back after 10 ms from one that does not.
func TestNativeLiteralsRun(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_NATIVE", "1")
	if why := native.Disabled(); why != "" {
		t.Skip(why)
	}
	e, _ := newEngine(t)
	n := 0
	eval := func(code, want string) {
		t.Helper()
		n++
		if got := shown(e.Eval(context.Background(), n, code)); got != want {
			t.Fatalf("%s\nshows %s\nwant  %s", code, got, want)
		}
	}
	eval("type node struct { next *node; n int }\nvar stop, ended []bool = make([]bool, 1), make([]bool, 1)\n"+
		"func run(f func(int) int) int { return f(3) + 1 }\n"+
		"func again(mk func() func(int) int) (s int) { for !stop[0] { s += run(mk()) % 7; runtime.Gosched() }; ended[0] = true; return s }", "")
	eval("result := make(chan int, 1)\ngo func() { result <- again(func() func(int) int { k := 1; return func(n int) int {\n"+
		"\tvar list *node\n\tfor i := range 300 { list = &node{list, i * k} }\n\ts := 0\n\tfor ; list != nil; list = list.next { s += list.n }\n\treturn s + n } }) }()", "")
	times := 5
	if thorough.On() {
		times = 60
	}
	for range times {
		eval("k := []string{\"b\", \"a\"}\nh := func(i int) string { return k[i] + \"x\" }\nfunc() { k[0] = h(1) }()\nk[0]", "ax")
		runtime.GC()
	}
	eval("stop[0] = true\n<-result > 0", "true")
}

// TestNativePieces: loops of functions that stay interpreted are machine code, with the variables of these: what is
// deferred finds them as they are when a loop panics.
func TestNativePieces(t *testing.T) {
	thorough.Slow(t)
	literalsBothWays(t, []step{
		{"func sum(xs []int) (s int, err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\terr = fmt.Errorf(\"%v after %d\", r, s)\n\t\t}\n\t}()\n" +
			"\tfor i := 0; i < 4; i++ {\n\t\ts += xs[i]\n\t}\n\treturn s, nil\n}\ns, err := sum([]int{1, 2, 3, 4})\ns", "10", "-"},
		{"s, err = sum([]int{1, 2, 3})\nerr.Error()", "runtime error: index out of range [3] with length 3 after 6", "-"},
		{"s", "6", "-"},
		{"var mu sync.Mutex\nfunc locked(n int) (total int) { mu.Lock(); defer mu.Unlock(); for i := range n { total += i * i }; for range 2 { total++ }; return }\nlocked(10)", "287", "-"},
		{"func fails(n int) int {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\tx := []int{1}\n\tfor i := range n {\n\t\tx[0] += x[i]\n\t}\n\treturn x[0]\n}\nfails(2)",
			"RuntimeError: index out of range [1] with length 1 | cell[5]:6:11 fails | cell[5]:10:1 ", "-"},
		{"mu.TryLock()", "true", "-"},
		{"mu.Unlock()", "", "-"},
		{"func nested(c chan int, n int) (all int) { _ =  []struct{}{}; for i := range n { x := 0; for j := 0; j <= i; j++ { x += j; i += 0 }; c <- x; all += <-c }; return all }\nnested(make(chan int, 1), 5)", "20", "m"},
		{"func labels(n int) (k int) { defer func() { k++ }()\nouter:\n\tfor i := range n { for j := range n { if j > i { continue outer }; if i*j > 20 { break outer }; k += j } }\n\treturn k }\nlabels(7)", "31", "m"},
		{"func leaves(n int) int { _ =  []struct{}{}; for i := range n { for j := range n { if i*j == 6 { return i } } }; for range n { n-- }; return n }\nleaves(5)", "2", "mm"},
		{"func swaps(xs []string) []string { defer func() { xs[0] += \"!\" }(); for i, j := 0, len(xs)-1; i < j; i, j = i+1, j-1 { xs[i], xs[j] = xs[j], xs[i] }; return xs }\nswaps([]string{\"a\", \"b\", \"c\"})", "[c! b a]", "-"},
		{"func later(n int) (fs []func() int) { _ =  []struct{}{}; for i := 0; i < n; i++ { fs = append(fs, func() int { i *= 2; return i }) }; return }\nfs := later(3)\nfs[2]() + fs[2]() + fs[1]()", "14", "m"},
		{"later(3)[0]()", "0", "-"},
		{"func rec(n int) (s int) { defer func() { s++ }(); for i := range n { s += rec(i) }; return s }\nrec(6)", "64", "-"},
		{"func rec2(n int) (s int) { defer func() { s++ }(); for i := range n { s += i }; if n > 0 { s += rec2(n - 1) }; return s }\nrec2(6)", "42", "m"},
		{"func mixed(v any) (r int) { _ =  []struct{}{}; switch x := v.(type) { case int: for range 3 { r += x }; case string: for range 3 { r++ } }; return }\nmixed(2) + mixed(\"\")", "9", "m"},
		{"func named(p *int) (r int) { defer func() { recover() }(); for i := range 5 { r = i; *p += i }; return 0 }\nk := 0\nnamed(&k) + k", "10", "m"},
		{"named(nil)", "0", "-"},
		{"func late(p *int) (r int) { defer func() { recover() }(); for i := range 5 { r = i + 7; if i == 2 { p = nil }; *p += i }; return 0 }\nlate(&k) + k", "20", "m"},
		{"if k > 0 { for i := range 4 { k += i } }\nk", "17", "m"},
		{"for i := range 2 { for j := range 3 { k += i*j }; defer fmt.Sprint(i) }\nk", "20", "m"},
		{"func deferring(n int) (s string) { for i := range n { defer func() { s += strconv.Itoa(i) }(); for range i { s += \"-\" } }; return s }\ndeferring(3)", "---210", "m"},
		{"func repanic() (s string) { defer func() { s += fmt.Sprint(recover()) }(); defer func() { r := recover(); s += \"a\"; panic(fmt.Sprint(r, \"b\")) }(); var m []int; for i := range 3 { m[i] = 1 }; return }\nrepanic()",
			"aruntime error: index out of range [0] with length 0b", "m"},
		{"func exits(c chan string) { defer func() { c <- \"deferred\" }(); for i := range 10 { if i == 3 { quit() } } }\nfunc quit() { runtime.Goexit() }\nc := make(chan string, 2)\ngo func() { exits(c); c <- \"returned\" }()\n<-c",
			"deferred", "-"},
		{"func arr() (r int) { _ =  []struct{}{}; var a [5]int; m := [2][2]float64{{1, 2}, {3, 4}}; for i := range a { a[i] = i * i; m[i&1][i>>2] += 1 }; b := a; for i, x := range b { r += i * x }; return r + int(m[1][0]) }\narr()", "105", "mm"},
		{"func sh() (r int) { _ =  []struct{}{}; x := 1; { x := 10; for range 3 { x++; r += x } }; for range 2 { x *= 2 }; return r*100 + x }\nsh()", "3604", "mm"},
		{"func find(xs []int, x int) (i int, err error) {\n\tdefer func() { i++ }()\n\tfor i, y := range xs {\n\t\tif y == x {\n\t\t\treturn i, nil\n\t\t}\n\t}\n" +
			"\treturn -1, errors.New(\"none\")\n}\ni, err := find([]int{4, 5, 6}, 6)\nfmt.Sprint(i, err)", "3 <nil>", "-"},
		{"i, err = find(nil, 6)\nfmt.Sprint(i, err)", "0 none", "-"},
		{"func bare(n int) (a int, b float64) { defer func() { a *= 2 }(); a, b = 1, 2.5; for i := range n { a += i; if a > 5 { return }; if b > 9 { return 1, 1 }; b *= 2 }; return 100, 0 }\nx, y := bare(9)\nfmt.Sprint(x, y)",
			"2 1", "-"},
		{"x, y = bare(3)\nfmt.Sprint(x, y)", "2 1", "-"},
		{"func plain(c chan int, n int) int { _ =  []struct{}{}; c <- n; for i := range n { for j := range n { if i*j == 42 { return i } } }; return <-c }\nplain(make(chan int, 2), 10)", "6", "m"},
		{"plain(make(chan int, 2), 4)", "4", "-"},
		{"func outside(c chan int) string { _ =  []struct{}{}; for i := 0; i < 5; i++ { c <- i; for j := range 9 { if j == i+2 && i == 2 { return fmt.Sprint(i, j) } } }; return \"\" }\noutside(make(chan int, 9))", "2 4", "m"},
		{"func nothing(p *int) { defer func() { *p++ }(); for { *p += 10; if *p > 50 { return } } }\nnothing(&x)\nx", "53", "m"},
		{"lit := func(n int) (r int) { defer func() { r++ }(); for i := range n { if i == 3 { return 40 } }; return 1 }\nlit(5) + lit(2)", "43", "m"},
		{"lit2 := func(xs []int) (r int) {\n\t_ =  []struct{}{}\n\tfor i := range 3 {\n\t\tr += xs[i]\n\t}\n\treturn\n}\nlit2(nil)",
			"RuntimeError: index out of range [0] with length 0 | cell[36]:4:8 func literal | cell[36]:8:1 ", "im"},
		{"func inLit() int {\n\t_ =  []struct{}{}\n\treturn func(xs []int) (r int) {\n\t\t_ =  []struct{}{}\n\t\tfor i := range 3 { r += xs[i] }\n\t\treturn\n\t}(nil)\n}\ninLit()",
			"RuntimeError: index out of range [0] with length 0 | cell[37]:5:27 inLit.func1 | cell[37]:7:3 inLit | cell[37]:9:1 ", "im"},
		{"func errs(n int) (err error) { defer func() { if err != nil { err = fmt.Errorf(\"in errs: %w\", err) } }(); for i := range n { if i > 2 { return &os.PathError{Op: \"a\", Path: \"b\", Err: errors.New(\"c\")} }; if i > 5 { return nil } }; return }\nfmt.Sprint(errs(9), errs(1))",
			"in errs: a b: c <nil>", "-"},
		{"func seq(n int) (s int) { each := func(yield func(int) bool) { _ =  []struct{}{}; for i := range n { if !yield(i) { return } } }; for v := range each { for j := range 5 { if v*j == 12 { return s*100 + v } }; s += v }; return -1 }\nseq(9)",
			"303", "-"},
		{"func multi() (string, error) { _ =  []struct{}{}; for range 3 { return two2() }; return \"\", nil }\nfunc two2() (string, error) { return \"a\", io.EOF }\nmulti()", "Error: EOF | cell[40]:3:1 ", "-"},
		{"func it(n int) (out []int) { _ =  []struct{}{}; for i := 0; i < n; i++ { j := i; for k := 0; k < 2; k++ { j++ }; out = append(out, j); go func() {}() }; return }\nit(3)", "[2 3 4]", "-"},
	})
}
