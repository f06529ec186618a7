package golang

import "testing"

// TestNativeValueMethods: methods of values are called by interfaces that hold pointers, among them nil ones.
func TestNativeValueMethods(t *testing.T) {
	sameBothWays(t, "area pair.Area pair.Sum pair.long twice word.Area",
		`type pair struct{ X, Y int }
func (p pair) Area() int { return p.X * p.Y }
func (p pair) long(n int) (s int) { for i := range n { s += p.X*i + p.Y }; return s }
func (p pair) Sum(n int) int { return p.long(n) + p.Y }
type word string
func (w word) Area() int { return len(w) }
type shape interface{ Area() int }
type summer interface{ Sum(int) int }
func area(list []shape) (s int) { for i, x := range list { s += x.Area() * (i + 1) }; return s }
func twice(x summer, n int) (s int) { for i := range n { s += x.Sum(i) }; return s }`,
		`w := word("abc"); p := &pair{3, 4}
area([]shape{p, pair{1, 2}, &w, w, p, &pair{5, 6}}), area([]shape{p, p}), twice(p, 5), twice(pair{1, 2}, 4), twice(p, 3)`,
		`area([]shape{p, (*pair)(nil)})`, `area([]shape{(*pair)(nil)})`, `area([]shape{w, &w, (*word)(nil), p})`, `twice((*pair)(nil), 3)`,
		`func (p pair) Area() int { return p.X + p.Y }`, `area([]shape{p, pair{1, 2}, &w, w, p, &pair{5, 6}})`,
		`func (p pair) Area() int { c := make(chan int, 1); c <- p.X; return <-c }`, `area([]shape{p, pair{1, 2}, &w, w, p, &pair{5, 6}})`,
		`func (p pair) Area() int { return p.X - p.Y }`, `area([]shape{p, pair{1, 2}, &w, w, p, &pair{5, 6}})`, `area([]shape{p, (*pair)(nil)})`,
	)
}
