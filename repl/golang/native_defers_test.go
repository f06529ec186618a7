package golang

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestNativeDefers: deferred calls and recover do in machine code what they do in interpreted code.
func TestNativeDefers(t *testing.T) {
	sameBothWays(t, "account.add args caught copied d2 d3 embedded fails inGeneric[int] inGeneric[string] inLoop inRange late literal named nested "+
		"nilFunc nilMethod receivers repanic results safe twice val.show val.showLater values",
		"var last any",
		`type account struct { sync.Mutex; n int; log []string }
func (a *account) add(n int) (total int, err error) {
	a.Lock(); defer a.Unlock()
	defer func() { a.log = append(a.log, fmt.Sprint(n, err)) }()
	if n < 0 { return a.n, errors.New("negative") }
	a.n += n
	return a.n, nil
}
func safe(xs []int, i int) (v int, err error) {
	defer func() { if r := recover(); r != nil { err = fmt.Errorf("%v, %d", r, v) } }()
	v = 7
	return xs[i], nil
}
func inLoop(n int) (s string) { for i := range n { defer func() { s += fmt.Sprint(i) }() }; return "x" }
func args(n int) (s string) { for i := 0; i < n; i++ { defer func(a int, b string) { s += fmt.Sprint(a, b, i) }(i*i, s+"y") }; return }
func named(x int) (r int) { defer func() { r *= 2 }(); if x > 3 { return x }; r = 5; return }
func results() (int, string) { n := 1; defer func() { n = 100 }(); return n, "a" }
func repanic(x any) { defer func() { if r := recover(); r != nil { panic(fmt.Sprint("again ", r)) } }(); panic(x) }
func nested() (s string) {
	defer func() { s += fmt.Sprint(recover()) }()
	defer func() { panic("second") }()
	panic("first")
}
func caught(f func()) (r any) { defer func() { r = recover() }(); f(); return "none" }
func inner() (s string) { defer func() { func() { s += fmt.Sprint(recover()) }(); s += fmt.Sprint(recover()) }(); panic(1) }
func handler() { if r := recover(); r != nil { last = r } }
func notDirect() { defer func() { handler() }(); panic("not direct") }
func badCall() (err error) { defer handler(); err = errors.New("e"); panic("direct") }
func nilFunc() { var f func(); defer f(); last = "nilFunc" }
func nilMethod() { var e error; defer e.Error(); last = "nilMethod" }
type val struct{ n int }
func (v val) show() { last = v.n }
func (v *val) showLater() { last = v.n }
func copied() { v := val{1}; defer v.show(); v.n = 2 }
func late() { v := val{1}; defer v.showLater(); v.n = 2 }
type outer struct { name string; val }
func embedded(o *outer) { defer o.showLater(); o.n++ }
func receivers() (s string) { var sb strings.Builder; defer func() { s = sb.String() }(); defer sb.WriteString("b"); defer fmt.Fprint(&sb, "a", 1); sb.WriteString("0"); return }
func inGeneric[T any](x T, f func(T)) (r any) { defer func() { r = recover() }(); f(x); return nil }
func inRange(n int) (r int) {
	defer func() { r++ }()
	for x := range func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } { if x == 3 { return x * 10 } }
	return -1
}
func literal(n int) int { f := func(k int) (r int) { defer func() { if recover() != nil { r = -k } }(); return n / k }; return f(0) + f(2) }
func twice() (s string) { defer func() { s += fmt.Sprint(recover()); s += fmt.Sprint(recover()) }(); panic("once") }
func values(n int) (a int, _ string, c float64) { defer func() { a, c = a+1, c/2 }(); if n == 0 { return 1, "b", 3 }; return n, "", 8 }`,
		`a := &account{}
fmt.Sprint(a.add(3))`, "fmt.Sprint(a.add(-1))", "fmt.Sprint(a.n, a.log, a.TryLock())",
		"fmt.Sprint(safe([]int{4}, 0))", "fmt.Sprint(safe(nil, 2))", "inLoop(4)", "args(3)", "fmt.Sprint(named(9), named(1))", "fmt.Sprint(results())",
		"repanic(5)", "nested()", "fmt.Sprint(caught(func() {}), caught(func() { panic(a) }) == a)", "caught(func() { var m map[int]int; m[1] = 2 })",
		"inner()", "notDirect()", "last", "badCall()", "last", "nilFunc()", "last", "nilMethod()", "last", "copied()\nlast", "late()\nlast",
		"o := &outer{}\nembedded(o)\nlast", "embedded(nil)", "receivers()",
		"fmt.Sprint(inGeneric(3, func(x int) { panic(x + 1) }), inGeneric(\"a\", func(string) {}))", "fmt.Sprint(inRange(9), inRange(2))", "literal(10)", "twice()",
		"fmt.Sprint(values(0))", "fmt.Sprint(values(4))",
		"func fails(k int) {\n\t_ = []int{1}[k]\n}\nfunc d2() {\n\tdefer fails(7)\n\tlast = 1\n}\nd2()",
		"func d3() {\n\tvar sb *strings.Builder\n\tdefer sb.WriteString(\"a\")\n\tlast = 1\n}\nd3()",
		"func pieces(c chan int) (s string) { _ =  []struct{}{}; for i := range 3 { defer func() { s += fmt.Sprint(i, len(c)) }() }; for range 2 { c <- 1 }; return }\npieces(make(chan int, 9))",
		"func handler() { last = recover() }\nbadCall()", "last",
		"caught(func() { repanic(6) })")
}

// TestNativeLightDefers: so do deferred calls that cannot recover, which machine code makes itself unless a panic leaves
// their function.
func TestNativeLightDefers(t *testing.T) {
	thorough.Slow(t)
	sameBothWays(t, "box.twice box.with boxed chosen conditional deepDefers deferredPanics exits fails firstOf inCallback inSelect isIn iterated later many nest nested1 nested2 nested3 note "+
		"outer outer2 over rangeAll remaining results scope steps swap switched through twice2 unnamed waits",
		"var log []string\nfunc note(s ...any) { log = append(log, fmt.Sprint(s...)) }\nfunc fails(k int) int { return []int{1}[k] }",
		`type box struct { mu sync.Mutex; n int }
func (b *box) with(k int) int { b.mu.Lock(); defer b.mu.Unlock(); b.n += k; return fails(k) + b.n }
func (b *box) twice(k int) (n int, err error) { b.mu.Lock(); defer b.mu.Unlock(); defer func() { if err != nil { n = -1 } }(); if k > 1 { return k, errors.New("k") }; return b.n, nil }
func boxed(b *box, k int) (s string) { defer func() { s = fmt.Sprint(s, recover(), b.mu.TryLock()); b.mu.Unlock() }(); return fmt.Sprint(b.with(k), " ") }
func deferredPanics() { defer note("last"); defer func() { note("second"); fails(2) }(); defer func() { note("first"); fails(1) }(); note("body") }
func remaining() { defer note("last"); defer func() { fails(3) }(); defer note("first"); note("body") }
func conditional(k int) (r string) { if k > 0 { defer func() { r += "a" }() }; if k > 1 { defer func() { r += "b" }(); return "early" }; defer func() { r += "c" }(); return "late" }
func many(n int) (s int) { for i := range n { defer func() { s = s*3 + i }() }; if n > 500 { fails(n) }; return n }
func deepDefers(n int) (s int) { defer func() { s += n }(); if n == 0 { return 0 }; if n == -1 { return fails(5) }; if n < 0 { return deepDefers(n + 1) }; return deepDefers(n - 1) }
func nested1(k int, f func()) (s string) { defer func() { s = fmt.Sprint(recover()); note("outer", s) }(); nested2(k, f); return "none" }
func nested2(k int, f func()) { defer note("two"); x := 1; defer func() { note("x", x) }(); x = 2; nested3(k, f); x = 3 }
func nested3(k int, f func()) { defer func() { note("three") }(); var m map[string]int; if k == 1 { m["a"] = 1 }; if k == 2 { panic(errors.New("two")) }; if k == 3 { f() }; fails(k) }
func through(k int, f func()) { defer func() { note("through") }(); nested3(k, f) }
func over() (s string) { defer func() { s = fmt.Sprint(recover()) }(); func() { defer func() { panic("over") }(); panic("first") }(); return "none" }
func switched(k int) (r string) { defer func() { r += "." }(); switch k { case 0: return "zero"; case 1: break; default: for i := range k { if i == 2 { return "two" }; if i == 1 { continue } } }; outer: for { for { break outer } }; return "end" }
func unnamed(k int) (int, string, []int) { n := 1; defer func() { n++; note("n", n) }(); if k == 0 { return n, "z", nil }; return n + k, "k", []int{n} }
func results() (a, b int) { defer func() { a, b = b, a }(); a = 1; return 2, 3 }
func swap(a, b *int) { defer func(x int) { *b = x }(*a); *a = *b }
func iterated(n int) (s string) { seq := func(yield func(int) bool) { defer func() { s += "]" }(); for i := range n { if !yield(i) { return } } }; defer func() { s += "!" }(); for i := range seq { defer func() { s += fmt.Sprint(i) }(); if i == 3 { return "at" } }; return "end" }
func rangeAll(n int) (r []string) { for i := range n { func() { defer func() { r = append(r, fmt.Sprint(i)) }(); if i == 1 { return }; r = append(r, "b") }() }; return }
func inCallback(xs []int) (s string) { defer func() { s = fmt.Sprint(recover(), xs, len(log)) }(); sort.Slice(xs, func(i, j int) bool { defer note("cmp"); return xs[i] < xs[len(xs)*(i/4)+j] }); return }
func inSelect(c chan int) (n int) { defer close(c); defer func() { n *= 2 }(); select { case n = <-c: return; case c <- 4: n = 1 }; return n + 5 }
func exits(c chan string, f func()) { go func() { defer close(c); defer func() { c <- "deferred" }(); nested2(3, f); c <- "not" }() }
func isIn(k int) bool { defer func() { k++ }(); return k > 1 && !isIn(k-1) }
func chosen(k int) (r int) { f := func(n int) { r += n }; defer f(1); return k }
func twice2(k int) (r int) { add := func(n int) (m int) { defer func() { m, r = m+1, r+n }(); if n == 2 { return fails(n) }; return n }; return add(1) + add(k) }
func steps(n int) (s int) { for i := 0; i < n; i++ { func() { defer func() { s += i }(); s++ }() }; return }
func scope() (s string) { for i := 0; i < 3; i++ { k := i * i; defer func(a ...int) { s += fmt.Sprint(a, k, i) }(i, k) }; return "s" }
func waits() (n int) { var wg sync.WaitGroup; var mu sync.Mutex; for i := range 50 { wg.Add(1); go func() { defer wg.Done(); mu.Lock(); defer mu.Unlock(); n += i }() }; wg.Wait(); return }
func firstOf(f func()) (s string) { defer func() { s += "1" }(); defer func() { s += "2"; f() }(); return "r" }
func outer(k int) string { return firstOf(func() { defer note("f"); fails(k) }) }
func outer2(k int) (s string) { defer func() { s = fmt.Sprint(recover(), s) }(); defer func() { s += "o" }(); return outer(k) }
func nest(n int) (s string) { defer func() { s += fmt.Sprint(n) }(); if n == 0 { return }; func() { defer func() { s += "<" + nest(n-1) + ">" }() }(); return }`,
		"b := &box{}\nfmt.Sprint(b.with(0))", "b.with(1)", "fmt.Sprint(b.mu.TryLock())\nb.mu.Unlock()", "boxed(b, 0)", "boxed(b, 3)", "fmt.Sprint(b.twice(1))", "fmt.Sprint(b.twice(2))",
		"deferredPanics()", "log", "log = nil\nremaining()", "log", "fmt.Sprint(conditional(0), conditional(1), conditional(2))", "many(20)", "many(300)", "many(600)",
		"deepDefers(300)", "deepDefers(-200)", "log = nil\nnested1(0, nil)", "log", "nested1(1, nil)", "nested1(2, nil)", "log", "nested1(3, runtime.Gosched)", "log = nil\nthrough(5, nil)", "log", "over()",
		"fmt.Sprint(switched(0), switched(1), switched(2), switched(5))", "fmt.Sprint(unnamed(0))", "fmt.Sprint(unnamed(4))", "fmt.Sprint(results())", "p, q := 1, 2\nswap(&p, &q)\nfmt.Sprint(p, q)", "swap(nil, &q)",
		"iterated(2)", "iterated(6)", "fmt.Sprint(rangeAll(3))", "log = nil\ninCallback([]int{3, 1, 2})", "inCallback([]int{3, 1, 2, 7, 6, 9, 1, 0})", "c := make(chan int, 1)\ninSelect(c)", "log = nil\nd := make(chan string)\nexits(d, runtime.Goexit)\nfmt.Sprint(<-d, <-d, log)",
		"isIn(7)", "chosen(4)", "twice2(1)", "twice2(2)", "steps(10)", "scope()", "waits()", "outer(0)", "outer(1)", "outer2(1)", "nest(5)",
		"func later() (s string) { defer func() { s += \"x\" }(); return \"y\" }\nlater()", "func later() (s string) { defer func() { recover(); s += \"x\" }(); panic(1) }\nlater()")
}
