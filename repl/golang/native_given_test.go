package golang

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestNativeGiven: functions that are given literals, in the place of their calls: results, panics with their places,
// deferred calls, and the newest version of what is called.
func TestNativeGiven(t *testing.T) {
	thorough.Slow(t)
	sameBothWays(t, "Count Filter[int] Lazy[int,int] Lazy[string,int] Lazy[string,string] Map[int,int] Map[int,string] Reduce[int,int] all collect defers div div10 each early evens filterSum find isZero keeps later loopDefers named nested panics people person.Each pick retry squares sum sumTwice sums total trace tree.All tree.Walk visit windows words",
		`func each(xs []int, f func(int)) { for _, x := range xs { f(x) } }
func Count(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }
func Map[T, U any](xs []T, f func(T) U) []U { out := make([]U, len(xs)); for i, x := range xs { out[i] = f(x) }; return out }
func Filter[T any](xs []T, f func(T) bool) (out []T) { for _, x := range xs { if f(x) { out = append(out, x) } }; return out }
func Reduce[T, A any](xs []T, a A, f func(A, T) A) A { for _, x := range xs { a = f(a, x) }; return a }
func Lazy[T, U any](seq iter.Seq[T], f func(T) U) iter.Seq[U] { return func(yield func(U) bool) { for v := range seq { if !yield(f(v)) { return } } } }`,
		`func sum(xs []int) (s int) { each(xs, func(x int) { s += x }); return s }`, `sum([]int{1, 2, 3})`,
		`func total(n int) int { t := 0; for x := range Count(n) { t += x }; return t }`, `total(10)`,
		`func squares(n int) int { k := 2; return Reduce(Filter(Map(slices.Collect(Count(n)), func(x int) int { k++; return x*x + k }), func(x int) bool { return x%2 == 0 }), k, func(a, x int) int { return a + x }) }`,
		`squares(20)`,
		`func words(xs []string) (s string) { for w := range Lazy(slices.Values(xs), strings.ToUpper) { s += w + "." }; for w := range Lazy(slices.Values(xs), func(w string) int { return len(w) }) { s += strconv.Itoa(w) }; return s }`,
		`words([]string{"a", "bcd", "ef"})`,
		`func find(n int) (int, string) { for x := range Lazy(Count(n), func(x int) int { return x * x }) { if x > 50 { return x, "found" }; if x == 36 { continue } }; return -1, "none" }`,
		`a, b := find(5); c, d := find(50); a, b, c, d`,
		`func nested(n int) (s int) {
outer:
	for x := range Count(n) {
		for y := range Lazy(Count(x), func(v int) int { s++; return v + x }) {
			if y%5 == 4 { continue outer }
			if s > 60 { break outer }
			s += y
		}
	}
	return s
}`, `nested(4), nested(20)`,
		`type tree struct { l, r *tree; v int }
func (t *tree) Walk(f func(int) bool) bool { return t == nil || t.l.Walk(f) && f(t.v) && t.r.Walk(f) }
func (t *tree) All() iter.Seq[int] { return func(yield func(int) bool) { t.Walk(yield) } }
func visit(most int) (s []int) { t := &tree{&tree{nil, nil, 1}, &tree{&tree{nil, nil, 3}, nil, 4}, 2}; for v := range t.All() { if v > most { break }; s = append(s, v) }; return s }`,
		`visit(2), visit(9)`,
		`type person struct { names []string }
func (p *person) Each(f func(i int, name string)) { for i, n := range p.names { f(i, n) } }
func people(p *person) string { s := ""; p.Each(func(i int, name string) { s += strconv.Itoa(i) + name; p.names[i] = s }); return s }`,
		`people(&person{[]string{"a", "b"}})`, `people(nil)`,
		`func panics(xs []int, n int) (s int) { each(xs, func(x int) {
	s += 10 / (x - n)
}); return s }`,
		`panics([]int{1, 2, 3}, 5)`, `panics([]int{1, 2, 3}, 2)`,
		`func trace(xs []int) (s int) {
	for i := range Count(5) {
		s += xs[i]
	}
	return s
}`, `trace([]int{1, 2})`,
		`func evens(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := 0; ; i += 2 { yield(i) } } }
func early() (s int) { for x := range evens(3) { if x == 4 { break }; s += x }; return s }`, `early()`,
		`func div(x int) int { return 10 / x }
func defers(xs []int) (s string) { each(xs, func(x int) { defer func() { if r := recover(); r != nil { s += fmt.Sprint(r) } }(); s += strconv.Itoa(div(x)) + " " }); return s }`,
		`defers([]int{1, 0, 5})`,
		`func loopDefers(n int) (s string) { for x := range Count(n) { defer func() { s += strconv.Itoa(x) }() }; return "d" }`, `loopDefers(3)`,
		`func keeps(n int) (list []func() int) { for x := range Count(n) { y := x * x; list = append(list, func() int { x++; y += x; return y }) }; return list }`,
		`s := ""; for _, f := range keeps(4) { s += fmt.Sprint(f(), f(), " ") }; s`,
		`func pick(n int) int { f := func(x int) int { return x + n }; if n > 3 { f = func(x int) int { return x * n } }; return sumTwice(f, n) }
func sumTwice(f func(int) int, n int) int { if f == nil { return -1 }; return f(f(n)) }`, `pick(2), pick(5), sumTwice(nil, 1)`,
		`func windows(xs []int, n int) iter.Seq2[int, []int] { return func(yield func(int, []int) bool) { for i := 0; i+n <= len(xs); i++ { if !yield(i, xs[i:i+n]) { return } } } }
func sums(xs []int) (s int) { for i, w := range windows(xs, 2) { for _, x := range w { s = s*3 + x + i } }; return s }`, `sums([]int{1, 2, 3, 4})`,
		`func collect(m map[string]int) string { return fmt.Sprint(slices.Sorted(maps.Keys(m)), len(slices.Collect(maps.Values(m)))) }`, `collect(map[string]int{"b": 1, "a": 2})`,
		`func filterSum(xs []float64, least float64) (s float64) { for x := range func(yield func(float64) bool) { for _, x := range xs { if x >= least && !yield(x) { return } } } { s += x }; return s }`,
		`filterSum([]float64{1, 2.5, 4}, 2)`,
		`func all(xs []int, ok func(int) bool) bool { for _, x := range xs { if !ok(x) { return false } }; return true }
func later(n int) bool { seen := map[int]bool{}; return all([]int{1, n, 3}, func(x int) bool { if seen[x] { return false }; seen[x] = true; return true }) }`, `later(2), later(3)`,
		`func retry(n int, f func(int) error) (err error) { for i := range n { if err = f(i); err == nil { return nil } }; return fmt.Errorf("after %d: %w", n, err) }`,
		`retry(3, func(i int) error { if i == 2 { return nil }; return errors.New("no") }), retry(1, func(i int) error { return errors.New("no") })`,
		`func double(x int) int { return 2*x }
func isZero(x int) bool { return x == 0 }
func div10(x int) int { return 10 / x }
func named(xs []int) string { return fmt.Sprint(Map(xs, double), Map(Map(xs, div10), strconv.Itoa), slices.IndexFunc(xs, isZero), sumTwice(double, len(xs))) }`,
		`named([]int{1, 2}), named([]int{3, 0})`,
		`func double(x int) int { return 3*x }`, `named([]int{1, 2})`,
		`func double(x int) int { _ =  []struct{}{}; return 4 * x }`, `named([]int{1, 2})`,
		// newer versions
		`func each(xs []int, f func(int)) { for _, x := range xs { f(x * 10) } }`, `sum([]int{1, 2, 3})`, `panics([]int{1, 2, 3}, 20)`,
		`func Count(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := n; i > 0; i-- { if !yield(i) { return } } } }`, `total(10), nested(5)`, `trace([]int{1, 2})`,
		`func Filter[T any](xs []T, f func(T) bool) (out []T) { for _, x := range xs { if !f(x) { out = append(out, x) } }; return out }`, `squares(20)`,
		`var tail func(int)
func each(xs []int, f func(int)) { c := make(chan int); go func() { for _, x := range xs { c <- x }; close(c) }(); for x := range c { f(x) }; tail = f }`,
		`sum([]int{1, 2, 3})`, `tail(5); panics([]int{1, 2, 3}, 2)`,
		`func each(xs []int, f func(int)) { f(len(xs)) }`, `sum([]int{1, 2, 3})`,
	)
}
