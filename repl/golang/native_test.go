package golang

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// step is a cell, what it shows or fails with, and which functions are machine code afterwards.
type step struct {
	code, want, compiled string
}

// shown is what a cell shows, or its failure.
func shown(out Outcome) string {
	if f := out.Failure; f != nil {
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s", f.Name, f.Message)
		for _, x := range f.Frames {
			fmt.Fprintf(&b, " | %s:%d:%d %s", x.Cell, x.Line, x.Column, x.Func)
		}
		return b.String()
	}
	var list []string
	for _, v := range out.Values {
		list = append(list, fmt.Sprint(v.V))
	}
	return strings.Join(list, " ")
}

// bothWays runs cells with machine code and without. compiled of a step are the names of functions that are.
func bothWays(t *testing.T, steps []step) {
	t.Helper()
	eachWay(t, steps, func(e *Engine) string {
		var names []string
		for _, n := range e.Natives() {
			if n.Why == "" {
				names = append(names, n.Name)
			}
		}
		return strings.Join(names, " ")
	})
}

// eachWay runs cells with machine code and without, and compares what told says after each with compiled, unless that
// is "-".
func eachWay(t *testing.T, steps []step, told func(e *Engine) string) {
	t.Helper()
	for _, way := range []string{"always", "0"} {
		t.Run("GOROCM_NATIVE="+way, func(t *testing.T) {
			t.Setenv("GOROCM_NATIVE", way)
			e, _ := newEngine(t)
			for i, s := range steps {
				if got := shown(e.Eval(context.Background(), i+1, s.code)); got != s.want {
					t.Errorf("%s\nshows %s\nwant  %s", s.code, got, s.want)
				}
				if got := told(e); native.Disabled() == "" && s.compiled != "-" && got != s.compiled {
					t.Errorf("after %s: compiled are %q, not %q: %+v %+v", s.code, got, s.compiled, e.Natives(), e.NativeLoops())
				}
			}
		})
	}
}

// TestNativeRedefinition: a caller follows the newest version of what it calls, compiled or not.
func TestNativeRedefinition(t *testing.T) {
	bothWays(t, []step{
		{"func f(x int) int { return x + 1 }\nfunc g(x int) int { return f(x) * 10 }", "", "f g"},
		{"g(1)", "20", "f g"},
		{"func f(x int) int { return x + 2 }", "", "f g"},
		{"g(1)", "30", "f g"},
		{"func f(x int) int { _ =  []struct{}{}; return x + 3 }", "", "g"},
		{"g(1)", "40", "g"},
		{"func f(x int) int { return x + 4 }", "", "f g"},
		{"g(1)", "50", "f g"},
		{"func f(x int) int { _ =  []struct{}{}; xs := []int{x}; return xs[x] }", "", "g"},
		{"g(1)", "RuntimeError: index out of range [1] with length 1 | cell[9]:1:63 f | cell[1]:2:28 g | cell[10]:1:1 ", "g"},
		{"func f(x string) int { return len(x) }\nfunc g(x int) int { return f(\"abc\") * x }", "", "f g"},
		{"g(2)", "6", "f g"},
	})
}

// TestNativePanics: the texts and the places of panics are those of interpreted code.
func TestNativePanics(t *testing.T) {
	bothWays(t, []step{
		{"type P struct { A, B int }\nfunc field(p *P) int { return p.B }", "", "field"},
		{"field(&P{1, 2})", "2", "field"},
		{"field(nil)", "RuntimeError: invalid memory address or nil pointer dereference | cell[1]:2:31 field | cell[3]:1:1 ",
			"field"},
		{"func div(x, y int) int {\n\treturn x / y\n}", "", "div field"},
		{"div(1, 0)", "RuntimeError: integer divide by zero | cell[4]:2:9 div | cell[5]:1:1 ", "div field"},
		{"func cut(x []int, i, j int) int {\n\treturn len(x[i:j])\n}", "", "cut div field"},
		{"cut([]int{1, 2, 3}, 2, 1)", "RuntimeError: slice bounds out of range [2:1] | cell[6]:2:13 cut | cell[7]:1:1 ", "-"},
		{"cut([]int{1, 2, 3}, 0, 9)", "RuntimeError: slice bounds out of range [:9] with capacity 3 | cell[6]:2:13 cut | cell[8]:1:1 ", "-"},
		{"func shift(x, n int) int { return x << n }", "", "cut div field shift"},
		{"shift(1, -1)", "RuntimeError: negative shift amount | cell[9]:1:35 shift | cell[10]:1:1 ", "-"},
		{"func why(n int) int { if n > 1 { panic(\"too many\") }; return n }", "", "cut div field shift why"},
		{"why(2)", "Panic: too many | cell[11]:1:34 why | cell[12]:1:1 ", "-"},
		{"func caught() (s string) { defer func() { s = fmt.Sprint(recover()) }(); div(1, 0); return }\ncaught()",
			"runtime error: integer divide by zero", "-"},
		{"func down(n int) int { return down(n+1) + 1 }", "", "-"},
		{"func mk(n int) int { return len(make([]int, n)) }\nmk(5)", "5", "caught cut div down field mk shift why"},
		{"func array(a [4]int, n int) int { return len(a[:n]) }\narray([4]int{}, 4)", "4", "-"},
		{"array([4]int{}, 6)", "RuntimeError: slice bounds out of range [:6] with length 4 | cell[16]:1:46 array | cell[17]:1:1 ", "-"},
		{"func most(a [4]int, n int) int { return cap(a[0:0:n]) }\nmost([4]int{}, 5)",
			"RuntimeError: slice bounds out of range [::5] with length 4 | cell[18]:1:45 most | cell[18]:2:1 ", "-"},
		{"mk(-1)", "RuntimeError: makeslice: len out of range | cell[15]:1:33 mk | cell[19]:1:1 ", "-"},
	})
}

// TestNativeRecursion: recursion without an end is an error of the cell.
func TestNativeRecursion(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_NATIVE", "1")
	defer run.StackLimit.Store(run.StackLimit.Swap(32 << 20)) // to copy a stack of the usual limit takes seconds
	e, _ := newEngine(t)
	out := e.Eval(context.Background(), 1, "func down(n int) int { return down(n+1) + 1 }\ndown(0)")
	if out.Failure == nil || !strings.Contains(out.Failure.Message, "stack overflow") {
		t.Errorf("%s", shown(out))
	}
	for i, body := range []string{"p := []int{n}; return down(n+1) + p[0]", "defer func() { n++ }(); return down(n+1) + 1"} {
		out := e.Eval(context.Background(), 3+i, "func down(n int) int { "+body+" }\ndown(0)")
		if out.Failure == nil || !strings.Contains(out.Failure.Message, "stack overflow") {
			t.Errorf("%s: %s", body, shown(out))
		}
	}
	if got := shown(e.Eval(context.Background(), 2, "func up(n int) int { if n == 0 { return 0 }; return up(n-1) + 1 }\nup(100000)")); got != "100000" {
		t.Error(got)
	}
}

// TestNativeInterrupt: endless loops and recursion of machine code end, and so do goroutines with the session's stops.
func TestNativeInterrupt(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_NATIVE", "1")
	for _, body := range []string{"for { n++ }", "for { n = fib(30) }", "return fib(100)"} {
		e, started := interruptible(t)
		e.Eval(context.Background(), 1, "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\n"+
			"func forever(n int) int { "+body+" }")
		out, took := interruptAfter(t, e, started, 2, "list.New()\nforever(1)", "")
		if out.Failure == nil || out.Failure.Name != "Interrupted" {
			t.Errorf("%s: %s", body, shown(out))
		}
		t.Logf("%s: ended after %v", body, took)
	}
	e, _ := newEngine(t)
	e.Eval(context.Background(), 1, "func spin(stop []bool) (n int) { for !stop[0] { n++ }; return n }\n"+
		"stop, begun, ended := make([]bool, 1), make(chan bool), make(chan int)\n"+
		"go func() { begun <- true; ended <- spin(stop) }()\n<-begun;")
	if list := e.Natives(); native.Disabled() == "" && (len(list) != 1 || list[0].Why != "") {
		t.Errorf("%+v", list)
	}
	if got := shown(e.Eval(context.Background(), 2, "1 + 1")); got != "2" {
		t.Error(got)
	}
	// Left running, it took one processor from all tests after this one.
	if got := shown(e.Eval(context.Background(), 3, "stop[0] = true\n<-ended >= 0")); got != "true" {
		t.Error(got)
	}
}

// TestNativeCalls: functions are called from everywhere.
func TestNativeCalls(t *testing.T) {
	bothWays(t, []step{
		{"func square(x float64) float64 { return x * x }\nfunc minmax(a, b int) (int, int) { if a < b { return a, b }; return b, a }\n" +
			"func first(s string, n int) string { return s[:n] }\nfunc tail(xs []string) []string { return xs[1:] }", "",
			"first minmax square tail"},
		{"f := square\nf(3)", "9", "-"},
		{"lo, hi := minmax(7, 3)\nfmt.Sprint(lo, hi)", "3 7", "-"},
		{"first(\"hello\", 2)", "he", "-"},
		{"tail([]string{\"a\", \"b\", \"c\"})", "[b c]", "-"},
		{"func less(i, j int) bool { return i > j }\nxs := []int{3, 1, 2}\nslices.SortFunc(xs, func(a, b int) int { if less(a, b) { return -1 }; return 1 })\nxs",
			"[3 2 1]", "-"},
		{"reflect.ValueOf(square).Call([]reflect.Value{reflect.ValueOf(4.0)})[0].Float()", "16", "-"},
		{"c := make(chan float64)\ngo func() { c <- square(5) }()\n<-c", "25", "-"},
		{"type Acc struct { N int; Log []string }\nfunc (a *Acc) Add(n int, s string) { a.N += n; a.Log = append(a.Log, s) }\n" +
			"func (a Acc) Twice() int { return a.N * 2 }\nvar all = &Acc{}\nfunc run(n int) int { for i := range n { all.Add(i, \"x\") }; return all.Twice() }",
			"", "-"},
		{"run(4)", "12", "-"},
		{"fmt.Sprint(all.N, all.Log)", "6 [x x x x]", "-"},
		{"all = &Acc{N: 100}", "", "-"},
		{"run(2)", "202", "-"},
		{"func (a *Acc) Add(n int, s string) { a.N += 10 * n }", "", "-"},
		{"run(2)", "222", "-"},
		{"func (a *Acc) Add(n int, s string) { defer func() { a.N++ }() }", "", "-"},
		{"run(2)", "226", "-"},
		{"var all = &Acc{N: 1}\nrun(0)", "2", "-"},
		{"total := 0\nfunc bump(n int) int { for range n { total++ }; return total }\nbump(3)", "3", "-"},
		{"total = 10\nbump(1)", "11", "-"},
		{"total := 1.5\nfunc bump(n int) float64 { for range n { total++ }; return total }\nbump(2)", "3.5", "-"},
		{"type Celsius float64\nfunc warm(c Celsius) Celsius { return c + 10 }\nwarm(5)", "15", "-"},
		{"func quit(n int) int { return n }\nfunc many(n int) int { t := 0; for i := range n { t += quit(i) }; return t }",
			"", "-"},
		{"func quit(n int) int { if n == 7 { runtime.Goexit() }; return n }", "", "-"},
		{"w := make(chan string, 1)\ngo func() { defer func() { w <- \"left\" }(); many(100); w <- \"returned\" }()\n<-w", "left", "-"},
		{"many(5)", "10", "-"},
		{"func same(x float64) float64 { return x }\nmath.Signbit(same(math.Copysign(0, -1)))", "true", "-"},
	})
}
