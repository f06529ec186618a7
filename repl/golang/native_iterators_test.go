package golang

import "testing"

// TestNativeIterators: loops over functions are compiled, with what leaves them, their panics and the places of these.
func TestNativeIterators(t *testing.T) {
	sameBothWays(t, "again boom exhausted find keys labels nested odd pairs recovers swallow tree.walk upTo visit",
		`func upTo(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }
func pairs(xs []string) iter.Seq2[int, string] { return func(yield func(int, string) bool) { for i, x := range xs { if !yield(i, x) { return } } } }`,
		`func find(n, x int) (at int, ok bool) { for i := range upTo(n) { if i*i == x { return i, true } }; return -1, false }`,
		`find(10, 49), 1`,
		`a, b := find(10, 49); c, d := find(10, 50); a, b, c, d`,
		`func labels(n int) (s string) {
outer:
	for i := range upTo(n) {
		for j, x := range pairs([]string{"a", "b", "c", "d"}) {
			switch {
			case j == i:
				continue outer
			case i == 3 && j == 1:
				break outer
			case x == "c":
				s += "!"
				break
			}
			s += strconv.Itoa(i) + x + " "
		}
		s += "- "
	}
	return s
}
labels(6)`,
		`func nested(n int) func() int { t := 0; return func() int { for i := range upTo(n) { for range upTo(i) { t++ } }; return t } }
f := nested(5); f(), f()`,
		`func keys(m map[string]int) string { s := ""; for _, k := range slices.Sorted(maps.Keys(m)) { s += k }; for v := range maps.Values(map[int]int{1: 2}) { s += strconv.Itoa(v) }; return s + fmt.Sprint(slices.Collect(upTo(3)), len(slices.Collect(maps.Values(m)))) }
keys(map[string]int{"b": 1, "a": 2, "c": 3})`,
		`type tree struct { l, r *tree; v int }
func (t *tree) walk(yield func(int) bool) bool { return t == nil || t.l.walk(yield) && yield(t.v) && t.r.walk(yield) }
func visit(n int) (s int) { t := &tree{&tree{nil, nil, 1}, &tree{nil, nil, 3}, 2}; for v := range func(y func(int) bool) { t.walk(y) } { if v > n { break }; s = s*10 + v }; return s }
visit(2), visit(9)`,
		`func boom(xs []int, n int) (s int) {
	for i := range upTo(n) {
		s += xs[i]
	}
	return s
}
boom([]int{1, 2}, 3)`,
		`func again(yield func(int) bool) { yield(1); yield(2) }
func odd() { for x := range again { if x == 1 { break } } }
odd()`,
		`var kept func(int) bool
func exhausted(leave bool) { for x := range func(yield func(int) bool) { kept = yield; yield(7) } { if leave && x == 7 { break } } }
exhausted(false)`,
		`kept(1)`, `exhausted(true)`, `kept(1)`,
		`func recovers() { for x := range func(yield func(int) bool) { swallow(yield) } { if x == 1 { panic("in the body") } } }
func swallow(yield func(int) bool) { defer func() { recover() }(); yield(1) }
recovers()`,
	)
}
