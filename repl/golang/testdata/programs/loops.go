package main

import "fmt"

type S struct {
	A int
	B []int
}
type N struct {
	next *N
	v    int
}

func main() {
	m := map[string]int{"a": 1}
	for _, k := range []string{"a", "b", "a", "c"} {
		v, ok := m[k]
		fmt.Println(k, v, ok)
	}
	for _, x := range []any{1, "s", 2, nil} {
		v, ok := x.(int)
		fmt.Println(v, ok)
	}
	var fs []func() int
	var ps []*int
	var ss []*S
	for i := 0; i < 3; i++ {
		x := i * 2
		fs = append(fs, func() int { x++; return x })
		ps = append(ps, &x)
		s := S{i, []int{i}}
		ss = append(ss, &s)
	}
	for i := range fs {
		fmt.Println(fs[i](), *ps[i], *ss[i])
	}
	var fs2 []func() int
	for i := 0; i < 3; i++ {
		var x int
		x += i
		fs2 = append(fs2, func() int { x++; return x })
	}
	for i := range fs2 {
		fmt.Println(fs2[i](), fs2[i]())
	}
	var arrs [][]int
	for i := 0; i < 3; i++ {
		a := [3]int{i, i, i}
		arrs = append(arrs, a[:])
		var b [2]int
		b[0] = i
		arrs = append(arrs, b[:])
	}
	fmt.Println(arrs)
	var head *N
	for i := 0; i < 3; i++ {
		n := N{v: i}
		n.next = head
		head = &n
	}
	for n := head; n != nil; n = n.next {
		fmt.Print(n.v, " ")
	}
	fmt.Println()
	for i := 0; i < 3; i++ {
		defer func() { fmt.Println("defer", i) }()
	}
	for _, s := range []string{"a", "b"} {
		defer func() { fmt.Println("defer", s) }()
		defer fmt.Println("plain", s)
	}
	for i := range 2 {
		defer func() { fmt.Println("defer r", i) }()
		if i == 0 {
			continue
		}
		fmt.Println("not skipped", i)
	}
	c := make(chan int, 3)
	for i := 0; i < 3; i++ {
		go func() { c <- i }()
	}
	fmt.Println(<-c + <-c + <-c)
	data := []byte{1, 2, 3, 4, 5}
	for rest := data; len(rest) >= 2; {
		fmt.Print(rest[0], rest[1], " ")
		rest = rest[2:]
	}
	fmt.Println()
	a, b := S{1, nil}, 3
	a, b = S{2, nil}, 4
	fmt.Println(a, b)
	x, y := len("abc"), S{5, nil}
	x, y = len("abcd"), S{6, nil}
	x, b = len("abcde"), 5
	fmt.Println(x, y, b)
	f := func(i int) int { return i + 1 }
	x, b = f(1), 7
	fmt.Println(x, b)
	x, b = b, f(x)
	fmt.Println(x, b)
	x, b = b+1, x
	fmt.Println(x, b)
	x, b = -b, -x
	fmt.Println(x, b)
	cc := make(chan int, 4)
	cc <- 1
	cc <- 2
	x, b = <-cc, 9
	fmt.Println(x, b)
	m["q"], x = 5, m["a"]
	fmt.Println(m, x)
	arr := []int{0, 1, 2}
	i := 0
	i, arr[i] = 2, 7
	fmt.Println(i, arr)
	arr[0], arr[1], arr[2] = arr[2], arr[0], arr[1]
	fmt.Println(arr)
	z := struct{ a, b int }{1, 2}
	z.a, z.b = z.b, z.a
	fmt.Println(z)
	func() { z.a, z.b = z.b+1, z.a+1 }()
	fmt.Println(z)
	n1, ok := m["nope"]
	fmt.Println(n1, ok)
	n1 = 4
	n1, ok2 := m["nope"]
	fmt.Println(n1, ok2)
	if v, ok := m["q"]; ok {
		fmt.Println(v)
	}
	for j := 0; j < 2; j++ {
		var e error
		if j == 0 {
			e = fmt.Errorf("first")
		}
		fmt.Println(e)
	}
	for j := 0; j < 2; j++ {
		var s []int
		s = append(s, j)
		var mm map[int]int
		var st S
		fmt.Println(s, mm == nil, st)
		mm = map[int]int{}
		st.A = 4
	}
	var keep []func() (int, error)
	for j := 0; j < 2; j++ {
		v, err := fmt.Sscan("12", &b)
		v += j
		keep = append(keep, func() (int, error) { return v, err })
	}
	for _, k := range keep {
		fmt.Println(k())
	}
outer:
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			g := func() int { return i*10 + j }
			if j == 2 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			fmt.Println(g())
		}
	}
	fmt.Println(ret())
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		h := func() { i++ }
		h()
		fmt.Println(i, j)
	}
}
func ret() (int, S, error) {
	for i := 0; ; i++ {
		f := func() int { return i }
		if f() == 3 {
			return i, S{i, []int{1}}, nil
		}
	}
}
