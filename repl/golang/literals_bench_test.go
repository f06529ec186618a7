package golang

import (
	"context"
	"testing"
)

// BenchmarkLiterals are cells with function literals and loops that are passed on or stay within what is interpreted.
func BenchmarkLiterals(b *testing.B) {
	for _, c := range []struct{ name, first, code string }{
		{"sort.Slice", "xs := make([]int, 3000)\nfunc fill() { for i := range xs { xs[i] = i * 7919 % 3001 } }",
			"fill()\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })"},
		{"sort.Sort", "type byN []int\nfunc (b byN) Len() int { return len(b) }\nfunc (b byN) Less(i, j int) bool { return b[i] < b[j] }\n" +
			"func (b byN) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nxs := make(byN, 3000)\nfunc fill() { for i := range xs { xs[i] = i * 7919 % 3001 } }",
			"fill()\nsort.Sort(xs)"},
		{"strings.Map", "s := strings.Repeat(\"some text \", 1000)", "_ = strings.Map(func(r rune) rune { return r ^ 1 }, s)"},
		{"defer", "func f(n int) (s int) { defer func() { s++ }(); for i := range n { s += i % 7 }; return s }", "_ = f(100000)"},
		{"goroutine", "c := make(chan int)", "go func() { s := 0; for i := range 100000 { s += i % 7 }; c <- s }()\n<-c"},
		{"short loops", "func f(n int) (s int) { _ =  []struct{}{}; for i := range n { go func() {}(); for j := range 2 { s += i + j } }; return s }", "_ = f(1000)"},
	} {
		for _, way := range []string{"1", "0"} {
			b.Run(c.name+"/native="+way, func(b *testing.B) {
				b.Setenv("GOROCM_NATIVE", way)
				e, err := New(Options{})
				if err != nil {
					b.Fatal(err)
				}
				e.Eval(context.Background(), 1, c.first)
				for i := 2; b.Loop(); i++ {
					if out := e.Eval(context.Background(), i, c.code); out.Failure != nil {
						b.Fatal(shown(out))
					}
				}
			})
		}
	}
}
