package main

import "fmt"

type S struct {
	A int
	B []int
}
type P struct{ X, Y int }

func two() (S, error)             { return S{9, []int{9}}, nil }
func one() S                      { return S{8, nil} }
func three() (int, string, error) { return 3, "three", nil }

type I interface{ M() int }

func (p P) M() int { return p.X }

func mk() I { return P{1, 2} }

func main() {
	{
		var r S
		func() { r = S{1, []int{1}} }()
		fmt.Println("composite", r)
	}
	{
		var r *S
		func() { r = &S{1, []int{1}} }()
		fmt.Println("&composite", *r)
	}
	{
		var r S
		var e error
		func() { r, e = S{1, []int{1}}, nil }()
		fmt.Println("parallel", r, e)
	}
	{
		var r S
		var x int
		func() { t, u := S{1, []int{1}}, 3; r, x = t, u }()
		fmt.Println("parallel2", r, x)
	}
	{
		var r S
		var e error
		func() { r, e = two() }()
		fmt.Println("two", r, e)
	}
	{
		var r S
		func() { r = one() }()
		fmt.Println("one", r)
	}
	{
		var a, b int = 1, 2
		func() { a, b = b, a }()
		fmt.Println("swap", a, b)
	}
	{
		var a, b, c int = 1, 2, 3
		func() { a, b, c = b+c, c+a, a+b }()
		fmt.Println("rot", a, b, c)
	}
	{
		var a int
		var s string
		var e error
		func() { a, s, e = three() }()
		fmt.Println("three", a, s, e)
	}
	{
		var v any = 5
		var n int
		var ok bool
		func() { n, ok = v.(int) }()
		fmt.Println("assert", n, ok)
		func() { n = v.(int) + 1 }()
		fmt.Println("assert1", n)
		func() { n = v.(int) }()
		fmt.Println("assert2", n)
		var s string
		func() { s, ok = v.(string) }()
		fmt.Println("assert3", s, ok)
		func() { _, ok = v.(int) }()
		fmt.Println("assert4", ok)
	}
	{
		m := map[string]int{"a": 4}
		var n int
		var ok bool
		func() { n, ok = m["a"] }()
		fmt.Println("map", n, ok)
		func() { n, ok = m["b"] }()
		fmt.Println("map", n, ok)
		func() { n = m["a"] }()
		fmt.Println("map", n)
		func() { _, ok = m["a"] }()
		fmt.Println("map", ok)
		func() { m["z"] = 7; m["y"], m["x"] = 1, 2; m["a"] += 3; m["a"]++ }()
		fmt.Println("map", m)
		func() { m = map[string]int{"q": 1} }()
		fmt.Println("map", m)
		func() { m = make(map[string]int) }()
		fmt.Println("map", m)
		func() { m = nil }()
		fmt.Println("map", m == nil)
	}
	{
		c := make(chan int, 5)
		c <- 3
		c <- 4
		c <- 5
		var n int
		var ok bool
		func() { n = <-c }()
		fmt.Println("recv", n)
		func() { n, ok = <-c }()
		fmt.Println("recv", n, ok)
		func() { _, ok = <-c }()
		fmt.Println("recv", ok)
		c <- 6
		func() {
			select {
			case n = <-c:
			}
		}()
		fmt.Println("select", n)
		c <- 7
		func() {
			select {
			case n, ok = <-c:
			}
		}()
		fmt.Println("select", n, ok)
		func() { c = make(chan int, 1) }()
		fmt.Println("chan", cap(c))
		close(c)
		func() { n, ok = <-c }()
		fmt.Println("closed", n, ok)
	}
	{
		var x float64 = 2
		var n int = 7
		var s string = "a"
		func() { x = x * 3 }()
		func() { n = n + 1 }()
		func() { s = s + "b" }()
		fmt.Println("bin", x, n, s)
		func() {
			x *= 3
			n -= 1
			s += "c"
			n <<= 2
			n |= 1
			n &^= 8
			n %= 10
		}()
		fmt.Println("op", x, n, s)
		func() { n++; x-- }()
		fmt.Println("inc", n, x)
		func() { n = -n; x = -x }()
		fmt.Println("neg", n, x)
		var b bool
		func() { b = !b }()
		fmt.Println("not", b)
		func() { b = n > 3 && x < 3 }()
		fmt.Println("and", b)
		func() { b = n < 3 || x < 3 }()
		fmt.Println("or", b)
		func() { b = n == -4 }()
		fmt.Println("eq", b)
		func() { n = ^n }()
		fmt.Println("compl", n)
		func() { n = int(x) }()
		fmt.Println("conv", n)
		func() { x = float64(n) / 2 }()
		fmt.Println("conv", x)
		func() { s = string(rune(65)) }()
		fmt.Println("conv", s)
		var bs []byte
		func() { bs = []byte("hey") }()
		fmt.Println("conv", bs)
		func() { s = string(bs) }()
		fmt.Println("conv", s)
		func() { n = len(bs); s = s[1:]; bs = bs[1:2] }()
		fmt.Println("len", n, s, bs)
		func() { bs = append(bs, 1, 2) }()
		fmt.Println("append", bs)
		func() { n = copy(bs, "xyz") }()
		fmt.Println("copy", n, bs)
		func() { n = int(bs[1]) }()
		fmt.Println("idx", n)
		func() { bs[0], bs[1] = bs[1], bs[0] }()
		fmt.Println("swapidx", bs)
	}
	{
		var a [3]int
		var t S
		var p = &P{}
		func() { a[1] = 5; t.A = 3; t.B = []int{1, 2}; p.X, p.Y = 3, 4 }()
		fmt.Println("fields", a, t, *p)
		func() { a = [3]int{1, 2, 3} }()
		fmt.Println("arr", a)
		func() { a[0], a[2] = a[2], a[0] }()
		fmt.Println("arr", a)
		func() { t.A, a[1] = 10, 20 }()
		fmt.Println("mix", t, a)
		func() { *p = P{7, 8} }()
		fmt.Println("star", *p)
		func() { p = &P{1, 1} }()
		fmt.Println("ptr", *p)
		func() { p = new(P) }()
		fmt.Println("new", *p)
		func() { p = nil }()
		fmt.Println("nil", p == nil)
		b := a
		func() { b = a }()
		b[0] = 99
		fmt.Println("copy", a, b)
	}
	{
		var f func(int) int
		func() { f = func(i int) int { return i * 2 } }()
		fmt.Println("lit", f(4))
		func() { g := func(i int) int { return i * 3 }; f = g }()
		fmt.Println("lit", f(4))
		var i I
		func() { i = P{5, 6} }()
		fmt.Println("iface", i.M())
		func() { i = mk() }()
		fmt.Println("iface", i.M())
		func() { i = &P{7, 6} }()
		fmt.Println("iface", i.M())
		var v any
		func() { v = 3 }()
		fmt.Println("any", v)
		func() { v = P{1, 2} }()
		fmt.Println("any", v)
		func() { v = []int{1} }()
		fmt.Println("any", v)
		func() { v = one() }()
		fmt.Println("any", v)
		x := 4
		func() { v = x + 1 }()
		fmt.Println("any", v)
		func() { f = i2 }()
		fmt.Println("func", f(4))
		var h func() int
		func() { h = i.M }()
		fmt.Println("methval", h())
		var e error
		func() { e = fmt.Errorf("x%d", 1) }()
		fmt.Println("err", e)
		func() { v, e = 1, nil }()
		fmt.Println("err", v, e)
	}
	{
		var k, v int
		func() {
			for k, v = range []int{1, 2, 3} {
			}
		}()
		fmt.Println("range", k, v)
		var s string
		func() {
			for s, v = range map[string]int{"a": 1} {
			}
		}()
		fmt.Println("range", s, v)
		var r rune
		func() {
			for k, r = range "héy" {
			}
		}()
		fmt.Println("range", k, r)
		func() {
			for k = range 5 {
			}
		}()
		fmt.Println("range", k)
		func() {
			for k = 0; k < 7; k++ {
			}
		}()
		fmt.Println("for", k)
		var t S
		func() {
			for t.A, v = range []int{1, 2, 3} {
			}
		}()
		fmt.Println("range", t, v)
		sum := 0
		func() {
			for _, x := range []int{1, 2, 3} {
				sum += x
			}
		}()
		fmt.Println("sum", sum)
		seq := func(yield func(int, S) bool) { yield(1, S{2, nil}) }
		func() {
			for k, t = range seq {
			}
		}()
		fmt.Println("rangefunc", k, t)
		ps := []P{{1, 2}, {3, 4}}
		func() {
			for i := range ps {
				ps[i] = P{i, i}
				ps[i].X += 5
			}
		}()
		fmt.Println("ps", ps)
	}
	{
		// two levels
		var r S
		var n int
		var s []int
		func() {
			func() { r = S{1, []int{2}}; n = n + 1; s = append(s, n) }()
			func() { r, n = S{r.A + 1, r.B}, n*10 }()
		}()
		fmt.Println("deep", r, n, s)
		var p P
		var a, b = 1, 2
		func() {
			x, y := 5, 6
			func() { a, x = x, a; p = P{x, y}; b = y }()
			fmt.Println(x, y)
		}()
		fmt.Println("deep2", p, a, b)
		func() {
			if n := one(); n.A > 3 {
				r = n
			}
			switch x := any(r).(type) {
			case S:
				r = S{x.A * 2, nil}
			}
		}()
		fmt.Println("deep3", r)
	}
	named()
	fmt.Println(res())
}

func i2(i int) int { return i * 5 }

func named() (r S, n int) {
	defer func() { r = S{5, nil}; n = 7; fmt.Println("defer", r, n) }()
	r, n = S{1, nil}, 2
	return
}
func res() (r S, n int, err error) {
	defer func() {
		r, n, err = S{5, nil}, 7, fmt.Errorf("e")
	}()
	return S{1, nil}, 2, nil
}
