package golang

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

func newEngine(t *testing.T) (*Engine, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	e, err := New(Options{Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	return e, &out
}

// value is what a cell shows, as text.
func value(t *testing.T, e *Engine, code string) string {
	t.Helper()
	out := runCell(t, e, 1000, code)
	var s []string
	for _, v := range out.Values {
		s = append(s, fmt.Sprintf("%v %s", v.V, v.Type))
	}
	return strings.Join(s, ", ")
}

// TestConcurrentUse: completion and inspection answer while cells run.
func TestConcurrentUse(t *testing.T) {
	thorough.Slow(t)
	e, _ := newEngine(t)
	runCell(t, e, 1, "type P struct{ Name string }\nfunc (p P) Hello() string { return p.Name }\np := P{}")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if len(e.Complete("p.", 2).Matches) == 0 {
					t.Error("no members")
				}
				e.Inspect("strings.Repeat", 9, 0)
				e.Inspect("p", 0, 0)
				e.Names()
			}
		})
	}
	for i := range 60 {
		runCell(t, e, i+2, fmt.Sprintf("v%d := %d\nfunc f%d(p P) string { return p.Hello() }\nf%d(p)", i, i, i, i))
	}
	close(stop)
	wg.Wait()
}

func TestTwoCellsAtOnce(t *testing.T) {
	e, _ := newEngine(t)
	runCell(t, e, 1, "n := 0")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				runCell(t, e, i+2, "n++")
			}
		})
	}
	wg.Wait()
	if got := value(t, e, "n"); got != "80 int" {
		t.Errorf("n is %s", got)
	}
}

// TestExpr leaves the session as it is.
func TestExpr(t *testing.T) {
	e, _ := newEngine(t)
	runCell(t, e, 1, "x := 5\nx * 2")
	out := e.Expr(context.Background(), "expression", "x + 1")
	if out.Failure != nil || len(out.Values) != 1 || out.Values[0].V != 6 {
		t.Errorf("%+v", out)
	}
	if got := value(t, e, "_"); got != "10 int" {
		t.Errorf("_ is %s", got)
	}
	for _, bad := range []string{"x := 1", "undefined1", ""} {
		if out := e.Expr(context.Background(), "expression", bad); out.Failure == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestHostileCells: whatever a cell holds, Eval returns and the session lives.
func TestHostileCells(t *testing.T) {
	e, _ := newEngine(t)
	for i, code := range []string{"\x00", "func", "type T T", "type A = A", "type T [len(x)]int; var x T", "import \"", "{{{{", "a b c", "package main", "`", "x := x",
		"func f[T any]() {}; f()", "var _ = 1", "_ := 1", "const c = c", "type I interface { I }", "goto nowhere",
		"L: for { break L }", "//line x:1\nundefined1", "1;2;3", "\ufeff1", "var a, b = 1"} {
		e.Eval(context.Background(), i+1, code)
		if got := value(t, e, "1 + 1"); got != "2 int" {
			t.Fatalf("after %q: %s", code, got)
		}
	}
}
