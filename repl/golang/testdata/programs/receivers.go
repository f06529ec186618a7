package main

import "fmt"

type List[T any] struct {
	n int
	v []T
}

func (l *List[_]) Len() int { return l.n + len(l.v) }
func (l *List[T]) Add(x T)  { l.v = append(l.v, x) }

type Pair[K comparable, V any] struct {
	k K
	v V
}

func (p Pair[_, V]) Val() V { return p.v }
func main() {
	l := &List[string]{n: 1}
	l.Add("x")
	fmt.Println(l.Len(), Pair[int, string]{1, "v"}.Val())
}
