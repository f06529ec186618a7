package golang

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/run"
)

// aloneTest reports whether no goroutines of other tests run. Else it runs the test in a process of its own.
func aloneTest(t *testing.T) bool {
	if run.Alone() {
		return true
	}
	if out, err := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return false
}

// TestLateMethods: values that interfaces have held before a method of their type was declared have it afterwards, and
// equal later values, wherever variables of the session reach them.
func TestLateMethods(t *testing.T) {
	if !aloneTest(t) {
		return
	}
	const has = "func(x any) string { y, ok := x.(interface{ M() int }); if !ok { return \"no method\" }; return fmt.Sprint(x, y.M()) }"
	for _, c := range []struct{ first, method, last, want string }{
		{"type key struct{ n int }\nctx := context.WithValue(context.Background(), key{2}, 1)", "func (k key) M() int { return k.n }",
			"fmt.Sprintln(ctx.Value(key{2}), ctx.Value(key{3}))", "1 <nil>"},
		{"type T int\nvar x, p any = T(1), new(T)\nl := []any{T(2), []any{T(3)}, map[any]any{T(4): T(5)}}\nvar s sync.Map\ns.Store(T(6), []any{T(7)})",
			"func (t T) M() int { return int(t) * 100 }\nhas := " + has,
			"v, _ := s.Load(T(6))\nfmt.Sprintln(has(x), p.(interface{ M() int }).M(), has(l[0]), has(l[1].([]any)[0]), has(l[2].(map[any]any)[T(4)]), has(v.([]any)[0]), x == any(T(1)))",
			"1 100 0 2 200 3 300 5 500 7 700 true"},
		{"type T struct{ s []int }\nvar x any = &T{[]int{3}}\nerrs := []any{struct{ a any }{&T{[]int{4}}}, [1]any{T{}}}\nvar av atomic.Value\nav.Store(T{[]int{5}})\nlst := list.New()\nlst.PushBack(T{[]int{6}})",
			"func (t T) M() int { return len(t.s) }\nhas := " + has,
			"av.Store(T{nil})\nfmt.Sprintln(x.(*T).M(), has(errs[1].([1]any)[0]), has(errs[0].(struct{ a any }).a.(*T).s), has(lst.Front().Value))",
			"1 {[]} 0 no method {[6]} 1"},
		{"type bad struct{ n int }\nfunc (b bad) Error() string { return \"bad\" }\nerrs := []error{nil, bad{1}}\nwrapped := fmt.Errorf(\"w: %w\", bad{2})",
			"func (b bad) M() int { return b.n }", "var m interface{ M() int }\nok := errors.As(wrapped, &m)\nfmt.Sprintln(ok, errs[1].(interface{ M() int }).M(), errs[1] == error(bad{1}))", "true 1 true"},
		{"type in struct{}\ntype out struct{ in; n int }\nvar x any = out{}\nby := map[reflect.Type]int{reflect.TypeFor[in](): 1}\ntype G[E any] struct{ v E }\ng := any(G[in]{})",
			"func (in) M() int { return 8 }", "_, ok := g.(G[in])\nfmt.Sprintln(by[reflect.TypeFor[in]()], x.(interface{ M() int }).M(), x == any(out{}), ok)", "1 8 true true"},
		{"type L []L\nx := L{nil}\nx[0] = x\nvar a any = L{}\nvar self any\nself = &self", "func (l L) M() int { return len(l) }", "a.(interface{ M() int }).M()", "0"},
	} {
		e, _ := newEngine(t)
		for i, cell := range []string{c.first, c.method, c.last} {
			out := e.Eval(context.Background(), i+1, cell)
			if out.Failure != nil || len(out.Notes) > 0 {
				t.Fatalf("%s: %v %q", cell, out.Failure, out.Notes)
			}
			if i == 2 && strings.TrimSpace(fmt.Sprint(out.Values[0].V)) != c.want {
				t.Errorf("%s: %v, want %s", cell, out.Values[0].V, c.want)
			}
		}
	}
}

// TestLateMethodNotes: what cannot be told of a method that is declared later is in a note.
func TestLateMethodNotes(t *testing.T) {
	if !aloneTest(t) {
		return
	}
	const differs = "from before T.M was declared, without the method, which does not equal later ones"
	for _, c := range []struct{ first, note string }{
		{"type T struct{ f float64 }\nm := map[any]int{T{math.NaN()}: 1}", "m: a T in an interface is one " + differs},
		{"type T struct{}\nc, empty := make(chan any, 1), make(chan any, 1)\nc <- T{}", "values in the channels of c may be " + differs},
		{"type T struct{ n int }\nx := T{1}\nfmt.Sprint(x)\nvar p *T = &x\nvar f = func() any { return T{1} }\nx", ""},
		{"type T struct{}\nvar x any = T{}\ngo func() { select {} }()", "goroutines run: interfaces may hold values " + differs},
	} {
		e, _ := newEngine(t)
		runCell(t, e, 1, c.first)
		out := e.Eval(context.Background(), 2, "func (T) M() {}")
		if out.Failure != nil || strings.Join(out.Notes, "\n") != c.note {
			t.Errorf("%s: notes %q, want %q (%v)", c.first, out.Notes, c.note, out.Failure)
		}
	}
}

// TestInstanceNotes: a variable that holds an instance of a generic function that is declared again keeps the older
// one, which a note says, as long as it does.
func TestInstanceNotes(t *testing.T) {
	e, _ := newEngine(t)
	for i, c := range []struct{ cell, notes, shows string }{
		{"func id[T any](x T) T { return x }\nfunc two[T, U any](x T, y U) int { return 2 }", "", ""},
		{"h := id[int]\nvar g func(string) string = id\nk := func(x int) int { return id(x) }\nvar l, m = two[int, bool], 1", "", ""},
		{"func id[T any](x T) T { return x }", "", ""},
		{"func id[T any](x T) T { var zero T; return zero }", "g keeps the older id (cell[1])|h keeps the older id (cell[1])", ""},
		{"g(\"a\") + fmt.Sprint(id(1))", "", "a0"},
		{"h = id[int]\nl = nil", "", ""},
		{"func two[T, U any](x T, y U) int { return 3 }", "", ""},
		{"func id[T any](x T) T { return x }", "h keeps the older id (cell[4])", ""},
	} {
		out := e.Eval(context.Background(), i+1, c.cell)
		if got := strings.Join(out.Notes, "|"); out.Failure != nil || got != c.notes || c.shows != "" && shown(out) != c.shows {
			t.Errorf("%s: notes %q, shows %s; want %q, %s", c.cell, got, shown(out), c.notes, c.shows)
		}
	}
}
