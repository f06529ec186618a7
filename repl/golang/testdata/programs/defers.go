package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

func named() (r int, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("got %v", e)
			r = -1
		}
	}()
	r = 5
	var m map[string]int
	m["a"] = 1
	return 3, nil
}
func handle(err *error) {
	if e := recover(); e != nil {
		*err = fmt.Errorf("handled %v", e)
	}
}
func h2() (err error) { defer handle(&err); panic("x") }
func cleanup() {
	c := func(s string) { fmt.Println("clean", s) }
	defer func() { c("a") }()
	defer c("b")
	for i := range 3 {
		defer c(fmt.Sprint(i))
		defer func() { fmt.Println(i) }()
	}
}

type T struct{ n int }

func (t T) V(s string)  { fmt.Println("V", t.n, s) }
func (t *T) P(s string) { fmt.Println("P", t.n, s) }
func meth() {
	t := T{1}
	defer t.V("x")
	defer t.P("y")
	p := &t
	defer p.V("z")

	defer p.P("w")
	t.n = 9
	p = &T{77}
}
func mult() (int, string, error) {
	defer fmt.Println("mult")
	x, s := 4, "q"
	return x, s, errors.New("e")
}
func shadow() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("wrapped: %w", err)
		}
	}()
	if err := errors.New("inner"); err != nil {
		return err
	}
	return nil
}
func two() (int, error)  { return 1, nil }
func pass() (int, error) { defer fmt.Println("pass"); return two() }
func re() {
	defer func() { fmt.Println("outer", recover()) }()
	defer func() { panic("second") }()
	panic("first")
}
func inloop() (s []int) {
	for i := 0; i < 3; i++ {
		func() { defer func() { s = append(s, i) }() }()
	}
	return
}
func ww() (err error) {
	defer func() { err = errors.Join(err, os.ErrClosed) }()
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	ch := make(chan int)
	defer close(ch)
	b := &strings.Builder{}
	defer b.Reset()
	defer delete(map[int]int{}, 1)
	return nil
}
func idx() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	a := []int{1, 2, 3}
	i := 7
	_ = a[i]
	return
}
func conv() (err error) {
	defer func() { err = recover().(error) }()
	var v any = 3
	fmt.Println(v.(string))
	return
}
func nilp() (err error) {
	defer func() { err = recover().(error) }()
	var t *T
	t.n = 4
	return
}
func div(a, b int) (err error) {
	defer func() { err = recover().(error) }()
	_ = a / b
	return
}
func main() {
	fmt.Println(named())
	fmt.Println(h2())
	cleanup()
	meth()
	fmt.Println(mult())
	fmt.Println(shadow())
	fmt.Println(pass())
	re()
	fmt.Println(inloop())
	fmt.Println(ww())
	fmt.Println(idx())
	fmt.Println(conv())
	fmt.Println(nilp())
	fmt.Println(div(1, 0))
}
