package golang

import (
	"context"
	"fmt"
	"testing"

	"github.com/traefik/yaegi/interp"
)

func benchEngine(b *testing.B, cells ...string) *Engine {
	b.Helper()
	e, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i, c := range cells {
		runCell(b, e, i+1, c)
	}
	return e
}

// BenchmarkCell measures small cells. None may take a millisecond.
func BenchmarkCell(b *testing.B) {
	for _, tt := range []struct{ name, code string }{
		{"value", "1"},
		{"assign", "x = 2"},
		{"define", "x := 3"},
		{"print", "fmt.Sprint(x)"},
		{"method", "buf.Len()"},
		{"function", "func f(n int) int { return n + x }"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			e := benchEngine(b, "x := 1\nbuf := bytes.NewBufferString(\"text\")")
			for b.Loop() {
				if out := e.Eval(context.Background(), 2, tt.code); out.Failure != nil {
					b.Fatal(out.Failure.Message)
				}
			}
		})
	}
}

// BenchmarkManyVariables shows that a cell's time does not depend on the number of variables.
func BenchmarkManyVariables(b *testing.B) {
	for _, n := range []int{10, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := benchEngine(b)
			for i := range n {
				runCell(b, e, i+1, fmt.Sprintf("v%d := %d", i, i))
			}
			for b.Loop() {
				e.Eval(context.Background(), n+1, "v1 + v2")
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun measures interpreted code.
func BenchmarkRun(b *testing.B) {
	for _, tt := range []struct{ name, once, code string }{
		{"loop1000000", "", "s := 0; for i := 0; i < 1000000; i++ { s += i }"},
		{"fib20", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "fib(20)"},
		{"method10000", "buf := bytes.NewBufferString(\"text\")", "for i := 0; i < 10000; i++ { buf.Len() }"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			e := benchEngine(b)
			if tt.once != "" {
				runCell(b, e, 1, tt.once)
			}
			for b.Loop() {
				e.Eval(context.Background(), 2, tt.code)
			}
		})
	}
}

// speedPrograms need no imports, so that a bare interpreter runs the same source. Each defines a function work of no
// arguments.
var speedPrograms = []struct{ name, src string }{
	{"fib", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfunc work() int { return fib(18) }"},
	{"loops", "func work() int { a := make([]int, 200); s := 0; for i := 0; i < 200; i++ { for j := 0; j < len(a); j++ { a[j] += i; s += a[j] } }; return s }"},
	{"count", "func work() int { m := map[int]int{}; for i := 0; i < 20000; i++ { m[i%100]++ }; return m[7] }"},
	{"strings", "func work() int { n := 0; for i := 0; i < 100; i++ { s := \"\"; for j := 0; j < 100; j++ { s += \"ab\" }; n += len(s) }; return n }"},
	{"method", "type P struct{ X int }\nfunc (p *P) Add(n int) { p.X += n }\nfunc work() int { p := &P{}; for i := 0; i < 10000; i++ { p.Add(i) }; return p.X }"},
	{"interface", "type S interface{ Area() int }\ntype Q struct{ A int }\nfunc (q Q) Area() int { return q.A * q.A }\nfunc work() int { var s S = Q{3}; n := 0; for i := 0; i < 10000; i++ { n += s.Area() }; return n }"},
	{"primes", "func work() int { c := make([]bool, 20000); n := 0; for i := 2; i < len(c); i++ { if c[i] { continue }; n++; for j := i * 2; j < len(c); j += i { c[j] = true } }; return n }"},
	{"closure", "func work() int { n := 0; add := func(x int) { n += x }; for i := 0; i < 10000; i++ { add(i) }; return n }"},
}

// BenchmarkSpeed runs the same programs in a session and on yaegi alone.
func BenchmarkSpeed(b *testing.B) {
	for _, p := range speedPrograms {
		b.Run(p.name+"/session", func(b *testing.B) {
			e := benchEngine(b, p.src)
			for b.Loop() {
				if out := e.Eval(context.Background(), 2, "work()"); out.Failure != nil {
					b.Fatal(out.Failure.Message)
				}
			}
		})
		b.Run(p.name+"/yaegi", func(b *testing.B) {
			in := interp.New(interp.Options{})
			if _, err := in.Eval(p.src); err != nil {
				b.Fatal(err)
			}
			v, err := in.Eval("work")
			if err != nil {
				b.Fatal(err)
			}
			work := v.Interface().(func() int)
			for b.Loop() {
				work()
			}
		})
	}
}
