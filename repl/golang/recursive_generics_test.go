package golang

import "testing"

// TestRecursiveInstances: variables of the session hold instances, by instances of generic types of the standard
// library, of generic types that are made of themselves.
func TestRecursiveInstances(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"import \"sync/atomic\"\nvar d tree[atomic.Pointer[int]]\nd.next = &tree[atomic.Pointer[int]]{}\nx := 3\nd.next.v.Store(&x)\n" +
			"*d.next.v.Load()", "3 int"},
		{"import \"iter\"\nvar d tree[iter.Seq[int]]\nd.next = &tree[iter.Seq[int]]{v: func(yield func(int) bool) { yield(4) }}\n" +
			"sum := 0\nfor x := range d.next.v { sum += x }\nsum", "4 int"},
		{"import \"unique\"\nl := list[unique.Handle[string]]{}\nl.head = &node[unique.Handle[string]]{v: unique.Make(\"a\"), l: &l}\n" +
			"l.head.l.head.v.Value()", "a string"},
		{"import \"sync/atomic\"\nfunc deep(n int) *tree[atomic.Int64] { if n == 0 { return nil }; r := &tree[atomic.Int64]{next: deep(n-1)}\n" +
			"r.v.Add(int64(n)); return r }\nd := deep(3)\nd.next.next.v.Load()", "1 int64"},
	} {
		e, _ := newEngine(t)
		runCell(t, e, 1, "type tree[T any] struct { next *tree[T]; v T }\ntype list[T any] struct { head *node[T] }\n"+
			"type node[T any] struct { next *node[T]; v T; l *list[T] }")
		if got := value(t, e, c.code); got != c.want {
			t.Errorf("%s\nis %s, want %s", c.code, got, c.want)
		}
	}
}
