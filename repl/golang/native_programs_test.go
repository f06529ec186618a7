package golang

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/native"
)

// TestNativePrograms runs programs that become machine code, but for main and what main alone calls (try), and compares
// what they print with compiled Go: of some, the interpreted form does what Go leaves open in another way.
func TestNativePrograms(t *testing.T) {
	if why := native.Disabled(); why != "" {
		t.Skip(why)
	}
	t.Setenv("GOROCM_NATIVE", "always")
	files, err := filepath.Glob("testdata/native/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		if *update {
			regenerate(t, file)
		}
		for _, p := range readPrograms(t, file) {
			t.Run(p.name, func(t *testing.T) {
				var e *Engine
				if err := p.run([]string{strings.Replace(p.src, "package main", "", 1)}, func(n *Engine) { e = n }); err != nil {
					t.Error(err)
				}
				for _, n := range e.Natives() {
					if n.Why != "" && n.Name != "main" && n.Name != "try" {
						t.Errorf("%s is interpreted: %s", n.Name, n.Why)
					}
				}
			})
		}
	}
}

// TestNativeBenchmarks: a loop over (*testing.B).Loop is machine code, and counts as package testing does.
func TestNativeBenchmarks(t *testing.T) {
	before := flag.Lookup("test.benchtime").Value.String()
	t.Cleanup(func() { _ = flag.Set("test.benchtime", before) })
	if err := flag.Set("test.benchtime", "37x"); err != nil {
		t.Fatal(err)
	}
	bothWays(t, []step{
		{"import \"testing\"\nvar calls int\nfunc work(n int) int { calls++; return n * n }\n" +
			"func BenchmarkWork(b *testing.B) { s := 0; for b.Loop() { s += work(s) } }", "", "BenchmarkWork work"},
		{"r := testing.Benchmark(BenchmarkWork)\nr.N == 37 && calls == 37", "true", "-"},
		{"func BenchmarkLeaves(b *testing.B) { n := 0; for b.Loop() { if n++; n == 5 { break } }; calls = n }", "",
			"BenchmarkLeaves BenchmarkWork work"},
		{"_ = testing.Benchmark(BenchmarkLeaves)\ncalls", "5", "-"},
		{"func BenchmarkMore(b *testing.B) {\n\tx := make([]int, 8)\n\tb.ReportAllocs()\n\tb.ResetTimer()\n" +
			"\tfor i := 0; b.Loop(); i++ { x[i%8] += i }\n\tcalls = x[0] + x[4] + b.N\n}", "", "-"},
		{"_ = testing.Benchmark(BenchmarkMore)\ncalls", "217", "-"},
		{"func stopped(b *testing.B) { b.StopTimer(); for b.Loop() { } }\ntesting.Benchmark(stopped).N", "0", "-"},
		{"func none(b *testing.B) (n int) { for b.Loop() { n++ }; return n }\nnone(nil)",
			"RuntimeError: invalid memory address or nil pointer dereference | cell[8]:1:41 none | cell[8]:2:1 ", "-"},
	})
}
