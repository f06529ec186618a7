package golang

import (
	"container/list"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/check"
)

// shownBy runs a cell under a number and tells what it shows.
func shownBy(t *testing.T, e *Engine, n int, code string) string {
	t.Helper()
	var s []string
	for _, v := range runCell(t, e, n, code).Values {
		s = append(s, fmt.Sprintf("%v %s", v.V, v.Type))
	}
	return strings.Join(s, ", ")
}

// TestResults: a cell's result has a name with the cell's number, and the type that it had.
func TestResults(t *testing.T) {
	e, err := New(Options{Input: func(n int) (string, bool) { return fmt.Sprint("text of ", n), n < 90 }})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ code, want string }{
		{"6 * 7", "42 int"},
		{`"text"`, "text string"},
		{"_1 + 1", "43 int"},
		{"Out[1] / 2 + len(Out[2])", "25 int"},
		{"y := 1", ""},
		{"__", "43 int"},
		{"___", "43 int"},
		{"type T struct{ N int }\nfunc (t T) String() string { return fmt.Sprint(\"T \", t.N) }\nT{5}", "T 5 T"},
		{"_8.N + Out[8].N", "10 int"},
		{"fmt.Sprint(_8, any(Out[8]).(T).N)", "T 5 5 string"},
		{"[]any{1, \"a\", nil}", "[1 a <nil>] []any"},
		{"_11[1]", "a any"},
		{"f := func() string { return _2 }\nf()", "text string"},
		{"func g(n int) int { return n + Out[1] }\ng(1)", "43 int"},
		{"f() + fmt.Sprint(g(2))", "text44 string"},
		{"strconv.Atoi(\"12\")", "12 int"},
		{"_16", "12 int"},
		{"p := &_1\n*p++\n*p", "43 int"},
		{"_1 + g(0)", "86 int"}, // the function and the pointer mean the same variable
		{"_3++\n_3", "44 int"},
		{"_3", "44 int"},
		{"In[1] + In[2]", "text of 1text of 2 string"},
		{"error(errors.New(\"e\"))", "e error"},
		{"_23.Error()", "e string"},
		{"time.Unix(0, 0).UTC()", "1970-01-01 00:00:00 +0000 UTC time.Time"},
		{"_25.Year()", "1970 int"},
		{"_5 := 7\n_5", "7 int"},
		{"Out := []string{\"mine\", \"own\"}\nOut[1]", "own string"},
		{"Out[0]", "mine string"},
		{"func(Out []int) int { return Out[0] }([]int{3})", "3 int"},
		{"func(In map[int]int) int { return In[1] }(map[int]int{1: 4})", "4 int"},
		{"func(__ int) int { return __ + _1 }(1)", "44 int"},
	} {
		if got := shownBy(t, e, i+1, c.code); got != c.want {
			t.Errorf("cell %d, %s: %s, want %s", i+1, c.code, got, c.want)
		}
	}
}

// TestNoResult: who asks for a result that is not there learns why.
func TestNoResult(t *testing.T) {
	e, _ := newEngine(t)
	runCell(t, e, 5, "1")
	runCell(t, e, 6, "x := 2")
	runCell(t, e, 7, "make([]byte, 2<<20)")
	runCell(t, e, 8, "func() {}")
	runCell(t, e, 9, "[]chan int{make(chan int)}")
	runCell(t, e, 10, "struct{ p *int }{&x}")
	runCell(t, e, 11, "make([]string, 20_000)")
	for _, c := range []struct{ code, want string }{
		{"_3", "the session has begun anew since cell 3"},
		{"Out[3]", "the session has begun anew since cell 3"},
		{"_6", "cell 6 has shown no value"},
		{"_7", "the result of cell 7 is not kept: it takes more than 1 MiB; x := … in the cell keeps it in a variable"},
		{"_8", "cannot be told, through a func"},
		{"_9", "cannot be told, through a chan"},
		{"_10", "cannot be told, through a pointer"},
		{"_11", "cannot be told, through so many parts"},
		{"_99", "cell 99 has not run"},
		{"_0", "cell 0 has not run"},
		{"Out[99] + 1", "cell 99 has not run"},
		{"Out[x]", "with the number itself"},
		{"In[1]", "there is no such cell"},
		{"In", "In[3], with the number itself"},
		{"_x", ""},
		{"_1.x", "the session has begun anew"},
	} {
		out := e.Eval(context.Background(), 12, c.code)
		if out.Failure == nil || !strings.HasPrefix(out.Failure.Message, "undefined: ") {
			t.Errorf("%s: %+v", c.code, out)
			continue
		}
		if got := strings.Join(out.Failure.Notes, "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: the notes are %q, want %q", c.code, got, c.want)
		}
	}
	few, _ := newEngine(t)
	runCell(t, few, 1, "1")
	if out := few.Eval(context.Background(), 2, "__"); out.Failure == nil ||
		!strings.Contains(strings.Join(out.Failure.Notes, ""), "fewer than 2 cells have shown a value") {
		t.Errorf("%+v", out)
	}
}

// TestResultsHeldByOthers: of a value that is large, a result lives as long as a variable has it.
func TestResultsHeldByOthers(t *testing.T) {
	thorough.Slow(t)
	skipMarks(t)
	alive := new(atomic.Int64)
	e, err := New(Options{
		Symbols: map[string]map[string]reflect.Value{"container/list/list": {
			"New": reflect.ValueOf(func() *list.List {
				alive.Add(1)
				l := list.New()
				runtime.AddCleanup(l, func(*atomic.Int64) { alive.Add(-1) }, alive)
				return l
			}),
		}},
		Holding: func(v any) (h Holding, ok bool) {
			l, ok := v.(*list.List)
			if !ok {
				return h, false
			}
			p := weak.Make(l)
			return Holding{Bytes: 3 << 20, Weak: func() any {
				if l := p.Value(); l != nil {
					return l
				}
				return nil
			}}, true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	runCell(t, e, 1, "x := list.New()\nx")
	runCell(t, e, 2, "any(x)")
	runCell(t, e, 3, "[]*list.List{x}")
	runCell(t, e, 4, "x.Len()")
	if got := shownBy(t, e, 5, "_1 == x && Out[2] == any(x)"); got != "true bool" {
		t.Error(got)
	}
	if got, kept := e.Results(); !slices.Equal(got, []int{1, 2, 4, 5}) || len(kept) != 2 {
		t.Errorf("the results of the cells %v are there, %v are kept", got, kept)
	}
	runCell(t, e, 6, "x = nil")
	if got := settle(alive, 0); got != 0 {
		t.Fatalf("%d are alive that no variable holds", got)
	}
	out := e.Eval(context.Background(), 7, "_1.Len()")
	if out.Failure == nil || !strings.Contains(strings.Join(out.Failure.Notes, ""),
		"the result of cell 1 is gone: it takes 3 MiB, and no variable holds it any more") {
		t.Errorf("%+v", out.Failure)
	}
	runCell(t, e, 8, "x = list.New()\nx")
	runCell(t, e, 9, "f := func() int { return _8.Len() }\nx = nil")
	runCell(t, e, 10, "f()")
	if got := collected(alive); got != 1 {
		t.Errorf("%d are alive, want the one that a function uses", got)
	}
	if got := shownBy(t, e, 11, "f()"); got != "0 int" {
		t.Error(got)
	}
	runtime.KeepAlive(e)
}

// TestResultsBounded: only the last results are kept, their variables are used again, and what functions use stays as
// it was.
func TestResultsBounded(t *testing.T) {
	thorough.Slow(t)
	e, _ := newEngine(t)
	runCell(t, e, 1, "100")
	runCell(t, e, 2, "f := func() int { return _1 }\n2")
	n := 3
	for ; n < 4*check.KeptResults; n++ {
		runCell(t, e, n, "f() + __") // of the same type as the others
	}
	if got := shownBy(t, e, n, "f()"); got != "100 int" {
		t.Errorf("the function gives %s", got)
	}
	if got, _ := e.Results(); len(got) != check.KeptResults {
		t.Errorf("%d results are kept", len(got))
	}
	if got := len(e.freeSlots); got > 2 {
		t.Errorf("there are variables of %d types", got)
	}
	for key, free := range e.freeSlots {
		if len(free) > 2 {
			t.Errorf("%d variables of type %s wait to be used again", len(free), key)
		}
	}
	out := e.Eval(context.Background(), n+1, "_3")
	if out.Failure == nil || !strings.Contains(strings.Join(out.Failure.Notes, ""),
		"only the results of the last 100 cells that showed one are kept") {
		t.Errorf("%+v", out.Failure)
	}
	if !e.ForgetResults(fmt.Sprint("_", n)) || e.ForgetResults(fmt.Sprint("_", n)) {
		t.Error("one result is not forgotten, or twice")
	}
	if cells, _ := e.Results(); !e.ForgetResults("Out") || len(cells) == 0 || e.ForgetResults("Out") {
		t.Error("the results are not forgotten, or twice")
	}
	if got := shownBy(t, e, n+2, "f() + _"); got != "200 int" {
		t.Errorf("after that: %s", got)
	}
}

// TestResultsAsked: questions about results find them, and names of results are offered to those who begin them.
func TestResultsAsked(t *testing.T) {
	e, _ := newEngine(t)
	runCell(t, e, 1, "func() {}")
	runCell(t, e, 2, "time.Unix(0, 0)")
	runCell(t, e, 3, "3")
	texts := func(code string) (r []string) {
		for _, m := range e.Complete(code, len(code)).Matches {
			r = append(r, m.Text)
		}
		return r
	}
	if got := texts("_"); !slices.Contains(got, "_2") || !slices.Contains(got, "_3") || !slices.Contains(got, "__") ||
		slices.Contains(got, "_1") || slices.Contains(got, "___") {
		t.Errorf("_ is completed to %q", got)
	}
	if got := texts(""); slices.Contains(got, "_2") || slices.Contains(got, "__") {
		t.Errorf("nothing is completed to %q", got)
	}
	for _, code := range []string{"_2.Yea", "Out[2].Yea", "__.Yea", "fmt.Println(_2.Yea"} {
		if got := texts(code); !slices.Contains(got, "Year") {
			t.Errorf("%s is completed to %q", code, got)
		}
	}
	if got, f := e.scope.TypeOf("_2"); f != nil || got != "time.Time" {
		t.Errorf("the type of _2 is %q, %v", got, f)
	}
	if got, err := e.Var("_3"); err != nil || got != 3 {
		t.Errorf("_3 is %v, %v", got, err)
	}
	for _, n := range e.Names() {
		if check.IsResultName(n.Name) {
			t.Errorf("%s is listed", n.Name)
		}
	}
}
