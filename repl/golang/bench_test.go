package golang

import (
	"context"
	"fmt"
	"testing"
)

func benchEngine(b *testing.B, cells ...string) *Engine {
	b.Helper()
	e, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i, c := range cells {
		run(b, e, i+1, c)
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
				run(b, e, i+1, fmt.Sprintf("v%d := %d", i, i))
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
				run(b, e, 1, tt.once)
			}
			for b.Loop() {
				e.Eval(context.Background(), 2, tt.code)
			}
		})
	}
}
