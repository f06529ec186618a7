package golang

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// TestLateMethodNotes: where a method that is declared later makes values in interfaces other ones, a note says so; it
// names no variable that holds none.
func TestLateMethodNotes(t *testing.T) {
	thorough.Slow(t)
	if !run.Alone() { // other tests have left goroutines
		if out, err := exec.Command(os.Args[0], "-test.run=^TestLateMethodNotes$").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	for _, c := range []struct{ first, method, note string }{
		{"type key struct{}\nctx := context.WithValue(context.Background(), key{}, 1)\nk := key{}\nk",
			"func (key) String() string { return \"\" }",
			"ctx: a key in an interface is one from before key.String was declared, which does not equal later ones"},
		{"type key int\nm := map[any]int{key(1): 2}\nvar s sync.Map\ns.Store(key(2), 1)\nvar none any = 3\nn := map[key]key{1: 2}",
			"func (k *key) Set(n int) { *k = key(n) }\nfunc (k key) Get() int { return int(k) }",
			"m, s: a key in an interface is one from before key.Get, key.Set was declared, which does not equal later ones"},
		{"type bad struct{ n int }\nfunc (b bad) Error() string { return \"bad\" }\nvar errs = []error{nil, bad{1}}",
			"func (b bad) Code() int { return b.n }",
			"errs: a bad in an interface is one from before bad.Code was declared, which does not equal later ones"},
		{"type in struct{}\ntype out struct{ in; n int }\nvar x any = out{}\nby := map[reflect.Type]int{reflect.TypeFor[in](): 1}",
			"func (in) M() {}",
			"by: a in in an interface is one from before in.M was declared, which does not equal later ones|" +
				"x: a out in an interface is one from before in.M was declared, which does not equal later ones"},
		{"type T struct{ n int }\nx := T{1}\nfmt.Sprint(x)\nvar p *T = &x\nvar f = func() any { return T{1} }\nx", "func (T) M() {}", ""},
		{"type L []L\nx := L{nil}\nx[0] = x\nvar a any = L{}\nvar self any\nself = &self", "func (L) M() {}",
			"a: a L in an interface is one from before L.M was declared, which does not equal later ones"},
	} {
		e, _ := newEngine(t)
		if out := e.Eval(context.Background(), 1, c.first); out.Failure != nil {
			t.Errorf("%s: %s", c.first, out.Failure.Message)
		}
		var want []string
		if c.note != "" {
			want = strings.Split(c.note, "|")
		}
		if out := e.Eval(context.Background(), 2, c.method); out.Failure != nil || !slices.Equal(out.Notes, want) {
			t.Errorf("%s: notes %q, want %q (%v)", c.method, out.Notes, want, out.Failure)
		}
		if out := e.Eval(context.Background(), 3, c.method); out.Failure != nil || len(out.Notes) > 0 {
			t.Errorf("%s, again: notes %q (%v)", c.method, out.Notes, out.Failure)
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
