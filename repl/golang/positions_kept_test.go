package golang

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestPositionsOfOldCells: however many cells there were since, what can still run has its places.
func TestPositionsOfOldCells(t *testing.T) {
	thorough.Slow(t)
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int, code string) Outcome { return e.Eval(context.Background(), n, code) }
	first := []string{
		"func fails(n int) int {\n\tvar list []int\n\treturn list[n]\n}",
		"type spot struct{ x int }\nfunc (p spot) Fail() {\n\tpanic(p.x)\n}",
		"q := any(spot{3})",
		"closure := func() func(any) {\n\treturn func(v any) {\n\t\tpanic(v)\n\t}\n}()",
		"func generic[T any](x T) T {\n\tvar p *T\n\treturn *p\n}",
		"start, got := make(chan int), make(chan any)\ngo func() {\n\tdefer func() { got <- recover() }()\n\t<-start\n" +
			"\tpanic(\"woken\")\n}()",
		"type kept struct{ a int }\nk := kept{1}",
		"wanted := 0\nfor i := range 300 { wanted += i }\nwanted",
	}
	for i, code := range first {
		if out := run(i+1, code); out.Failure != nil {
			t.Fatalf("%s: %+v", code, out.Failure)
		}
	}
	run(50, "type spot struct{ y string }\ntype kept struct{ b int }")
	before := len(e.scope.Sources.Names())
	cells := 400
	if thorough.On() {
		cells = 1000
	}
	for i := 5 * len(mixed); i < 5*len(mixed)+cells; i++ {
		if i%100 == 0 {
			runtime.GC()
			runtime.GC()
		}
		session(t, e, i, i)
	}
	if n := len(e.scope.Sources.Names()); n > before+cells/2 {
		t.Errorf("the lines of %d cells are kept", n)
	}
	for i, c := range []struct {
		code, cell string
		line       int
	}{
		{"fails(2)", "cell[1]", 3},
		{"q.(interface{ Fail() }).Fail()", "cell[2]", 3},
		{"closure(1)", "cell[4]", 3},
		{"generic(2)", "cell[5]", 3},
	} {
		out := run(2000+i, c.code)
		if out.Failure == nil || len(out.Failure.Frames) == 0 {
			t.Errorf("%s: %+v", c.code, out.Failure)
			continue
		}
		at := out.Failure.Frames[0]
		if at.Cell != c.cell || at.Line != c.line || at.Source == "" {
			t.Errorf("%s fails in %s, line %d, %q; want %s, line %d", c.code, at.Cell, at.Line, at.Source, c.cell, c.line)
		}
	}
	if out := run(3000, "start <- 1\n<-got"); out.Failure != nil || fmt.Sprint(out.Values[0].V) != "woken" {
		t.Errorf("the goroutine of an old cell: %+v", out)
	}
	out := run(3001, "var other kept = k")
	if text := fmt.Sprint(out.Failure); !strings.Contains(text, "cell[7]") || !strings.Contains(text, "cell[50]") {
		t.Errorf("two versions of a type: %s", text)
	}
}
