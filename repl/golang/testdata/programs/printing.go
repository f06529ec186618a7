package main

import (
	"errors"
	"fmt"
	"time"
)

type P struct{ X, Y int }

func (p P) String() string { return fmt.Sprintf("<%d>", p.X) }

type Q struct{ X int }

func (q Q) M() int { return q.X }

type E struct{ m string }

func (e *E) Error() string { return e.m }

type C int

func (c C) String() string { return [...]string{"red", "green"}[c] }

type I interface{ M() int }
type W struct {
	I I
	V any
	N []Q
}

func main() {
	var v any = P{1, 2}
	fmt.Println(v, P{3, 4}, &P{5, 6})
	v = Q{7}
	fmt.Println(v, Q{8})
	fmt.Println([]P{{1, 2}}, map[string]P{"a": {3, 4}}, []any{Q{3}, 5, "s"}, []C{0, 1}, map[C]int{1: 2})
	fmt.Printf("%v %s %d %+v\n", P{1, 2}, C(1), C(1), Q{3})
	fmt.Printf("%v %d %T %T %T\n", v, []int{1}, C(0), P{}, []Q{})
	var e error = &E{"bad"}
	fmt.Println(e, fmt.Errorf("w: %w", e))
	var t *E
	fmt.Println(errors.As(e, &t), t.m)
	var i I = Q{4}
	fmt.Println(i, i.M())
	v = []Q{{1}}
	fmt.Println(v)
	v = map[string]any{"a": Q{1}}
	fmt.Println(v)
	fmt.Println(time.Second, []time.Duration{1}, []error{e}, []byte("x"), nil)
	v = nil
	fmt.Println(v, []any{nil})
	var s fmt.Stringer = C(1)
	fmt.Println(s)
	v = 3.5
	fmt.Printf("%.2f %v %q\n", v, v, "x")
	v = &Q{5}
	fmt.Printf("%+v\n", v)
}
